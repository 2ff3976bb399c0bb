#!/usr/bin/env bash
# The ceiling of the I/O generator: NOPs through io_uring by `dbdyno io`, with addresses, times and counts, against the smallest
# loop there is (ring_ceiling.c), which has none of them, with as many operations for each system call.
#
#   benches/ring-ceiling.sh [DEPTHS] [RUNS]      "1 8 32 128", the best of 5 runs each
#
# DBDYNO=FILE takes another program than that of this directory, which is built; T_IO_URING=FILE is `t/io_uring` of fio
# (`./configure && make t/io_uring` in its sources), which has the same number of operations for each call, and is compared, too.
#
# Needs python3, a C compiler and io_uring (Linux 6.1).
set -euo pipefail
cd "$(dirname "$0")/.."

depths=${1:-1 8 32 128}
runs=${2:-5}
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked
dbdyno=$(realpath "${DBDYNO:-target/release/dbdyno}")
work=$(mktemp -d /tmp/dbdyno-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
cc -O2 -o "$work/ring_ceiling" benches/ring_ceiling.c
cd "$work"

for depth in $depths; do
  # A quarter of the depth is submitted at once.
  batch=$(((depth + 3) / 4))
  bare=$(./ring_ceiling "$batch")
  best=0
  for _ in $(seq "$runs"); do
    rm -f ring.jsonl
    # A run that something disturbs has a ceiling nevertheless: it is measured before.
    "$dbdyno" io --rw randread --bs 4k --iodepth "$depth" --size 16M --seconds 0.2 --quiet --no-html --record ring.jsonl >/dev/null 2>&1 || true
    found=$(python3 -c 'import json
for line in open("ring.jsonl"):
    line = json.loads(line)
    if "run" in line:
        print(int(line["run"]["storage"]["generator_per_second"]))
        break')
    [ "$found" -le "$best" ] || best=$found
  done
  of_fio=
  [ -z "${T_IO_URING:-}" ] || of_fio=$("$T_IO_URING" -N1 -d "$depth" -s "$batch" -c "$batch" -r 4 | sed -n 's/^Maximum IOPS=//p')
  python3 - "$depth" "$batch" "$bare" "$best" "$of_fio" <<'EOF'
import sys
depth, batch, bare, ours = map(int, sys.argv[1:5])
print(f"{depth:4} in flight, {batch:2} a call: bare {bare / 1e6:6.2f} M/s ({1e9 / bare:5.1f} ns)   "
      f"dbdyno {ours / 1e6:6.2f} M/s ({1e9 / ours:5.1f} ns)   ratio {ours / bare:.2f}", end="")
of_fio = sys.argv[5]
if of_fio:
    unit = {"K": 1e3, "M": 1e6}.get(of_fio[-1])
    rate = float(of_fio[:-1]) * unit if unit else float(of_fio)
    print(f"   t/io_uring {rate / 1e6:6.2f} M/s   ratio {ours / rate:.2f}", end="")
print()
EOF
done
