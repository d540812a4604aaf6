//! The harnesses forge installs itself into, one row each. Facts of their documentation, nothing else.

use super::dialect::Besides::{Name, Tools, Version};
use super::dialect::Form::{Groups, List, NamedGroups, Plugin};
use super::dialect::{Dialect, Handler};
use super::need::Moment;

const NEW_SESSIONS: &str = "sessions that are already open may have to be restarted";
const TRUSTED_FOLDER: &str = "hooks of a project run only in a folder the user has declared trusted";

pub(super) const ALL: &[Dialect] = &[
    Dialect {
        harness: "claude-code",
        title: "Claude Code",
        moved_by: Some(("CLAUDE_CONFIG_DIR", ".claude/")),
        user: &[".claude/settings.json"],
        project: &[".claude/settings.json"],
        local: Some(".claude/settings.local.json"),
        form: Groups(Handler::Exec),
        events: claude_code,
        afterwards: &[
            "accept the workspace trust dialog when Claude Code shows it; until then no hook of a settings file runs",
            "`/hooks` in a session lists what is registered",
        ],
    },
    Dialect {
        harness: "codex",
        title: "Codex",
        moved_by: Some(("CODEX_HOME", ".codex/")),
        user: &[".codex/hooks.json"],
        project: &[".codex/hooks.json"],
        local: None,
        form: Groups(Handler::Seconds),
        events: claude_words,
        afterwards: &[
            "open `/hooks` in Codex and approve the new entries: Codex skips every hook, without a word, until a person has reviewed it, and again after each change",
            "a project's hooks run only in a project that Codex trusts",
        ],
    },
    Dialect {
        harness: "gemini",
        title: "Gemini CLI",
        moved_by: None,
        user: &[".gemini/settings.json"],
        project: &[".gemini/settings.json"],
        local: None,
        form: Groups(Handler::NamedMillis),
        events: gemini,
        afterwards: &[TRUSTED_FOLDER, NEW_SESSIONS],
    },
    Dialect {
        harness: "cursor",
        title: "Cursor",
        moved_by: None,
        user: &[".cursor/hooks.json"],
        project: &[".cursor/hooks.json"],
        local: None,
        form: List(Handler::Bare, &[Version]),
        events: cursor,
        afterwards: &[
            "Cursor also runs the hooks of `.claude/settings.json`: with forge in both files it is called twice per event; register it in one of them",
        ],
    },
    Dialect {
        harness: "copilot",
        title: "GitHub Copilot",
        moved_by: Some(("COPILOT_HOME", ".copilot/")),
        user: &[".copilot/hooks/forge.json"],
        project: &[".github/hooks/forge.json"],
        local: None,
        form: List(Handler::Shells, &[Version]),
        events: copilot,
        afterwards: &[
            "commit `.github/hooks/` for the cloud agent to see it; the hook's path must exist there too",
            "Copilot also runs the hooks of `.claude/settings.json`: with forge in both files it is called twice per event; register it in one of them",
        ],
    },
    Dialect {
        harness: "droid",
        title: "Factory Droid",
        moved_by: None,
        user: &[".factory/hooks.json", ".factory/settings.json"],
        project: &[".factory/hooks.json", ".factory/settings.json"],
        local: None,
        form: Groups(Handler::Seconds),
        events: claude_words,
        afterwards: &["review the change with `/hooks` in Droid", NEW_SESSIONS],
    },
    Dialect {
        harness: "qwen",
        title: "Qwen Code",
        moved_by: None,
        user: &[".qwen/settings.json"],
        project: &[".qwen/settings.json"],
        local: None,
        form: Groups(Handler::NamedMillis),
        events: claude_words,
        afterwards: &[TRUSTED_FOLDER, NEW_SESSIONS],
    },
    Dialect {
        harness: "grok",
        title: "Grok CLI",
        moved_by: None,
        user: &[".grok/hooks/forge.json"],
        project: &[],
        local: None,
        form: Groups(Handler::Seconds),
        events: claude_words,
        afterwards: &[
            "Grok also runs the hooks of `~/.claude/settings.json`: with forge in both files it is called twice per event; register it in one of them",
        ],
    },
    Dialect {
        harness: "kiro",
        title: "Kiro",
        moved_by: None,
        user: &[".kiro/agents/forge.json"],
        project: &[".kiro/agents/forge.json"],
        local: None,
        form: List(Handler::BareMillis, &[Name, Tools]),
        events: kiro,
        afterwards: &[
            "Kiro's hooks belong to an agent: start it with `--agent forge`, or register forge in the agent you use with `--file PATH`",
        ],
    },
    Dialect {
        harness: "windsurf",
        title: "Windsurf",
        moved_by: None,
        user: &[".codeium/windsurf/hooks.json"],
        project: &[".windsurf/hooks.json"],
        local: None,
        form: List(Handler::Line, &[]),
        events: windsurf,
        afterwards: &[NEW_SESSIONS],
    },
    Dialect {
        harness: "antigravity",
        title: "Antigravity",
        moved_by: None,
        user: &[".gemini/config/hooks.json"],
        project: &[".agents/hooks.json"],
        local: None,
        form: NamedGroups("forge", Handler::Untimed),
        events: antigravity,
        afterwards: &[NEW_SESSIONS],
    },
    Dialect {
        harness: "opencode",
        title: "OpenCode",
        moved_by: Some(("XDG_CONFIG_HOME", ".config/")),
        user: &[".config/opencode/plugins/forge.js"],
        project: &[".opencode/plugins/forge.js"],
        local: None,
        form: Plugin,
        events: opencode,
        afterwards: &["restart OpenCode; it loads plugins at start only"],
    },
];

