//! `rota manual`: writes the manual pages; a hidden command for packaging.

use super::{Failure, Rota};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Flags {
    /// The folder for the pages, created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes `rota.1` and a page for each command that help shows.
pub fn run(flags: Flags) -> Result<(), Failure> {
    let folder = flags.folder;
    let named = |error| Failure::Failed(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(named)?;
    let mut rota = Rota::command().disable_help_subcommand(true);
    rota.build();
    write(&rota, &folder).map_err(named)
}

fn write(command: &Command, folder: &Path) -> std::io::Result<()> {
    let shown = |command: &&Command| !command.is_hide_set();
    for inner in command.get_subcommands().filter(shown) {
        write(inner, folder)?;
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    // No date, so that builds are reproducible. The version is in its field, because the title omits empty fields.
    let man = Man::new(command.clone().override_usage(usage))
        .date(env!("CARGO_PKG_VERSION"))
        .source("rota")
        .manual("User Commands");
    std::fs::write(folder.join(man.get_filename()), page(&man, command)?)
}

fn page(man: &Man, command: &Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(text) = command.get_after_help() {
        notes(&text.to_string()).to_writer(&mut page)?;
    }
    let mut see = Roff::new();
    see.control("SH", ["SEE ALSO"]);
    see.text([
        bold("rota"),
        roman("(1), and the manual in /usr/share/doc/rota/docs."),
    ]);
    see.to_writer(&mut page)?;
    Ok(page)
}

/// The notes after the flags in help, unchanged: their examples are aligned.
fn notes(text: &str) -> Roff {
    let mut notes = Roff::new();
    notes.control("SH", ["NOTES"]);
    notes.control("nf", []);
    for line in text.lines() {
        notes.text([roman(line)]);
    }
    notes.control("fi", []);
    notes
}
