//! Every number the formats promise. One place, so that the reader, the verifier, the docs and the tests cannot differ.

/// Largest YAML file read, bytes. A 5 MB file is refused by size, before anything parses it.
pub const YAML_BYTES: usize = 1 << 20;
/// Deepest nesting of YAML collections.
pub const YAML_DEPTH: usize = 64;
/// Deepest nesting of a condition tree; bounds the recursion of everything that walks one.
pub const CONDITION_DEPTH: usize = 64;
/// Longest pattern an author may write, bytes.
pub const PATTERN_BYTES: usize = 16 * 1024;
/// Longest pattern stored in a program, with every word edge spelled out, bytes: what the fallback engine may be given.
pub const NORMAL_BYTES: usize = 4 * PATTERN_BYTES;
/// Memory a pattern's automaton may take while it is compiled as a fallback, bytes.
pub const PATTERN_NFA_BYTES: usize = 1 << 20;
/// Largest automaton stored in a program, bytes; a pattern that needs more keeps the fallback engine.
pub const DFA_BYTES: usize = 1 << 20;
/// Longest `nudge_template` and longest nudge said, characters.
pub const NUDGE_CHARS: usize = 120;
/// Longest `warning_template`, characters.
pub const WARNING_CHARS: usize = 500;
/// Longest `block_reason`, characters.
pub const BLOCK_REASON_CHARS: usize = 200;
/// Most behaviors in one catalogue.
pub const BEHAVIORS: usize = 65_536;
/// Largest compiled program, bytes.
pub const PROGRAM_BYTES: usize = 64 << 20;
/// Largest code of one behavior for one event, bytes.
pub const CODE_BYTES: usize = 1 << 20;
/// What judging one event may cost, in bytes looked at: a hundred tests of a payload of the largest size, some seconds.
pub const WORK_PER_EVENT: u64 = 1 << 33;
/// Longest text made from a template, and all texts of an answer together before the rest is left out, bytes.
pub const SPEECH_BYTES: usize = 1 << 20;
/// Largest payload read from standard input, bytes. Beyond it the event is bad input (spec: size never decides below it).
pub const PAYLOAD_BYTES: usize = 64 << 20;
/// Most characters of an input summary in the audit log.
pub const SUMMARY_CHARS: usize = 100;
/// A session nobody touched for this long is purged, seconds.
pub const SESSION_TTL_SECONDS: i64 = 24 * 60 * 60;
/// How long an override is possible after a soft block, seconds.
pub const OVERRIDE_WINDOW_SECONDS: i64 = 60;
/// How long a hook waits for the state, milliseconds.
pub const LOCK_WAIT_MILLIS: u64 = 2_000;
/// How many quarantined state files are kept.
pub const QUARANTINED_STATES: usize = 5;
/// Largest state file read, bytes; a larger one is quarantined.
pub const STATE_BYTES: usize = 64 << 20;
/// Largest audit log and chain read, bytes.
pub const AUDIT_BYTES: usize = 256 << 20;
/// Largest settings file of a harness that is edited, bytes.
pub const SETTINGS_BYTES: usize = 4 << 20;
/// How long after a block `forge allow` takes its code, seconds.
pub const ALLOW_CODE_SECONDS: i64 = 600;
/// Most bytes of transcripts read for one event; a longer backlog is caught up over the next events.
pub const TRANSCRIPT_BYTES_PER_EVENT: usize = 32 << 20;
/// How much of a transcript is held at once, bytes, unless a single line is longer.
pub const TRANSCRIPT_CHUNK: usize = 1 << 20;
/// Longest line of a transcript that is understood, bytes; a longer one is passed over.
pub const TRANSCRIPT_LINE: usize = 16 << 20;
/// Most transcript files followed per session.
pub const TRANSCRIPTS: usize = 4_096;
/// Most agents whose calls are remembered per session; the least recent are forgotten first.
pub const SIGNAL_AGENTS: usize = 100;
/// Most different calls remembered per agent.
pub const SIGNAL_CALLS: usize = 64;
/// Most counted responses a session remembers, so that none counts twice.
pub const COUNTED_RESPONSES: usize = 65_536;
/// Signal files nobody touched for this long are removed, seconds.
pub const SIGNALS_TTL_SECONDS: i64 = 30 * 24 * 60 * 60;
/// Largest signal file read, bytes; a larger one is started afresh.
pub const SIGNALS_BYTES: usize = 8 << 20;
