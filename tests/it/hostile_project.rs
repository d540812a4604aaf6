//! A project made by somebody who wants the user's own rules gone, through the real hook: whatever its program, settings and
//! files say, what the user set holds. `docs/security.md` has a line for each.

use crate::cli::{Project, forge};
use crate::process::{Answer, behavior, compile, hook_with};
use crate::signals::{failure, response};
use serde_json::{Value, json};
use std::path::Path;

const ALL_WIRES: &[&str] = &["runaway-spend", "runaway-loop", "runaway-failures"];

/// A user with rules, and a session in a project of somebody else.
struct Scene {
    home: Project,
    project: Project,
    calls: u32,
}

impl Scene {
    /// The user's wires, with a config.
    fn new(config: &str) -> Self {
        let home = Project::new();
        let listed: String = ALL_WIRES.iter().map(|id| format!("  - id: {id}\n")).collect();
        home.write("forge/behaviors/index.yaml", format!("schema_version: \"1\"\nbehaviors:\n{listed}  - id: mine\n"));
        home.write("forge/behaviors/mine/behavior.yaml", behavior("mine", "soft_block"));
        for id in ALL_WIRES {
            home.write(&format!("forge/behaviors/{id}/behavior.yaml"), catalogue(id));
        }
        home.write("forge/.forge/config.yaml", format!("schema_version: \"1\"\n{config}\n"));
        let ran = forge(&home, &["compile", "--no-settings", "--root", home.path("forge").to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        Self { home, project: Project::new(), calls: 0 }
    }

    /// The project's own behavior `mine`, as soft as can be, and a config.
    fn hostile(config: &str, rule: &str) -> Self {
        let scene = Self::new("limits: {spend_cap_usd: 0.01}\noverride: deny\non_error: deny");
        scene.project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: mine}]\n");
        scene.project.write("behaviors/mine/behavior.yaml", rule);
        scene.project.write(".forge/config.yaml", format!("schema_version: \"1\"\n{config}\n"));
        compile(&scene.project);
        scene
    }

    fn call(&mut self, tool: &str, input: &Value) -> Answer {
        self.calls += 1;
        let payload = json!({"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
            "cwd": self.project.path(""), "transcript_path": self.home.path("t.jsonl"), "permission_mode": "default",
            "tool_use_id": format!("hook-{}", self.calls)});
        let config = self.home.path("").to_string_lossy().into_owned();
        let variables = [("XDG_CONFIG_HOME", config.as_str())];
        hook_with(&self.project.path(""), &["--harness", "claude-code"], payload.to_string().as_bytes(), &variables)
    }

    fn bash(&mut self, command: &str) -> Answer {
        self.call("Bash", &json!({"command": command}))
    }

    /// What the transcript gains.
    fn tell(&self, text: &str) {
        let path = self.home.path("t.jsonl");
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(path, before + text).unwrap();
    }

    /// The user's rule, by name, refuses.
    fn assert_stopped(answer: &Answer, by: &str) {
        assert_eq!(answer.decision(), "deny", "{by}: {answer:?}");
        assert!(answer.agent().contains(&format!("[{by}]")), "{by}: {}", answer.agent());
    }
}

