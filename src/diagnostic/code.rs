//! The table of diagnostics: one row per kind of problem, with its number, severity, title and explanation.
//! `docs/diagnostics.md` is generated from it; a test demands a fixture for every row.

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The catalogue compiles.
    Warning,
    /// Nothing compiles.
    Error,
}

impl Severity {
    /// As it is printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

macro_rules! codes {
    ($( $(#[doc = $explanation:literal])+ $code:ident $variant:ident $severity:ident $title:literal; )+) => {
        /// A kind of problem. Numbers are part of the interface: they are never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $( #[doc = $title] $variant, )+ }

        impl Code {
            /// Every code, by number.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )+];

            /// Its number, as in `F012`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => stringify!($code), )+ }
            }

            /// Whether it is an error.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $( Self::$variant => Severity::$severity, )+ }
            }

            /// What it is, in a few words.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $( Self::$variant => $title, )+ }
            }

            /// What it is, why it is a problem, and what to do.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self { $( Self::$variant => concat!($($explanation),+), )+ }
            }
        }
    };
}

codes! {
    /// `behaviors/index.yaml` must exist, and every behavior it lists must have a `behavior.yaml` in a folder of its name.
    /// A rule that is listed and not there would be a rule that silently does not act.
    F001 MissingFile Error "missing file";
    /// Sources are UTF-8. Save the file in that encoding.
    F002 NotUtf8 Error "not UTF-8";
    /// A source file is at most 1 MiB. It is refused by its size, before anything reads it.
    F003 TooLarge Error "file too large";
    /// A source file with nothing in it says nothing; it is more likely a mistake than a wish.
    F004 Empty Error "empty file";
    /// The file is not YAML. What follows the marked place was not looked at.
    F005 Syntax Error "not YAML";
    /// Lists and mappings may be 64 deep. No behavior needs more than a handful.
    F006 TooDeep Error "nested too deeply";
    /// Anchors and aliases make a file mean something else than it shows at the place one reads. Write the value out.
    F007 Anchor Error "anchor or alias";
    /// Tags (`!name`) have no meaning here; readers that ignore them hide mistakes.
    F008 Tag Error "tag";
    /// Merge keys (`<<`) come from YAML 1.1, and readers disagree about them. Write the keys out.
    F009 MergeKey Error "merge key";
    /// A key written twice: readers disagree which one counts, so one of them would be ignored.
    F010 DuplicateKey Error "duplicate key";
    /// One file, one document. What follows a second `---` would be ignored by some readers.
    F011 SecondDocument Error "second document";
    /// A key that is not part of the language. A typo must never switch a rule off silently, so it is not skipped.
    F012 UnknownField Error "unknown field";
    /// Something required is not there.
    F013 MissingField Error "missing field";
    /// The value is of another kind than this key takes: a list for a text, a text for a number.
    F014 WrongType Error "wrong type";
    /// A key without a value. YAML reads it as null, which is neither text nor a list nor the default.
    F015 NoValue Error "no value";
    /// `yes`, `no`, `on` and `off` were booleans in YAML 1.1 and are text in YAML 1.2. Only `true` and `false` are accepted.
    F016 OldBoolean Error "`yes` or `on` for a boolean";
    /// Where text belongs, a bare number, `true` or `false` is not text. Quote it.
    F017 Unquoted Error "text without quotes";
    /// The value is not one of the words this key takes. Case counts.
    F018 UnknownWord Error "unknown word";
    /// A text that is required, or given, must say something.
    F019 EmptyText Error "empty text";
    /// What is said at a nudge, a warning or a block has a largest length in characters: 120, 500 and 200.
    F020 TooLong Error "text too long";
    /// The file asks for a version of the language that this forge does not know.
    F021 Version Error "unknown schema version";
    /// A behavior's id is a folder's name and a command's argument: small letters, digits and dashes, beginning with a
    /// letter, not ending with a dash, at least two characters.
    F022 BadId Error "bad id";
    /// A behavior's `id` and its folder's name are the same, so that one can be found by the other.
    F023 IdDiffers Error "id differs from its folder";
    /// A behavior can have one place in the order only.
    F024 Twice Error "behavior listed twice";
    /// A folder under `behaviors/` holds a `behavior.yaml` that the index does not list. It is neither read nor enforced.
    F025 NotListed Warning "behavior not listed";
    /// A behavior without triggers could never be violated.
    F026 NoTriggers Error "no triggers";
    /// For `PreToolUse` and `PostToolUse` a trigger says which tools it is about; `"*"` is all.
    F027 MatcherMissing Error "matcher missing";
    /// `UserPromptSubmit` and `Stop` are not about a tool; a matcher there is ignored.
    F028 MatcherIgnored Warning "matcher without effect";
    /// A matcher is empty or `*` for all tools, a list of names (`Write|Edit`), or a regular expression.
    F029 BadMatcher Error "bad matcher";
    /// Not a regular expression of this language. Look-around and back-references are not part of it, because they cannot be run
    /// in time that is bounded by the text's length.
    F030 BadPattern Error "bad pattern";
    /// Numbers are compared with `gt`, `lt`, `gte`, `lte` and `equals`; texts are looked at with the other operators.
    F031 WrongOperator Error "operator does not fit the field";
    /// `exists` and `not_exists` take no value, numbers are compared with numbers, texts with texts.
    F032 WrongValue Error "value does not fit the operator";
    /// `set_flag` and `check_flag` need a flag; `check_flag` also needs to know what follows when it is there and when it is not.
    F033 FlagFieldMissing Error "flag field missing";
    /// `flag` belongs to `set_flag` and `check_flag`, `on_present` and `on_absent` to `check_flag` alone. Elsewhere they would
    /// be ignored.
    F034 FlagFieldMisplaced Error "flag field misplaced";
    /// `when`, the signals besides `counter`, `resets`, `once_per`, `ends_turn` and `except_tools` came with `schema_version: "2"`.
    F035 TooNew Error "needs schema version 2";
    /// `when` takes the place of `conditions` and `logic`.
    F036 WhenTwice Error "`when` beside `conditions`";
    /// Not an expression of the language of `when`.
    F037 BadWhen Error "bad `when` expression";
    /// Conditions may be 64 deep, parentheses and `not` included.
    F038 ConditionTooDeep Error "condition nested too deeply";
    /// A template can be filled with what forge knows at a violation, and nothing else.
    F039 UnknownVariable Error "unknown template variable";
    /// `{name}` is a variable; a brace that is meant as one is doubled: `{{`, `}}`.
    F040 Braces Error "unbalanced braces";
    /// `metadata.version` is a semantic version: `1.0.0`.
    F041 BadSemver Error "not a semantic version";
    /// A number outside of what makes sense here.
    F042 OutOfRange Error "number out of range";
    /// Down the list of `escalation`, `after` and `level` never decrease: more violations never mean a milder answer.
    F043 EscalationFalls Error "escalation goes down";
    /// A level of the escalation that no number of violations brings, or that changes nothing.
    F044 LevelUnreachable Warning "level never reached";
    /// A flag is checked, and no enabled behavior sets it: it will always be absent.
    F045 FlagNeverSet Warning "flag never set";
    /// A flag is set, and no enabled behavior checks it: setting it does nothing.
    F046 FlagNeverChecked Warning "flag never checked";
    /// Only `session` acts. A behavior with another scope is compiled and remembers for the session.
    F047 ScopeInert Warning "scope not acting";
    /// A nudge is one line among others: without the behavior's name nobody knows which rule speaks, without the counter nobody sees
    /// that it escalates.
    F048 NudgeAnonymous Warning "nudge without name or counter";
    /// Keys are names. A list, a mapping or an empty text cannot be one.
    F049 BadKey Error "bad key";
    /// There are limits to what one catalogue can hold, far above what people write.
    F050 TooMany Error "too many behaviors";
    /// The compiled form numbers texts, patterns and triggers of one behavior, and bounds its code. No behavior written by hand
    /// comes near.
    F051 BehaviorTooLarge Error "behavior too large";
    /// A block text (`|`, `>`) ends with a line break unless it is written `|-` or `>-`. Here the break is part of what is looked for,
    /// and commands and names hardly ever have one: the rule would be off without a sign.
    F052 FinalBreak Warning "text ends with a line break";
    /// Harnesses call the same tool by different names. A call reaches the rules under one of them, Claude Code's, with all that
    /// runs a shell command as `Bash`; a rule about another name never acts. A name that
    /// nobody has, a letter or two from one of them, is taken for a slip.
    F053 ForeignTool Warning "another harness's name for a tool";
    /// No event can fire this trigger: its matcher and `applies_to` have no tool in common, or its condition asks for what
    /// cannot be at once. The rule is off without a sign. Told only where it is certain.
    F054 NeverFires Warning "trigger never fires";
    /// A block says what to do instead, and that is blocked too: the agent has no way out. `suggested_action` counts as a command
    /// where `suggested_tool` is `Bash`. Flags that rules check are taken as set.
    F055 HintBlocked Warning "suggestion is blocked";
    /// Whatever would fire this trigger is answered by an earlier one, in the same behavior or by a hard block of a behavior before
    /// it. Soft blocks do not count, since a person can let a call through them.
    F056 Shadowed Warning "trigger never reached";
    /// A pattern all of whose parts are optional, as `(foo)?` or `.*`, is found in every text, the empty one included.
    F057 AlwaysFound Warning "pattern always found";
    /// In double quotes YAML reads `\b` as a backspace and `\e`, `\a`, `\f`, `\v`, `\0` as other characters that no key types. A pattern
    /// that means a word's edge would look for one of them: the rule would be off without a sign.
    F058 ControlCharacter Warning "control character in what is looked for";
    /// A span of time is a whole number with a unit: `61s`, `10m`, `2h`, `1d`, put together as in `1h30m`, with `-` in front
    /// for a clock that goes back.
    F070 BadDuration Error "not a span of time";
    /// A step of a scenario is one event, or one thing a person does; what it is must be plain to see.
    F071 BadStep Error "not one step";
    /// A scenario names a behavior that the index does not have.
    F072 NoSuchBehavior Error "no such behavior";
}
