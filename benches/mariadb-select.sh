#!/usr/bin/env bash
# dbdyno against sysbench oltp_point_select on the same server, prepared, interleaved, over a Unix socket.
#
# Prints the ratio of rates and of client processor time per statement, median of the pairs with quartiles, at one job
# (client and server on one processor: between two of them the kernel's wake-ups would be measured), at two, and at more
# sessions that share one thread of dbdyno. Both
# run the same statement on the same table, sysbench's own, so that the server has the same to do for both; all its texts
# are made equal, so that dbdyno can check the answers.
#
#   benches/mariadb-select.sh [PAIRS] [SECONDS] [SESSIONS]       10 pairs of 3 s, "8 32 64"; DBDYNO=FILE takes another program
#
# Needs python3, the server programs of MariaDB, sysbench, and as root a user `mysql` to run the server.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-10}
seconds=${2:-3}
sessions=${3-8 32 64}
export PATH=$PATH:/usr/sbin
for program in mariadbd sysbench; do
  command -v "$program" >/dev/null || { echo "error: $program is missing" >&2; exit 1; }
done
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked -p dbdyno
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
compare=$PWD/benches/point_select.py
placements=$PWD/benches/placements.bash

work=$(mktemp -d /tmp/dbdyno-bench.XXXXXX)
chmod 755 "$work"
as_server() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid mysql --regid mysql --clear-groups "$@"; else "$@"; fi; }
[ "$(id -u)" -ne 0 ] || chown mysql "$work"
server=
stop_server() {
  [ -z "$server" ] || { kill "$server" && wait "$server" || true; } 2>/dev/null
  server=
}
stop() {
  stop_server
  rm -rf "$work"
}
trap stop EXIT

mkdir "$work/tmp"
[ "$(id -u)" -ne 0 ] || chown mysql "$work/tmp"
as_server mariadb-install-db --no-defaults --datadir="$work/data" --tmpdir="$work/tmp" --skip-test-db --debug-no-sync \
  --auth-root-authentication-method=normal >/dev/null
client() { mariadb --no-defaults -uroot -S "$work/mysqld.sock" "$@"; }
start() { # processors
  stop_server
  # Not through the function: the number of the process must be the server's, and setpriv becomes it.
  local become=()
  [ "$(id -u)" -ne 0 ] || become=(setpriv --reuid mysql --regid mysql --clear-groups)
  "${become[@]}" taskset -c "$1" mariadbd --no-defaults --datadir="$work/data" --tmpdir="$work/tmp" \
    --socket="$work/mysqld.sock" --pid-file="$work/pid" --skip-networking --innodb-buffer-pool-size=512M \
    --innodb-log-file-size=1G --skip-log-bin >"$work/log" 2>&1 &
  server=$!
  until client -e 'select 1' >/dev/null 2>&1; do
    kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
    sleep 0.1
  done
}
all="0-$(($(nproc) - 1))"
start "$all"
client -e 'create database sbtest'
bench=(sysbench oltp_point_select --db-driver=mysql --mysql-socket="$work/mysqld.sock" --mysql-user=root
  --tables=1 --table-size=100000 --db-ps-mode=auto)
"${bench[@]}" prepare >/dev/null
text=$(printf '%0119d' 4711)
client -e "update sbtest.sbtest1 set c = '$text'"
mkdir "$work/client" && cd "$work/client"
target="mariadb://root@localhost?socket=$work/mysqld.sock"
cat >point.toml <<EOF
code       = "X611"
layer      = "server"
summary    = "the statement of oltp_point_select, on its table"
answers    = "What each client costs, where the server has the same to do for both."
not        = "What the server can do."
cost       = "Reads only."
limits     = "The table is sysbench's."
unit       = "statement"
operations = 1
sweep      = "jobs"
tables     = ["small"]
cache      = "inside"

[[statement]]
name   = "read"
sql    = "select c from sbtest.sbtest1 where id = :id"
bind   = { id = { uniform = [1, 100000] } }
expect = { values = ["$text"] }
EOF
"$dbdyno" run --quiet --keep --target "$target" --tests ./point.toml --jobs 1 --seconds 1 --record load.jsonl >/dev/null

compare() { # title jobs processors
  python3 "$compare" "$1" "$pairs" "$seconds" "$2" "$3" "$dbdyno" "$target" ./point.toml sysbench \
    'queries: +(?P<done>[0-9]+) +\((?P<rate>[0-9.]+) per sec' \
    -- "${bench[@]}" --threads='{jobs}' --time='{seconds}' --rand-type=uniform run
}

start 0
compare "1 job, client and server on one processor" 1 0
start "$all"
[ "$(nproc)" -lt 2 ] || compare "2 jobs, client and server on two processors" 2 0-1

# sysbench has a thread for each session.
export DBDYNO_OPTIONS="--client-threads 1"
source "$placements"
each_placement start compare "$sessions"
