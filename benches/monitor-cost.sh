#!/usr/bin/env bash
# What `dbdyno monitor` costs the database that it watches, and its host.
#
# Beside a load: transactions per second of pgbench (built-in script tpcb-like, 4 clients, another database of the same server)
# with a monitor that makes a burst each second, 30 times as often as it does by itself, over those without one, in pairs of
# alternating order; median with its 95 % interval, and whether that is within 1 %.
# A day: as many bursts as 24 h have (2,880), close together: bytes of log per minute of that day, growth of the table,
# share of updates that touch no index.
# Memory: resident memory of a monitor of 20 databases.
#
#   benches/monitor-cost.sh [PAIRS] [SECONDS] [BURSTS] [TARGETS]     20 pairs of 5 s, 2880 bursts, 20 targets
#
# Needs python3, the programs of PostgreSQL, and as root a user `postgres` to run them.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-20}
seconds=${2:-5}
bursts=${3:-2880}
targets=${4:-20}
source benches/postgres-server.bash
start_server 'shared_buffers=256MB'
ask() { "${client[@]}" -At -c "$1"; }
database() { printf '%s' "${target%/postgres}/$1"; }
for name in shop $(seq -f 'shop%g' "$targets"); do ask "create database $name" >/dev/null; done
printf '[read]\nthreshold = "5s"\n[commit]\nthreshold = "5s"\n' >"$work/slo.toml"
pgbench=("$bin/pgbench" -h "$work" -U bench postgres)
"${pgbench[@]}" -i -s 10 -q >/dev/null 2>&1

# watch NAME EVERY MORE...: a monitor of the database NAME in the background; its process is $monitor.
watch() {
  local every=$1
  shift
  "$dbdyno" monitor "$@" --slo "$work/slo.toml" --every "$every" --timeout "$every" --cpu 100% --data "$work/history.db" >"$work/monitor.out" 2>&1 &
  monitor=$!
  until grep -qs '^watching, ' "$work/monitor.out"; do
    kill -0 "$monitor" 2>/dev/null || { cat "$work/monitor.out" >&2; return 1; }
    sleep 0.05
  done
}
unwatch() {
  kill -INT "$monitor"
  wait "$monitor"
}

for pair in $(seq "$pairs"); do
  order=(without with)
  [ $((pair % 2)) -eq 1 ] || order=(with without)
  for side in "${order[@]}"; do
    [ "$side" = without ] || watch 1s "$(database shop)"
    tps=$("${pgbench[@]}" -n -c 4 -j 2 -T "$seconds" | sed -n 's/^tps = \([0-9.]*\).*/\1/p')
    [ "$side" = without ] || unwatch
    printf '%s %s\n' "$side" "$tps"
  done
done >"$work/pairs"
python3 - "$work/pairs" <<'PY'
import math, statistics, sys

sides = {"with": [], "without": []}
for line in open(sys.argv[1]):
    side, tps = line.split()
    sides[side].append(float(tps))
ratios = sorted(after / before for after, before in zip(sides["with"], sides["without"]))
count = len(ratios)
# The pair of order statistics that hold the median with 95 % confidence, by the binomial distribution.
low = 0
while low < (count - 1) // 2 and sum(math.comb(count, k) for k in range(low + 2)) / 2**count <= 0.025:
    low += 1
print(f"beside a load: ratio {statistics.median(ratios):.4f} [{ratios[low]:.4f}-{ratios[count - 1 - low]:.4f}] of {count} pairs, "
      f"{'within' if ratios[low] >= 0.99 and ratios[count - 1 - low] <= 1.01 else 'not shown to be within'} 1 %")
PY

"${client[@]}" -c 'checkpoint' >/dev/null
watch 100ms "$(database shop)"
in_shop() { "$bin/psql" -X -q -At -h "$work" -U bench -d shop -c "$1"; }
updates='select n_tup_upd from pg_stat_all_tables where relname = $$monitor$$'
before=$(in_shop "$updates") size=$(in_shop "select pg_relation_size('dbdyno.monitor')") log=$(ask 'select pg_current_wal_lsn()')
until [ "$(in_shop "$updates")" -ge $((before + bursts)) ]; do sleep 0.5; done
made=$(($(in_shop "$updates") - before))
bytes=$(ask "select pg_current_wal_lsn() - '$log'")
unwatch
printf 'a day: %s bursts, %s bytes of log a minute at one each 30 s, table %s then %s bytes, %s %% of updates touch no index\n' "$made" \
  "$((bytes * 2 / made))" "$size" "$(in_shop "select pg_relation_size('dbdyno.monitor')")" \
  "$(in_shop 'select 100 * n_tup_hot_upd / n_tup_upd from pg_stat_all_tables where relname = $$monitor$$')"

all=()
for name in $(seq -f 'shop%g' "$targets"); do all+=("$(database "$name")"); done
watch 1s "${all[@]}"
sleep 3
printf 'memory: %s %s resident with %s targets\n' $(awk '/VmRSS/ {print $2, $3}' "/proc/$monitor/status") "$targets"
unwatch
