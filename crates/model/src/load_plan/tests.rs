//! Published arithmetic, and what holds of every plan.

use proptest::prelude::*;
use record::{Bytes, LoadForm, LoadModel, Rate, Ratio};

use super::*;
use crate::claim::FitVerdict;
use crate::load::fixture::Machine;
use crate::platform::ethernet_goodput;
use crate::statistics::Interval;

const MEBI: f64 = 1_048_576.0;

fn plan(volume: u64, window_seconds: f64) -> Plan {
    Plan {
        volume: Bytes(volume),
        window_seconds,
        input: Input::plain(),
        stages: Vec::new(),
        cores: Cores::Shared(None),
        utilisation: Ratio(1.0),
        network: None,
        disks: None,
        written_per_byte: None,
        log_per_byte: None,
        replicas: 0,
    }
}

fn per_core(stage: Stage, rate: f64) -> StageCost {
    StageCost::Rate(StageRate::per_core(stage, Rate(rate), RateSource::Given))
}

fn units(count: u32, each: f64, name: &str) -> Option<Units> {
    Some(Units { count, each: Rate(each), name: name.to_owned(), basis: Basis::Given })
}

fn need(needs: &Needs, resource: Resource) -> &Need {
    needs.needs.iter().find(|need| need.resource == resource).expect("a need")
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9 * expected.abs().max(1.0)
}

/// Closson, "It's 10 Years After Y2K But We Still Party Like It's 1999" (2010): 1 TB/h is 291 MB/s, two links of a
/// gigabit carry 230 MB/s and need 4600 s for a TB; gzip at 2.1 makes it 138 MB/s; a quarter of a core inflates 20
/// MB/s, so that 15 of them or 4 cores are needed. TB and MB there are 2^40 and 2^20 bytes.
#[test]
fn a_terabyte_an_hour_over_two_gigabit_links() {
    let plain = Plan { network: units(2, 115.0 * MEBI, "GbE"), ..plan(1 << 40, 3_600.0) };
    let told = needs(&plain);
    assert_eq!((told.flat.0 / MEBI).round(), 291.0);
    let network = need(&told, Resource::Network);
    assert_eq!((network.seconds.unwrap() / 100.0).round(), 46.0);
    assert_eq!((told.fits, network.count), (FitVerdict::DoesNotFit, Some(3.0)));
    let inflate = StageRate {
        rate: Interval::around(20.0 * MEBI, 0.0),
        worker_cores: 0.25,
        ..StageRate::per_core(Stage::Decompress, Rate(1.0), RateSource::Given)
    };
    let input = Input { name: Some("gzip".to_owned()), ratio: 2.1 };
    let told = needs(&Plan { input, stages: vec![StageCost::Rate(inflate)], ..plain });
    // 291 / 2.1 = 138.57, printed without what stands behind the point.
    assert_eq!((told.input.unwrap().estimate / MEBI).floor(), 138.0);
    let network = need(&told, Resource::Network);
    assert!(network.used.unwrap().0 < 1.0 && network.seconds.unwrap() < 3_600.0);
    let processors = need(&told, Resource::Processors);
    assert_eq!((processors.parts[0].workers, processors.count), (15.0, Some(4.0)));
    assert_eq!(processors.unknown, [Stage::Parse, Stage::Convert, Stage::Insert], "what inflating leaves open");
    assert_eq!(told.fits, FitVerdict::NotKnown, "with all stages it may not fit");
}

