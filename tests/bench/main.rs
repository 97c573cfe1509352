//! What the program costs: figures and ratios of the real binary, each beside its floor.
//!
//! `cargo bench` runs everything, `cargo bench -- NAME` one section. Figures move with the machine, ratios hold; so
//! what can be a ratio is one, taken in turns within one run. Nothing here fails because it is slow: a figure that misses
//! its floor says `BELOW`, and only what breaks ends in an error.

mod bare;
mod due;
mod load;
mod program;
mod reads;
mod record;
mod seed;
mod start;
mod table;
mod webhooks;
mod writes;

/// The sections by name. `due-here` is for profilers and runs only when it is named.
const SECTIONS: [(&str, fn()); 7] = [
    ("reads", reads::run),
    ("writes", writes::run),
    ("due", due::run),
    ("start", start::run),
    ("record", record::run),
    ("webhooks", webhooks::run),
    ("due-here", due::here),
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
            .filter(|(name, _)| *name != "due-here")
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
