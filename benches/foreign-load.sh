#!/usr/bin/env bash
# How often a run beside other programs is marked, and how often one that has the machine for itself is: tests C11, T611,
# T311 and S21 with as many jobs as there are processors, alone, beside one and two busy loops, and beside a program
# that writes to the same device past the page cache.
#
# Prints for each of them the number of repetitions, how many are marked (`foreign_cpu` or `foreign_io`, a warning or
# worse), how many of these are invalid, and the median rate as a share of that alone.
#
#   benches/foreign-load.sh [REPETITIONS] [SECONDS]      20 runs of the length of preset quick; DBDYNO=FILE takes another program
#
# Needs python3, 4 GB in the current file system, and a machine on which nobody else is at work; root, so that the kernel
# tells what other programs write.
set -euo pipefail
cd "$(dirname "$0")/.."

repetitions=${1:-20}
length=()
[ $# -lt 2 ] || length=(--seconds "$2" --warm-up 0.1)
[ -n "${DBDYNO:-}" ] || cargo build --release --locked --quiet
dbdyno=$(realpath "${DBDYNO:-target/release/dbdyno}")
evaluate=$PWD/benches/foreign_load.py
work=$(mktemp -d "$PWD/foreign-load.XXXXXX")
beside=()

quiet() {
  [ ${#beside[@]} -eq 0 ] || kill "${beside[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  beside=()
}
trap 'quiet; rm -rf "$work"' EXIT

busy_loop() {
  (while :; do :; done) &
  beside+=($!)
}

writer() {
  (trap 'kill $!' TERM
  while :; do
    dd if=/dev/zero of="$work/foreign" bs=1M count=2048 oflag=direct 2>/dev/null &
    wait $! || exit
  done) &
  beside+=($!)
}

measure() {
  sync -f "$work"
  # Invalid runs are what is looked for: they are no failure here.
  (cd "$work" && "$dbdyno" run --tests C11,T611,T311,S21 --jobs "$(nproc)" --repeats "$repetitions" \
    "${length[@]}" --quiet --record "$work/$1.jsonl" >/dev/null 2>"$work/$1.log") || [ -s "$work/$1.jsonl" ] || cat "$work/$1.log" >&2
  quiet
}

measure "alone"
busy_loop
measure "1 busy loop"
busy_loop && busy_loop
measure "2 busy loops"
writer
measure "a writer"
python3 "$evaluate" "$work/alone.jsonl" "$work/1 busy loop.jsonl" "$work/2 busy loops.jsonl" "$work/a writer.jsonl"
