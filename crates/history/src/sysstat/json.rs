//! `sadf -j` and `iostat -o JSON`.

use std::fmt;
use std::io::BufRead;
use std::marker::PhantomData;

use record::load_profile::{DoubtKind, Zone};
use serde::de::{Deserialize as Value, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::clock::SampleClock;
use crate::error::{Result, shown};
use crate::form::Form;
use crate::found::{Found, add};
use crate::json::{self, ArrayOf, Each, End, Number, ObjectOf, Walk, ignored};
use crate::limit::{DEVICES_MAX, INSTANCES_MAX, INTERVALS_MAX};
use crate::moment;
use crate::part::Part;

use super::{Devices, Sample, accumulate, is_outer_interface, memory_bytes, warn};

/// The devices of a sample, of which there are no more than a host can have: a file with more is refused.
#[derive(Debug)]
struct Few<T>(Vec<T>);

impl<T> Default for Few<T> {
    fn default() -> Few<T> {
        Few(Vec::new())
    }
}

impl<'de, T: Value<'de>> Value<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Few<T>, D::Error> {
        struct Form<T>(PhantomData<T>);
        impl<'de, T: Value<'de>> Visitor<'de> for Form<T> {
            type Value = Few<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "at most {DEVICES_MAX} processors, devices or interfaces")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<Few<T>, A::Error> {
                let mut found = Vec::new();
                while let Some(item) = items.next_element()? {
                    if found.len() == DEVICES_MAX {
                        return Err(A::Error::invalid_length(DEVICES_MAX + 1, &self));
                    }
                    found.push(item);
                }
                Ok(Few(found))
            }
        }
        deserializer.deserialize_seq(Form(PhantomData))
    }
}

/// A sample as a program writes it.
trait Written: for<'de> Value<'de> {
    /// Adds it to the spans of `part`.
    fn take(self, part: &mut Part, clock: &mut SampleClock);
}

/// The file as a whole.
struct File<T> {
    form: Form,
    parts: Vec<Part>,
    clock: SampleClock,
    sample: PhantomData<T>,
}

impl<T: Written> Walk for File<T> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> std::result::Result<(), A::Error> {
        match key {
            "sysstat" => map.next_value_seed(ObjectOf(self)),
            "hosts" => map.next_value_seed(ArrayOf(&mut Host(self))),
            _ => ignored(map),
        }
    }
}

/// A host of the file.
struct Host<'a, T>(&'a mut File<T>);

impl<T: Written> Walk for Host<'_, T> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> std::result::Result<(), A::Error> {
        let File { form, parts, clock, .. } = &mut *self.0;
        // Its name is the first member of a host.
        if (key == "nodename" && parts.len() < INSTANCES_MAX) || parts.is_empty() {
            parts.push(Part::new(*form));
            *clock = SampleClock::default();
        }
        let Some(part) = parts.last_mut() else { return ignored(map) };
        match key {
            "nodename" => part.instance.host_name = Some(shown(&map.next_value::<String>()?)),
            "number-of-cpus" => part.instance.hardware_threads = count(map.next_value()?),
            "statistics" => {
                let take = |sample: T| sample.take(part, clock);
                map.next_value_seed(Each(take, PhantomData))?;
            }
            _ => ignored(map)?,
        }
        Ok(())
    }
}

fn count(number: Number) -> Option<u32> {
    number.0.filter(|count| (1.0..1e6).contains(count)).map(|count| count as u32)
}

fn read<T: Written>(form: Form, input: impl BufRead) -> Result<Vec<Part>> {
    let mut file = File::<T> { form, parts: Vec::new(), clock: SampleClock::default(), sample: PhantomData };
    let end = json::read(input, &mut file)?;
    for part in &mut file.parts {
        warn(part);
    }
    if let Some(part) = file.parts.last_mut().filter(|_| end == End::Cut) {
        add(&mut part.doubts, Found::refusal(DoubtKind::Truncated));
    }
    file.parts.retain(|part| !part.spans.is_empty());
    Ok(file.parts)
}

pub(crate) fn sadf(input: impl BufRead) -> Result<Vec<Part>> {
    read::<SadfSample>(Form::Sadf, input)
}

