//! The form in which a record is written: a line for each field, and for each list of numbers or words one line in all,
//! so that a person can read it and a series of a thousand numbers is not a thousand lines.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// Indented JSON in which lists of plain values lie on one line.
#[derive(Default)]
pub(crate) struct Lines {
    /// Of each list and object that is open, the outermost first, whether its content has lines of its own.
    open: Vec<bool>,
    /// The next value belongs to a list and nothing is written in front of it yet: whether it is the list's first.
    next: Option<bool>,
}

impl Lines {
    /// Before a plain value.
    fn plain<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.next.take() {
            Some(false) => writer.write_all(b", "),
            Some(true) | None => Ok(()),
        }
    }

    /// Before an object or a list: inside a list it begins a line.
    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if let Some(first) = self.next.take() {
            self.line(writer, first)?;
        }
        self.open.push(false);
        writer.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.open.pop() == Some(true) {
            writer.write_all(b"\n")?;
            self.indent(writer)?;
        }
        writer.write_all(bracket)
    }

    /// Begins a line for something inside the innermost list or object.
    fn line<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if let Some(lines) = self.open.last_mut() {
            *lines = true;
        }
        writer.write_all(if first { b"\n" } else { b",\n" })?;
        self.indent(writer)
    }

    fn indent<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        self.open.iter().try_for_each(|_| writer.write_all(b"  "))
    }
}

/// Methods that write a plain value: what separates it from the one before, then what the compact form has.
macro_rules! plain_values {
    ($($name:ident: $type:ty),*) => {
        $(fn $name<W: ?Sized + Write>(&mut self, writer: &mut W, value: $type) -> io::Result<()> {
            self.plain(writer)?;
            serde_json::ser::CompactFormatter.$name(writer, value)
        })*
    };
}

impl Formatter for Lines {
    plain_values! {
        write_bool: bool, write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128, write_u8: u8,
        write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128, write_f32: f32, write_f64: f64,
        write_number_str: &str
    }

    fn write_null<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.plain(writer)?;
        writer.write_all(b"null")
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.plain(writer)?;
        writer.write_all(b"\"")
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, _: &mut W, first: bool) -> io::Result<()> {
        self.next = Some(first);
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.line(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::ser::Serializer;
    use serde_json::{Value, json};

    use super::*;

    fn written(value: &Value) -> String {
        let mut text = Vec::new();
        value.serialize(&mut Serializer::with_formatter(&mut text, Lines::default())).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_series_lies_on_one_line_and_an_object_on_many() {
        let value = json!({"a": [1, -2, 0.5, null, true, "x\n"], "b": [{"c": [[1, 2], []]}, {}], "d": {}});
        let lines = [
            "{",
            "  \"a\": [1, -2, 0.5, null, true, \"x\\n\"],",
            "  \"b\": [",
            "    {",
            "      \"c\": [",
            "        [1, 2],",
            "        []",
            "      ]",
            "    },",
            "    {}",
            "  ],",
            "  \"d\": {}",
            "}",
        ];
        assert_eq!(written(&value), lines.join("\n"));
        assert_eq!(serde_json::from_str::<Value>(&written(&value)).unwrap(), value);
    }

    #[test]
    fn a_plain_value_may_stand_beside_an_object() {
        let value = json!([1, {"a": 2}, 3]);
        assert_eq!(serde_json::from_str::<Value>(&written(&value)).unwrap(), value);
    }
}
