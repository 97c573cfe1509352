//! Characters that turn the direction of writing.

/// Whether a character turns the direction of the text around it. It is not seen itself, so a name with one could hide or
/// reorder what stands beside it.
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}
