#!/usr/bin/env bash
# dbdyno (T611) against sysbench oltp_point_select on the same server, prepared, interleaved, over a Unix socket.
#
# Prints the ratio of rates and of client processor time per statement, median of the pairs with quartiles, at one job
# (client and server on one processor: between two of them the kernel's wake-ups would be measured) and at two. Both
# read one row by its primary key, of a table of about the same width: sysbench a text of 120 characters, dbdyno an
# integer and a text of 96.
#
#   benches/mariadb-select.sh [PAIRS] [SECONDS]       10 pairs of 3 s
#
# Needs the server programs of MariaDB, sysbench, and as root a user `mysql` to run the server.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-10}
seconds=${2:-3}
export PATH=$PATH:/usr/sbin
command -v mariadbd sysbench >/dev/null || { echo 'error: mariadbd or sysbench is missing' >&2; exit 1; }
cargo build --release --quiet --locked
dbdyno=$PWD/target/release/dbdyno

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
mkdir "$work/client" && cd "$work/client"
target="mariadb://root@localhost?socket=$work/mysqld.sock"
"$dbdyno" run --quiet --keep --target "$target" --tests T611 --jobs 1 --seconds 1 --record load.json >/dev/null

# Each prints: statements per second, client processor time per statement in µs. The time to start and to connect is in
# that of sysbench; it is some milliseconds of all the seconds.
run_sysbench() { # jobs processors
  local out
  out=$( { TIMEFORMAT='cpu %U %S'; time taskset -c "$2" "${bench[@]}" --threads="$1" --time="$seconds" --rand-type=uniform run; } 2>&1)
  awk '/queries:/{gsub(/\(/,""); done=$2; rate=$3} /^cpu /{cpu=$2+$3} END{printf "%.0f %.3f\n", rate, 1e6*cpu/done}' <<<"$out"
}
run_dbdyno() { # jobs processors
  rm -f r.json
  taskset -c "$2" "$dbdyno" run --quiet --keep --target "$target" --tests T611 --jobs "$1" --seconds "$seconds" --warm-up 0.3 --record r.json >/dev/null
  # Titles are quoted and may hold commas.
  "$dbdyno" report r.json --format csv | sed 's|"[^"]*"|title|g' | awk -F, 'NR==1{for(i=1;i<=NF;i++)column[$i]=i} NR==2{printf "%.0f %.3f\n", $column["operations_per_second"], 1e6*$column["client_cpus"]/$column["operations_per_second"]}'
}

compare() { # title jobs processors
  local results=() sysbench dbdyno_said
  for ((pair = 0; pair < pairs; pair++)); do
    if ((RANDOM % 2)); then
      sysbench=$(run_sysbench "$2" "$3"); dbdyno_said=$(run_dbdyno "$2" "$3")
    else
      dbdyno_said=$(run_dbdyno "$2" "$3"); sysbench=$(run_sysbench "$2" "$3")
    fi
    results+=("$sysbench $dbdyno_said")
  done
  printf '%s\n' "${results[@]}" | awk -v title="$1" '
    { rate[NR] = $3 / $1; cpu[NR] = $4 / $2; a[NR] = $1; b[NR] = $3; c[NR] = $2; d[NR] = $4 }
    function at(list, share,   copy, count, i, j, swap) {
      count = NR
      for (i = 1; i <= count; i++) copy[i] = list[i]
      for (i = 1; i <= count; i++) for (j = i + 1; j <= count; j++) if (copy[j] < copy[i]) { swap = copy[i]; copy[i] = copy[j]; copy[j] = swap }
      i = int(share * (count - 1) + 1.5)
      return copy[i]
    }
    END {
      printf "%s, %d pairs\n", title, NR
      printf "  rate        sysbench %8.0f/s   dbdyno %8.0f/s   ratio %.3f [%.3f-%.3f]\n", at(a, .5), at(b, .5), at(rate, .5), at(rate, .25), at(rate, .75)
      printf "  client CPU  sysbench %8.2f µs  dbdyno %8.2f µs  ratio %.3f [%.3f-%.3f]\n", at(c, .5), at(d, .5), at(cpu, .5), at(cpu, .25), at(cpu, .75)
    }'
}

start 0
compare "1 job, client and server on one processor" 1 0
start "$all"
[ "$(nproc)" -lt 2 ] || compare "2 jobs, client and server on two processors" 2 0-1
