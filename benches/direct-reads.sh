#!/usr/bin/env bash
# What dropping files from the page cache costs against reading past it: a PostgreSQL that reads its data files with O_DIRECT
# (debug_io_direct, version 16 on) and one whose files are dropped, in pairs: single random rows (T616), random rows in large
# transactions and scans, all of tables outside the cache.
#
#   benches/direct-reads.sh BIN [PAIRS] [SECONDS] [JOBS]     10 pairs of 2 s, 2 jobs; DBDYNO=FILE takes another program
#
# BIN is the directory of the server programs of PostgreSQL 16 or newer. Prints a line for each test: verdict, ratio, the
# share of the data that each side read from the device.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -ge 1 ] || { sed -n '2,/^set /s/^# \{0,1\}//p' "$0" | head -n -1; exit 2; }
bin=$(realpath "$1")
pairs=${2:-10}
seconds=${3:-2}
jobs=${4:-2}
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked -p dbdyno
dbdyno=$(realpath "${DBDYNO:-target/release/dbdyno}")
evaluate=$PWD/benches/direct_reads.py
work=$(mktemp -d "$PWD/direct-reads.XXXXXX")
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
cd "$work"

"$dbdyno" pair --a "local:postgres?bin=$bin" --b "local:postgres?bin=$bin&debug_io_direct=data" --tests T426,T431,T616,T626 \
  --jobs "$jobs" --pairs "$pairs" --seconds "$seconds" --quiet --no-html --record direct.jsonl >/dev/null 2>direct.log ||
  [ -s direct-b.jsonl ] || { cat direct.log >&2; exit 1; }
python3 "$evaluate" "$dbdyno"
