#!/usr/bin/env bash
# dbdyno (T331) against psql's \copy of the same rows from a file in memory, interleaved, over a Unix socket, at 1, 2 and
# 4 jobs: each into a table of its own without a key, 16 384 rows a transaction, emptied after 16 of these.
#
# Prints the ratio of rates, median of the pairs with quartiles, the processor time of both clients per row, and how much
# of the processor time of dbdyno's load was the client's: writing the rows in the server's format, sending them.
#
#   benches/postgres-load.sh [PAIRS] [SECONDS]       5 pairs of 3 s; DBDYNO=FILE takes another program
#
# Needs python3, the programs of PostgreSQL, and as root a user `postgres` to run the server.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-5}
seconds=${2:-3}
bin=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1)")
[ -x "$bin/initdb" ] || bin=$(dirname "$(command -v initdb)")
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
compare=$PWD/benches/bulk_load.py

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
  -o "-c listen_addresses='' -c unix_socket_directories=$work -c shared_buffers=1GB -c max_wal_size=8GB -c autovacuum=off -c jit=off" \
  start >/dev/null
mkdir "$work/client" && cd "$work/client"
client=("$bin/psql" -X -q -v ON_ERROR_STOP=1 -h "$work" -U bench -d postgres)
target="postgres://bench@${work//\//%2F}/postgres"
"$dbdyno" run --quiet --keep --target "$target" --tests T611 --jobs 1 --seconds 1 --record load.json >/dev/null
rows=16384
"${client[@]}" -c "\\copy (select * from dbdyno.small limit $rows) to '$memory/rows.tsv'"
[ "$(wc -l <"$memory/rows.tsv")" -eq "$rows" ] || { echo "error: the data set has fewer than $rows rows" >&2; exit 1; }
for job in 0 1 2 3; do
  "${client[@]}" -c "create table t$job (like dbdyno.small)"
done

# The tables have no key, as those of T331.
python3 "$compare" "$pairs" "$seconds" "$dbdyno" "$target" '\copy' "$rows" 'truncate t{job}' \
  "\\copy t{job} from '$memory/rows.tsv'" -- "${client[@]}"
