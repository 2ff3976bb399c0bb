//! Networks: what is left of the rate of a link for data.

use record::Rate;

/// Preamble, header, check sequence and gap of an Ethernet frame (IEEE 802.3).
const ETHERNET_BYTES: f64 = 38.0;
/// Headers of IPv4 and TCP with timestamps (RFC 791, 9293, 7323).
const TCP_BYTES: f64 = 52.0;
/// All that surrounds the payload of a RoCEv2 packet, the Ethernet frame included.
const ROCE_BYTES: f64 = 82.0;
/// Headers and checksums of an InfiniBand packet within a subnet.
const INFINIBAND_BYTES: f64 = 26.0;

/// Basic header segment of an iSCSI PDU, digests not included (RFC 7143); these are 4 bytes each.
pub const ISCSI_HEADER_BYTES: f64 = 48.0;
/// Header of a data PDU of NVMe over TCP, the common header included (NVMe TCP Transport Specification 1.0).
pub const NVME_TCP_HEADER_BYTES: f64 = 24.0;

/// The share of an Ethernet link that is data of TCP with timestamps, for a maximum transmission unit above 52 bytes.
pub fn tcp_share(mtu_bytes: f64) -> f64 {
    (mtu_bytes - TCP_BYTES) / (mtu_bytes + ETHERNET_BYTES)
}

/// The share of an Ethernet link that is data of RoCEv2 in packets of `payload_bytes`.
pub fn roce_share(payload_bytes: f64) -> f64 {
    payload_bytes / (payload_bytes + ROCE_BYTES)
}

/// The share of an InfiniBand link that is data in packets of `payload_bytes`.
pub fn infiniband_share(payload_bytes: f64) -> f64 {
    payload_bytes / (payload_bytes + INFINIBAND_BYTES)
}

/// The share of a stream that is data, where every `data_bytes` have a header of `header_bytes`.
pub fn pdu_share(data_bytes: f64, header_bytes: f64) -> f64 {
    data_bytes / (data_bytes + header_bytes)
}

/// Bytes per second of TCP data over a link of so many 10^9 bits per second.
pub fn ethernet_goodput(gigabits: f64, mtu_bytes: f64) -> Rate {
    Rate(gigabits * 1e9 / 8.0 * tcp_share(mtu_bytes))
}

/// Processors that so many I/Os per second need. Cycles per I/O are to be measured: over TCP they and not the wire are
/// the limit.
pub fn cores_for_io(per_second: Rate, cycles_per_io: f64, core_hertz: f64) -> f64 {
    per_second.0 * cycles_per_io / core_hertz
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ethernet_as_in_the_table() {
        assert_eq!(format!("{:.2}", tcp_share(1500.0) * 100.0), "94.15");
        assert_eq!(format!("{:.1}", tcp_share(9000.0) * 100.0), "99.0");
        let table = [
            (10.0, "1.18", "1.24"),
            (25.0, "2.94", "3.09"),
            (100.0, "11.77", "12.38"),
            (200.0, "23.54", "24.75"),
            (400.0, "47.07", "49.50"),
            (800.0, "94.15", "99.00"),
        ];
        for (gigabits, small, large) in table {
            let found = |mtu| format!("{:.2}", ethernet_goodput(gigabits, mtu).0 / 1e9);
            assert_eq!((found(1500.0).as_str(), found(9000.0).as_str()), (small, large));
        }
    }

    #[test]
    fn packets_of_other_fabrics() {
        let percent = |share: f64| format!("{:.1}", share * 100.0);
        assert_eq!([1024.0, 4096.0].map(|bytes| percent(roce_share(bytes))), ["92.6", "98.0"]);
        assert_eq!([1024.0, 4096.0].map(|bytes| percent(infiniband_share(bytes))), ["97.5", "99.4"]);
        assert_eq!(percent(pdu_share(8192.0, ISCSI_HEADER_BYTES)), "99.4");
        assert_eq!(percent(pdu_share(4096.0, NVME_TCP_HEADER_BYTES)), "99.4");
    }

    #[test]
    fn io_costs_processors() {
        assert_eq!(cores_for_io(Rate(1e6), 30_000.0, 3e9), 10.0);
    }
}
