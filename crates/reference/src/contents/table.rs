//! Published tables that are no sweep of a test.

use model::{Cell, FactTable};

use crate::publication::{Publication, TestFigures, ThinkTimeStudy};
use crate::remark::smt_gain;

/// All of them, empty ones left out.
pub(super) fn tables(publication: &Publication) -> Vec<FactTable> {
    let mut tables = vec![multithreading(publication), test_waits(publication)];
    tables.extend(publication.smt.iter().flat_map(think_time));
    tables.extend([wait_events(publication), latency_by_layer(publication), cache_profiles(publication)]);
    tables.extend([lanes(publication), modules(publication)]);
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn table(title: &str, columns: &[&str], rows: Vec<Vec<Cell>>) -> FactTable {
    let columns = columns.iter().map(|head| (*head).to_owned()).collect();
    FactTable { title: title.to_owned(), columns, rows, curves: false }
}

fn text(words: &str) -> Cell {
    Cell::Text(words.to_owned())
}

fn optional(figure: Option<f64>) -> Cell {
    figure.map_or(Cell::Absent, Cell::Number)
}

/// The gain that was published beside the one that the table of the test has.
fn multithreading(publication: &Publication) -> FactTable {
    let row = |test: &TestFigures| {
        let gain = smt_gain(publication, test)?;
        let figures = [f64::from(gain.jobs_without), gain.without, f64::from(gain.jobs_with), gain.with, gain.computed];
        let mut cells = vec![text(&test.code), text(&test.name)];
        cells.extend(figures.map(Cell::Number));
        cells.push(Cell::Number(gain.published));
        Some(cells)
    };
    table(
        "what multithreading (SMT) gains",
        &[
            "test",
            "name",
            "#J, one per core",
            "ops/s",
            "#J, best",
            "ops/s",
            "gain in this table, ratio",
            "gain as published, at most, ratio",
        ],
        publication.tests.iter().filter_map(row).collect(),
    )
}

fn test_waits(publication: &Publication) -> FactTable {
    let rows = publication.tests.iter().flat_map(|test| {
        test.wait.iter().map(|wait| {
            vec![
                text(&test.code),
                optional(wait.jobs.map(f64::from)),
                text(&wait.event),
                optional(wait.waits),
                optional(wait.total_s),
                optional(wait.average_ms),
                Cell::Number(wait.share_of_db_time),
            ]
        })
    });
    let heads = ["test", "#J", "event", "waits", "total s", "average ms", "share of DB time"];
    table("top waits", &heads, rows.collect())
}

fn wait_events(publication: &Publication) -> FactTable {
    let rows = publication.wait_event.iter().map(|event| {
        let figures = [event.waits, event.total_s, event.avg_us];
        let nodes = [event.node_avg_us, event.node_min_us, event.node_max_us, event.node_stddev_us];
        let mut cells = vec![text(&event.event), text(&event.class)];
        cells.extend(figures.into_iter().chain(nodes).map(Cell::Number));
        cells
    });
    table(
        "wait events of a run on two nodes",
        &[
            "event",
            "class",
            "waits",
            "total s",
            "average us",
            "average of nodes us",
            "least node us",
            "greatest node us",
            "deviation of nodes us",
        ],
        rows.collect(),
    )
}

/// The columns over the think time, ascending.
fn over(think_ms: &[f64], smt: &[f64], no_smt: &[f64]) -> Vec<Vec<Cell>> {
    let mut rows: Vec<[f64; 3]> =
        think_ms.iter().zip(smt).zip(no_smt).map(|((think, smt), no_smt)| [*think, *smt, *no_smt]).collect();
    rows.sort_by(|one, other| one[0].total_cmp(&other[0]));
    rows.into_iter().map(|row| row.map(Cell::Number).to_vec()).collect()
}

fn think_time(study: &ThinkTimeStudy) -> [FactTable; 2] {
    let curves = |title: &str, columns: [&str; 3], rows: Vec<Vec<Cell>>| FactTable {
        curves: true,
        ..table(&format!("{title}: {}", study.setting), &columns, rows)
    };
    [
        curves(
            "response time over think time",
            ["think time ms", "with SMT ms", "without SMT ms"],
            over(&study.response_think_ms, &study.response_ms_smt, &study.response_ms_no_smt),
        ),
        curves(
            "processor cores in use over think time",
            ["think time ms", "with SMT cores", "without SMT cores"],
            over(&study.cores_think_ms, &study.cores_used_smt, &study.cores_used_no_smt),
        ),
    ]
}

fn latency_by_layer(publication: &Publication) -> FactTable {
    let rows = publication.latency_by_layer.iter().map(|pair| {
        let note = pair.note.as_deref().map_or(Cell::Absent, text);
        vec![Cell::Number(pair.array_controller_ms), Cell::Number(pair.virtual_machine_disk_ms), note]
    });
    let heads = ["array controller ms", "virtual machine disk ms", "note"];
    table("latency of the same storage at two places", &heads, rows.collect())
}

fn cache_profiles(publication: &Publication) -> FactTable {
    let profiles = publication.second_level_cache.iter().flat_map(|cache| &cache.profiles);
    let rows = profiles.map(|profile| {
        let reads = [profile.lio_per_tran, profile.pr_per_tran, profile.pw_per_tran];
        let figures = reads.into_iter().chain([profile.block_changes_per_tran, profile.read_write_ratio]);
        [text(&profile.name)].into_iter().chain(figures.map(Cell::Number)).collect()
    });
    table(
        "load with and without a second-level cache, per transaction",
        &["profile", "logical reads", "physical reads", "physical writes", "block changes", "reads per write"],
        rows.collect(),
    )
}

fn lanes(publication: &Publication) -> FactTable {
    let rows = publication
        .pcie_gb_s
        .iter()
        .map(|(generation, figures)| [text(generation)].into_iter().chain(figures.map(Cell::Number)).collect());
    let heads = ["generation", "x1 GB/s", "x4 GB/s", "x16 GB/s", "year"];
    table("PCI Express, one direction", &heads, rows.collect())
}

fn modules(publication: &Publication) -> FactTable {
    let rows = publication
        .ram_mb_s
        .iter()
        .map(|(module, figures)| [text(module)].into_iter().chain(figures.map(Cell::Number)).collect());
    table("memory, per module", &["module", "MB/s", "year"], rows.collect())
}
