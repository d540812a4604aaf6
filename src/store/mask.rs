//! Secrets out of texts that are kept: what looks like a key, a token or a password becomes `[REDACTED]`.
//! Pure, and linear in practice: texts are cut to a few thousand characters before. It knows shapes, not secrets: a
//! password that stands in no place a password stands in is not found.

use super::scan::{Scan, is_word};
use std::ops::Range;

const MASK: &str = "[REDACTED]";

/// What is to be masked at a place, if something is: a range that begins there or later.
type Rule = fn(Scan<'_>) -> Option<Range<usize>>;

/// In this order: what a token's own shape gives away comes before what its place gives away.
const RULES: [Rule; 9] =
    [private_key, token, sshpass, mysql, user_and_password, password_flag, authorization, url_password, named_secret];

/// The text with every secret replaced. It also loses characters that draw nothing and compatibility forms of ASCII,
/// which hide a key's name from the rules while a person still reads it.
pub(super) fn mask(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().filter_map(plain).collect();
    for rule in RULES {
        characters = apply(rule, &characters);
    }
    apply(long_run, &characters).into_iter().collect()
}

fn apply(rule: Rule, text: &[char]) -> Vec<char> {
    let mut masked = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(character) = text.get(at) {
        match rule(Scan::new(text, at)) {
            Some(secret) if !secret.is_empty() => {
                masked.extend_from_slice(text.get(at..secret.start).unwrap_or_default());
                masked.extend(MASK.chars());
                at = secret.end;
            }
            _ => {
                masked.push(*character);
                at += 1;
            }
        }
    }
    masked
}

/// A character as people read it; nothing for one that draws nothing.
fn plain(character: char) -> Option<char> {
    let code = u32::from(character);
    let ascii = |first: char, offset: u32| char::from_u32(u32::from(first) + offset);
    match code {
        0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f => None,
        0x202a..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff9..=0xfffb => None,
        0xe0000..=0xe0fff => None,
        0xff01..=0xff5e => ascii('!', code - 0xff01),
        // Circled letters, and the mathematical alphabets: bold, italic, script and their kin, 52 letters each.
        0x24b6..=0x24cf => ascii('A', code - 0x24b6),
        0x24d0..=0x24e9 => ascii('a', code - 0x24d0),
        0x1d400..=0x1d6a3 => match (code - 0x1d400) % 52 {
            upper @ 0..26 => ascii('A', upper),
            lower => ascii('a', lower - 26),
        },
        0x1d7ce..=0x1d7ff => ascii('0', (code - 0x1d7ce) % 10),
        _ => Some(character),
    }
}

/// A PEM private key, also one cut off before its end.
fn private_key(mut scan: Scan<'_>) -> Option<Range<usize>> {
    let start = scan.at();
    let heading = |scan: &mut Scan<'_>, word: &str| {
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' ';
        let from = scan.at();
        scan.eat("-----") && scan.eat(word) && {
            scan.run(is_name);
            scan.ends_with(from, "PRIVATE KEY") && scan.eat("-----")
        }
    };
    heading(&mut scan, "BEGIN ").then_some(())?;
    while scan.peek().is_some() {
        let mut end = scan;
        if heading(&mut end, "END ") {
            return Some(start..end.at());
        }
        scan.step();
    }
    Some(start..scan.at())
}

fn token_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn name_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn alphanumeric(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

/// A kind of token: how it may start, the characters that follow, and how many of them at least.
type Shape = (&'static [&'static str], fn(char) -> bool, usize);

/// Tokens with a shape of their own.
const TOKENS: [Shape; 10] = [
    (&["sk-ant-"], token_letter, 16),
    (&["sk-"], token_letter, 20),
    (&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], alphanumeric, 20),
    (&["github_pat_"], name_letter, 20),
    (&["glpat-"], token_letter, 20),
    (&["xoxa-", "xoxb-", "xoxp-", "xoxo-", "xoxs-", "xoxr-"], |c| c.is_ascii_alphanumeric() || c == '-', 10),
    (&["AIza"], token_letter, 30),
    (&["rk_live_", "rk_test_", "sk_live_", "sk_test_", "pk_live_", "pk_test_"], alphanumeric, 16),
    (&["npm_"], alphanumeric, 30),
    (&["hf_"], alphanumeric, 30),
];

