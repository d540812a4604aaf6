//! Programs to try things on: generated ones that verify but that no compiler would write, and one small one.

use forge::bytecode::op::Op;
use forge::bytecode::operand::{Number, PatternId, Target, TextId, TriggerId};
use forge::bytecode::program::{
    Block, CodePlace, Dispatch, OtherRow, PatternConst, Program, Routine, SourcePlace, Speech, SpeechPiece, Threshold,
    ToolRow,
};
use forge::model::{
    Comparison, Event, Field, Level, OnError, OverrideMode, Profile, Settings, Signal, SignalSet, Subject, Variable,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The automaton that a generated pattern has: bytes that follow from the pattern, which is all a container cares about.
pub(crate) fn automaton_of(normal: &str) -> Vec<u8> {
    normal.bytes().cycle().take(normal.len() * 3 + 1).map(|byte| byte.wrapping_mul(7)).collect()
}

/// Tools that generated programs name, sorted.
pub(crate) const TOOLS: [&str; 4] = ["Bash", "Edit", "Grep", "mcp__a__b"];

pub(crate) fn program() -> impl Strategy<Value = Program<'static>> {
    let settings = (word(OverrideMode::ALL), word(OnError::ALL), option::of(any::<u64>()))
        .prop_map(|(overrides, on_error, spend_cap)| Settings { overrides, on_error, spend_cap });
    let files = vec(text().prop_map(Cow::Owned), 0..3);
    (any::<[u8; 32]>(), settings, files).prop_flat_map(|(sources, settings, files)| {
        let place = place(files.len() as u32);
        vec(block(place), 0..5).prop_flat_map(move |mut blocks| {
            for (index, block) in (0..).zip(&mut blocks) {
                block.index = index;
                block.id = format!("behavior-{index}").into();
            }
            let files = files.clone();
            dispatch(&blocks).prop_map(move |dispatch| Program {
                sources,
                settings,
                // Generated code asks for any signal.
                watches: Signal::ALL.iter().copied().filter(|signal| signal.is_watched()).collect(),
                files: files.clone(),
                blocks: blocks.clone(),
                dispatch,
            })
        })
    })
}

fn word<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

/// Texts as authors write them, and some that nobody would.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z {}/.\"\\\\-]{0,12}", 1 => any::<String>(), 1 => "[\u{0}-\u{1f}\u{7f}-\u{a0}\u{2028}\u{feff};é🦀]{0,6}"]
}

fn shared<T: std::fmt::Debug>(strategy: impl Strategy<Value = T> + 'static) -> BoxedStrategy<T> {
    strategy.boxed()
}

fn place(files: u32) -> BoxedStrategy<SourcePlace> {
    if files == 0 {
        return Just(SourcePlace::default()).boxed();
    }
    (0..files, 0..300_u32, 0..300_u32).prop_map(|(file, line, column)| SourcePlace { file, line, column }).boxed()
}

fn block(place: BoxedStrategy<SourcePlace>) -> impl Strategy<Value = Block<'static>> {
    let pools = (vec(text(), 1..4), vec(pattern(), 1..4));
    let routines = proptest::sample::subsequence(Event::ALL, 0..=Event::ALL.len());
    let resets = (proptest::sample::subsequence(Signal::ALL, 0..3), option::of(subject()), any::<bool>());
    let enforcement = (word(Level::ALL), vec((1..9_u32, word(Level::ALL)), 0..4), resets);
    (text(), place.clone(), enforcement, speech(), pools, routines).prop_flat_map(
        move |(
            name,
            at,
            (default_level, mut steps, (resets, once_per, ends_turn)),
            speech,
            (texts, patterns),
            events,
        )| {
            steps.sort_unstable();
            let mut top = Level::Silent;
            let escalation: Vec<_> = steps
                .into_iter()
                .map(|(after, level)| {
                    top = top.max(level);
                    Threshold { after, level: top }
                })
                .collect();
            let code = (texts.len() as u16, patterns.len() as u16);
            let routines: Vec<_> = events.into_iter().map(|event| routine(event, code, place.clone())).collect();
            let resets: SignalSet = resets.into_iter().collect();
            routines.prop_map(move |routines| Block {
                index: 0,
                id: Cow::Borrowed(""),
                name: name.clone().into(),
                place: at,
                default_level,
                escalation: escalation.clone(),
                resets,
                once_per,
                ends_turn,
                speech: speech.clone(),
                texts: texts.iter().cloned().map(Cow::Owned).collect(),
                patterns: patterns.clone(),
                routines,
            })
        },
    )
}

