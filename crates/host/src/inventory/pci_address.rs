//! Addresses of PCI functions in the paths of sysfs.

use std::path::Path;

/// The addresses in a path of sysfs, from the root complex down.
pub(super) fn addresses(directory: &Path) -> Vec<String> {
    let parts = directory.components().filter_map(|part| part.as_os_str().to_str());
    parts.filter(|part| is_address(part)).map(str::to_owned).collect()
}

/// Domain, bus, device and function: `0000:3b:00.0`.
fn is_address(text: &str) -> bool {
    let is_number = |text: &str, digits: std::ops::RangeInclusive<usize>| {
        digits.contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    let mut parts = text.split(':');
    let (domain, bus, device) = (parts.next(), parts.next(), parts.next());
    let device = device.and_then(|device| device.split_once('.'));
    parts.next().is_none()
        && domain.is_some_and(|domain| is_number(domain, 4..=8))
        && bus.is_some_and(|bus| is_number(bus, 2..=2))
        && device.is_some_and(|(device, function)| is_number(device, 2..=2) && is_number(function, 1..=1))
}

/// The address of the function that a directory of sysfs is below of.
pub(super) fn address_of(directory: &Path) -> Option<String> {
    addresses(&directory.canonicalize().ok()?).pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_domain_bus_device_and_function() {
        assert!(["0000:3b:00.0", "10000:01:1f.7"].into_iter().all(is_address));
        assert!(
            ["pci0000:3b", "0000:3b", "0000:3b:00", "0000:3b:00.0:pcie004", "000:3b:00.0", ""]
                .into_iter()
                .all(|text| !is_address(text))
        );
    }
}
