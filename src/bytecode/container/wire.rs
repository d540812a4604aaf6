//! How values stand in the directory and in records: each shape one line, in the order of its bytes.
//! The only user of bincode. Flat shapes alone: a recursive one would let a hostile file overflow the stack.

use super::damaged;
use crate::bytecode::program::{
    Block, CodePlace, OtherRow, PatternConst, Routine, SourcePlace, Speech, SpeechPiece, Threshold, ToolRow,
};
use crate::error::Result;
use crate::limits;
use crate::model::{Event, Field, Level, OnError, OverrideMode, Settings, Signal, SignalSet, Subject, Variable};
use bincode::de::{BorrowDecode, BorrowDecoder, Decode};
use bincode::enc::{Encode, Encoder};
use bincode::error::{DecodeError, EncodeError};
use std::borrow::Cow;

/// The varint, little-endian configuration, with a bound on what decoding may allocate.
const CONFIG: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<{ limits::PROGRAM_BYTES }>,
> = bincode::config::standard().with_limit();

/// What the records are: their number follows from it, and their order.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) settings: Settings,
    pub(super) watches: SignalSet,
    /// One per event somebody watches.
    pub(super) dispatch: Vec<DispatchSize>,
    pub(super) blocks: u32,
    pub(super) automata: u32,
}

/// How many tools are named for an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct DispatchSize {
    pub(super) event: Event,
    pub(super) tools: u32,
}

/// Rows for tools nobody names, and the automata of their guards, by number from 1 (0 is none), in order.
pub(super) struct OthersRecord<'a> {
    pub(super) rows: Vec<OtherRow<'a>>,
    pub(super) automata: Vec<u32>,
}

/// A block, and the automata of its patterns, by number from 1 (0 is none), in order.
pub(super) struct BlockRecord<'a> {
    pub(super) block: Block<'a>,
    pub(super) automata: Vec<u32>,
}

/// Where everything was written. For people: deciding needs none of it.
pub(super) struct SourceMap<'a> {
    pub(super) files: Vec<Cow<'a, str>>,
    /// In the order of the blocks.
    pub(super) blocks: Vec<BlockPlaces>,
}

/// Where a block was written, and per routine its code.
pub(super) struct BlockPlaces {
    pub(super) place: SourcePlace,
    pub(super) routines: Vec<Vec<CodePlace>>,
}

/// A value that can be written into a record and read back.
pub(super) trait Wire<'a>: Sized {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError>;
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError>;
}

macro_rules! words {
    ($($word:ident)+) => { $(
        impl<'a> Wire<'a> for $word {
            fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
                (*self as u8).encode(to)
            }
            fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
                let number = u8::decode(from)?;
                let word = Self::ALL.get(usize::from(number)).copied();
                word.ok_or(DecodeError::Other(concat!("there is no such ", stringify!($word))))
            }
        }
    )+ };
}

macro_rules! records {
    ($( $name:ident $(<$life:lifetime>)? { $($field:ident)+ $(; elsewhere $($absent:ident)+)? } )+) => { $(
        impl<'a> Wire<'a> for $name $(<$life>)? {
            fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
                $( self.$field.put(to)?; )+
                Ok(())
            }
            fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
                Ok(Self { $( $field: Wire::take(from)?, )+ $($( $absent: Default::default(), )+)? })
            }
        }
    )+ };
}

// The place in `ALL` of each vocabulary, one byte: reordering one is a new format.
words! { Event Level Variable OverrideMode OnError Field Signal }

records! {
    Directory { settings watches dispatch blocks automata }
    DispatchSize { event tools }
    Settings { overrides on_error spend_cap }
    SourceMap<'a> { files blocks }
    BlockPlaces { place routines }
    SourcePlace { file line column }
    CodePlace { offset trigger place }
    ToolRow<'a> { tool blocks }
    OthersRecord<'a> { rows automata }
    OtherRow<'a> { block guards }
    BlockRecord<'a> { block automata }
    Block<'a> { id name default_level escalation resets once_per ends_turn speech texts patterns routines; elsewhere index place }
    Threshold { after level }
    Speech<'a> { hint suggested_tool suggested_action nudge warning block_reason override_prompt }
    PatternConst<'a> { source normal literals fold; elsewhere automaton }
    Routine<'a> { event code; elsewhere places }
}

