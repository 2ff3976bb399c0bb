//! Facts and conditions of a system, and what its I/O is, in words.

use model::{Condition, DeviceFact, FactSize, FactValue};
use record::{
    Bytes, CacheState, IndexTime, IoKind, IoStream, Location, LoopLocation, Nanos, Pace, PciLink, Run, StreamBackend,
};
use tables::io_stream;

use crate::figure::memory;
use crate::load_beside::loads_text;
use crate::words::{list, pinning, plural, preset};

/// The value of a fact, with the unit.
pub(crate) fn fact_text(value: &FactValue) -> String {
    match value {
        FactValue::Text(text) => text.clone(),
        FactValue::Size(FactSize(size)) => size_text(*size),
        FactValue::Count(count) => count.to_string(),
        FactValue::Switch(true) => "on".to_owned(),
        FactValue::Switch(false) => "off".to_owned(),
        FactValue::Megahertz(clock) => format!("{clock} MHz"),
        FactValue::ProcessorQuota { hundredths } => format!("{:.2} CPUs", *hundredths as f64 / 100.0),
        FactValue::Topology { sockets, cores, threads } => {
            let counts = [(sockets, "socket"), (cores, "core"), (threads, "thread")];
            list(counts.into_iter().filter_map(|(count, noun)| Some(plural((*count)?.into(), noun))))
        }
        FactValue::NumaNodes(nodes) => plural((*nodes).into(), "node"),
        FactValue::Device(device) => device_text(device),
        FactValue::Location(location) => location_text(*location).to_owned(),
        FactValue::Server { is_temporary: true } => "started by dbdyno".to_owned(),
        FactValue::Server { is_temporary: false } => "already running".to_owned(),
        FactValue::Build { version, is_optimised } => {
            format!("{version}, {}", if *is_optimised { "optimised" } else { "not optimised" })
        }
        FactValue::Preset(of) => preset(*of).to_owned(),
        FactValue::Time(span) => seconds(*span),
        FactValue::Pace(pace) => pace_text(*pace),
        FactValue::Placement(placement) => pinning(*placement).to_owned(),
        FactValue::OneThreadPerCore => "one per core".to_owned(),
        FactValue::Table { rows, size } => format!("{rows} rows, {}", size_text(size.0)),
        FactValue::OwnSettings { count, engine } => format!("{count} of {engine}"),
        FactValue::Named { name, value } => format!("{name}: {}", fact_text(value)),
        FactValue::Counted { value, noun } => format!("{} {noun}", fact_text(value)),
    }
}

fn device_text(device: &DeviceFact) -> String {
    let parts = [
        device.model.clone(),
        device.size.map(|size| size_text(size.0)),
        device.is_rotational.map(|rotates| if rotates { "rotational" } else { "non-rotational" }.to_owned()),
        device.write_cache.as_ref().map(|cache| format!("write cache: {cache}")),
        device.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}")),
        device.queue_depth.map(|depth| format!("queue depth {depth}")),
        device.firmware.as_ref().map(|firmware| format!("firmware {firmware}")),
        device.link.map(link_text),
    ];
    list(parts.into_iter().flatten())
}

fn location_text(location: Location) -> &'static str {
    match location {
        Location::InProcess => "embedded",
        Location::UnixSocket => "on this host, over a Unix socket",
        Location::LocalTcp => "on this host, over TCP",
        Location::Remote => "on another host",
    }
}

