//! The limits of trip wires: what the compiled rules compare a session's signals with, and how near a session is.
//! Reads the program; judges nothing.

use crate::bytecode::container;
use crate::bytecode::op::Op;
use crate::explain::{digits, sign};
use crate::host::Host;
use crate::limits;
use crate::model::{Comparison, Signal};
use crate::signals::Report;
use crate::store::Paths;

/// One test of one behavior.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wire {
    pub(super) behavior: String,
    pub(super) signal: Signal,
    pub(super) comparison: Comparison,
    /// In the signal's own unit.
    pub(super) limit: u64,
}

impl Wire {
    /// All of a program, in the order of its behaviors; none without a usable one.
    pub(super) fn of(host: &dyn Host, paths: &Paths) -> Vec<Self> {
        let Ok(bytes) = host.read(&paths.program(), limits::PROGRAM_BYTES) else { return Vec::new() };
        let Ok(program) = container::read(&bytes) else { return Vec::new() };
        let mut wires = Vec::new();
        for block in &program.blocks {
            for op in block.routines.iter().flat_map(|routine| routine.ops()) {
                let Op::Compare { signal, comparison, number } = op else { continue };
                let wire = Self { behavior: block.id.to_string(), signal, comparison, limit: number.0 };
                if signal.is_watched() && !wires.contains(&wire) {
                    wires.push(wire);
                }
            }
        }
        wires
    }

    /// The limit in words.
    pub(super) fn told(&self) -> String {
        format!("{} {} {}", self.signal.name(), sign(self.comparison, true), digits(self.signal, self.limit))
    }

    /// What the signal is at now, for the agent that is nearest.
    pub(super) fn now(&self, report: &Report) -> u64 {
        match self.signal {
            Signal::Repeats => report.repeats,
            Signal::Alternations => report.alternations,
            Signal::FailureStreak => report.failure_streak,
            Signal::SpendUsd => report.spent.0,
            Signal::SpendShare => report.cap.map_or(0, |cap| report.spent.share_of(cap)),
            Signal::SpendCapUsd => report.cap.map_or(0, |cap| cap.0),
            Signal::Counter => 0,
        }
    }

    /// Whether it holds now.
    pub(super) fn is_reached(&self, report: &Report) -> bool {
        let now = self.now(report);
        match self.comparison {
            Comparison::Gt => now > self.limit,
            Comparison::Lt => now < self.limit,
            Comparison::Gte => now >= self.limit,
            Comparison::Lte => now <= self.limit,
            Comparison::Equals => now == self.limit,
        }
    }
}
