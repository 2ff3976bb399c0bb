#!/usr/bin/env python3
"""Rows and bytes of three generators per second of processor time, interleaved; generate.sh calls it.

  generators.py ROUNDS MEGABYTES DBDYNO TPCHGEN PGBENCH SOCKET_DIRECTORY

Each makes about MEGABYTES (10^6 bytes) of lines with one thread; pgbench a tenth of it, because a server stores what it
makes. What a generator takes for next to no rows (tpchgen-cli writes a pool of text first) is taken off, so that rates
are those of a large set. Needs Python 3 and nothing else.
"""

import os
import random
import subprocess
import sys

# Lines of lineitem at scale factor 1, and about how many bytes they are.
LINEITEM_MEGABYTES = 760
ACCOUNTS_PER_SCALE = 100_000


def cpu_seconds(command, output=subprocess.DEVNULL):
    """Processor time of `command` until it ends, of user and system."""
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        sys.exit(f"error: {' '.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def counted(command):
    """Lines and bytes that `command` prints."""
    lines = total = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        while block := process.stdout.read(1 << 20):
            lines += block.count(b"\n")
            total += len(block)
    if process.returncode:
        sys.exit(f"error: {' '.join(command)} ended with {process.returncode}")
    return lines, total


def account_bytes(scale):
    """Bytes of the lines that pgbench sends: number, branch, balance 0, no filler; tabs and the end of the line."""
    rows = range(1, scale * ACCOUNTS_PER_SCALE + 1)
    return sum(len(str(row)) + len(str((row - 1) // ACCOUNTS_PER_SCALE + 1)) + 5 for row in rows)


def quantile(values, share):
    """The value at `share` of the sorted ones."""
    return sorted(values)[int(share * (len(values) - 1) + 0.5)]


def main(arguments):
    rounds, megabytes, dbdyno, tpchgen, pgbench, socket = arguments
    rounds, megabytes = int(rounds), int(megabytes)
    cards = [dbdyno, "generate", "cards", "--threads", "1", "--quiet"]
    size = ["--size", f"{megabytes}MB"]
    scale = max(round(megabytes / LINEITEM_MEGABYTES), 1)
    lineitem = [tpchgen, "tbl", "-T", "lineitem", "--num-threads", "1", "--stdout", "-s"]
    # About 16 bytes a row.
    accounts = max(round(megabytes / 10 / 1.6), 1)
    init = [pgbench, "-i", "-q", "-h", socket, "-U", "bench", "postgres", "-I"]
    cpu_seconds(init + ["dt"])
    # Rows and bytes, the command that makes them, and the one that makes next to none.
    null = ["-o", "/dev/null"]
    turns = {
        "dbdyno generate cards": (counted(cards + size + ["-o", "-"]), cards + size + null, cards + ["--rows", "1"] + null),
        "tpchgen-cli lineitem": (counted(lineitem + [str(scale)]), lineitem + [str(scale)], lineitem + ["0.001"]),
        "pgbench -i, client": (
            (accounts * ACCOUNTS_PER_SCALE, account_bytes(accounts)),
            init + ["g", "-s", str(accounts)],
            init + ["d"],
        ),
    }
    starts = {name: quantile([cpu_seconds(start) for _ in range(3)], 0.5) for name, (_, _, start) in turns.items()}
    cpu_seconds(init + ["dt"])
    times = {name: [] for name in turns}
    for _ in range(rounds):
        for name in random.sample(list(turns), len(turns)):
            times[name].append(cpu_seconds(turns[name][1]) - starts[name])
    ours, *others = turns
    rates = {}
    for name, ((rows, total), _, _) in turns.items():
        rates[name] = [(rows / seconds, total / seconds) for seconds in times[name]]
        row_rate, byte_rate = (quantile([rate[index] for rate in rates[name]], 0.5) for index in (0, 1))
        print(f"{name:22} {rows:9} rows of {total / rows:5.1f} bytes: {row_rate / 1e6:6.2f} M rows/s, {byte_rate / 1e6:6.0f} MB/s per core")
    for name in others:
        for index, what in ((0, "rows"), (1, "bytes")):
            ratios = [mine[index] / other[index] for mine, other in zip(rates[ours], rates[name])]
            middle, low, high = (quantile(ratios, share) for share in (0.5, 0.25, 0.75))
            print(f"{what} of {ours} to those of {name}: {middle:.2f} [{low:.2f}-{high:.2f}]")


if __name__ == "__main__":
    main(sys.argv[1:])
