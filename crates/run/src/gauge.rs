//! Reads a gauge of a test while its jobs work.
//!
//! It is read once a second, and less often in a long window. What the readings cost the engine in transactions is counted as
//! bookkeeping. If one fails, the gauge is not read any more, and the run goes on without.

use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{Canceller, Session, Statement, Value};
use measure::clock;
use record::{Gauge, GaugeReading, GaugeRun, Nanos, Run};

use crate::bench::Bench;
use crate::companion::{Companion, Course};
use crate::sampler::SampledNode;

/// The most readings in a window.
const READINGS_MAX: u64 = 3_600;

/// Reads one gauge of the first node of a run.
pub(crate) struct GaugeReader<'a> {
    node: &'a SampledNode<'a>,
    session: Mutex<Box<dyn Session>>,
    statement: Statement,
    canceller: Mutex<Option<Box<dyn Canceller>>>,
    period: Nanos,
    course: Course,
    result: Mutex<GaugeRun>,
}

impl<'a> GaugeReader<'a> {
    /// Of `gauge` on the node at `node_index` in a window of `window`; `set_up` are the statements that its session begins with.
    ///
    /// # Errors
    /// Errors of the engine, with the name of the gauge.
    pub(crate) fn new(
        bench: &Bench<'a>,
        node_index: usize,
        gauge: Gauge,
        set_up: &[String],
        window: Nanos,
    ) -> engine::Result<GaugeReader<'a>> {
        let node = &bench.sources.nodes[node_index];
        let mut session = node.node().connect()?;
        set_up.iter().try_for_each(|statement| session.batch(statement))?;
        let named = |error: engine::Error| {
            let message = format!("gauge {}: {}", gauge.name, error.message);
            engine::Error { message, ..error }
        };
        let statement = session.prepare(&gauge.sql).map_err(named)?;
        session.publish_counters()?;
        Ok(GaugeReader {
            node,
            statement,
            canceller: Mutex::new(session.canceller()),
            session: Mutex::new(session),
            period: Nanos(window.0 / READINGS_MAX).max(Nanos::SECOND),
            course: Course::default(),
            result: Mutex::new(GaugeRun { name: gauge.name, readings: Vec::new(), refusal: None }),
        })
    }

    /// Reads it; none of null.
    fn read(&self) -> Result<Option<f64>, String> {
        if self.node.is_lost() {
            return Err("the node is lost".to_owned());
        }
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = session.query(self.statement, &[]).map_err(|error| error.message)?;
        self.node.add_own_commits(u64::from(self.node.node().caps().counts_read_commits));
        number(&rows)
    }

    fn result(&self) -> MutexGuard<'_, GaugeRun> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number in the first column of the only row of an answer; none of null.
fn number(rows: &[Vec<Value<'_>>]) -> Result<Option<f64>, String> {
    let [row] = rows else { return Err(format!("it returned {} rows, not one", rows.len())) };
    let number = match row.first() {
        None => return Err("it returned no column".to_owned()),
        Some(Value::Null) => return Ok(None),
        Some(Value::Int(value)) => *value as f64,
        Some(Value::Float(value)) => *value,
        Some(Value::Decimal(text) | Value::Text(text)) => {
            text.trim().parse().map_err(|_| format!("it returned `{text}`, which is no number"))?
        }
    };
    match number.is_finite() {
        true => Ok(Some(number)),
        false => Err(format!("it returned {number}, which is no number")),
    }
}

impl Companion for GaugeReader<'_> {
    fn course(&self) -> &Course {
        &self.course
    }

    fn watch(&self) {
        self.course.wait_for_begin();
        let begun = clock::now();
        for number in 0.. {
            let due = begun + Nanos(self.period.0.saturating_mul(number));
            let Some((value, is_over)) = self.course.call_at(due, || self.read()) else { return };
            match value {
                // The window was over when it was answered.
                _ if is_over => return,
                Ok(value) => {
                    let at_ns = clock::now().since(begun);
                    self.result().readings.extend(value.map(|value| GaugeReading { at_ns, value }));
                }
                Err(refusal) => {
                    self.result().refusal = Some(refusal);
                    return;
                }
            }
        }
    }

    fn publish(&self) {
        self.node.publish(self.session.lock().unwrap_or_else(PoisonError::into_inner).as_mut());
    }

    fn cancel(&self) -> bool {
        let canceller = self.canceller.lock().unwrap_or_else(PoisonError::into_inner);
        canceller.as_ref().is_some_and(|canceller| canceller.cancel().is_ok())
    }

    fn add_to(self: Box<Self>, run: &mut Run) {
        run.gauges.push(self.result.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_is_one_number() {
        let of = |value: Value<'static>| number(&[vec![value]]);
        assert_eq!(of(Value::Int(-3)), Ok(Some(-3.0)));
        assert_eq!(of(Value::Decimal("12.5".into())), Ok(Some(12.5)));
        assert_eq!(of(Value::Text(" 7 ".into())), Ok(Some(7.0)));
        assert_eq!(of(Value::Null), Ok(None));
        assert!(of(Value::Text("deep".into())).unwrap_err().contains("`deep`, which is no number"));
        assert!(of(Value::Float(f64::NAN)).unwrap_err().contains("NaN"));
        assert_eq!(number(&[]), Err("it returned 0 rows, not one".to_owned()));
        assert_eq!(number(&[vec![]]), Err("it returned no column".to_owned()));
    }
}
