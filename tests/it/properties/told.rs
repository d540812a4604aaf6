//! Bytes that a harness tells: payloads and the lines of transcripts.

use crate::fake_host::FakeHost;
use forge::diagnostic::{Source as YamlSource, Sources};
use forge::harness::{self, Answer, Decision, Harness, News, Reply};
use forge::hook::{self, Arguments};
use forge::host::OsHost;
use forge::signals::{Effects, Nanos, Prices, Source, Subject, open};
use forge::{bytecode, lower, store, validate, yaml};
use serde_json::Value;
use std::cell::RefCell;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// As a payload of every harness, and of nobody in particular: read or refused, and answered in one JSON object.
pub(crate) fn payload(bytes: &[u8]) {
    let harnesses = Harness::ALL.iter().map(|harness| Some(*harness)).chain([None]);
    for (harness, event) in harnesses.flat_map(|harness| [(harness, None), (harness, Some("PreToolUse"))]) {
        let Ok(incoming) = harness::read(harness, event, bytes, store::input_hash) else { continue };
        let News::Judge(judged) = &incoming.news else { continue };
        for call in std::iter::once(&judged.call).chain(&judged.files) {
            assert_eq!(call.input_hash().0.len(), 40);
        }
        for decision in [Decision::Pass, Decision::Ask, Decision::Deny { is_final: true }] {
            let (user, agent) = ("told".to_owned(), "why\n\"so\"".to_owned());
            let reply = Reply { event: judged.call.event, decision, user, agent, ends_turn: false };
            is_well_formed(&harness::write(&incoming.sender, &reply));
        }
        is_well_formed(&harness::notice(&incoming.sender, "a notice"));
    }
}

fn is_well_formed(answer: &Answer) {
    if !answer.stdout.is_empty() {
        let answer: Value = serde_json::from_str(&answer.stdout).expect("the answer is JSON");
        assert!(answer.is_object());
    }
    assert!(answer.exit <= 2);
}

thread_local! {
    static PROJECT: RefCell<Option<(FakeHost, tempfile::TempDir)>> = const { RefCell::new(None) };
}

/// As a payload for the whole hook, in a project with the catalogue of `behaviors/`.
pub(crate) fn hook(bytes: &[u8]) {
    PROJECT.with_borrow_mut(|project| {
        let (host, folder) = project.get_or_insert_with(|| (FakeHost::new(), catalogue_project()));
        let state = folder.path().join(".forge/runtime/state.json");
        if fs::metadata(&state).is_ok_and(|about| about.len() > 10_000) {
            fs::remove_file(&state).expect("the state can be removed");
        }
        for harness in [Some(Harness::ClaudeCode), Some(Harness::Codex), None] {
            let arguments = Arguments { harness, event: None, root: Some(folder.path().to_path_buf()) };
            is_well_formed(&hook::run(host, &arguments, Ok(bytes.to_vec())));
            if let Ok(state) = fs::read(&state) {
                serde_json::from_slice::<Value>(&state).expect("the state is JSON");
            }
        }
    });
}

fn catalogue_project() -> tempfile::TempDir {
    let repository = [".", ".."].map(Path::new).into_iter().find(|folder| folder.join("behaviors").is_dir());
    let files =
        store::source_files(&OsHost::new(), repository.expect("the catalogue is there")).expect("it is readable");
    let sources =
        files.iter().map(|file| YamlSource::new(file.name.clone(), file.bytes.clone().unwrap_or_default())).collect();
    let (catalogue, _) = yaml::load(&Sources::new(sources));
    let (checked, _) = validate::validate(catalogue).expect("the catalogue is sound");
    let lowered = lower::lower(&checked, [0; 32]).expect("it fits");
    let folder = tempfile::tempdir().expect("there is room");
    fs::create_dir_all(folder.path().join(".forge/compiled")).expect("there is room");
    let program = bytecode::container::write(&lowered.program).expect("it fits");
    fs::write(folder.path().join(".forge/compiled/program.fbc"), program).expect("there is room");
    folder
}

/// As a transcript: read at once, and in two pieces cut anywhere, it says the same.
pub(crate) fn transcript(bytes: &[u8]) {
    let Some((cut, bytes)) = bytes.split_first() else { return };
    let cut = bytes.len() * usize::from(*cut) / 256;
    for source in [Source::ClaudeCode, Source::Codex] {
        let folder = tempfile::tempdir().expect("there is room");
        let (whole, pieces) = (folder.path().join("whole.jsonl"), folder.path().join("pieces.jsonl"));
        fs::write(&whole, bytes).expect("there is room");
        let at_once = look(folder.path(), source, &whole);
        fs::write(&pieces, &bytes[..cut]).expect("there is room");
        look(folder.path(), source, &pieces);
        let mut file = fs::OpenOptions::new().append(true).open(&pieces).expect("it is there");
        file.write_all(&bytes[cut..]).expect("there is room");
        assert_eq!(look(folder.path(), source, &pieces), at_once, "{source:?}, cut at {cut}");
    }
}

/// Failures in a row and what was spent.
fn look(folder: &Path, source: Source, transcript: &Path) -> (u64, Nanos) {
    let session = transcript.file_stem().and_then(|stem| stem.to_str()).expect("it has a name");
    let path = transcript.to_str();
    let subject = Subject { source, session, transcript: path, agent: None, prompt: None, model: None, attempt: None };
    let signals = folder.join("signals").join(session);
    let host = FakeHost::new();
    let watch = open(&host, &signals, &subject, (&Prices::default(), None)).expect("nobody else looks");
    let readings = watch.readings().clone();
    watch.close(Effects::default()).expect("there is room");
    (readings.failure_streak, readings.spent)
}
