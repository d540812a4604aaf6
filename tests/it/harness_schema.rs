//! What each harness documents that it accepts, written down a second time and independently of the adapters.

use forge::harness::{Answer, Harness, Sender};
use forge::model::Event;
use serde_json::Value;

/// What a key may hold.
enum Kind {
    Text,
    Word(&'static [&'static str]),
    Is(bool),
    Map(&'static [(&'static str, Kind)]),
}

type Shape = &'static [(&'static str, Kind)];

use Kind::{Is, Map, Text, Word};

const BLOCK: Kind = Word(&["block"]);

const CLAUDE_PRE: Shape = &[
    ("continue", Is(false)),
    ("stopReason", Text),
    ("systemMessage", Text),
    (
        "hookSpecificOutput",
        Map(&[
            ("hookEventName", Word(&["PreToolUse"])),
            ("permissionDecision", Word(&["deny", "ask"])),
            ("permissionDecisionReason", Text),
            ("additionalContext", Text),
            ("override_allowed", Is(false)),
        ]),
    ),
];
const ASKING_PRE: Shape = &[
    ("systemMessage", Text),
    (
        "hookSpecificOutput",
        Map(&[
            ("hookEventName", Word(&["PreToolUse"])),
            ("permissionDecision", Word(&["deny", "ask"])),
            ("permissionDecisionReason", Text),
            ("additionalContext", Text),
        ]),
    ),
];
/// `allow` needs a changed input and `ask` is an error: neither may ever be said.
const CODEX_PRE: Shape = &[
    ("systemMessage", Text),
    (
        "hookSpecificOutput",
        Map(&[
            ("hookEventName", Word(&["PreToolUse"])),
            ("permissionDecision", Word(&["deny"])),
            ("permissionDecisionReason", Text),
            ("additionalContext", Text),
        ]),
    ),
];
const NESTED_POST: Shape = &[
    ("systemMessage", Text),
    ("decision", BLOCK),
    ("reason", Text),
    ("hookSpecificOutput", Map(&[("hookEventName", Word(&["PostToolUse"])), ("additionalContext", Text)])),
];
/// What ends the turn stands beside the refusal. Codex knows it after a tool alone: before one, the tool would run.
const ENDING_POST: Shape = &[
    ("continue", Is(false)),
    ("stopReason", Text),
    ("systemMessage", Text),
    ("decision", BLOCK),
    ("reason", Text),
    ("hookSpecificOutput", Map(&[("hookEventName", Word(&["PostToolUse"])), ("additionalContext", Text)])),
];
const NESTED_PROMPT: Shape = &[
    ("systemMessage", Text),
    ("decision", BLOCK),
    ("reason", Text),
    ("hookSpecificOutput", Map(&[("hookEventName", Word(&["UserPromptSubmit"])), ("additionalContext", Text)])),
];
/// Context at Stop would keep the agent going, so it is not part of the shape.
const NESTED_STOP: Shape = &[("systemMessage", Text), ("decision", BLOCK), ("reason", Text)];
const MESSAGE: Shape = &[("systemMessage", Text)];
const VSCODE_PROMPT: Shape = &[("systemMessage", Text), ("continue", Is(false)), ("stopReason", Text)];
const VSCODE_STOP: Shape = &[
    ("systemMessage", Text),
    ("hookSpecificOutput", Map(&[("hookEventName", Word(&["Stop"])), ("decision", BLOCK), ("reason", Text)])),
];
const GEMINI: Shape = &[
    ("continue", Is(false)),
    ("stopReason", Text),
    ("systemMessage", Text),
    ("decision", Word(&["deny"])),
    ("reason", Text),
];
const GEMINI_CONTEXT: Shape = &[
    ("continue", Is(false)),
    ("stopReason", Text),
    ("systemMessage", Text),
    ("decision", Word(&["deny"])),
    ("reason", Text),
    ("hookSpecificOutput", Map(&[("additionalContext", Text)])),
];
const CURSOR_PRE: Shape = &[("permission", Word(&["deny"])), ("user_message", Text), ("agent_message", Text)];
const CURSOR_SHELL: Shape = &[("permission", Word(&["deny", "ask"])), ("user_message", Text), ("agent_message", Text)];
const CURSOR_READ: Shape = &[("permission", Word(&["deny"])), ("user_message", Text)];
const CURSOR_CONTEXT: Shape = &[("additional_context", Text)];
const CURSOR_PROMPT: Shape = &[("continue", Is(false)), ("user_message", Text)];
const CURSOR_STOP: Shape = &[("followup_message", Text)];
const COPILOT_PRE: Shape = &[("permissionDecision", Word(&["deny", "ask"])), ("permissionDecisionReason", Text)];
const COPILOT_POST: Shape = &[("additionalContext", Text)];
const COPILOT_STOP: Shape = &[("decision", BLOCK), ("reason", Text)];
const PROGRESS: Shape = &[("type", Word(&["progress"])), ("message", Text)];
const GROK: Shape = &[("decision", Word(&["deny"])), ("reason", Text)];
const ANTIGRAVITY: Shape = &[("decision", Word(&["allow", "deny", "force_ask"])), ("reason", Text)];
const OPENCODE: Shape = &[("block", Is(true)), ("reason", Text), ("context", Text), ("notice", Text)];

