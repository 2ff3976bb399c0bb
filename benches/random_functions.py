#!/usr/bin/env python3
"""Holds two samples against each other by a chi-square test.

  random_functions.py NAME FILE FILE       each FILE has lines of a value and how often it was drawn

Values that were drawn seldom are one class. Prints NAME, the draws of each, classes, chi-square and its probability if both have
one distribution (Press et al., Numerical Recipes, 14.3); ends with 1 where that is below 1 in 10,000. Needs Python 3 and nothing else.
"""

import math
import sys

SELDOM = 20
PROBABILITY_MIN = 1e-4


def counts(path):
    """How often each value was drawn."""
    with open(path, encoding="utf-8") as file:
        return {int(value): int(count) for value, count in (line.split() for line in file)}


def classes(one, other):
    """Counts of both for each value, those that were drawn seldom as one."""
    pairs = [(one.get(value, 0), other.get(value, 0)) for value in sorted(one.keys() | other.keys())]
    often = [pair for pair in pairs if sum(pair) >= SELDOM]
    seldom = [pair for pair in pairs if sum(pair) < SELDOM]
    rest = tuple(map(sum, zip(*seldom))) if seldom else (0, 0)
    return often + ([rest] if sum(rest) >= SELDOM else [])


def upper_gamma(a, x):
    """The regularised incomplete gamma function Q(a, x)."""
    if x <= 0:
        return 1.0
    scale = math.exp(-x + a * math.log(x) - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        divisor = a
        while abs(term) > abs(total) * 1e-15:
            divisor += 1
            term *= x / divisor
            total += term
        return 1 - total * scale
    b, c = x + 1 - a, 1e300
    d = h = 1 / b
    for step in range(1, 10_000):
        factor = -step * (step - a)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return scale * h


def main(name, *paths):
    one, other = map(counts, paths)
    total_one, total_other = sum(one.values()), sum(other.values())
    if not total_one or not total_other:
        sys.exit(f"error: {name}: nothing was drawn")
    found = classes(one, other)
    ratio = math.sqrt(total_other / total_one)
    chi_square = sum((ratio * a - b / ratio) ** 2 / (a + b) for a, b in found)
    freedom = len(found) - 1
    probability = upper_gamma(freedom / 2, chi_square / 2)
    print(f"{name}: {total_one} and {total_other} draws, {len(found)} classes, chi-square {chi_square:.1f}, "
          f"probability {probability:.3g}")
    if probability < PROBABILITY_MIN:
        sys.exit(f"error: {name}: the distributions differ")


if __name__ == "__main__":
    main(*sys.argv[1:])
