//! `behavior.yaml`: one behavior, field by field, in the order people write them.
//! Asks for everything before it gives up on anything, so that all problems of a file come out in one run.

use super::condition::{subject, unknown_subject};
use super::fields::Fields;
use super::walk::{Slot, Walk};
use super::word::ResetWord;
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::model::{
    AppliesTo, Behavior, Category, Enforcement, Level, Metadata, Placed, Profile, Recovery, Rendering, Scope,
    SignalSet, Step, Subject, Trigger,
};

crate::model::vocabulary! {
    /// A version of the language.
    pub(crate) enum Version {
        /// Conditions as lists.
        One = "1",
        /// Conditions as expressions too.
        Two = "2",
    }
}

impl Walk<'_> {
    /// One behavior. `folder` is the name of the folder it is in.
    pub(super) fn behavior(&mut self, root: Slot<'_>, folder: &str) -> Option<Behavior> {
        let mut fields = self.fields(root, "a behavior")?;
        let version = fields.need(self, "schema_version").and_then(|slot| self.version(slot, Version::ALL));
        let id = fields.need(self, "id").and_then(|slot| self.id(slot, folder));
        let name = fields.need(self, "name").and_then(|slot| self.prose(slot));
        let description = fields.need(self, "description").and_then(|slot| self.prose(slot));
        let category = fields.need(self, "category").and_then(|slot| self.word::<Category>(slot));
        let scope = fields.need(self, "scope").and_then(|slot| self.word::<Scope>(slot));
        let enabled = fields.take("enabled").map_or(Some(true), |slot| self.boolean(slot));
        let policy = fields.need(self, "policy").and_then(|slot| self.policy(slot, version));
        let rendering = fields.take("rendering").map_or(Some(Rendering::default()), |slot| self.rendering(slot));
        let applies_to =
            fields.take("applies_to").map_or(Some(AppliesTo::default()), |slot| self.applies_to(slot, version));
        let metadata = fields.take("metadata").map_or(Some(Metadata::default()), |slot| self.metadata(slot));
        fields.close(self);
        version?;
        let (triggers, enforcement, recovery) = policy?;
        Some(Behavior {
            id: id?,
            name: name?.value,
            description: description?.value,
            category: category?.value,
            scope: scope?,
            enabled: enabled?,
            triggers,
            enforcement,
            recovery,
            rendering: rendering?,
            applies_to: applies_to?,
            metadata: metadata?,
        })
    }

    /// The version of the language a file is written in, one of `known`.
    pub(super) fn version(&mut self, slot: Slot<'_>, known: &[Version]) -> Option<Version> {
        let text = self.text(slot)?;
        let version = Version::from_name(&text.value).filter(|version| known.contains(version));
        if version.is_none() {
            let message = format!("there is no schema version `{}` here", text.value);
            let versions: Vec<String> = known.iter().map(|version| format!("`\"{version}\"`")).collect();
            let help = format!("write {}", versions.join(" or "));
            self.report(Diagnostic::new(Code::Version, text.place, message, help));
        }
        version
    }

    fn id(&mut self, slot: Slot<'_>, folder: &str) -> Option<Placed<String>> {
        let id = self.text(slot)?;
        if id.value != folder {
            let message = format!("the id `{}` is not the folder's name `{folder}`", id.value);
            let help = format!("write `id: {folder}`, or rename the folder");
            self.report(Diagnostic::new(Code::IdDiffers, id.place, message, help).replaced_by(folder));
        }
        Some(id)
    }

    fn policy(&mut self, slot: Slot<'_>, version: Option<Version>) -> Option<(Vec<Trigger>, Enforcement, Recovery)> {
        let mut fields = self.fields(slot, "a policy")?;
        let triggers = fields.need(self, "triggers").and_then(|slot| self.triggers(slot, version));
        let enforcement = fields.need(self, "enforcement").and_then(|slot| self.enforcement(slot, version));
        let recovery = fields.need(self, "recovery").and_then(|slot| self.recovery(slot));
        fields.close(self);
        Some((triggers?, enforcement?, recovery?))
    }

    fn triggers(&mut self, slot: Slot<'_>, version: Option<Version>) -> Option<Vec<Trigger>> {
        let triggers: Vec<_> = self.list(slot)?.into_iter().map(|slot| self.trigger(slot, version)).collect();
        triggers.into_iter().collect()
    }

    fn enforcement(&mut self, slot: Slot<'_>, version: Option<Version>) -> Option<Enforcement> {
        let mut fields = self.fields(slot, "an enforcement")?;
        let default_level = fields.need(self, "default_level").and_then(|slot| self.word::<Level>(slot));
        let steps = match fields.take("escalation") {
            None => Some(Vec::new()),
            Some(slot) => self.list(slot).and_then(|slots| {
                let steps: Vec<_> = slots.into_iter().map(|slot| self.step(slot)).collect();
                steps.into_iter().collect()
            }),
        };
        let is_new = version != Some(Version::One);
        for key in ["resets", "once_per", "ends_turn"] {
            let place = fields.key_place(key).filter(|_| !is_new);
            place.into_iter().for_each(|place| self.too_new(place, key));
        }
        let resets = match fields.take("resets") {
            None => Some(SignalSet::default()),
            Some(slot) => self.list(slot).and_then(|slots| {
                let words: Vec<_> = slots.into_iter().map(|slot| self.word::<ResetWord>(slot)).collect();
                words.into_iter().map(|word| word.map(|word| word.value.signal())).collect()
            }),
        };
        let once_per = fields.take("once_per").map_or(Some(None), |slot| self.once_per(slot).map(Some));
        let ends_turn = fields.take("ends_turn").map_or(Some(false), |slot| self.boolean(slot));
        fields.close(self);
        Some(Enforcement {
            default_level: default_level?.value,
            escalation: steps?,
            resets: resets?,
            once_per: once_per?,
            ends_turn: ends_turn?,
        })
    }

    fn once_per(&mut self, slot: Slot<'_>) -> Option<Subject> {
        let name = self.text(slot)?;
        let subject = subject(&name.value);
        if subject.is_none() {
            self.report(unknown_subject(name.place, &name.value));
        }
        subject
    }

    fn step(&mut self, slot: Slot<'_>) -> Option<Step> {
        let mut fields = self.fields(slot, "an escalation step")?;
        let place = fields.head();
        let after = fields.need(self, "after").and_then(|slot| self.whole(slot, 1, u64::from(u32::MAX)));
        let level = fields.need(self, "level").and_then(|slot| self.word::<Level>(slot));
        fields.close(self);
        Some(Step { after: u32::try_from(after?).ok()?, level: level?.value, place })
    }

    fn recovery(&mut self, slot: Slot<'_>) -> Option<Recovery> {
        let mut fields = self.fields(slot, "a recovery")?;
        let hint = fields.need(self, "hint").and_then(|slot| self.prose(slot));
        let suggested_tool = self.optional_text(&mut fields, "suggested_tool");
        let suggested_action = self.optional_text(&mut fields, "suggested_action");
        fields.close(self);
        Some(Recovery { hint: hint?.value, suggested_tool: suggested_tool?, suggested_action: suggested_action? })
    }

    fn rendering(&mut self, slot: Slot<'_>) -> Option<Rendering> {
        let mut fields = self.fields(slot, "a rendering")?;
        let mut template = |walk: &mut Self, key, most| match fields.take(key) {
            None => Some(None),
            Some(slot) => walk.template(slot, most).map(Some),
        };
        let nudge = template(self, "nudge_template", Some(limits::NUDGE_CHARS));
        let warning = template(self, "warning_template", Some(limits::WARNING_CHARS));
        let block_reason = template(self, "block_reason", Some(limits::BLOCK_REASON_CHARS));
        let override_prompt = template(self, "override_prompt", None);
        fields.close(self);
        Some(Rendering {
            nudge: nudge?,
            warning: warning?,
            block_reason: block_reason?,
            override_prompt: override_prompt?,
        })
    }

    fn applies_to(&mut self, slot: Slot<'_>, version: Option<Version>) -> Option<AppliesTo> {
        let mut fields = self.fields(slot, "an applies_to")?;
        let tools = self.optional_texts(&mut fields, "tools");
        if let Some(place) = fields.key_place("except_tools").filter(|_| version == Some(Version::One)) {
            self.too_new(place, "except_tools");
        }
        let except_tools = self.optional_texts(&mut fields, "except_tools");
        let agents = self.optional_texts(&mut fields, "agents");
        let profiles = match fields.take("profiles") {
            None => Some(Vec::new()),
            Some(slot) => self.list(slot).and_then(|slots| {
                let profiles: Vec<_> = slots.into_iter().map(|slot| self.word::<Profile>(slot)).collect();
                profiles.into_iter().map(|profile| profile.map(|profile| profile.value)).collect()
            }),
        };
        fields.close(self);
        Some(AppliesTo { tools: tools?, except_tools: except_tools?, agents: agents?, profiles: profiles? })
    }

    fn metadata(&mut self, slot: Slot<'_>) -> Option<Metadata> {
        let mut fields = self.fields(slot, "metadata")?;
        let author = self.optional_text(&mut fields, "author");
        let version = match fields.take("version") {
            None => Some(None),
            Some(slot) => self.text(slot).map(Some),
        };
        let tags = self.optional_texts(&mut fields, "tags");
        fields.close(self);
        if let Some(Some(version)) = &version
            && !is_semver(&version.value)
        {
            let message = format!("`{}` is not a semantic version", version.value);
            let help = "write three numbers: `1.0.0`";
            self.report(Diagnostic::new(Code::BadSemver, version.place, message, help));
        }
        Some(Metadata { author: author?, version: version?.map(|version| version.value), tags: tags? })
    }

    fn optional_text(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<Option<String>> {
        match fields.take(key) {
            None => Some(None),
            Some(slot) => self.prose(slot).map(|text| Some(text.value)),
        }
    }

    fn optional_texts(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<Vec<String>> {
        fields.take(key).map_or(Some(Vec::new()), |slot| self.texts(slot))
    }
}

/// Whether a text is a semantic version (2.0.0).
fn is_semver(text: &str) -> bool {
    let number = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) && (part == "0" || !part.starts_with('0'))
    };
    let word = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, before) = text.split_once('-').map_or((text, None), |(core, before)| (core, Some(before)));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    core.split('.').count() == 3
        && core.split('.').all(number)
        && before.is_none_or(|before| before.split('.').all(|part| word(part) && (!digits(part) || number(part))))
        && build.is_none_or(|build| build.split('.').all(word))
}
