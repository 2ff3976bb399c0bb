//! Published tables and studies against the bounds of platforms on paper.

use record::{Bytes, Rate, Ratio};

use super::*;
use crate::platform::{Basis, FlashCache, Generation, InfiniBand, Redundancy};
use crate::{PriceBook, PriceItem, PriceKind};

fn origin() -> Origin {
    Origin { basis: Basis::Rated, source: None }
}

fn link(name: &str, generation: Generation, lanes: u32, above: Option<&str>) -> Link {
    Link { origin: origin(), name: name.to_owned(), generation, lanes, above: above.map(str::to_owned) }
}

fn drives(count: u32, read_rate: f64) -> Drive {
    Drive {
        origin: origin(),
        name: "data".to_owned(),
        count,
        link: None,
        above: None,
        capacity: None,
        read_iops: None,
        write_iops: None,
        read_rate: Some(Rate(read_rate)),
        write_rate: None,
        read_seconds: None,
        endurance: None,
        spare: None,
        price: None,
    }
}

fn volume(redundancy: Redundancy) -> Volume {
    let drives = "data".to_owned();
    Volume { origin: origin(), drives, redundancy, data_fragments: 0, chunk: None, write_cache: None }
}

fn network(wire: Wire, ports: u32) -> Network {
    let (protocol, mtu_bytes) = match wire {
        Wire::InfiniBand(_) => (Protocol::Rdma, 4_096.0),
        _ => (Protocol::Tcp, 1_500.0),
    };
    Network {
        origin: origin(),
        wire,
        ports,
        protocol,
        mtu_bytes,
        cycles_per_io: None,
        kilometres: None,
        above: None,
        price: None,
    }
}

fn memory(megatransfers: f64) -> Memory {
    Memory {
        origin: origin(),
        sockets: 1,
        channels: 1,
        megatransfers: Some(megatransfers),
        rate: None,
        size: None,
        latency_ns: None,
        remote_latency_ns: None,
        remote_share: None,
        lines_in_flight: None,
        price: None,
    }
}

fn processor(sockets: u32) -> Processor {
    Processor {
        origin: origin(),
        sockets,
        cores: 16,
        threads_per_core: 2,
        smt_yield: Some(1.25),
        clock_hertz: Some(3e9),
        price: Some(4_500.0),
    }
}

#[test]
fn the_published_table_of_links_is_that_of_the_line_code_within_two_percent() {
    use Generation::{Gen1, Gen2, Gen3, Gen4, Gen5, Gen6, Gen7};
    // abakus-nvmeof-2024: GB/s of x1, x4, x16.
    let table = [
        (Gen1, [0.25, 1.0, 4.0]),
        (Gen2, [0.5, 2.0, 8.0]),
        (Gen3, [1.0, 4.0, 16.0]),
        (Gen4, [2.0, 8.0, 32.0]),
        (Gen5, [4.0, 16.0, 64.0]),
        (Gen6, [7.5, 30.0, 120.0]),
        (Gen7, [15.0, 60.0, 240.0]),
    ];
    for (generation, published) in table {
        for (lanes, gigabytes) in [1, 4, 16].into_iter().zip(published) {
            let rate = generation.link(lanes).0 / 1e9;
            assert!((rate / gigabytes - 1.0).abs() < 0.02, "{generation:?} x{lanes}: {rate} for {gigabytes}");
            assert!(link("a", generation, lanes, None).carries().0 < rate * 1e9, "data are less than packets");
        }
    }
}

#[test]
fn the_published_table_of_memory_modules() {
    // abakus-nvmeof-2024: MB/s per module.
    for (megatransfers, megabytes) in
        [(400.0, 3_200.0), (800.0, 6_400.0), (1_600.0, 12_800.0), (3_200.0, 25_600.0), (4_800.0, 38_400.0)]
    {
        let plan = PlatformPlan { memory: Some(memory(megatransfers)), ..PlatformPlan::default() };
        assert_eq!(bounds(&plan)[0].available, megabytes * 1e6);
    }
}

