"""Counts which runs of records are marked for other programs; the first record is the one without any."""

import json
import pathlib
import statistics
import sys

CHECKS = ("foreign_cpu", "foreign_io")


def marks(run):
    return [one["verdict"] for one in run["findings"] if next(iter(one["evidence"])) in CHECKS and one["verdict"] in ("warn", "fail")]


def runs_by_test(path):
    found = {}
    lines = map(json.loads, path.read_text().splitlines())
    for run in (line["run"] for line in lines if "run" in line):
        if run.get("variation") is None:
            found.setdefault(run["test"], []).append(run)
    return found


def rate(runs):
    return statistics.median(run["totals"]["operations"] / run["window_ns"] for run in runs if run["window_ns"])


alone = runs_by_test(pathlib.Path(sys.argv[1]))
for path in map(pathlib.Path, sys.argv[1:]):
    if not alone or runs_by_test(path).keys() != alone.keys():
        sys.exit(f"error: {path} has runs of {sorted(runs_by_test(path))}, {sys.argv[1]} of {sorted(alone)}")
print(f"{'beside':14} {'test':5} {'runs':>5} {'marked':>7} {'invalid':>5} {'rate':>6}")
for path in map(pathlib.Path, sys.argv[1:]):
    for test, runs in runs_by_test(path).items():
        found = [marks(run) for run in runs]
        marked, invalid = sum(map(bool, found)), sum("fail" in one for one in found)
        print(f"{path.stem:14} {test:5} {len(runs):5} {marked:7} {invalid:5} {rate(runs) / rate(alone[test]):6.2f}")
