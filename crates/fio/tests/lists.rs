//! Lists with empty parts, and what is refused first, as fio reads them.

use std::io;

use dbdyno_fio as fio;
use fio::{JobFile, Result, Surroundings, overrides, plan};
use record::{Blocks, Bytes, Distribution, IoJob, IoPlan, Ratio};

fn surroundings() -> Surroundings<'static> {
    Surroundings {
        variable: &|_| None,
        include: &|_| Err(io::Error::from(io::ErrorKind::NotFound)),
        content: &|_| Err(io::Error::from(io::ErrorKind::NotFound)),
        page_bytes: Bytes(4096),
        memory_bytes: Bytes::GIB.times(16),
        processors: 8,
    }
}

fn planned(text: &str) -> Result<IoPlan> {
    plan(&[JobFile::parse("j.fio", text, &surroundings())?], &[], &surroundings())
}

fn of(setting: &str) -> Result<IoPlan> {
    planned(&format!("[j]\nioengine=null\nrw=randrw\nsize=1m\n{setting}\n"))
}

fn job(setting: &str) -> IoJob {
    of(setting).unwrap_or_else(|error| panic!("{setting}: {error}")).phases[0].jobs[0].clone()
}

fn refusal(text: &str) -> String {
    planned(text).map(|_| text.to_owned()).unwrap_err().to_string()
}

fn split(blocks: &Blocks) -> Vec<(u64, u64)> {
    match blocks {
        Blocks::Split(shares) => {
            shares.iter().map(|share| (share.size_bytes.0, (share.share.0 * 100.0).round() as u64)).collect()
        }
        Blocks::Range { .. } => Vec::new(),
    }
}

/// fio 3.33 takes each of them (`fio --parse-only`), and reads the same (block sizes and shares of a run on its null
/// engine).
#[test]
fn lists_are_those_of_fio() {
    for setting in [
        "bs=4k,",
        "bs=4k:8k",
        "ba=4k:8k",
        "rate=1m:500k",
        "rate_iops=100:200",
        "bs=,,4k",
        "bs=4k,,",
        "bsrange=4k-8k,",
        "bsrange=,4k-8k",
        "bsrange=4k:8k",
        "ba=4k,",
        "bssplit=,",
        "bssplit=,,",
        "bssplit=:",
        "bssplit=8k/90:",
        "cpus_allowed=0,",
        "cpus_allowed=0,,1",
        "cpus_allowed=0-",
        "random_distribution=zoned:50/5:50/95:",
        "random_distribution=zoned:100/5::50/95",
        "random_distribution=zoned:",
        "random_distribution=random:",
        "percentage_random=50,",
        "percentage_random=,50",
        "percentage_random=50,,",
        "rate=1m,",
        "rate=,1m",
        "rate_iops=10,",
        "rate_min=,1m",
        "rwmixread=50,",
        "dedupe_percentage=50,",
        "numa_cpu_nodes=0,",
        "numa_mem_policy=bind:0,",
        "percentile_list=50::99",
        "verify_async_cpus=0,",
        "ignore_error=,EIO:",
        "file_service_type=roundrobin:",
        "filename=a:",
        "filename=a::b",
        "iodepth=4,",
        "io_size=1m,",
        "size=1m,",
        "offset=0,",
        "filesize=1m-",
        "filesize=-1m",
        "filesize=1m,2m",
        "startdelay=1-",
        "startdelay=1,",
        "runtime=5,",
        "rw=randread:",
        "clat_percentiles=1,",
    ] {
        drop(job(setting));
    }
}

