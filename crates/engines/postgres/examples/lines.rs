//! Cost of appending the lines of a flat file unchanged, for comparison with `\copy` of `psql` on the same file.
//!
//! Usage: `lines TARGET FILE [BATCH_MIB] [SEPARATOR]`; TARGET has an empty table `lines` on the search path of its
//! role, with as many columns as FILE has fields. A trailing separator (`|`) of lines is removed. Each batch is a
//! transaction. Prints the rate and the CPU time of this process (user and system) per MB.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

use dbdyno_engine_postgres::POSTGRES;
use engine::{Engine, LineForm, Target, Value, Workspace};
use rustix::time::{ClockId, clock_gettime};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize| arguments.get(index).map(String::as_str);
    let usage = "usage: lines TARGET FILE [BATCH_MIB] [SEPARATOR]";
    let target: Target = argument(0).ok_or(usage)?.parse()?;
    let mut file = File::open(argument(1).ok_or(usage)?)?;
    let batch_bytes: usize = argument(2).unwrap_or("8").parse::<usize>()? << 20;
    let separator = *argument(3).unwrap_or("|").as_bytes().first().ok_or(usage)?;
    let workspace = Workspace { directory: std::env::temp_dir(), keep: true, cache_bytes: None, sessions_max: 1 };
    let node = POSTGRES.open(&target, &workspace)?;
    let mut session = node.connect()?;
    let sql =
        "select attname::text from pg_attribute where attrelid = 'lines'::regclass and attnum > 0 order by attnum";
    let names = session.prepare(sql)?;
    let text = |row: Vec<Value<'static>>| match row.into_iter().next() {
        Some(Value::Text(name)) => name.into_owned(),
        other => panic!("{other:?} is no name"),
    };
    let columns = session.query(names, &[])?.into_iter().map(text).collect();
    let mut form = LineForm { columns, separator, ends_with_separator: false };
    let (mut bytes, mut kept, mut total, mut rows) = (vec![0; batch_bytes], 0, 0, 0);
    let (mut spent, mut cpu_ns) = (Duration::ZERO, 0);
    loop {
        let read = file.read(&mut bytes[kept..])?;
        let filled = kept + read;
        if filled == 0 {
            break;
        }
        if read > 0 && filled < bytes.len() {
            kept = filled;
            continue;
        }
        let size = bytes[..filled].iter().rposition(|byte| *byte == b'\n').map_or(filled, |at| at + 1);
        form.ends_with_separator = bytes[..size].strip_suffix(b"\n").is_some_and(|line| line.ends_with(&[separator]));
        let (start, cpu_start_ns) = (Instant::now(), cpu_now_ns());
        session.begin()?;
        rows += session.append_lines("lines", &form, &bytes[..size])?;
        session.commit()?;
        spent += start.elapsed();
        cpu_ns += cpu_now_ns() - cpu_start_ns;
        total += size;
        bytes.copy_within(size..filled, 0);
        kept = filled - size;
    }
    let megabytes = total as f64 / 1e6;
    println!(
        "{rows} lines, {megabytes:.1} MB: {:.1} MB/s, client CPU {:.3} ms per MB, {:.1} % of the time in the server",
        megabytes / spent.as_secs_f64(),
        cpu_ns as f64 / 1e6 / megabytes,
        100.0 * session.sending_ns().unwrap_or(0) as f64 / spent.as_nanos() as f64
    );
    Ok(())
}

/// CPU time of this process so far, in ns.
fn cpu_now_ns() -> i64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}
