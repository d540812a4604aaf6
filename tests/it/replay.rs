//! The corpora of the fuzz targets, and every input that ever broke a property, on each run of the tests.

use crate::properties::{PROPERTIES, check};
use std::fs;
use std::path::Path;

/// Most files of one corpus, and most bytes of one file: what everyone who clones the repository carries along.
const FILES: usize = 40;
const BYTES: u64 = 4 << 10;

#[test]
fn every_property_holds_for_every_input_that_was_kept() {
    for (name, _) in PROPERTIES {
        let folder = Path::new("fuzz/corpus").join(name);
        let files: Vec<_> =
            fs::read_dir(&folder).unwrap_or_else(|_| panic!("{} is missing", folder.display())).collect();
        assert!((3..=FILES).contains(&files.len()), "{} files in {}", files.len(), folder.display());
        for file in files {
            let path = file.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            assert!(bytes.len() as u64 <= BYTES, "{} is too large", path.display());
            println!("{}", path.display());
            check(name, &bytes);
        }
    }
}

#[test]
fn every_property_has_a_fuzz_target() {
    let manifest = fs::read_to_string("fuzz/Cargo.toml").unwrap();
    for (name, _) in PROPERTIES {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is no target");
        let target = fs::read_to_string(format!("fuzz/fuzz_targets/{name}.rs")).unwrap();
        assert!(target.contains(&format!("check(\"{name}\"")), "{name} checks something else");
    }
    assert_eq!(fs::read_dir("fuzz/fuzz_targets").unwrap().count(), PROPERTIES.len());
    assert_eq!(fs::read_dir("fuzz/corpus").unwrap().count(), PROPERTIES.len());
}
