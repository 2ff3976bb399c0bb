//! Parsing of server messages. Every read is checked: a short or inconsistent message is an error.

use std::io;

use transport::malformed;

/// Reads a message body sequentially.
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

    pub(crate) fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| {
            malformed(format!("a field of {count} bytes in the last {} of a message", self.rest.len()))
        })?;
        self.rest = rest;
        Ok(taken)
    }

    fn chunk<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| malformed("a truncated number"))
    }

    pub(crate) fn byte(&mut self) -> io::Result<u8> {
        Ok(self.chunk::<1>()?[0])
    }

    pub(crate) fn int2(&mut self) -> io::Result<i16> {
        self.chunk().map(i16::from_be_bytes)
    }

    pub(crate) fn int4(&mut self) -> io::Result<i32> {
        self.chunk().map(i32::from_be_bytes)
    }

    pub(crate) fn oid(&mut self) -> io::Result<u32> {
        self.chunk().map(u32::from_be_bytes)
    }

    /// Text up to the next zero byte.
    pub(crate) fn text(&mut self) -> io::Result<&'a [u8]> {
        let length = self.rest.iter().position(|byte| *byte == 0).ok_or_else(|| malformed("an unterminated text"))?;
        let text = self.take(length)?;
        self.take(1)?;
        Ok(text)
    }

    /// A 16-bit count, unsigned.
    pub(crate) fn count(&mut self) -> io::Result<usize> {
        Ok(usize::from(self.int2()? as u16))
    }
}

/// The types of the parameters in a ParameterDescription.
pub(crate) fn parameter_types(body: &[u8]) -> io::Result<Box<[u32]>> {
    let mut reader = Reader::new(body);
    let count = reader.count()?;
    (0..count).map(|_| reader.oid()).collect()
}

/// The types of the columns in a RowDescription.
pub(crate) fn column_types(body: &[u8]) -> io::Result<Box<[u32]>> {
    let mut reader = Reader::new(body);
    let count = reader.count()?;
    (0..count)
        .map(|_| {
            reader.text()?;
            // The table's oid and the column number.
            reader.take(6)?;
            let kind = reader.oid()?;
            // Size, modifier and format of the type.
            reader.take(8)?;
            Ok(kind)
        })
        .collect()
}

/// The names of the columns of a RowDescription.
pub(crate) fn column_names(body: &[u8]) -> io::Result<Box<[String]>> {
    let mut reader = Reader::new(body);
    let count = reader.count()?;
    (0..count)
        .map(|_| {
            let name = String::from_utf8_lossy(reader.text()?).into_owned();
            // Table, column number, type, size, modifier and format.
            reader.take(18)?;
            Ok(name)
        })
        .collect()
}

/// The fields of a DataRow, `None` for null.
pub(crate) fn fields(body: &[u8]) -> io::Result<Fields<'_>> {
    let mut reader = Reader::new(body);
    let left = reader.count()?;
    Ok(Fields { reader, left })
}

/// Iterates over the fields.
pub(crate) struct Fields<'a> {
    reader: Reader<'a>,
    left: usize,
}

impl<'a> Fields<'a> {
    /// Number of remaining fields.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    fn read(&mut self) -> io::Result<Option<&'a [u8]>> {
        match self.reader.int4()? {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).map_err(|_| malformed(format!("a field of {length} bytes")))?;
                self.reader.take(length).map(Some)
            }
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = io::Result<Option<&'a [u8]>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.read())
    }
}

/// The number at the end of a CommandComplete (`INSERT 0 5`, `SELECT 5`); 0 if there is none (`CALL`).
pub(crate) fn affected(body: &[u8]) -> u64 {
    let text = body.strip_suffix(&[0]).unwrap_or(body);
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    text[text.len() - digits..]
        .iter()
        .fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_number_of_a_command_tag_is_the_count() {
        assert_eq!(affected(b"INSERT 0 5\0"), 5);
        assert_eq!(affected(b"SELECT 1234\0"), 1234);
        assert_eq!(affected(b"UPDATE 0\0"), 0);
        assert_eq!(affected(b"CALL\0"), 0);
        assert_eq!(affected(b""), 0);
        assert_eq!(affected(b"99999999999999999999999\0"), u64::MAX);
    }

    #[test]
    fn a_row_gives_its_fields_and_nulls() {
        let body = [0, 3, 0, 0, 0, 2, b'a', b'b', 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
        let row: Vec<_> = fields(&body).unwrap().map(Result::unwrap).collect();
        assert_eq!(row, [Some(&b"ab"[..]), None, Some(&b""[..])]);
    }

    #[test]
    fn a_row_that_promises_more_than_it_holds_is_an_error() {
        let short = [0, 1, 0, 0, 0, 9, b'a'];
        assert!(fields(&short).unwrap().any(|field| field.is_err()));
        let negative = [0, 1, 0xff, 0xff, 0xff, 0xfe];
        assert!(fields(&negative).unwrap().any(|field| field.is_err()));
        assert!(fields(&[0]).is_err());
    }

    #[test]
    fn a_row_description_gives_the_types() {
        let mut body = vec![0, 1];
        body.extend_from_slice(b"id\0");
        body.extend_from_slice(&[0, 0, 0, 1, 0, 1, 0, 0, 0, 20, 0, 8, 0xff, 0xff, 0xff, 0xff, 0, 0]);
        assert_eq!(&*column_types(&body).unwrap(), &[20]);
        assert!(column_types(&body[..body.len() - 1]).is_err());
        assert_eq!(&*column_names(&body).unwrap(), ["id"]);
        assert!(column_names(&body[..body.len() - 1]).is_err());
        assert!(parameter_types(&[0, 2, 0, 0, 0, 20]).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_bodies_never_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = column_types(&body);
            let _ = column_names(&body);
            let _ = parameter_types(&body);
            let _ = affected(&body);
            if let Ok(row) = fields(&body) {
                for field in row {
                    if field.is_err() {
                        break;
                    }
                }
            }
        }
    }
}
