//! What contradicts itself in the publications, and what does not.

use model::Remark;

use crate::publication::Publication;
use crate::remark::remarks;

fn published(name: &str) -> Vec<&'static str> {
    let text = |remark: &'static Remark| match remark {
        Remark::Published { text, .. } => text.as_str(),
        other => panic!("{other:?}"),
    };
    crate::find(name).unwrap().remarks.iter().map(text).collect()
}

#[test]
fn the_hp_dl980_contradicts_itself_so_often() {
    assert_eq!(
        published("hp-dl980"),
        [
            "T132: multithreading gains 20.5 % in the table (128 jobs against 32), 18 % at most as published",
            "T426 at 4: 1998 MB/s are 4.9 % less than 2004 reads/s x 1,048,576 bytes = 2101 MB/s, and 6 of 6 points \
             differ by more than 3 %; they agree if a MB is 2^20 bytes",
            "T426 at 32: by Little's law 2430 reads/s x 25 ms are 60.8 reads in flight, 90 % more than 32 threads that \
             wait for one each; 6 of 6 points are beyond 5 %: either reads are asked for ahead, or the service time is \
             not that of a read",
            "T211: 435 MB/s at 1809 writes/s (#J 1) are 240 KB a write, 889 MB/s at 2755 writes/s (#J 64) are 323 KB, \
             34 % more: the writes are not of one size, and IOPS do not follow from MB/s",
            "T626 at 1: 318 MB/s are 23 % more than 31,653 reads/s x 8192 bytes = 259 MB/s, and 4 of 8 points differ by \
             more than 3 %",
            "T716 at 256: \"db file sequential read\" of 23,832 s, published as 28.8 % of DB time, makes 82,750 s of DB \
             time, 3.23 times the 256 jobs x 100 s = 25,600 s that there were (of which the waits are 93.1 %)",
            "T716 at 512: \"db file sequential read\" of 124,226 s, published as 33.2 % of DB time, makes 374,175 s of \
             DB time, 2.89 times the 512 jobs x 253 s = 129,536 s that there were (of which the waits are 95.9 %)",
        ]
    );
}

#[test]
fn the_calibrations_contradict_themselves_and_what_stands_beside_them() {
    assert_eq!(
        published("bolinski"),
        [
            "calibration: 1,510,657 IOPS of the usual 8 KiB would be 12,375 MB/s, 12 % more than the 11,034 MB/s that it \
             calls the most (7 % more even with MB of 2^20 bytes): the blocks were smaller, or one of the two is not the \
             most",
            "calibration: 1,510,657 IOPS at a latency of 0 ms would be nothing in flight by Little's law: the latency \
             was below what it resolves, and is not known",
        ]
    );
    assert_eq!(
        published("abakus"),
        [
            "the database's calibration reads 1,977,404 blocks/s, 20 % more than the 1,642,000 that the generator reads \
             of 4 KiB on the same host: what the generator found is not the most that storage gives",
            "the scan reads 624.05365 GB in 33.05 s = 18.9 GB/s, 18 % more than the 16 GB/s that the calibration calls \
             the most",
        ]
    );
}

#[test]
fn the_claim_of_many_hosts_is_held_against_its_latency() {
    assert_eq!(
        published("datrium"),
        [
            "SLOB: by Little's law 68,336 IOPS x 0.99 ms are 67.7 I/Os in flight, 2.82 times the 24 sessions (24 schemas \
             of 1 each): sessions that wait for their reads have at most one each, so that the rest must be writes in \
             the background, or rate and latency are not of the same I/Os",
            "SLOB-scale-out: latency is 0.99 ms at one instance and 1.7 ms at 3 hosts, 72 % more, at another share of \
             writes: that it stays the same up to 128 hosts, as the claim supposes, was not measured; by Little's law \
             7,000,000 IOPS x 1.7 ms are 11,900 I/Os in flight, 42.4 times those of 3 hosts",
        ]
    );
}

#[test]
fn think_times_and_response_times_of_a_full_processor_do_not_fit() {
    let remarks = published("closson");
    assert_eq!(remarks.len(), 4);
    assert!(remarks[2..].iter().all(|remark| remark.starts_with("load: ")));
    assert_eq!(
        remarks[1],
        "without SMT: all 8 cores are in use at think times of 20 and 0 ms, yet with response times of 2.1 and 5.5 ms the \
         same users would do 4.02 times as much without thinking (a cycle of 5.5 against 22.1 ms): the users were not as \
         many, or the two tables are not of the same runs"
    );
}

/// The remarks on a publication that has `rest` after its head.
fn of(rest: &str) -> Vec<String> {
    let head = "[system]\nid = \"a\"\nname = \"A\"\nyear = 2012\nsource = \"B\"\n";
    remarks(&Publication::parse(&format!("{head}{rest}")).unwrap())
}

/// The remarks on one test with two numbers of jobs.
fn of_test(unit: &str, columns: &str) -> Vec<String> {
    of(&format!("[[test]]\ncode = \"T1\"\nname = \"x\"\nunit = \"{unit}\"\njobs = [1, 4]\n{columns}"))
}

