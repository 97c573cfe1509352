//! `rota completions`: what a shell needs to complete this command line.

use super::output::answer_data;
use super::{Failure, Rota};
use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::shells::{Bash, Fish, Zsh};

const EXAMPLES: &str = "\
The Debian package installs them. Without it:
  rota completions bash >~/.local/share/bash-completion/completions/rota
  rota completions zsh >~/.zfunc/_rota          # a folder in fpath, before compinit
  rota completions fish >~/.config/fish/completions/rota.fish";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Prints the script.
pub fn run(flags: Flags) -> Result<(), Failure> {
    let mut rota = visible();
    let mut script = Vec::new();
    match flags.shell {
        Shell::Bash => clap_complete::generate(Bash, &mut rota, "rota", &mut script),
        Shell::Zsh => clap_complete::generate(Zsh, &mut rota, "rota", &mut script),
        Shell::Fish => clap_complete::generate(Fish, &mut rota, "rota", &mut script),
    }
    answer_data(String::from_utf8_lossy(&script).trim_end())
}

/// The command line without hidden commands: the generators would offer those too.
fn visible() -> clap::Command {
    let rota = Rota::command();
    let shown = rota
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    clap::Command::new("rota")
        .version(env!("CARGO_PKG_VERSION"))
        .args(rota.get_arguments().cloned())
        .subcommands(shown.cloned())
}
