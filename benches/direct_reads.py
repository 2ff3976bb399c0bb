#!/usr/bin/env python3
"""Evaluates the two records that benches/direct-reads.sh leaves in the current directory: a line for each test, with the
median of the ratios of the pairs (O_DIRECT over dropped), the verdict, and the bytes that the device gave for each byte that the
engine read, on both sides. Ends with 1 where a test has no pair. Needs Python 3 and nothing else."""

import csv
import io
import json
import statistics
import subprocess
import sys

FILES = ["direct-a.jsonl", "direct-b.jsonl"]


def runs(path):
    """The valid runs of the record at `path`, by test."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for run in (line["run"] for line in map(json.loads, file) if "run" in line):
            if run["outcome"]["status"] == "done":
                found.setdefault(run["test"], []).append(run)
    return found


def rate(run):
    return run["totals"]["operations"] / (run["window_ns"] / 1e9)


def of_device(run):
    """Bytes that the device read over those that the engine asked for."""
    first, last = run["readings"][0]["values"], run["readings"][-1]["values"]
    grown = [last.get(name, 0) - first.get(name, 0) for name in ("device_read_bytes", "physical_read_bytes")]
    return grown[0] / grown[1] if grown[1] > 0 else float("nan")


def verdicts(dbdyno):
    output = subprocess.run([dbdyno, "compare", *FILES, "--format", "csv"], capture_output=True, text=True, check=False)
    lines = csv.DictReader(io.StringIO(output.stdout))
    return {line["test"]: line["verdict"] or "none" for line in lines if line["what"] == "best"}


def main():
    dropped, direct = map(runs, FILES)
    found = verdicts(sys.argv[1])
    tests = [test for test in dropped if test.startswith("T")]
    if not tests:
        sys.exit("error: the records have no test")
    for test in tests:
        ratios = [rate(one) / rate(other) for one, other in zip(direct.get(test, []), dropped[test])]
        if not ratios:
            sys.exit(f"error: {test} has no pair")
        shares = [statistics.median(map(of_device, side[test])) for side in (dropped, direct)]
        print(f"{test}: ratio {statistics.median(ratios):.3f} [{min(ratios):.3f}, {max(ratios):.3f}] over {len(ratios)} pairs, "
              f"{found.get(test, 'none')}; of the device {shares[0]:.2f} of what was read where files are dropped, "
              f"{shares[1]:.2f} with O_DIRECT")


main()
