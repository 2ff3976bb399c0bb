//! `sar` as text: a section for each kind of figures, with all times in each.

use std::collections::BTreeMap;
use std::io::BufRead;

use record::load_profile::DoubtKind;

use crate::clock::SampleClock;
use crate::error::{Error, Result, shown};
use crate::form::Form;
use crate::found::{Found, add};
use crate::limit::{COLUMNS_MAX, INTERVALS_MAX};
use crate::lines::Lines;
use crate::moment;
use crate::number::plain;
use crate::part::Part;

use super::{Sample, accumulate, is_outer_interface, memory_bytes, warn};

/// The first line of what sysstat writes: kernel, host in brackets, day, architecture, processors in brackets.
pub(super) struct Title {
    pub(super) host_name: Option<String>,
    pub(super) day: Option<(i64, bool)>,
    pub(super) day_text: String,
    pub(super) processor_count: Option<u32>,
}

pub(super) fn title(line: &str) -> Option<Title> {
    let rest = line.strip_prefix("Linux ")?;
    let host = rest.find('(').and_then(|begin| Some((begin, begin + rest[begin..].find(')')?)));
    let after = host.map_or(rest, |(_, end)| &rest[end + 1..]);
    let day_text = after.split_whitespace().next().unwrap_or_default();
    let count = after.rsplit('(').next().and_then(|text| text.split_whitespace().next()?.parse().ok());
    Some(Title {
        host_name: host.map(|(begin, end)| shown(&rest[begin + 1..end])),
        day: moment::locale_day_ms(day_text),
        day_text: shown(day_text),
        processor_count: count.filter(|count| (1..1_000_000).contains(count)),
    })
}

/// What a section is of, by a heading that no other has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Nothing,
    Processors,
    Io,
    Memory,
    Network,
}

/// A day of a host.
struct Log {
    part: Part,
    day_ms: i64,
    clock: SampleClock,
    section: Section,
    /// The last section that had figures.
    latest: Section,
    headings: Vec<String>,
    previous_ms: Option<i64>,
    /// By the number of steps back of the clock, and the moment: sections have the same times in the same order.
    samples: BTreeMap<(u32, i64), (Option<f64>, Sample)>,
    turn: u32,
}

pub(crate) fn read(input: impl BufRead) -> Result<Vec<Part>> {
    let mut lines = Lines::new(input);
    let mut parts = Vec::new();
    let mut log: Option<Log> = None;
    while let Some(line) = lines.next()? {
        if let Some(title) = title(line) {
            parts.extend(log.take().map(|log| log.finish(true)));
            log = Some(Log::new(title).map_err(|error| error.at(lines.number()))?);
        } else if let Some(log) = &mut log {
            log.line(line);
        }
    }
    let is_complete = lines.is_complete();
    parts.extend(log.map(|log| log.finish(is_complete)));
    parts.retain(|part| !part.spans.is_empty());
    Ok(parts)
}

impl Log {
    fn new(title: Title) -> Result<Log> {
        let Some((day_ms, is_ambiguous)) = title.day else {
            let message = format!("the day \"{}\" is in no notation that is known", title.day_text);
            return Err(Error::new(message, "write the file with S_TIME_FORMAT=ISO, or use sadf -j"));
        };
        let mut part = Part::new(Form::Sar);
        part.instance.host_name = title.host_name;
        part.instance.hardware_threads = title.processor_count;
        if is_ambiguous {
            add(&mut part.doubts, Found::warning(DoubtKind::AmbiguousNumber { text: title.day_text }));
        }
        Ok(Log {
            part,
            day_ms,
            clock: SampleClock::new(day_ms),
            section: Section::Nothing,
            latest: Section::Nothing,
            headings: Vec::new(),
            previous_ms: None,
            samples: BTreeMap::new(),
            turn: 0,
        })
    }

    fn line(&mut self, line: &str) {
        let mut words: Vec<&str> = line.split_whitespace().take(COLUMNS_MAX).collect();
        // Averages and what is said of restarts begin with no time, or have no figures.
        let Some(first_ms) = words.first().and_then(|time| moment::time_ms(time)) else {
            if words.is_empty() {
                self.section = Section::Nothing;
            }
            return;
        };
        let half = words.get(1).copied().and_then(|half| moment::time_of_half_day_ms(words[0], half));
        words.drain(..if half.is_some() { 2 } else { 1 });
        let time_ms = half.unwrap_or(first_ms);
        match section(&words) {
            Some(section) => self.begin(section, &words, time_ms),
            None if self.section != Section::Nothing => self.figures(time_ms, &words),
            None => {}
        }
    }

