//! Keys that are no characters, as WebDriver names them.

pub const TAB: &str = "\u{e004}";
pub const ENTER: &str = "\u{e007}";
