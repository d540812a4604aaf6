//! Which harness speaks, at which of its events, in which mode: all that the form of an answer depends on.

use super::dialect::Dialect;
use super::{
    antigravity, claude_code, codex, copilot, cursor, droid, gemini, grok, kiro, opencode, qwen, vscode, windsurf,
};
use crate::model::vocabulary;
use std::borrow::Cow;

vocabulary! {
    /// The agents forge knows how to talk to.
    pub enum Harness {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// OpenAI Codex CLI.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Cursor.
        Cursor = "cursor",
        /// GitHub Copilot CLI and cloud agent.
        Copilot = "copilot",
        /// VS Code's own agent hooks.
        VsCode = "vscode",
        /// Factory Droid.
        Droid = "droid",
        /// Qwen Code.
        Qwen = "qwen",
        /// Grok CLI.
        Grok = "grok",
        /// Kiro CLI, once Amazon Q.
        Kiro = "kiro",
        /// Windsurf's Cascade.
        Windsurf = "windsurf",
        /// Antigravity CLI.
        Antigravity = "antigravity",
        /// OpenCode, through the plugin that `forge install` writes.
        OpenCode = "opencode",
    }
}

impl Harness {
    /// How it talks.
    pub(super) fn dialect(self) -> &'static dyn Dialect {
        match self {
            Self::ClaudeCode => &claude_code::ClaudeCode,
            Self::Codex => &codex::Codex,
            Self::Gemini => &gemini::Gemini,
            Self::Cursor => &cursor::Cursor,
            Self::Copilot => &copilot::Copilot,
            Self::VsCode => &vscode::VsCode,
            Self::Droid => &droid::Droid,
            Self::Qwen => &qwen::Qwen,
            Self::Grok => &grok::Grok,
            Self::Kiro => &kiro::Kiro,
            Self::Windsurf => &windsurf::Windsurf,
            Self::Antigravity => &antigravity::Antigravity,
            Self::OpenCode => &opencode::OpenCode,
        }
    }
}

/// Who gets the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender<'a> {
    /// The harness.
    pub harness: Harness,
    /// The event in the harness's own words; empty when it is not known.
    pub event: Cow<'a, str>,
    /// The harness's permission mode, where it tells.
    pub permission_mode: Option<Cow<'a, str>>,
}
