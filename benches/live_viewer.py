#!/usr/bin/env python3
"""Evaluates the records that benches/live-viewer.sh makes: for each test the Hodges-Lehmann estimate of the ratio of the rates
of a pair, viewed over alone, with its exact interval from Walsh averages, and the verdict with a margin of 2 %.

  live_viewer.py DIRECTORY PAIRS       viewed-1.jsonl, alone-1.jsonl, ... of DIRECTORY

Ends with 1 where a run was not followed as it should have been, where a test has no pair, and where a verdict is SLOWER or
FASTER: a viewer has changed what was measured. Needs Python 3 and nothing else."""

import itertools
import json
import math
import statistics
import sys

MARGIN = 0.02
CONFIDENCE = 0.95


def runs(path):
    """The finished runs of the record at `path`, by test."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for run in (line["run"] for line in map(json.loads, file) if "run" in line):
            if run["outcome"]["status"] == "done":
                found[run["test"]] = run
    return found


def rate(run):
    return run["totals"]["operations"] / (run["window_ns"] / 1e9)


def signed_rank_counts(count):
    """How many signings of the ranks 1 to `count` have each sum of positive ranks."""
    counts = [1]
    for rank in range(1, count + 1):
        longer = [0] * (len(counts) + rank)
        for total, ways in enumerate(counts):
            longer[total] += ways
            longer[total + rank] += ways
        counts = longer
    return counts


def interval(values):
    """Estimate and ends of the exact interval; no ends where there are too few values for one."""
    walsh = sorted((one + other) / 2 for one, other in itertools.combinations_with_replacement(values, 2))
    below, cut = 0.0, 0
    for total, ways in enumerate(signed_rank_counts(len(values))):
        below += ways / 2 ** len(values)
        if below > (1 - CONFIDENCE) / 2:
            break
        cut = total + 1
    estimate = statistics.median(walsh)
    return (estimate, walsh[cut - 1], walsh[-cut]) if cut > 0 else (estimate, None, None)


def verdict(low, high):
    limit = math.log1p(MARGIN)
    if low is None:
        return "INCONCLUSIVE"
    if -limit < low and high < limit:
        return "EQUIVALENT"
    if high < 0:
        return "SLOWER"
    return "FASTER" if low > 0 else "INCONCLUSIVE"


def main():
    directory, pairs = sys.argv[1], int(sys.argv[2])
    ratios, of_test_changed = {}, False
    for number in range(1, pairs + 1):
        viewed, alone = (runs(f"{directory}/{side}-{number}.jsonl") for side in ("viewed", "alone"))
        for test in viewed.keys() & alone.keys():
            if not viewed[test].get("live_viewers") or alone[test].get("live_viewers"):
                sys.exit(f"error: pair {number}: the record of {test} does not say rightly whether it was followed")
            ratios.setdefault(test, []).append(math.log(rate(viewed[test]) / rate(alone[test])))
    if not ratios:
        sys.exit("error: there is no pair")
    for test, values in sorted(ratios.items()):
        estimate, low, high = interval(values)
        found = verdict(low, high)
        of_test_changed |= found in ("SLOWER", "FASTER")
        ends = "no interval" if low is None else f"[{math.exp(low):.4f}, {math.exp(high):.4f}]"
        print(f"{test} {found}: ratio {math.exp(estimate):.4f} {ends} over {len(values)} pairs")
    sys.exit(of_test_changed)


main()