impl<'a> Wire<'a> for u32 {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        self.encode(to)
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        Self::decode(from)
    }
}

impl<'a> Wire<'a> for u64 {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        self.encode(to)
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        Self::decode(from)
    }
}

impl<'a> Wire<'a> for SignalSet {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        self.bits().encode(to)
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        Self::from_bits(u8::decode(from)?).ok_or(DecodeError::Other("there is no such signal"))
    }
}

impl<'a> Wire<'a> for Subject {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        match self {
            Self::Text(field) => {
                0_u8.encode(to)?;
                field.put(to)
            }
            Self::Number(signal) => {
                1_u8.encode(to)?;
                signal.put(to)
            }
        }
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        match u8::decode(from)? {
            0 => Wire::take(from).map(Self::Text),
            1 => Wire::take(from).map(Self::Number),
            _ => Err(DecodeError::Other("there is no such kind of subject")),
        }
    }
}

impl<'a> Wire<'a> for bool {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        self.encode(to)
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        Self::decode(from)
    }
}

impl<'a> Wire<'a> for Cow<'a, str> {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        self.as_ref().encode(to)
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        <&'a str as BorrowDecode<'a, D::Context>>::borrow_decode(from).map(Cow::Borrowed)
    }
}

impl<'a> Wire<'a> for Cow<'a, [u8]> {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        self.as_ref().encode(to)
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        <&'a [u8] as BorrowDecode<'a, D::Context>>::borrow_decode(from).map(Cow::Borrowed)
    }
}

impl<'a, T: Wire<'a>> Wire<'a> for Option<T> {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        self.is_some().encode(to)?;
        self.as_ref().map_or(Ok(()), |value| value.put(to))
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        bool::decode(from)?.then(|| T::take(from)).transpose()
    }
}

impl<'a, T: Wire<'a>> Wire<'a> for Vec<T> {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        (self.len() as u64).encode(to)?;
        self.iter().try_for_each(|value| value.put(to))
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        let length = u64::decode(from)?;
        from.claim_container_read::<T>(usize::try_from(length).unwrap_or(usize::MAX))?;
        // Grown as values arrive: a length that lies costs no memory beyond what the bytes can hold.
        let mut values = Self::new();
        for _ in 0..length {
            values.push(T::take(from)?);
        }
        Ok(values)
    }
}

impl<'a> Wire<'a> for SpeechPiece<'a> {
    fn put<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        match self {
            Self::Text(text) => {
                0_u8.encode(to)?;
                text.put(to)
            }
            Self::Variable(variable) => {
                1_u8.encode(to)?;
                variable.put(to)
            }
        }
    }
    fn take<D: BorrowDecoder<'a>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        match u8::decode(from)? {
            0 => Wire::take(from).map(Self::Text),
            1 => Wire::take(from).map(Self::Variable),
            _ => Err(DecodeError::Other("there is no such kind of template piece")),
        }
    }
}

/// Hands a value to bincode, which knows its own traits only.
struct Whole<T>(T);

impl<'a, T: Wire<'a>> Encode for Whole<&T> {
    fn encode<E: Encoder>(&self, to: &mut E) -> std::result::Result<(), EncodeError> {
        self.0.put(to)
    }
}

impl<'a, T: Wire<'a>, C> BorrowDecode<'a, C> for Whole<T> {
    fn borrow_decode<D: BorrowDecoder<'a, Context = C>>(from: &mut D) -> std::result::Result<Self, DecodeError> {
        T::take(from).map(Self)
    }
}

/// A value as bytes.
pub(super) fn encode<'a>(value: &impl Wire<'a>) -> Result<Vec<u8>> {
    bincode::encode_to_vec(Whole(value), CONFIG).map_err(|error| damaged(format_args!("cannot encode: {error}")))
}

/// A value out of exactly these bytes; `what` names it in errors.
pub(super) fn decode<'a, T: Wire<'a>>(bytes: &'a [u8], what: &str) -> Result<T> {
    let (value, used) = bincode::borrow_decode_from_slice::<Whole<T>, _>(bytes, CONFIG)
        .map_err(|error| damaged(format_args!("the {what} cannot be decoded ({error})")))?;
    if used != bytes.len() {
        return Err(damaged(format_args!("the {what} has {} bytes too many", bytes.len() - used)));
    }
    Ok(value.0)
}
