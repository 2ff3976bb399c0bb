//! Requests and capabilities that tests of loads share.

use std::path::PathBuf;

use engine::Caps;
use flat::Layout;
use record::{IndexTime, LoadForm, LoadModel};
use workload::load::Input;

use super::LoadRequest;
use crate::Setup;

pub(super) fn request(input: Input) -> LoadRequest {
    LoadRequest {
        setup: Setup::smoke(),
        input,
        layout: Layout::cards(),
        layout_source: "cards".to_owned(),
        compression: None,
        table: "cards".to_owned(),
        models: vec![LoadModel::default()],
        forms: vec![LoadForm::Typed],
        degrees: None,
        batch: None,
        months: vec![1],
        indexes: IndexTime::None,
        max_errors: 0,
        rejects: PathBuf::from("r.rejects"),
        resume: false,
        scans: None,
    }
}

pub(super) fn caps() -> Caps {
    Caps {
        procedures: true,
        decimal: true,
        table_compression: true,
        partitions: true,
        lines: true,
        column_names: true,
        limit_clause: true,
        json: true,
        large_values: true,
        parallel_query: true,
        parallel_index: true,
        concurrent_writers: true,
        counts_read_commits: true,
        counts_procedure_commits: true,
        answers: true,
    }
}
