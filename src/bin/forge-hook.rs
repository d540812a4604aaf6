//! What the harness starts on every event: payload on standard input, answer on standard output.

fn main() {}