#[test]
fn an_empty_direction_has_its_default_and_an_empty_part_ends_a_list() {
    let both = |setting: &str| (split(&job(setting).read_blocks), split(&job(setting).write_blocks));
    assert_eq!(both("bssplit=8k/90:16k/10,,"), (vec![(8192, 90), (16384, 10)], vec![(4096, 100)]));
    assert_eq!(both("bssplit=,8k").0, [(4096, 100)]);
    assert_eq!(both("bs=4k:8k"), (vec![(4096, 100)], vec![(8192, 100)]));
    assert_eq!(both("bs=2k\nbssplit=8k/50:16k/50,").1, [(2048, 100)]);
    assert_eq!(both("bssplit=8k/90::16k/10").0, [(8192, 100)]);
    assert_eq!(both("bssplit=:8k/50").0, [(4096, 100)]);
    assert_eq!(job("cpus_allowed=0,,1").cpus_allowed, [0]);
    assert_eq!(job("cpus_allowed=2-,4").cpus_allowed, [2, 4]);
    assert_eq!(job("filename=a::b").files, ["a"]);
    assert_eq!(job("random_distribution=zoned:").distribution, Distribution::Uniform);
    for setting in ["bssplit=8k/90::16k/10", "cpus_allowed=0,,1", "filename=a::b"] {
        let said = format!("{setting} (j.fio:5): parts after an empty one are not read, as in fio");
        assert!(of(setting).unwrap().lints.contains(&said), "{setting}");
    }
    assert!(!of("bssplit=8k/90:16k/10,,").unwrap().lints.iter().any(|lint| lint.contains("not read")));
}

#[test]
fn shares_are_completed_as_in_fio() {
    let shares = |setting: &str| split(&job(setting).read_blocks);
    // What is left of 100 % falls to the largest share, to the last of equal ones; a share of 0 is a blank one.
    assert_eq!(shares("bssplit=4k/30:16k/30"), [(4096, 30), (16384, 70)]);
    assert_eq!(shares("bssplit=4k/0:16k/50"), [(4096, 50), (16384, 50)]);
    let lints = of("bssplit=4k/30:16k/30").unwrap().lints.join("\n");
    assert!(lints.contains("4k/30:16k/30 adds up to 60 %: blocks of 16384 bytes get the other 40 %"), "{lints}");
    let Distribution::Zoned(zones) = job("random_distribution=zoned:50/5:50/85").distribution else { panic!("zones") };
    let rest = zones.last().unwrap();
    assert_eq!((zones.len(), rest.io), (3, Ratio(0.0)));
    assert!((rest.region.0 - 0.1).abs() < 1e-9, "{rest:?}");
}

#[test]
fn a_refused_empty_part_is_named() {
    let refused = |setting: &str| refusal(&format!("[j]\nioengine=null\nrw=randrw\nsize=1m\n{setting}\n"));
    for (setting, message) in [
        ("bssplit=/50", "j.fio:5: bssplit /50 has no block size before its share"),
        ("cpus_allowed=,0", "j.fio:5: cpus_allowed ,0 begins with an empty part, and parts after an empty one are not"),
        ("filename=:a", "j.fio:5: filename :a begins with an empty name"),
        ("bsrange=4k-", "j.fio:5: bsrange has an empty part, which is not a number"),
        ("random_distribution=zipf:", "j.fio:5: random_distribution has an empty part, which is not a number"),
        ("filesize=50%", "j.fio:5: filesize 50% is a share, and the length of a file is in bytes"),
    ] {
        assert!(refused(setting).starts_with(message), "{}", refused(setting));
    }
}

