//! A scenario file's text to a [`Suite`], every problem collected with its place. Uses the YAML reader's own steps, so that a
//! scenario file is as strict, and its messages as helpful, as a behavior's.

use super::payload::Shorthand;
use super::suite::{Deed, Event, Expectation, OverrideCount, Scenario, Step, Suite};
use super::{Decision, duration};
use crate::diagnostic::{Code, Diagnostic, Sources, nearest, sort};
use crate::harness::Harness;
use crate::model::{self, Field, FileId, Level, OverrideMode, Placed, Profile, Signal, Signals};
use crate::yaml::condition::{amount, wanted};
use crate::yaml::fields::Fields;
use crate::yaml::scalar::{Meaning, meaning};
use crate::yaml::walk::{Slot, Walk, listed, written};
use crate::yaml::word::Word;
use crate::yaml::{self, Kind, Node};
use serde_json::Value;

/// Most events that arrive at once.
pub(crate) const PARALLEL: u64 = 10_000;

/// Reads one file. `behavior` is the one whose folder it is in; `known` are those of the index.
#[must_use]
pub fn read(
    sources: &Sources,
    file: FileId,
    behavior: Option<&str>,
    known: &[String],
) -> (Option<Suite>, Vec<Diagnostic>) {
    let Some(source) = sources.get(file) else { return (None, Vec::new()) };
    let text = match yaml::text(file, source) {
        Ok(text) => text,
        Err(problem) => return (None, vec![*problem]),
    };
    let (document, mut problems) = yaml::parse(file, text);
    let suite = document.map(|document| {
        let mut reader =
            Reader { walk: Walk { source: text, problems: Vec::new() }, known, behavior: behavior.map(str::to_owned) };
        let scenarios = reader.file(Slot::new("the file", &document.root));
        problems.append(&mut reader.walk.problems);
        Suite { file, behavior: reader.behavior, scenarios }
    });
    sort(&mut problems);
    (suite, problems)
}

struct Reader<'a> {
    walk: Walk<'a>,
    known: &'a [String],
    /// The behavior that expectations are about.
    behavior: Option<String>,
}

