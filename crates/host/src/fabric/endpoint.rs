//! Where a target listens: transport, address and service.

use std::fmt;
use std::net::IpAddr;

/// A transport of NVMe over fabrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp,
    /// RDMA: RoCE, InfiniBand, iWARP.
    Rdma,
}

impl Transport {
    /// The word of the kernel, in `addr_trtype`, `transport=` and the names of modules.
    pub fn word(self) -> &'static str {
        match self {
            Transport::Tcp => "tcp",
            Transport::Rdma => "rdma",
        }
    }

    /// The transport of a word of the kernel; none for one that is not known here.
    pub fn of(word: &str) -> Option<Transport> {
        [Transport::Tcp, Transport::Rdma].into_iter().find(|transport| transport.word() == word)
    }
}

/// Where a target listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The transport.
    pub transport: Transport,
    /// The address; an unspecified one is every address of the host.
    pub address: IpAddr,
    /// The port of TCP or of the RDMA connection manager, in [1, 65535].
    pub service: u16,
}

impl Endpoint {
    /// The address family, as the kernel writes it.
    pub fn family(&self) -> &'static str {
        match self.address {
            IpAddr::V4(_) => "ipv4",
            IpAddr::V6(_) => "ipv6",
        }
    }

    /// Whether both cannot listen at the same time: the same service of the same transport, and the same address or every
    /// address of one family.
    pub(super) fn overlaps(&self, other: &Endpoint) -> bool {
        let every = self.address.is_unspecified() || other.address.is_unspecified();
        self.transport == other.transport
            && self.service == other.service
            && (self.address == other.address || every && self.family() == other.family())
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} {} port {}", self.transport.word(), self.address, self.service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str, service: u16) -> Endpoint {
        Endpoint { transport: Transport::Tcp, address: address.parse().expect("an address"), service }
    }

    #[test]
    fn every_address_of_a_family_overlaps_each_one() {
        assert!(at("127.0.0.1", 4420).overlaps(&at("127.0.0.1", 4420)));
        assert!(at("0.0.0.0", 4420).overlaps(&at("10.0.0.1", 4420)));
        assert!(at("::1", 4420).overlaps(&at("::", 4420)));
        assert!(!at("127.0.0.1", 4420).overlaps(&at("127.0.0.1", 4421)));
        assert!(!at("127.0.0.1", 4420).overlaps(&at("127.0.0.2", 4420)));
        assert!(!at("::", 4420).overlaps(&at("127.0.0.1", 4420)));
        let rdma = Endpoint { transport: Transport::Rdma, ..at("127.0.0.1", 4420) };
        assert!(!rdma.overlaps(&at("127.0.0.1", 4420)));
    }
}
