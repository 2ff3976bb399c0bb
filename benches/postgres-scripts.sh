#!/usr/bin/env bash
# dbdyno against pgbench -M prepared with the same scripts on the same cluster, interleaved, over a Unix socket: tpcb-like,
# select-only, a weighted pair, and a hot key by a Zipf distribution with a condition.
#
# Prints the ratio of rates and of client processor time per transaction, median of the pairs with quartiles, at one job, at
# two, and at more sessions that share one thread of dbdyno, against pgbench with one thread for all.
#
#   benches/postgres-scripts.sh [PAIRS] [SECONDS] [SESSIONS]       10 pairs of 3 s, 32; DBDYNO=FILE takes another program
#
# Needs python3, the server programs of PostgreSQL, and as root a user `postgres` to run them.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-10}
seconds=${2:-3}
sessions=${3:-32}
compare=$PWD/benches/point_select.py
source benches/postgres-server.bash

all="0-$(($(nproc) - 1))"
start_server "shared_buffers=512MB max_wal_size=4GB max_connections=200 synchronous_commit=off" "$all"
export PGHOST=$work PGUSER=bench PGDATABASE=postgres
"$bin/pgbench" -i -s 10 -q >/dev/null 2>&1
cd "$work" && mkdir -p client && cd client

cat >read.sql <<'SQL'
\set aid random(1, 100000 * :scale)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
SQL
cat >write.sql <<'SQL'
\set aid random(1, 100000 * :scale)
\set delta random(-5000, 5000)
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SQL
cat >hot.sql <<'SQL'
\set aid random_zipfian(1, 100000 * :scale, 1.2)
\set part random(1, 10)
\if :part <= :share
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
\else
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;
\endif
SQL

# compare TITLE OF_DBDYNO OF_PGBENCH: scripts as the options of either.
compare() {
  local title=$1 ours=$2 theirs=$3 jobs
  for jobs in 1 2 "$sessions"; do
    local threads=()
    [ "$jobs" -le 2 ] || threads=(--client-threads 1)
    # shellcheck disable=SC2086
    DBDYNO_OPTIONS="$ours ${threads[*]}" python3 "$compare" "$title, $jobs jobs" "$pairs" "$seconds" "$jobs" "$all" \
      "$dbdyno" "$target" '' pgbench '^tps = (?P<rate>[0-9.]+)' 'actually processed: (?P<done>[0-9]+)' \
      -- "$bin/pgbench" -n -M prepared -c '{jobs}' -j "$((jobs <= 2 ? jobs : 1))" -T '{seconds}' $theirs
  done
}

compare tpcb-like '--builtin tpcb-like -D scale=10' '-b tpcb-like'
compare select-only '--builtin select-only -D scale=10' '-b select-only'
compare 'read@9 write@1' "--script read.sql@9 --script write.sql@1 -D scale=10" '-f read.sql@9 -f write.sql@1 -s 10'
compare 'hot key' "--script hot.sql -D scale=10 -D share=8" '-f hot.sql -s 10 -D share=8'