#[test]
fn memory_that_is_nearly_full_at_its_peak_is_not_known_to_fit() {
    use crate::claim::FitVerdict;
    let of = |share: f64, memory: Memory| {
        // 25.6 GB/s at the peak, of which programs reach 75 to 88 %.
        let required = Required { scan_rate: Some(Rate(share * 25.6e9)), ..Required::default() };
        fits(&bounds(&PlatformPlan { memory: Some(memory), required, ..PlatformPlan::default() }))
    };
    assert_eq!(of(0.7, memory(3_200.0)), Some(FitVerdict::Fits));
    assert_eq!(of(0.95, memory(3_200.0)), Some(FitVerdict::NotKnown));
    assert_eq!(of(1.05, memory(3_200.0)), Some(FitVerdict::DoesNotFit));
    let measured = Memory { rate: Some(Rate(25.6e9)), ..memory(3_200.0) };
    assert_eq!(of(0.95, measured), Some(FitVerdict::Fits), "what was reached is no peak");
    assert_eq!(fits(&bounds(&PlatformPlan { memory: Some(memory(3_200.0)), ..PlatformPlan::default() })), None);
}

#[test]
fn of_hosts_switch_and_disks_the_switch_decides() {
    // abakus-nvmeof-2024: hosts with 8 + 16 lanes, a switch with 16, disks of 24 x 1.2 = 28.8 GB/s.
    let generation = Generation::Gen3;
    let switch = link("switch", generation, 16, None);
    let hosts = [link("one", generation, 8, Some("switch")), link("two", generation, 16, Some("switch"))];
    let plan = PlatformPlan { links: [std::slice::from_ref(&switch), &hosts[..]].concat(), ..PlatformPlan::default() };
    let found = oversubscribed(&plan);
    assert_eq!((found.len(), found[0].name.as_str()), (1, "switch"));
    assert!((found[0].ratio - 1.5).abs() < 1e-12);

    let disks = Drive { above: Some("switch".to_owned()), ..drives(24, 1.2e9) };
    let plan = PlatformPlan { links: vec![switch], drives: vec![disks], ..PlatformPlan::default() };
    let found = bounds(&plan);
    assert_eq!(found[0].part, Part::Link("switch".to_owned()));
    let of_drives = found.iter().find(|bound| bound.part == Part::Drives("data".to_owned())).unwrap();
    assert!((of_drives.available - 28.8e9).abs() < 1.0);
    let load = &oversubscribed(&plan)[0];
    assert!((load.ratio - 28.8e9 / load.carries.0).abs() < 1e-12);
    assert!((load.each.unwrap().0.0 - load.carries.0 / 24.0).abs() < 1e-3, "all drives share it");
}

#[test]
fn published_rates_are_within_the_bounds_of_their_networks() {
    let gigabit = |ports| network(Wire::Ethernet { gigabits: 1.0 }, ports);
    let ten = network(Wire::Ethernet { gigabits: 10.0 }, 1);
    let (edr, ddr) = (InfiniBand::Edr, InfiniBand::Ddr);
    let cases = [
        // closson-1999-2010: a load, scans and random reads of 8 KiB over NFS.
        (gigabit(2), 230e6, 0.97),
        (gigabit(4), 460e6, 0.97),
        (gigabit(1), 12_000.0 * 8_192.0, 0.83),
        (ten, 1.0e9, 0.84),
        (network(Wire::InfiniBand(ddr), 1), 1.2e9, 0.6),
        // bolinski-nvmesh-2018: calibration over one port, and two.
        (network(Wire::InfiniBand(edr), 1), 11_034e6, 0.88),
        (network(Wire::InfiniBand(edr), 2), 1_510_657.0 * 8_192.0, 0.49),
    ];
    for (network, published, least) in cases {
        let share = published / network.carries(None).0;
        assert!((least..=1.0).contains(&share), "{share} of {network:?}");
    }
}

#[test]
fn a_published_log_write_bounds_the_commits_of_one_session() {
    // bolinski-nvmesh-2018: log file parallel write of 70.72 µs on average.
    let commit = Commit {
        origin: origin(),
        flush_seconds: 70.72e-6,
        group: 1.0,
        cpu_seconds: 0.0,
        remote_flush_seconds: None,
        is_parallel: false,
    };
    let plan = PlatformPlan { commit: Some(commit.clone()), ..PlatformPlan::default() };
    assert_eq!(bounds(&plan)[0].available.round(), 14_140.0);
    let far = Network { kilometres: Some(100.0), ..network(Wire::Ethernet { gigabits: 10.0 }, 1) };
    let remote = Commit { remote_flush_seconds: Some(70.72e-6), ..commit };
    let plan = PlatformPlan { commit: Some(remote), network: Some(far), ..PlatformPlan::default() };
    assert!((commit_latency_seconds(&plan).unwrap() - (0.98e-3 + 2.0 * 70.72e-6)).abs() < 1e-12);
}

