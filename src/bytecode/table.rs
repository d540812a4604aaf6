//! The automaton of a pattern as a program holds it: a table made for one question, whether the pattern is found in a
//! text. Plain bytes; nothing of it is checked before it runs, for every step looks where it lands.
//!
//! A state is the place of its row: the number of the cell that the class 0 leads to. `docs/decisions.md` says why this
//! is no serialised automaton of a library.

/// Cells wider than this many bytes are not needed for any table that is stored.
const WIDE: usize = 4;
const NARROW: usize = 2;

/// In front of the cells: their width, the state at the start of a text, the first of the states in which the end of the
/// text completes a match, the class of each byte.
const FRONT: usize = 4 + 4 + 4 + 256;

/// What `lower` makes of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The class of each byte.
    pub classes: [u8; 256],
    /// The state at the start of a text.
    pub start: u32,
    /// States from this one on: the end of the text completes a match.
    pub ends: u32,
    /// Where each class leads from each state.
    pub cells: Vec<Cell>,
}

/// Where a byte leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// To another state.
    State(u32),
    /// To a match, whatever follows.
    Found,
    /// To no match, whatever follows.
    Lost,
}

impl Table {
    /// The bytes that [`is_found`] reads; little-endian on every machine.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // The two greatest numbers are taken.
        let width = if self.cells.len() < usize::from(u16::MAX) { NARROW } else { WIDE };
        let mut bytes = Vec::with_capacity(FRONT + self.cells.len() * width);
        for number in [width as u32, self.start, self.ends] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.classes);
        for cell in &self.cells {
            let number = match cell {
                Cell::State(state) => *state,
                Cell::Found => u32::MAX - 1,
                Cell::Lost => u32::MAX,
            };
            bytes.extend(number.to_le_bytes().iter().take(width));
        }
        bytes
    }
}

/// Whether the table finds its pattern in the text. `None` when the bytes are no table, or one that leads nowhere.
#[must_use]
pub fn is_found(table: &[u8], text: &[u8]) -> Option<bool> {
    let (front, cells) = table.split_at_checked(FRONT)?;
    let (numbers, classes) = front.split_at_checked(FRONT - 256)?;
    let classes: &[u8; 256] = classes.try_into().ok()?;
    let (numbers, _) = numbers.as_chunks::<4>();
    let [width, start, ends] = *numbers else { return None };
    let run = Run { classes, start: u32::from_le_bytes(start), ends: u32::from_le_bytes(ends) };
    match u32::from_le_bytes(width) as usize {
        NARROW => run.through(cells.as_chunks::<NARROW>().0, text),
        WIDE => run.through(cells.as_chunks::<WIDE>().0, text),
        _ => None,
    }
}

/// A table without its cells.
struct Run<'t> {
    classes: &'t [u8; 256],
    start: u32,
    ends: u32,
}

impl Run<'_> {
    fn through<N: Number>(&self, cells: &[N], text: &[u8]) -> Option<bool> {
        let mut state = self.start as usize;
        for byte in text {
            let class = self.classes.get(usize::from(*byte))?;
            let to = cells.get(state.saturating_add(usize::from(*class)))?.value();
            if to >= N::FOUND {
                return Some(to == N::FOUND);
            }
            state = to;
        }
        Some(state >= self.ends as usize)
    }
}

/// A cell as it is stored.
trait Number: Copy {
    /// What stands for a match; one more stands for none.
    const FOUND: usize;

    fn value(self) -> usize;
}

impl Number for [u8; NARROW] {
    const FOUND: usize = u16::MAX as usize - 1;

    fn value(self) -> usize {
        usize::from(u16::from_le_bytes(self))
    }
}

impl Number for [u8; WIDE] {
    const FOUND: usize = u32::MAX as usize - 1;

    fn value(self) -> usize {
        u32::from_le_bytes(self) as usize
    }
}
