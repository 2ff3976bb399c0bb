//! Plans of jobs, by setting.

use record::*;

use super::*;
use crate::fixture;
use crate::overrides::overrides;

fn planned(text: &str) -> Result<IoPlan> {
    planned_with(text, "")
}

fn planned_with(text: &str, changes: &str) -> Result<IoPlan> {
    let surroundings = fixture::surroundings();
    let changes = if changes.is_empty() { Vec::new() } else { overrides(changes, &surroundings)? };
    plan(&[JobFile::parse("j.fio", text, &surroundings)?], &changes, &surroundings)
}

/// The only job of `settings`, one per line, in a file of 1 GiB unless they say otherwise.
fn job(settings: &str) -> IoJob {
    let plan = planned(&format!("[j]\nsize=1g\n{settings}\n")).unwrap_or_else(|error| panic!("{settings}: {error}"));
    plan.phases[0].jobs[0].clone()
}

fn refusal(settings: &str) -> String {
    planned(&format!("[j]\nsize=1g\n{settings}\n")).map(|_| settings.to_owned()).unwrap_err().to_string()
}

fn lints(settings: &str) -> String {
    planned(&format!("[j]\nsize=1g\n{settings}\n")).unwrap().lints.join("\n")
}

fn one(size: u64) -> Blocks {
    Blocks::Split(vec![BlockShare { size_bytes: Bytes(size), share: Ratio(1.0) }])
}

#[test]
fn defaults_are_those_of_fio() {
    let job = job("");
    assert_eq!(job.mix, IoMix::READ);
    assert_eq!(job.read_blocks, one(4096));
    assert_eq!((job.mode, job.depth, job.clones, job.direct), (IoMode::Synchronous, 1, 1, false));
    assert_eq!((job.batch_submit, job.batch_complete_min, job.loops), (0, 1, 1));
    assert_eq!(job.files, ["j.$jobnum.0"]);
    assert_eq!((job.size, job.file_size, job.io_bytes), (Some(Amount::Bytes(Bytes::GIB)), None, None));
    assert_eq!((job.pace, job.seed, job.run_time), (Pace::Unthrottled, None, None));
    assert!(job.ring.fixed_buffers && job.ring.registered_files && !job.ring.polled);
    assert_eq!(job.layout, Layout::Written);
}

#[test]
fn defaults_apply_only_to_the_jobs_below_them() {
    let text = "[a]\nsize=1m\n[global]\nbs=8k\nsize=1m\n[b]\n[globalfoo]\nbs=16k\n[c]\nbs=,32k\n";
    let plan = planned(text).unwrap();
    let sizes: Vec<(Blocks, Blocks)> =
        plan.phases[0].jobs.iter().map(|job| (job.read_blocks.clone(), job.write_blocks.clone())).collect();
    assert_eq!(sizes, [(one(4096), one(4096)), (one(8192), one(8192)), (one(16384), one(32768))]);
}

#[test]
fn the_last_setting_applies_and_zero_is_off() {
    assert_eq!(job("bs=8k\nbs=16k").read_blocks, one(16384));
    assert!(!job("direct=1\ndirect=0").direct);
    assert!(job("direct=0\nbuffered=0").direct);
    assert!(!job("direct=1\nbuffered=1").direct);
    assert!(!job("time_based=0\nruntime=5").time_based);
    assert!(job("time_based\nruntime=5").time_based);
    assert_eq!(job("rw=randrw\nrwmixread=30\nrwmixwrite=30").mix.read, Ratio(0.7));
    assert!(!job("fixedbufs=0\nioengine=io_uring").ring.fixed_buffers);
}

#[test]
fn kb_base_applies_to_its_whole_section() {
    assert_eq!(job("bs=1k").read_blocks, one(1024));
    assert_eq!(job("bs=1kib").read_blocks, one(1000));
    assert_eq!(job("bs=1k\nkb_base=1000").read_blocks, one(1000));
    assert_eq!(job("bs=1kib\nkb_base=1000").read_blocks, one(1024));
    let plan = planned("[global]\nkb_base=1000\nsize=1k\n[a]\nbs=1k\n").unwrap();
    assert_eq!(plan.phases[0].jobs[0].read_blocks, one(1000));
}

#[test]
fn comments_start_with_a_semicolon_or_hash() {
    assert_eq!(job("filename=/x#y").files, ["/x"]);
    assert_eq!(job("bs = 8k ; the page").read_blocks, one(8192));
}

