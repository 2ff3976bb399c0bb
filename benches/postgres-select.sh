#!/usr/bin/env bash
# dbdyno (T611) against pgbench -S -M prepared on the same cluster, interleaved, over a Unix socket.
#
# Prints the ratio of rates and of client processor time per statement, median of the pairs with quartiles, at one job
# (client and server on one processor: between two of them the kernel's wake-ups would be measured), at two, and at more
# sessions that share one thread of dbdyno, against pgbench with a thread for each and with one for all: client and server
# on one processor, on one each, and wherever the scheduler puts them.
#
#   benches/postgres-select.sh [PAIRS] [SECONDS] [SESSIONS]       10 pairs of 3 s, "8 32 64"; DBDYNO=FILE takes another program
#
# Needs python3, the server programs of PostgreSQL, and as root a user `postgres` to run them.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-10}
seconds=${2:-3}
sessions=${3-8 32 64}
compare=$PWD/benches/point_select.py
placements=$PWD/benches/placements.bash
source benches/postgres-server.bash

start() { start_server "shared_buffers=512MB max_wal_size=4GB max_connections=200" "$1"; } # processors
restart() { stop_server && start "$1"; } # processors
all="0-$(($(nproc) - 1))"
start "$all"
export PGHOST=$work PGUSER=bench PGDATABASE=postgres
"$bin/pgbench" -i -s 10 -q >/dev/null 2>&1
cd "$work" && mkdir -p client && cd client
"$dbdyno" run --quiet --keep --target "$target" --tests T611 --jobs 1 --seconds 1 --record load.jsonl >/dev/null

compare() { # title jobs processors
  python3 "$compare" "$1" "$pairs" "$seconds" "$2" "$3" "$dbdyno" "$target" T611 pgbench \
    '^tps = (?P<rate>[0-9.]+)' 'actually processed: (?P<done>[0-9]+)' \
    -- "$bin/pgbench" -S -n -M prepared -c '{jobs}' -j '{jobs}' -T '{seconds}'
}

compare_shared() { # title sessions processors
  DBDYNO_OPTIONS="--client-threads 1" python3 "$compare" "$1" "$pairs" "$seconds" "$2" "$3" "$dbdyno" "$target" T611 \
    "pgbench -j N,pgbench -j 1" '^tps = (?P<rate>[0-9.]+)' 'actually processed: (?P<done>[0-9]+)' \
    -- "$bin/pgbench" -S -n -M prepared -c '{jobs}' -j '{jobs}' -T '{seconds}' \
    -- "$bin/pgbench" -S -n -M prepared -c '{jobs}' -j 1 -T '{seconds}'
}

restart 0
compare "1 job, client and server on one processor" 1 0
restart "$all"
[ "$(nproc)" -lt 2 ] || compare "2 jobs, client and server on two processors" 2 0-1

source "$placements"
each_placement restart compare_shared "$sessions"
