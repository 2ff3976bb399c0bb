//! Loads for tests, simulated on a machine with known costs.

use std::collections::BTreeMap;

use record::{
    Bytes, IndexTime, Layer, Load, LoadForm, LoadModel, LoadStage, LoadStageKind, Nanos, Record, Run, Totals, Unit,
    name,
};

use crate::fixture::{counted, record, run};

/// Seconds of a window.
const SECONDS: f64 = 10.0;

/// A host on which loads are bound by sessions, processors or readers, with a smooth transition between the bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    /// Processors.
    pub(crate) cores: f64,
    /// Time of a session for a byte, nanoseconds.
    pub(crate) session_ns: f64,
    /// Increase with each further session, as a share.
    pub(crate) contention: f64,
    /// CPU time of a byte: of parsing, and of the rest of the client.
    pub(crate) client_ns: (f64, f64),
    /// CPU time of the server.
    pub(crate) server_ns: f64,
    /// Its increase with partitions, and with compression.
    pub(crate) model_ns: (f64, f64),
    /// CPU time of decompressing gzip.
    pub(crate) inflate_ns: f64,
}

impl Machine {
    pub(crate) const SMALL: Machine = Machine {
        cores: 2.0,
        session_ns: 9.0,
        contention: 0.03,
        client_ns: (2.5, 1.0),
        server_ns: 7.0,
        model_ns: (1.5, 4.0),
        inflate_ns: 3.0,
    };

    fn server(&self, model: LoadModel) -> f64 {
        let (partitions, compression) = self.model_ns;
        let more = [(model.partitioned, partitions), (model.compressed, compression)];
        self.server_ns + more.into_iter().filter(|(has, _)| *has).map(|(_, more)| more).sum::<f64>()
    }

    fn client(&self, gzip: bool) -> f64 {
        self.client_ns.0 + self.client_ns.1 + if gzip { self.inflate_ns } else { 0.1 }
    }

    /// Time of one of `jobs` sessions for a byte.
    fn session(&self, model: LoadModel, jobs: u32) -> f64 {
        let slower = self.server(model) / self.server_ns;
        self.session_ns * slower * (1.0 + self.contention * (f64::from(jobs) - 1.0))
    }

    /// Bytes per second.
    pub(crate) fn rate(&self, model: LoadModel, jobs: u32, gzip: bool) -> f64 {
        let sessions = f64::from(jobs) / self.session(model, jobs);
        let jobs = f64::from(jobs);
        let processors = self.cores / (self.client(gzip) + self.server(model));
        let readers = if gzip { jobs / self.inflate_ns } else { jobs / 0.1 };
        let bounds = [sessions, processors, readers];
        // Smooth minimum.
        1e9 * bounds.iter().map(|bound| bound.powi(-16)).sum::<f64>().powf(-1.0 / 16.0)
    }

    /// A simulated run.
    pub(crate) fn run(&self, model: LoadModel, jobs: u32, gzip: bool) -> Run {
        let rate = self.rate(model, jobs, gzip);
        let bytes = rate * SECONDS;
        let (client, server) = (bytes * self.client(gzip), bytes * self.server(model));
        let all = self.cores * SECONDS * 1e9;
        let busy = client + server;
        let base = Run { layer: Layer::Database, unit: Unit::Row, ..run("L100", jobs) };
        let mut run = counted(
            base,
            &[
                (name::CLIENT_CPU_NS, client as u64),
                (name::SERVER_CPU_NS, server as u64),
                (name::HOST_CPU_USER_NS, busy as u64),
                (name::HOST_CPU_SYSTEM_NS, 0),
                (name::HOST_CPU_IDLE_NS, (all - busy).max(0.0) as u64),
                (name::REDO_WRITE_BYTES, (bytes * 1.25) as u64),
                (name::DEVICE_WRITE_BYTES, (bytes * 2.0) as u64),
            ],
        );
        run.totals = Totals { rows: (bytes / 100.0) as u64, bytes: Some(Bytes(bytes as u64)), ..run.totals };
        run.load = Some(Box::new(self.load(model, jobs, gzip, bytes)));
        run
    }

    fn load(&self, model: LoadModel, jobs: u32, gzip: bool, bytes: f64) -> Load {
        let stage = |kind, busy: f64, cpu: Option<f64>| LoadStage {
            kind,
            threads: jobs,
            busy_ns: Nanos((bytes * busy) as u64),
            cpu_ns: cpu.map(|cpu| Nanos((bytes * cpu) as u64)),
            bytes: Bytes(bytes as u64),
        };
        let mut stages = vec![stage(LoadStageKind::Read, 0.1, Some(0.1))];
        if gzip {
            stages = vec![
                stage(LoadStageKind::Read, 0.0, Some(0.0)),
                stage(LoadStageKind::Decompress, self.inflate_ns, Some(self.inflate_ns)),
            ];
        }
        stages.push(stage(LoadStageKind::Parse, self.client_ns.0, Some(self.client_ns.0)));
        stages.push(stage(LoadStageKind::Convert, self.client_ns.1, None));
        let commit = 0.3;
        let send = (self.session(model, jobs) - self.client_ns.1 - commit).max(0.0);
        stages.push(stage(LoadStageKind::Send, send, None));
        stages.push(stage(LoadStageKind::Commit, commit, None));
        let table = bytes * 1.1 / if model.compressed { 2.7 } else { 1.0 };
        Load {
            model,
            form: LoadForm::Typed,
            source: "cards".to_owned(),
            compression: if gzip { "gzip" } else { "none" }.to_owned(),
            layout: "cards".to_owned(),
            input_bytes: Bytes((bytes / if gzip { 2.1 } else { 1.0 }) as u64),
            flat_bytes: Bytes(bytes as u64),
            batch_bytes: Bytes::MIB.times(8),
            batches: 1,
            rows: (bytes / 100.0) as u64,
            rejected_rows: 0,
            resumed_rows: 0,
            retried_batches: 0,
            deferred_batches: 0,
            notes: Vec::new(),
            in_flight_bytes_max: Bytes::MIB,
            stages,
            table_bytes: Some(Bytes(table as u64)),
            index_bytes: Some(Bytes(0)),
            indexes: IndexTime::None,
            index_build_ns: None,
            first_query_ns: Some(Nanos(1_000_000)),
            checked: Vec::new(),
        }
    }

    /// A record of these loads.
    pub(crate) fn record(&self, loads: &[(LoadModel, u32, bool)]) -> Record {
        let mut made = record(loads.iter().map(|(model, jobs, gzip)| self.run(*model, *jobs, *gzip)).collect());
        made.host.cpu.threads = self.cores as u32;
        made.runs.iter_mut().for_each(|run| run.parameters = BTreeMap::new());
        made
    }
}
