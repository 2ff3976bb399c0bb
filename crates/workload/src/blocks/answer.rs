//! Check of answers: an operation visits exactly as many rows as the work unit has blocks.

use engine::{Result, Value};
use measure::Broken;

use super::deck::Kind;
use super::settings::BlocksSettings;
use super::work::BlocksJob;
use crate::check::first_difference;
use crate::test_context::broken;

impl BlocksJob {
    /// Does one operation of each kind in the settings and checks the answers: exactly as many rows as the work unit
    /// has blocks. Not for an engine without answers.
    ///
    /// # Errors
    /// Where an answer is wrong or missing.
    pub fn check(&mut self, settings: &BlocksSettings) -> std::result::Result<(), Broken> {
        let wrong = self.try_check(settings).map_err(|error| broken(&error))?;
        wrong.map_or(Ok(()), |message| Err(Broken { message: format!("random blocks: {message}") }))
    }

    fn try_check(&mut self, settings: &BlocksSettings) -> Result<Option<String>> {
        for on in 0..self.statements.len() {
            for low in [1, settings.scale_blocks - self.work_unit + 1] {
                self.bind(on, Kind::Read, low, low + self.work_unit - 1);
                let found = self.session.query(self.statements[on].read.statement, &self.values)?;
                let letters = self.work_unit * self.text_size as u64;
                let right = vec![vec![Value::Int(self.work_unit as i64), Value::Int(letters as i64)]];
                if let Some(clause) = first_difference(right, found) {
                    return Ok(Some(format!("the read of {} blocks from key {low} {clause}", self.work_unit)));
                }
            }
            if settings.changes() {
                let changed = self.operate(on, Kind::Update, 1)?;
                if changed != self.work_unit {
                    let unit = self.work_unit;
                    return Ok(Some(format!("the update of {unit} blocks changed {changed} rows")));
                }
            }
            if let Some(scan) = &self.statements[on].scan {
                let found = self.session.query(scan.statement, &[])?;
                let letters = self.scan_rows * self.text_size as u64;
                let right = vec![vec![Value::Int(self.scan_rows as i64), Value::Int(letters as i64)]];
                if let Some(clause) = first_difference(right, found) {
                    return Ok(Some(format!("the scan {clause}")));
                }
            }
        }
        self.check_call(settings)
    }

    /// One call of the procedure, of reads and, where there are any, updates.
    fn check_call(&mut self, settings: &BlocksSettings) -> Result<Option<String>> {
        let (stamp, unit) = (self.stamp(), self.work_unit);
        let Some(calls) = &mut self.calls else { return Ok(None) };
        let first_keys = settings.scale_blocks - unit + 1;
        let mut number = 0;
        let done = calls.call(self.session.as_mut(), stamp, || {
            number += 1;
            (
                if settings.changes() && number % 2 == 0 { Kind::Update } else { Kind::Read },
                1 + (number - 1) % first_keys,
            )
        })?;
        let (found, right) = (done.rows, done.operations * unit);
        Ok((found != right).then(|| format!("a call visited {found} rows, expected {right}")))
    }
}
