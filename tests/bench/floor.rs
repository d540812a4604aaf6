//! The floor: what starting any Rust program costs. Built by the bench with the profile and the linking of `forge-hook`.
fn main() {}
