//! What the environment says of how strict the hook is. A value that cannot be understood leaves the default and is told,
//! since a typo in `strict` would else loosen the rules in silence. Reads the host's variables, nothing else.

use super::watching;
use crate::host::Host;
use crate::model::Profile;
use crate::signals::Nanos;
use crate::store;

const PROFILE: &str = "FORGE_HOOK_PROFILE";

/// A variable, whether a value of it is understood, and what holds when it is not.
type Row = (&'static str, fn(&str) -> bool, &'static str);

const ROWS: &[Row] = &[
    (
        PROFILE,
        |word| Profile::from_name(word).is_some(),
        "no profile; `standard` holds (known are minimal, standard, strict)",
    ),
    (store::WINDOW, is_seconds, "no whole number of seconds; 60 hold"),
    (store::TTL, is_seconds, "no whole number of seconds; 86400 hold"),
    (watching::CAP, |amount| Nanos::parse(amount).is_some(), "no amount of US dollars; the project's cap holds"),
];

fn is_seconds(text: &str) -> bool {
    store::seconds(text).is_some()
}

/// `FORGE_HOOK_PROFILE`, else `standard`.
#[must_use]
pub fn profile(host: &dyn Host) -> Profile {
    host.env(PROFILE).and_then(|word| Profile::from_name(&word)).unwrap_or(Profile::Standard)
}

/// The variables that are set to something nobody understands, one line each.
pub(super) fn misread(host: &dyn Host) -> Vec<String> {
    let set = ROWS.iter().filter_map(|row| Some((row, host.env(row.0)?)));
    let misread = set.filter(|((_, is_understood, _), value)| !is_understood(value));
    misread.map(|((name, _, holds), value)| format!("{name} is `{}`, {holds}", value.escape_debug())).collect()
}
