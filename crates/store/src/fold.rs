//! Conversion of a record to lines, and of lines to a record.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use record::{DataSet, End, FORMAT, Head, Line, Record, Run, SCHEMA_VERSION, Status};

/// The lines of `record`.
pub(crate) fn lines(record: &Record) -> impl Iterator<Item = Line<&Run>> {
    let data_sets = record.data_sets.iter().cloned().map(Line::DataSet);
    let runs = record.runs.iter().map(Line::Run);
    let unproved = (!record.unproved.is_empty()).then(|| Line::Unproved(record.unproved.clone()));
    let end = end(record);
    let is_over = (end.status, &end.reason, &end.ended_at, &end.host_at_end) != (Status::Running, &None, &None, &None);
    let end = is_over.then(|| Line::End(Box::new(end)));
    [Line::Head(Box::new(head(record)))].into_iter().chain(data_sets).chain(runs).chain(unproved).chain(end)
}

fn head(record: &Record) -> Head {
    let mut host = record.host.clone();
    host.at_end = None;
    Head {
        format: FORMAT.to_owned(),
        schema_version: record.schema_version,
        id: record.id.clone(),
        tool: record.tool.clone(),
        started_at: record.started_at.clone(),
        plan: record.plan.clone(),
        host,
        server_hosts: record.server_hosts.clone(),
        storage_hosts: record.storage_hosts.clone(),
        agent_hosts: record.agent_hosts.clone(),
        engine: record.engine.clone(),
        nodes: record.nodes.clone(),
        instrument: record.instrument.clone(),
        local_round_trips: record.local_round_trips.clone(),
    }
}

/// The last line of `record`.
pub(crate) fn end(record: &Record) -> End {
    End {
        status: record.status,
        reason: record.reason.clone(),
        ended_at: record.ended_at.clone(),
        host_at_end: record.host.at_end.clone(),
    }
}

/// A run, or the part of it that is read.
pub(crate) trait Numbered: Sized {
    /// Its position in the plan.
    fn number(&self) -> u32;

    /// The run in `line`, if it can be read without parsing all of it.
    fn peek(_line: &[u8]) -> Option<Self> {
        None
    }
}

/// A record from the lines read so far. The runs are separate, each with the byte range of its line in the file.
pub(crate) struct Folded<R> {
    /// The record without runs.
    pub(crate) record: Record,
    /// The runs in order.
    pub(crate) runs: Vec<(Range<u64>, R)>,
    /// Index of each run, by number.
    indexes: HashMap<u32, usize>,
}

impl<R: Numbered> Folded<R> {
    /// A record with only a head.
    pub(crate) fn new(head: Head) -> Folded<R> {
        let record = Record {
            schema_version: SCHEMA_VERSION,
            id: head.id,
            tool: head.tool,
            started_at: head.started_at,
            ended_at: None,
            status: Status::Running,
            reason: None,
            plan: head.plan,
            host: head.host,
            server_hosts: head.server_hosts,
            storage_hosts: head.storage_hosts,
            agent_hosts: head.agent_hosts,
            engine: head.engine,
            nodes: head.nodes,
            instrument: head.instrument,
            local_round_trips: head.local_round_trips,
            data_sets: Vec::new(),
            runs: Vec::new(),
            unproved: Vec::new(),
        };
        Folded { record, runs: Vec::new(), indexes: HashMap::new() }
    }

    /// Adds the next line, at the byte range `span`; false if it is a second head.
    pub(crate) fn add(&mut self, span: Range<u64>, line: Line<R>) -> bool {
        match line {
            Line::Head(_) => return false,
            Line::Planned(planned) => self.record.plan.runs.push(planned),
            Line::Unplanned { numbers } => {
                let numbers: HashSet<u32> = numbers.into_iter().collect();
                self.record.plan.runs.retain(|planned| !numbers.contains(&planned.number));
            }
            Line::DataSet(set) => put(&mut self.record.data_sets, set),
            Line::Run(run) => match self.indexes.get(&run.number()) {
                Some(index) => self.runs[*index] = (span, run),
                None => {
                    self.indexes.insert(run.number(), self.runs.len());
                    self.runs.push((span, run));
                }
            },
            Line::Unproved(unproved) => self.record.unproved = unproved,
            Line::Resumed { repeated } => {
                self.end(End { status: Status::Running, reason: None, ended_at: None, host_at_end: None });
                self.drop_runs(repeated);
            }
            Line::End(end) => self.end(*end),
        }
        true
    }

    fn end(&mut self, end: End) {
        let record = &mut self.record;
        (record.status, record.reason, record.ended_at) = (end.status, end.reason, end.ended_at);
        record.host.at_end = end.host_at_end;
    }

    fn drop_runs(&mut self, numbers: Vec<u32>) {
        let numbers: HashSet<u32> = numbers.into_iter().collect();
        self.runs.retain(|(_, run)| !numbers.contains(&run.number()));
        self.indexes = self.runs.iter().zip(0..).map(|((_, run), index)| (run.number(), index)).collect();
    }
}

/// Replaces the table of the same name, or appends `set`.
fn put(known: &mut Vec<DataSet>, set: DataSet) {
    match known.iter_mut().find(|known| known.table == set.table) {
        Some(known) => *known = set,
        None => known.push(set),
    }
}
