//! One table per closed vocabulary: the enum, its words in YAML and JSON, and the list of all of them.
//! Used by every other file of `model`; knows nothing of any particular vocabulary.

/// Declares a closed set of words. From one row per word it derives the enum, [`ALL`], `name` and `from_name`,
/// so that a word can never exist in the parser and be missing in the printer.
///
/// [`ALL`]: crate::model::Level::ALL
macro_rules! vocabulary {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name { $( $(#[$variant_meta])* $variant, )+ }

        #[allow(dead_code, reason = "not every vocabulary is listed, printed and read")]
        impl $name {
            /// Every word, in declaration order (which is also the order of `Ord`).
            $vis const ALL: &'static [Self] = &[$( Self::$variant, )+];

            /// The same as they are written.
            $vis const NAMES: &'static [&'static str] = &[$( $word, )+];

            /// The word as it is written in YAML, JSON and listings.
            #[must_use]
            $vis const fn name(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }

            /// The meaning of a word, if it is one of ours. Case counts.
            #[must_use]
            $vis fn from_name(word: &str) -> Option<Self> {
                match word { $( $word => Some(Self::$variant), )+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use vocabulary;
