//! What is masked as a secret and what is not: every rule at its boundaries, with all that is kept of each text.

use crate::audit::summary;
use proptest::prelude::*;

/// A text, and what is kept of it.
type Case = (&'static str, &'static str);

fn check(cases: &[Case]) {
    for (text, kept) in cases {
        assert_eq!(summary(text), format!("command={kept}"), "of {text:?}");
    }
}

/// Nothing of these is a secret.
fn check_kept(texts: &[&str]) {
    for text in texts {
        assert_eq!(summary(text), format!("command={text}"));
    }
}

#[test]
fn private_keys() {
    check(&[
        ("x -----BEGIN RSA PRIVATE KEY-----\na\n-----END RSA PRIVATE KEY----- y", "x [REDACTED] y"),
        ("-----BEGIN PRIVATE KEY-----\na b", "[REDACTED]"),
        ("-----BEGIN PKCS8 PRIVATE KEY-----a-----END PKCS8 PRIVATE KEY-----b", "[REDACTED]b"),
        ("-----BEGIN PRIVATE KEY-----a-----END CERTIFICATE-----b", "[REDACTED]"),
        ("-----BEGIN PRIVATE KEY-----a-----END PRIVATE KEY---b", "[REDACTED]"),
    ]);
    check_kept(&[
        "-----BEGIN PUBLIC KEY-----\na",
        "-----BEGIN PRIVATE KEY---\na",
        "----BEGIN PRIVATE KEY-----\na",
        "-----BEGIN rsa PRIVATE KEY-----\na",
        "-----BEGIN A_PRIVATE KEY-----\na",
        "-----END PRIVATE KEY-----\na",
        "-----BEGIN PRIVATE KEY OF-----\na",
    ]);
}

/// How each kind of token begins, a character that may be in it, one that ends it, and how long it is at least.
const TOKENS: [(&str, char, char, usize); 26] = [
    ("sk-ant-", '_', '.', 16),
    ("sk-", '-', '.', 20),
    ("ghp_", 'a', '_', 20),
    ("gho_", 'a', '-', 20),
    ("ghu_", 'a', '_', 20),
    ("ghs_", 'a', '-', 20),
    ("ghr_", 'a', '_', 20),
    ("github_pat_", '_', '-', 20),
    ("glpat-", '_', '.', 20),
    ("xoxa-", '-', '_', 10),
    ("xoxb-", '-', '.', 10),
    ("xoxp-", 'a', '_', 10),
    ("xoxo-", 'a', '_', 10),
    ("xoxs-", 'a', '_', 10),
    ("xoxr-", 'a', '_', 10),
    ("AIza", '-', '.', 30),
    ("AIza", '_', '+', 30),
    ("rk_live_", 'a', '_', 16),
    ("rk_test_", 'a', '-', 16),
    ("sk_live_", 'a', '_', 16),
    ("sk_test_", 'a', '-', 16),
    ("pk_live_", 'a', '_', 16),
    ("pk_test_", 'a', '-', 16),
    ("npm_", 'a', '_', 30),
    ("hf_", 'a', '-', 30),
    ("eyJ12345678.12345678.", '_', '.', 8),
];

#[test]
fn tokens_are_known_by_how_they_begin_and_how_long_they_are() {
    for (start, inner, end, least) in TOKENS {
        let body = |length: usize| format!("{}{inner}Z", "7".repeat(length - 2));
        let long = format!("{start}{}", body(least));
        let short = format!("{start}{}", body(least - 1));
        for (text, kept) in [
            (long.clone(), String::from("[REDACTED]")),
            (format!("({long}7 b)"), String::from("([REDACTED] b)")),
            (format!("é{long}{end}b"), format!("é[REDACTED]{end}b")),
            (format!("-{long}"), String::from("-[REDACTED]")),
            (short.clone(), short.clone()),
            (format!("{short}{end}7777"), format!("{short}{end}7777")),
            (format!("x{long}"), format!("x{long}")),
            (format!("_{long}"), format!("_{long}")),
        ] {
            // Another rule sees long runs of letters and digits, whatever they are.
            if text.len() < 40 || kept != text {
                assert_eq!(summary(&text), format!("command={kept}"), "of {text:?}");
            }
        }
    }
    check(&[
        ("AKIA0123456789ABCDEF-", "[REDACTED]-"),
        ("a ASIA0123456789ABCDEF b", "a [REDACTED] b"),
        ("eyJ1234567-.abcdefg_.1234567A x", "[REDACTED] x"),
    ]);
    check_kept(&[
        "AKIA0123456789ABCDE",
        "AKIA0123456789ABCDEF0",
        "AKIA0123456789ABCDEFa",
        "AKIA0123456789ABCDEF_",
        "AKIA0123456789abcdef",
        "AKIB0123456789ABCDEF",
        "eyJ1234567.12345678.12345678",
        "eyJ12345678.1234567.12345678",
        "eyJ12345678+12345678.12345678",
        "eyJ12345678.12345678+12345678",
        "eyK12345678.12345678.12345678",
    ]);
}

