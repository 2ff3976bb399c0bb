#!/usr/bin/env python3
"""Evaluates the records that benches/log-extents.sh leaves in the current directory: a line for each round, and one for the
median of the ratios. Ends with 1 where a record has no run. Needs Python 3 and nothing else."""

import json
import statistics
import sys


def run(path):
    """The run of the record at `path`: commits per second and their median latency in microseconds."""
    with open(path, encoding="utf-8") as file:
        found = [line["run"] for line in map(json.loads, file) if "run" in line]
    done = [one for one in found if one["outcome"]["status"] == "done"]
    if not done:
        sys.exit(f"error: {path} has no run")
    return done[-1]["totals"]["operations"] / (done[-1]["window_ns"] / 1e9), done[-1]["service"]["p50_ns"] / 1e3


def main():
    ratios = []
    for number in range(1, int(sys.argv[1]) + 1):
        (reserved, slow), (written, fast) = run(f"reserved-{number}.jsonl"), run(f"written-{number}.jsonl")
        ratios.append(written / reserved)
        print(f"round {number}: reserved {reserved:.0f}/s, {slow:.0f} us; written {written:.0f}/s, {fast:.0f} us; "
              f"ratio {written / reserved:.3f}")
    print(f"all rounds: median of the ratios {statistics.median(ratios):.3f} [{min(ratios):.3f}, {max(ratios):.3f}]")


main()