#[test]
fn an_unsupported_engine_is_refused_before_its_keys() {
    let engine = |line: u32, name: &str| format!("j.fio:{line}: ioengine {name} is not a supported I/O engine");
    for (text, expected) in [
        ("[a]\nioengine=rbd\nclientname=admin\nrw=read\nsize=1M\n", engine(2, "rbd")),
        ("[a]\nclientname=admin\nrw=read\nioengine=rados\n", engine(4, "rados")),
        ("[a]\ndescription=${NOT_SET}\nioengine=net\n", engine(3, "net")),
        ("[a]\nthinktime=${NOT_SET}\nioengine=net\n", engine(3, "net")),
        ("[global]\npool=p\n[a]\nioengine=rbd\n", engine(4, "rbd")),
        ("[global]\nioengine=cpuio\n[a]\ncpuload=50\n", engine(2, "cpuio")),
        ("[a]\nbs=x\nioengine=sg\n", engine(3, "sg")),
        ("[a]\nunheard_of=1\nioengine=external:/x.so\n", engine(3, "external:/x.so")),
        ("[a]\nclientname=admin\n", "j.fio:2: key clientname belongs to the I/O engines rados and rbd".to_owned()),
        ("[a]\nioengine=rbd\n[b]\nioengine=null\npool=p\n", "j.fio:5: key pool belongs to".to_owned()),
        ("[a]\niodepth=${NOT_SET}\nioengine=null\n", "j.fio:2: iodepth has no value: ${NOT_SET} is not".to_owned()),
    ] {
        assert!(refusal(text).starts_with(&expected), "{text}{}", refusal(text));
    }
    for engine in ["mmap", "splice", "io_uring_cmd", "sg", "mtd", "rdma", "falloc", "e4defrag", "exec", "nbd", "http"] {
        let expected = format!("j.fio:2: ioengine {engine} is not a supported I/O engine; hint: one of io_uring");
        assert!(refusal(&format!("[a]\nioengine={engine}\n")).starts_with(&expected), "{engine}");
    }
    let error = overrides("clientname=admin,ioengine=rbd", &surroundings()).unwrap_err().to_string();
    assert!(error.starts_with("override: ioengine rbd is not a supported I/O engine"), "{error}");
}

#[test]
fn a_share_that_is_a_block_gets_a_note() {
    let lints = |settings: &str| planned(&format!("[a]\nrw=write\nsize=1M\n{settings}\n")).unwrap().lints.join("\n");
    let said = "bssplit=4k:30,16k:60 (j.fio:4) has blocks of 30 and 60 bytes; \
                hint: a share follows a slash: 4k/30:16k/60";
    assert!(lints("bssplit=4k:30,16k:60").contains(said), "{}", lints("bssplit=4k:30,16k:60"));
    assert!(lints("bssplit=4k/40:1000/60").contains("has a block of 1000 bytes; hint: a share follows a slash: 4k/30"));
    assert!(!lints("bssplit=4k/40:16k/60").contains("slash"));
}

#[test]
fn a_directory_of_devices_is_part_of_their_names() {
    let one = |settings: &str| planned(&format!("[a]\nsize=1m\n{settings}\n")).unwrap().phases[0].jobs[0].files.clone();
    assert_eq!(one("directory=/dev\nfilename=nvme9n1:nvme8n1"), ["/dev/nvme9n1", "/dev/nvme8n1"]);
    assert_eq!(one("directory=/dev/mapper/\nfilename=a:"), ["/dev/mapper/a"]);
    assert_eq!(one("directory=/dev/shm\nfilename=a"), ["a"]);
    let file = JobFile::parse("j", "[a]\ndirectory=/dev\nfilename=nvme9n1\n", &surroundings()).unwrap();
    assert_eq!(fio::directory(&[file], &[]).unwrap(), None);
}

#[test]
fn a_setting_is_found_where_it_is_written() {
    let text = "[global]\nbs=4k\n[a]\nbssplit=4k:30,16k:60\n[b]\n[b]\nbs=8k\n";
    let files = [JobFile::parse("j.fio", text, &surroundings()).unwrap()];
    let written = |job: &str| fio::written(&files, &[], job, &["bssplit", "bs"]);
    let of_a = written("a").unwrap();
    assert_eq!((of_a.location.to_string().as_str(), of_a.text.as_str()), ("j.fio:4", "bssplit=4k:30,16k:60"));
    assert_eq!(of_a.meant.as_deref(), Some("4k/30:16k/60"));
    assert_eq!(written("b"), None, "two jobs of one name differ");
    assert_eq!(written("none"), None);
    let changes = overrides("bs=16k", &surroundings()).unwrap();
    let changed = fio::written(&files, &changes, "b", &["bssplit", "bs"]).unwrap();
    assert_eq!((changed.location.to_string().as_str(), changed.text.as_str()), ("override", "bs=16k"));
}
