//! Logs of histograms.

use super::*;

/// The intervals of a log: tag, begin and length in seconds, values in the histogram and the largest of them.
fn intervals(log: &str) -> Vec<(Option<String>, f64, f64, u64, u64)> {
    let mut deserializer = Deserializer::new();
    IntervalLogIterator::new(log.as_bytes())
        .filter_map(|entry| match entry.unwrap() {
            LogEntry::Interval(interval) => Some(interval),
            _ => None,
        })
        .map(|interval| {
            let bytes = BASE64_STANDARD.decode(interval.encoded_histogram()).unwrap();
            let histogram: Histogram<u64> = deserializer.deserialize(&mut bytes.as_slice()).unwrap();
            let tag = interval.tag().map(|tag| tag.as_str().to_owned());
            let (begin, length) = (interval.start_timestamp().as_secs_f64(), interval.duration().as_secs_f64());
            (tag, begin, length, histogram.len(), (interval.max() * 1e6) as u64)
        })
        .collect()
}

#[test]
fn a_log_reads_back_to_the_same_counts() {
    let directory = tempfile::tempdir().unwrap();
    let counted = written(directory.path(), Format::Hdr);
    assert_eq!((counted.tables, counted.left_out), (vec![("intervals".to_owned(), 4)], 1));
    assert!(!directory.path().join("r1.000003.T611.hlog").exists(), "an invalid run");
    let log = fs::read_to_string(directory.path().join("r1.000002.T611.hlog")).unwrap();
    assert!(log.contains("#[StartTime: 1769860801.250 (seconds since epoch), 2026-01-31T12:00:01.250Z]"), "{log}");
    let found = intervals(&log);
    let brief: Vec<(Option<&str>, f64, f64, u64)> =
        found.iter().map(|(tag, begin, length, count, _)| (tag.as_deref(), *begin, *length, *count)).collect();
    assert_eq!(
        brief,
        [(None, 0.0, 1.0, 3), (None, 1.0, 0.5, 1), (Some("response"), 0.0, 1.5, 4), (Some("service"), 0.0, 1.5, 4),]
    );
    let longest = found[3].4 as f64;
    assert!((longest / 70e6 - 1.0).abs() < 0.001, "{longest}");
}

#[test]
fn without_slices_the_whole_window_is_one_interval() {
    let directory = tempfile::tempdir().unwrap();
    let mut record = record();
    record.runs.truncate(1);
    (record.runs[0].slices, record.runs[0].service.histogram) = (None, "damaged".to_owned());
    let mut export = Export::begin(directory.path(), Format::Hdr, Existing::Refuse).unwrap();
    export.add(record).unwrap();
    assert_eq!(export.finish().unwrap().tables[0].1, 1);
    let found = intervals(&fs::read_to_string(directory.path().join("r1.000001.T611.hlog")).unwrap());
    let tags: Vec<Option<&str>> = found.iter().map(|interval| interval.0.as_deref()).collect();
    assert_eq!(tags, [None, Some("response")]);
}