fn token(scan: Scan<'_>) -> Option<Range<usize>> {
    if scan.before().is_some_and(is_word) {
        return None;
    }
    let start = scan.at();
    for (prefixes, letter, least) in TOKENS {
        let mut token = scan;
        if prefixes.iter().any(|prefix| token.eat(prefix)) && token.run(letter) >= least {
            return Some(start..token.at());
        }
    }
    let mut key = scan;
    if key.eat("AKIA") || key.eat("ASIA") {
        let count = key.run(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        return (count == 16 && !key.peek().is_some_and(is_word)).then(|| start..key.at());
    }
    // A JSON web token: three parts with dots between.
    let mut jwt = scan;
    let is_jwt = jwt.eat("eyJ")
        && jwt.run(token_letter) >= 8
        && jwt.eat(".")
        && jwt.run(token_letter) >= 8
        && jwt.eat(".")
        && jwt.run(token_letter) >= 8;
    is_jwt.then(|| start..jwt.at())
}

fn no_space_or_quote(c: char) -> bool {
    !c.is_whitespace() && c != '\'' && c != '"'
}

/// The secret that stands here, perhaps none: between quotes, which stay, or as long as `unquoted` holds.
fn value(mut scan: Scan<'_>, unquoted: fn(char) -> bool) -> Range<usize> {
    let quote = scan.eat_quote();
    let start = scan.at();
    match quote {
        Some(quote) => scan.quoted(quote),
        None => {
            scan.run(unquoted);
        }
    }
    start..scan.at()
}

/// `sshpass -p X`.
fn sshpass(mut scan: Scan<'_>) -> Option<Range<usize>> {
    let is_flag = scan.starts_word() && scan.eat("sshpass") && scan.spaces() > 0 && scan.eat("-p");
    is_flag.then_some(())?;
    scan.spaces();
    Some(value(scan, no_space_or_quote))
}

/// `mysql … -pX`.
fn mysql(mut scan: Scan<'_>) -> Option<Range<usize>> {
    if !(scan.starts_word() && (scan.eat_fold("mysql") || scan.eat_fold("mariadb"))) {
        return None;
    }
    scan.run(|c| is_word(c) || c == '-');
    while scan.peek().is_some_and(|c| !matches!(c, '\n' | '|' | ';' | '&')) {
        let mut flag = scan;
        if flag.spaces() == 1 && flag.eat("-p") && flag.peek().is_some_and(|c| !c.is_whitespace() && c != '-') {
            return Some(value(flag, no_space_or_quote));
        }
        scan.step();
    }
    None
}

/// `-u user:X`, `--user user:X`.
fn user_and_password(mut scan: Scan<'_>) -> Option<Range<usize>> {
    if scan.before().is_some_and(|c| !c.is_whitespace()) || !(scan.eat("--user") || scan.eat("-u")) {
        return None;
    }
    if !scan.eat("=") && scan.spaces() == 0 {
        return None;
    }
    let quote = scan.eat_quote();
    let is_user = scan.run(|c| no_space_or_quote(c) && c != ':' && c != '@') > 0 && scan.eat(":");
    is_user.then_some(())?;
    let start = scan.at();
    match quote {
        Some(quote) => scan.quoted(quote),
        None => {
            scan.run(|c| no_space_or_quote(c) && c != '@');
        }
    }
    Some(start..scan.at())
}

/// `--password X`; with `=` it is a named secret.
fn password_flag(mut scan: Scan<'_>) -> Option<Range<usize>> {
    let is_flag = ["--password", "--passwd", "--pass"].iter().any(|flag| scan.eat_fold(flag)) && scan.spaces() > 0;
    (is_flag && scan.peek() != Some('-')).then_some(())?;
    Some(value(scan, no_space_or_quote))
}

/// `Bearer X`, `Basic X`.
fn authorization(mut scan: Scan<'_>) -> Option<Range<usize>> {
    let is_scheme = scan.starts_word() && (scan.eat_fold("bearer") || scan.eat_fold("basic")) && scan.spaces() > 0;
    is_scheme.then_some(())?;
    let start = scan.at();
    let length = scan.run(|c| c.is_ascii_alphanumeric() || "._~+/-".contains(c));
    scan.run(|c| c == '=');
    (length >= 16).then(|| start..scan.at())
}

/// `scheme://user:X@host`, also without a user, as Redis has it.
fn url_password(mut scan: Scan<'_>) -> Option<Range<usize>> {
    if scan.before().is_some_and(is_word) || !scan.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    let scheme = scan.run(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    if scheme > 32 || !scan.eat("://") {
        return None;
    }
    scan.run(|c| !c.is_whitespace() && !"/:@".contains(c));
    scan.eat(":").then_some(())?;
    let start = scan.at();
    scan.run(|c| !c.is_whitespace() && !"/@".contains(c));
    (scan.peek() == Some('@')).then(|| start..scan.at())
}

/// A value under a name that says what it is: `api_key = X`, `"client_secret": "X"`.
fn named_secret(mut scan: Scan<'_>) -> Option<Range<usize>> {
    let letter = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if scan.before().is_some_and(letter) {
        return None;
    }
    let name = scan.taken(letter).to_ascii_lowercase();
    if !names_a_secret(&name) {
        return None;
    }
    // JSON within a string of JSON has its quotes escaped.
    scan.eat("\\");
    let _ = scan.eat_quote();
    scan.spaces();
    let is_given = scan.run(|c| c == ':' || c == '=') > 0;
    is_given.then_some(())?;
    scan.spaces();
    if scan.eat("\\\"") {
        let start = scan.at();
        scan.run(|c| no_space_or_quote(c) && c != '\\');
        return Some(start..scan.at());
    }
    Some(value(scan, |c| no_space_or_quote(c) && !",;}".contains(c)))
}

fn names_a_secret(name: &str) -> bool {
    let words = ["secret", "passwd", "password", "pwd", "credential"];
    let pairs = [("api", "key"), ("private", "key"), ("access", "key")];
    // "tokens" alone names a count (max_tokens), not a secret.
    let is_token = name.match_indices("token").any(|(at, word)| {
        let after = name.get(at + word.len()..).unwrap_or_default();
        after.strip_prefix('s').is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    });
    let is_pair = |(one, other): (&str, &str)| {
        ["", "_", "-"].iter().any(|between| name.contains(&[one, between, other].concat()))
    };
    is_token || words.iter().any(|word| name.contains(word)) || pairs.into_iter().any(is_pair)
}

/// A long run of letters and digits that is no word of any language.
fn long_run(mut scan: Scan<'_>) -> Option<Range<usize>> {
    let letter = |c: char| c.is_ascii_alphanumeric() || "+=_-".contains(c);
    if scan.before().is_some_and(letter) {
        return None;
    }
    let start = scan.at();
    let run = scan.taken(letter);
    let is_mixed = run.contains(|c: char| c.is_ascii_digit()) && run.contains(|c: char| c.is_ascii_alphabetic());
    (is_mixed && run.len() >= 40).then(|| start..scan.at())
}
