#!/usr/bin/env bash
# dbdyno load against psql's \copy of the same flat files, interleaved, on the same PostgreSQL server over a Unix socket, at
# 1, 2 and 4 jobs, each job with a file of its own in memory: typed, as the lines are, and from gzip.
#
# Prints for each number of jobs the ratio of rates and of client processor time per row, median of the rounds, and the
# stage that dbdyno names as the slowest; for gzip also what inflating alone allows (`gzip -dc` to nowhere).
#
#   benches/flat-load.sh [ROUNDS] [SIZE]       3 rounds of 1GB; DBDYNO=FILE takes another program
#
# Needs python3, the programs of PostgreSQL, gzip, twice SIZE in /dev/shm, and as root a user `postgres` to run the server.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-3}
size=${2:-1GB}
bin=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1)")
[ -x "$bin/initdb" ] || bin=$(dirname "$(command -v initdb)")
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
compare=$PWD/benches/flat_load.py

work=$(mktemp -d /tmp/dbdyno-bench.XXXXXX)
memory=$(mktemp -d /dev/shm/dbdyno-bench.XXXXXX)
chmod 755 "$work" "$memory"
as_server() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups "$@"; else "$@"; fi; }
[ "$(id -u)" -ne 0 ] || chown postgres "$work"
stop() {
  as_server "$bin/pg_ctl" -D "$work/data" -m fast -w stop >/dev/null 2>&1 || true
  rm -rf "$work" "$memory"
}
trap stop EXIT

as_server "$bin/initdb" -D "$work/data" -U bench -A trust --no-sync >/dev/null
as_server "$bin/pg_ctl" -D "$work/data" -l "$work/log" -w \
  -o "-c listen_addresses='' -c unix_socket_directories=$work -c shared_buffers=1GB -c max_wal_size=16GB -c autovacuum=off -c jit=off" \
  start >/dev/null
mkdir "$work/client" && cd "$work/client"
export PGOPTIONS="-c client_min_messages=warning"
"$dbdyno" generate cards --size "$size" --files 4 --quiet -o "$memory" >/dev/null
python3 "$compare" "$rounds" "$dbdyno" "postgres://bench@${work//\//%2F}/postgres" "$memory" \
  "$bin/psql" -X -q -v ON_ERROR_STOP=1 -h "$work" -U bench -d postgres
