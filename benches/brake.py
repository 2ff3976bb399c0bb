#!/usr/bin/env python3
"""Slows side B of a `dbdyno pair` by a known share: its server processes are stopped for that share of the time.

    brake.py DIRECTORY SHARE       DIRECTORY is the --dir of the pair, SHARE the share of the time, e.g. 0.2

Waits a minute for the server of side B, then stops and continues its sessions in cycles of 10 ms until it has ended. A closed
loop on it is slowed by SHARE and nothing else: while its session is stopped, nothing is done. Prints the share that was
reached, by the monotonic clock. No figure of a pair is corrected by it.
"""
import os
import signal
import sys
import time

CYCLE = 0.010
# A side is loaded before its server is paired with the other.
START_SECONDS_MAX = 60


def postmaster(directory):
    """The first process of the server of side B; none while there is none."""
    try:
        with open(os.path.join(directory, "dbdyno-data/b/postgres/data/postmaster.pid")) as file:
            pid = int(file.readline())
        os.kill(pid, 0)
        return pid
    except (OSError, ValueError):
        return None


def sessions(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def send(pids, what):
    for pid in pids:
        try:
            os.kill(pid, what)
        except ProcessLookupError:
            pass  # A session that has ended meanwhile.


def main():
    directory, share = sys.argv[1], float(sys.argv[2])
    begun = time.monotonic()
    while (pid := postmaster(directory)) is None:
        if time.monotonic() - begun > START_SECONDS_MAX:
            sys.exit(f"error: no server of side B in {directory} within {START_SECONDS_MAX} s")
        time.sleep(0.05)
    stopped, begun = 0.0, time.monotonic()
    try:
        while os.path.exists(f"/proc/{pid}"):
            children = sessions(pid)
            stop = time.monotonic()
            send(children, signal.SIGSTOP)
            try:
                time.sleep(CYCLE * share)
            finally:
                send(children, signal.SIGCONT)
            stopped += time.monotonic() - stop
            # As long as it takes for the share to be right, whatever the two calls above have taken.
            time.sleep(max(0.0, stopped / share - (time.monotonic() - begun)))
    except (FileNotFoundError, ProcessLookupError, KeyboardInterrupt):
        pass  # The server has ended.
    print(f"{stopped / (time.monotonic() - begun):.4f}")


main()
