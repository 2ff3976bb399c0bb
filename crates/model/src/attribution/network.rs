//! The network to an engine on another host: bytes of the interface over those that it reached in the network probes, and
//! round trips over their time.

use record::{Location, Nanos, Ratio, Record, Run, Unit, name};

use super::{Resource, ResourceName};
use crate::delta::{delta, share};
use crate::distribution::quantile;
use crate::foreign::is_under_foreign_load;
use crate::verdict::is_invalid;

/// In a run whose counter in one direction has at least this share of the other one, both directions are full: what
/// confirms received bytes is a few hundredths of them, and on loopback both counters are the same.
const BOTH_WAYS_SHARE: f64 = 0.5;

/// What the network probes of a record found; for an engine that is reached by the same way.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Network {
    /// The shortest median of a round trip: processors that idle between two messages make those of one job longer.
    round_trip: Option<Nanos>,
    /// Bytes per second that the interface sent at most.
    sent: Option<f64>,
    /// Bytes per second that it received at most.
    received: Option<f64>,
}

impl Network {
    /// None where the engine is not reached by the way that was measured, as far as the record tells: an engine on
    /// another host by that to a named peer, one on this host over TCP by loopback.
    pub(super) fn of(record: &Record) -> Option<Network> {
        let path = record.plan.network.as_ref()?;
        let is_loopback = path.near.interface.as_ref().is_some_and(|interface| interface.name == "lo");
        match record.engine.as_ref()?.location {
            Location::Remote if path.peer.is_some() => {}
            Location::LocalTcp if is_loopback => {}
            _ => return None,
        }
        let probes = || {
            let valid = record.runs.iter().filter(|run| !is_invalid(run) && !is_under_foreign_load(run));
            valid.filter(|run| run.kind.is_probe() && run.layer == record::Layer::Network)
        };
        let round_trips = probes().filter(|run| run.unit == Unit::RoundTrip);
        let most = |counter, other| {
            let full = probes().filter(|run| run.unit == Unit::Byte).filter_map(|run| {
                let [rate, other] = [counter, other].map(|counter| bytes_per_second(run, counter));
                rate.filter(|rate| other.is_none_or(|other| *rate >= BOTH_WAYS_SHARE * other))
            });
            full.reduce(f64::max).filter(|most| *most > 0.0)
        };
        Some(Network {
            round_trip: round_trips.filter_map(|run| quantile(&run.service, Ratio(0.5))).min(),
            sent: most(name::INTERFACE_SENT_BYTES, name::INTERFACE_RECEIVED_BYTES),
            received: most(name::INTERFACE_RECEIVED_BYTES, name::INTERFACE_SENT_BYTES),
        })
    }

    /// The two directions of the interface, with what an operation of `run` takes of each; `rate` is that of `run`.
    pub(super) fn resources(&self, run: &Run, rate: f64) -> Vec<Resource> {
        let directions = [
            (ResourceName::NetworkSends, name::INTERFACE_SENT_BYTES, self.sent),
            (ResourceName::NetworkReceives, name::INTERFACE_RECEIVED_BYTES, self.received),
        ];
        let resource = |(name, counter, capacity)| {
            let demand_per_operation = share(bytes_per_second(run, counter)?, rate)?;
            Some(Resource { name, capacity: capacity?, demand_per_operation })
        };
        directions.into_iter().filter_map(resource).collect()
    }

    /// The share of the sum of all service times that the round trips of `run` take at least: none of them is faster than
    /// the probe's. None where the engine does not count them.
    pub(super) fn share_of_time(&self, run: &Run) -> Option<f64> {
        let round_trips = delta(run, name::CLIENT_ROUND_TRIP_COUNT)? as f64;
        share(round_trips * self.round_trip?.0 as f64, run.service.mean_ns.0 as f64 * run.service.count as f64)
    }
}

fn bytes_per_second(run: &Run, counter: &str) -> Option<f64> {
    share(delta(run, counter)? as f64, run.window_ns.seconds())
}

#[cfg(test)]
mod tests {
    use record::{EngineInventory, Layer, NetworkEnd, NetworkInterface, NetworkPath, RunKind};

    use super::*;
    use crate::attribution::{Attribution, Limiter, TimeClassName, attribute};
    use crate::distribution::tests::stored;
    use crate::fixture::{counted, engine, record as recorded, run};

    const MEBI: u64 = 1 << 20;

    fn probe(test: &str, unit: Unit, counters: &[(&str, u64)]) -> Run {
        Run { kind: RunKind::Probe, layer: Layer::Network, unit, ..counted(run(test, 1), counters) }
    }

    /// 10 s each: round trips of 1 ms, 100 MiB/s to the peer, 200 MiB/s from it, each with 2 % the other way.
    fn probes() -> Vec<Run> {
        let values: Vec<u64> = vec![1_000_000; 1_000];
        let round_trip = Run { service: stored(&values), ..probe("N11", Unit::RoundTrip, &[]) };
        let bandwidth = |test, sent, received| {
            let counters = [(name::INTERFACE_SENT_BYTES, sent), (name::INTERFACE_RECEIVED_BYTES, received)];
            probe(test, Unit::Byte, &counters)
        };
        vec![round_trip, bandwidth("N21", 1_000 * MEBI, 20 * MEBI), bandwidth("N22", 40 * MEBI, 2_000 * MEBI)]
    }

