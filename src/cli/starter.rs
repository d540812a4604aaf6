//! The catalogue that `forge init` writes and `forge demo` plays: the repository's own `behaviors/`, carried in the
//! binary.

macro_rules! starter {
    ($($name:literal),+ $(,)?) => {
        /// Every file: its name relative to a project, and its text.
        pub(super) const FILES: &[(&str, &str)] =
            &[$( ($name, include_str!(concat!("../../", $name))) ),+];
    };
}

starter![
    "behaviors/index.yaml",
    "behaviors/protect-governance/behavior.yaml",
    "behaviors/protect-governance/tests/blocks.yaml",
    "behaviors/protect-governance/tests/passes.yaml",
    "behaviors/no-destructive-git/behavior.yaml",
    "behaviors/no-destructive-git/tests/blocks.yaml",
    "behaviors/no-destructive-git/tests/passes.yaml",
    "behaviors/runaway-spend/behavior.yaml",
    "behaviors/runaway-spend/tests/blocks.yaml",
    "behaviors/runaway-spend/tests/passes.yaml",
    "behaviors/runaway-spend-warning/behavior.yaml",
    "behaviors/runaway-spend-warning/tests/blocks.yaml",
    "behaviors/runaway-spend-warning/tests/passes.yaml",
    "behaviors/runaway-loop/behavior.yaml",
    "behaviors/runaway-loop/tests/blocks.yaml",
    "behaviors/runaway-loop/tests/passes.yaml",
    "behaviors/runaway-failures/behavior.yaml",
    "behaviors/runaway-failures/tests/blocks.yaml",
    "behaviors/runaway-failures/tests/passes.yaml",
    "behaviors/search-first/behavior.yaml",
    "behaviors/search-first/tests/blocks.yaml",
    "behaviors/search-first/tests/passes.yaml",
    "behaviors/verify-before-done/behavior.yaml",
    "behaviors/verify-before-done/tests/blocks.yaml",
    "behaviors/verify-before-done/tests/passes.yaml",
    "behaviors/respect-todo-state/behavior.yaml",
    "behaviors/respect-todo-state/tests/blocks.yaml",
    "behaviors/respect-todo-state/tests/passes.yaml",
    "behaviors/plan-before-code/behavior.yaml",
    "behaviors/plan-before-code/tests/blocks.yaml",
    "behaviors/plan-before-code/tests/passes.yaml",
    "behaviors/objection-format/behavior.yaml",
    "behaviors/objection-format/tests/blocks.yaml",
    "behaviors/objection-format/tests/passes.yaml",
];

/// The index of a user who begins: the trip wires, all of them on.
const INDEX_OF_USER: &str = "\
schema_version: \"1\"
behaviors:
  - id: runaway-spend
  - id: runaway-spend-warning
  - id: runaway-loop
  - id: runaway-failures
";

/// What `forge init --scope user` writes: the trip wires alone, since these rules act in every project.
pub(super) fn of_user() -> Vec<(&'static str, &'static str)> {
    let wires = FILES.iter().copied().filter(|(name, _)| name.starts_with("behaviors/runaway-"));
    std::iter::once(("behaviors/index.yaml", INDEX_OF_USER)).chain(wires).collect()
}