#[test]
fn block_sizes_are_split_by_direction_and_by_share() {
    let job = job("rw=randrw\nbssplit=8k/90:32k/10,4k/:16k/");
    let share = |size, share| BlockShare { size_bytes: Bytes(size), share: Ratio(share) };
    assert_eq!(job.read_blocks, Blocks::Split(vec![share(8192, 0.9), share(32768, 0.1)]));
    assert_eq!(job.write_blocks, Blocks::Split(vec![share(4096, 0.5), share(16384, 0.5)]));
    assert_eq!(job.coverage, Coverage::Free);
    let range = super::tests::job("bsrange=4k-64k").read_blocks;
    assert_eq!(range, Blocks::Range { min_bytes: Bytes(4096), max_bytes: Bytes(65536) });
    assert!(refusal("bssplit=8k/90:4k/30").contains("j.fio:3: bssplit 8k/90:4k/30 adds up to 120 %"));
}

#[test]
fn all_kinds_of_io_are_read() {
    let mix = |read, write, trim| IoMix { read: Ratio(read), write: Ratio(write), trim: Ratio(trim) };
    for (word, expected, random) in [
        ("read", mix(1.0, 0.0, 0.0), 0.0),
        ("write", mix(0.0, 1.0, 0.0), 0.0),
        ("trim", mix(0.0, 0.0, 1.0), 0.0),
        ("rw", mix(0.5, 0.5, 0.0), 0.0),
        ("readwrite", mix(0.5, 0.5, 0.0), 0.0),
        ("randread", mix(1.0, 0.0, 0.0), 1.0),
        ("randwrite", mix(0.0, 1.0, 0.0), 1.0),
        ("randtrim", mix(0.0, 0.0, 1.0), 1.0),
        ("randrw", mix(0.5, 0.5, 0.0), 1.0),
        ("trimwrite", mix(0.0, 0.5, 0.5), 0.0),
        ("randtrimwrite", mix(0.0, 0.5, 0.5), 1.0),
    ] {
        let job = job(&format!("rw={word}"));
        assert_eq!((job.mix, job.order.read_random.0), (expected, random), "{word}");
    }
    assert_eq!(job("rw=randread:8").sequence.blocks_per_jump, 8);
    assert_eq!(job("rw=read:-8k").sequence.gap_bytes, -8192);
    assert_eq!(job("rw=randrw\npercentage_random=50,0").order.write_random, Ratio(0.0));
    assert!(refusal("rw=randreadwrite").contains("is not a kind of I/O"));
}

#[test]
fn random_io_visits_every_block_unless_told_otherwise() {
    assert_eq!(job("rw=randread").coverage, Coverage::Full);
    assert_eq!(job("rw=randread\nrandom_generator=lfsr").coverage, Coverage::Full);
    assert_eq!(job("rw=randread\nnorandommap").coverage, Coverage::Free);
    assert_eq!(job("rw=randread\nba=8k").coverage, Coverage::Free);
    let zipf = job("rw=randread\nrandom_distribution=zipf:1.2");
    assert_eq!((zipf.distribution, zipf.coverage), (Distribution::Zipf { theta: 1.2 }, Coverage::Free));
}

#[test]
fn distributions_have_their_parameters() {
    let law = |text: &str| job(&format!("rw=randread\nrandom_distribution={text}")).distribution;
    let zone = |io, region| Zone { io: Ratio(io), region: Ratio(region) };
    assert_eq!(law("pareto:0.2"), Distribution::Pareto { h: 0.2 });
    assert_eq!(law("normal:10"), Distribution::Normal { deviation: Ratio(0.1) });
    assert_eq!(law("zoned:80/20:20/80"), Distribution::Zoned(vec![zone(0.8, 0.2), zone(0.2, 0.8)]));
    assert_eq!(law("zoned_abs:80/256m:20/"), Distribution::Zoned(vec![zone(0.8, 0.25), zone(0.2, 0.75)]));
    for wrong in
        ["zipf:1", "pareto:3", "normal:200", "zoned:60/10:30/20", "zoned:5", "dice", "zipf:x", "zoned_abs:100/2g"]
    {
        assert!(refusal(&format!("rw=randread\nrandom_distribution={wrong}")).starts_with("j.fio:4: "), "{wrong}");
    }
}

