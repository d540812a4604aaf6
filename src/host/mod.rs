//! The world behind one trait: clock, environment, files, lock. The engine never sees it; `hook`, `store` and `cli` do.
//! `os.rs` is the only file of the crate that names `std::fs`, `std::env` and the clock; tests bring a host of their own.
