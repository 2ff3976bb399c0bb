#!/usr/bin/env bash
# dbdyno against sysbench oltp_read_write and oltp_point_select on the same tables of the same cluster, interleaved, over a Unix
# socket: the transaction of sysbench as a script of dbdyno, statement by statement, keys drawn alike (uniform).
#
# Prints the ratio of rates and of client processor time per transaction, median of the pairs with quartiles, at one job, at
# two, and at more sessions that share one thread of dbdyno. What is written differs in its text: sysbench writes digits at
# random, dbdyno a number of as many letters, so that the server writes as much for both.
#
#   benches/sysbench-read-write.sh [PAIRS] [SECONDS] [SESSIONS]       10 pairs of 3 s, 32; DBDYNO=FILE takes another program
#
# Needs python3, sysbench, the server programs of PostgreSQL, and as root a user `postgres` to run them.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-10}
seconds=${2:-3}
sessions=${3:-32}
size=100000
command -v sysbench >/dev/null || { echo "error: sysbench is missing" >&2; exit 1; }
compare=$PWD/benches/point_select.py
source benches/postgres-server.bash

all="0-$(($(nproc) - 1))"
start_server "shared_buffers=512MB max_wal_size=4GB max_connections=200 synchronous_commit=off" "$all"
export PGHOST=$work PGUSER=bench PGDATABASE=postgres
of_sysbench=(--db-driver=pgsql --pgsql-host="$work" --pgsql-user=bench --pgsql-db=postgres --tables=1 --table-size=$size
  --rand-type=uniform)
sysbench oltp_read_write "${of_sysbench[@]}" prepare >/dev/null
cd "$work" && mkdir -p client && cd client

range='\set first random(1, :size)
\set last :first + 99'
{
  echo 'begin;'
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    printf '%s\n' '\set id random(1, :size)' 'select c from sbtest1 where id = :id;'
  done
  printf '%s\n' "$range" 'select c from sbtest1 where id between :first and :last;' \
    "$range" 'select sum(k) from sbtest1 where id between :first and :last;' \
    "$range" 'select c from sbtest1 where id between :first and :last order by c;' \
    "$range" 'select distinct c from sbtest1 where id between :first and :last order by c;' \
    '\set id random(1, :size)' 'update sbtest1 set k = k + 1 where id = :id;' \
    '\set id random(1, :size)' '\set c random(1, 1000000000)' \
    "update sbtest1 set c = lpad(cast(:c as int)::text, 119, '-') where id = :id;" \
    '\set id random(1, :size)' '\set k random(1, :size)' 'delete from sbtest1 where id = :id;' \
    "insert into sbtest1 (id, k, c, pad) values (:id, :k, lpad(cast(:c as int)::text, 119, '-'), lpad(cast(:c as int)::text, 59, '-'));" \
    'commit;'
} >read-write.sql
printf '%s\n' '\set id random(1, :size)' 'select c from sbtest1 where id = :id;' >point-select.sql

# compare TITLE SCRIPT TEST-OF-SYSBENCH
compare() {
  local title=$1 script=$2 test=$3 jobs
  for jobs in 1 2 "$sessions"; do
    local threads=()
    [ "$jobs" -le 2 ] || threads=(--client-threads 1)
    DBDYNO_OPTIONS="--script $script --max-tries 100 -D size=$size ${threads[*]}" python3 "$compare" "$title, $jobs jobs" \
      "$pairs" "$seconds" "$jobs" "$all" "$dbdyno" "$target" '' sysbench \
      'transactions: +(?P<done>[0-9]+) +\((?P<rate>[0-9.]+) per sec' \
      -- sysbench "$test" "${of_sysbench[@]}" --threads='{jobs}' --time='{seconds}' run
  done
}

compare oltp_point_select point-select.sql oltp_point_select
compare oltp_read_write read-write.sql oltp_read_write