#[test]
fn rates_are_of_all_clones_and_all_directions_together() {
    let pace = |settings: &str| job(&format!("ioengine=libaio\n{settings}")).pace;
    let rate = |steps_per_second| Pace::Rate { steps_per_second };
    assert_eq!(pace("rw=randread\nrate_iops=500,200\nnumjobs=4"), rate(2000.0));
    assert_eq!(pace("rw=randrw\nrate_iops=500,500"), rate(1000.0));
    assert_eq!(pace("rw=write\nbs=8k\nrate=,8m"), rate(1024.0));
    assert_eq!(pace("rw=randread\nbssplit=4k/50:12k/50\nrate=8m"), rate(1024.0));
    assert_eq!(pace("rw=randrw\nrwmixread=75\nrate_iops=,100"), rate(400.0));
    let poisson = pace("rw=randread\nrate_iops=100\nrate_process=poisson");
    assert_eq!(poisson, Pace::Poisson { steps_per_second: 100.0 });
    assert_eq!(pace("thinktime=5"), Pace::ThinkTime { think_ns: Nanos(5_000) });
    assert_eq!(pace("thinktime=8ms\nthinktime_blocks=4"), Pace::ThinkTime { think_ns: Nanos(2_000_000) });
    assert_eq!(job("rw=randrw\nrate_iops=800,200").mix.read, Ratio(0.8));
    assert!(refusal("rate=1m\nrate_iops=100").contains("rate_iops is set together with rate"));
}

#[test]
fn lengths_say_how_long_a_file_is_and_how_much_of_it_is_used() {
    let bytes = |size| Some(Amount::Bytes(Bytes(size)));
    let split = job("nrfiles=4");
    assert_eq!((split.size, split.files.len()), (bytes(1 << 28), 4));
    assert_eq!(split.files[3], "j.$jobnum.3");
    let both = job("filesize=2g");
    assert_eq!((both.file_size, both.size, both.io_bytes), (Some(Bytes(2 << 30)), None, bytes(1 << 30)));
    assert_eq!(job("io_size=10g").io_bytes, bytes(10 << 30));
    let apart = job("filename=f\nnumjobs=4\noffset_increment=1g");
    assert_eq!(apart.file_size, Some(Bytes(4 << 30)));
    assert_eq!(job("filename=/dev/sdx\nnumjobs=4\noffset_increment=1g").file_size, None);
    assert_eq!(job("size=50%\nfilesize=1g").size, Some(Amount::Share(Ratio(0.5))));
    assert_eq!(job("offset=0%").offset, Amount::Share(Ratio(0.0)));
    assert!(refusal("size=0%").contains("size 0% is not a region"));
    assert!(refusal("size=0").contains("j.fio:3: size 0 is not a region"));
    assert!(planned("[j]\ndirect=1").unwrap().lints[0].contains("the size of its files is unknown"));
    assert!(planned("[j]\ndirect=1\nfilename=/dev/sdx").unwrap().lints.is_empty());
    assert_eq!(job("size=0\nfilename=/dev/sdx").size, None);
    assert_eq!(job("size=100%%\nfilename=/dev/sdx").size, Some(Amount::Share(Ratio(1.0))));
}

#[test]
fn names_of_files_are_made_from_job_clone_and_number() {
    assert_eq!(job("filename=a:b\\:c").files, ["a", "b:c"]);
    assert_eq!(job("directory=./data\nfilename=a").files, ["data/a"]);
    assert_eq!(job("filename_format=$jobname-$filenum\nnrfiles=2").files, ["j-0", "j-1"]);
    let slash = planned("[a/b]\nsize=1m").unwrap();
    assert_eq!(slash.phases[0].jobs[0].files, ["a.b.$jobnum.0"]);
    assert!(refusal("filename=../x").contains("is outside of the measured directory"));
    let surroundings = fixture::surroundings();
    let file =
        JobFile::parse("j.fio", "[a]\ndirectory=/mnt/x/\nsize=1m\n[b]\ndirectory=/mnt/y\n", &surroundings).unwrap();
    let one = JobFile { sections: file.sections[..1].to_vec(), ..file.clone() };
    assert_eq!(directory(&[one], &[]).unwrap().as_deref(), Some("/mnt/x"));
    assert!(directory(&[file], &[]).unwrap_err().to_string().contains("j.fio:5: directory /mnt/y differs from /mnt/x"));
}

