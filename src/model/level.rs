//! Severities. Ordered: a later word is stricter than an earlier one.

vocabulary! {
    /// How strongly a violation is answered. `Ord` is strictness, on which "never lower again" relies.
    pub enum Level {
        /// Counted, nothing said.
        Silent = "silent",
        /// One neutral line.
        Nudge = "nudge",
        /// Two to four firm lines.
        Warning = "warning",
        /// The call is refused; a person may override it.
        SoftBlock = "soft_block",
        /// The call is refused, finally.
        HardBlock = "hard_block",
    }
}

impl Level {
    /// Whether this level refuses the call and therefore ends the chain of behaviors.
    #[must_use]
    pub const fn is_block(self) -> bool {
        matches!(self, Self::SoftBlock | Self::HardBlock)
    }
}
