#!/usr/bin/env python3
"""Recomputes the latencies of a record from the raw log of every I/O, and holds the record against them.

  benches/percentiles.py LOG RECORD        as made by `dbdyno io ... --log LOG --record RECORD`

Shares no code with dbdyno: it sorts all latencies and takes the one at rank ceil(q * n). A histogram may be off by
0.1 % (and by 1 ns, its smallest step); counts, and the number of bytes, are to be exact. Prints one line per stream
and run and exits with 1 where they disagree, with 2 where it cannot tell. Needs Python 3 and nothing else.
"""

import csv
import json
import math
import sys

ERROR_MAX = 0.001
STEP_NS = 1
QUANTILES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p999_ns": 0.999}


class Cannot(Exception):
    """What keeps the comparison from being made."""


def read_log(path):
    """Lists of (service, response, bytes) per (run, job, kind), and how many I/Os failed: those have no latency."""
    streams, failed = {}, {}
    with open(path, newline="", encoding="utf-8") as file:
        for number, line in enumerate(csv.DictReader(file), start=2):
            try:
                due, begun, ended = (int(line[key]) for key in ("due_ns", "start_ns", "end_ns"))
                key = (int(line["run"]), line["job"], line["kind"])
                size = int(line["size_bytes"])
            except (KeyError, TypeError, ValueError) as error:
                raise Cannot(f"{path}:{number}: not a line of a log: {error}") from error
            if not due <= begun <= ended:
                raise Cannot(f"{path}:{number}: due {due}, begun {begun}, ended {ended} are not in order")
            if line.get("failed") == "1":
                failed[key] = failed.get(key, 0) + 1
            else:
                streams.setdefault(key, []).append((ended - begun, ended - due, size))
    return streams, failed


def expected(values):
    """What a record should say of `values`."""
    values = sorted(values)
    count = len(values)
    at = {name: values[max(math.ceil(q * count), 1) - 1] for name, q in QUANTILES.items()}
    return {"min_ns": values[0], "mean_ns": sum(values) / count, **at, "max_ns": values[-1]}


def differences(what, said, values):
    """Where `said`, the latency of a record, is not that of `values`."""
    if said["count"] != len(values):
        yield f"{what}: count {said['count']} in the record, {len(values)} in the log"
        return
    if not values:
        return
    for name, right in expected(values).items():
        # A quantile that fewer than ten values lie beyond is not told.
        told = QUANTILES.get(name, 0.5) <= 0.5 or len(values) * (1 - QUANTILES[name]) >= 10 * (1 - 1e-7)
        if (said[name] is not None) != told:
            yield f"{what}: {name} {said[name]} in the record, of {len(values)} values in the log"
        elif told and abs(said[name] - right) > ERROR_MAX * right + STEP_NS:
            yield f"{what}: {name} {said[name]} in the record, {right:.0f} in the log"


def group_key(run, stream):
    """Streams of one name and kind cannot be told apart in the log: clones that are reported one by one."""
    return run["number"], stream["job"].replace(",", " "), stream["kind"]


def check_streams(key, streams, marks, failed):
    """The streams of one name and kind."""
    what = f"run {key[0]}, {key[1]} {key[2]}"
    failures = sum(stream["failures"] for stream in streams)
    if failures != failed:
        yield f"{what}: {failures} failures in the record, {failed} in the log"
    operations = sum(stream["operations"] for stream in streams)
    if operations != len(marks):
        yield f"{what}: {operations} operations in the record, {len(marks)} in the log"
    size = sum(stream["bytes"] for stream in streams)
    if size != sum(mark[2] for mark in marks):
        yield f"{what}: {size} bytes in the record, {sum(mark[2] for mark in marks)} in the log"
    if len(streams) == 1:
        yield from check_latencies(what, streams[0], marks)


def check_latencies(what, holder, marks):
    """Service and response of a stream or run."""
    yield from differences(f"{what}, service", holder["service"], [mark[0] for mark in marks])
    # What was due and never begun has a response and no line in the log.
    unfinished = holder.get("unfinished") or holder.get("totals", {}).get("unfinished", 0)
    if not unfinished:
        yield from differences(f"{what}, response", holder["response"], [mark[1] for mark in marks])


def check(log, failed, runs):
    """All differences."""
    wrong, compared = [], 0
    runs = [run for run in runs if run.get("storage")]
    if not runs:
        raise Cannot("the record has no run of storage")
    for run in runs:
        groups = {}
        for stream in run["storage"]["streams"]:
            groups.setdefault(group_key(run, stream), []).append(stream)
        for key, streams in groups.items():
            wrong += check_streams(key, streams, log.get(key, []), failed.get(key, 0))
        counted = [mark for key in groups if key[2] != "sync" for mark in log.get(key, [])]
        wrong += check_latencies(f"run {run['number']}", run, counted)
        compared += len(counted)
        print(f"run {run['number']}: {len(counted)} I/Os in {len(groups)} streams")
    numbers = {run["number"] for run in runs}
    strangers = {key for key in log if key[0] not in numbers}
    wrong += [f"the log has {key}, the record has not" for key in sorted(strangers)]
    if not compared:
        raise Cannot("there is no I/O to compare")
    return wrong


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        log, failed = read_log(arguments[0])
        with open(arguments[1], encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        runs = {line["run"]["number"]: line["run"] for line in lines if "run" in line}
        wrong = check(log, failed, runs.values())
    except (OSError, ValueError, Cannot) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for line in wrong:
        print(line)
    if not wrong:
        print(f"all within {ERROR_MAX:.1%} and {STEP_NS} ns")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
