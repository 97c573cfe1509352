//! Rotations as code: `rota export`, `plan` and `apply`, and `rota who` and `next`.
//!
//! These commands are a client of the HTTP API like any other: they never open the database, and may run far from the server.
//!
//! | File | Part |
//! |---|---|
//! | `server` | the API over [`client`](crate::client), with retries |
//! | `directory` | people, groups and channels by the names that files and people use |
//! | `tree` | TOML or JSON as values with their lines |
//! | `reader` | the members of a table; what nobody asked for is unknown |
//! | `fault` | what is wrong, with its place |
//! | `file`, `grid`, `cadence` | what a file says of rotations |
//! | `edit` | from a file to an edit of the API |
//! | `written`, `document` | from the API to a file, and its text |
//! | `planning`, `subject`, `plan_id` | asks the server what files would change |
//! | `words`, `paint` | a plan in names |
//! | `applying` | carries a plan out |
//! | `export`, `plan`, `apply`, `who`, `next` | the commands |

mod apply;
mod applying;
mod cadence;
mod directory;
mod document;
mod edit;
mod export;
mod fault;
mod file;
mod grid;
mod next;
mod paint;
mod plan;
mod plan_id;
mod planning;
mod reader;
mod server;
mod subject;
#[cfg(test)]
mod tests;
mod tree;
mod who;
mod words;
mod written;

use super::Failure;
use clap::Subcommand;
use std::process::ExitCode;

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Write rotations as a file
    Export(export::Flags),
    /// Show what files of rotations would change
    Plan(plan::Flags),
    /// Make rotations what files say of them
    Apply(apply::Flags),
    /// Show who is on call
    Who(who::Flags),
    /// Show who is next
    Next(next::Flags),
}

/// The names of the commands. Wrong flags are 1 in them: 2 says that `plan` found changes.
pub const NAMES: [&str; 5] = ["export", "plan", "apply", "who", "next"];

/// Runs a command. Whatever is wrong in one is [`Failure::Failed`].
pub fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Export(flags) => export::run(flags)?,
        Command::Plan(flags) => return plan::run(flags),
        Command::Apply(flags) => apply::run(flags)?,
        Command::Who(flags) => who::run(flags)?,
        Command::Next(flags) => next::run(flags)?,
    }
    Ok(ExitCode::SUCCESS)
}
