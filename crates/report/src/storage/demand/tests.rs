use record::Ratio;

use super::*;

/// Four threads that read 4 KiB blocks of one file of 1 GiB for ten seconds.
fn reader() -> IoJob {
    IoJob {
        name: "data".to_owned(),
        clones: 4,
        depth: 16,
        files: vec!["data.bin".to_owned()],
        file_size: Some(Bytes::GIB),
        time_based: true,
        run_time: Some(Nanos(10_000_000_000)),
        ramp_time: Nanos(2_000_000_000),
        ..IoJob::default()
    }
}

fn writer() -> IoJob {
    IoJob { mix: IoMix::WRITE, ..reader() }
}

fn plan(jobs: Vec<IoJob>) -> IoPlan {
    let phases = jobs.into_iter().map(|job| IoPhase { name: job.name.clone(), jobs: vec![job] }).collect();
    IoPlan { phases, ..IoPlan::default() }
}

#[test]
fn a_shared_file_is_counted_once_with_its_largest_size() {
    let larger = IoJob { file_size: None, size: Some(Amount::Bytes(Bytes::GIB.times(3))), ..reader() };
    let files = files(&plan(vec![reader(), larger]));
    assert_eq!(files.len(), 1);
    assert_eq!((space(&files), laid_out(&files)), (Bytes::GIB.times(3), Bytes::GIB.times(3)));
}

#[test]
fn each_thread_has_its_own_file_where_its_number_is_in_the_name() {
    let job = IoJob { files: vec!["log.$jobnum".to_owned()], layout: Layout::Allocated, ..writer() };
    let files = files(&plan(vec![job]));
    assert_eq!((files.len(), count(&files)), (1, 4));
    assert_eq!((space(&files), laid_out(&files)), (Bytes::GIB.times(4), Bytes(0)));
}

#[test]
fn threads_with_an_offset_increment_need_a_longer_file() {
    let apart = Amount::Bytes(Bytes::GIB);
    let job = IoJob { file_size: None, size: Some(apart), offset_increment: apart, ..reader() };
    assert_eq!(files_of(&job)[0].size, Some(Bytes::GIB.times(4)));
}

#[test]
fn a_device_takes_no_space_and_is_not_laid_out() {
    let files = files(&plan(vec![IoJob { files: vec!["/dev/sdx".to_owned()], file_size: None, ..reader() }]));
    assert_eq!((files[0].layout, files[0].size), (None, None));
    assert_eq!((space(&files), laid_out(&files)), (Bytes(0), Bytes(0)));
}

#[test]
fn bytes_written_are_bounded_by_amount_rate_or_time() {
    assert_eq!(written(&reader()), Written::AtMost(Bytes(0)));
    assert_eq!(written(&writer()), Written::ForTime(Nanos(12_000_000_000)));
    let paced = IoJob { pace: Pace::Rate { steps_per_second: 1000.0 }, ..writer() };
    assert_eq!(written(&paced), Written::AtMost(Bytes(12 * 1000 * 4096)));
    let once = IoJob { time_based: false, run_time: None, ..writer() };
    assert_eq!(written(&once), Written::AtMost(Bytes::GIB.times(4)), "each thread visits the region once");
    let half = IoJob { mix: IoMix { read: Ratio(0.5), write: Ratio(0.5), trim: Ratio(0.0) }, ..once.clone() };
    assert_eq!(written(&half), Written::AtMost(Bytes::GIB.times(2)));
    let few = IoJob { io_count: Some(100), ..once.clone() };
    assert_eq!(written(&few), Written::AtMost(Bytes(4 * 100 * 4096)));
    let of_device = IoJob { file_size: None, size: Some(Amount::Share(Ratio(0.5))), ..once };
    assert_eq!(written(&of_device), Written::Unknown);
}

#[test]
fn a_phase_takes_as_long_as_its_longest_job() {
    let late = IoJob { start_delay: Nanos(5_000_000_000), ..reader() };
    let phase = |jobs| IoPhase { name: String::new(), jobs };
    assert_eq!(time(&phase(vec![reader(), late])), Some(Nanos(17_000_000_000)));
    assert_eq!(time(&phase(vec![reader(), IoJob { run_time: None, ..reader() }])), None);
}