#[test]
fn the_published_directory_of_a_second_level_cache() {
    // closson-1999-2010: 200 bytes per block of 8 KiB, 25 MB per GB and 25 GB per TB.
    let level = |flash: Bytes, misses| SecondLevel {
        origin: origin(),
        cache: FlashCache {
            buffer: Bytes::GIB.times(128),
            flash,
            block: Bytes(8_192),
            header_bytes: 200.0,
            buffer_seconds: 0.0,
            flash_seconds: 100e-6,
            below_seconds: 5e-3,
        },
        misses,
    };
    let law = || Misses::PowerLaw { all_miss_up_to: Bytes::GIB, theta: 0.5 };
    let of = |flash, misses| {
        second_level(&PlatformPlan { cache: Some(level(flash, misses)), ..PlatformPlan::default() }).unwrap()
    };
    assert_eq!(of(Bytes::GIB, law()).directory, Bytes(25 << 20));
    let terabyte = of(Bytes::GIB.times(1_024), law());
    assert_eq!(terabyte.directory, Bytes::GIB.times(25));
    assert!(terabyte.pays && terabyte.warm_up.is_none());
    let flat = Misses::Points(vec![(Bytes::GIB, 0.1), (Bytes::GIB.times(4_096), 0.1)]);
    assert!(!of(Bytes::GIB.times(1_024), flat).pays, "more cache that misses no less");
}

#[test]
fn misses_between_points_are_straight_in_logarithms() {
    let misses = Misses::Points(vec![(Bytes(100), 0.4), (Bytes(10_000), 0.1)]);
    let shown = [50, 100, 1_000, 10_000, 1_000_000].map(|size| format!("{:.3}", misses.ratio(Bytes(size))));
    assert_eq!(shown, ["0.400", "0.400", "0.200", "0.100", "0.100"]);
}

#[test]
fn three_of_four_accesses_go_to_other_nodes_of_four() {
    let numa = Memory { sockets: 4, latency_ns: Some(90.0), remote_latency_ns: Some(150.0), ..memory(3_200.0) };
    let plan = PlatformPlan { memory: Some(numa), ..PlatformPlan::default() };
    let (mean_ns, share) = memory_access(&plan).unwrap().mean.unwrap();
    assert_eq!((mean_ns, share), (135.0, 0.75));
}

#[test]
fn reads_and_writes_of_a_drive_are_weighed_by_what_parity_makes_of_them() {
    let drive = Drive { read_iops: Some(900e3), write_iops: Some(150e3), ..drives(8, 1e9) };
    let required = Required { write_share: 0.25, ..Required::default() };
    let plan = |redundancy| PlatformPlan {
        drives: vec![drive.clone()],
        volume: Some(volume(redundancy)),
        required: required.clone(),
        ..PlatformPlan::default()
    };
    // 0.75 reads and 0.25 writes; with parity 1.25 reads and 0.5 writes.
    let expected = [
        (Redundancy::Stripe, 8.0 / (0.75 / 900e3 + 0.25 / 150e3), 8),
        (Redundancy::Mirror, 8.0 / (0.75 / 900e3 + 0.5 / 150e3), 4),
        (Redundancy::SingleParity, 8.0 / (1.25 / 900e3 + 0.5 / 150e3), 7),
        (Redundancy::DoubleParity, 8.0 / (1.5 / 900e3 + 0.75 / 150e3), 6),
    ];
    for (redundancy, iops, data) in expected {
        let found = storage(&plan(redundancy)).unwrap();
        assert!((found.iops.unwrap().0 / iops - 1.0).abs() < 1e-12, "{redundancy:?}");
        assert_eq!(found.data_count, data);
    }
    let code = Volume { data_fragments: 4, ..volume(Redundancy::ErasureCode { parities: 2 }) };
    assert_eq!(
        (code.data_count(6), code.data_count(12), volume(Redundancy::Replicas { count: 3 }).data_count(9)),
        (4, 8, 3)
    );
}