#[test]
fn walls_and_waiting_make_phases_and_groups() {
    let names =
        |text: &str| -> Vec<String> { planned(text).unwrap().phases.into_iter().map(|phase| phase.name).collect() };
    let head = "[global]\nsize=1m\nioengine=null\n";
    assert_eq!(names(&format!("{head}[a]\n[b]\n[c]\nstonewall\n[d]\n")), ["a, b", "c, d"]);
    assert_eq!(names(&format!("{head}[a]\n[b]\nwait_for=a\n[c]\n")), ["a, c", "b"]);
    assert_eq!(names(&format!("{head}stonewall\n[a]\n[b]\n")), ["a", "b"]);
    assert!(planned(&format!("{head}[a]\nwait_for=b\n[b]\n")).is_err());
    let plan = planned(&format!("{head}[a]\n[b]\n[c]\nnew_group\n[d]\nstonewall\n")).unwrap();
    let groups: Vec<u32> = plan.phases.iter().flat_map(|phase| &phase.jobs).map(|job| job.report_group).collect();
    assert_eq!(groups, [0, 0, 1, 2]);
    let surroundings = fixture::surroundings();
    let file = JobFile::parse("j.fio", &format!("{head}[a]\n"), &surroundings).unwrap();
    assert_eq!(plan_of(&[file.clone(), file]).phases.len(), 2);
}

fn plan_of(files: &[JobFile]) -> IoPlan {
    plan(files, &[], &fixture::surroundings()).unwrap()
}

#[test]
fn overrides_come_after_the_settings_of_every_job() {
    let text = "[a]\nsize=1m\nruntime=30\nbssplit=8k/50:16k/50\nrate=1m\n[b]\nsize=1m\n";
    let plan = planned_with(text, "runtime=5,filesize=1G,bs=4k,rate_iops=10").unwrap();
    for job in &plan.phases[0].jobs {
        assert_eq!((job.run_time, job.file_size), (Some(Nanos(5_000_000_000)), Some(Bytes::GIB)));
        assert_eq!((&job.read_blocks, &job.pace), (&one(4096), &Pace::Rate { steps_per_second: 10.0 }));
    }
    let error = planned_with(text, "iodepth=0").unwrap_err().to_string();
    assert_eq!(error, "override: iodepth 0 is less than 1; hint: use 1 or more");
}

#[test]
fn supported_engines() {
    assert_eq!(job("ioengine=libaio\niodepth=16").mode, IoMode::Ring);
    assert_eq!(job("ioengine=pvsync2\niodepth=16").depth, 1);
    assert_eq!(job("ioengine=null").mode, IoMode::Null);
    let plan = planned("[j]\nsize=1m\nioengine=libaio\n").unwrap();
    assert!(plan.ignored.contains(&"ioengine=libaio (j.fio:3): io_uring is used instead".to_owned()));
    assert!(refusal("ioengine=rbd").starts_with("j.fio:3: ioengine rbd is not a supported I/O engine"));
}

#[test]
fn syncs_layouts_and_checks_follow_the_job() {
    assert_eq!(job("rw=write\nfdatasync=1").sync_every, Some(SyncEvery { writes: 1, data_only: true }));
    assert_eq!(job("rw=write\nfsync=0").sync_every, None);
    assert_eq!(job("rw=write\nsync=dsync").open_sync, OpenSync::Dsync);
    assert!(job("rw=write\nend_fsync=1").end_sync);
    assert_eq!(job("rw=write").layout, Layout::Allocated);
    assert_eq!(job("rw=write\nfallocate=none").layout, Layout::Empty);
    assert_eq!(job("rw=write\nfallocate=truncate").layout, Layout::Sparse);
    assert_eq!(job("rw=write\noverwrite=1").layout, Layout::Written);
    assert_eq!(job("rw=randwrite\nfallocate=none").layout, Layout::Written);
    assert_eq!(job("rw=randwrite\nverify=crc32c").verification, Verification::After);
    assert_eq!(job("rw=randwrite\nverify=crc32c\ndo_verify=0").verification, Verification::None);
    assert_eq!(job("rw=randread\nverify=md5").verification, Verification::OnRead);
    assert_eq!(job("rw=write\nzero_buffers").content, BufferContent::Zero);
    assert_eq!(job("rw=write\nbuffer_pattern=0xff").content, BufferContent::Pattern(vec![0xff]));
    let compressible = BufferContent::Compressible { share: Ratio(0.33), chunk_bytes: Bytes(4096) };
    let settings = "rw=write\nbuffer_compress_percentage=33\nbuffer_compress_chunk=4096\nbuffer_pattern=0xff";
    assert_eq!(job(settings).content, compressible);
    assert_eq!(job("rw=write\ndedupe_percentage=50").content, BufferContent::Repeated { share: Ratio(0.5) });
}

