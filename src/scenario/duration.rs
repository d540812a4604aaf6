//! Spans of time as authors write them: `61s`, `10m`, `1h30m`, `-1d`.

/// The seconds of a span; `None` when it is none, or longer than a clock can say.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let mut sum: i64 = 0;
    // At least one number with a unit.
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = rest.get(..digits)?.parse().ok()?;
        let mut after = rest.get(digits..)?.chars();
        let unit = match after.next()? {
            's' => 1,
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            _ => return None,
        };
        sum = sum.checked_add(number.checked_mul(unit)?)?;
        rest = after.as_str();
        if rest.is_empty() {
            return Some(sign * sum);
        }
    }
}
