//! Overhead of a session: one-row primary key selects in a closed loop, for comparison with `pgbench -S -n -M prepared`
//! on the same server.
//!
//! Usage: `select TARGET [SECONDS] [JOBS] [CPU]`; TARGET has the tables of `pgbench -i`. With a CPU all jobs are pinned
//! to it. Prints the rate and the CPU time of this process per statement (user and system), for comparison with that of
//! pgbench.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dbdyno_engine_postgres::POSTGRES;
use engine::{Engine, Session, Statement, Target, Value, Workspace};
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize| arguments.get(index).map(String::as_str);
    let target: Target = argument(0).ok_or("usage: select TARGET [SECONDS] [JOBS] [CPU]")?.parse()?;
    let seconds: f64 = argument(1).unwrap_or("5").parse()?;
    let jobs: usize = argument(2).unwrap_or("1").parse()?;
    if let Some(processor) = argument(3) {
        let mut processors = CpuSet::new();
        processors.set(processor.parse()?);
        sched_setaffinity(None, &processors)?;
    }
    let workspace =
        Workspace { directory: std::env::temp_dir(), keep: true, cache_bytes: None, sessions_max: jobs as u32 };
    let node = POSTGRES.open(&target, &workspace)?;
    let mut first = node.connect()?;
    let count = first.prepare("select count(*) from pgbench_accounts")?;
    let rows = match first.query(count, &[])?.first().map(Vec::as_slice) {
        Some([Value::Int(rows)]) if *rows > 0 => *rows as u64,
        _ => return Err("pgbench_accounts is empty".into()),
    };
    let mut sessions = Vec::new();
    for _ in 0..jobs {
        let mut session = node.connect()?;
        let select = session.prepare("select abalance from pgbench_accounts where aid = $1")?;
        sessions.push((session, select));
    }
    let (barrier, stop) = (Barrier::new(jobs + 1), AtomicBool::new(false));
    let (statements, elapsed, cpu_ns) = thread::scope(|scope| {
        let running: Vec<_> = sessions
            .iter_mut()
            .zip(1_u64..)
            .map(|((session, select), seed)| {
                let (barrier, stop) = (&barrier, &stop);
                scope.spawn(move || {
                    barrier.wait();
                    drive(&mut **session, *select, rows, seed, stop)
                })
            })
            .collect();
        let (cpu_started, start) = (cpu_now_ns(), Instant::now());
        barrier.wait();
        thread::sleep(Duration::from_secs_f64(seconds));
        stop.store(true, Ordering::Relaxed);
        let statements: u64 = running.into_iter().map(|job| job.join().unwrap_or(0)).sum();
        (statements, start.elapsed(), cpu_now_ns() - cpu_started)
    });
    if statements == 0 {
        return Err("no statement was completed".into());
    }
    println!(
        "statements {statements} rate_per_second {:.0} client_cpu_us_per_statement {:.3}",
        statements as f64 / elapsed.as_secs_f64(),
        cpu_ns as f64 / 1e3 / statements as f64
    );
    Ok(())
}

/// Runs selects until `stop` is set; returns their number.
fn drive(session: &mut dyn Session, select: Statement, rows: u64, seed: u64, stop: &AtomicBool) -> u64 {
    let (mut state, mut done) = (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), 0);
    while !stop.load(Ordering::Relaxed) {
        // xorshift64*, and the high half of a product for the range: as cheap as that of pgbench.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let draw = state.wrapping_mul(0x2545_F491_4F6C_DD1D);
        let key = ((u128::from(draw) * u128::from(rows)) >> 64) as i64 + 1;
        match session.execute(select, &[Value::Int(key)]) {
            Ok(1) => done += 1,
            outcome => panic!("a select by key returned {outcome:?}"),
        }
    }
    done
}

/// User and system time of this process.
fn cpu_now_ns() -> u64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
