//! The transcript of Codex: a rollout of `{timestamp, type, payload}` lines. What one line means depends on earlier ones
//! (the model, the last total, the kind of a call), so a [`Thread`] is carried from line to line and from event to event.

use super::fact::{Fact, Hash, Origin, Verdict, hash};
use super::money::Usage;
use super::record::{self, Raw};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What a rollout's next line needs of the lines before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Thread {
    /// The model of the newest `turn_context`.
    pub(super) model: String,
    /// The newest running total, since the same total again is the same response.
    total: Option<u64>,
    /// The file has a record per response; then its running totals say nothing new.
    pub(super) has_records: bool,
    /// The harness itself speaks in the user's name here.
    is_review: bool,
    has_meta: bool,
    /// Responses so far, by which calls of one response are known.
    responses: u64,
    /// An answer has come since the newest call: the next call is of another response, for answers are written when all
    /// calls of theirs are. Running totals alone would not tell where a provider counts no tokens.
    has_answer: bool,
    /// Calls that have not returned.
    open: Vec<Open>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Open {
    id: Hash,
    /// Its output may begin with an exit code.
    is_shell: bool,
    /// A script: the operations it runs are told one by one, in its stead.
    is_script: bool,
    operations: u32,
    has_failed: bool,
}

/// Most calls that can be under way at once.
const OPEN: usize = 64;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    r#type: Raw<'a>,
    #[serde(borrow, default)]
    payload: Raw<'a>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default)]
    r#type: Raw<'a>,
    #[serde(borrow, default)]
    model: Raw<'a>,
    #[serde(borrow, default)]
    source: Raw<'a>,
    #[serde(borrow, default)]
    role: Raw<'a>,
    #[serde(borrow, default)]
    content: Raw<'a>,
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    call_id: Raw<'a>,
    #[serde(borrow, default)]
    id: Raw<'a>,
    #[serde(borrow, default)]
    output: Raw<'a>,
    #[serde(borrow, default)]
    info: Raw<'a>,
    #[serde(borrow, default)]
    item: Raw<'a>,
    #[serde(borrow, default)]
    response_id: Raw<'a>,
    #[serde(borrow, default)]
    usage: Raw<'a>,
    #[serde(borrow, default)]
    thread_settings: Raw<'a>,
}

impl Thread {
    /// Whether no line was read.
    pub(super) fn is_new(&self) -> bool {
        *self == Self::default()
    }

    /// What one line says, in order.
    pub(super) fn read<'a>(&mut self, line: &'a str, tell: &mut dyn FnMut(Fact<'a>)) {
        let Ok(line) = serde_json::from_str::<Line<'a>>(line) else { return };
        let Some(payload) = record::read::<Payload<'a>>(line.payload) else { return };
        match record::text(line.r#type).as_deref() {
            Some("session_meta") => self.meta(&payload),
            Some("turn_context") => self.model_is(payload.model),
            Some("token_usage_record") => self.record(&payload, line.payload, tell),
            Some("response_item") => self.item(&payload, tell),
            Some("event_msg") => self.event(&payload, tell),
            Some(_) | None => {}
        }
    }

    fn model_is(&mut self, model: Raw<'_>) {
        if let Some(model) = record::text(model) {
            record::head(&model, 128).clone_into(&mut self.model);
        }
    }

