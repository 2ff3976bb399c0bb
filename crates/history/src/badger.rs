//! pgBadger's JSON: statements per minute, as the log of the server has them.
//!
//! Only `per_minute_info` is read: by database (or for all of them), day, hour and minute. The log has the statements that took
//! longer than a setting of the server, so that their number is a lower bound. Statements of a second tell the largest one.

use std::collections::BTreeMap;
use std::io::BufRead;

use record::load_profile::{DoubtKind, Elsewhere, LoadQuantity};
use serde::Deserialize;
use serde::de::MapAccess;

use crate::error::Result;
use crate::form::Form;
use crate::found::Found;
use crate::json::{self, End, Number, ObjectOf, Walk, ignored};
use crate::moment::{self, MINUTE_MS};
use crate::part::{Amounts, Part, Span, put, put_with_max};

/// What is read of a minute.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Minute {
    query: Option<Queries>,
}

/// Statements of a minute.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Queries {
    count: Number,
    /// Milliseconds.
    duration: Number,
    /// By second.
    second: BTreeMap<String, Number>,
}

/// Sums of a minute over all databases.
#[derive(Debug, Default)]
struct Sums {
    count: f64,
    duration_ms: f64,
    /// Statements by second.
    seconds: Vec<f32>,
}

/// The minutes that were read, and where the reader is.
#[derive(Debug, Default)]
struct Minutes {
    sums: BTreeMap<i64, Sums>,
    /// Day, hour and minute, as far as they are known.
    path: Vec<i64>,
}

/// The file as a whole.
#[derive(Debug, Default)]
struct File(Minutes);

impl Walk for File {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> std::result::Result<(), A::Error> {
        match key {
            "per_minute_info" => map.next_value_seed(ObjectOf(&mut self.0)),
            _ => ignored(map),
        }
    }
}

impl Walk for Minutes {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> std::result::Result<(), A::Error> {
        let Some(begin_ms) = self.step(key) else {
            // A database, of which names are not kept; deeper, something else.
            return if self.path.is_empty() { map.next_value_seed(ObjectOf(self)) } else { ignored(map) };
        };
        self.path.push(begin_ms);
        if self.path.len() < 3 {
            map.next_value_seed(ObjectOf(&mut *self))?;
        } else {
            let minute: Minute = map.next_value()?;
            self.add(self.path.iter().sum(), minute);
        }
        self.path.pop();
        Ok(())
    }
}

impl Minutes {
    /// Milliseconds that a key of the next level stands for.
    fn step(&self, key: &str) -> Option<i64> {
        let number = |from: usize, length: usize| key.get(from..from + length)?.parse::<u32>().ok();
        let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
        match (self.path.len(), key.len()) {
            _ if !is_number => None,
            (0, 8) => moment::day_ms(number(0, 4)?, number(4, 2)?, number(6, 2)?),
            (1, 1 | 2) => key.parse().ok().filter(|hour: &i64| *hour < 24).map(|hour| hour * 60 * MINUTE_MS),
            (2, 1 | 2) => key.parse().ok().filter(|minute: &i64| *minute < 60).map(|minute| minute * MINUTE_MS),
            _ => None,
        }
    }

    fn add(&mut self, begin_ms: i64, minute: Minute) {
        let Some(queries) = minute.query else { return };
        let Some(count) = queries.count.0 else { return };
        if self.sums.len() > crate::limit::INTERVALS_MAX && !self.sums.contains_key(&begin_ms) {
            return;
        }
        let sums = self.sums.entry(begin_ms).or_default();
        sums.count += count;
        sums.duration_ms += queries.duration.0.unwrap_or(0.0);
        for (second, count) in queries.second {
            if let Some((second, count)) = second.parse::<usize>().ok().filter(|second| *second < 61).zip(count.0) {
                sums.seconds.resize(sums.seconds.len().max(second + 1), 0.0);
                sums.seconds[second] += count as f32;
            }
        }
    }
}

pub(crate) fn read(input: impl BufRead) -> Result<Vec<Part>> {
    let mut file = File::default();
    let end = json::read(input, &mut file)?;
    let mut part = Part::new(Form::Badger);
    if end == End::Cut {
        part.doubts.push(Found::refusal(DoubtKind::Truncated));
    }
    part.spans = file.0.sums.into_iter().map(|(begin_ms, sums)| span(begin_ms, &sums)).collect();
    Ok(if part.spans.is_empty() { Vec::new() } else { vec![part] })
}

fn span(begin_ms: i64, sums: &Sums) -> Span {
    let seconds = MINUTE_MS as f64 / 1e3;
    let mut amounts = Amounts::new();
    let largest = sums.seconds.iter().copied().reduce(f32::max).map(f64::from);
    put_with_max(&mut amounts, LoadQuantity::StatementsPerSecond, Some(sums.count / seconds), largest);
    put(&mut amounts, LoadQuantity::ActiveSessions, Some(sums.duration_ms / 1e3 / seconds));
    Span { started_at_ms: begin_ms, seconds, amounts }
}

/// Where to get a quantity that logs do not have.
pub(crate) fn elsewhere(quantity: LoadQuantity) -> Elsewhere {
    crate::statistics_views::elsewhere(quantity, None)
}