impl Reader<'_> {
    fn file(&mut self, root: Slot<'_>) -> Vec<Scenario> {
        let Some(mut fields) = self.walk.fields(root, "a scenario file") else { return Vec::new() };
        if let Some(slot) = fields.need(&mut self.walk, "schema_version") {
            let version = self.walk.text(slot);
            if let Some(version) = version.filter(|version| version.value != "1") {
                let message = format!("unknown schema version `{}`", version.value);
                let problem = Diagnostic::new(Code::Version, version.place, message, "write `\"1\"`");
                self.walk.report(problem.replaced_by("\"1\""));
            }
        }
        if let Some(slot) = fields.take("behavior")
            && let Some(id) = self.behavior_id(slot)
        {
            self.behavior = Some(id);
        }
        let slots = fields.need(&mut self.walk, "scenarios").and_then(|slot| self.walk.list(slot));
        fields.close(&mut self.walk);
        slots.unwrap_or_default().into_iter().filter_map(|slot| self.scenario(slot)).collect()
    }

    fn scenario(&mut self, slot: Slot<'_>) -> Option<Scenario> {
        let mut fields = self.walk.fields(slot, "a scenario")?;
        let name = fields.need(&mut self.walk, "name").and_then(|slot| self.walk.text(slot));
        let independent = fields.take("independent").and_then(|slot| self.walk.boolean(slot));
        let profile = fields.take("profile").and_then(|slot| self.walk.word::<Profile>(slot));
        let overrides = fields.take("override").and_then(|slot| self.walk.word::<OverrideMode>(slot));
        let with = fields.take("with").map(|slot| self.behavior_ids(slot));
        let steps = fields.need(&mut self.walk, "steps").and_then(|slot| self.walk.list(slot));
        fields.close(&mut self.walk);
        let steps = steps.unwrap_or_default().into_iter().filter_map(|slot| self.step(slot)).collect();
        Some(Scenario {
            name: name?,
            independent: independent.unwrap_or(false),
            profile: profile.map_or(Profile::Standard, |profile| profile.value),
            overrides: overrides.map(|mode| mode.value),
            with: with.or_else(|| self.behavior.as_ref().map(|_| Vec::new())),
            steps,
        })
    }

    fn step(&mut self, slot: Slot<'_>) -> Option<Step> {
        let before = self.walk.problems.len();
        let mut fields = self.walk.fields(slot, "a step")?;
        let place = fields.head();
        let advance = fields.take("advance").and_then(|slot| self.duration(slot));
        let session = fields.take("session").and_then(|slot| self.text(slot));
        let deeds: Vec<Deed> = [
            fields.take("allow").and_then(|slot| self.behavior_id(slot)).map(Deed::Allow),
            fields.take("disable").and_then(|slot| self.behavior_id(slot)).map(Deed::Disable),
            fields.take("enable").and_then(|slot| self.behavior_id(slot)).map(Deed::Enable),
        ]
        .into_iter()
        .flatten()
        .collect();
        let event = self.event(&mut fields);
        let expect = fields.take("expect").and_then(|slot| self.expectation(slot, "an expectation", true));
        fields.close(&mut self.walk);
        if self.walk.problems.len() > before {
            return None;
        }
        let mut deeds: Vec<Deed> = deeds.into_iter().chain(event.map(Deed::Event)).collect();
        let deed = match (deeds.pop(), deeds.is_empty()) {
            (Some(deed), true) => deed,
            (None, _) if advance.is_some() => Deed::Wait,
            (deed, _) => {
                let message =
                    if deed.is_some() { "the step is several things at once" } else { "nothing happens here" };
                let help = "a step is one event (`command:`, `tool:`, `prompt:`, `event:` or `payload:`), or one of \
                            `allow:`, `disable:`, `enable:`, or `advance:` alone";
                self.walk.report(Diagnostic::new(Code::BadStep, place, message, help));
                return None;
            }
        };
        Some(Step { place, advance: advance.unwrap_or(0), session, deed, expect })
    }

    /// The event of a step, if it is one.
    fn event(&mut self, fields: &mut Fields<'_>) -> Option<Event> {
        let place = fields.head();
        let payload = fields.take("payload").and_then(|slot| payload(slot.node));
        let harness = fields.take("harness").and_then(|slot| self.walk.word::<Harness>(slot));
        let named = fields.take("event");
        let tool = fields.take("tool").and_then(|slot| self.text(slot));
        let texts: Vec<(Field, Slot<'_>)> =
            Field::ALL.iter().filter_map(|field| Some((*field, fields.take(field.name())?))).collect();
        let input = fields.take("input");
        let agent = fields.take("agent").and_then(|slot| self.text(slot));
        let call = fields.take("call").and_then(|slot| self.text(slot));
        let continuing = fields.take("continuing").and_then(|slot| self.walk.boolean(slot));
        let signals = fields.take("signals").map(|slot| self.signals(slot)).unwrap_or_default();
        let parallel = fields.take("parallel").and_then(|slot| self.walk.whole(slot, 1, PARALLEL));
        let parallel = u32::try_from(parallel.unwrap_or(1)).unwrap_or(1);
        let is_short = tool.is_some()
            || !texts.is_empty()
            || input.is_some()
            || agent.is_some()
            || call.is_some()
            || continuing.is_some();
        if let Some(payload) = payload {
            if is_short {
                let message = "a payload and a shorthand in one step";
                let help = "the payload says everything; remove the other keys of the event";
                self.walk.report(Diagnostic::new(Code::BadStep, place, message, help));
            }
            let harness = harness.map(|harness| harness.value);
            let event = named.and_then(|slot| self.text(slot));
            return Some(Event { payload, harness, event, signals, parallel });
        }
        if !is_short && named.is_none() {
            return None;
        }
        let event = named.and_then(|slot| self.walk.word::<model::Event>(slot)).map(|event| event.value);
        let fields = texts.into_iter().filter_map(|(field, slot)| Some((field, self.empty_or_text(slot)?))).collect();
        let input = input.and_then(|slot| self.input(slot)).unwrap_or_default();
        let continuing = continuing.unwrap_or(false);
        let short = Shorthand { event, tool, fields, input, agent, call, continuing, ..Shorthand::default() };
        let Some(payload) = short.payload() else {
            let message = match short.event {
                Some(event) => format!("`{event}` is about a tool, and there is none"),
                None => "nothing says which tool this is".to_owned(),
            };
            self.walk.report(Diagnostic::new(Code::BadStep, place, message, "add `tool:`, or `command:` for Bash"));
            return None;
        };
        Some(Event { payload, harness: Some(Harness::ClaudeCode), event: None, signals, parallel })
    }

    fn expectation(&mut self, slot: Slot<'_>, what: &'static str, is_own: bool) -> Option<Expectation> {
        if matches!(slot.node.kind, Kind::Scalar { .. }) {
            let decision = self.walk.word::<Decision>(slot)?;
            return Some(Expectation { decision: Some(decision.value), ..Expectation::default() });
        }
        let mut fields = self.walk.fields(slot, what)?;
        let mut expect = Expectation {
            decision: self.word(fields.take("decision")),
            counter: fields.take("counter").and_then(|slot| self.walk.whole(slot, 0, u64::MAX)),
            level: self.word::<Level>(fields.take("level")),
            ..Expectation::default()
        };
        if is_own {
            expect.decisions = fields.take("decisions").map(|slot| self.decisions(slot));
            expect.flags = fields.take("flags").and_then(|slot| self.walk.texts(slot));
            expect.says = fields.take("says").and_then(|slot| self.walk.texts(slot)).unwrap_or_default();
            expect.says_not = fields.take("says_not").and_then(|slot| self.walk.texts(slot)).unwrap_or_default();
            expect.overridden = fields.take("overridden").and_then(|slot| self.override_count(slot));
            expect.behaviors = fields.take("behaviors").map(|slot| self.others(slot)).unwrap_or_default();
        }
        fields.close(&mut self.walk);
        Some(expect)
    }

    fn decisions(&mut self, slot: Slot<'_>) -> Vec<(Decision, u64)> {
        let Some(mut fields) = self.walk.fields(slot, "the list of decisions") else { return Vec::new() };
        let mut counts = Vec::new();
        for decision in Decision::ALL {
            if let Some(slot) = fields.take(decision.name())
                && let Some(count) = self.walk.whole(slot, 0, PARALLEL)
            {
                counts.push((*decision, count));
            }
        }
        fields.close(&mut self.walk);
        counts
    }

    /// What the transcript says: any signal but the counter, which the scenario itself brings about.
    fn signals(&mut self, slot: Slot<'_>) -> Signals {
        let mut signals = Signals::default();
        let Some(mut fields) = self.walk.fields(slot, "the signals of a step") else { return signals };
        for signal in Signal::ALL.iter().copied().filter(|signal| signal.is_watched()) {
            let Some(slot) = fields.take(signal.name()) else { continue };
            match amount(signal, written(slot.node)) {
                Some(value) => signals.set(signal, value),
                None => {
                    let (kind, example) = wanted(signal);
                    self.walk.wrong(slot, &format!("{} is {kind}", slot.name()), &format!("write such as `{example}`"));
                }
            }
        }
        fields.close(&mut self.walk);
        // The share follows from the rest where it is not said.
        let (spent, cap) = (signals.get(Signal::SpendUsd), signals.get(Signal::SpendCapUsd));
        let share = (u128::from(spent) * u128::from(Signal::ONE)).checked_div(u128::from(cap)).unwrap_or(0);
        if signals.get(Signal::SpendShare) == 0 {
            signals.set(Signal::SpendShare, u64::try_from(share).unwrap_or(u64::MAX));
        }
        signals
    }

    fn override_count(&mut self, slot: Slot<'_>) -> Option<OverrideCount> {
        if matches!(meaning(slot.node), Some(Meaning::Whole(_))) {
            return self.walk.whole(slot, 0, u64::MAX).map(OverrideCount::Exactly);
        }
        let is_some = self.walk.boolean(slot)?;
        Some(if is_some { OverrideCount::Some } else { OverrideCount::Exactly(0) })
    }

    fn others(&mut self, slot: Slot<'_>) -> Vec<(String, Expectation)> {
        let Kind::Mapping(entries) = &slot.node.kind else {
            self.walk.wrong(slot, "`behaviors` is a mapping", "write `id: { counter: 1 }`, one behavior a line");
            return Vec::new();
        };
        let mut others = Vec::new();
        for entry in entries {
            self.check_behavior(&Placed { value: entry.key.clone(), place: entry.key_place });
            let slot = Slot::new(&entry.key, &entry.value);
            if let Some(expect) = self.expectation(slot, "what is expected of another behavior", false) {
                others.push((entry.key.clone(), expect));
            }
        }
        others
    }

    fn behavior_ids(&mut self, slot: Slot<'_>) -> Vec<String> {
        let slots = self.walk.list(slot).unwrap_or_default();
        slots.into_iter().filter_map(|slot| self.behavior_id(slot)).collect()
    }

    fn behavior_id(&mut self, slot: Slot<'_>) -> Option<String> {
        let id = self.walk.text(slot)?;
        self.check_behavior(&id).then_some(id.value)
    }

    /// Whether the index has it; says so if not.
    fn check_behavior(&mut self, id: &Placed<String>) -> bool {
        if self.known.contains(&id.value) {
            return true;
        }
        let message = format!("there is no behavior `{}`", id.value);
        let known = self.known.iter().map(String::as_str);
        self.walk.report(match nearest(&id.value, known.clone()) {
            Some(near) => Diagnostic::new(Code::NoSuchBehavior, id.place, message, format!("did you mean `{near}`?"))
                .replaced_by(near),
            None => {
                let help = format!("the index has {}", listed(known));
                Diagnostic::new(Code::NoSuchBehavior, id.place, message, help)
            }
        });
        false
    }

    fn duration(&mut self, slot: Slot<'_>) -> Option<i64> {
        let text = match meaning(slot.node) {
            Some(Meaning::Text(text)) => text,
            Some(Meaning::Whole(_) | Meaning::Number) => written(slot.node),
            Some(Meaning::Nothing | Meaning::Boolean(_)) | None => {
                self.walk.wrong(
                    slot,
                    &format!("{} is a span of time", slot.name()),
                    "write `61s`, `10m`, `2h` or `1d`",
                );
                return None;
            }
        };
        let seconds = duration::seconds(text);
        if seconds.is_none() {
            let message = format!("`{text}` is not a span of time");
            let help = "write whole numbers with units: `61s`, `10m`, `1h30m`, `-1d`";
            self.walk.report(Diagnostic::new(Code::BadDuration, slot.node.head(), message, help));
        }
        seconds
    }

    fn text(&mut self, slot: Slot<'_>) -> Option<String> {
        self.walk.text(slot).map(|text| text.value)
    }

    fn empty_or_text(&mut self, slot: Slot<'_>) -> Option<String> {
        self.walk.text_or_empty(slot).map(|text| text.value)
    }

    fn word<W: Word>(&mut self, slot: Option<Slot<'_>>) -> Option<W> {
        self.walk.word::<W>(slot?).map(|word| word.value)
    }

    fn input(&mut self, slot: Slot<'_>) -> Option<serde_json::Map<String, Value>> {
        if let Value::Object(input) = json(slot.node) {
            return Some(input);
        }
        self.walk.wrong(slot, "`input` is a mapping", "write the tool's input as the harness sends it");
        None
    }
}