#[test]
fn arguments_of_commands() {
    check(&[
        ("sshpass -p a.b c", "sshpass -p [REDACTED] c"),
        ("(sshpass \t-pab c", "(sshpass \t-p[REDACTED] c"),
        ("sshpass -p 'a b' c", "sshpass -p '[REDACTED]' c"),
        ("sshpass -p \"a\\\"'b\" c", "sshpass -p \"[REDACTED]\" c"),
        ("sshpass -p 'a b\nc", "sshpass -p '[REDACTED]\nc"),
        ("sshpass -p 'ab\\", "sshpass -p '[REDACTED]"),
        ("sshpass -p ab\"c", "sshpass -p [REDACTED]\"c"),
        ("sshpass -p ab'c", "sshpass -p [REDACTED]'c"),
        ("mysql -pab c", "mysql -p[REDACTED] c"),
        ("/MySQL -u me  -p'a b' c", "/MySQL -u me  -p'[REDACTED]' c"),
        ("mysql_x-dump -pab", "mysql_x-dump -p[REDACTED]"),
        ("MARIADB -pab", "MARIADB -p[REDACTED]"),
        ("mysql -p -pab", "mysql -p -p[REDACTED]"),
        ("curl -u me:a:b c", "curl -u me:[REDACTED] c"),
        ("--user  me:ab", "--user  me:[REDACTED]"),
        ("curl --user=me:ab c", "curl --user=me:[REDACTED] c"),
        ("curl -u 'me:a @b' c", "curl -u 'me:[REDACTED]' c"),
        ("curl -u me:ab@host", "curl -u me:[REDACTED]@host"),
        ("curl -u me:ab\"c", "curl -u me:[REDACTED]\"c"),
        ("x --password ab c", "x --password [REDACTED] c"),
        ("x --PassWD  'a b' c", "x --PassWD  '[REDACTED]' c"),
        ("x --pass\tab", "x --pass\t[REDACTED]"),
    ]);
    check_kept(&[
        "sshpass -p",
        "sshpass -p ''",
        "sshpass -P ab",
        "sshpass-p ab",
        "sshpas -p ab",
        "xsshpass -p ab",
        "mysql -p ab",
        "mysql -p-ab",
        "mysql -p",
        "mysql x-pab",
        "mymysql -pab",
        "mysql; x -pab",
        "mysql | x -pab",
        "mysql & x -pab",
        "mysql\nx -pab",
        "psql -pab",
        "curl -u me",
        "curl -u :ab",
        "curl -u me: ab",
        "curl -ume:ab",
        "curl -u me@host:22",
        "curl -u me'x:ab",
        "curl x-u me:ab",
        "x --password --ab c",
        "x --passport ab",
        "x --password",
        "x -password ab",
    ]);
}

#[test]
fn headers_and_addresses() {
    check(&[
        ("Bearer 0123456789abcdef x", "Bearer [REDACTED] x"),
        ("(BASIC  a.b_c~d+e/f-g.h_i== x", "(BASIC  [REDACTED] x"),
        ("postgres://me:a:b!@host/db", "postgres://me:[REDACTED]@host/db"),
        ("(git+s.s-h2://me:ab@host", "(git+s.s-h2://me:[REDACTED]@host"),
        ("-http://me:ab@host", "-http://me:[REDACTED]@host"),
        ("redis://:ab@host", "redis://:[REDACTED]@host"),
        ("abcdefghijklmnopqrstuvwxyzabcdef://a:b@c", "abcdefghijklmnopqrstuvwxyzabcdef://a:[REDACTED]@c"),
    ]);
    check_kept(&[
        "Bearer 0123456789abcde",
        "Bearer 0123456789abcde=",
        "Bearer 0123456789abcde!f",
        "Bearer0123456789abcdef",
        "xBearer 0123456789abcdef",
        "Bear 0123456789abcdef",
        "abcdefghijklmnopqrstuvwxyzabcdefg://a:b@c",
        "http:/me:ab@host",
        "http://me@host",
        "http://me:@host",
        "http://me:ab",
        "http://me:ab/c@d",
        "http://me:ab c@d",
        "http://me/x:ab@d",
        "http://me x:ab@d",
        "http://me@x:ab@d",
        "1http://me:ab@host",
        "_http://me:ab@host",
        "é://me:ab@host",
    ]);
}