#[test]
fn the_fullest_part_is_first_and_more_of_it_moves_the_bottleneck() {
    let required = Required { transactions: Some(50e3), cpu_seconds: Some(1e-3), ..Required::default() };
    let money = Money { currency: "EUR".to_owned(), date: "2026".to_owned(), source: "offer".to_owned() };
    let plan = PlatformPlan {
        processor: Some(processor(2)),
        licence: Some(Licence { price: 10_000.0, core_factor: 0.5 }),
        money: Some(money),
        required,
        ..PlatformPlan::default()
    };
    let found = bounds(&plan);
    // 50 cores of 32 with a yield of 1.25.
    assert_eq!((found.len(), found[0].measure, found[0].share), (1, Measure::Cores, Some(1.25)));
    let purchase = &purchases(&plan, &found)[0];
    assert_eq!((purchase.units, purchase.price), (Some((2, 3)), Some(4_500.0 + 8.0 * 10_000.0)));
    assert!((purchase.share_then - 1.25 * 2.0 / 3.0).abs() < 1e-12 && purchase.then.is_none());
}

#[test]
fn where_nothing_is_required_each_measure_has_its_bottleneck() {
    let switch = link("switch", Generation::Gen4, 16, None);
    let disks = Drive { above: Some("switch".to_owned()), write_rate: Some(Rate(4e9)), ..drives(8, 6.8e9) };
    let plan = PlatformPlan {
        links: vec![switch],
        drives: vec![disks],
        volume: Some(volume(Redundancy::SingleParity)),
        ..PlatformPlan::default()
    };
    let found = purchases(&plan, &bounds(&plan));
    let shown: Vec<_> = found.iter().map(|one| (one.part.clone(), one.measure, one.units)).collect();
    let drives = Part::Drives("data".to_owned());
    assert_eq!(
        shown,
        [(Part::Link("switch".to_owned()), Measure::Read, None), (drives.clone(), Measure::Written, Some((8, 9)))]
    );
    assert_eq!(found[0].then.as_ref().map(|then| &then.0), Some(&drives));
}

#[test]
fn wear_counts_what_parity_writes() {
    let drive = Drive {
        capacity: Some(Bytes(1_000_000_000_000)),
        endurance: Some(Endurance::Cycles(3_650.0)),
        spare: Some(0.5),
        ..drives(4, 1e9)
    };
    let required = Required { iops: Some(1e4), write_share: 1.0, io_bytes: Some(8_192.0), ..Required::default() };
    let plan = PlatformPlan {
        drives: vec![drive],
        volume: Some(volume(Redundancy::Mirror)),
        required,
        ..PlatformPlan::default()
    };
    let wear = storage(&plan).unwrap().wear.unwrap();
    assert_eq!((wear.written, wear.amplification), (Rate(40.96e6), Some(1.5)));
    assert!((wear.years - 3_650e12 / 1.5 / (40.96e6 * 86_400.0 * 365.0)).abs() < 1e-9);
}

#[test]
fn clients_beyond_the_knee_queue() {
    let required = Required {
        transactions: Some(1_000.0),
        cpu_seconds: Some(8e-3),
        clients: Some(100.0),
        think_seconds: 0.092,
        ..Required::default()
    };
    let plan = PlatformPlan { processor: Some(processor(1)), required, ..PlatformPlan::default() };
    // 20 cores at 8 ms: 2500 per second; D + Z is 100 ms.
    let found = clients(&plan, Rate(2_500.0)).unwrap();
    assert!((found.rate_max.0 - 1_000.0).abs() < 1e-9 && (found.knee - 250.0).abs() < 1e-9);
    assert_eq!(found.response_seconds_min, 8e-3);
}

#[test]
fn a_plan_is_completed_by_the_parts_of_another() {
    let drive = |name: &str| Drive { name: name.to_owned(), ..drives(1, 1e9) };
    let own = PlatformPlan { name: Some("wanted".to_owned()), ..PlatformPlan::default() };
    let other =
        PlatformPlan { name: Some("host".to_owned()), drives: vec![drive("nvme0n1")], ..PlatformPlan::default() };
    let completed = own.clone().completed_by(other.clone());
    assert_eq!((completed.name.as_deref(), completed.drives.len()), (Some("wanted"), 1));
    let own = PlatformPlan { drives: vec![drive("new"), drive("log")], ..own };
    assert_eq!(own.completed_by(other).drives.len(), 2, "drives are those of one plan");
}