#[test]
fn processors_times_and_seeds_are_read() {
    assert_eq!(job("cpus_allowed=0,5,8-10\ncpus_allowed_policy=split").cpus_allowed, [0, 5, 8, 9, 10]);
    assert_eq!(job("cpumask=5").cpus_allowed, [0, 2]);
    assert_eq!(job("startdelay=1-5").start_delay, Nanos(3_000_000_000));
    assert_eq!(job("ramp_time=2m").ramp_time, Nanos(120_000_000_000));
    assert_eq!(job("randseed=0x89").seed, Some(137));
    assert_eq!(job("randrepeat=1").seed, None);
    assert_eq!(job("number_ios=1k").io_count, Some(1024));
}

#[test]
fn invalid_values_are_errors_with_their_line() {
    for (setting, message) in [
        ("iodepth=0", "iodepth 0 is less than 1"),
        ("bs=0", "bs 0 is not a block size"),
        ("numjobs=0", "numjobs 0 is less than 1"),
        ("rwmixread=101", "rwmixread 101 is more than 100"),
        ("runtime=-5", "runtime -5 is not a time"),
        ("size=1.5g", "size 1.5g is not a number"),
        ("direct=yes", "direct yes is neither 0 nor 1"),
        ("direct", "direct has no value"),
        ("filename=", "filename has no value after its ="),
        ("cpus_allowed=9999", "cpus_allowed 9999 is not a processor"),
        ("read_iolog=x", "read_iolog is not supported: traces are not replayed"),
        ("verify=abc", "verify abc is not known"),
    ] {
        let refusal = refusal(setting);
        assert!(refusal.starts_with(&format!("j.fio:3: {message}")), "{setting}: {refusal}");
    }
    let unset = refusal("size=${SIZE}");
    assert_eq!(unset, "j.fio:3: size has no value: ${SIZE} is not set; hint: set the environment variable SIZE");
    assert_eq!(
        planned("[global]\nsize=1g\n").unwrap_err().to_string(),
        "j.fio has no job; hint: a job is a section with a name other than global: [name]"
    );
}

#[test]
fn a_misleading_deployment_check_gets_three_lints() {
    let lints = lints("rw=randread\nioengine=psync\niodepth=4\nfdatasync=1\nbs=32k");
    assert!(lints.contains("fdatasync=1 (j.fio:6) has no effect: the job writes nothing"), "{lints}");
    assert!(lints.contains("iodepth=4 (j.fio:5) has no effect: psync does one I/O at a time"), "{lints}");
    assert!(lints.contains("a region of 1024 MiB fits the memory of 16384 MiB"), "{lints}");
    assert_eq!(lints.lines().count(), 3, "{lints}");
}

#[test]
fn each_misleading_setting_gets_a_lint() {
    for (settings, text) in [
        ("rw=read\ndirect=1\nfilename=f\nnumjobs=4", "all 4 jobs of numjobs read the same blocks"),
        ("rw=read\ndirect=1\ntime_based", "has no effect without a runtime"),
        ("rate=1m\nthinktime=5\ndirect=1", "thinktime=5 (j.fio:4) has no effect: the rate determines"),
        ("rw=read\nrwmixread=70\ndirect=1", "rw=read is not a mix"),
        ("rw=randrw\nverify=md5\ndirect=1", "verifies blocks while the job writes them"),
        ("rw=write\ndirect=1\nverify=md5\ntime_based\nruntime=5", "with time_based verifies only"),
        ("rw=write\ndirect=1\nzero_buffers", "writes data that a device can compress"),
        ("rw=randread\nrandom_distribution=zipf:1.2\ndirect=1", "norandommap is implied"),
        ("bs=1000\ndirect=1", "blocks of 1000 bytes with direct=1 will fail"),
        ("rw=randread\nba=1000\ndirect=1", "ba=1000 (j.fio:4) with direct=1 will fail"),
        ("fsync_on_close=1\ndirect=1", "fsync_on_close=1 (j.fio:3) has no effect"),
        ("gtod_reduce=1\ndirect=1", "latency is always recorded"),
        ("filename=/dev/sdx", "this is not a test of a device"),
        ("name=redo-log\nrw=write\ndirect=1", "named like a log but never syncs"),
        ("zonesize=1m\nzoneskip=1m\ndirect=1", "strided zones are not supported"),
        ("sync=1\ndirect=1", "sync=1 (j.fio:3) has no effect"),
        ("rw=trimwrite\ndirect=1", "not in pairs on the same"),
    ] {
        let lints = lints(settings);
        assert!(lints.contains(text), "{settings}: {lints}");
    }
    assert_eq!(lints("rw=randread\nioengine=io_uring\niodepth=32\ndirect=1\ntime_based\nruntime=30\nfilename=f"), "");
    let beside = "[global]\nsize=1g\ndirect=1\n[data]\nrw=randread\n[other]\nrw=write\nbs=8k\n";
    assert!(planned(beside).unwrap().lints[0].starts_with("other: small sequential writes"));
}

