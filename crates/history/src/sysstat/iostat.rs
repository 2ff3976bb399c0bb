//! `iostat -x -t` as text.
//!
//! The first report of each call is of the time since the host was started. It is left out, as is the first one of a call with
//! `-y`, which looks the same.

use std::io::BufRead;

use record::load_profile::{DoubtKind, Zone};

use crate::clock::SampleClock;
use crate::error::{Error, Result};
use crate::form::Form;
use crate::found::{Found, add};
use crate::limit::{COLUMNS_MAX, INTERVALS_MAX};
use crate::lines::Lines;
use crate::moment;
use crate::number::plain;
use crate::part::Part;

use super::sar::title;
use super::{Devices, Sample, warn};

/// The moment of a report, and its zone: `11/30/26 08:13:56`, `11/30/2026 08:13:56 AM`, `2026-11-30T08:13:58+0000`.
pub(super) fn timestamp(line: &str, doubts: &mut Vec<Found>) -> Option<(i64, Zone)> {
    if let Some((at_ms, offset)) = moment::standard(line) {
        return Some((at_ms, offset.map_or(Zone::Unknown, Zone::OffsetMinutes)));
    }
    let mut words = line.split_whitespace();
    let (day, time, half) = (words.next()?, words.next()?, words.next());
    if words.next().is_some() {
        return None;
    }
    let time_ms = match half {
        Some(half) => moment::time_of_half_day_ms(time, half)?,
        None => moment::time_ms(time)?,
    };
    let (day_ms, is_ambiguous) = moment::locale_day_ms(day)?;
    if is_ambiguous && half.is_none() {
        add(doubts, Found::warning(DoubtKind::AmbiguousNumber { text: crate::error::shown(day) }));
    }
    Some((day_ms + time_ms, Zone::Unknown))
}

/// What a line of numbers is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Nothing,
    Processors,
    Devices,
}

struct Log {
    part: Part,
    clock: SampleClock,
    section: Section,
    headings: Vec<String>,
    at: Option<(i64, Option<f64>)>,
    sample: Sample,
    devices: Devices,
    has_moment: bool,
}

pub(crate) fn read(input: impl BufRead) -> Result<Vec<Part>> {
    let mut lines = Lines::new(input);
    let mut logs = vec![Log::new()];
    while let Some(line) = lines.next()? {
        if let Some(title) = title(line) {
            let is_same = logs.last().is_some_and(|log| log.part.instance.host_name == title.host_name);
            if !is_same && logs.last().is_some_and(|log| log.has_moment) {
                if logs.len() >= crate::limit::INSTANCES_MAX {
                    return Err(Error::new("the file has too many hosts", "give it in parts"));
                }
                logs.push(Log::new());
            }
            if let Some(log) = logs.last_mut() {
                // Of the same host it is another call.
                log.begin_call();
                log.part.instance.host_name = title.host_name;
                log.part.instance.hardware_threads = title.processor_count;
            }
            continue;
        }
        if let Some(log) = logs.last_mut() {
            log.line(line)?;
        }
    }
    let is_complete = lines.is_complete();
    let has_moment = logs.iter().any(|log| log.has_moment);
    if !has_moment {
        return Err(Error::new("the reports of iostat have no times", "write them with iostat -x -t"));
    }
    let last = logs.len() - 1;
    let parts = logs.into_iter().enumerate().map(|(index, log)| log.finish(is_complete || index < last));
    Ok(parts.filter(|part| !part.spans.is_empty()).collect())
}

impl Log {
    fn new() -> Log {
        Log {
            part: Part::new(Form::Iostat),
            clock: SampleClock::default(),
            section: Section::Nothing,
            headings: Vec::new(),
            at: None,
            sample: Sample::default(),
            devices: Devices::default(),
            has_moment: false,
        }
    }

    fn begin_call(&mut self) {
        self.end();
        self.clock = SampleClock::default();
    }

    fn line(&mut self, line: &str) -> Result<()> {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else {
            self.section = Section::Nothing;
            return Ok(());
        };
        if first == "avg-cpu:" || first.trim_end_matches(':') == "Device" {
            self.section = if first == "avg-cpu:" { Section::Processors } else { Section::Devices };
            self.headings = words.take(COLUMNS_MAX).map(str::to_owned).collect();
            return Ok(());
        }
        match self.section {
            Section::Nothing => {
                if let Some((at_ms, zone)) = timestamp(line, &mut self.part.doubts) {
                    self.end();
                    self.has_moment = true;
                    self.part.zone = zone;
                    self.at = Some(self.clock.moment(at_ms, &mut self.part.doubts));
                }
            }
            Section::Processors => {
                let values: Vec<Option<f64>> = line.split_whitespace().take(COLUMNS_MAX).map(plain).collect();
                let idle = self.value(&values, "%idle");
                self.sample.idle_percent = idle.map(|idle| idle + self.value(&values, "%iowait").unwrap_or(0.0));
            }
            // Groups of devices are indented.
            Section::Devices if !line.starts_with(' ') => {
                let values: Vec<Option<f64>> = words.take(COLUMNS_MAX).map(plain).collect();
                let bytes = |units: [(&str, f64); 3]| {
                    units.iter().find_map(|(heading, bytes)| Some(self.value(&values, heading)? * bytes))
                };
                let read = bytes([("rkB/s", 1024.0), ("rMB/s", 1048576.0), ("rsec/s", 512.0)]);
                let written = bytes([("wkB/s", 1024.0), ("wMB/s", 1048576.0), ("wsec/s", 512.0)]);
                let figures = [self.value(&values, "r/s"), read, self.value(&values, "w/s"), written];
                if values.len() < self.headings.len() {
                    // The last line of a file that ends within it.
                    return Ok(());
                }
                self.devices.take(first, figures);
            }
            Section::Devices => {}
        }
        Ok(())
    }

    fn value(&self, values: &[Option<f64>], heading: &str) -> Option<f64> {
        *values.get(self.headings.iter().position(|known| known == heading)?)?
    }

    /// Ends a report.
    fn end(&mut self) {
        let (mut sample, devices) = (std::mem::take(&mut self.sample), std::mem::take(&mut self.devices));
        self.section = Section::Nothing;
        let Some((at_ms, Some(seconds))) = self.at.take() else { return };
        devices.add_to(&mut sample);
        if sample != Sample::default() && self.part.spans.len() <= INTERVALS_MAX {
            self.part.spans.push(sample.span(at_ms, seconds));
        }
    }

    fn finish(mut self, is_complete: bool) -> Part {
        if is_complete {
            self.end();
        } else {
            // Of the last report devices may be missing.
            add(&mut self.part.doubts, Found::refusal(DoubtKind::Truncated));
        }
        warn(&mut self.part);
        self.part
    }
}
