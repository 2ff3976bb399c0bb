#!/usr/bin/env bash
# Whether sessions that share one thread see other latencies than sessions with a thread each: the same open-loop load
# (T611, fixed arrivals) by both, interleaved, on the same cluster over a Unix socket.
#
# Prints the ratio of p50 and p99 of service and response times, shared over a thread each, median of the pairs with quartiles: client
# and server on one processor, on one each, and wherever the scheduler puts them.
#
#   benches/shared-latency.sh [PAIRS] [SECONDS] [SESSIONS] [RATE]      10 pairs of 5 s, 32 sessions, 5000 per second
#
# Needs python3, the server programs of PostgreSQL, and as root a user `postgres` to run them.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-10}
seconds=${2:-5}
sessions=${3:-32}
rate=${4:-5000}
placements=$PWD/benches/placements.bash
source benches/postgres-server.bash

start() { start_server "shared_buffers=512MB max_wal_size=4GB max_connections=200" "$1"; } # processors
restart() { stop_server && start "$1"; } # processors
all="0-$(($(nproc) - 1))"
start "$all"
cd "$work" && mkdir -p client && cd client
common=(--quiet --keep --no-html --trace none --target "$target" --tests T611)
"$dbdyno" run "${common[@]}" --jobs 1 --seconds 1 --record load.jsonl >/dev/null

compare_latency() { # title sessions processors
  local pair side
  for pair in $(seq "$pairs"); do
    local order=(1 "$2")
    [ $((pair % 2)) -eq 1 ] || order=("$2" 1)
    for side in "${order[@]}"; do
      rm -f "latency-$pair-$side.jsonl"
      # An invalid run (foreign load) still has its figures; the quartiles show it.
      taskset -c "$3" "$dbdyno" run "${common[@]}" --jobs "$2" --client-threads "$side" --rate "$rate" --arrival fixed \
        --seconds "$seconds" --warm-up 0.5 --record "latency-$pair-$side.jsonl" >/dev/null 2>&1 || true
    done
  done
  python3 - "$1" "$2" "$pairs" "$rate" <<'EOF'
import json, statistics, sys

def latencies(path):
    for line in open(path):
        line = json.loads(line)
        if "run" in line:
            return {(kind, at): line["run"][kind][at + "_ns"] for kind in ("service", "response") for at in ("p50", "p99")}

title, sessions, pairs, rate = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
print(f"{title}, {rate}/s, {pairs} pairs")
both = [[latencies(f"latency-{pair}-{side}.jsonl") for side in ("1", sessions)] for pair in range(1, pairs + 1)]
for key in both[0][0]:
    if any(side[key] is None for pair in both for side in pair):
        print(f"  {key[0]:<8} {key[1]}   not in every run: a window has too few steps for it")
        continue
    ratios = sorted(shared[key] / own[key] for shared, own in both)
    low, middle, high = (ratios[int(share * (pairs - 1) + 0.5)] for share in (0.25, 0.5, 0.75))
    own, shared = (statistics.median(pair[side][key] for pair in both) / 1e3 for side in (1, 0))
    print(f"  {key[0]:<8} {key[1]}   a thread each {own:8.1f} us   shared {shared:8.1f} us   ratio {middle:.3f} [{low:.3f}-{high:.3f}]")
EOF
}

source "$placements"
each_placement restart compare_latency "$sessions"
