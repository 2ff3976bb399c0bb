#!/usr/bin/env bash
# What `dbdyno pair` says of two targets that are the same, and of one that is slowed by a known 20 %.
#
# Repeats pairs of two temporary servers, each repetition with another seed, and counts the verdicts of each test. A
# false difference may stand in 1 of 20 repetitions; the slowed side has to be SLOWER in 19 of 20. It is slowed by
# benches/brake.py, which stops its sessions for a fifth of the time: no setting of an engine costs a known share.
#
#   benches/pair-power.sh [REPETITIONS] [PAIRS] [SECONDS] [TESTS] [JOBS]     20 times 10 pairs of 0.5 s of T611,T716 at 1 job
#
# Jobs are placed (--placement paired): left alone, the kernel moves a single session between two levels of speed.
#
# TARGET is the engine of both sides, local:postgres unless the environment says otherwise; only that one can be slowed.
# Needs the server programs of PostgreSQL, Python 3, and the right to signal the server's processes.
set -euo pipefail
cd "$(dirname "$0")/.."

repetitions=${1:-20}
pairs=${2:-10}
seconds=${3:-0.5}
tests=${4:-T611,T716}
jobs=${5:-1}
target=${TARGET:-local:postgres}
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked -p dbdyno
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
brake=$PWD/benches/brake.py
verdicts=$PWD/benches/verdicts.py
work=$(mktemp -d /tmp/dbdyno-power.XXXXXX)
chmod 755 "$work"
braking=
stop() {
  [ -z "$braking" ] || kill "$braking" 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT
cd "$work"

measure() { # name seed
  "$dbdyno" pair --quiet --a "$target" --b "$target" --tests "$tests" --jobs "$jobs" --pairs "$pairs" --placement paired \
    --seconds "$seconds" --warm-up 0.1 --small-rows 32000 --large-rows 32000 --seed "$2" --no-html --record "$1-$2.jsonl" \
    >/dev/null
  "$dbdyno" compare "$1-$2-a.jsonl" "$1-$2-b.jsonl" --format csv >"$1-$2.csv"
}

for seed in $(seq "$repetitions"); do
  measure same "$seed"
  if [ "$target" = local:postgres ]; then
    python3 "$brake" "$work" 0.2 >"share-$seed" &
    braking=$!
    measure slowed "$seed"
    wait "$braking"
    braking=
  fi
done

python3 "$verdicts" same same-*.csv
if [ "$target" = local:postgres ]; then
  python3 "$verdicts" slowed slowed-*.csv
  sort -n share-* | awk '
    { share[NR] = $1 }
    END {
      if (!NR) { print "error: no server of side B was slowed"; exit 1 }
      printf "slowed by a share of %s (median; %s to %s)\n", share[int((NR + 1) / 2)], share[1], share[NR]
    }'
fi
