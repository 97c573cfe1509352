use std::process::ExitCode;

fn main() -> ExitCode {
    rota::cli::run()
}
