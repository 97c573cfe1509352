//! The pages in a real browser: what only layout, colours, keys and cookies show. Skipped, with a printed line, where Chromium
//! or axe-core is not installed.
//!
//! Together they take two minutes of processor time, so `cargo test` runs only two small ones. `.ci/run` runs all of them:
//! `cargo test --test it web::browser:: -- --include-ignored`.

mod checks;
mod cookies;
mod hostile;
mod jobs;
mod keyboard;
mod looks;
mod measures;
mod menu;
mod screenshots;
mod walks;
mod world;

use crate::support::Rota;
use crate::support::browser::Window;

/// Signs a person in and opens a path.
#[track_caller]
pub fn enter(window: &Window, rota: &Rota, user: &str, path: &str) {
    window.go(&format!("{}/login?as={user}&next={path}", rota.url));
}
