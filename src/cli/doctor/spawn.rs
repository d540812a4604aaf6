//! Runs a registered command as its harness would: the same program, arguments and shell, a payload on standard input.
//! Gives up after a while; never looks at what the answer means.

use crate::host::Host;
use crate::registration::settings::Registered;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What came of it.
#[derive(Debug)]
pub(super) struct Ended {
    /// The exit status; `None` when it was killed or took too long.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) took: Duration,
}

/// Where a command is run, and for whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage<'a> {
    pub(super) harness: &'a str,
    /// The project, as the harness names it.
    pub(super) project: &'a Path,
    /// The folder it runs in.
    pub(super) here: &'a Path,
    /// Where the user's own rules are looked for; none for where they are.
    pub(super) config: Option<&'a Path>,
}

const PATIENCE: Duration = Duration::from_secs(15);

/// Variables by which harnesses name the project: an agent's session that doctor runs in must not speak for the test.
const PROJECT_VARIABLES: [(&str, &str); 5] = [
    ("claude-code", "CLAUDE_PROJECT_DIR"),
    ("cursor", "CURSOR_PROJECT_DIR"),
    ("gemini", "GEMINI_PROJECT_DIR"),
    ("qwen", "QWEN_PROJECT_DIR"),
    ("droid", "FACTORY_PROJECT_DIR"),
];

/// Runs an entry's command in the folder `here` for a project of a harness.
///
/// # Errors
/// When it cannot be started.
pub(super) fn run(host: &dyn Host, entry: &Registered, stage: &Stage<'_>, payload: &str) -> io::Result<Ended> {
    let mut command = command(entry);
    if let Some(config) = stage.config {
        command.env("XDG_CONFIG_HOME", config);
    }
    command.current_dir(stage.here).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (whose, variable) in PROJECT_VARIABLES {
        command.env_remove(variable);
        if whose == stage.harness {
            command.env(variable, stage.project);
        }
    }
    finish(host, command, payload)
}

/// What `PROGRAM --version` says.
///
/// # Errors
/// When it cannot be started.
pub(super) fn version(host: &dyn Host, program: &str) -> io::Result<String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(finish(host, command, "")?.stdout.trim().to_owned())
}

fn command(entry: &Registered) -> Command {
    match &entry.command {
        Some(exec) if entry.is_exec => {
            let mut command = Command::new(&exec.program);
            command.args(&exec.arguments);
            command
        }
        Some(_) | None => shell(&entry.line),
    }
}

#[cfg(unix)]
fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line);
    command
}

#[cfg(windows)]
fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    // `/s` and the outer quotes keep the quotes in the line as they are.
    command.raw_arg(format!("/d /s /c \"{line}\""));
    command
}

fn finish(host: &dyn Host, mut command: Command, payload: &str) -> io::Result<Ended> {
    let start = host.uptime();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A hook that does not listen closes the pipe; what it answers tells more than the error would.
        let _ = stdin.write_all(payload.as_bytes());
    }
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let stdout = std::thread::spawn(move || text(stdout));
    let stderr = std::thread::spawn(move || text(stderr));
    let code = loop {
        if let Some(status) = child.try_wait()? {
            break status.code();
        }
        if host.uptime().saturating_sub(start) > PATIENCE {
            child.kill()?;
            child.wait()?;
            break None;
        }
        host.sleep(Duration::from_millis(1));
    };
    let took = host.uptime().saturating_sub(start);
    let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
    Ok(Ended { code, stdout, stderr, took })
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is still an answer.
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Compiles a project with this very program, quietly; whether that worked.
///
/// # Errors
/// When this program cannot be started again.
pub(super) fn compile(host: &dyn Host, root: &Path) -> io::Result<bool> {
    let mut command = Command::new(crate::host::machine::this_program()?);
    command.args(["compile", "--no-settings", "--root"]).arg(root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(finish(host, command, "")?.code == Some(0))
}