/// The name of a condition and its value.
pub(crate) fn condition_text(condition: &Condition) -> (&'static str, String) {
    let (name, value) = match condition {
        Condition::CacheFilled(true) => ("buffer cache", "filled before each run"),
        Condition::CacheFilled(false) => ("buffer cache", "as earlier runs left it"),
        Condition::Caches(CacheState::Preloaded) => ("caches", "preloaded"),
        Condition::Caches(CacheState::Warm) => ("caches", "warm"),
        Condition::Caches(CacheState::Cold) => ("caches", "cold"),
        Condition::Files(StreamBackend::Engine) => ("files", "engine"),
        Condition::Files(StreamBackend::FileSystemDirect) => ("files", "file system, O_DIRECT"),
        Condition::Files(StreamBackend::FileSystemCached) => ("files", "file system, buffered"),
        Condition::Indexes(IndexTime::None) => ("indexes", "none"),
        Condition::Indexes(IndexTime::Before) => ("indexes", "built before the load"),
        Condition::Indexes(IndexTime::After) => ("indexes", "built after the load"),
        Condition::Lines(source) if source == "none" => ("lines", "uncompressed"),
        Condition::Lines(source) => ("lines", source.as_str()),
        Condition::LoadsBeside(loads) if loads.is_empty() => ("load beside", "none"),
        Condition::LoadsBeside(loads) => return ("load beside", loads_text(loads)),
        Condition::Loop(LoopLocation::Client) => ("loop", "in the client"),
        Condition::Loop(LoopLocation::Engine) => ("loop", "in the engine"),
        Condition::ClientThreads(None) => ("client threads", "one for each job"),
        Condition::ClientThreads(Some(count)) => return ("client threads", count.to_string()),
        Condition::OperationsPerStep(count) => return ("operations per step", count.to_string()),
        Condition::Reads { from_device: true } => ("reads", "from the device"),
        Condition::Reads { from_device: false } => ("reads", "from the page cache"),
    };
    (name, value.to_owned())
}

/// The pace of a test, with all its digits.
pub(crate) fn pace_text(pace: Pace) -> String {
    match pace {
        Pace::Unthrottled => "closed loop, unthrottled".to_owned(),
        Pace::Rate { steps_per_second } => format!("{steps_per_second} steps/s, fixed interval"),
        Pace::Poisson { steps_per_second } => format!("{steps_per_second} steps/s, Poisson arrivals"),
        Pace::ThinkTime { think_ns } => format!("closed loop, think time {}", seconds(think_ns)),
    }
}

fn seconds(span: Nanos) -> String {
    format!("{} s", span.seconds())
}

/// A size in binary units; without decimals where it is a multiple of the unit.
pub(crate) fn size_text(Bytes(bytes): Bytes) -> String {
    let units = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        None => format!("{bytes} B"),
        Some((unit, name)) if bytes.is_multiple_of(unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
    }
}

/// `16 GT/s x4`, with the maximum if that is higher.
pub(crate) fn link_text(link: PciLink) -> String {
    let text = |speed: f64, lanes: u32| format!("{speed} GT/s x{lanes}");
    let (now, max) =
        (text(link.gigatransfers_per_second, link.lanes), text(link.gigatransfers_per_second_max, link.lanes_max));
    if now == max { now } else { format!("{now} (max {max})") }
}

/// What `run` does, where it is one kind of I/O of one job: `randread, 8 KiB`.
pub(crate) fn io_pattern(run: &Run) -> Option<String> {
    // A sync between writes has its own stream.
    let streams = run.storage.as_deref()?.streams.iter();
    let counted: Vec<&IoStream> = streams.filter(|stream| stream.kind != IoKind::Sync).collect();
    let [stream] = counted[..] else { return None };
    let sizes = Some(block(stream)).filter(|sizes| !sizes.is_empty());
    Some(list([Some(io_stream::pattern(stream, None).to_owned()), sizes].into_iter().flatten()))
}

/// The block sizes of a stream; nothing for a sync, which has none.
pub(crate) fn block(stream: &IoStream) -> String {
    match stream.kind {
        IoKind::Sync => String::new(),
        _ => sizes(stream.block_bytes_min, stream.block_bytes_max),
    }
}

/// A block size, or a range of them: `8 KiB`, `4-128 KiB`.
pub(crate) fn sizes(min: Bytes, max: Bytes) -> String {
    let (low, high) = (memory(min), memory(max));
    match (low.split_once(' '), high.split_once(' ')) {
        _ if low == high => low,
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number}-{high}"),
        _ => format!("{low}-{high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_decimal_unless_it_is_whole() {
        let sizes = [512, 128 << 20, 3 << 29].map(|size| size_text(Bytes(size)));
        assert_eq!(sizes, ["512 B", "128 MiB", "1.5 GiB"]);
    }

    #[test]
    fn a_topology_names_what_is_known() {
        let topology = FactValue::Topology { sockets: Some(1), cores: None, threads: Some(8) };
        assert_eq!(fact_text(&topology), "1 socket, 8 threads");
        let counted =
            FactValue::Counted { value: Box::new(FactValue::Text("4".to_owned())), noun: "sockets".to_owned() };
        assert_eq!(fact_text(&counted), "4 sockets");
    }
}