    /// A line of headings, which bears the time of the sample before the first one. It comes again within a section.
    fn begin(&mut self, section: Section, headings: &[&str], time_ms: i64) {
        let is_same = self.latest == section;
        self.section = section;
        if section == Section::Nothing {
            return;
        }
        self.latest = section;
        self.headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
        if !is_same {
            self.clock = SampleClock::new(self.day_ms);
            self.turn = 0;
            self.previous_ms = None;
        }
        if self.is_new(time_ms) {
            // What is said of the clock is said by figures.
            let (at_ms, _) = self.clock.sample(time_ms, &mut Vec::new());
            self.previous_ms = Some(at_ms);
        }
    }

    /// Whether a time of day is another one than that of the latest sample.
    fn is_new(&self, time_ms: i64) -> bool {
        self.previous_ms.is_none_or(|previous_ms| (previous_ms - self.day_ms - time_ms) % moment::DAY_MS != 0)
    }

    fn figures(&mut self, time_ms: i64, words: &[&str]) {
        let mut found = Vec::new();
        let (at_ms, seconds) = match (self.is_new(time_ms), self.previous_ms) {
            (false, Some(previous_ms)) => (previous_ms, None),
            _ => self.clock.sample(time_ms, &mut found),
        };
        if self.previous_ms.is_some_and(|previous_ms| at_ms < previous_ms) {
            self.turn += 1;
        }
        self.previous_ms = Some(at_ms);
        if self.section == Section::Processors {
            found.into_iter().for_each(|found| add(&mut self.part.doubts, found));
        }
        let key = (self.turn, at_ms);
        if self.samples.len() > INTERVALS_MAX + 1 && !self.samples.contains_key(&key) {
            return;
        }
        let value = |heading: &str| {
            let index = self.headings.iter().position(|known| known == heading)?;
            plain(words.get(index)?)
        };
        let entry = self.samples.entry(key).or_default();
        entry.0 = entry.0.or(seconds);
        let sample = &mut entry.1;
        match self.section {
            Section::Nothing => {}
            Section::Processors if words.first() == Some(&"all") => {
                sample.idle_percent = value("%idle").map(|idle| idle + value("%iowait").unwrap_or(0.0));
            }
            Section::Processors => {}
            Section::Io => {
                sample.reads = value("rtps");
                sample.writes = value("wtps");
                sample.read_bytes = value("bread/s").map(|blocks| blocks * 512.0);
                sample.write_bytes = value("bwrtn/s").map(|blocks| blocks * 512.0);
            }
            Section::Memory => {
                sample.free_bytes = value("kbmemfree").map(|free| free * 1024.0);
                if self.part.instance.memory_bytes.is_none()
                    && let (Some(free), Some(used), Some(percent)) =
                        (value("kbmemfree"), value("kbmemused"), value("%memused"))
                {
                    let caches = [value("kbbuffers"), value("kbcached"), value("kbslab")];
                    self.part.instance.memory_bytes = memory_bytes(free, used, percent, caches);
                }
            }
            Section::Network if words.first().is_some_and(|name| is_outer_interface(name)) => {
                accumulate(&mut sample.received_bytes, value("rxkB/s").map(|kilobytes| kilobytes * 1024.0));
                accumulate(&mut sample.sent_bytes, value("txkB/s").map(|kilobytes| kilobytes * 1024.0));
            }
            Section::Network => {}
        }
    }

    fn finish(mut self, is_complete: bool) -> Part {
        if !is_complete {
            add(&mut self.part.doubts, Found::refusal(DoubtKind::Truncated));
        }
        let samples = self.samples.into_iter().filter(|(_, (_, sample))| *sample != Sample::default());
        self.part.spans =
            samples.filter_map(|((_, at_ms), (seconds, sample))| Some(sample.span(at_ms, seconds?))).collect();
        warn(&mut self.part);
        self.part
    }
}

/// The section of a line of headings; nothing of a line of figures.
fn section(words: &[&str]) -> Option<Section> {
    let has = |heading: &str| words.contains(&heading);
    if has("CPU") && has("%idle") {
        return Some(Section::Processors);
    }
    if has("rtps") && has("wtps") {
        return Some(Section::Io);
    }
    if has("kbmemfree") {
        return Some(Section::Memory);
    }
    if has("IFACE") && has("rxkB/s") {
        return Some(Section::Network);
    }
    // Headings of another section: words, of which none is a number.
    let is_heading = words.len() > 1 && words.iter().all(|word| plain(word).is_none() && !word.starts_with("all"));
    is_heading.then_some(Section::Nothing)
}
