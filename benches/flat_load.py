#!/usr/bin/env python3
"""dbdyno load against psql's \\copy of the same flat files, interleaved: rows per second and client processor time.

  flat_load.py ROUNDS JOBS DBDYNO TARGET FOLDER COMMAND...

FOLDER holds four flat files of card transactions; COMMAND is psql. JOBS is a list such as 1,2,4: at 1 job the first file is
loaded, at 2 the first two, at 4 all of them, into one table without indexes that is made anew each time. psql has a tenth
column for what stands behind the last separator of a line. Every second round goes through the turns backwards: a device
is slower for who comes last. Prints medians of the rounds. Needs Python 3 and gzip; flat-load.sh calls it.
"""

import glob
import json
import os
import subprocess
import sys
import time

# As dbdyno has them.
COLUMNS = (
    "card_no bigint not null, card_type varchar(12) not null, mcc bigint not null, purchase_amt numeric(10,2) not null, "
    "purchase_dt date not null, merchant_code bigint not null, merchant_city varchar(20) not null, "
    "merchant_state varchar(2) not null, merchant_zip varchar(5) not null"
)


def median(values):
    """The lower one of the middle."""
    return sorted(values)[(len(values) - 1) // 2]


def together(commands):
    """Seconds of the clock and of the processors until all commands have ended."""
    begun, cpu_seconds = time.monotonic(), 0.0
    for process in [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            sys.exit(f"error: {process.args} ended with {process.returncode}")
        cpu_seconds += usage.ru_utime + usage.ru_stime
    return time.monotonic() - begun, cpu_seconds


def source(file):
    """What \\copy reads."""
    return f"program 'gzip -dc {file}'" if file.endswith(".gz") else f"'{file}'"


def copied(psql, files, rows):
    """psql: rows per second and client processor nanoseconds per row; of a compressed file through gzip."""
    subprocess.run([*psql, "-c", f"drop table if exists copied; create table copied ({COLUMNS}, rest text)"], check=True)
    copy = [[*psql, "-c", f"\\copy copied from {source(file)} with (delimiter '|')"] for file in files]
    seconds, cpu_seconds = together(copy)
    subprocess.run([*psql, "-c", "drop table copied"], check=True)
    return rows / seconds, 1e9 * cpu_seconds / rows


def loaded(dbdyno, target, files, form):
    """dbdyno: the same, as its record has it, and its slowest stage."""
    if os.path.exists("r.jsonl"):
        os.remove("r.jsonl")
    command = [dbdyno, "load", "--quiet", "--target", target, "--jobs", str(len(files)), "--form", form]
    subprocess.run([*command, "--record", "r.jsonl", *files], check=True, stdout=subprocess.DEVNULL)
    with open("r.jsonl", encoding="utf-8") as record:
        run = next(line["run"] for line in map(json.loads, record) if "run" in line)
    rows = run["load"]["rows"]
    readings = [reading["values"]["client_cpu_ns"] for reading in (run["readings"][0], run["readings"][-1])]
    stages = {stage["kind"]: stage["busy_ns"] / stage["threads"] / run["window_ns"] for stage in run["load"]["stages"]}
    slowest = max(stages, key=stages.get)
    return 1e9 * rows / run["window_ns"], (readings[1] - readings[0]) / rows, f"{slowest} {stages[slowest]:.0%}"


def main(arguments):
    rounds, degrees, dbdyno, target, folder, *psql = arguments
    files = sorted(glob.glob(os.path.join(folder, "*.tbl")))
    lines = [int(subprocess.run(["wc", "-l", file], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[0]) for file in files]
    packed = files[0] + ".gz"
    with open(packed, "wb") as out:
        subprocess.run(["gzip", "-3", "-c", files[0]], check=True, stdout=out)
    inflating = 1e9
    for jobs in (int(degree) for degree in degrees.split(",")):
        some = files[:jobs]
        turns = {
            "psql": lambda: copied(psql, some, sum(lines[:jobs])),
            "typed": lambda: loaded(dbdyno, target, some, "typed"),
            "as-is": lambda: loaded(dbdyno, target, some, "as-is"),
        }
        if jobs == 1:
            turns["gzip -dc to psql"] = lambda: copied(psql, [packed], lines[0])
            turns["typed gzip"] = lambda: loaded(dbdyno, target, [packed], "typed")
            turns["as-is gzip"] = lambda: loaded(dbdyno, target, [packed], "as-is")
        results = {name: [] for name in turns}
        for number in range(int(rounds)):
            for name in list(turns)[:: -1 if number % 2 else 1]:
                # What the turn before left to be written is not this one's.
                subprocess.run([*psql, "-c", "checkpoint"], check=True)
                results[name].append(turns[name]())
            if jobs == 1:
                inflating = min(inflating, together([["gzip", "-dc", packed]])[0])
        rate, cpu = (median([result[at] for result in results["psql"]]) for at in (0, 1))
        print(f"{jobs} jobs, {rounds} rounds: psql {rate:.0f} rows/s, client {cpu:.0f} ns per row", flush=True)
        for name in list(turns)[1:]:
            # Threads of dbdyno are a stage, programs are not.
            slowest = f"; slowest {results[name][-1][2]}" if len(results[name][-1]) > 2 else ""
            ratios = [median([mine[at] / other[at] for mine, other in zip(results[name], results["psql"])]) for at in (0, 1)]
            own = [median([result[at] for result in results[name]]) for at in (0, 1)]
            print(
                f"  {name}: {own[0]:.0f} rows/s, {ratios[0]:.2f} times its rate; client {own[1]:.0f} ns per row, "
                f"{ratios[1]:.2f} times its time{slowest}",
                flush=True,
            )
        if jobs == 1:
            print(f"  gzip -dc alone: {lines[0] / inflating:.0f} rows/s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
