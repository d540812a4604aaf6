//! `forge schema`: the JSON Schemas of the YAML files, printed or written for editors.

use super::Exit;
use super::output::say;
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Host, OsHost};
use crate::schema::{Kind, schema};
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The kind of file
    #[arg(value_parser = PossibleValuesParser::new(Kind::NAMES), required_unless_present = "write")]
    kind: Option<String>,
    /// Write the schemas, or the one named, into this folder as `behavior.schema.json` and so on
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let kinds = match &arguments.kind {
        None => Kind::ALL.to_vec(),
        Some(word) => Kind::from_name(word).into_iter().collect(),
    };
    let host = OsHost::new();
    let mut told = String::new();
    for kind in kinds {
        let text = serde_json::to_string_pretty(&schema(kind))
            .map_err(|error| Error::new(ErrorKind::Io, format!("cannot print the schema: {error}")))?;
        let Some(folder) = &arguments.write else {
            told += &format!("{text}\n");
            continue;
        };
        host.create_dir_all(folder).map_err(|error| Error::io("write", folder, error))?;
        let path = folder.join(format!("{kind}.schema.json"));
        host.write_atomic(&path, format!("{text}\n").as_bytes()).map_err(|error| Error::io("write", &path, error))?;
        told += &format!("wrote {}\n", path.display());
    }
    say(&told)?;
    Ok(Exit::Fine)
}