#[test]
fn values_under_a_name_that_says_what_they_are() {
    check(&[
        ("a.api_key-2 = b c", "a.api_key-2 = [REDACTED] c"),
        ("APIKEY=b", "APIKEY=[REDACTED]"),
        ("api-key:b", "api-key:[REDACTED]"),
        ("private_key:=b,c", "private_key:=[REDACTED],c"),
        ("access-key==b;c", "access-key==[REDACTED];c"),
        ("{client_secret:b}", "{client_secret:[REDACTED]}"),
        ("\"Passwd\" : \"b c\", d", "\"Passwd\" : \"[REDACTED]\", d"),
        ("'pwd': 'b c'", "'pwd': '[REDACTED]'"),
        ("{\\\"password\\\": \\\"b,;}\\\", \\\"c\\\"}", "{\\\"password\\\": \\\"[REDACTED]\\\", \\\"c\\\"}"),
        ("password=\\\"b c", "password=\\\"[REDACTED] c"),
        ("password=\\\"b'c", "password=\\\"[REDACTED]'c"),
        ("credentials=b\"c", "credentials=[REDACTED]\"c"),
        ("credentials=b'c", "credentials=[REDACTED]'c"),
        ("token=b", "token=[REDACTED]"),
        ("x.token2=b", "x.token2=[REDACTED]"),
        ("tokens2=b", "tokens2=[REDACTED]"),
        ("tokens_token=b", "tokens_token=[REDACTED]"),
        ("x(password=b", "x(password=[REDACTED]"),
        ("épassword=b", "épassword=[REDACTED]"),
    ]);
    check_kept(&[
        "tokens=b",
        "max_tokens: b",
        "tokens_x=b",
        "api.key=b",
        "apixkey=b",
        "key_api=b",
        "password b",
        "password",
        "password=",
        "password=''",
        "password=\\\"\\\"",
        "password;=b",
        "passwort=b",
    ]);
}

#[test]
fn long_runs_of_letters_and_digits() {
    let run = |digits: usize, letters: usize| format!("{}{}", "4".repeat(digits), "h".repeat(letters));
    let masked = [(1, 39), (39, 1), (20, 20), (1, 50)];
    for (digits, letters) in masked {
        assert_eq!(summary(&format!("é{} b", run(digits, letters))), "command=é[REDACTED] b");
    }
    for (digits, letters) in [(1, 38), (38, 1), (0, 40), (40, 0)] {
        let text = run(digits, letters);
        assert_eq!(summary(&text), format!("command={text}"));
    }
    // What may stand between counts as well, and a part of a run is no run.
    assert_eq!(summary(&format!("{}+=_-{}.", run(0, 18), run(18, 0))), "command=[REDACTED].");
    assert_eq!(summary(&format!("{} {}", run(0, 39), run(39, 0))), format!("command={} {}", run(0, 39), run(39, 0)));
}

/// A character for each of a text, that many places after the first of an alphabet.
fn in_alphabet(text: &str, first: char, of: char) -> String {
    text.chars().map(|c| char::from_u32(u32::from(of) + u32::from(c) - u32::from(first)).unwrap()).collect()
}

/// Where an alphabet that looks like ASCII begins, and what of ASCII it has, from the first to the last.
const ALPHABETS: [(char, char, char); 5] =
    [('！', '!', '~'), ('Ⓐ', 'A', 'Z'), ('ⓐ', 'a', 'z'), ('𝟎', '0', '9'), ('𝟶', '0', '9')];

#[test]
fn a_name_in_another_alphabet_is_the_same_name() {
    for (of, first, last) in ALPHABETS {
        let plain: String = (first..=last).collect();
        for part in plain.chars().collect::<Vec<_>>().chunks(40).map(|part| part.iter().collect::<String>()) {
            assert_eq!(summary(&in_alphabet(&part, first, of)), format!("command={part}"));
        }
    }
    for alphabet in 0..13 {
        let of = |place: u32| char::from_u32(0x1d400 + 52 * alphabet + place).unwrap();
        let (upper, lower): (String, String) = ((0..26).map(of).collect(), (26..52).map(of).collect());
        assert_eq!(summary(&upper), "command=ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        assert_eq!(summary(&lower), "command=abcdefghijklmnopqrstuvwxyz");
    }
    // What stands beside the alphabets is something else.
    let beside = "\u{ff00}\u{ff5f}\u{24b5}\u{24ea}\u{1d3ff}\u{1d6a4}\u{1d7cd}\u{1d800}";
    check_kept(&[beside]);
}

proptest! {
    #[test]
    fn characters_that_draw_nothing_hide_no_name(
        hidden in "[\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{3164}\u{fe00}-\u{fe0f}\u{feff}\u{ffa0}\u{fff9}-\u{fffb}\u{e0000}-\u{e0fff}]{1,3}",
        at in 0..8_usize,
    ) {
        let (one, other) = "password".split_at(at);
        prop_assert_eq!(summary(&format!("{one}{hidden}{other}=b")), "command=password=[REDACTED]");
    }
}