#[test]
fn rows_operations_and_time_fit_within_what_rounding_explains() {
    let fits = "rows_per_operation = 32\nrps = [3200, 12800]\ntps = [100, 400]\ntime = [10, 10]";
    assert!(of_test("transaction", fits).is_empty());
    assert_eq!(
        of_test("transaction", &fits.replace("[100, 400]", "[100, 350]")),
        [
            "T1 at 4: 12,800 rows/s are 14 % more than 350 operations/s x 32 rows = 11,200 rows/s",
            "T1 at 1: rate x time is 1000 a job, 14 % more than the 875 that it should be",
        ]
    );
    // 3 s is anything from 2.5 to 3.5.
    assert!(of_test("row", "rows_total = 100\nrps = [40, 120]\ntime = [3, 3]").is_empty());
    assert_eq!(
        of_test("row", "rows_total = 100\nrps = [33.3, 180]\ntime = [3, 3]"),
        ["T1 at 4: rate x time is 135 a job, 35 % more than the 100 that it should be"]
    );
}

#[test]
fn ios_of_one_size_fit_their_megabytes_in_one_of_the_two_units() {
    let table = |megabytes: &str| format!("io_bytes = 8192\nread_iops = [1000, 4000]\nread_mbps = {megabytes}");
    assert!(of_test("row", &table("[8.2, 32.8]")).is_empty());
    let binary = of_test("row", &table("[7.81, 31.3]"));
    assert!(binary.len() == 1 && binary[0].ends_with("they agree if a MB is 2^20 bytes"), "{binary:?}");
    let neither = of_test("row", &table("[8.2, 40.0]"));
    assert!(neither.len() == 1 && neither[0].ends_with("1 of 2 points differ by more than 3 %"), "{neither:?}");
    let redo = of_test("row", "write_mbps = [10, 20]\nredo_mbps = [10, 22]");
    assert_eq!(redo, ["T1 at 4: redo of 22 MB/s within writes of 20 MB/s"]);
    let generator = "[[io]]\ncode = \"P322\"\nwhere = \"here\"\nprofile = \"random read\"\nblock = \"8k\"\njobs = 1\n\
                     queue_depth = 4\niops = 128_000\n";
    assert!(of(&format!("{generator}throughput_mib_s = 1000")).is_empty());
    assert_eq!(
        of(&format!("{generator}throughput_mib_s = 900")),
        ["P322: 900 MiB/s are 10 % less than 128,000 IOPS x 8 KiB = 1000 MiB/s"]
    );
}

#[test]
fn littles_law_is_granted_the_rounding_of_the_service_time() {
    // 4 jobs at 1,400/s wait 2.86 ms each, printed as 3.
    assert!(of_test("row", "read_iops = [500, 1400]\nservice_ms = [2, 3]").is_empty());
    let beyond = of_test("row", "read_iops = [500, 1400]\nservice_ms = [2, 6]");
    assert!(
        beyond.len() == 1 && beyond[0].contains("at 4: by Little's law 1400 reads/s x 6 ms are 8.4 reads"),
        "{beyond:?}"
    );
    // Fewer in flight than jobs is no contradiction: not all of their time is I/O.
    assert!(of_test("row", "read_iops = [50, 140]\nservice_ms = [2, 6]").is_empty());
    let transactions = |seconds: &str| of_test("transaction", &format!("tps = [10, 40]\nservice_s_at_max = {seconds}"));
    assert!(transactions("0.1").is_empty());
    assert_eq!(
        transactions("0.2"),
        ["T1 at 4: by Little's law 40 transactions/s x 0.2 s are 8 transactions in flight, 100 % more than 4 jobs"]
    );
}

#[test]
fn waits_fit_their_number_and_the_time_that_sessions_had() {
    let wait = |average: &str, share: &str| {
        of_test(
            "row",
            &format!(
                "time = [10, 10]\n[[test.wait]]\njobs = 4\nevent = \"log\"\nwaits = 5_000\ntotal_s = 20\n\
                 average_ms = {average}\nshare_of_db_time = {share}"
            ),
        )
    };
    assert!(wait("4", "0.5").is_empty());
    assert_eq!(wait("6", "0.5"), ["T1: \"log\" of 20 s in 5000 waits is 4 ms each, 6 ms as published"]);
    let longer = wait("4", "0.25");
    assert!(longer.len() == 1 && longer[0].contains("makes 80 s of DB time, 2 times the 4 jobs x 10 s"), "{longer:?}");
    let event = "[[wait_event]]\nevent = \"log\"\nclass = \"I/O\"\nwaits = 1000\ntotal_s = 1\navg_us = 1500\n\
                 node_avg_us = 1\nnode_min_us = 1\nnode_max_us = 1\nnode_stddev_us = 0\n";
    assert_eq!(of(event), ["\"log\": an average of 1500 us is 50 % more than 1 s over 1000 waits = 1000 us"]);
}

#[test]
fn a_claim_of_other_sizes_than_were_measured_is_remarked() {
    let claim = |gigabytes: &str| {
        of(&format!(
            "[scale_out]\nmix = \"x\"\nmeasured_hosts = 3\niops = 100_000\nthroughput_gb_s = 1\nlatency_ms = 1\n\
             measured_at = \"x\"\nclaimed_hosts = 30\nclaimed_iops = 1_000_000\n\
             claimed_throughput_gb_s = {gigabytes}\nclaim = \"x\""
        ))
    };
    assert!(claim("10").is_empty());
    assert_eq!(claim("12"), ["SLOB-scale-out: the claim has 12,000 bytes per I/O, the measurement 10,000, 20 % more"]);
}