fn subject() -> impl Strategy<Value = Subject> {
    prop_oneof![word(Field::ALL).prop_map(Subject::Text), word(Signal::ALL).prop_map(Subject::Number)]
}

fn speech() -> impl Strategy<Value = Speech<'static>> {
    let piece = prop_oneof![
        text().prop_map(|text| SpeechPiece::Text(text.into())),
        word(Variable::ALL).prop_map(SpeechPiece::Variable)
    ];
    let template = shared(option::of(vec(piece, 0..4)));
    let said = shared(option::of(text().prop_map(Cow::Owned)));
    (text(), said.clone(), said, template.clone(), template.clone(), template.clone(), template).prop_map(
        |(hint, suggested_tool, suggested_action, nudge, warning, block_reason, override_prompt)| Speech {
            hint: hint.into(),
            suggested_tool,
            suggested_action,
            nudge,
            warning,
            block_reason,
            override_prompt,
        },
    )
}

fn pattern() -> impl Strategy<Value = PatternConst<'static>> {
    let normal = prop_oneof![Just("a+b".to_owned()), Just("mcp".to_owned()), text()];
    (text(), normal, vec("[a-z]{0,4}", 0..3), any::<bool>(), any::<bool>()).prop_map(
        |(source, normal, literals, fold, stored)| PatternConst {
            automaton: if stored { automaton_of(&normal).into() } else { Cow::default() },
            source: source.into(),
            normal: normal.into(),
            literals: literals.into_iter().map(Cow::Owned).collect(),
            fold,
        },
    )
}

/// Any instruction; jumps go so many instructions ahead.
fn op((texts, patterns): (u16, u16)) -> impl Strategy<Value = Op> {
    let field = || word(Field::ALL);
    let text = move || (0..texts).prop_map(TextId);
    let pattern = move || (0..patterns).prop_map(PatternId);
    let ahead = || (1..6_u32).prop_map(Target);
    prop_oneof![
        Just(Op::End {}),
        (0..3_u16).prop_map(|trigger| Op::Violate { trigger: TriggerId(trigger) }),
        (field(), pattern()).prop_map(|(field, pattern)| Op::Matches { field, pattern }),
        (field(), text()).prop_map(|(field, text)| Op::Contains { field, text }),
        (field(), text()).prop_map(|(field, text)| Op::Equals { field, text }),
        (field(), text()).prop_map(|(field, text)| Op::StartsWith { field, text }),
        (field(), text()).prop_map(|(field, text)| Op::EndsWith { field, text }),
        field().prop_map(|field| Op::Exists { field }),
        (word(Signal::ALL), word(Comparison::ALL), any::<u64>())
            .prop_map(|(signal, comparison, number)| { Op::Compare { signal, comparison, number: Number(number) } }),
        text().prop_map(|tool| Op::ToolIs { tool }),
        pattern().prop_map(|pattern| Op::ToolMatches { pattern }),
        text().prop_map(|agent| Op::AgentIs { agent }),
        proptest::sample::subsequence(Profile::ALL, 0..=3)
            .prop_map(|profiles| Op::ProfileIn { profiles: profiles.into_iter().collect() }),
        text().prop_map(|flag| Op::Flag { flag }),
        text().prop_map(|flag| Op::SetFlag { flag }),
        text().prop_map(|flag| Op::ClearFlag { flag }),
        ahead().prop_map(|to| Op::JumpIf { to }),
        ahead().prop_map(|to| Op::JumpUnless { to }),
    ]
}

