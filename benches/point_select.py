#!/usr/bin/env python3
"""dbdyno against another client, interleaved, on the same server: the ratios of rates and of client processor time.

  point_select.py TITLE PAIRS SECONDS JOBS PROCESSORS DBDYNO TARGET TEST TOOL PATTERN... -- COMMAND...

TEST is the code of a test, a test file, or empty where DBDYNO_OPTIONS names scripts. COMMAND runs the other client, {jobs} and {seconds} in it are replaced; each PATTERN is looked for in what it prints and
names its group `rate` (statements per second) or `done` (statements). Prints the median of the pairs with quartiles.
Processor time is that of the whole process: start and connecting are some milliseconds of all the seconds. Needs Python 3
and nothing else; postgres-select.sh and mariadb-select.sh call it.
"""

import csv
import os
import random
import re
import subprocess
import sys
import tempfile


# How often a run of dbdyno is begun that turns out to be invalid.
TRIES = 4


def run(command):
    """What `command` prints, and its processor seconds."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"error: {' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
        output.seek(0)
        return output.read(), usage.ru_utime + usage.ru_stime


def other(command, patterns):
    """Statements per second and client processor time per statement in microseconds."""
    text, cpu_seconds = run(command)
    found = {}
    for pattern in patterns:
        match = re.search(pattern, text, re.MULTILINE)
        if not match:
            sys.exit(f"error: {pattern} is not in what {command} printed:\n{text}")
        found.update(match.groupdict())
    return float(found["rate"]), 1e6 * cpu_seconds / float(found["done"])


def ours(dbdyno, target, test, jobs, seconds, processors, options):
    """The same of dbdyno, as its record has it. A run that is invalid, as by a processor that the host took, is repeated."""
    tests = ["--tests", test] if test else []
    plan = [*tests, "--jobs", jobs, "--seconds", seconds, "--warm-up", "0.3", "--record", "r.jsonl", *options]
    command = ["taskset", "-c", processors, dbdyno, "run", "--quiet", "--keep", "--target", target, *plan]
    for _ in range(TRIES):
        if os.path.exists("r.jsonl"):
            os.remove("r.jsonl")
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        text, _ = run([dbdyno, "report", "r.jsonl", "--format", "csv"])
        row = next(csv.DictReader(text.splitlines()))
        if row["operations_per_second"]:
            break
    else:
        sys.exit(f"error: {' '.join(command)} had no valid run in {TRIES} tries")
    rate = float(row["operations_per_second"])
    return rate, 1e6 * float(row["client_cpus"]) / rate


def quantile(values, share):
    """The value at `share` of the sorted ones."""
    return sorted(values)[int(share * (len(values) - 1) + 0.5)]


def split_at(arguments, mark):
    """The parts of `arguments` between the marks."""
    parts = [[]]
    for argument in arguments:
        if argument == mark:
            parts.append([])
        else:
            parts[-1].append(argument)
    return parts


def main(arguments):
    head, *commands = split_at(arguments, "--")
    title, pairs, seconds, jobs, processors, dbdyno, target, test, tools, *patterns = head
    tools = tools.split(",")
    fill = lambda command: [word.replace("{jobs}", jobs).replace("{seconds}", seconds) for word in command]
    turns = {
        tool: lambda command=fill(command): other(["taskset", "-c", processors, *command], patterns)
        for tool, command in zip(tools, commands, strict=True)
    }
    options = os.environ.get("DBDYNO_OPTIONS", "").split()
    turns["dbdyno"] = lambda: ours(dbdyno, target, test, jobs, seconds, processors, options)
    results = {name: [] for name in turns}
    for _ in range(int(pairs)):
        for name in random.sample(list(turns), len(turns)):
            results[name].append(turns[name]())
    print(f"{title}, {pairs} pairs")
    for tool in tools:
        for index, label, unit, digits in ((0, "rate", "/s", 0), (1, "client CPU", " \N{MICRO SIGN}s", 2)):
            theirs, mine = ([result[index] for result in results[name]] for name in (tool, "dbdyno"))
            ratios = [b / a for a, b in zip(theirs, mine)]
            middle, low, high = (quantile(ratios, share) for share in (0.5, 0.25, 0.75))
            figures = "   ".join(
                f"{name} {quantile(values, 0.5):8.{digits}f}{unit}" for name, values in ((tool, theirs), ("dbdyno", mine))
            )
            print(f"  {label:<10}  {figures}   ratio {middle:.3f} [{low:.3f}-{high:.3f}]", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
