//! `forge disasm`: a compiled program for people, for programs, or as assembler text.
//! Uses `bytecode` and the host; changes nothing.

use super::Exit;
use crate::bytecode::program::{Block, OtherRow, PatternConst, Program, Routine, ToolRow};
use crate::bytecode::{assembly, container, listing, verify};
use crate::diagnostic::nearest;
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Entry, Host, OsHost};
use crate::limits;
use crate::model::{Signal, Subject};
use crate::store::Paths;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The compiled program; by default the one of the project around the current folder
    program: Option<PathBuf>,
    /// Only this behavior
    #[arg(long, value_name = "ID")]
    behavior: Option<String>,
    /// As JSON, complete, for programs
    #[arg(long)]
    json: bool,
    /// As assembler text, from which the program can be made again
    #[arg(long, conflicts_with_all = ["json", "behavior"])]
    asm: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::default();
    let path = match &arguments.program {
        Some(path) => path.clone(),
        None => find(&host)?,
    };
    let bytes = host
        .read(&path, limits::PROGRAM_BYTES)
        .map_err(|error| Error::io("read the program; `forge compile` makes one", &path, error))?;
    let verified = container::read(&bytes).and_then(|program| Ok(verify(program)?)).map_err(|error| error.at(&path))?;
    let text = shown(verified.program(), arguments)?;
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("write the listing", Path::new("standard output"), error))
        }
        _ => Ok(Exit::Fine),
    }
}

/// The program of the project that the current folder is in.
fn find(host: &impl Host) -> Result<PathBuf> {
    let here = host.current_dir().map_err(|error| Error::io("find the current folder", Path::new("."), error))?;
    let root = here.ancestors().find(|folder| host.entry(&folder.join(".forge")) == Entry::Folder);
    root.map(|root| Paths::new(root).program()).ok_or_else(|| {
        let what = "no folder from here upward holds `.forge/`; name a program, or run `forge compile` in a project";
        Error::new(ErrorKind::NoProgram, what).at(&here)
    })
}

fn shown(program: &Program<'_>, arguments: &Arguments) -> Result<String> {
    if arguments.asm {
        return Ok(assembly::print(program));
    }
    let chosen = arguments.behavior.as_deref().map(|id| choose(program, id)).transpose()?;
    Ok(match (arguments.json, chosen) {
        (false, None) => listing::program(program),
        (false, Some(block)) => listing::behavior(program, block),
        (true, None) => format!("{:#}\n", program_value(program)),
        (true, Some(block)) => format!("{:#}\n", block_value(program, block)),
    })
}

fn choose<'p, 'a>(program: &'p Program<'a>, id: &str) -> Result<&'p Block<'a>> {
    program.blocks.iter().find(|block| block.id == id).ok_or_else(|| {
        let near = nearest(id, program.blocks.iter().map(|block| &*block.id));
        let help =
            near.map_or_else(|| "`forge disasm` lists them all".to_owned(), |near| format!("did you mean `{near}`?"));
        Error::new(ErrorKind::Usage, format!("there is no behavior `{id}` in the program; {help}"))
    })
}

fn program_value(program: &Program<'_>) -> Value {
    let sources: String = program.sources.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({
        "format": container::FORMAT,
        "sources": sources,
        "settings": {
            "override": program.settings.overrides.name(),
            "on_error": program.settings.on_error.name(),
            "spend_cap_usd": program.settings.spend_cap.map(|cap| Signal::SpendCapUsd.show(cap)),
        },
        "watches": program.watches.iter().map(Signal::name).collect::<Vec<_>>(),
        "files": program.files,
        "behaviors": program.blocks.iter().map(|block| block_value(program, block)).collect::<Vec<_>>(),
        "dispatch": program.dispatch.iter().map(|table| json!({
            "event": table.event.name(),
            "tools": table.tools.iter().map(|row| tool_value(program, row)).collect::<Vec<_>>(),
            "others": table.others.iter().map(|row| other_value(program, row)).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn block_value(program: &Program<'_>, block: &Block<'_>) -> Value {
    json!({
        "id": block.id,
        "name": block.name,
        "file": program.files.get(block.place.file as usize),
        "line": block.place.line,
        "default_level": block.default_level.name(),
        "escalation": block.escalation.iter().map(|step| json!({
            "after": step.after,
            "level": step.level.name(),
        })).collect::<Vec<_>>(),
        "resets": block.resets.iter().map(Signal::name).collect::<Vec<_>>(),
        "once_per": block.once_per.map(Subject::name),
        "ends_turn": block.ends_turn,
        "texts": block.texts,
        "patterns": block.patterns.iter().map(pattern_value).collect::<Vec<_>>(),
        "routines": block.routines.iter().map(|routine| routine_value(block, routine)).collect::<Vec<_>>(),
    })
}

fn pattern_value(pattern: &PatternConst<'_>) -> Value {
    json!({
        "source": pattern.source,
        "normal": pattern.normal,
        "literals": pattern.literals,
        "fold": pattern.fold,
        "automaton_bytes": pattern.automaton.len(),
    })
}

fn routine_value(block: &Block<'_>, routine: &Routine<'_>) -> Value {
    json!({
        "event": routine.event.name(),
        "steps": listing::steps(block, routine).into_iter().map(|step| json!({
            "offset": step.offset,
            "line": step.line,
            "label": step.label,
            "text": step.text,
            "jump": step.jump.map(|jump| json!({ "when": jump.when, "to": jump.to })),
        })).collect::<Vec<_>>(),
    })
}

fn tool_value(program: &Program<'_>, row: &ToolRow<'_>) -> Value {
    json!({
        "tool": row.tool,
        "behaviors": row.blocks.iter().map(|index| id(program, *index)).collect::<Vec<_>>(),
    })
}

fn other_value(program: &Program<'_>, row: &OtherRow<'_>) -> Value {
    json!({
        "behavior": id(program, row.block),
        "guards": row.guards.iter().map(pattern_value).collect::<Vec<_>>(),
    })
}

fn id<'p>(program: &'p Program<'_>, index: u32) -> Option<&'p str> {
    let position = program.blocks.binary_search_by_key(&index, |block| block.index).ok()?;
    program.blocks.get(position).map(|block| &*block.id)
}
