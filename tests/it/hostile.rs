//! A program, and files in `.forge/`, made by an adversary: what `docs/security.md` says they cannot do.

use crate::cli::Project;
use crate::process::{Answer, bash, hook, project};
use forge::bytecode::assemble::assemble;
use forge::bytecode::program::Program;
use forge::bytecode::{Work, container, verify};
use forge::limits;
use forge::model::{Call, Event, Field, Input, OverridePolicy, Profile, Signals, Timestamp};
use forge::{store, vm};
use std::fs;

/// One block for Bash with these patterns, tried one after another on the command as often as `times` says.
fn trying(pattern: &str, times: usize) -> Program<'static> {
    let tests = "    matches command p0\n".repeat(times);
    let text = format!(
        "block 0 \"a\" \"A\" hard_block\n  hint \"h\"\n  {pattern}\n  routine PreToolUse\n{tests}    end\n\
         dispatch PreToolUse\n  tool \"Bash\" 0\n"
    );
    assemble(&text, &mut |_| Vec::new()).unwrap()
}

/// Whether the machine gives up on a command.
fn is_too_much(program: &Program<'_>, command: &str) -> bool {
    let bytes = container::write(program).unwrap();
    let mut call = Call::new(Event::PreToolUse, "Bash", "{}", store::input_hash);
    call.fields.set(Field::Command, command);
    let work = Work::of_one_event();
    let part = verify(container::select_within(&bytes[..], &call, &work).unwrap()).unwrap();
    let (signals, profile) = (Signals::default(), Profile::Standard);
    let overrides = OverridePolicy::Ask;
    let input = Input { call: &call, session: None, signals, now: Timestamp(0), profile, overrides };
    drop(vm::run_within(&part, input, &work));
    work.is_spent()
}

/// A project whose program looks for a very long text, and a call in which that is slow.
pub(crate) fn costly_event(project: &Project) -> Vec<u8> {
    let literal = "z".repeat(30_000);
    let program = trying(&format!("pattern \"z\" \"z\" \"{literal}\" folded"), 8);
    fs::write(project.path(".forge/compiled/program.fbc"), container::write(&program).unwrap()).unwrap();
    bash(&"a".repeat(1 << 18)).to_string().into_bytes()
}

#[test]
fn a_program_that_would_take_long_is_stopped() {
    // Compiled anew at each of 200,000 tests, which fit into the code of one routine.
    let compiled = "pattern \"x\" \"[\\\\pL\\\\pN]{80}\"";
    assert!(is_too_much(&trying(compiled, 200_000), "git push"));
    // Each byte makes a state of thousands; an engine that remembers states forgets them all the time.
    let states = "pattern \"x\" \"[ab]*a[ab]{4000}c\"";
    let text: String =
        (0..300_000_u32).map(|i| if i.wrapping_mul(2_654_435_761) >> 31 == 0 { 'a' } else { 'b' }).collect();
    assert!(is_too_much(&trying(states, 2), &text));
    // Word edges in Unicode, which our compiler never writes, go to the slowest engine.
    let slowest = "pattern \"x\" \"\\\\b(?:[ab]{0,900}){3}c\"";
    assert!(is_too_much(&trying(slowest, 50), &text));
    // And what honest rules need is far below.
    assert!(!is_too_much(&trying("pattern \"x\" \"[a-z ]*push\" \"push\"", 1_000), &"git push ".repeat(2_000)));
}

#[test]
fn a_template_of_names_of_names_fills_no_memory() {
    let name = "n".repeat(100_000);
    let pieces = "{behavior_name} ".repeat(20_000);
    let text = format!(
        "block 0 \"a\" \"{name}\" nudge\n  hint \"h\"\n  nudge {pieces}\n  routine PreToolUse\n    at 0 0:1:1\n    \
         violate 0\ndispatch PreToolUse\n  tool \"Bash\" 0\nfile \"f\"\n"
    );
    let program = assemble(&text, &mut |_| Vec::new()).unwrap();
    let project = project("nudge", "");
    fs::write(project.path(".forge/compiled/program.fbc"), container::write(&program).unwrap()).unwrap();
    let Answer { stdout, .. } = hook(&project, bash("x").to_string().as_bytes());
    assert!(!stdout.is_empty());
    assert!(stdout.len() < 4 * limits::SPEECH_BYTES, "{} bytes", stdout.len());
}
