//! The `format` files of tracepoints: offsets of the fields of an event.

use std::fmt;

/// Position of a field in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// From the start of the event, bytes.
    pub offset: usize,
    pub size: usize,
}

/// A parsed `format` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Format {
    /// The number of the tracepoint; absent in the description of a page of a ring buffer.
    pub id: Option<u64>,
    fields: Vec<(String, Field)>,
}

impl Format {
    /// Parses a `format` file: `ID: 2105`, and lines such as `field:char rwbs[10]; offset:34; size:10; signed:0;`.
    /// Other lines are skipped; of duplicate fields the first one applies.
    pub(crate) fn parse(text: &str) -> Format {
        let id = text.lines().find_map(|line| line.strip_prefix("ID:")?.trim().parse().ok());
        Format { id, fields: text.lines().filter_map(field).collect() }
    }

    /// The position of the field `name`.
    pub(crate) fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, field)| *field)
    }

    /// The bytes of the field `name` of `event`.
    pub(crate) fn bytes<'e>(&self, name: &str, event: &'e [u8]) -> Option<&'e [u8]> {
        let Field { offset, size } = self.field(name)?;
        event.get(offset..offset.checked_add(size)?)
    }

    /// The field `name` of `event`, an unsigned number in host byte order.
    pub(crate) fn number(&self, name: &str, event: &[u8]) -> Option<u64> {
        number(self.bytes(name, event)?)
    }

    /// The text of the field `name` of `event`, up to the first zero byte.
    pub(crate) fn letters<'e>(&self, name: &str, event: &'e [u8]) -> Option<&'e [u8]> {
        let bytes = self.bytes(name, event)?;
        bytes.split(|byte| *byte == 0).next()
    }
}

/// A number of one, two, four or eight bytes.
pub(crate) fn number(bytes: &[u8]) -> Option<u64> {
    match bytes.len() {
        1 => bytes.first().map(|byte| u64::from(*byte)),
        2 => bytes.try_into().ok().map(|bytes| u64::from(u16::from_ne_bytes(bytes))),
        4 => bytes.try_into().ok().map(|bytes| u64::from(u32::from_ne_bytes(bytes))),
        8 => bytes.try_into().ok().map(u64::from_ne_bytes),
        _ => None,
    }
}

/// One line of a field.
fn field(line: &str) -> Option<(String, Field)> {
    let mut parts = line.trim().strip_prefix("field:")?.split(';').map(str::trim);
    let declared = parts.next()?.split_whitespace().next_back()?;
    let name = declared.split('[').next().filter(|name| !name.is_empty())?;
    let mut offset = None;
    let mut size = None;
    for part in parts {
        match part.split_once(':') {
            Some(("offset", value)) => offset = value.trim().parse().ok(),
            Some(("size", value)) => size = value.trim().parse().ok(),
            _ => {}
        }
    }
    Some((name.to_owned(), Field { offset: offset?, size: size? }))
}

impl fmt::Display for Format {
    /// As a `format` file, without types.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id {
            writeln!(to, "ID: {id}")?;
        }
        self.fields.iter().try_for_each(|(name, Field { offset, size })| {
            writeln!(to, "\tfield:unsigned int {name};\toffset:{offset};\tsize:{size};\tsigned:0;")
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// From Linux 6.18 on x86_64.
    const ISSUE: &str = include_str!("../tests/fixture/block_rq_issue.format");

    #[test]
    fn the_format_of_a_kernel_is_read() {
        let format = Format::parse(ISSUE);
        assert_eq!(format.id, Some(2_104));
        let at = |name| format.field(name).map(|field| (field.offset, field.size));
        assert_eq!(at("common_type"), Some((0, 2)));
        assert_eq!(at("dev"), Some((8, 4)));
        assert_eq!(at("sector"), Some((16, 8)));
        assert_eq!((at("nr_sector"), at("bytes")), (Some((24, 4)), Some((28, 4))));
        assert_eq!(at("rwbs"), Some((34, 10)), "the length of an array is not part of its name");
        assert_eq!(at("cmd"), Some((60, 4)));
        assert_eq!(at("print"), None);
    }

    #[test]
    fn fields_are_read_from_an_event_but_not_beyond_its_end() {
        let format = Format::parse(ISSUE);
        let mut event = [0; 64];
        event[16..24].copy_from_slice(&77_u64.to_ne_bytes());
        event[34..37].copy_from_slice(b"WS\0");
        assert_eq!((format.number("sector", &event), format.letters("rwbs", &event)), (Some(77), Some(&b"WS"[..])));
        assert_eq!((format.number("rwbs", &event), format.number("nothing", &event)), (None, None));
        assert_eq!((format.number("sector", &event[..23]), format.letters("rwbs", &event[..40])), (None, None));
    }

    #[test]
    fn the_first_of_duplicate_fields_applies() {
        let text =
            "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: int commit;\toffset:9;\tsize:1;\n";
        assert_eq!(Format::parse(text).field("commit"), Some(Field { offset: 8, size: 8 }));
    }

    proptest! {
        #[test]
        fn a_written_format_is_parsed(
            id: Option<u64>, fields in prop::collection::vec(("[a-z_]{1,12}", 0usize..9_999, 0usize..99), 0..8),
        ) {
            let mut fields: Vec<(String, Field)> =
                fields.into_iter().map(|(name, offset, size)| (name, Field { offset, size })).collect();
            fields.dedup_by(|one, other| one.0 == other.0);
            let format = Format { id, fields };
            prop_assert_eq!(Format::parse(&format.to_string()), format);
        }

        #[test]
        fn no_text_and_no_event_panics(
            text in "((ID:|\tfield:)?[a-z ]{0,9}(\\[[0-9]*\\])?;?(\toffset:[0-9]{0,30};)?(\tsize:[0-9]{0,30};)?\\PC*\n)*",
            event in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let format = Format::parse(&text);
            for (name, _) in &format.fields {
                let _ = (format.number(name, &event), format.letters(name, &event));
            }
        }
    }
}
