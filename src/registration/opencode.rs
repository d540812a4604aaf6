//! OpenCode has no hook commands: forge writes a plugin that starts `forge-hook` and does what it answers.
//! The plugin is a file of ours alone, known by its first line.

use super::document::cut;

/// The first line of every plugin we wrote.
const MARK: &str = "// Written by `forge install --harness opencode`; `forge uninstall` removes it.";

/// A hook that cannot run lets the call through, as every harness has it: `forge doctor` is there to notice. The waiting
/// time is generous for the same reason as in settings files.
const BODY: &str = r#"
import { spawnSync } from "node:child_process";

const HOOK = @HOOK@;

const ask = (event, fields, cwd) => {
  const run = spawnSync(HOOK, ["--harness", "opencode", "--event", event], {
    input: JSON.stringify({ hook_event_name: event, cwd, ...fields }),
    encoding: "utf8",
    timeout: 30000,
    windowsHide: true,
  });
  if (run.error || run.status !== 0) {
    console.error(`forge: ${HOOK} did not run: ${run.error ?? run.stderr}`);
    return {};
  }
  const answer = run.stdout.trim() === "" ? {} : JSON.parse(run.stdout);
  if (answer.notice) console.error(answer.notice);
  return answer;
};

export const Forge = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const call = { session_id: input.sessionID, tool_use_id: input.callID, tool_name: input.tool };
    const answer = ask("tool.execute.before", { ...call, tool_input: output.args ?? {} }, directory);
    if (answer.block) throw new Error(answer.reason);
  },
  "tool.execute.after": async (input, output) => {
    const call = { session_id: input.sessionID, tool_use_id: input.callID, tool_name: input.tool };
    const answer = ask("tool.execute.after", { ...call, tool_input: input.args ?? {} }, directory);
    if (answer.context) output.output = `${output.output ?? ""}\n\n${answer.context}`;
  },
  "chat.message": async (input, output) => {
    const texts = output.parts.filter((part) => part.type === "text").map((part) => part.text);
    const answer = ask("chat.message", { session_id: input.sessionID, prompt: texts.join("\n") }, directory);
    if (answer.block) throw new Error(answer.reason);
  },
  event: async ({ event }) => {
    if (event.type !== "session.created" && event.type !== "session.idle") return;
    const session = event.properties?.info?.id ?? event.properties?.sessionID;
    ask(event.type, { session_id: session }, directory);
  },
});
"#;

/// The plugin for a hook at this path.
pub(super) fn plugin(hook: &str) -> String {
    format!("{MARK}{}", BODY.replace("@HOOK@", &serde_json::Value::from(hook).to_string()))
}

/// Whether a file is a plugin we wrote.
pub(super) fn is_ours(text: &str) -> bool {
    cut(text, 0..MARK.len()) == MARK
}

/// The hook a plugin of ours starts.
pub(super) fn hook(text: &str) -> Option<String> {
    let quoted = text.lines().find_map(|line| line.strip_prefix("const HOOK = ")?.strip_suffix(';'))?;
    serde_json::from_str(quoted).ok()
}
