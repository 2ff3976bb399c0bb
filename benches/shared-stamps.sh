#!/usr/bin/env bash
# Whether the times of sessions that share a thread are the kernel's: from the submission of what is sent to the completion of
# what is received, as the tracepoints of io_uring have them, against the service times of the same run (T611, fixed arrivals,
# one thread). The same for sessions with a thread each, from the entry of sendto(2) to the exit of recvfrom(2).
#
# Prints both medians of each run and their difference: preparing the statement and reading the answer in dbdyno, and what perf
# takes to record an event.
#
#   benches/shared-stamps.sh [RUNS] [SESSIONS] [RATE]      3 runs of 4 s each, 8 sessions, 5000 per second
#
# Needs root, perf with the tracepoints of the kernel, python3, and the server programs of PostgreSQL with a user `postgres`.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-3}
sessions=${2:-8}
rate=${3:-5000}
[ -n "$(perf list io_uring:io_uring_submit_req 2>/dev/null | grep io_uring_submit_req)" ] || {
  printf 'error: perf shows no tracepoints of io_uring\nhint: install linux-perf, and run this as root\n' >&2
  exit 1
}
source benches/postgres-server.bash
start_server "shared_buffers=512MB max_connections=200" "0-$(($(nproc) - 1))"
cd "$work" && mkdir -p client && cd client
common=(--quiet --keep --no-html --trace none --target "$target" --tests T611)
"$dbdyno" run "${common[@]}" --jobs 1 --seconds 1 --record load.jsonl >/dev/null
of_ring=(-e io_uring:io_uring_submit_req -e io_uring:io_uring_complete)
of_threads=(-e syscalls:sys_enter_sendto -e syscalls:sys_exit_recvfrom)

compare_stamps() { # title threads events...
  rm -f stamps.jsonl
  # Both see all steps: there is no warm-up. An invalid run (foreign load: perf) has its times nevertheless.
  perf record -q -k CLOCK_MONOTONIC "${@:3}" -o stamps.data -- \
    "$dbdyno" run "${common[@]}" --jobs "$sessions" --client-threads "$2" --rate "$rate" --arrival fixed --warm-up 0 \
    --seconds 4 --record stamps.jsonl >/dev/null 2>&1 || true
  perf script -i stamps.data --ns -F tid,time,event,trace 2>/dev/null | python3 -c '
import json, re, statistics, sys

sent, passed_us = {}, []
for line in sys.stdin:
    event = re.match(r"\s*(\d+)\s+([\d.]+):\s+\w+:(\w+):\s*(.*)", line)
    if not event:
        continue
    session, seconds, name, details = event[1], float(event[2]), event[3], event[4]
    if name.startswith("io_uring"):
        user_data = re.search(r"user_data (0x[0-9a-f]+|\d+)", details)
        user_data = int(user_data[1], 0)
        # The lower half is the session; the upper half marks what is no answer.
        session, is_answer = user_data & 0xFFFFFFFF, name == "io_uring_complete" and not user_data >> 32
        is_request = name == "io_uring_submit_req" and "SEND" in details
    else:
        is_request, is_answer = name == "sys_enter_sendto", name == "sys_exit_recvfrom"
    if is_request:
        sent[session] = seconds
    elif is_answer and session in sent:
        passed_us.append((seconds - sent.pop(session)) * 1e6)
for line in open("stamps.jsonl"):
    run = json.loads(line).get("run")
    if run:
        break
kernel, ours, steps = statistics.median(passed_us), run["service"]["p50_ns"] / 1e3, run["totals"]["steps"]
print(f"{sys.argv[1]:<14} {len(passed_us)} statements of the kernel: p50 {kernel:8.2f} us   "
      f"{steps} steps of the run: p50 {ours:8.2f} us   difference {ours - kernel:+.2f} us")
' "$1"
}

for run in $(seq "$runs"); do
  compare_stamps 'shared' 1 "${of_ring[@]}"
  compare_stamps 'a thread each' "$sessions" "${of_threads[@]}"
done
