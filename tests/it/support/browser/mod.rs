//! A real browser: headless Chromium, driven over WebDriver. Where it is not installed, tests say so and pass.
//!
//! One chromedriver serves the test process and ends with it. At most two browsers are open at once; a browser is used by one
//! test after the other, without the cookies of the one before.

mod driver;
mod keys;
mod window;

pub use keys::{ENTER, TAB};
pub use window::{Named, Window};
