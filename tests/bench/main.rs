//! What the program costs: figures and ratios of the real binary, each beside its floor.
//!
//! `cargo bench` runs everything, `cargo bench -- NAME` one section. Figures move with the machine, ratios hold; so
//! what can be a ratio is one, taken in turns within one run. Nothing here fails because it is slow: a figure that misses
//! its floor says `BELOW`, and only what breaks ends in an error.

mod bare;
mod due;
mod grid;
mod load;
mod program;
mod reads;
mod record;
mod seed;
mod start;
mod table;
mod webhooks;
mod writes;

/// The sections by name. Those that end in `-here` do the same within this program, for a profiler to look at, and run only
/// when they are named.
const SECTIONS: [(&str, fn()); 10] = [
    ("reads", reads::run),
    ("writes", writes::run),
    ("due", due::run),
    ("start", start::run),
    ("record", record::run),
    ("webhooks", webhooks::run),
    ("grid", grid::run),
    ("due-here", due::here),
    ("writes-here", writes::here),
    ("webhooks-here", webhooks::here),
];

fn main() {
    // What `cargo bench` adds.
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
