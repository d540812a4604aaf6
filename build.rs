//! Run by cargo before the package is built: links `forge-hook` statically where that is possible.
//! Uses `std` alone; whatever is missing, the ordinary way of linking is left alone.
//!
//! The hook starts before every tool call, and finding, mapping and relocating shared libraries is 40 % of such a start.
//! `-C target-feature=+crt-static` would do the same, but for every build script and derive macro too, which then do not
//! build, unless `--target` is given. So the linker is told, for this one program: `-static -no-pie`, and, for the
//! libraries that rustc asks for by name as shared ones, a folder of linker scripts that name the static ones.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "how build scripts read the world and speak to cargo"
)]

use std::env::var;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What rustc asks for, and what stands for it. The C library and the unwinder need each other.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("c", &["c", "gcc_eh", "gcc"]),
    ("gcc_s", &["gcc_eh", "gcc", "c"]),
    ("dl", &["dl"]),
    ("m", &["m"]),
    ("pthread", &["pthread"]),
    ("rt", &["rt"]),
    ("util", &["util"]),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FORGE_LINK");
    println!("cargo::rustc-env=FORGE_STATIC_SCRIPTS=");
    let scripts = is_wanted().then(scripts).and_then(Result::ok).flatten();
    if let Some(scripts) = scripts {
        for argument in ["-static".to_owned(), "-no-pie".to_owned(), format!("-L{}", scripts.display())] {
            println!("cargo::rustc-link-arg-bin=forge-hook={argument}");
        }
        // For the bench, which links its floor program in the same way.
        println!("cargo::rustc-env=FORGE_STATIC_SCRIPTS={}", scripts.display());
    }
}

/// Releases for this very kind of machine, unless `FORGE_LINK=dynamic`. What is compiled for musl is static already.
fn is_wanted() -> bool {
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && var("HOST").is_ok_and(|host| is("TARGET", &host))
        && !is("FORGE_LINK", "dynamic")
}

/// The folder of linker scripts; `None` when a static library is missing.
fn scripts() -> io::Result<Option<PathBuf>> {
    let folder = Path::new(&var("OUT_DIR").unwrap_or_default()).join("static");
    fs::create_dir_all(&folder)?;
    for (name, members) in LIBRARIES {
        let mut files = Vec::new();
        for member in *members {
            match library(member)? {
                Some(file) => files.push(file),
                None => return Ok(None),
            }
        }
        fs::write(folder.join(format!("lib{name}.so")), format!("GROUP ( {} )\n", files.join(" ")))?;
    }
    Ok(Some(folder))
}

/// Where the C compiler, which rustc links with, has a static library.
fn library(name: &str) -> io::Result<Option<String>> {
    let file = format!("lib{name}.a");
    let said = Command::new("cc").arg(format!("-print-file-name={file}")).output()?.stdout;
    let place = String::from_utf8_lossy(&said).trim().to_owned();
    // A library that is not there is given back as it was asked for; a blank would end its name in the script.
    let is_there =
        Path::new(&place).is_absolute() && Path::new(&place).exists() && !place.contains(char::is_whitespace);
    Ok(is_there.then_some(place))
}
