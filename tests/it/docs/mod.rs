//! The README and the manual in `packaging/docs`: their commands run and print the shown output, their links resolve,
//! and their tables match the program.

mod links;
mod package;
mod pages;
mod session;
mod tables;

use crate::cli::{imported, on};
use crate::support::*;
use pages::{Block, Page, pages};

/// A test per page, which runs its commands; and the list of these pages.
macro_rules! commands_run {
    ($($test:ident: $page:literal;)*) => {
        const RUN: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $test() {
                session::run_page($page);
            }
        )*
    };
}

commands_run! {
    the_readme_runs: "README.md";
    running_the_examples_runs: "packaging/docs/README.md";
    who_is_next_runs: "packaging/docs/next.md";
    recipes_run: "packaging/docs/recipes.md";
    rotations_as_code_run: "packaging/docs/rotations-as-code.md";
    api_notes_run: "packaging/docs/api.md";
    chat_runs: "packaging/docs/chat.md";
    mail_runs: "packaging/docs/mail.md";
    being_told_runs: "packaging/docs/being-told.md";
    insight_runs: "packaging/docs/insight.md";
    changes_run: "packaging/docs/changes.md";
    webhooks_run: "packaging/docs/webhooks.md";
    calendars_run: "packaging/docs/calendars.md";
    assistants_run: "packaging/docs/assistants.md";
    configuration_runs: "packaging/docs/configuration.md";
    operating_runs: "packaging/docs/operating.md";
    backup_runs: "packaging/docs/backup.md";
    security_runs: "packaging/docs/security.md";
    a_second_machine_runs: "packaging/docs/standby.md";
    web_runs: "packaging/docs/web.md";
    provider_runs: "packaging/docs/provider.md";
}

/// The maximum number of blocks that no test can run: those that need root, another program, an account or a build.
const MOST_NOT_RUN: usize = 26;

fn blocks() -> Vec<(Page, Block)> {
    let all = pages().into_iter().flat_map(|page| {
        let blocks = page.blocks();
        blocks.into_iter().map(move |block| (page.clone(), block))
    });
    all.collect()
}

#[test]
fn every_page_with_commands_is_run() {
    let mut with_commands: Vec<String> = blocks()
        .into_iter()
        .filter(|(_, block)| block.language == "console" && block.not_run.is_none())
        .map(|(page, _)| page.name)
        .collect();
    with_commands.dedup();
    let mut run: Vec<&str> = RUN.to_vec();
    run.sort_unstable();
    with_commands.sort();
    assert_eq!(with_commands, run);
}

#[test]
fn blocks_that_do_not_run_are_few_and_say_why() {
    let blocks = blocks();
    let not_run = blocks.iter().filter(|(_, block)| block.not_run.is_some());
    let listed: Vec<String> = not_run
        .map(|(page, block)| {
            let reason = block.not_run.as_deref().unwrap_or_default();
            assert_eq!(block.language, "console", "{}:{}", page.name, block.line);
            assert!(!reason.is_empty(), "{}:{}", page.name, block.line);
            format!("{}:{}: {reason}", page.name, block.line)
        })
        .collect();
    assert!(listed.len() <= MOST_NOT_RUN, "{listed:#?}");
}

/// Each kind of block is checked, or is a fragment for another program.
#[test]
fn blocks_are_of_known_languages() {
    const KNOWN: [&str; 12] = [
        "console",
        "text",
        "toml",
        "yaml",
        "ini",
        "caddyfile",
        "nginx",
        "python",
        "javascript",
        "go",
        "ruby",
        "java",
    ];
    for (page, block) in blocks() {
        let at = format!("{}:{}: {}", page.name, block.line, block.language);
        assert!(KNOWN.contains(&block.language.as_str()), "{at}");
    }
}

#[test]
fn settings_are_accepted() {
    let (dir, db) = imported();
    let (provider, mut seen) = (Provider::at(0), 0);
    for (page, block) in blocks() {
        if block.language != "toml" {
            continue;
        }
        seen += 1;
        dir.file("example.toml", secrets_in(&dir, &block.text()));
        let mut command = on(&db, "check --config example.toml");
        if block.text().contains("[login.oidc]") {
            // The providers and the secrets of the examples are not here.
            command
                .env("ROTA_LOGIN_OIDC_ISSUER", &provider.issuer)
                .env("ROTA_LOGIN_OIDC_CLIENT_SECRET", CLIENT_SECRET);
        }
        let (code, output, errors) = run(&mut command);
        let at = format!("{}:{}", page.name, block.line);
        assert_eq!(code, 0, "{at}: {output}{errors}");
    }
    assert!(seen >= 2, "{seen}");
}

/// A text with another path for each file of a secret in it: those that the examples name are not here.
fn secrets_in(dir: &TempDir, text: &str) -> String {
    let line = |line: &str| match line.split_once("_file = \"/etc/rota/") {
        Some((key, name)) => {
            let begins = match key.trim() {
                "bot_token" => "xoxb-",
                "app_token" => "xapp-",
                _ => "",
            };
            let path = dir.file(name.trim_end_matches('"'), format!("{begins}secret"));
            format!("{key}_file = \"{}\"\n", path.display())
        }
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The README shows the actual start of `rota dev`.
#[test]
fn what_dev_prints_is_shown() {
    let rota = Start::default().demo().go();
    let printed = |line: &str| match line.split_once('=') {
        Some(("ROTA_URL" | "ROTA_WEB", _)) => true,
        Some(("ROTA_API_KEY", shown)) => shown == "svc_key_..." && rota.key.starts_with("svc_key_"),
        Some((name, shown)) => name.strip_prefix("ROTA_TOKEN_").is_some_and(|user| {
            let token = rota.tokens.get(user);
            shown == "svc_mbr_..." && token.is_some_and(|token| token.starts_with("svc_mbr_"))
        }),
        None => ["...", "ready"].contains(&line),
    };
    let shown = blocks()
        .into_iter()
        .find(|(page, block)| page.name == "README.md" && block.language == "text");
    let (_, block) = shown.expect("the lines of rota dev");
    for line in &block.lines {
        assert!(printed(line), "{line}");
    }
}

#[test]
fn the_readme_is_short() {
    let readme = pages().into_iter().find(|page| page.name == "README.md");
    let lines = readme.expect("the README").text.lines().count();
    assert!(lines < 250, "{lines}");
}