fn routine(
    event: Event,
    pools: (u16, u16),
    place: BoxedStrategy<SourcePlace>,
) -> impl Strategy<Value = Routine<'static>> {
    let places = vec((0..20_usize, 0..3_u32, place), 0..5);
    (vec(op(pools), 0..12), any::<bool>(), places).prop_map(move |(mut ops, violates, places)| {
        ops.push(if violates { Op::Violate { trigger: TriggerId(1) } } else { Op::End {} });
        let mut starts = Vec::new();
        let mut code = Vec::new();
        for op in &ops {
            starts.push(code.len() as u32);
            op.encode(&mut code);
        }
        code.clear();
        for (number, op) in ops.iter_mut().enumerate() {
            let resolve =
                |ahead: Target| starts.get(number + ahead.0 as usize).or(starts.last()).copied().map(Target).unwrap();
            match op {
                Op::JumpIf { to } | Op::JumpUnless { to } => *to = resolve(*to),
                _ => {}
            }
            op.encode(&mut code);
        }
        let mut places: Vec<_> = places
            .into_iter()
            .map(|(at, trigger, place)| CodePlace { offset: starts[at % starts.len()], trigger, place })
            .collect();
        if !places.is_empty() {
            // Every trigger that violates has a place.
            places.extend((0..3).map(|trigger| CodePlace { offset: 0, trigger, place: SourcePlace::default() }));
        }
        places.sort_by_key(|place| place.offset);
        Routine { event, code: code.into(), places }
    })
}

fn dispatch(blocks: &[Block<'static>]) -> impl Strategy<Value = Vec<Dispatch<'static>>> + use<> {
    let tables: Vec<_> = Event::ALL.iter().map(|event| table(*event, blocks)).collect();
    (tables, vec(any::<bool>(), Event::ALL.len())).prop_map(|(tables, kept)| {
        tables.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(table, _)| table).collect()
    })
}

fn table(event: Event, blocks: &[Block<'static>]) -> impl Strategy<Value = Dispatch<'static>> + use<> {
    let concerned: Vec<u32> = blocks
        .iter()
        .filter(|block| block.routines.iter().any(|routine| routine.event == event))
        .map(|block| block.index)
        .collect();
    let row = shared(some_of(concerned.clone()));
    let tools = proptest::sample::subsequence(&TOOLS[..], 0..=TOOLS.len());
    let others = (some_of(concerned), vec(vec(pattern(), 0..3), 5));
    (tools, vec(row, TOOLS.len()), others).prop_map(move |(tools, rows, (others, guards))| Dispatch {
        event,
        tools: tools.into_iter().zip(rows).map(|(tool, blocks)| ToolRow { tool: tool.into(), blocks }).collect(),
        others: others.into_iter().zip(guards).map(|(block, guards)| OtherRow { block, guards }).collect(),
    })
}

fn some_of(all: Vec<u32>) -> impl Strategy<Value = Vec<u32>> {
    let most = all.len();
    proptest::sample::subsequence(all, 0..=most)
}

/// Every tool worth asking a program about: the named ones, and some that nobody names.
pub(crate) fn tools(program: &Program<'_>) -> BTreeSet<String> {
    let named = program.dispatch.iter().flat_map(|table| &table.tools).map(|row| row.tool.to_string());
    named.chain(["", "Task", "mcp__x", "Bas", "Basher", "zzz"].map(str::to_owned)).collect()
}

#[test]
fn generated_programs_have_every_instruction() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..200 {
        let program = program().new_tree(&mut runner).unwrap().current();
        for routine in program.blocks.iter().flat_map(|block| &block.routines) {
            let mut offset = 0;
            while let Some((op, next)) = Op::decode(&routine.code, offset) {
                seen.insert(op.row().opcode);
                offset = next;
            }
        }
    }
    let table: BTreeSet<u8> = Op::TABLE.iter().map(|row| row.opcode).collect();
    assert_eq!(seen, table, "add the new instruction to `op` above");
}