#[test]
fn a_price_book_prices_the_parts_that_it_names_with_its_discounts() {
    let item = |name: &str, kind, quantity, list_price, discount| PriceItem {
        name: name.to_owned(),
        kind,
        quantity,
        list_price,
        discount: Ratio(discount),
    };
    let book = PriceBook {
        currency: "CHF".to_owned(),
        date: "2026-11-01".to_owned(),
        source: "offer".to_owned(),
        years: 5,
        items: vec![
            item("Data", PriceKind::Once, 1.0, 1_000.0, 0.25),
            item("database", PriceKind::PerCore { core_factor: 0.5 }, 1.0, 10_000.0, 0.5),
            item("support", PriceKind::PerYear, 1.0, 2_000.0, 0.0),
        ],
    };
    let money = Money { currency: "CHF".to_owned(), date: book.date.clone(), source: book.source.clone() };
    let plan = PlatformPlan {
        processor: Some(processor(2)),
        drives: vec![Drive { price: Some(9_999.0), ..drives(4, 1e9) }],
        money: Some(money),
        book: Some(book),
        ..PlatformPlan::default()
    };
    // 4 drives of 750, 16 licences of 5000, five years of 2000, and the two sockets of the plan itself.
    assert_eq!(prices(&plan).unwrap().total().amount, 3_000.0 + 80_000.0 + 10_000.0 + 9_000.0);
    assert_eq!(unplaced(&plan).iter().map(|item| item.name.as_str()).collect::<Vec<_>>(), ["support"]);

    let required = Required { scan_rate: Some(Rate(5e9)), ..Required::default() };
    let plan = PlatformPlan { required, ..plan };
    let found = purchases(&plan, &bounds(&plan));
    assert_eq!((found[0].units, found[0].price), (Some((4, 5)), Some(750.0)));
    let faster = Alternative::FasterDrives { factor: 1.25, each: 1.25e9 };
    assert_eq!(found[0].alternatives, [faster]);
}

#[test]
fn a_link_that_is_short_is_replaced_by_the_slowest_that_carries_enough() {
    let with = |generation, lanes, asked: f64| {
        let plan = PlatformPlan {
            links: vec![link("switch", generation, lanes, None)],
            drives: vec![Drive { above: Some("switch".to_owned()), ..drives(8, 1e12) }],
            required: Required { scan_rate: Some(Rate(asked)), ..Required::default() },
            ..PlatformPlan::default()
        };
        purchases(&plan, &bounds(&plan))[0].alternatives.clone()
    };
    let (gen4, gen5) = (Generation::Gen4, Generation::Gen5);
    let expected = |lanes, generation| vec![Alternative::Link { lanes, generation }];
    assert_eq!(with(gen4, 8, 20e9), expected((8, 16), (gen4, gen4)));
    assert_eq!(with(gen4, 16, 50e9), expected((16, 16), (gen4, gen5)));
    assert_eq!(with(gen4, 16, 1e12), [], "no link carries that");
}

#[test]
fn a_larger_buffer_cache_leaves_fewer_reads_and_no_fewer_writes() {
    let cache = FlashCache {
        buffer: Bytes::GIB,
        flash: Bytes(0),
        block: Bytes(8_192),
        header_bytes: 100.0,
        buffer_seconds: 1e-6,
        flash_seconds: 1e-4,
        below_seconds: 1e-3,
    };
    let level =
        SecondLevel { origin: origin(), cache, misses: Misses::PowerLaw { all_miss_up_to: Bytes::MIB, theta: 0.5 } };
    let with = |write_share: f64| {
        let drive = Drive { read_iops: Some(1_000.0), write_iops: Some(1_000.0), ..drives(1, 1e9) };
        let plan = PlatformPlan {
            memory: Some(Memory { size: Some(Bytes::GIB.times(4)), price: Some(400.0), ..memory(3_200.0) }),
            drives: vec![drive],
            cache: Some(level.clone()),
            money: Some(Money { currency: "EUR".to_owned(), date: "2026".to_owned(), source: "us".to_owned() }),
            required: Required { iops: Some(2_000.0), write_share, ..Required::default() },
            ..PlatformPlan::default()
        };
        let found = purchases(&plan, &bounds(&plan));
        found[0].alternatives.iter().find_map(|one| match one {
            Alternative::LargerBuffer { then, price, .. } => {
                Some((then.0 as f64 / Bytes::GIB.0 as f64, price.unwrap()))
            }
            _ => None,
        })
    };
    // Half of the misses with four times the size.
    let (size, price) = with(0.0).unwrap();
    assert!((size - 4.0).abs() < 0.01 && (price - 300.0).abs() < 1.0, "{size} {price}");
    // Half of the I/Os where a fifth are writes: 3/8 of the reads.
    assert!((with(0.2).unwrap().0 - 64.0 / 9.0).abs() < 0.01);
    assert_eq!(with(0.5), None, "writes alone are as many as the drive can do");
}
