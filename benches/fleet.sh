#!/usr/bin/env bash
# What agents cost, and whether they change the result, on one machine.
#
# Cost: T611 by one agent against one process without a fleet, interleaved: ratio of rates and of processor time per
# step, median of the pairs with its 95 % interval, on the null engine (the loop alone) and on PostgreSQL.
# Null comparison: one agent with four jobs against four agents with one each on the same PostgreSQL, by
# `dbdyno compare`; the verdicts are counted.
#
#   benches/fleet.sh [PAIRS] [COMPARISONS] [SECONDS]     10 pairs, 20 comparisons of 6 runs each, of 1 s
#
# Needs python3, nats-server, the server programs of PostgreSQL, and as root a user `postgres` to run them.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-10}
comparisons=${2:-20}
seconds=${3:-1}
verdicts=$PWD/benches/verdicts.py
source benches/postgres-server.bash
# The server has the first processor and all that is dbdyno the others: where the scheduler puts them costs more than an
# agent does.
last=$(($(nproc) - 1))
start_server "shared_buffers=512MB max_wal_size=4GB autovacuum=off" 0
placed=(taskset -c "$((last > 0))-$last")
cd "$work" && mkdir -p client && cd client
common=(--preset quick --tests T611 --seconds "$seconds" --quiet --no-html)
"$dbdyno" run "${common[@]}" --keep --target "$target" --jobs 1 --record load.jsonl >/dev/null

# An invalid run (foreign load) still has its figures; what is compared says so.
measure() { "${placed[@]}" "$dbdyno" "$@" >/dev/null 2>&1 || true; }

for engine in null "$target"; do
  for pair in $(seq "$pairs"); do
    order=(alone fleet)
    [ $((pair % 2)) -eq 1 ] || order=(fleet alone)
    for side in "${order[@]}"; do
      record=cost-$pair-$side.jsonl
      rm -f "$record"
      case $side in
        alone) measure run "${common[@]}" --keep --target "$engine" --jobs 1 --record "$record" ;;
        fleet) measure fleet run --agents 1 "${common[@]}" --keep --target "$engine" --jobs 1 --record "$record" ;;
      esac
    done
  done
  python3 - "$engine" "$pairs" <<'EOF'
import json, random, statistics, sys

# With fewer, the range of all pairs holds the median with less than 95 % confidence.
PAIRS_MIN = 6

def run(path):
    for line in open(path):
        line = json.loads(line)
        if "run" in line:
            return line["run"]

def figures(path):
    found = run(path)
    steps, window = found["totals"]["steps"], found["window_ns"]
    # Of all processes of dbdyno: the coordinator, its message server and the agent are in it.
    readings = found["readings"]
    used = readings[-1]["values"]["client_cpu_ns"] - readings[0]["values"]["client_cpu_ns"]
    return steps / window, used / steps

def interval(ratios):
    """95 % interval of the median, by resampling the pairs."""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000))
    return medians[100], medians[3899]

def verdict(ratios):
    """The interval, and what it says of a difference of 1 %."""
    if len(ratios) < PAIRS_MIN:
        return f"({len(ratios)} pairs give no interval; {PAIRS_MIN} are needed)"
    low, high = interval(ratios)
    said = "EQUIVALENT within 1 %" if 0.99 <= low and high <= 1.01 else "INCONCLUSIVE" if low <= 1.01 and high >= 0.99 else "DIFFERENT"
    return f"[{low:.3f} to {high:.3f}]: {said}"

pairs = [[figures(f"cost-{pair}-{side}.jsonl") for side in ("fleet", "alone")] for pair in range(1, int(sys.argv[2]) + 1)]
for name, index in (("rate", 0), ("processor time per step", 1)):
    ratios = [fleet[index] / alone[index] for fleet, alone in pairs]
    print(f"{sys.argv[1].split('?')[0].split('@')[0]}: {name}, one agent over none: {statistics.median(ratios):.3f} {verdict(ratios)}")
EOF
done

for number in $(seq "$comparisons"); do
  rm -f one.jsonl four.jsonl
  for agents in 1 4; do
    name=one.jsonl && [ "$agents" -eq 1 ] || name=four.jsonl
    measure fleet run --agents "$agents" "${common[@]}" --keep --target "$target" --jobs 4 --repeats 6 --record "$name"
  done
  "$dbdyno" compare one.jsonl four.jsonl --format csv >"comparison-$number.csv"
done
[ "$comparisons" -eq 0 ] || python3 "$verdicts" "1 agent x 4 jobs against 4 agents x 1 job:" comparison-*.csv
