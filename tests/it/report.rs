//! `forge audit --report`: one page that needs nothing else, says what is known, and draws it in a real browser.

use crate::behavior::catalogue;
use crate::cli::{Project, forge};
use crate::status::{entry, session, write_state};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A project some weeks in use: a hostile session name, every level, a behavior that nobody heeds.
fn used() -> Project {
    let project = catalogue();
    forge(&project, &["compile", "--no-settings"]);
    write_state(
        &project,
        &json!({
            "<script>alert(1)</script>": session(&json!({"search-first": entry(9, "soft_block", 1)})),
            "5f2c9e1a-7d40-4a5e-9b6e-3c1f0a7b2d11": session(&json!({
                "search-first": entry(4, "warning", 0), "verify-before-done": entry(6, "soft_block", 3),
                "no-destructive-git": entry(2, "hard_block", 0), "respect-todo-state": entry(1, "nudge", 0)})),
        }),
    );
    let line = |day: usize, of: &str| {
        format!("2026-11-{day:02}T0{}:30:00Z|5f2c9e1a|{of}|Write|file_path=/src/<b>main</b>.rs|5|\n", day % 9)
    };
    let log: String = (1..29).step_by(3).flat_map(|day| (0..day % 4).map(move |_| line(day, "search-first"))).collect();
    project.write(".forge/audit/overrides.log", log);
    project
}

fn page(project: &Project) -> String {
    let ran = forge(project, &["audit", "--no-registry", "--report", "out/report.html"]);
    assert!(ran.stdout.contains("wrote out/report.html\n"), "{}{}", ran.stdout, ran.stderr);
    fs::read_to_string(project.path("out/report.html")).unwrap()
}

#[test]
fn a_page_stands_alone_and_takes_every_text_as_text() {
    let page = page(&used());
    for loading in ["http:", "https:", "src=", "href=", "<script", "@import", "url("] {
        assert!(!page.contains(loading), "the page holds `{loading}`");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("/src/&lt;b&gt;main&lt;/b&gt;.rs"));
    assert!(
        page.contains("<i class=\"soft_block\" style=\"width:46.15%\" title=\"soft_block: 5\"></i>")
            || page.contains("title=\"soft_block: 5\"")
    );
    assert!(page.contains("<b>22</b><span>violations</span>"), "9 + 4 + 6 + 2 + 1");
    assert_eq!(page.matches("<rect class=\"overrides\"").count(), page.matches(" overrides</title>").count());
}

#[test]
fn an_unused_project_has_a_page_too() {
    let page = page(&catalogue());
    for said in
        ["Nothing happened yet.", "no session is remembered", "No block was ever overridden.", "there is no program"]
    {
        assert!(page.contains(said), "{said}");
    }
}

/// Elements of the page as the browser built it, and the pixels it drew.
#[test]
fn a_real_browser_draws_it() {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = names.iter().find(|name| Command::new(name).arg("--version").output().is_ok()) else {
        eprintln!("skipped: no chromium here");
        return;
    };
    let project = used();
    page(&project);
    let url = format!("file://{}", project.path("out/report.html").display());
    let run = |arguments: &[&str]| {
        let profile = tempfile::tempdir().unwrap();
        let out = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,1800"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(arguments)
            .arg(&url)
            .output()
            .unwrap();
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    let built = run(&["--dump-dom"]);
    assert_eq!(built.matches("<section>").count(), 5, "{built}");
    assert!(built.contains("<rect class=\"violations\"") && !built.contains("<script"), "{built}");
    let picture = project.path("report.png");
    run(&[&format!("--screenshot={}", picture.display())]);
    let bytes = fs::read(&picture).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 20_000, "{} bytes are no picture of it", bytes.len());
    if let Ok(keep) = std::env::var("FORGE_KEEP_REPORT") {
        let dark = project.path("dark.png");
        run(&[
            "--force-dark-mode",
            "--enable-features=WebContentsForceDark:inversion_method/none",
            &format!("--screenshot={}", dark.display()),
        ]);
        for (from, name) in
            [(&picture, "report.png"), (&dark, "dark.png"), (&project.path("out/report.html"), "report.html")]
        {
            fs::copy(from, Path::new(&keep).join(name)).unwrap();
        }
    }
}
