#!/usr/bin/env bash
# Whether the times of sessions that share a thread are the kernel's: from the submission of what is sent to the completion of
# what is received, as the tracepoints of io_uring have them, against the service times of the same run (T611, fixed arrivals,
# one thread).
#
# Prints both medians of each run and their difference.
#
#   benches/shared-stamps.sh [RUNS] [SESSIONS] [RATE]      5 runs of 4 s, 8 sessions, 1000 per second
#
# Needs root, perf with the tracepoints of the kernel, python3, and the server programs of PostgreSQL with a user `postgres`.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-5}
sessions=${2:-8}
rate=${3:-1000}
perf list tracepoint 2>/dev/null | grep -q io_uring:io_uring_submit_req || {
  printf 'error: perf shows no tracepoints of io_uring\nhint: install linux-perf, and run this as root\n' >&2
  exit 1
}
source benches/postgres-server.bash
start_server "shared_buffers=512MB max_connections=200" "0-$(($(nproc) - 1))"
cd "$work" && mkdir -p client && cd client
common=(--quiet --keep --no-html --trace none --target "$target" --tests T611)
"$dbdyno" run "${common[@]}" --jobs 1 --seconds 1 --record load.jsonl >/dev/null

for run in $(seq "$runs"); do
  rm -f stamps.jsonl
  # An invalid run (foreign load: perf) has its times nevertheless.
  "$dbdyno" run "${common[@]}" --jobs "$sessions" --client-threads 1 --rate "$rate" --arrival fixed --warm-up 1 \
    --seconds 4 --record stamps.jsonl >/dev/null 2>&1 &
  program=$!
  sleep 3
  perf record -q -k CLOCK_MONOTONIC -e io_uring:io_uring_submit_req -e io_uring:io_uring_complete -p "$program" \
    -o stamps.data -- sleep 1.5 >/dev/null 2>&1
  wait "$program" || true
  perf script -i stamps.data --ns -F time,event,trace 2>/dev/null | python3 -c '
import json, re, statistics, sys

sent, passed_us = {}, []
for line in sys.stdin:
    event = re.match(r"\s*([\d.]+):\s+io_uring:io_uring_(\w+):\s+(.*)", line)
    user_data = event and re.search(r"user_data (0x[0-9a-f]+|\d+)", event[3])
    if not user_data:
        continue
    seconds, user_data = float(event[1]), int(user_data[1], 0)
    session = user_data & 0xFFFFFFFF
    if event[2] == "submit_req" and "SEND" in event[3]:
        sent[session] = seconds
    elif event[2] == "complete" and not user_data >> 32 and session in sent:
        passed_us.append((seconds - sent.pop(session)) * 1e6)
for line in open("stamps.jsonl"):
    run = json.loads(line).get("run")
    if run:
        break
kernel, ours, steps = statistics.median(passed_us), run["service"]["p50_ns"] / 1e3, run["totals"]["steps"]
print(f"{len(passed_us)} statements by the kernel: p50 {kernel:8.2f} us   "
      f"{steps} steps of the run: p50 {ours:8.2f} us   difference {ours - kernel:+.2f} us")
'
done
