//! Reads statistics and prints the load profile of all as JSON, or, with `--time`, how long that took and the most memory of this
//! process: `cargo run --release -p dbdyno-history --example profile -- [--time] FILE...`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::time::Instant;

use dbdyno_history::{History, Names};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let is_timed = names.first().is_some_and(|name| name == "--time");
    names.drain(..usize::from(is_timed));
    let started = Instant::now();
    let mut history = History::new(Names::Hidden);
    let mut form = None;
    for name in &names {
        form = Some(history.read(name, File::open(name)?)?);
    }
    let profile = history.finish()?;
    let mut output = io::stdout().lock();
    if !is_timed {
        serde_json::to_writer_pretty(&mut output, &profile)?;
        return Ok(writeln!(output)?);
    }
    let status = fs::read_to_string("/proc/self/status")?;
    let memory = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map_or("", str::trim);
    let (intervals, seconds) = (profile.intervals.len(), started.elapsed().as_secs_f64());
    let form = form.map_or("", |form| form.name());
    writeln!(output, "{form}: {seconds:.2} s, {memory}, {intervals} intervals")?;
    Ok(())
}
