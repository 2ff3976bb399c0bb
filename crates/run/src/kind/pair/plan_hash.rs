//! The hash of the plan of both sides, fixed before the first measurement.
//!
//! It covers everything of a plan except what distinguishes the sides: target, names, and directories. Two records with
//! the same hash have the identical workload, and a hash that is announced before the measurement shows that nothing
//! was changed afterwards.

use std::fmt::Write;

use record::{LoadBeside, Pace, Placement, Plan, Preset, QueryMode, Script};
use sha2::{Digest, Sha256};

/// `sha256:` and the hash of `plan` in hexadecimal digits. `version` is that of dbdyno, whose catalogue defines the
/// codes; `beside` are the loads of both sides, `files` the contents of the test files.
pub(super) fn plan_hash(plan: &Plan, beside: &[Vec<LoadBeside>; 2], version: &str, files: &[Vec<u8>]) -> String {
    let mut hash = String::from("sha256:");
    for byte in Sha256::digest(workload_text(plan, beside, version, files)) {
        // Writing to a string does not fail.
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

/// The workload as text, equal for equal workloads: a line for each setting, its name first.
fn workload_text(plan: &Plan, beside: &[Vec<LoadBeside>; 2], version: &str, files: &[Vec<u8>]) -> Vec<u8> {
    let mut lines = vec![
        format!("dbdyno {version}"),
        format!("preset {}", preset(plan.preset)),
        format!("window_ns {}", plan.window_ns.0),
        format!("probe_window_ns {}", plan.window_of(&record::RunKind::Probe).0),
        format!("warm_up_ns {}", plan.warm_up_ns.0),
        format!("steps {}", plan.steps.map_or_else(|| "any".to_owned(), |steps| steps.to_string())),
        format!("seed {}", plan.seed),
        format!("placement {}", placement(plan.placement)),
        format!("pace {}", pace(plan.pace)),
        format!("small_rows {}", plan.small_rows),
        format!("large_rows {}", plan.large_rows),
        format!("warehouses {}", plan.warehouses.map_or_else(|| "any".to_owned(), |count| count.to_string())),
        format!("repeats {}", plan.repeats),
    ];
    lines.extend(plan.runs.iter().map(|run| {
        let dop = run.dop;
        format!("run {} nodes {} jobs {} threads {} repeat {}", run.test, dop.nodes, dop.jobs, dop.threads, run.repeat)
    }));
    for (side, loads) in ["A", "B"].into_iter().zip(beside) {
        let of_side = |load: &LoadBeside| {
            let rate = load.rate.map_or_else(|| "any".to_owned(), |rate| rate.to_string());
            format!("beside {side} {} jobs {} rate {rate}", load.test, load.jobs)
        };
        lines.extend(loads.iter().map(of_side));
    }
    lines.extend(plan.skipped.iter().map(|skipped| format!("skipped {}", skipped.test)));
    let mut text = lines.join("\n").into_bytes();
    for script in plan.scripts.iter().flat_map(|scripts| &scripts.scripts) {
        text.extend(format!("\nscript of weight {} and {} bytes\n", script.weight, script.text.len()).bytes());
        text.extend(script.text.bytes());
    }
    for role in plan.scripts.iter().flat_map(|scripts| &scripts.roles) {
        let of = |script: &&Script| script.role.as_ref() == Some(&role.name);
        let scripts = plan.scripts.iter().flat_map(|scripts| &scripts.scripts).filter(of).count();
        text.extend(format!("\nrole of {scripts} scripts jobs {:?} rate {:?}", role.jobs, role.rate).bytes());
    }
    for gauge in plan.scripts.iter().flat_map(|scripts| &scripts.gauges) {
        text.extend(format!("\ngauge of {} bytes\n{}", gauge.sql.len(), gauge.sql).bytes());
    }
    for (name, value) in plan.scripts.iter().flat_map(|scripts| &scripts.variables) {
        text.extend(format!("\nvariable {name} of {} bytes\n{value}", value.len()).bytes());
    }
    if let Some(scripts) = &plan.scripts {
        let tries = scripts.tries_max.map_or(1, std::num::NonZeroU32::get);
        let sent = query_mode(scripts.query_mode);
        text.extend(format!("\ntries {tries} connect {} sent {sent}", scripts.connect).bytes());
    }
    for file in files {
        text.extend(format!("\ntest file of {} bytes\n", file.len()).bytes());
        text.extend(file);
    }
    text
}

fn preset(preset: Preset) -> &'static str {
    match preset {
        Preset::Smoke => "smoke",
        Preset::Quick => "quick",
        Preset::Standard => "standard",
        Preset::Publish => "publish",
        Preset::Soak => "soak",
    }
}

fn query_mode(mode: QueryMode) -> &'static str {
    match mode {
        QueryMode::Simple => "simple",
        QueryMode::Extended => "extended",
        QueryMode::Prepared => "prepared",
    }
}

fn placement(placement: Placement) -> &'static str {
    match placement {
        Placement::Kernel => "kernel",
        Placement::Spread => "spread",
        Placement::Paired => "paired",
    }
}

fn pace(pace: Pace) -> String {
    match pace {
        Pace::Unthrottled => "as_fast_as_possible".to_owned(),
        Pace::Rate { steps_per_second } => format!("rate {steps_per_second}"),
        Pace::Poisson { steps_per_second } => format!("poisson {steps_per_second}"),
        Pace::ThinkTime { think_ns } => format!("think_ns {}", think_ns.0),
    }
}
