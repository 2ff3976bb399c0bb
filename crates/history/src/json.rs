//! JSON of others, as a stream: samples are handed on as they come, so that a file need not be in memory.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::encoding::BYTE_ORDER_MARK;
use crate::error::{Error, Result};
use crate::limit::{FILE_BYTES_MAX, STRING_BYTES_MAX};

/// Bytes of a JSON text, with a limit on each of its strings, which the parser keeps whole. Bytes that are no UTF-8 are not
/// allowed in strings; they become the question mark.
struct Limited<R> {
    input: R,
    string_bytes: usize,
    is_in_string: bool,
    is_escaped: bool,
    read_bytes: u64,
}

impl<R: BufRead> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.read_bytes += count as u64;
        if self.read_bytes > FILE_BYTES_MAX {
            return Err(io::Error::other(format!("it has more than {FILE_BYTES_MAX} bytes")));
        }
        for byte in &mut buffer[..count] {
            match *byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => {
                    self.is_in_string = !self.is_in_string;
                    self.string_bytes = 0;
                }
                // Names alone have such letters, and those are in no figure.
                0x80.. => *byte = b'?',
                _ => {}
            }
            self.string_bytes += 1;
            if self.string_bytes > STRING_BYTES_MAX {
                return Err(io::Error::other(format!("it has more than {STRING_BYTES_MAX} bytes without a quote")));
            }
        }
        Ok(count)
    }
}

/// Whether a text ended where it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    Cut,
}

/// Reads an object by `walk`, which keeps what it got until then: a text that is cut is no error.
///
/// # Errors
/// Where it is none, or cannot be read.
pub(crate) fn read<R: BufRead, W: Walk>(mut input: R, walk: &mut W) -> Result<End> {
    if input.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
        input.consume(BYTE_ORDER_MARK.len());
    }
    let limited = Limited { input, string_bytes: 0, is_in_string: false, is_escaped: false, read_bytes: 0 };
    // The parser asks for one byte at a time.
    let mut parser = serde_json::Deserializer::from_reader(io::BufReader::with_capacity(1 << 16, limited));
    match ObjectOf(walk).deserialize(&mut parser) {
        Ok(()) => Ok(End::Complete),
        Err(error) if error.is_eof() => Ok(End::Cut),
        Err(error) if error.is_io() => Err(Error::from(io::Error::from(error))),
        Err(error) => {
            let line = error.line() as u64;
            let message = format!("the file is no JSON of its form: {}", crate::error::shown(&error.to_string()));
            Err(Error::new(message, "give it as it was written").at(line))
        }
    }
}

/// What takes the members of an object.
pub(crate) trait Walk {
    /// Takes the value of `key` from `map`, as what it has to be, or as [`ignored`].
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> std::result::Result<(), A::Error>;
}

/// Passes over a value.
pub(crate) fn ignored<'de, A: MapAccess<'de>>(map: &mut A) -> std::result::Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(|_| ())
}

/// An object whose members a walk takes.
pub(crate) struct ObjectOf<'a, W>(pub(crate) &'a mut W);

impl<'de, W: Walk> DeserializeSeed<'de> for ObjectOf<'_, W> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, W: Walk> Visitor<'de> for ObjectOf<'_, W> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.member(&key, &mut map)?;
        }
        Ok(())
    }
}

/// An array of objects that a walk takes one after the other.
pub(crate) struct ArrayOf<'a, W>(pub(crate) &'a mut W);

impl<'de, W: Walk> DeserializeSeed<'de> for ArrayOf<'_, W> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, W: Walk> Visitor<'de> for ArrayOf<'_, W> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> std::result::Result<(), A::Error> {
        while array.next_element_seed(ObjectOf(&mut *self.0))?.is_some() {}
        Ok(())
    }
}

/// An array of values of one type, which are handed on one after the other.
pub(crate) struct Each<T, F>(pub(crate) F, pub(crate) PhantomData<T>);

impl<'de, T: Deserialize<'de>, F: FnMut(T)> DeserializeSeed<'de> for Each<T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T)> Visitor<'de> for Each<T, F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> std::result::Result<(), A::Error> {
        while let Some(element) = array.next_element::<T>()? {
            (self.0)(element);
        }
        Ok(())
    }
}

/// A number, also one in quotes; absent where it is neither.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Number(pub(crate) Option<f64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Number, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number")
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Number, E> {
        Ok(Number(Some(value)))
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Number, E> {
        Ok(Number(Some(value as f64)))
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Number, E> {
        Ok(Number(Some(value as f64)))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Number, E> {
        Ok(Number(crate::number::plain(text)))
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<Number, E> {
        Ok(Number(None))
    }

    fn visit_unit<E>(self) -> std::result::Result<Number, E> {
        Ok(Number(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Number, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Number(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> std::result::Result<Number, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Number(None))
    }
}