/// 10 TB in four hours, compressed to a quarter: the example of the arithmetic of bulk loads.
#[test]
fn ten_terabytes_in_four_hours() {
    let told = needs(&Plan {
        input: Input { name: Some("zstd".to_owned()), ratio: 4.0 },
        stages: vec![per_core(Stage::Decompress, 1_200e6), per_core(Stage::Insert, 50e6)],
        utilisation: Ratio(0.7),
        network: units(1, ethernet_goodput(10.0, 1500.0).0, "10 GbE"),
        written_per_byte: Some((2.5, WrittenSource::Given)),
        replicas: 1,
        ..plan(10_000_000_000_000, 4.0 * 3_600.0)
    });
    assert_eq!((told.flat.0 / 1e6).round(), 694.0);
    assert_eq!((told.input.unwrap().estimate / 1e6).round(), 174.0);
    let network = need(&told, Resource::Network);
    assert_eq!(format!("{:.0}", network.used.unwrap().0 * 100.0), "15");
    let cores = need(&told, Resource::Processors);
    assert_eq!((format!("{:.1}", cores.needed.unwrap().estimate), cores.count), ("20.7".to_owned(), Some(21.0)));
    let disks = need(&told, Resource::Disks);
    assert!(close(disks.needed.unwrap().estimate / told.flat.0, 5.0), "two copies of 2.5 bytes a byte");
    assert_eq!((disks.there, disks.count), (None, None), "how many disks is not known without one of them");
}

#[test]
fn what_comes_after_the_load_is_added() {
    let told = needs(&Plan {
        stages: vec![per_core(Stage::Insert, 1.0), per_core(Stage::Index, 2.0)],
        cores: Cores::Shared(Some(10)),
        network: units(1, 8.0, "link"),
        ..plan(100, 30.0)
    });
    // 100 + 50 core-seconds in 30 s; the index takes 5 s on ten cores, so that the load has 25.
    assert!(close(need(&told, Resource::Processors).needed.unwrap().estimate, 5.0));
    let seconds: Vec<f64> = told.phases.iter().map(|phase| phase.seconds).collect();
    assert!(close(seconds[0], 25.0) && close(seconds[1], 5.0));
    assert!(close(told.loading.unwrap().estimate, 4.0) && close(need(&told, Resource::Network).used.unwrap().0, 0.5));
    // The link takes 12.5 s, longer than the 10 s of the processors; then the index.
    assert!(close(told.possible.unwrap().0, 100.0 / 17.5));
    assert_eq!(told.bottleneck().unwrap().resource, Resource::Network);
}

#[test]
fn where_only_what_comes_after_is_known_no_time_is_left() {
    let told =
        needs(&Plan { stages: vec![per_core(Stage::Index, 2.0)], network: units(1, 8.0, "link"), ..plan(100, 30.0) });
    assert_eq!((told.loading, told.input, told.fits), (None, None, FitVerdict::NotKnown));
    assert_eq!(need(&told, Resource::Network).needed, None);
}

#[test]
fn client_and_server_may_have_processors_of_their_own() {
    let told = needs(&Plan {
        stages: vec![per_core(Stage::Parse, 2.0), StageCost::Skipped(Stage::Convert), per_core(Stage::Insert, 1.0)],
        cores: Cores::Apart { client: Some(10), server: Some(5) },
        ..plan(100, 10.0)
    });
    let used = |resource| need(&told, resource).used.unwrap().0;
    assert!(close(used(Resource::ClientProcessors), 0.5) && close(used(Resource::ServerProcessors), 2.0));
    assert_eq!(told.bottleneck().unwrap().resource, Resource::ServerProcessors);
    assert_eq!(told.fits, FitVerdict::DoesNotFit);
    assert!(told.needs.iter().all(|need| need.unknown.is_empty()), "what is skipped is known");
}

fn ranged(stage: Stage, low: f64, estimate: f64, high: f64) -> StageCost {
    let rate = Interval { estimate, low, high };
    StageCost::Rate(StageRate { rate, ..StageRate::per_core(stage, Rate(estimate), RateSource::Measured) })
}

