#!/usr/bin/env python3
"""Evaluates the records that benches/settling.sh leaves in the current directory.

Prints a line for each round of T431 and T716, for each warm-up of T616, and for each setting of T441. Ends with 1 where a
record has no run of its test. Needs Python 3 and nothing else.
"""

import glob
import json
import sys


def runs(path, test):
    """The plain runs of `test` that were carried out, in the order of the record."""
    with open(path, encoding="utf-8") as file:
        all_runs = [line["run"] for line in map(json.loads, file) if "run" in line]
    plain = [run for run in all_runs if run.get("variation") is None]
    found = [run for run in plain if run["test"] == test and run["outcome"]["status"] == "done"]
    if not found:
        sys.exit(f"error: {path} has no run of {test}")
    return found


def rate(run):
    return run["totals"]["operations"] / (run["window_ns"] / 1e9)


def growth(run, counter):
    first, last = run["readings"][0]["values"], run["readings"][-1]["values"]
    return last.get(counter, 0) - first.get(counter, 0)


def seconds(run, *names):
    value = run
    for name in names:
        value = (value or {}).get(name)
    return (value or 0) / 1e9


def main():
    for test in ["T431", "T716"]:
        # At several degrees: the one with most workers.
        of_test = runs("rounds.jsonl", test)
        most = max(run["dop"]["jobs"] * run["dop"]["threads"] for run in of_test)
        of_test = [run for run in of_test if run["dop"]["jobs"] * run["dop"]["threads"] == most]
        for number, run in enumerate(of_test, start=1):
            print(f"{test} round {number}: {rate(run) / rate(of_test[0]):.3f} of the first; owed "
                  f"{seconds(run, 'owed', 'settle_ns'):.2f} s")
    for path in sorted(glob.glob("warm-up-*.jsonl"), key=lambda path: float(path[8:-6])):
        for run in runs(path, "T616"):
            missed = growth(run, "physical_read_bytes") / 8_192 / max(run["totals"]["rows"], 1)
            print(f"T616 after {path[8:-6]} s: {missed:.4f} blocks missed per row, {rate(run):.0f} tx/s; filled in "
                  f"{seconds(run, 'settling', 'cache_fill', 'read_ns'):.2f} s")
    for shared in ["on", "off"]:
        for run in runs(f"shared-{shared}.jsonl", "T441"):
            read = growth(run, "device_read_bytes") / max(run["totals"]["operations"], 1) / 1e6
            print(f"T441 at {run['dop']['jobs']} jobs, synchronize_seqscans={shared}: {read:.0f} MB of the device per scan, "
                  f"{rate(run):.2f} scans/s")


main()
