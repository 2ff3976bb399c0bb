#!/usr/bin/env bash
# Runs every script beside this one at its smallest size, and fails where one ends with an error or prints fewer figures than
# it should: a script that is run by hand only would read what the program no longer prints, unnoticed. Nothing is judged by
# how fast it was.
#
#   benches/smallest.sh [NAME...]      all, or those named; DBDYNO=FILE takes another program than target/debug/dbdyno
#
# Needs what the scripts need; test.sh installs it on Debian.
set -euo pipefail
cd "$(dirname "$0")/.."

export DBDYNO=${DBDYNO:-$PWD/target/debug/dbdyno}
[ -x "$DBDYNO" ] || { printf 'error: there is no program %s\nhint: cargo build --locked\n' "$DBDYNO" >&2; exit 1; }

# A script's folder comes first where Python looks for modules: one named like a standard module would stand in its place.
python3 - benches/*.py <<'CHECK'
import pathlib, sys
for path in map(pathlib.Path, sys.argv[1:]):
    if path.stem in sys.stdlib_module_names:
        sys.exit(f"error: {path} has the name of a standard module of Python; hint: name it after what it writes")
CHECK

# run_smallest NAME FIGURE LINES ARGUMENT...: at least LINES lines of the output have a FIGURE.
run_smallest() {
  local name=$1 figure=$2 lines=$3 output begun=$SECONDS found
  shift 3
  if ! output=$("benches/$name" "$@" 2>&1); then
    printf '%s\nerror: benches/%s %s failed\n' "$output" "$name" "$*" >&2
    return 1
  fi
  found=$(grep -cE "$figure" <<<"$output" || true)
  if [ "$found" -lt "$lines" ]; then
    printf '%s\nerror: benches/%s %s printed %s of %s lines with a figure\n' "$output" "$name" "$*" "$found" "$lines" >&2
    return 1
  fi
  printf '%-18s %3d lines with a figure, %d s\n' "$name" "$found" $((SECONDS - begun))
}

# As many at once as there are processors: no figure is judged.
named=("$@")
covered=()
failed=0
running=0
smallest() {
  covered+=("$1")
  [ ${#named[@]} -eq 0 ] || [[ " ${named[*]} " == *" $1 "* ]] || return 0
  if [ "$running" -ge "$(nproc)" ]; then
    wait -n || failed=1
    running=$((running - 1))
  fi
  run_smallest "$@" &
  running=$((running + 1))
}

ratio='ratio +[0-9]+\.[0-9]+'
verdict='(FASTER|SLOWER|EQUIVALENT|INCONCLUSIVE) [0-9]+$'
smallest direct-reads.sh '^T[0-9]+: ratio [0-9.]+' 4 target/postgres/17/root/usr/lib/postgresql/17/bin 2 0.2
smallest fleet.sh "one agent over none: [0-9.]+|$verdict" 5 1 1 0.2
smallest flat-load.sh '[0-9]+ rows/s' 6 1 20MB 1
smallest foreign-load.sh ' [0-9]+ +[0-9]+ +[0-9]+ +[0-9]+\.[0-9]+$' 16 1 0.2
smallest generate.sh '[0-9] M rows/s|: [0-9.]+ \[' 7 1 20
smallest history.sh ': [0-9.]+ s, [0-9]+ kB, [1-9][0-9]* intervals$' 10 1
SIZE=64M smallest io-fio.sh "$ratio" 28 1 0.3
smallest live-viewer.sh ' (EQUIVALENT|INCONCLUSIVE|SLOWER|FASTER): ' 2 2 0.2 T611,C11 1
smallest log-extents.sh '^(round|all).* [0-9]+\.[0-9]+' 2 1 0.2
smallest mariadb-load.sh "$ratio" 3 1 0.3
smallest mariadb-select.sh "$ratio" 8 1 1 2
smallest monitor-cost.sh '^(beside a load: ratio|a day: |memory: )' 3 2 1 30 3
smallest pair-power.sh "$verdict|^slowed by a share of 0\\." 3 1 2 0.2 T611 1
smallest postgres-load.sh "$ratio" 3 1 0.3
smallest postgres-scripts.sh "$ratio" 24 1 1 4
smallest postgres-select.sh "$ratio" 12 1 1 2
smallest random-functions.sh 'probability [0-9.]+' 5 20000
smallest ring-ceiling.sh "$ratio" 2 '1 32' 1
smallest serve.sh ' [0-9.]+ ms  [0-9]+ bytes$' 4 20
ROWS=32000 smallest settling.sh '^T(431|716) round|blocks missed per row|of the device per scan' 8 2 0.3 0.1,0.3
smallest shared-latency.sh "$ratio" 6 1 1 2 100
smallest shared-stamps.sh 'difference [-+][0-9]' 2 1 2 100
smallest size-prediction.sh ' first, at [0-9.]+ times, found [0-9.]+' 1 commits 60 0.5 2
smallest sysbench-read-write.sh "$ratio" 12 1 1 4

while [ "$running" -gt 0 ]; do
  wait -n || failed=1
  running=$((running - 1))
done

for script in benches/*.sh; do
  name=${script#benches/}
  [[ $name == smallest.sh || " ${covered[*]} " == *" $name "* ]] || {
    printf 'error: benches/smallest.sh does not run %s\n' "$script" >&2
    failed=1
  }
done
for name in "${named[@]}"; do
  [[ " ${covered[*]} " == *" $name "* ]] || { printf 'error: benches/%s is not a script of comparisons\n' "$name" >&2; exit 2; }
done
exit "$failed"
