//! Reading a state file, changing one session and writing it: a number of bytes for each of its own.

use crate::Meter;
use forge::host::OsHost;
use forge::model::{Call, Event};
use forge::store::{self, Paths};

/// The dearest is a behavior without anything (`"1":{},`): a name and all its fields in a tree, then all its keys as text.
const FACTOR: usize = 96;
const BESIDES: usize = 1 << 20;
const SIZE: usize = 1 << 19;

fn list(unit: impl Fn(usize) -> String) -> String {
    let mut text = unit(0);
    let mut at = 1;
    while text.len() < SIZE {
        text.push(',');
        text.push_str(&unit(at));
        at += 1;
    }
    text
}

#[test]
fn a_state_file_costs_a_number_of_bytes_for_each_of_its_own() {
    let meter = Meter::take();
    let sessions = |text: &str| format!("{{\"schema_version\":\"1\",\"sessions\":{{{text}}}}}");
    let of_ours = |text: &str| sessions(&format!("\"s\":{{{text}}}"));
    let states = [
        ("many sessions", sessions(&list(|at| format!("\"{at}\":{{}}")))),
        ("one huge session of another", sessions(&format!("\"o\":{{\"x\":\"{}\"}}", "x".repeat(SIZE)))),
        ("many flags", of_ours(&format!("\"flags\":{{{}}}", list(|at| format!("\"{at}\":{{}}"))))),
        ("many behaviors", of_ours(&format!("\"behaviors\":{{{}}}", list(|at| format!("\"{at}\":{{}}"))))),
        ("many switches", of_ours(&format!("\"behavior_overrides\":{{{}}}", list(|at| format!("\"{at}\":{{}}"))))),
        ("many keys of others", of_ours(&list(|_| "\"\":0".to_owned()))),
        (
            "many overrides",
            of_ours(&format!("\"behaviors\":{{\"b\":{{\"overrides\":[{}]}}}}", list(|_| "0".to_owned()))),
        ),
        ("deep", of_ours(&format!("\"x\":{}{}", "[".repeat(SIZE / 2), "]".repeat(SIZE / 2)))),
        ("a huge name", sessions(&format!("\"{}\":{{}}", "\\n".repeat(SIZE / 2)))),
        ("no state", "[".repeat(SIZE)),
    ];
    for (about, state) in states {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path());
        std::fs::create_dir_all(paths.runtime()).unwrap();
        std::fs::write(paths.state(), &state).unwrap();
        meter.is_bounded(about, state.len(), (FACTOR, BESIDES), || {
            let host = OsHost::new();
            let locked = store::open(&host, &paths).unwrap();
            let mut memory = locked.read();
            let session = memory.session("s");
            memory.commit("s", &session, &Call::new(Event::PreToolUse, "Bash", "{}", store::input_hash), &[]);
        });
        meter.is_bounded(about, state.len(), (FACTOR, BESIDES), || {
            let _ = store::snapshot(&OsHost::new(), &paths);
        });
    }
}