    /// A second one describes the thread this one was forked from.
    fn meta(&mut self, payload: &Payload<'_>) {
        #[derive(Deserialize)]
        struct Source<'a> {
            #[serde(borrow, default)]
            subagent: Raw<'a>,
        }
        #[derive(Deserialize)]
        struct Subagent<'a> {
            #[serde(borrow, default)]
            thread_spawn: Raw<'a>,
        }
        if std::mem::replace(&mut self.has_meta, true) {
            return;
        }
        let source = payload.source.filter(|_| record::is_object(payload.source));
        let subagent = record::read::<Source<'_>>(source).and_then(|source| source.subagent);
        let spawned =
            subagent.filter(|it| record::is_object(Some(it))).map(Some).and_then(record::read::<Subagent<'_>>);
        self.is_review = subagent.is_some() && !spawned.is_some_and(|it| record::is_object(it.thread_spawn));
    }

    fn record<'a>(&mut self, payload: &Payload<'a>, whole: Raw<'a>, tell: &mut dyn FnMut(Fact<'a>)) {
        self.has_records = true;
        self.responses = self.responses.saturating_add(1);
        let Some(usage) = usage(payload.usage) else { return };
        let id = record::text(payload.response_id);
        let name = id.as_deref().or(whole.map(serde_json::value::RawValue::get)).unwrap_or_default();
        let origin = Origin::Named(hash(&["response", name]));
        tell(Fact::Response { origin, usage, model: Cow::Owned(self.model.clone()) });
    }

    fn event<'a>(&mut self, payload: &Payload<'a>, tell: &mut dyn FnMut(Fact<'a>)) {
        match record::text(payload.r#type).as_deref() {
            Some("token_count") => self.count(payload.info, tell),
            Some("user_message") if !self.is_review => tell(Fact::Prompted),
            Some("turn_aborted") => tell(Fact::Interrupted),
            Some("thread_settings_applied") => {
                if let Some(settings) = record::read::<Payload<'_>>(payload.thread_settings) {
                    self.model_is(settings.model);
                }
            }
            Some("item_completed") => self.operation(payload.item, tell),
            Some(_) | None => {}
        }
    }

    fn count<'a>(&mut self, info: Raw<'a>, tell: &mut dyn FnMut(Fact<'a>)) {
        #[derive(Deserialize)]
        struct Info<'a> {
            #[serde(borrow, default)]
            total_token_usage: Raw<'a>,
            #[serde(borrow, default)]
            last_token_usage: Raw<'a>,
        }
        let Some(info) = record::read::<Info<'a>>(info) else { return };
        let Some(total) = record::read::<Tokens<'a>>(info.total_token_usage).map(|tokens| tokens.total()) else {
            return;
        };
        if self.has_records || self.total.replace(total) == Some(total) {
            return;
        }
        self.responses = self.responses.saturating_add(1);
        if let Some(usage) = usage(info.last_token_usage) {
            tell(Fact::Response { origin: Origin::Counted, usage, model: Cow::Owned(self.model.clone()) });
        }
    }

    fn item<'a>(&mut self, payload: &Payload<'a>, tell: &mut dyn FnMut(Fact<'a>)) {
        let kind = record::text(payload.r#type).unwrap_or_default();
        match &*kind {
            "message" => {
                let is_user = record::text(payload.role).is_some_and(|role| role == "user");
                if is_user && !self.is_review && record::pieces(payload.content).iter().any(|text| !is_context(text)) {
                    tell(Fact::Prompted);
                }
            }
            "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" => {
                let name = record::text(payload.name).unwrap_or_else(|| kind.clone());
                let Some(id) = call(payload.call_id.or(payload.id)) else { return };
                let is_script = kind == "custom_tool_call" && name == "exec";
                let is_shell = is_script
                    || kind == "local_shell_call"
                    || ["shell", "exec_command", "shell_command", "container.exec", "local_shell", "apply_patch"]
                        .contains(&&*name);
                if self.open.len() == OPEN {
                    self.open.remove(0);
                }
                if std::mem::take(&mut self.has_answer) {
                    self.responses = self.responses.saturating_add(1);
                }
                self.open.push(Open { id, is_shell, is_script, operations: 0, has_failed: false });
                tell(Fact::Called(id, self.responses));
            }
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" | "local_shell_call_output" => {
                self.has_answer = true;
                self.output(payload, tell);
            }
            _ => {}
        }
    }

    fn output<'a>(&mut self, payload: &Payload<'a>, tell: &mut dyn FnMut(Fact<'a>)) {
        let Some(id) = call(payload.call_id) else { return };
        let Some(at) = self.open.iter().position(|open| open.id == id) else { return };
        let open = self.open.remove(at);
        let text = record::pieces(payload.output).join("\n");
        let verdict = verdict(&text, open);
        // A script that ran operations is told by them; only a refusal is its own.
        if !open.is_script || open.operations == 0 || matches!(verdict, Verdict::Refused | Verdict::Stopped) {
            tell(Fact::Returned(id, verdict));
        }
    }

    /// One completed operation: of a script, or the log entry of a call the model made itself.
    fn operation<'a>(&mut self, item: Raw<'a>, tell: &mut dyn FnMut(Fact<'a>)) {
        #[derive(Deserialize)]
        struct Item<'a> {
            #[serde(borrow, default)]
            r#type: Raw<'a>,
            #[serde(borrow, default)]
            id: Raw<'a>,
            #[serde(borrow, default)]
            status: Raw<'a>,
            #[serde(borrow, default)]
            exit_code: Raw<'a>,
            #[serde(borrow, default)]
            aggregated_output: Raw<'a>,
        }
        const KINDS: &[&str] = &["CommandExecution", "FileChange", "McpToolCall", "Extension", "ImageView"];
        let Some(item) = record::read::<Item<'a>>(item) else { return };
        if !record::text(item.r#type).is_some_and(|kind| KINDS.contains(&&*kind)) {
            return;
        }
        let Some(id) = call(item.id) else { return };
        let status = record::text(item.status);
        let has_failed = status.as_deref() == Some("failed");
        if let Some(open) = self.open.iter_mut().find(|open| open.id == id) {
            open.has_failed |= has_failed;
            return;
        }
        if let Some(script) = self.open.iter_mut().rev().find(|open| open.is_script) {
            script.operations = script.operations.saturating_add(1);
        }
        let is_over = has_failed || status.as_deref().is_none_or(|status| status == "completed");
        if !is_over {
            return;
        }
        let exit = record::read::<i64>(item.exit_code).unwrap_or(0);
        let refused = record::text(item.aggregated_output).and_then(|text| refusal(&text));
        let failed = has_failed || exit != 0;
        let verdict = refused.unwrap_or(if failed { Verdict::Failure } else { Verdict::Success });
        tell(Fact::Returned(id, verdict));
    }
}