/// Eight processors and an insert of which one loads a hundredth of what is asked for: 7.95 of them by its estimate.
#[test]
fn what_fits_by_its_estimate_is_not_known_to_fit_where_its_range_reaches_further() {
    let with = |low: f64, high: f64| {
        let stages = [Stage::Parse, Stage::Convert].map(StageCost::Skipped).into_iter();
        needs(&Plan {
            stages: stages.chain([ranged(Stage::Insert, low, 100.0 / 7.95, high)]).collect(),
            cores: Cores::Shared(Some(8)),
            network: units(1, 200.0, "link"),
            disks: units(1, 200.0, "disk"),
            written_per_byte: Some((1.0, WrittenSource::Given)),
            ..plan(1_000, 10.0)
        })
    };
    let open = with(100.0 / 9.11, 100.0 / 7.0);
    let processors = need(&open, Resource::Processors);
    let used = processors.used_range().unwrap();
    assert_eq!(format!("{:.3} {:.3} {:.3}", used.low, used.estimate, used.high), "0.875 0.994 1.139");
    assert_eq!((processors.fits(), open.fits), (FitVerdict::NotKnown, FitVerdict::NotKnown));
    assert_eq!(with(100.0 / 7.99, 100.0 / 7.0).fits, FitVerdict::Fits);
    assert_eq!(with(100.0 / 12.0, 100.0 / 7.94).fits, FitVerdict::NotKnown);
    // By the estimate alone, ten processors are too few for 10.5; by the range they may be enough.
    let short = needs(&Plan {
        stages: vec![ranged(Stage::Insert, 100.0 / 11.0, 100.0 / 10.5, 100.0 / 9.0)],
        cores: Cores::Shared(Some(10)),
        ..plan(1_000, 10.0)
    });
    assert_eq!(need(&short, Resource::Processors).fits(), FitVerdict::NotKnown);
    let never = needs(&Plan {
        stages: vec![ranged(Stage::Insert, 100.0 / 11.0, 100.0 / 10.7, 100.0 / 10.5)],
        cores: Cores::Shared(Some(10)),
        ..plan(1_000, 10.0)
    });
    assert_eq!(never.fits, FitVerdict::DoesNotFit, "whatever the unknown stages take");
}

/// What an index takes is not left for the load: the range of its rate is one of all that the load needs.
#[test]
fn the_range_of_a_later_phase_is_one_of_the_load() {
    let with = |cores: Option<u32>| {
        needs(&Plan {
            stages: vec![per_core(Stage::Insert, 1.0), ranged(Stage::Index, 1.0, 2.0, 5.0)],
            cores: Cores::Shared(cores),
            network: units(1, 4.5, "link"),
            ..plan(100, 30.0)
        })
    };
    // The index takes 10, 5 or 2 s on ten cores; the load has the rest of 30 s for 100 bytes.
    let known = with(Some(10)).loading.unwrap();
    assert!(close(known.low, 100.0 / 28.0) && close(known.estimate, 4.0) && close(known.high, 5.0));
    let link = with(Some(10));
    assert_eq!(need(&link, Resource::Network).fits(), FitVerdict::NotKnown, "4.5 of 3.6 to 5");
    // With any number of processors the index may take any time.
    assert!(close(with(None).loading.unwrap().low, 100.0 / 30.0));
}

#[test]
fn replicas_get_the_log_over_the_same_links() {
    let told =
        needs(&Plan { network: units(2, 10.0, "link"), log_per_byte: Some(1.5), replicas: 2, ..plan(100, 10.0) });
    assert!(close(need(&told, Resource::ReplicaLinks).used.unwrap().0, 1.5));
    assert_eq!(told.bottleneck().unwrap().resource, Resource::ReplicaLinks);
    let unknown = needs(&Plan { replicas: 2, ..plan(100, 10.0) });
    assert_eq!(need(&unknown, Resource::ReplicaLinks).needed, None);
}

#[test]
fn an_index_for_each_of_several() {
    let index = StageRate { times: 3, ..StageRate::per_core(Stage::Index, Rate(2.0), RateSource::Given) };
    let stages = vec![per_core(Stage::Insert, 1.0), StageCost::Rate(index)];
    let told = needs(&Plan { stages, ..plan(100, 10.0) });
    assert!(close(need(&told, Resource::Processors).needed.unwrap().estimate, 25.0));
}

#[test]
fn starting_rates_are_spans_and_say_that_they_were_not_measured() {
    for name in ["gzip", "zstd", "lz4"] {
        let rates = starting_rates(Some(name));
        assert_eq!(rates.len(), 4);
        for rate in rates {
            assert!(rate.rate.low < rate.rate.high && rate.rate.estimate == rate.rate.low);
            assert_eq!(rate.source, RateSource::NotMeasured);
        }
    }
    assert!(starting_rates(None).iter().all(|rate| rate.stage != Stage::Decompress));
}