fn claude_code(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::PostToolUseFailure => &["PostToolUseFailure"],
        Moment::SessionStart | Moment::UserPromptSubmit | Moment::PreToolUse | Moment::PostToolUse | Moment::Stop => {
            claude_words(moment)
        }
    }
}

/// Claude Code's words, which most have taken over; the failure of a tool is of use only where a hook can ask.
fn claude_words(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::SessionStart => &["SessionStart"],
        Moment::UserPromptSubmit => &["UserPromptSubmit"],
        Moment::PreToolUse => &["PreToolUse"],
        Moment::PostToolUse => &["PostToolUse"],
        Moment::PostToolUseFailure => &[],
        Moment::Stop => &["Stop"],
    }
}

fn gemini(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::SessionStart => &["SessionStart"],
        Moment::UserPromptSubmit => &["BeforeAgent"],
        Moment::PreToolUse => &["BeforeTool"],
        Moment::PostToolUse => &["AfterTool"],
        Moment::PostToolUseFailure => &[],
        Moment::Stop => &["AfterAgent"],
    }
}

fn cursor(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::SessionStart => &["sessionStart"],
        Moment::UserPromptSubmit => &["beforeSubmitPrompt"],
        Moment::PreToolUse => &["preToolUse"],
        Moment::PostToolUse => &["postToolUse"],
        Moment::PostToolUseFailure => &[],
        Moment::Stop => &["stop"],
    }
}

fn copilot(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::SessionStart => &["sessionStart"],
        Moment::UserPromptSubmit => &["userPromptSubmitted"],
        Moment::PreToolUse => &["preToolUse"],
        Moment::PostToolUse => &["postToolUse"],
        Moment::PostToolUseFailure => &["postToolUseFailure"],
        Moment::Stop => &["agentStop"],
    }
}

fn kiro(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::SessionStart => &["agentSpawn"],
        Moment::UserPromptSubmit => &["userPromptSubmit"],
        Moment::PreToolUse => &["preToolUse"],
        Moment::PostToolUse => &["postToolUse"],
        Moment::PostToolUseFailure => &[],
        Moment::Stop => &["stop"],
    }
}

/// One event per kind of tool; none for the start of a session.
fn windsurf(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::UserPromptSubmit => &["pre_user_prompt"],
        Moment::PreToolUse => &["pre_run_command", "pre_write_code", "pre_read_code", "pre_mcp_tool_use"],
        Moment::PostToolUse => &["post_run_command", "post_write_code", "post_read_code", "post_mcp_tool_use"],
        Moment::Stop => &["post_cascade_response"],
        Moment::SessionStart | Moment::PostToolUseFailure => &[],
    }
}

fn antigravity(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::PreToolUse => &["PreToolUse"],
        Moment::PostToolUse => &["PostToolUse"],
        Moment::Stop => &["Stop"],
        Moment::SessionStart | Moment::UserPromptSubmit | Moment::PostToolUseFailure => &[],
    }
}

/// What the plugin asks at; it always has all of them.
fn opencode(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::SessionStart => &["session.created"],
        Moment::UserPromptSubmit => &["chat.message"],
        Moment::PreToolUse => &["tool.execute.before"],
        Moment::PostToolUse => &["tool.execute.after"],
        Moment::PostToolUseFailure => &[],
        Moment::Stop => &["session.idle"],
    }
}