#[test]
fn commits_overwrite_written_files() {
    let layout = |text: &str| job(&format!("rw=write\n{text}")).layout;
    assert_eq!(layout("fdatasync=1\ncommit=1"), Layout::Written);
    assert_eq!(layout("fdatasync=1\ncommit=1\nfallocate=none"), Layout::Written);
    assert_eq!(layout("fdatasync=1"), Layout::Allocated);
}

#[test]
fn a_commit_is_one_write_and_its_sync() {
    let sync = |data_only| Some(SyncEvery { writes: 1, data_only });
    let parts = |settings: &str| {
        let job = job(&format!("rw=write\n{settings}"));
        (job.commit, job.sync_every, job.open_sync)
    };
    assert_eq!(parts("fdatasync=1\ncommit=1"), (true, sync(true), OpenSync::None));
    assert_eq!(parts("fsync=1\ncommit=1"), (true, sync(false), OpenSync::None));
    assert_eq!(parts("sync=dsync\ncommit=1"), (true, None, OpenSync::Dsync));
    assert_eq!(parts("sync=rwf_dsync\ncommit=1"), (true, None, OpenSync::WriteDsync));
    assert_eq!(parts("fdatasync=1\ncommit=0"), (false, sync(true), OpenSync::None));
    for (settings, message) in [
        ("rw=write\ncommit=1", "j.fio:4: commit has no sync; hint: use fdatasync=1"),
        ("rw=write\nfdatasync=4\ncommit=1", "j.fio:5: commit is one write and one sync, and a sync follows 4 writes"),
        ("rw=randread\ncommit=1", "j.fio:4: commit is set for a job that writes nothing; hint: use rw=write"),
    ] {
        assert!(refusal(settings).starts_with(message), "{}", refusal(settings));
    }
}

#[test]
fn a_queue_is_as_long_as_a_ring_can_be() {
    let depth = |settings: &str| job(&format!("ioengine=io_uring\nrw=write\n{settings}")).depth;
    assert_eq!(depth("iodepth=32768"), 32_768);
    assert_eq!(depth("iodepth=16384\nfdatasync=1\ncommit=1"), 16_384);
    assert_eq!(job("rw=write\niodepth=32768\nfdatasync=1\ncommit=1").depth, 1, "without a queue");
    for (settings, message) in [
        ("iodepth=32769", "j.fio:3: iodepth 32769 is more than 32768; hint: use 32768 or less"),
        (
            "iodepth=16385\nioengine=io_uring\nrw=write\nfsync=1\ncommit=1",
            "j.fio:3: iodepth 16385 is more than 16384 for commits; \
             hint: use 16384 or less; without commit=1, 32768 or less",
        ),
    ] {
        assert_eq!(refusal(settings), message);
    }
}

#[test]
fn a_burst_is_a_share_of_a_cycle() {
    let burst = |text: &str| job(&format!("rw=randwrite\nburst={text}")).burst;
    assert_eq!(burst("20%/30s"), Some((Ratio(0.2), Nanos(30_000_000_000))));
    assert_eq!(burst("12.5% / 500ms"), Some((Ratio(0.125), Nanos(500_000_000))));
    assert_eq!(burst("50%/10"), Some((Ratio(0.5), Nanos(10_000_000_000))), "seconds by default");
    assert_eq!(burst("100%/30s"), None, "always");
    for wrong in ["20%", "20/30s", "0%/30s", "120%/30s", "-5%/30s", "x%/30s", "20%/0s", "20%/x", "", "NaN%/1s"] {
        assert!(
            refusal(&format!("burst={wrong}")).starts_with("j.fio:3: burst "),
            "{}",
            refusal(&format!("burst={wrong}"))
        );
    }
}
