//! Overrides: the hash that ties one to its input, the records it leaves, and `forge allow`.

use forge::model::InputHash;
use forge::store;
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::process::{Command, Stdio};

/// What the real jq makes of these texts, one line each; `None` where it is not installed or is not 1.6, whose numbers
/// are ours.
fn jq(inputs: &[String]) -> Option<Vec<String>> {
    let version = Command::new("jq").arg("--version").output().ok()?;
    if version.stdout.trim_ascii() != b"jq-1.6" {
        println!("skipped: no jq 1.6 here");
        return None;
    }
    let mut jq =
        Command::new("jq").args(["-S", "-c", "."]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = jq.stdin.take().unwrap();
    let text = inputs.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let output = jq.wait_with_output().unwrap();
    writer.join().unwrap();
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), inputs.len(), "jq refused an input");
    Some(lines)
}

/// `sha256sum | cut -c1-40` of a line.
fn sha(line: &str) -> InputHash {
    let digest: String = Sha256::digest(format!("{line}\n")).iter().map(|byte| format!("{byte:02x}")).collect();
    InputHash(digest[..40].to_owned())
}

fn check(inputs: &[String]) {
    for (input, line) in inputs.iter().zip(jq(inputs).unwrap_or_default()) {
        assert_eq!(store::input_hash(input), sha(&line), "{input} is {line} to jq");
    }
}

#[test]
fn the_hash_is_that_of_jq_for_every_kind_of_value() {
    let values = [
        "0",
        "-0",
        "-0.0",
        "1.0",
        "1e3",
        "1E+2",
        "1e-0",
        "0.1",
        "0.0001",
        "0.00001",
        "1.5e-7",
        "1e15",
        "1e16",
        "1e17",
        "1e22",
        "1e23",
        "123456789012345678901234567890",
        "9007199254740993",
        "3.141592653589793238",
        "5e-324",
        "1e-400",
        "1.7976931348623157e308",
        "1e1000",
        "-1e1000",
        "123456.789e3",
        "-763344993365969.2179331415425745",
        "99999999999999999999999e-10",
        "[]",
        "{}",
        "[[],{}]",
        " [ 1 , 2 ] ",
        "null",
        "true",
        "false",
        "\"\"",
        r#""\u007f\u0001\u001fx\/\u00e9\"\\\b\f\n\r\t\u2028""#,
        r#""\ud83d\ude00""#,
        r#""\udc00""#,
        r#""\u0000""#,
        r#"{"b":1,"a":2,"b":3}"#,
        r#"{"b":{"b":1},"a":[{"z":1,"y":2}],"b":{"c":1}}"#,
        r#"{"é":1,"z":2,"𐀀":3,"\uffee":4,"A":5,"":6,"\u0061":7,"\n":8}"#,
        r#"{"command":"git push --force","description":"it's \"<&>\""}"#,
    ];
    check(&values.map(String::from));
    let deep = format!("{}{{\"b\":1,\"a\":2}}{}", "[".repeat(250), "]".repeat(250));
    check(&[deep]);
}

#[test]
fn the_hash_is_what_it_is() {
    // So that it holds where there is no jq: printf '%s' '…' | jq -S -c . | sha256sum | cut -c1-40
    let input = r#"{"file_path": "/src/a.ts", "content": "x\u00e9", "n": [1.0, 1e3, -0]}"#;
    let canonical = r#"{"content":"xé","file_path":"/src/a.ts","n":[1,1000,-0]}"#;
    assert_eq!(store::input_hash(input), sha(canonical));
    assert_eq!(store::input_hash(input), InputHash(String::from("2686584f219773f5eca4e078f23fa8a41009e961")));
}

#[test]
fn no_input_is_too_deep_or_too_odd_to_be_hashed() {
    let deep = |inner: &str| format!("{}{inner}{}", r#"{"b":0,"a":["#.repeat(10_000), "]}".repeat(10_000));
    assert_eq!(store::input_hash(&deep("1.0")), store::input_hash(&deep(" 1 ")));
    assert_ne!(store::input_hash(&deep("1")), store::input_hash(&deep("2")));
    // What is not JSON is hashed as it stands.
    for odd in ["", "{", "nul", "1 2", "[1,]", "{\"a\":1,}", "\u{feff}1", "01", "\"\n\""] {
        assert_eq!(store::input_hash(odd), sha(odd), "{odd}");
    }
    // A lone surrogate is one character nobody can read, as jq 1.7 has it.
    assert_eq!(store::input_hash(r#""a\ud83dx""#), sha("\"a\u{fffd}x\""));
    assert_eq!(store::input_hash(r#""\ud83d\ud83d\ude00""#), sha("\"\u{fffd}😀\""));
}

/// JSON as other programs write it: any spacing, any escapes.
fn json() -> impl Strategy<Value = String> {
    let digits = "-?(0|[1-9][0-9]{0,19})(\\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?";
    let double = any::<f64>().prop_filter("JSON has no other", |number| number.is_finite());
    let string =
        "\"([ !#-\\[\\]-~é€𐀀]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-c][0-9a-fA-F]{3}|\\\\ud83d\\\\ude[0-9a-f]{2}){0,6}\"";
    let leaf = prop_oneof![
        4 => digits,
        2 => double.prop_map(|number| format!("{number:e}")),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        4 => string,
        1 => "true|false|null",
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        let member =
            (string, inner.clone(), "[ \t]?").prop_map(|(key, value, space)| format!("{key}{space}:{space}{value}"));
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(|items| format!("[{}]", items.join(" , "))),
            proptest::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_hash_is_that_of_jq_for_anything(inputs in proptest::collection::vec(json(), 100)) {
        check(&inputs);
    }
}
