//! What the harness starts on every event: payload on standard input, answer on standard output.
//! Translates between the process and `forge::hook`; decides nothing.

use forge::harness::{Answer, Harness};
use forge::hook::{self, Arguments};
use forge::host::OsHost;
use forge::limits;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = Arguments::default();
    match parse(std::env::args_os().skip(1), &mut arguments) {
        Ok(Request::Judge) => {}
        Ok(Request::Version) => {
            say(&Answer { stdout: format!("forge-hook {}\n", env!("CARGO_PKG_VERSION")), ..Answer::default() });
            return ExitCode::SUCCESS;
        }
        // A misspelt option must not take the guard away: what was understood is used, and the rest is said.
        Err(what) => say(&Answer { stderr: format!("[forge] {what}\n"), ..Answer::default() }),
    }
    let installed = arguments.clone();
    std::panic::set_hook(Box::new(move |panic| {
        let answer = hook::panicked(&OsHost::new(), &installed, &panic.to_string());
        say(&answer);
        std::process::exit(i32::from(answer.exit));
    }));
    let mut payload = Vec::new();
    let limit = limits::PAYLOAD_BYTES as u64 + 1;
    let read = std::io::stdin().lock().take(limit).read_to_end(&mut payload).map(|_| payload);
    let answer = hook::run(&OsHost::new(), &arguments, read);
    say(&answer);
    ExitCode::from(answer.exit)
}

enum Request {
    Judge,
    Version,
}

/// `--harness NAME --event NAME --root DIR`, in any order; `--version` alone. What cannot be understood is skipped, and the
/// first of it is the error.
fn parse(mut words: impl Iterator<Item = OsString>, arguments: &mut Arguments) -> Result<Request, String> {
    let mut understood = Ok(Request::Judge);
    while let Some(word) = words.next() {
        let name = word.to_string_lossy().into_owned();
        if name == "--version" {
            return Ok(Request::Version);
        }
        let taken = match words.next() {
            None => Err(format!("option `{name}` without a value")),
            Some(value) => take(&name, value, arguments),
        };
        understood = understood.and_then(|request| taken.map(|()| request));
    }
    understood
}

fn take(name: &str, value: OsString, arguments: &mut Arguments) -> Result<(), String> {
    match name {
        "--harness" => {
            let value = value.to_string_lossy();
            arguments.harness = Some(
                Harness::from_name(&value)
                    .ok_or_else(|| format!("unknown harness `{value}`; known are {}", Harness::NAMES.join(", ")))?,
            );
        }
        "--event" => arguments.event = Some(value.to_string_lossy().into_owned()),
        "--root" => arguments.root = Some(value.into()),
        _ => return Err(format!("unknown option `{name}`; known are --harness, --event, --root, --version")),
    }
    Ok(())
}

/// Writes an answer. A closed pipe is no reason to fail: whoever closed it does not listen.
fn say(answer: &Answer) {
    let _ = std::io::stderr().write_all(answer.stderr.as_bytes());
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(answer.stdout.as_bytes()).and_then(|()| stdout.flush());
}
