#!/usr/bin/env bash
# Whether somebody who follows a run live by `dbdyno serve` changes what it measures.
#
# Pairs of runs, one with a viewer of /live and one without, next to each other and in an order drawn by the seed. The
# server shows the directory of the records all the time; only the viewer comes and goes. Each run says in its record
# whether it was followed, which is held against the intention.
#
#   benches/live-viewer.sh [PAIRS] [SECONDS] [TESTS] [JOBS] [SEED]     12 pairs of 3 s of T611,T311,C11 at 2 jobs, seed 1
#
# Printed for each test: the verdict with a margin of 2 %, and the interval of the ratio, viewed over not. Needs python3
# and curl. DBDYNO names another program than target/release/dbdyno.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-12}
seconds=${2:-3}
tests=${3:-T611,T311,C11}
jobs=${4:-2}
seed=${5:-1}
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
viewers=$PWD/benches/live_viewer.py
work=$(mktemp -d)
server=
viewer=
stop() {
  [ -z "$viewer" ] || kill "$viewer" 2>/dev/null || true
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap stop EXIT
mkdir "$work/records"

"$dbdyno" serve "$work/records" --listen 127.0.0.1:0 >"$work/out" 2>&1 &
server=$!
until grep -qs '://' "$work/out"; do
  kill -0 "$server" || { cat "$work/out" >&2; exit 1; }
  sleep 0.05
done
root=$(grep -o 'http://[^/]*/' "$work/out")

measure() { # name number
  if [ "$1" = viewed ]; then
    curl -sN -o /dev/null "${root}live/events" &
    viewer=$!
    # The server shows within a second that somebody has come.
    sleep 2
  fi
  "$dbdyno" run --preset smoke --tests "$tests" --jobs "$jobs" --seconds "$seconds" --warm-up 0.3 --seed "$2" --dir "$work" \
    --record "$work/records/$1-$2.jsonl" --quiet --no-html >/dev/null
  if [ -n "$viewer" ]; then
    kill "$viewer" 2>/dev/null || true
    wait "$viewer" 2>/dev/null || true
    viewer=
    # It has gone when the server writes to it again.
    sleep 2
  fi
}

for number in $(seq "$pairs"); do
  if python3 -c 'import random, sys; sys.exit(random.Random(" ".join(sys.argv[1:])).random() < 0.5)' "$seed" "$number"; then
    measure viewed "$number"
    measure alone "$number"
  else
    measure alone "$number"
    measure viewed "$number"
  fi
done
python3 "$viewers" "$work/records" "$pairs"
