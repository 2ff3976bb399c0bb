//! Impossible values of file streams.

use record::{Bytes, ComparedFile, FileStreams, Latency, Ratio, StreamBackend, StreamDirection};

use crate::impossible::{error_of, reason};

#[test]
fn file_streams_are_checked() {
    let streams = |change: &dyn Fn(&mut FileStreams)| {
        error_of(|record| {
            let mut streams = FileStreams {
                form: "form".to_owned(),
                means: "means".to_owned(),
                backend: StreamBackend::Engine,
                direction: StreamDirection::Read,
                request_bytes: Bytes(4096),
                file_bytes: Bytes(8192),
                requests_per_commit: 2,
                whole_files: 1,
                page_cached: None,
                same_device: None,
                requests: Latency::default(),
                openings: Latency::default(),
                commits: Latency::default(),
                wrong_requests: 0,
                counted_bytes: None,
                compared: vec![ComparedFile {
                    stream: 1,
                    size_bytes: Bytes(8192),
                    written_crc32c: 7,
                    read_crc32c: 7,
                    equal: true,
                }],
            };
            record.runs[0].streams = Some(Box::new(streams.clone()));
            assert_eq!(reason(record), None);
            change(&mut streams);
            record.runs[0].streams = Some(Box::new(streams));
        })
    };
    assert!(streams(&|streams| streams.request_bytes = Bytes(0)).ends_with("request_bytes 0, minimum 1"));
    assert!(streams(&|streams| streams.requests_per_commit = 0).contains("requests_per_commit 0"));
    assert!(
        streams(&|streams| streams.file_bytes = Bytes(1)).contains("file_bytes 1, smaller than request_bytes 4096")
    );
    assert!(streams(&|streams| streams.form.clear()).contains("a form must have a name"));
    assert!(streams(&|streams| streams.page_cached = Some(Ratio(-0.5))).contains("page_cached -0.5 is not a share"));
    assert!(streams(&|streams| streams.compared[0].stream = 0).contains("stream of a compared file 0"));
    assert!(
        streams(&|streams| streams.compared[0].read_crc32c = 8).contains("is marked as equal, with checksums 7 and 8")
    );
    assert!(
        streams(&|streams| streams.commits.count = u64::MAX).contains("requests, openings and commits, the run has")
    );
}
