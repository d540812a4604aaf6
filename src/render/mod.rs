//! Outcome -> Reply: which texts are said, in which order, to whom. A block is said alone; everything else is joined.
//! May use `model`, `bytecode` and `harness::Reply`; knows no harness's JSON and decides nothing about the rules.

mod texts;

use crate::bytecode::program::{Block, Program};
use crate::harness::{Decision, Reply};
use crate::limits;
use crate::model::{Call, Event, Level, Outcome, OverridePolicy, Signals, Verdict};

/// What the texts need to know besides the outcome.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The call that was judged.
    pub call: &'a Call<'a>,
    /// How soft blocks are overridden here.
    pub overrides: OverridePolicy,
    /// What a person types after `forge allow` to override this very block; `deny` mode alone.
    pub code: Option<&'a str>,
    /// The session's id.
    pub session: &'a str,
    /// The folder whose rules these are.
    pub root: &'a str,
    /// What its transcripts say.
    pub signals: Signals,
}

/// The answer to an event.
#[must_use]
pub fn reply(program: &Program<'_>, context: Context<'_>, outcome: &Outcome) -> Reply {
    let event = context.call.event;
    let spoken: Vec<(&Verdict, &Block<'_>)> =
        outcome.verdicts.iter().filter_map(|verdict| Some((verdict, program.block(verdict.behavior)?))).collect();
    if let Some((verdict, block)) = spoken.last()
        && verdict.level.is_block()
    {
        let text = texts::block(block, verdict, context, outcome.session.is_some());
        let ends_turn = block.ends_turn;
        return Reply { event, decision: decide(verdict.level, context), agent: text.clone(), user: text, ends_turn };
    }
    let said = spoken.iter().filter_map(|(verdict, block)| match verdict.level {
        Level::Nudge => Some(texts::nudge(block, verdict, context)),
        Level::Warning => Some(texts::warning(block, verdict, context)),
        Level::Silent | Level::SoftBlock | Level::HardBlock => None,
    });
    let mut text = String::new();
    for said in said {
        if text.len() + said.len() > limits::SPEECH_BYTES {
            text.push_str("\n\n…");
            break;
        }
        text.push_str(if text.is_empty() { "" } else { "\n\n" });
        text.push_str(&said);
    }
    Reply { event, decision: Decision::Pass, agent: text.clone(), user: text, ends_turn: false }
}

/// A block at Stop refuses once in a row: an agent that already goes on because of one would never end.
fn decide(level: Level, context: Context<'_>) -> Decision {
    if context.call.event == Event::Stop && context.call.continuing {
        return Decision::Pass;
    }
    match (level, context.overrides) {
        (Level::SoftBlock, OverridePolicy::Ask) => Decision::Ask,
        (Level::SoftBlock, OverridePolicy::Retry { .. } | OverridePolicy::Deny { .. }) => {
            Decision::Deny { is_final: false }
        }
        (Level::Silent | Level::Nudge | Level::Warning | Level::HardBlock, _) => Decision::Deny { is_final: true },
    }
}