/// The shapes an answer may have; none where only silence is understood.
fn shapes(sender: &Sender<'_>) -> Vec<Shape> {
    let nested = |pre| match &*sender.event {
        "PreToolUse" => pre,
        "PostToolUse" => NESTED_POST,
        "UserPromptSubmit" => NESTED_PROMPT,
        "Stop" => NESTED_STOP,
        _ => MESSAGE,
    };
    match sender.harness {
        Harness::ClaudeCode | Harness::Codex if sender.event == "PostToolUse" => vec![ENDING_POST],
        Harness::ClaudeCode => vec![nested(CLAUDE_PRE)],
        Harness::Codex => vec![nested(CODEX_PRE)],
        Harness::Droid | Harness::Qwen => vec![nested(ASKING_PRE)],
        Harness::VsCode => match &*sender.event {
            "UserPromptSubmit" => vec![VSCODE_PROMPT],
            "Stop" => vec![VSCODE_STOP],
            _ => vec![nested(ASKING_PRE)],
        },
        Harness::Gemini => match &*sender.event {
            "AfterTool" | "BeforeAgent" => vec![GEMINI_CONTEXT],
            _ => vec![GEMINI],
        },
        Harness::Cursor => match &*sender.event {
            "preToolUse" => vec![CURSOR_PRE],
            "beforeShellExecution" | "beforeMCPExecution" => vec![CURSOR_SHELL],
            "beforeReadFile" => vec![CURSOR_READ],
            "postToolUse" | "sessionStart" => vec![CURSOR_CONTEXT],
            "beforeSubmitPrompt" => vec![CURSOR_PROMPT],
            "stop" => vec![CURSOR_STOP],
            _ => vec![],
        },
        Harness::Copilot => match &*sender.event {
            "preToolUse" | "PreToolUse" => vec![COPILOT_PRE, PROGRESS],
            "postToolUse" => vec![COPILOT_POST, PROGRESS],
            "agentStop" => vec![COPILOT_STOP, PROGRESS],
            _ => vec![PROGRESS],
        },
        Harness::Grok if sender.event == "pre_tool_use" => vec![GROK],
        Harness::Antigravity if sender.event == "PreToolUse" => vec![ANTIGRAVITY],
        Harness::OpenCode => vec![OPENCODE],
        Harness::Grok | Harness::Antigravity | Harness::Kiro | Harness::Windsurf => vec![],
    }
}

/// Whether the harness would accept the answer and act on all of it.
pub(crate) fn accepts(sender: &Sender<'_>, answer: &Answer) -> Result<(), String> {
    let exits = match sender.harness {
        Harness::Kiro if sender.event == "preToolUse" => &[0, 1, 2][..],
        Harness::Kiro => &[0, 1],
        Harness::Windsurf if sender.event.starts_with("pre_") => &[0, 2],
        _ => &[0],
    };
    if !exits.contains(&answer.exit) {
        return Err(format!("exit code {}", answer.exit));
    }
    if answer.exit != 0 && (answer.stderr.trim().is_empty() || !answer.stdout.is_empty()) {
        return Err("a failure says why, on standard error alone".to_owned());
    }
    if sender.harness == Harness::Antigravity && sender.event == "PreToolUse" && answer.stdout.is_empty() {
        return Err("an answer without a decision counts as broken".to_owned());
    }
    if sender.harness == Harness::Kiro && sender.event == "userPromptSubmit" {
        return short(&answer.stdout);
    }
    if answer.stdout.is_empty() {
        return short(&answer.stderr);
    }
    let value: Value = serde_json::from_str(&answer.stdout).map_err(|error| error.to_string())?;
    let mut problems = Vec::new();
    for shape in shapes(sender) {
        match fits(&value, shape).and_then(|()| whole(sender.harness, &value)) {
            Ok(()) => return Ok(()),
            Err(problem) => problems.push(problem),
        }
    }
    Err(format!("fits nothing: {problems:?}"))
}

fn short(text: &str) -> Result<(), String> {
    let length = text.encode_utf16().count();
    if length > 10_000 { Err(format!("{length} characters")) } else { Ok(()) }
}

/// Only known keys, each with a value of its kind.
fn fits(value: &Value, shape: Shape) -> Result<(), String> {
    let object = value.as_object().ok_or("not an object")?;
    for (key, value) in object {
        let (_, kind) = shape.iter().find(|(name, _)| name == key).ok_or(format!("unknown key `{key}`"))?;
        match kind {
            Text => {
                let text = value.as_str().ok_or(format!("`{key}` is no text"))?;
                if text.is_empty() {
                    return Err(format!("`{key}` is empty"));
                }
                short(text)?;
            }
            Word(words) => {
                value.as_str().filter(|word| words.contains(word)).ok_or(format!("`{key}` is {value}"))?;
            }
            Is(truth) if value.as_bool() == Some(*truth) => {}
            Is(_) => return Err(format!("`{key}` is {value}")),
            Map(shape) => fits(value, shape)?,
        }
    }
    Ok(())
}

