//! The list of all probes.

use crate::{Probe, block, cpu, memory, network};

/// All probes, in the order in which they are listed and run.
pub fn probes() -> &'static [Probe] {
    &[
        cpu::integer::PROBE,
        cpu::float::PROBE,
        cpu::string::PROBE,
        memory::triad::PROBE,
        memory::read::PROBE,
        memory::latency::PROBE,
        block::sequential_read::PROBE,
        block::sequential_write::PROBE,
        block::random_read::PROBE,
        block::random_read_deep::PROBE,
        block::random_write_deep::PROBE,
        block::commit::PROBE,
        network::round_trip::PROBE,
        network::to_peer::PROBE,
        network::from_peer::PROBE,
    ]
}

/// The probe with this code.
pub fn probe(code: &str) -> Option<&'static Probe> {
    probes().iter().find(|probe| probe.code == code)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use measure::Work;
    use proptest::prelude::*;
    use record::{Bytes, Layer, Nanos, Preset};

    use measure::RunSeed;

    use super::*;
    use crate::{Context, Form};

    fn smoke(jobs: u32, seed: u64) -> Context {
        Context {
            jobs,
            seed: RunSeed { plan: seed, run: 1 },
            preset: Preset::Smoke,
            last_level_cache_bytes: Some(Bytes::MIB.times(32)),
            memory_available_bytes: Some(Bytes::GIB),
            region_bytes: Bytes::MIB.times(16),
            warm_up: Nanos(0),
            window: Nanos(100_000_000),
            peer: None,
        }
    }

    type Build = fn(&Context) -> Vec<Box<dyn Work>>;

    /// The probes that are made of steps and need no peer.
    fn stepping() -> impl Iterator<Item = (&'static str, Build)> {
        probes().iter().filter(|probe| probe.layer != Layer::Network).filter_map(|probe| match probe.form {
            Form::Steps(build) => Some((probe.code, build)),
            Form::Io(_) => None,
        })
    }

    #[test]
    fn codes_are_unique_and_say_the_layer() {
        let codes: BTreeSet<&str> = probes().iter().map(|probe| probe.code).collect();
        assert_eq!(codes.len(), probes().len());
        for known in probes() {
            let family = match known.layer {
                Layer::Cpu => "C",
                Layer::Memory => "M",
                Layer::Network => "N",
                _ => "S",
            };
            assert!(known.code.starts_with(family), "{}", known.code);
            assert!(record::RunKind::of_code(known.code).is_probe(), "{}", known.code);
            assert!(!known.title.is_empty());
            assert_eq!(probe(known.code).map(|found| found.title), Some(known.title));
        }
        assert!(probe("P000").is_none());
    }

    #[test]
    fn every_file_of_a_probe_has_its_code_and_the_four_statements_in_its_head() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut heads = BTreeSet::new();
        for folder in ["cpu", "memory", "block", "network"] {
            for entry in std::fs::read_dir(source.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                if path.ends_with("mod.rs") || path.ends_with("tests.rs") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.strip_prefix("//! ").and_then(|head| head.get(..3)).unwrap_or_default();
                heads.insert(code.to_owned());
                for statement in ["Answers:", "Does not answer:", "Cost:", "Limits:"] {
                    assert!(text.contains(&format!("//! {statement}")), "{} lacks {statement}", path.display());
                }
            }
        }
        let codes: BTreeSet<String> = probes().iter().map(|probe| probe.code.to_owned()).collect();
        assert_eq!(heads, codes);
    }

    #[test]
    fn each_job_gets_its_own_work_and_no_job_means_one() {
        for (_, build) in stepping() {
            assert_eq!(build(&smoke(3, 1)).len(), 3);
            assert_eq!(build(&smoke(0, 1)).len(), 1);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn every_probe_agrees_with_itself_for_any_seed(seed in any::<u64>()) {
            for (code, build) in stepping() {
                let mut works = build(&smoke(1, seed));
                let first = works[0].step(0).unwrap();
                prop_assert!(first.operations > 0, "{}", code);
                prop_assert_eq!(first.failure, None);
                works[0].finish().unwrap();
                for number in 0..5 {
                    prop_assert_eq!(works[0].step(number).unwrap(), first, "steps of {} are all alike", code);
                }
                works[0].finish().unwrap();
            }
        }
    }
}
