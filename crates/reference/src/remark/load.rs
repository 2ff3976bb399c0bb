//! The arithmetic of a load: its goal in two units, and how long a volume takes over a network.

use super::{UNIT_TOLERANCE, differ};
use crate::figure::{apart, exact, rounded};
use crate::load_study::LoadStudy;

const TEBIBYTE: f64 = 1_099_511_627_776.0;
const MEBIBYTE: f64 = 1_048_576.0;

/// Where the figures of `study` do not follow from each other in units of a thousand.
pub(super) fn arithmetic(study: &LoadStudy) -> Vec<String> {
    [goal(study), network(study)].into_iter().flatten().collect()
}

fn goal(study: &LoadStudy) -> Option<String> {
    let expected = study.goal_tb_per_hour * 1e6 / 3_600.0;
    let found = study.goal_mb_s;
    differ(found, expected, UNIT_TOLERANCE).then(|| {
        format!(
            "load: {} MB/s are {} than {} TB/h = {} MB/s{}",
            exact(found),
            apart(found, expected),
            exact(study.goal_tb_per_hour),
            rounded(expected),
            binary(found, study.goal_tb_per_hour * TEBIBYTE / MEBIBYTE / 3_600.0)
        )
    })
}

fn network(study: &LoadStudy) -> Option<String> {
    let expected = 1e6 / study.network_mb_s;
    let found = study.network_seconds_per_tb;
    differ(found, expected, UNIT_TOLERANCE).then(|| {
        format!(
            "load: {} s for a TB are {} than those at {} MB/s, {} s{}",
            exact(found),
            apart(found, expected),
            exact(study.network_mb_s),
            rounded(expected),
            binary(found, TEBIBYTE / MEBIBYTE / study.network_mb_s)
        )
    })
}

/// Whether `found` is what comes out of units in steps of 1024.
fn binary(found: f64, expected: f64) -> &'static str {
    match differ(found, expected, UNIT_TOLERANCE) {
        true => "",
        false => "; they agree if a TB is 2^40 and a MB 2^20 bytes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terabyte_is_one_of_two_to_the_fortieth() {
        let study = crate::load_study("closson").expect("a study");
        assert_eq!(
            arithmetic(&study),
            [
                "load: 291 MB/s are 4.8 % more than 1 TB/h = 278 MB/s; they agree if a TB is 2^40 and a MB 2^20 bytes",
                "load: 4600 s for a TB are 5.8 % more than those at 230 MB/s, 4348 s; they agree if a TB is 2^40 and a MB \
                 2^20 bytes",
            ]
        );
        let plain = LoadStudy { goal_mb_s: 278.0, network_seconds_per_tb: 4_350.0, ..study };
        assert!(arithmetic(&plain).is_empty());
        let neither = arithmetic(&LoadStudy { goal_mb_s: 400.0, ..plain });
        assert_eq!(neither, ["load: 400 MB/s are 44 % more than 1 TB/h = 278 MB/s"]);
    }
}