/// The keys that need each other.
fn whole(harness: Harness, value: &Value) -> Result<(), String> {
    let inner = &value["hookSpecificOutput"];
    let size = |value: &Value| value.as_object().map_or(0, serde_json::Map::len);
    if inner.is_object() && harness != Harness::Gemini && inner["hookEventName"].is_null() {
        return Err("hookSpecificOutput without hookEventName is ignored".to_owned());
    }
    for level in [value, inner] {
        for (decision, reason) in [("decision", "reason"), ("permissionDecision", "permissionDecisionReason")] {
            let decided = level[decision].as_str().is_some_and(|word| word != "allow");
            if decided && level[reason].as_str().is_none_or(|reason| reason.trim().is_empty()) {
                return Err(format!("`{decision}` without `{reason}`"));
            }
        }
    }
    if value["continue"].is_boolean() != value["stopReason"].is_string() && harness != Harness::Cursor {
        return Err("what ends a turn says why".to_owned());
    }
    if harness == Harness::Codex && inner["permissionDecision"].is_string() && (size(value), size(inner)) != (1, 3) {
        return Err("a refusal has three keys and stands alone".to_owned());
    }
    Ok(())
}

/// Whether the harness refuses, or keeps the agent going, because of the answer.
pub(crate) fn refuses(answer: &Answer) -> bool {
    let value: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let inner = &value["hookSpecificOutput"];
    let says = |value: &Value, key: &str| matches!(value[key].as_str(), Some("deny" | "block"));
    answer.exit == 2
        || [&value, inner].iter().any(|level| says(level, "decision") || says(level, "permissionDecision"))
        || says(&value, "permission")
        || value["continue"] == Value::Bool(false)
        || value["block"] == Value::Bool(true)
        || value["followup_message"].is_string()
}

/// Whether the harness asks the user because of the answer.
pub(crate) fn asks(answer: &Answer) -> bool {
    let value: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let words = [&value["decision"], &value["permission"], &value["permissionDecision"]];
    let inner = &value["hookSpecificOutput"]["permissionDecision"];
    words.into_iter().chain([inner]).any(|word| matches!(word.as_str(), Some("ask" | "force_ask")))
}

/// Every event that forge answers, in each harness's words.
pub(crate) fn events(harness: Harness) -> &'static [(&'static str, Event)] {
    use Event::{PostToolUse, PreToolUse, Stop, UserPromptSubmit};
    match harness {
        Harness::ClaudeCode | Harness::Codex | Harness::VsCode | Harness::Droid | Harness::Qwen => &[
            ("PreToolUse", PreToolUse),
            ("PostToolUse", PostToolUse),
            ("UserPromptSubmit", UserPromptSubmit),
            ("Stop", Stop),
        ],
        Harness::Gemini => &[
            ("BeforeTool", PreToolUse),
            ("AfterTool", PostToolUse),
            ("BeforeAgent", UserPromptSubmit),
            ("AfterAgent", Stop),
        ],
        Harness::Cursor => &[
            ("preToolUse", PreToolUse),
            ("beforeShellExecution", PreToolUse),
            ("beforeMCPExecution", PreToolUse),
            ("beforeReadFile", PreToolUse),
            ("postToolUse", PostToolUse),
            ("afterFileEdit", PostToolUse),
            ("beforeSubmitPrompt", UserPromptSubmit),
            ("stop", Stop),
        ],
        Harness::Copilot => &[
            ("preToolUse", PreToolUse),
            ("PreToolUse", PreToolUse),
            ("postToolUse", PostToolUse),
            ("userPromptSubmitted", UserPromptSubmit),
            ("agentStop", Stop),
        ],
        Harness::Grok => &[
            ("pre_tool_use", PreToolUse),
            ("post_tool_use", PostToolUse),
            ("user_prompt_submit", UserPromptSubmit),
            ("stop", Stop),
        ],
        Harness::Kiro => &[
            ("preToolUse", PreToolUse),
            ("postToolUse", PostToolUse),
            ("userPromptSubmit", UserPromptSubmit),
            ("stop", Stop),
        ],
        Harness::Windsurf => &[
            ("pre_run_command", PreToolUse),
            ("post_run_command", PostToolUse),
            ("pre_user_prompt", UserPromptSubmit),
            ("post_cascade_response", Stop),
        ],
        Harness::Antigravity => &[("PreToolUse", PreToolUse), ("PostToolUse", PostToolUse), ("Stop", Stop)],
        Harness::OpenCode => &[
            ("tool.execute.before", PreToolUse),
            ("tool.execute.after", PostToolUse),
            ("chat.message", UserPromptSubmit),
            ("session.idle", Stop),
        ],
    }
}
