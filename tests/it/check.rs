//! `forge check`: exit codes, and a SARIF log that has what the format demands.

use crate::cli::{Project, forge};
use serde_json::Value;

const INDEX: &str = "schema_version: \"1\"\nbehaviors: [{id: rule}]\n";

fn project(triggers: &str) -> Project {
    let project = Project::new();
    project.write("behaviors/index.yaml", INDEX);
    project.write("behaviors/rule/behavior.yaml", crate::yaml::behavior("rule", "1", triggers));
    project
}

/// Two values at once.
const DEAD: &str = "    - event: PreToolUse
      matcher: Bash
      conditions:
        - {field: command, operator: equals, value: a}
        - {field: command, operator: equals, value: b}
";

#[test]
fn warnings_fail_only_where_they_are_denied_and_errors_always() {
    let cases = [
        ("    - {event: PreToolUse, matcher: Bash}\n", 0, 0, "checked 1 behavior: nothing wrong\n"),
        (DEAD, 0, 1, "checked 1 behavior: 1 warning\n"),
        ("    - {event: PreTool, matcher: Bash}\n", 1, 1, "\n1 error\n"),
    ];
    for (triggers, code, denied, end) in cases {
        let project = project(triggers);
        let ran = forge(&project, &["check"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (code, ""), "{}", ran.stdout);
        assert!(ran.stdout.ends_with(end), "{}", ran.stdout);
        for form in [None, Some("--json"), Some("--sarif")] {
            let arguments: Vec<&str> = ["check", "--deny-warnings"].into_iter().chain(form).collect();
            assert_eq!(forge(&project, &arguments).code, denied, "{triggers}");
        }
        assert!(!project.path(".forge").exists(), "nothing is written");
    }
    assert_eq!(forge(&Project::new(), &["check"]).code, 2, "no project");
}

#[test]
fn programs_hear_the_same() {
    let report: Value = serde_json::from_str(&forge(&project(DEAD), &["check", "--json"]).stdout).unwrap();
    assert_eq!((&report["errors"], &report["warnings"]), (&0.into(), &1.into()));
    assert_eq!(report["behaviors"], serde_json::json!(["rule"]));
    assert_eq!(report["diagnostics"][0]["code"], "F054");
}

/// The members SARIF 2.1.0 requires of every object we write, and what refers to what.
#[test]
fn the_sarif_log_is_one() {
    let misspelt = DEAD.replace("operator: equals, value: b", "operatr: equals, value: b");
    let folder = Project::new();
    folder.write("behaviors/index.yaml", INDEX.replace("rule", "two words"));
    folder.write("behaviors/two words/behavior.yaml", crate::yaml::behavior("two words", "1", DEAD));
    let empty = Project::new();
    empty.write("behaviors/x/y", "");
    for (project, wanted) in [(project(DEAD), "F054"), (project(&misspelt), "F012"), (folder, "F022"), (empty, "F001")]
    {
        let ran = forge(&project, &["check", "--sarif"]);
        let log: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(log["version"], "2.1.0");
        assert!(log["$schema"].as_str().unwrap().ends_with("sarif-2.1.0.json"));
        let run = &log["runs"][0];
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "forge");
        let rules = driver["rules"].as_array().unwrap();
        for rule in rules {
            assert!(rule["id"].is_string() && rule["shortDescription"]["text"].is_string());
            assert!(!rule["fullDescription"]["text"].as_str().unwrap().is_empty());
        }
        let results = run["results"].as_array().unwrap();
        assert!(results.iter().any(|result| result["ruleId"] == wanted), "{}", ran.stdout);
        for result in results {
            let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
            assert_eq!(rule["id"], result["ruleId"]);
            assert_eq!(rule["defaultConfiguration"]["level"], result["level"]);
            assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()));
            assert!(result["message"]["text"].as_str().unwrap().len() > 10);
            let locations = result["locations"].as_array().unwrap().iter();
            let related = result["relatedLocations"].as_array().into_iter().flatten();
            for location in locations.chain(related.clone()) {
                let physical = &location["physicalLocation"];
                let uri = physical["artifactLocation"]["uri"].as_str().unwrap();
                assert!(uri.starts_with("behaviors/") && !uri.contains(' '), "{uri}");
                let base = physical["artifactLocation"]["uriBaseId"].as_str().unwrap();
                assert!(!run["originalUriBaseIds"][base].is_null());
                if let Some(region) = physical.get("region") {
                    let number = |name: &str| region[name].as_u64().unwrap();
                    assert!(number("startLine") >= 1 && number("startColumn") >= 1);
                    assert!((number("endLine"), number("endColumn")) >= (number("startLine"), number("startColumn")));
                }
            }
            assert!(related.clone().all(|location| location["message"]["text"].is_string()));
            for fix in result["fixes"].as_array().into_iter().flatten() {
                let change = &fix["artifactChanges"][0];
                assert!(change["artifactLocation"]["uri"].is_string());
                assert!(change["replacements"][0]["deletedRegion"]["startLine"].is_u64());
            }
        }
        if wanted == "F012" {
            let fix = results.iter().find_map(|result| result["fixes"][0]["artifactChanges"][0]["replacements"].get(0));
            assert_eq!(fix.unwrap()["insertedContent"]["text"], "operator");
        }
    }
}
