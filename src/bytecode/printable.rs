//! Which characters of an author's text may be shown as they are. Used by `listing`, `assembly` and the tables of `cli`; uses nothing.

/// Whether a character moves the cursor, turns the direction of writing, or cannot be seen: shown as it is, it could
/// make a listing look like another one.
pub(crate) fn is_deceptive(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(char, '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
