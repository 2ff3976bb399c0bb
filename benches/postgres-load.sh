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
compare=$PWD/benches/bulk_load.py
source benches/postgres-server.bash

start_server "shared_buffers=1GB max_wal_size=8GB"
mkdir "$work/client" && cd "$work/client"
"$dbdyno" run --quiet --keep --target "$target" --tests T611 --jobs 1 --seconds 1 --record load.jsonl >/dev/null
rows=16384
"${client[@]}" -c "\\copy (select * from dbdyno.small limit $rows) to '$memory/rows.tsv'"
[ "$(wc -l <"$memory/rows.tsv")" -eq "$rows" ] || { echo "error: the data set has fewer than $rows rows" >&2; exit 1; }
for job in 0 1 2 3; do
  "${client[@]}" -c "create table t$job (like dbdyno.small)"
done

# The tables have no key, as those of T331.
python3 "$compare" "$pairs" "$seconds" "$dbdyno" "$target" '\copy' "$rows" 'truncate t{job}' \
  "\\copy t{job} from '$memory/rows.tsv'" -- "${client[@]}"
