#!/usr/bin/env bash
# dbdyno against fio on the same file, past the page cache, one job each, interleaved in random order: I/Os or megabytes
# per second, client processor time per I/O, latencies; then what either generator does where the I/O does nothing.
#
#   benches/io-fio.sh [PAIRS] [SECONDS]        10 pairs of 3 s; DBDYNO=FILE takes another program
#   DIR=/mnt/nvme SIZE=16G benches/io-fio.sh   elsewhere than in /var/tmp, larger than 4G
#
# fio runs with its io_uring and with registered buffers and files, without its map of visited blocks (dbdyno without
# its own), and records the latency of every I/O, as dbdyno does. Client processor time is user and system time over
# the measured I/Os: of fio's job as fio says it, of all threads of dbdyno between the two readings around the window.
# A ratio is dbdyno over fio within a pair; its median stands with the interval that holds the median of all pairs with
# 95 % confidence (order statistics).
#
# Needs fio, python3 and a file system with direct I/O.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-10}
seconds=${2:-3}
directory=${DIR:-/var/tmp}
size=${SIZE:-4G}
for program in fio python3 cargo; do
  command -v "$program" >/dev/null || {
    printf 'error: %s is missing\nhint: apt-get install fio python3; Rust from https://rustup.rs\n' "$program" >&2
    exit 1
  }
done
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked -p dbdyno
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}