    fn test(counters: &[(&str, u64)]) -> Run {
        counted(run("T611", 4), counters)
    }

    fn with(location: Location, peer: Option<&str>, interface: &str, test: Run) -> Record {
        let mut record = recorded([probes(), vec![test]].concat());
        record.engine = Some(EngineInventory { location, ..engine() });
        let interface = NetworkInterface { name: interface.to_owned(), ..NetworkInterface::default() };
        record.plan.network = Some(NetworkPath {
            peer: peer.map(str::to_owned),
            near: NetworkEnd { interface: Some(interface), ..NetworkEnd::default() },
            ..NetworkPath::default()
        });
        record
    }

    fn limit(test: Run) -> Option<Attribution> {
        let record = with(Location::Remote, Some("db1:5250"), "eth0", test);
        attribute(&record, &record.runs[3])
    }

    #[test]
    fn a_full_direction_of_the_interface_is_the_limit() {
        let half = [(name::INTERFACE_SENT_BYTES, 500 * MEBI), (name::INTERFACE_RECEIVED_BYTES, 1_900 * MEBI)];
        let found = limit(test(&half)).unwrap();
        assert_eq!(found.limiter, Limiter::Resource(ResourceName::NetworkReceives));
        let used: Vec<(ResourceName, i64)> =
            found.uses.into_iter().map(|one| (one.name, (one.used.0 * 1_000.0).round() as i64)).collect();
        assert_eq!(used, [(ResourceName::NetworkReceives, 950), (ResourceName::NetworkSends, 500)]);
    }

    #[test]
    fn what_only_confirms_the_other_direction_is_no_capacity() {
        let mut record = with(Location::Remote, Some("db1:5250"), "eth0", test(&[]));
        record.runs.remove(1);
        let found = Network::of(&record).unwrap();
        assert_eq!((found.sent, found.received), (None, Some(200.0 * MEBI as f64)));
    }

    #[test]
    fn round_trips_are_a_share_of_the_response_time() {
        // 4 jobs for 10 s are 40 s; 30 000 round trips of 1 ms are 30 s.
        let found = limit(test(&[(name::CLIENT_ROUND_TRIP_COUNT, 30_000)])).unwrap();
        let Limiter::Serialised(class) = &found.limiter else { panic!("{found:?}") };
        assert_eq!(class.name, TimeClassName::RoundTrips);
        assert!((class.share.0 - 0.75).abs() < 0.02, "{class:?}");
        // With 20 s on processors no more than 20 s are left.
        let counters = [(name::CLIENT_ROUND_TRIP_COUNT, 30_000), (name::CLIENT_CPU_NS, 20_000_000_000)];
        let found = limit(test(&counters)).unwrap();
        let share = found.classes.iter().find(|class| class.name == TimeClassName::RoundTrips).unwrap().share;
        assert!((share.0 - 0.5).abs() < 1e-9, "{share:?}");
    }

    #[test]
    fn the_shortest_round_trip_counts_whatever_the_number_of_jobs() {
        let mut record =
            with(Location::Remote, Some("db1:5250"), "eth0", test(&[(name::CLIENT_ROUND_TRIP_COUNT, 30_000)]));
        let busy = Run { service: stored(&[100_000; 1_000]), ..probe("N11", Unit::RoundTrip, &[]) };
        record.runs.insert(1, Run { dop: record::Dop::jobs(2), ..busy });
        let share = Network::of(&record).unwrap().share_of_time(&record.runs[4]).unwrap();
        assert!((share - 0.075).abs() < 0.002, "{share}");
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        assert_eq!(limit(test(&[])), None, "nothing was counted");
        let trips = || test(&[(name::CLIENT_ROUND_TRIP_COUNT, 30_000), (name::INTERFACE_SENT_BYTES, MEBI)]);
        let none = |record: &Record| assert_eq!(attribute(record, &record.runs[3]), None);
        none(&with(Location::Remote, None, "lo", trips()));
        none(&with(Location::UnixSocket, Some("db1:5250"), "eth0", trips()));
        none(&with(Location::LocalTcp, Some("db1:5250"), "eth0", trips()));
        assert!(Network::of(&with(Location::LocalTcp, None, "lo", trips())).is_some());
        let mut unmeasured = with(Location::Remote, Some("db1:5250"), "eth0", trips());
        unmeasured.plan.network = None;
        none(&unmeasured);
        let mut failed = with(Location::Remote, Some("db1:5250"), "eth0", trips());
        for probe in &mut failed.runs[..3] {
            probe.outcome = record::Outcome::Failed { message: "the peer is gone".to_owned() };
        }
        none(&failed);
    }
}
