#!/usr/bin/env python3
"""dbdyno (T331) against a server's own client program, interleaved, on the same server: rows per second and processor time.

  bulk_load.py PAIRS SECONDS DBDYNO TARGET TOOL ROWS EMPTY LOAD -- COMMAND...

COMMAND is the client program; it reads statements. EMPTY empties the table of job {job}, LOAD loads ROWS rows into it in
one transaction; like dbdyno it empties the table after 16 loads. One process per job does as many loads as fill SECONDS,
so that its start is a few milliseconds of all. Prints the median of the pairs with quartiles at 1, 2 and 4 jobs. Needs
Python 3 and nothing else; mariadb-load.sh and postgres-load.sh call it.
"""

import csv
import os
import random
import subprocess
import sys
import tempfile
import time

LOADS = 16
JOBS = (1, 2, 4)


def together(command, scripts):
    """Gives each script to a process of its own; seconds of the clock and of the processors until all have ended."""
    files = [tempfile.TemporaryFile("w+", encoding="utf-8") for _ in scripts]
    for file, script in zip(files, scripts):
        file.write(script)
        file.flush()
        file.seek(0)
    begun = time.monotonic()
    running = [subprocess.Popen(command, stdin=file, stdout=subprocess.DEVNULL) for file in files]
    cpu_seconds = 0.0
    for process in running:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            sys.exit(f"error: {' '.join(command)} ended with {process.returncode}")
        cpu_seconds += usage.ru_utime + usage.ru_stime
    return time.monotonic() - begun, cpu_seconds


def theirs(command, empty, load, jobs, rounds, rows):
    """Rows per second and client processor time per row in nanoseconds."""
    script = (empty + ";\n" + (load + "\n") * LOADS) * rounds
    seconds, cpu_seconds = together(command, [script.replace("{job}", str(job)) for job in range(jobs)])
    done = jobs * rounds * LOADS * rows
    return done / seconds, 1e9 * cpu_seconds / done, None


def ours(dbdyno, target, jobs, seconds):
    """The same of dbdyno, as its record has it, and the client's share of all processor time."""
    if os.path.exists("r.jsonl"):
        os.remove("r.jsonl")
    plan = ["--tests", "T331", "--jobs", str(jobs), "--seconds", seconds, "--warm-up", "0.3", "--record", "r.jsonl"]
    command = [dbdyno, "run", "--quiet", "--keep", "--target", target, *plan]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    report = subprocess.run([dbdyno, "report", "r.jsonl", "--format", "csv"], check=True, stdout=subprocess.PIPE, text=True)
    row = next(csv.DictReader(report.stdout.splitlines()))
    rate, client, server = (float(row[name]) for name in ("rows_per_second", "client_cpus", "server_cpus"))
    return rate, 1e9 * client / rate, client / (client + server)


def quantile(values, share):
    """The value at `share` of the sorted ones."""
    return sorted(values)[int(share * (len(values) - 1) + 0.5)]


def main(arguments):
    split = arguments.index("--")
    pairs, seconds, dbdyno, target, tool, rows, empty, load = arguments[:split]
    command = arguments[split + 1 :]
    rows = int(rows)
    for jobs in JOBS:
        rate = theirs(command, empty, load, jobs, 1, rows)[0]
        rounds = max(round(float(seconds) * rate / (jobs * LOADS * rows)), 1)
        turns = {
            tool: lambda: theirs(command, empty, load, jobs, rounds, rows),
            "dbdyno": lambda: ours(dbdyno, target, jobs, seconds),
        }
        results = {tool: [], "dbdyno": []}
        for _ in range(int(pairs)):
            for name in random.sample(list(turns), 2):
                results[name].append(turns[name]())
        ratios = [mine[0] / other[0] for other, mine in zip(results[tool], results["dbdyno"])]
        middle, low, high = (quantile(ratios, share) for share in (0.5, 0.25, 0.75))
        rates = "   ".join(f"{name} {quantile([r[0] for r in results[name]], 0.5):9.0f} rows/s" for name in results)
        cpu = ", ".join(f"{name} {quantile([r[1] for r in results[name]], 0.5):.0f}" for name in results)
        share = quantile([result[2] for result in results["dbdyno"]], 0.5)
        print(f"{jobs} jobs, {pairs} pairs: {rates}   ratio {middle:.3f} [{low:.3f}-{high:.3f}]")
        print(f"  client CPU ns per row: {cpu}; of all CPU of dbdyno's load the client's is {share:.0%}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