fn verdict(text: &str, open: Open) -> Verdict {
    if text.trim() == "aborted" || text.starts_with("aborted by user") {
        return Verdict::Stopped;
    }
    if let Some(refusal) = refusal(text) {
        return refusal;
    }
    let exit = legacy_exit(text).or_else(|| open.is_shell.then(|| exit_code(text)).flatten()).unwrap_or(0);
    if open.has_failed || exit != 0 || text.starts_with("Script failed") { Verdict::Failure } else { Verdict::Success }
}

/// How Codex words a refusal, at the start of the output: further down it is a quotation.
fn refusal(text: &str) -> Option<Verdict> {
    const WORDS: &[(&str, Verdict)] = &[
        ("exec command rejected by user", Verdict::Stopped),
        ("patch rejected by user", Verdict::Stopped),
        ("rejected by configuration", Verdict::Refused),
        ("automatic approval review denied the action", Verdict::Refused),
    ];
    let head = record::head(text, 200);
    WORDS.iter().find(|(words, _)| head.contains(words)).map(|(_, verdict)| *verdict)
}

/// The exit code in the first lines of an output.
fn exit_code(text: &str) -> Option<i64> {
    let lines = record::head(text, 2_000).lines();
    let mut codes = lines.filter_map(|line| {
        let rest = line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))?;
        let digits = rest.trim_start_matches('-').bytes().take_while(u8::is_ascii_digit).count();
        let sign = rest.len() - rest.trim_start_matches('-').len();
        rest.get(..sign + digits)?.parse().ok()
    });
    codes.next()
}

/// The exit code in the older form of an output, itself JSON.
fn legacy_exit(text: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct Legacy {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        exit_code: i64,
    }
    text.starts_with('{').then(|| serde_json::from_str::<Legacy>(text).ok()).flatten().map(|it| it.metadata.exit_code)
}

/// What the harness adds in the user's name: one whole `<tag>…</tag>`, or the project's instructions.
fn is_context(text: &str) -> bool {
    let text = text.trim();
    if text.starts_with("# AGENTS.md instructions") {
        return true;
    }
    let Some(inner) = text.strip_prefix('<') else { return false };
    let tag: &str = inner.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next().unwrap_or("");
    !tag.is_empty()
        && text.strip_suffix('>').and_then(|rest| rest.strip_suffix(tag)).is_some_and(|it| it.ends_with("</"))
}

fn call(id: Raw<'_>) -> Option<Hash> {
    record::text(id).map(|id| hash(&["call", &id]))
}

#[derive(Deserialize)]
struct Tokens<'a> {
    #[serde(borrow, default)]
    input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    cached_input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    cache_write_input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    output_tokens: Raw<'a>,
    #[serde(borrow, default)]
    total_tokens: Raw<'a>,
}

impl Tokens<'_> {
    fn total(&self) -> u64 {
        let sum = record::count(self.input_tokens).saturating_add(record::count(self.output_tokens));
        self.total_tokens.map_or(sum, |total| record::count(Some(total)))
    }
}

/// OpenAI counts what a cache served as input, and reasoning as output.
fn usage(tokens: Raw<'_>) -> Option<Usage> {
    let tokens = record::read::<Tokens<'_>>(tokens)?;
    let cached = record::count(tokens.cached_input_tokens);
    Some(Usage {
        input: record::count(tokens.input_tokens).saturating_sub(cached),
        cache_read: cached,
        cache_write_5m: record::count(tokens.cache_write_input_tokens),
        cache_write_1h: 0,
        output: record::count(tokens.output_tokens),
    })
}
