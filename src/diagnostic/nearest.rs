//! "did you mean": the known word an unknown one is most like. Knows nothing of what the words are for.

/// The word nearest to `written`, when one is near enough that suggesting it helps: at most a third of the letters
/// changed, added, missing or swapped, never more than three.
#[must_use]
pub fn nearest<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lowered = written.to_lowercase();
    let allowed = (written.chars().count() / 3).clamp(1, 3);
    let length = lowered.chars().count();
    words
        .into_iter()
        .map(|word| (word.to_lowercase(), word))
        // As many letters as one is longer, so many changes there are at least.
        .filter(|(theirs, _)| theirs.chars().count().abs_diff(length) <= allowed)
        .map(|(theirs, word)| (distance(&lowered, &theirs), word))
        .filter(|(changes, _)| *changes <= allowed)
        .min_by_key(|(changes, _)| *changes)
        .map(|(_, word)| word)
}

/// Optimal string alignment: changed, added and missing letters, and neighbours swapped.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    let mut previous: Option<char> = None;
    for (row, letter) in one.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, their) in other.iter().enumerate() {
            let at = |cells: &[usize], index: usize| cells.get(index).copied().unwrap_or(usize::MAX - 1);
            let mut best = (at(&above, column) + usize::from(letter != *their))
                .min(at(&above, column + 1) + 1)
                .min(at(&current, column) + 1);
            let swapped = column > 0 && previous == Some(*their) && other.get(column - 1) == Some(&letter);
            if swapped {
                best = best.min(at(&before, column - 1) + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
        previous = Some(letter);
    }
    above.last().copied().unwrap_or(0)
}
