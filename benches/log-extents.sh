#!/usr/bin/env bash
# What a log costs whose files were never written: MariaDB of its own accord reserves its log as extents that read as zeros, and
# the flush of a commit into such a part also changes the metadata of the file system. dbdyno writes it before the first start.
#
# Each round makes two servers and runs commits (T311) twice on each. Before the second run on one of them, while it is stopped,
# the parts of its log that hold zeros are reserved anew. Prints the rate and the latency of the second runs, and their ratio: the
# written log over the other.
#
#   benches/log-extents.sh [ROUNDS] [SECONDS] [JOBS]     5 rounds, 3 s, 1 job; DBDYNO=FILE takes another program
#
# Needs the server programs of MariaDB, Python 3, and 2 GB in the current file system.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-5}
seconds=${2:-3}
jobs=${3:-1}
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked -p dbdyno
dbdyno=$(realpath "${DBDYNO:-target/release/dbdyno}")
evaluate=$PWD/benches/log_extents.py
work=$(mktemp -d "$PWD/log-extents.XXXXXX")
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
cd "$work"

measure() { # name: a run in the directory of that name, which keeps its server
  "$dbdyno" run --target 'local:mariadb?innodb_log_file_size=512M' --tests T311 --jobs "$jobs" --seconds "$seconds" --warm-up 0.5 \
    --small-rows 3200 --large-rows 6400 --keep --trace none --dir "$1" --quiet --no-html --record "$2.jsonl" >/dev/null 2>"$2.log" ||
    [ -s "$2.jsonl" ] || { cat "$2.log" >&2; exit 1; }
}

reserve_log() { # directory: what its log holds stays
  local log
  log=$(find "$1" -name ib_logfile0)
  [ -n "$log" ] || { echo "error: no ib_logfile0 below $1" >&2; exit 1; }
  fallocate --dig-holes "$log"
  fallocate --length "$(stat -c %s "$log")" "$log"
}

for ((round = 1; round <= rounds; round++)); do
  order="reserved written"
  ((round % 2)) || order="written reserved"
  for log in $order; do
    mkdir "data-$log"
    measure "data-$log" "first-$log-$round"
    [ "$log" = written ] || reserve_log "data-$log"
    measure "data-$log" "$log-$round"
    rm -rf "data-$log"
  done
done
python3 "$evaluate" "$rounds"
