//! Memory modules, from the SMBIOS tables (structures of type 17: DMTF DSP0134, 7.18). Readable for root only;
//! hypervisors fake or omit them.

use std::fs;

use base::root::Root;
use record::{Bytes, MemoryModule};

/// The type of structures of modules.
const MEMORY_DEVICE: u8 = 17;
/// The type of the last structure.
const END_OF_TABLE: u8 = 127;

/// Memory types.
const KINDS: &[(u8, &str)] = &[
    (0x07, "RAM"),
    (0x12, "DDR"),
    (0x13, "DDR2"),
    (0x18, "DDR3"),
    (0x1a, "DDR4"),
    (0x1b, "LPDDR"),
    (0x1c, "LPDDR2"),
    (0x1d, "LPDDR3"),
    (0x1e, "LPDDR4"),
    (0x1f, "non-volatile"),
    (0x20, "HBM"),
    (0x21, "HBM2"),
    (0x22, "DDR5"),
    (0x23, "LPDDR5"),
    (0x24, "HBM3"),
];

/// The installed modules; none if the tables are not readable.
pub(super) fn read(root: &Root) -> Vec<MemoryModule> {
    let table = fs::read(root.sys.join("firmware/dmi/tables/DMI")).unwrap_or_default();
    structures(&table).filter(|structure| structure.kind() == MEMORY_DEVICE).filter_map(module).collect()
}

/// One structure: its fields, and the strings that follow them.
#[derive(Clone, Copy)]
struct Structure<'a> {
    fields: &'a [u8],
    texts: &'a [u8],
}

/// The structures of a table, up to a truncated one.
fn structures(table: &[u8]) -> impl Iterator<Item = Structure<'_>> {
    let mut rest = table;
    std::iter::from_fn(move || {
        let length = usize::from(*rest.get(1)?);
        // The header is type, length and handle.
        let fields = rest.get(..length).filter(|fields| fields.len() >= 4 && fields[0] != END_OF_TABLE)?;
        let following = &rest[length..];
        let end = following.windows(2).position(|pair| pair == [0, 0])?;
        rest = &following[end + 2..];
        Some(Structure { fields, texts: &following[..end] })
    })
}

impl Structure<'_> {
    fn kind(&self) -> u8 {
        self.fields[0]
    }

    fn byte(&self, offset: usize) -> Option<u8> {
        self.fields.get(offset).copied()
    }

    fn word(&self, offset: usize) -> Option<u16> {
        Some(u16::from_le_bytes(self.fields.get(offset..offset + 2)?.try_into().ok()?))
    }

    fn double_word(&self, offset: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.fields.get(offset..offset + 4)?.try_into().ok()?))
    }

    /// The string with the number at `offset`, counted from 1.
    fn text(&self, offset: usize) -> Option<String> {
        let number = usize::from(self.byte(offset)?).checked_sub(1)?;
        let bytes = self.texts.split(|byte| *byte == 0).nth(number)?;
        let text = String::from_utf8_lossy(bytes).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// A speed: zero is unknown, 0xffff refers to the extended field.
    fn speed(&self, offset: usize, extended: usize) -> Option<u32> {
        match self.word(offset)? {
            0 => None,
            0xffff => self.double_word(extended),
            speed => Some(u32::from(speed)),
        }
    }
}

fn module(structure: Structure<'_>) -> Option<MemoryModule> {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    let size_bytes = match structure.word(0x0c)? {
        // An empty slot, and an unknown size.
        0 | 0xffff => return None,
        0x7fff => u64::from(structure.double_word(0x1c)? & 0x7fff_ffff) * MIB,
        size if size & 0x8000 != 0 => u64::from(size & 0x7fff) * KIB,
        size => u64::from(size) * MIB,
    };
    let locators = [structure.text(0x11), structure.text(0x10)];
    let slot = locators.into_iter().flatten().collect::<Vec<String>>().join(" ");
    let kind = structure.byte(0x12);
    Some(MemoryModule {
        slot: (!slot.is_empty()).then_some(slot),
        size_bytes: Bytes(size_bytes),
        kind: KINDS.iter().find(|(number, _)| Some(*number) == kind).map(|(_, name)| (*name).to_owned()),
        megatransfers_per_second_max: structure.speed(0x15, 0x54),
        megatransfers_per_second: structure.speed(0x20, 0x58),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A structure of type 17 as version 2.8 of the standard has it.
    fn device(size: u16, extended_mib: u32, kind: u8, speed: u16, configured: u16) -> Vec<u8> {
        let mut fields = vec![0u8; 0x28];
        (fields[0], fields[1]) = (MEMORY_DEVICE, 0x28);
        fields[0x0c..0x0e].copy_from_slice(&size.to_le_bytes());
        (fields[0x10], fields[0x11], fields[0x12]) = (1, 2, kind);
        fields[0x15..0x17].copy_from_slice(&speed.to_le_bytes());
        fields[0x1c..0x20].copy_from_slice(&extended_mib.to_le_bytes());
        fields[0x20..0x22].copy_from_slice(&configured.to_le_bytes());
        fields.extend(b"DIMM 0\0P0 CHANNEL A\0\0");
        fields
    }

    fn modules(table: &[u8]) -> Vec<MemoryModule> {
        structures(table).filter(|structure| structure.kind() == MEMORY_DEVICE).filter_map(module).collect()
    }

    #[test]
    fn modules_have_a_slot_a_size_a_kind_and_two_speeds() {
        // A structure without strings also ends with two zeros.
        let other = [1, 4, 0, 0, 0, 0];
        let end = [END_OF_TABLE, 4, 0, 0, 0, 0];
        let table = [
            other.to_vec(),
            device(0x7fff, 65_536, 0x22, 5600, 4800),
            device(0, 0, 2, 0, 0),
            device(16_384, 0, 0x1a, 3200, 0),
            end.to_vec(),
            device(16_384, 0, 0x1a, 3200, 0),
        ]
        .concat();
        let found = modules(&table);
        assert_eq!(found.len(), 2, "an empty slot and structures after the end are not modules");
        let first = MemoryModule {
            slot: Some("P0 CHANNEL A DIMM 0".to_owned()),
            size_bytes: Bytes::GIB.times(64),
            kind: Some("DDR5".to_owned()),
            megatransfers_per_second_max: Some(5600),
            megatransfers_per_second: Some(4800),
        };
        assert_eq!(found[0], first);
        assert_eq!((found[1].size_bytes, found[1].megatransfers_per_second), (Bytes::GIB.times(16), None));
    }

    proptest! {
        #[test]
        fn no_table_panics(bytes in proptest::collection::vec(prop_oneof![Just(17u8), Just(0), any::<u8>()], 0..300)) {
            let _ = modules(&bytes);
            let mut whole = device(0x7fff, 1, 0x22, 0xffff, 0xffff);
            whole.extend(bytes);
            prop_assert!(!modules(&whole).is_empty());
        }
    }
}
