//! Benchmarks: figures and ratios of the real binary, each with its limit.
//!
//! `cargo bench` runs everything, `cargo bench -- NAME` one section. Figures depend on the machine; ratios mostly do not, so
//! ratios are preferred and measured in turns within one run. A slow result is not a failure: a figure that misses its limit
//! is marked `BELOW`, and only errors fail.

mod bare;
mod due;
mod grid;
mod load;
mod mail;
mod notices;
mod pages;
mod preview;
mod program;
mod reads;
mod record;
mod report;
mod seed;
mod slack_commands;
mod slack_directory;
mod standby;
mod start;
mod table;
mod trading;
mod warnings;
mod webhooks;
mod writes;

/// The sections by name. Those that end in `-here` run the same work in this process, for a profiler, and only if
/// named.
const SECTIONS: [(&str, fn()); 21] = [
    ("reads", reads::run),
    ("writes", writes::run),
    ("due", due::run),
    ("start", start::run),
    ("standby", standby::run),
    ("record", record::run),
    ("report", report::run),
    ("webhooks", webhooks::run),
    ("grid", grid::run),
    ("trading", trading::run),
    ("mail", mail::run),
    ("notices", notices::run),
    ("pages", pages::run),
    ("preview", preview::run),
    ("slack-directory", slack_directory::run),
    ("slack-commands", slack_commands::run),
    ("warnings", warnings::run),
    ("due-here", due::here),
    ("writes-here", writes::here),
    ("webhooks-here", webhooks::here),
    ("warnings-here", warnings::here),
];

fn main() {
    // The argument that `cargo bench` adds.
    let name = std::env::args()
        .skip(1)
        .find(|argument| argument != "--bench");
    match name.as_deref() {
        Some(bare::ARGUMENT) => bare::serve(),
        None => SECTIONS
            .iter()
            .filter(|(name, _)| !name.ends_with("-here"))
            .for_each(|(_, run)| run()),
        Some(name) => {
            let names = SECTIONS.map(|(name, _)| name).join(", ");
            let found = SECTIONS.iter().find(|(section, _)| *section == name);
            let (_, run) =
                found.unwrap_or_else(|| panic!("no section is called {name}; there are {names}"));
            run();
        }
    }
}