impl Word for Harness {
    fn find(word: &str) -> Option<Self> {
        Self::from_name(word)
    }

    fn names() -> impl Iterator<Item = &'static str> + Clone {
        Self::NAMES.iter().copied()
    }
}

/// A payload: a text is taken as it stands, anything else as JSON.
fn payload(node: &Node) -> Option<String> {
    match meaning(node) {
        Some(Meaning::Text(text)) => Some(text.to_owned()),
        Some(Meaning::Nothing) => None,
        Some(Meaning::Boolean(_) | Meaning::Whole(_) | Meaning::Number) | None => Some(json(node).to_string()),
    }
}

/// A value as JSON.
fn json(node: &Node) -> Value {
    match &node.kind {
        Kind::Sequence(nodes) => nodes.iter().map(json).collect(),
        Kind::Mapping(entries) => entries.iter().map(|entry| (entry.key.clone(), json(&entry.value))).collect(),
        Kind::Scalar { text, .. } => match meaning(node) {
            Some(Meaning::Nothing) | None => Value::Null,
            Some(Meaning::Boolean(value)) => value.into(),
            Some(Meaning::Whole(value)) => value.into(),
            // What JSON has no number for stays as it was written.
            Some(Meaning::Number) => serde_json::from_str(text).unwrap_or_else(|_| text.clone().into()),
            Some(Meaning::Text(text)) => text.into(),
        },
    }
}
