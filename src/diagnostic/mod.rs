//! What is wrong with the author's files, as data: collected, never thrown; rendered elsewhere.

/// One problem. (under construction)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {}