#[test]
fn a_record_says_what_its_loads_cost() {
    let [plain, _, compressed, _] = LoadModel::ALL;
    let machine = Machine::SMALL;
    let record = machine.record(&[(plain, 1, false), (plain, 2, false), (compressed, 1, true)]);
    let told = measured_plan(&record, plain, LoadForm::Typed, Some("gzip")).expect("loads");
    let rate = |stage: Stage| match told.stages.iter().find(|cost| cost.stage() == stage) {
        Some(StageCost::Rate(rate)) => rate.rate.estimate / 1e6,
        other => panic!("{stage:?}: {other:?}"),
    };
    // Nanoseconds of a byte: a billion of them a second.
    let is_about = |stage, nanos: f64| (rate(stage) * nanos / 1e3 - 1.0).abs() < 1e-3;
    assert!(is_about(Stage::Decompress, 3.0) && is_about(Stage::Parse, 2.5) && is_about(Stage::Convert, 1.0));
    assert!(is_about(Stage::Insert, 7.0));
    assert!((told.input_ratio.unwrap() - 2.1).abs() < 1e-3 && (told.log_per_byte.unwrap() - 1.25).abs() < 1e-3);
    // Log and table, 1.25 + 1.1, are more than the 2.0 that the block layer had written.
    let (written, source) = told.written_per_byte.unwrap();
    assert!((written - 2.35).abs() < 1e-3 && source == WrittenSource::LogAndTable);
    assert_eq!((told.fastest, told.runs), (2, vec![1, 2]));
    assert_eq!(measured_plan(&record, compressed, LoadForm::AsIs, None), None);
}

proptest! {
    #[test]
    fn it_fits_exactly_where_what_is_possible_is_enough(
        volume in 1u64..1 << 50,
        window in 1.0f64..1e6,
        ratio in 0.5f64..20.0,
        rates in prop::array::uniform5(1e3f64..1e10),
        cores in 1u32..500,
        link in 1e3f64..1e11,
        disk in 1e3f64..1e11,
        per_byte in 0.1f64..20.0,
    ) {
        let stages = [Stage::Decompress, Stage::Parse, Stage::Convert, Stage::Insert, Stage::Index];
        let asked = Plan {
            input: Input { name: Some("gzip".to_owned()), ratio },
            stages: stages.into_iter().zip(rates).map(|(stage, rate)| per_core(stage, rate)).collect(),
            cores: Cores::Shared(Some(cores)),
            network: units(3, link, "link"),
            disks: units(5, disk, "disk"),
            written_per_byte: Some((per_byte, WrittenSource::Given)),
            ..plan(volume, window)
        };
        let told = needs(&asked);
        let possible = told.possible.unwrap().0 / told.flat.0;
        prop_assert!(possible > 0.0);
        if (possible - 1.0).abs() > 1e-6 {
            let fits = if possible > 1.0 { FitVerdict::Fits } else { FitVerdict::DoesNotFit };
            prop_assert_eq!(told.fits, fits, "{} {:?}", possible, told);
        }
        let used: Vec<f64> = told.needs.iter().filter_map(|need| Some(need.used?.0)).collect();
        prop_assert!(used.is_sorted_by(|one, next| one >= next));
        // With as many as are needed of each it fits.
        let counts = told.needs.iter().map(|need| (need.resource, need.count)).collect::<Vec<_>>();
        let count = |asked: Resource| counts.iter().find(|(of, _)| *of == asked).and_then(|(_, count)| *count);
        if let (Some(cores), Some(links), Some(disks)) =
            (count(Resource::Processors), count(Resource::Network), count(Resource::Disks))
            && [cores, links, disks].iter().all(|count| *count < f64::from(u32::MAX))
        {
            let enough = Plan {
                cores: Cores::Shared(Some((cores as u32).max(match asked.cores { Cores::Shared(Some(there)) => there, _ => 1 }))),
                network: units(links as u32, link, "link"),
                disks: units(disks as u32, disk, "disk"),
                ..asked
            };
            let told = needs(&enough);
            prop_assert!(told.possible.unwrap().0 >= told.flat.0 * (1.0 - 1e-6), "{told:?}");
        }
    }
}
