#!/usr/bin/env bash
# dbdyno (T331) against the client program's LOAD DATA LOCAL of the same rows from a file in memory, interleaved, over a
# Unix socket, at 1, 2 and 4 jobs: each into a table of its own without a key, 16 384 rows a transaction, emptied after
# 16 of these.
#
# Prints the ratio of rates, median of the pairs with quartiles, the processor time of both clients per row, and how much
# of the processor time of dbdyno's load was the client's: writing the rows in the server's format, sending them.
#
#   benches/mariadb-load.sh [PAIRS] [SECONDS]       5 pairs of 3 s; DBDYNO=FILE takes another program
#
# Needs python3, the programs of MariaDB, and as root a user `mysql` to run the server.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-5}
seconds=${2:-3}
export PATH=$PATH:/usr/sbin
command -v mariadbd >/dev/null || { echo 'error: mariadbd is missing' >&2; exit 1; }
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
compare=$PWD/benches/bulk_load.py

work=$(mktemp -d /tmp/dbdyno-bench.XXXXXX)
memory=$(mktemp -d /dev/shm/dbdyno-bench.XXXXXX)
chmod 755 "$work" "$memory"
become=()
[ "$(id -u)" -ne 0 ] || { chown mysql "$work"; become=(setpriv --reuid mysql --regid mysql --clear-groups); }
server=
stop() {
  [ -z "$server" ] || { kill "$server" && wait "$server" || true; } 2>/dev/null
  rm -rf "$work" "$memory"
}
trap stop EXIT

"${become[@]}" mkdir "$work/tmp"
"${become[@]}" mariadb-install-db --no-defaults --datadir="$work/data" --tmpdir="$work/tmp" --skip-test-db \
  --debug-no-sync --auth-root-authentication-method=normal >/dev/null
"${become[@]}" mariadbd --no-defaults --datadir="$work/data" --tmpdir="$work/tmp" --socket="$work/mysqld.sock" \
  --pid-file="$work/pid" --skip-networking --innodb-buffer-pool-size=1G --innodb-log-file-size=2G --skip-log-bin \
  >"$work/log" 2>&1 &
server=$!
client() { mariadb --no-defaults --local-infile=1 -uroot -S "$work/mysqld.sock" "$@"; }
until client -e 'select 1' >/dev/null 2>&1; do
  kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
  sleep 0.1
done
mkdir "$work/client" && cd "$work/client"
target="mariadb://root@localhost?socket=$work/mysqld.sock"
"$dbdyno" run --quiet --keep --target "$target" --tests T611 --jobs 1 --seconds 1 --record load.jsonl >/dev/null
rows=16384
client -N -B -e "select * from dbdyno.small limit $rows" >"$memory/rows.tsv"
[ "$(wc -l <"$memory/rows.tsv")" -eq "$rows" ] || { echo "error: the data set has fewer than $rows rows" >&2; exit 1; }
client -e 'create database bench character set utf8mb4 collate utf8mb4_nopad_bin'
for job in 0 1 2 3; do
  client -e "create table bench.t$job select * from dbdyno.small limit 0"
done

# The tables have no key, as those of T331.
python3 "$compare" "$pairs" "$seconds" "$dbdyno" "$target" "LOAD DATA" "$rows" 'truncate table bench.t{job}' \
  "load data local infile '$memory/rows.tsv' into table bench.t{job};" \
  -- mariadb --no-defaults --local-infile=1 -uroot -S "$work/mysqld.sock"
