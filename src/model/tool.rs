//! Every harness's name for a tool, and ours (Claude Code's) for it.
//! One table for all: harnesses run each other's hook files, so a payload may well carry a neighbour's words, and an
//! author may well write one.

/// Our name, then theirs. Names are distinct across harnesses: no word means two different tools.
const NAMES: &[(&str, &[&str])] = &[
    (
        "Bash",
        &[
            // A rule about shell commands is about every tool that runs them.
            "PowerShell",
            "run_shell_command",
            "Shell",
            "shell",
            "local_shell",
            "exec",
            "exec_command",
            "bash",
            "powershell",
            "Execute",
            "execute_bash",
            "execute_cmd",
            "run_terminal_command",
            "run_terminal_cmd",
            "run_in_terminal",
            "run_command",
        ],
    ),
    ("Write", &["write_file", "write", "create", "Create", "createFile", "create_file", "fs_write", "write_to_file"]),
    (
        "Edit",
        &[
            "replace",
            "edit",
            "editFiles",
            "str_replace",
            "str_replace_editor",
            "apply_patch",
            "ApplyPatch",
            "patch",
            "insert_edit_into_file",
            "replace_string_in_file",
            "multi_replace_string_in_file",
            "replace_file_content",
            "multi_replace_file_content",
            "search_replace",
        ],
    ),
    ("Read", &["read_file", "read", "readFile", "read_many_files", "view", "view_file", "fs_read"]),
    ("Glob", &["glob", "file_search", "find_by_name"]),
    ("Grep", &["grep", "rg", "grep_search", "search_file_content"]),
    ("LS", &["list_directory", "list_dir", "ls"]),
    ("WebFetch", &["web_fetch", "webfetch", "fetch_webpage", "FetchUrl"]),
    ("WebSearch", &["web_search", "google_web_search", "websearch"]),
    ("Agent", &["Task", "task", "spawn_agent", "subagent"]),
    ("TodoWrite", &["todowrite", "write_todos", "todo_write", "update_plan"]),
    ("AskUserQuestion", &["ask_user"]),
];

/// Our name for a tool; `None` for those that have none of ours (MCP tools, mostly), which stay as they are.
#[must_use]
pub fn our_tool_name(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(ours, theirs)| *ours == name || theirs.contains(&name)).map(|(ours, _)| *ours)
}

/// Our names, of those tools that have one.
pub fn our_tool_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(ours, _)| *ours)
}
