//! The hash of what both sides are asked, fixed before the first of them is measured.
//!
//! It covers everything of a plan but what makes one side differ from the other, target and names, and where on the
//! machine they work. Two records with the same hash were asked the same, and who announces a hash before the
//! measurement shows that nothing was changed afterwards.

use std::fmt::Write;

use record::{Pace, Placement, Plan, Preset};
use sha2::{Digest, Sha256};

/// `sha256:` and the hash of `plan` in hexadecimal digits. `version` is that of dbdyno, whose catalogue says what the
/// codes mean; `files` are the contents of the user's test files.
pub(super) fn plan_hash(plan: &Plan, version: &str, files: &[Vec<u8>]) -> String {
    let mut hash = String::from("sha256:");
    for byte in Sha256::digest(asked(plan, version, files)) {
        // Writing to a string does not fail.
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

/// What is asked, as a text that is equal where the same is asked: a line for each thing, its name first.
fn asked(plan: &Plan, version: &str, files: &[Vec<u8>]) -> Vec<u8> {
    let mut lines = vec![
        format!("dbdyno {version}"),
        format!("preset {}", preset(plan.preset)),
        format!("window_ns {}", plan.window_ns.0),
        format!("warm_up_ns {}", plan.warm_up_ns.0),
        format!("steps {}", plan.steps.map_or_else(|| "any".to_owned(), |steps| steps.to_string())),
        format!("seed {}", plan.seed),
        format!("placement {}", placement(plan.placement)),
        format!("pace {}", pace(plan.pace)),
        format!("small_rows {}", plan.small_rows),
        format!("large_rows {}", plan.large_rows),
        format!("repeats {}", plan.repeats),
    ];
    lines.extend(plan.runs.iter().map(|run| {
        let dop = run.dop;
        format!("run {} nodes {} jobs {} threads {} repeat {}", run.test, dop.nodes, dop.jobs, dop.threads, run.repeat)
    }));
    lines.extend(plan.skipped.iter().map(|skipped| format!("skipped {}", skipped.test)));
    let mut text = lines.join("\n").into_bytes();
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
        Pace::AsFastAsPossible => "as_fast_as_possible".to_owned(),
        Pace::Rate { steps_per_second } => format!("rate {steps_per_second}"),
        Pace::Poisson { steps_per_second } => format!("poisson {steps_per_second}"),
        Pace::ThinkTime { think_ns } => format!("think_ns {}", think_ns.0),
    }
}