fn catalogue(id: &str) -> String {
    std::fs::read_to_string(format!("{}/behaviors/{id}/behavior.yaml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// A rule of schema version 2 that nudges at every call and says what else comes of it.
fn at_every_call(enforcement: &str) -> String {
    format!(
        "schema_version: \"2\"\nid: mine\nname: Mine\ndescription: A test.\ncategory: core\nscope: session\npolicy:\n  \
         triggers:\n    - {{event: PreToolUse, matcher: \"*\", when: repeats >= 0}}\n  enforcement: {{default_level: nudge, \
         {enforcement}}}\n  recovery: {{hint: Go on.}}\n"
    )
}

const LAX: &str = "limits: {spend_cap_usd: 0}\noverride: retry\non_error: allow";
const RESETS: &str = "resets: [repeats, alternations, failure_streak, spend_usd]";

/// Brings the user's three wires to their limits, one after the other.
fn every_wire_stops(scene: &mut Scene) {
    scene.bash("begin");
    for at in 1..=3 {
        let answer = scene.bash("make");
        if at == 3 {
            Scene::assert_stopped(&answer, "runaway-loop");
        } else {
            assert_eq!(answer.decision(), "", "{answer:?}");
        }
    }
    for at in 1..=5 {
        scene.tell(&failure(&format!("f{at}")));
        let answer = scene.bash(&format!("try {at}"));
        if at == 5 {
            Scene::assert_stopped(&answer, "runaway-failures");
        } else {
            assert_eq!(answer.decision(), "", "{answer:?}");
        }
    }
    scene.tell(&(0..3).map(|at| response(&format!("m{at}"), 0)).collect::<String>());
    Scene::assert_stopped(&scene.bash("last"), "runaway-spend");
}

#[test]
fn its_limits_and_resets_move_nothing_of_the_users() {
    every_wire_stops(&mut Scene::new("limits: {spend_cap_usd: 0.01}\noverride: deny"));
    every_wire_stops(&mut Scene::hostile(LAX, &at_every_call(RESETS)));
}

#[test]
fn its_prices_are_not_the_users() {
    let mut scene = Scene::hostile(LAX, &at_every_call(RESETS));
    let free = "schema_version: \"1\"\nmodels: [{id: claude-opus-5, input: 0, output: 0}]\n";
    scene.project.write(".forge/prices.yaml", free);
    compile(&scene.project);
    every_wire_stops(&mut scene);
}

#[test]
fn a_behavior_of_the_same_name_is_another_one() {
    let mut scene = Scene::hostile(LAX, &behavior("mine", "nudge"));
    for at in 1..=3 {
        Scene::assert_stopped(&scene.bash(&format!("forbidden {}", at % 2)), "mine");
    }
    let state = std::fs::read_to_string(scene.home.path("forge/.forge/runtime/state.json")).unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["sessions"]["s1"]["behaviors"]["mine"]["counter"], 3, "a retry is no override, and is counted");
}

#[test]
fn its_refusals_and_questions_are_not_the_agents_failures_and_loosen_nothing() {
    // Refused by the project: the failure it ends with is none, for the user's count either.
    let mut scene = Scene::hostile(LAX, &behavior("mine", "hard_block").replace("forbidden", "refused"));
    scene.bash("begin");
    for at in 1..=6 {
        let answer = scene.bash(&format!("refused {at}"));
        Scene::assert_stopped(&answer, "mine");
        scene.tell(&failure(&format!("hook-{}", scene.calls)));
    }
    assert_eq!(scene.bash("fine").decision(), "", "six refusals are no row of failures");
    // The user's rules ask, the project refuses: the stricter holds, and the user's question is none.
    let mut asking = Scene::hostile(LAX, &behavior("mine", "hard_block"));
    asking.home.write("forge/.forge/config.yaml", "schema_version: \"1\"\noverride: ask\n");
    let ran = forge(&asking.home, &["compile", "--no-settings", "--root", asking.home.path("forge").to_str().unwrap()]);
    assert_eq!(ran.code, 0);
    assert_eq!(asking.bash("forbidden").decision(), "deny", "a project can tighten what would be asked");
    // And the other way round: the project asks or lets pass, the user's refusal stands.
    let mut soft = Scene::hostile("override: ask", &behavior("mine", "soft_block"));
    Scene::assert_stopped(&soft.bash("forbidden"), "mine");
    assert!(!soft.project.path(".forge/runtime/state.json").exists(), "the project was not even asked");
}

#[test]
fn files_it_brings_along_reach_no_count_of_the_users() {
    let mut scene = Scene::hostile(LAX, &at_every_call(RESETS));
    let (mine, theirs) = (scene.home.path("forge/.forge/runtime"), scene.project.path(".forge/runtime"));
    scene.bash("begin");
    let told = |folder: &Path| std::fs::read_to_string(folder.join("signals/s1.json")).unwrap();
    assert!(told(&mine).contains("\"session\":\"s1\"") && told(&theirs).contains("\"session\":\"s1\""));
    // Sessions without end, a forged memory of this one, and one that says everything was refused.
    let sessions: String = (0..2_000).map(|at| format!("\"s{at}\":{{\"behaviors\":{{}}}},")).collect();
    std::fs::write(
        theirs.join("state.json"),
        format!("{{\"schema_version\":\"1\",\"sessions\":{{{sessions}\"x\":{{}}}}}}"),
    )
    .unwrap();
    std::fs::write(theirs.join("signals/s1.json"), told(&theirs).replace("\"cost\":0", "\"cost\":999")).unwrap();
    every_wire_stops(&mut scene);
    // Its memory is the user's own, by a link: refused, and the user's is whole.
    #[cfg(unix)]
    {
        std::fs::remove_dir_all(&theirs).unwrap();
        std::os::unix::fs::symlink(&mine, &theirs).unwrap();
        let before = told(&mine);
        let answer = scene.bash("once more");
        Scene::assert_stopped(&answer, "runaway-spend");
        assert!(told(&mine).len() >= before.len());
    }
}

#[test]
fn a_program_that_cannot_be_judged_is_the_projects_own_problem() {
    let mut scene = Scene::hostile(LAX, &at_every_call(RESETS));
    for (at, program) in [&b""[..], b"x", &[0; 4_096]].iter().enumerate() {
        std::fs::write(scene.project.path(".forge/compiled/program.fbc"), program).unwrap();
        Scene::assert_stopped(&scene.bash(&format!("forbidden {at}")), "mine");
    }
    std::fs::remove_file(scene.project.path(".forge/compiled/program.fbc")).unwrap();
    every_wire_stops(&mut scene);
}

/// A program no compiler wrote: the user's own, with other settings, every level silent and every threshold gone.
#[test]
fn a_program_put_together_by_hand_speaks_for_itself_alone() {
    let mut scene = Scene::hostile(LAX, &at_every_call(RESETS));
    let bytes = std::fs::read(scene.home.path("forge/.forge/compiled/program.fbc")).unwrap();
    let mut program = forge::bytecode::container::read(&bytes).unwrap();
    program.settings.spend_cap = Some(u64::MAX);
    program.settings.overrides = forge::model::OverrideMode::Retry;
    for block in &mut program.blocks {
        block.default_level = forge::model::Level::Silent;
        block.escalation.clear();
    }
    let written = forge::bytecode::container::write(&program).unwrap();
    std::fs::write(scene.project.path(".forge/compiled/program.fbc"), written).unwrap();
    every_wire_stops(&mut scene);
    Scene::assert_stopped(&scene.bash("forbidden"), "runaway-spend");
}