work=$(mktemp -d "$directory/dbdyno-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
fio --name=layout --filename="$work/file" --rw=write --bs=1m --size="$size" --direct=1 --ioengine=io_uring \
  --iodepth=4 --refill_buffers --end_fsync=1 --output=/dev/null

python3 - "$dbdyno" "$work/file" "$pairs" "$seconds" <<'EOF'
import json
import math
import os
import platform
import random
import subprocess
import sys

DBDYNO, FILE, PAIRS, SECONDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
WARM_UP = max(SECONDS / 6, 0.5)
# Title, kind of I/O, block size, depth, engine.
WORKLOADS = [
    ("8 KiB random read, depth 1", "randread", "8k", 1, "io_uring"),
    ("8 KiB random read, depth 32", "randread", "8k", 32, "io_uring"),
    ("8 KiB random read, depth 128", "randread", "8k", 128, "io_uring"),
    ("8 KiB random write, depth 32", "randwrite", "8k", 32, "io_uring"),
    ("256 KiB sequential read, depth 32", "read", "256k", 32, "io_uring"),
    ("256 KiB sequential write, depth 32", "write", "256k", 32, "io_uring"),
    ("no I/O at all, depth 32", "randread", "8k", 32, "null"),
]


def output(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def fio(rw, bs, depth, engine):
    """Rates per second, client CPU in µs per I/O, p50 and p99 in µs."""
    options = {"rw": rw, "bs": bs, "iodepth": depth, "ioengine": engine, "runtime": f"{SECONDS:g}",
               "ramp_time": f"{WARM_UP:g}", "randrepeat": 0, "lat_percentiles": 1, "clat_percentiles": 0,
               "percentile_list": "50:99", "output-format": "json"}
    flags = ["--time_based", "--norandommap"]
    if engine == "null":
        options["size"] = "1g"
    else:
        options["filename"] = FILE
        flags += ["--direct=1", "--fixedbufs", "--registerfiles"]
    # The options of an engine are known once the engine is.
    said = output(["fio", "--name=bench", *(f"--{key}={value}" for key, value in options.items()), *flags])
    job = json.loads(said[said.index("{"):])["jobs"][0]
    side = job["write" if "write" in rw else "read"]
    seconds = side["runtime"] / 1e3
    cpu = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] * 1e3
    percentile = side["lat_ns"]["percentile"]
    return {"iops": side["total_ios"] / seconds, "mbps": side["io_bytes"] / seconds / 1e6,
            "cpu": cpu / side["total_ios"], "p50": percentile["50.000000"] / 1e3,
            "p99": percentile["99.000000"] / 1e3}


def dbdyno(rw, bs, depth, engine):
    """The same, of the record."""
    record = "r.jsonl"
    if os.path.exists(record):
        os.remove(record)
    where = ["--engine", "null", "--size", "1G"] if engine == "null" else ["--device", FILE]
    if "write" in rw:
        where += ["--destroy-data", FILE, "--yes"]
    # A run whose surroundings spoilt it (steal) is invalid and still a run of this comparison: fio had the same.
    subprocess.run([DBDYNO, "io", "--rw", rw, "--bs", bs, "--depth", str(depth), "--seconds", f"{SECONDS:g}",
                    "--warm-up", f"{WARM_UP:g}", *where, "--override", "norandommap=1", "--record", record,
                    "--quiet", "--format", "json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    with open(record, encoding="utf-8") as file:
        run = next(line["run"] for line in map(json.loads, file) if "run" in line)
    stream = run["storage"]["streams"][0]
    if run["outcome"]["status"] != "done" or stream["failures"]:
        sys.exit(f"error: dbdyno {rw} {bs} {depth}: {run['outcome']} {stream['first_failure']}")
    first, last = run["readings"][0]["values"], run["readings"][-1]["values"]
    seconds = run["window_ns"] / 1e9
    return {"iops": stream["operations"] / seconds, "mbps": stream["bytes"] / seconds / 1e6,
            "cpu": (last["client_cpu_ns"] - first["client_cpu_ns"]) / 1e3 / stream["operations"],
            "p50": stream["service"]["p50_ns"] / 1e3, "p99": (stream["service"]["p99_ns"] or float("nan")) / 1e3,
            "ceiling": run["storage"]["generator_per_second"]}


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def interval(values):
    """The narrowest pair of order statistics that covers the median with 95 % at least; the range if none does."""
    values, count = sorted(values), len(values)
    below, rank = 0.0, 0
    while rank < count // 2:
        below += math.comb(count, rank) / 2**count
        if below > 0.025:
            break
        rank += 1
    return values[max(rank - 1, 0)], values[count - max(rank, 1)]


def ratio(pairs, key):
    ratios = [ours[key] / theirs[key] for ours, theirs in pairs if theirs[key]]
    low, high = interval(ratios)
    return f"{median(ratios):6.3f} [{low:.3f}-{high:.3f}]"


def middle(pairs, place, key):
    return median([pair[place][key] for pair in pairs])


def line(title, pairs, key, unit, digits):
    ours, theirs = middle(pairs, 0, key), middle(pairs, 1, key)
    print(f"  {title:<12} dbdyno {ours:12,.{digits}f}   fio {theirs:12,.{digits}f} {unit:<5} ratio {ratio(pairs, key)}")


def main():
    said = output(["fio", "--version"]).strip()
    cpu = next((row.split(":", 1)[1].strip() for row in open("/proc/cpuinfo") if row.startswith("model name")), "?")
    print(f"dbdyno against {said}, {PAIRS} pairs of {SECONDS:g} s after {WARM_UP:g} s; {cpu}, {os.cpu_count()} "
          f"processors, Linux {platform.release()}")
    results = {workload: [] for workload in WORKLOADS}
    for _ in range(PAIRS):
        for workload in random.sample(WORKLOADS, len(WORKLOADS)):
            if random.random() < 0.5:
                ours, theirs = dbdyno(*workload[1:]), fio(*workload[1:])
            else:
                theirs, ours = fio(*workload[1:]), dbdyno(*workload[1:])
            results[workload].append((ours, theirs))
    for workload, pairs in results.items():
        print(f"\n{workload[0]}")
        large = workload[2] != "8k"
        line("rate", pairs, "mbps" if large else "iops", "MB/s" if large else "IOPS", 1 if large else 0)
        line("client CPU", pairs, "cpu", "µs", 3)
        line("p50", pairs, "p50", "µs", 2)
        line("p99", pairs, "p99", "µs", 2)
    ring = [pair for pair in results[WORKLOADS[1]]]
    null = results[WORKLOADS[-1]]
    nop = median([ours["ceiling"] for ours, _ in ring])
    print("\nthe generators themselves, 8 KiB, depth 32, one thread")
    print(f"  dbdyno, a NOP through the ring  {nop:12,.0f}/s  {1e6 / nop:.3f} µs of a busy thread")
    print(f"  dbdyno, null engine             {middle(null, 0, 'iops'):12,.0f}/s  {middle(null, 0, 'cpu'):.3f} µs of CPU")
    print(f"  fio, null engine                {middle(null, 1, 'iops'):12,.0f}/s  {middle(null, 1, 'cpu'):.3f} µs of CPU")


main()
EOF
