//! Parsing of server payloads. Every read is checked: a short or inconsistent payload is an error.
//!
//! Source: MySQL "Client/Server Protocol" and MariaDB "Clients & Server Protocol".

use std::io;

use transport::malformed;

/// Flags of the server's status, in every OK and EOF.
pub(crate) mod status {
    /// A transaction is open.
    pub(crate) const IN_TRANSACTION: u16 = 0x0001;
    /// Another result follows.
    pub(crate) const MORE_RESULTS: u16 = 0x0008;
}

/// Reads a payload sequentially.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(body: &'a [u8]) -> Reader<'a> {
        Reader { rest: body }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| {
            malformed(format!("a field of {count} bytes in the last {} of a packet", self.rest.len()))
        })?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    pub(crate) fn chunk<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or_else(|| malformed("a truncated number"))?;
        self.rest = rest;
        Ok(*taken)
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> io::Result<u8> {
        Ok(self.chunk::<1>()?[0])
    }

    #[inline]
    pub(crate) fn int2(&mut self) -> io::Result<u16> {
        self.chunk().map(u16::from_le_bytes)
    }

    pub(crate) fn int4(&mut self) -> io::Result<u32> {
        self.chunk().map(u32::from_le_bytes)
    }

    /// A length-encoded integer.
    #[inline]
    pub(crate) fn number(&mut self) -> io::Result<u64> {
        match self.byte()? {
            short @ 0..=0xfa => Ok(short.into()),
            0xfc => Ok(self.int2()?.into()),
            0xfd => self.chunk::<3>().map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0]).into()),
            0xfe => self.chunk().map(u64::from_le_bytes),
            // 0xfb is null in a text row, 0xff is an error packet.
            other => Err(malformed(format!("a length that starts with {other:#04x}"))),
        }
    }

    /// Length-encoded bytes.
    #[inline]
    pub(crate) fn bytes(&mut self) -> io::Result<&'a [u8]> {
        let length =
            usize::try_from(self.number()?).map_err(|_| malformed("a length that exceeds the address space"))?;
        self.take(length)
    }

    /// Text up to the next zero byte, or to the end.
    pub(crate) fn text(&mut self) -> &'a [u8] {
        let length = self.rest.iter().position(|byte| *byte == 0);
        let (text, rest) = self.rest.split_at(length.unwrap_or(self.rest.len()));
        self.rest = rest.get(1..).unwrap_or_default();
        text
    }
}

/// Contents of an OK packet, or of the packet that ends a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) affected: u64,
    pub(crate) status: u16,
    pub(crate) warnings: u16,
}

/// Result of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandResult {
    /// Changed rows of the last result that changes rows.
    pub(crate) affected: u64,
    /// Whether one of the results was rows.
    pub(crate) returned_rows: bool,
    /// Number of results.
    pub(crate) results: u64,
    pub(crate) warnings: u16,
}

/// Reads an OK; its first byte is 0x00, or 0xfe at the end of a result.
#[inline]
pub(crate) fn done(body: &[u8]) -> io::Result<Done> {
    let mut reader = Reader::new(body);
    reader.byte()?;
    let affected = reader.number()?;
    // The last value of an auto-increment column.
    reader.number()?;
    Ok(Done { affected, status: reader.int2()?, warnings: reader.int2()? })
}

/// Whether `body` ends the rows of a result. A row may start with 0xfe too, but only if it is longer than a packet.
#[inline]
pub(crate) fn ends_rows(body: &[u8]) -> bool {
    body.first() == Some(&0xfe) && body.len() < crate::wire::PAYLOAD_BYTES_MAX
}

/// A column of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResultColumn {
    /// `enum_field_types`.
    pub(crate) kind: u8,
    pub(crate) unsigned: bool,
}

/// Reads the definition of a column.
pub(crate) fn column(body: &[u8]) -> io::Result<ResultColumn> {
    const UNSIGNED: u16 = 0x20;
    let mut reader = Reader::new(body);
    // Catalogue, schema, table, original table, name, original name.
    for _ in 0..6 {
        reader.bytes()?;
    }
    // The length of what follows, character set, length of the column.
    reader.number()?;
    reader.take(6)?;
    let kind = reader.byte()?;
    let flags = reader.int2()?;
    Ok(ResultColumn { kind, unsigned: flags & UNSIGNED != 0 })
}

/// Reads the name from the definition of a column.
pub(crate) fn column_name(body: &[u8]) -> io::Result<String> {
    let mut reader = Reader::new(body);
    // Catalogue, schema, table, original table.
    for _ in 0..4 {
        reader.bytes()?;
    }
    Ok(String::from_utf8_lossy(reader.bytes()?).into_owned())
}

/// The first packet of a response to PREPARE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrepareHead {
    pub(crate) id: u32,
    pub(crate) columns: usize,
    pub(crate) parameters: usize,
}

/// Reads the first packet of a response to PREPARE; the definitions follow in separate packets.
pub(crate) fn prepare_head(body: &[u8]) -> io::Result<PrepareHead> {
    let mut reader = Reader::new(body);
    reader.byte()?;
    Ok(PrepareHead { id: reader.int4()?, columns: reader.int2()?.into(), parameters: reader.int2()?.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_has_the_length_of_its_first_byte() {
        let read = |bytes: &[u8]| Reader::new(bytes).number().ok();
        assert_eq!(read(&[250]), Some(250));
        assert_eq!(read(&[0xfc, 1, 2]), Some(0x0201));
        assert_eq!(read(&[0xfd, 1, 2, 3]), Some(0x03_0201));
        assert_eq!(read(&[0xfe, 1, 0, 0, 0, 0, 0, 0, 0x80]), Some(1 << 63 | 1));
        for broken in [&[][..], &[0xfb], &[0xff], &[0xfc, 1], &[0xfe, 1]] {
            assert_eq!(read(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn an_ok_says_what_was_done() {
        let body = [0, 0xfc, 0x10, 0x27, 5, 0x03, 0, 2, 0, b'x'];
        assert_eq!(done(&body).unwrap(), Done { affected: 10_000, status: 3, warnings: 2 });
        assert!(done(&body[..6]).is_err());
    }

    #[test]
    fn a_column_has_a_type_and_a_sign() {
        let mut body = vec![3, b'd', b'e', b'f', 0, 0, 0, 1, b'c', 0, 0x0c, 63, 0, 20, 0, 0, 0, 8];
        body.extend_from_slice(&[0x21, 0, 0, 0, 0]);
        assert_eq!(column(&body).unwrap(), ResultColumn { kind: 8, unsigned: true });
        assert!(column(&body[..18]).is_err());
        assert_eq!(column_name(&body).unwrap(), "c");
        assert!(column_name(&body[..8]).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_bodies_never_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = done(&body);
            let _ = (column(&body), column_name(&body));
            let _ = prepare_head(&body);
            let mut reader = Reader::new(&body);
            while !reader.is_empty() && reader.bytes().is_ok() {}
            reader.text();
        }
    }
}