pub(crate) fn iostat(input: impl BufRead) -> Result<Vec<Part>> {
    read::<IostatSample>(Form::IostatJson, input)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SadfSample {
    timestamp: Option<Timestamp>,
    #[serde(rename = "cpu-load")]
    cpu_load: Few<CpuLoad>,
    #[serde(rename = "cpu-load-all")]
    cpu_load_all: Few<CpuLoad>,
    io: Option<Io>,
    memory: Option<Memory>,
    network: Option<Network>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Timestamp {
    date: String,
    time: String,
    utc: Number,
    interval: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CpuLoad {
    cpu: String,
    iowait: Number,
    idle: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Io {
    #[serde(rename = "io-reads")]
    reads: Option<IoReads>,
    #[serde(rename = "io-writes")]
    writes: Option<IoWrites>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct IoReads {
    rtps: Number,
    bread: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct IoWrites {
    wtps: Number,
    bwrtn: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Memory {
    memfree: Number,
    memused: Number,
    #[serde(rename = "memused-percent")]
    memused_percent: Number,
    buffers: Number,
    cached: Number,
    slab: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Network {
    #[serde(rename = "net-dev")]
    devices: Few<NetworkDevice>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NetworkDevice {
    iface: String,
    #[serde(rename = "rxkB")]
    received: Number,
    #[serde(rename = "txkB")]
    sent: Number,
}

/// Bytes of a block of sysstat.
const BLOCK_BYTES: f64 = 512.0;

impl Written for SadfSample {
    fn take(self, part: &mut Part, clock: &mut SampleClock) {
        let Some(timestamp) = &self.timestamp else { return };
        let moment = moment::year_first_ms(&timestamp.date, '-').zip(moment::time_ms(&timestamp.time));
        let seconds = timestamp.interval.0.filter(|seconds| *seconds > 0.0 && *seconds < 1e7);
        let (Some((day_ms, time_ms)), Some(seconds)) = (moment, seconds) else { return };
        if timestamp.utc.0 == Some(1.0) {
            part.zone = Zone::OffsetMinutes(0);
        }
        let (at_ms, _) = clock.moment(day_ms + time_ms, &mut part.doubts);
        let sample = self.sample(part);
        if part.spans.len() <= INTERVALS_MAX {
            part.spans.push(sample.span(at_ms, seconds));
        }
    }
}

impl SadfSample {
    fn sample(&self, part: &mut Part) -> Sample {
        let mut sample = Sample::default();
        let all = self.cpu_load.0.iter().chain(&self.cpu_load_all.0).find(|load| load.cpu == "all");
        sample.idle_percent = all.and_then(|load| Some(load.idle.0? + load.iowait.0.unwrap_or(0.0)));
        if let Some(io) = &self.io {
            let blocks = |number: Number| number.0.map(|blocks| blocks * BLOCK_BYTES);
            sample.reads = io.reads.as_ref().and_then(|reads| reads.rtps.0);
            sample.read_bytes = io.reads.as_ref().and_then(|reads| blocks(reads.bread));
            sample.writes = io.writes.as_ref().and_then(|writes| writes.wtps.0);
            sample.write_bytes = io.writes.as_ref().and_then(|writes| blocks(writes.bwrtn));
        }
        if let Some(memory) = &self.memory {
            sample.free_bytes = memory.memfree.0.map(|free| free * 1024.0);
            if let (Some(free), Some(used), Some(percent), None) =
                (memory.memfree.0, memory.memused.0, memory.memused_percent.0, part.instance.memory_bytes)
            {
                let caches = [memory.buffers.0, memory.cached.0, memory.slab.0];
                part.instance.memory_bytes = memory_bytes(free, used, percent, caches);
            }
        }
        let network = self.network.iter().flat_map(|network| &network.devices.0);
        for device in network.filter(|device| is_outer_interface(&device.iface)) {
            accumulate(&mut sample.received_bytes, device.received.0.map(|kilobytes| kilobytes * 1024.0));
            accumulate(&mut sample.sent_bytes, device.sent.0.map(|kilobytes| kilobytes * 1024.0));
        }
        sample
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct IostatSample {
    timestamp: String,
    #[serde(rename = "avg-cpu")]
    processors: Option<Processors>,
    disk: Few<Disk>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Processors {
    iowait: Number,
    idle: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Disk {
    disk_device: String,
    #[serde(rename = "r/s")]
    reads: Number,
    #[serde(rename = "w/s")]
    writes: Number,
    #[serde(rename = "rkB/s")]
    read_kilobytes: Number,
    #[serde(rename = "wkB/s")]
    written_kilobytes: Number,
    #[serde(rename = "rMB/s")]
    read_megabytes: Number,
    #[serde(rename = "wMB/s")]
    written_megabytes: Number,
}

impl Written for IostatSample {
    fn take(self, part: &mut Part, clock: &mut SampleClock) {
        let Some((at_ms, zone)) = super::iostat::timestamp(&self.timestamp, &mut part.doubts) else { return };
        part.zone = zone;
        // The first sample is of the time since the start of the host, or of a time that nobody tells.
        let (at_ms, Some(seconds)) = clock.moment(at_ms, &mut part.doubts) else { return };
        let mut sample = Sample {
            idle_percent: self.processors.as_ref().and_then(|load| Some(load.idle.0? + load.iowait.0.unwrap_or(0.0))),
            ..Sample::default()
        };
        let mut devices = Devices::default();
        for disk in &self.disk.0 {
            let bytes =
                |kilo: Number, mega: Number| kilo.0.map(|kilo| kilo * 1024.0).or(mega.0.map(|mega| mega * 1048576.0));
            let read = bytes(disk.read_kilobytes, disk.read_megabytes);
            let written = bytes(disk.written_kilobytes, disk.written_megabytes);
            devices.take(&disk.disk_device, [disk.reads.0, read, disk.writes.0, written]);
        }
        devices.add_to(&mut sample);
        if part.spans.len() <= INTERVALS_MAX {
            part.spans.push(sample.span(at_ms, seconds));
        }
    }
}
