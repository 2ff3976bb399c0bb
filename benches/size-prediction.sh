#!/usr/bin/env bash
# Whether `dbdyno size` names the resource that is full first, and at how many times the load: a control group limits one resource
# of a platform, the platform is measured, a load takes a share of what it showed, and `dbdyno run --like` in an open loop at more
# than the platform carries shows the multiple that it reaches.
#
# Prints a line for each resource and share: the resource that was named, the predicted multiple and the one that was found, and their
# ratio. Fails where another resource is named.
#
#   benches/size-prediction.sh [CASES] [SHARES] [SECONDS] [REPEATS]   reads,commits,bandwidth,processors at 30,60,90 %, 4 s, 3 times
#
# Further cases: log, memory, sessions (the last starts a PostgreSQL server).
#
# Needs root (control groups with the limits of the old tree: blkio, cpu and memory), python3, and a directory on a block device.
set -euo pipefail
cd "$(dirname "$0")/.."

cases=${1:-reads,commits,bandwidth,processors}
shares=${2:-30,60,90}
seconds=${3:-4}
repeats=${4:-3}
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked
mkdir -p target/tmp
work=$(mktemp -d "$PWD/target/tmp/size-prediction.XXXXXX")
groups=/sys/fs/cgroup
name=dbdyno-size-prediction-$$
cleanup() {
  for tree in blkio cpu memory; do rmdir "$groups/$tree/$name" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT
[ -d "$groups/blkio" ] && [ -d "$groups/cpu" ] && [ -d "$groups/memory" ] || {
  printf 'error: there are no limits at %s/blkio, cpu and memory\nhint: run as root on a host with the old tree of control groups\n' "$groups" >&2
  exit 1
}
for tree in blkio cpu memory; do mkdir "$groups/$tree/$name"; done
exec python3 benches/size_prediction.py "$dbdyno" "$work" "$groups" "$name" "$cases" "$shares" "$seconds" "$repeats" &
child=$!
trap 'kill "$child" 2>/dev/null || true; cleanup' INT TERM
wait "$child"
