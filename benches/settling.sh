#!/usr/bin/env bash
# Whether runs begin in the same state: three experiments on a temporary PostgreSQL.
#
#   - repeats of a scan (T431) and of updates (T716) of the same table, in turn: the rate of each round over that of the
#     first. Dead rows that are not reclaimed make each scan longer than the one before.
#   - one job that reads random rows of a table larger than the cache (T616) after warm-ups of different length: blocks that
#     missed the cache per row. An empty cache misses more after a short warm-up.
#   - several jobs that scan a table at the same time (T441), with and without synchronize_seqscans: bytes that the
#     device read for a scan, and the rate.
#
#   benches/settling.sh [ROUNDS] [SECONDS] [WARM-UP,...]     5 rounds, 3 s, warm-ups of 1, 5 and 60 s
#
# ROWS is the number of rows of the table, 320000 unless the environment says otherwise; DBDYNO=FILE takes another program.
# Needs the server programs of PostgreSQL and Python 3.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-5}
seconds=${2:-3}
warm_ups=${3:-1,5,60}
rows=${ROWS:-320000}
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked -p dbdyno
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
evaluate=$PWD/benches/settling.py
work=$(mktemp -d /tmp/dbdyno-settling.XXXXXX)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
cd "$work"

measure() { # name target test jobs option...
  local name=$1 target=$2 tests=$3 jobs=$4
  shift 4
  # A run that its surroundings spoilt is invalid and still a run of these experiments.
  "$dbdyno" run --target "$target" --tests "$tests" --jobs "$jobs" --seconds "$seconds" --small-rows 3200 --large-rows "$rows" \
    --quiet --no-html --record "$name.jsonl" "$@" >/dev/null 2>"$name.log" || [ -s "$name.jsonl" ] || { cat "$name.log" >&2; exit 1; }
}

measure rounds local:postgres T431,T716 2 --repeats "$rounds" --warm-up 0.5
for warm_up in ${warm_ups//,/ }; do
  # A cache of a quarter of the table.
  measure "warm-up-$warm_up" "local:postgres?shared_buffers=$((rows / 4096))MB" T616 1 --warm-up "$warm_up"
done
for shared in on off; do
  measure "shared-$shared" "local:postgres?synchronize_seqscans=$shared" T441 4 --warm-up 0.5
done
python3 "$evaluate"
