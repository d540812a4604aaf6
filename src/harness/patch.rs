//! The patch format of `apply_patch`: which files it touches and what it adds to each.
//! May use `std` alone; it never judges whether the patch would apply.

/// One file a tool touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    /// Its path, as written.
    pub(super) path: String,
    /// Whether it is created.
    pub(super) is_new: bool,
    /// The text added to it, where that is known for each file.
    pub(super) added: Option<String>,
}

/// The lines that open a file's part, and whether that file is created.
const HEADERS: &[(&str, bool)] =
    &[("*** Add File:", true), ("*** Update File:", false), ("*** Delete File:", false), ("*** Move to:", true)];

/// The files of a patch, in order; none when the text is no patch.
pub(super) fn files(text: &str) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    for line in text.lines() {
        // Indentation before a header is tolerated, because the patcher may tolerate it.
        let header = HEADERS.iter().find_map(|(start, is_new)| Some((line.trim_start().strip_prefix(start)?, *is_new)));
        if let Some((path, is_new)) = header {
            files.push(File { path: path.trim().to_owned(), is_new, added: Some(String::new()) });
        } else if let (Some(text), Some(line)) = (files.last_mut().and_then(|file| file.added.as_mut()), added(line)) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
        }
    }
    files
}

/// The text of a line that is added.
fn added(line: &str) -> Option<&str> {
    line.strip_prefix('+')
}
