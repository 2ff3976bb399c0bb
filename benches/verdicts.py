#!/usr/bin/env python3
"""Counts the verdicts of comparisons, and lists the changes that they found.

  verdicts.py NAME FILE...       each FILE as made by `dbdyno compare A B --format csv`

Prints a line for each test and verdict with NAME, the test, the verdict and the number of files that have it, and a line for
each test with the change in each file. Ends with 1 where a file has no verdict: what was compared did not arrive. Needs
Python 3 and nothing else.
"""

import collections
import csv
import sys


def best(path):
    """The lines of a comparison that have a verdict."""
    with open(path, newline="", encoding="utf-8") as file:
        return [line for line in csv.DictReader(file) if line["what"] == "best" and line["verdict"]]


def change(line):
    """The change in per cent; none where the sides cannot be compared."""
    return f"{100 * (float(line['ratio']) - 1):+.1f} %" if line["ratio"] else "none"


def main(arguments):
    name, *paths = arguments
    counts, changes = collections.Counter(), collections.defaultdict(list)
    for path in paths:
        lines = best(path)
        if not lines:
            sys.exit(f"error: {path} has no verdict")
        for line in lines:
            counts[line["test"], line["verdict"]] += 1
            changes[line["test"]].append(change(line))
    if not counts:
        sys.exit(f"error: {name}: there is no comparison")
    for (test, verdict), count in sorted(counts.items()):
        print(f"{name} {test} {verdict} {count}")
    for test, found in sorted(changes.items()):
        print(f"{name} {test} changes {'  '.join(found)}")


if __name__ == "__main__":
    main(sys.argv[1:])
