#!/usr/bin/env bash
# dbdyno (T611) against pgbench -S -M prepared on the same cluster, interleaved, over a Unix socket.
#
# Prints the ratio of rates and of client processor time per statement, median of the pairs with quartiles, at one job
# (client and server on one processor: between two of them the kernel's wake-ups would be measured) and at two.
#
#   benches/postgres-select.sh [PAIRS] [SECONDS]       10 pairs of 3 s
#
# Needs the server programs of PostgreSQL, and as root a user `postgres` to run them.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-10}
seconds=${2:-3}
bin=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1)")
[ -x "$bin/initdb" ] || bin=$(dirname "$(command -v initdb)")
cargo build --release --quiet --locked
dbdyno=$PWD/target/release/dbdyno

work=$(mktemp -d /tmp/dbdyno-bench.XXXXXX)
chmod 755 "$work"
as_server() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups "$@"; else "$@"; fi; }
[ "$(id -u)" -ne 0 ] || chown postgres "$work"
stop() {
  as_server "$bin/pg_ctl" -D "$work/data" -m fast -w stop >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap stop EXIT

as_server "$bin/initdb" -D "$work/data" -U bench -A trust --no-sync >/dev/null
start() { # processors
  as_server taskset -c "$1" "$bin/pg_ctl" -D "$work/data" -l "$work/log" -w \
    -o "-c listen_addresses='' -c unix_socket_directories=$work -c shared_buffers=512MB -c max_wal_size=4GB -c autovacuum=off -c jit=off" \
    start >/dev/null
}
restart() {
  as_server "$bin/pg_ctl" -D "$work/data" -m fast -w stop >/dev/null
  start "$1"
}
all="0-$(($(nproc) - 1))"
start "$all"
export PGHOST=$work PGUSER=bench PGDATABASE=postgres
"$bin/pgbench" -i -s 10 -q >/dev/null 2>&1
cd "$work" && mkdir -p client && cd client
target="postgres://bench@${work//\//%2F}/postgres"
"$dbdyno" run --quiet --keep --target "$target" --tests T611 --jobs 1 --seconds 1 --record load.json >/dev/null

# Each prints: statements per second, client processor time per statement in µs.
run_pgbench() { # jobs processors
  local out
  out=$( { TIMEFORMAT='%U %S'; time taskset -c "$2" "$bin/pgbench" -S -n -M prepared -c "$1" -j "$1" -T "$seconds" 2>/dev/null; } 2>&1)
  awk '/^tps = /{tps=$3} /number of transactions actually processed/{split($6,n,"/"); done=n[1]} END{cpu=$(NF-1)+$NF; printf "%.0f %.3f\n", tps, 1e6*cpu/done}' <<<"$out"
}
run_dbdyno() { # jobs processors
  rm -f r.json
  taskset -c "$2" "$dbdyno" run --quiet --keep --target "$target" --tests T611 --jobs "$1" --seconds "$seconds" --warm-up 0.3 --record r.json >/dev/null
  # Titles are quoted and may hold commas.
  "$dbdyno" report r.json --format csv | sed 's|"[^"]*"|title|g' | awk -F, 'NR==1{for(i=1;i<=NF;i++)column[$i]=i} NR==2{printf "%.0f %.3f\n", $column["operations_per_second"], 1e6*$column["client_cpus"]/$column["operations_per_second"]}'
}

compare() { # title jobs processors
  local results=() pgbench dbdyno_said
  for ((pair = 0; pair < pairs; pair++)); do
    if ((RANDOM % 2)); then
      pgbench=$(run_pgbench "$2" "$3"); dbdyno_said=$(run_dbdyno "$2" "$3")
    else
      dbdyno_said=$(run_dbdyno "$2" "$3"); pgbench=$(run_pgbench "$2" "$3")
    fi
    results+=("$pgbench $dbdyno_said")
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
      printf "  rate        pgbench %8.0f/s   dbdyno %8.0f/s   ratio %.3f [%.3f-%.3f]\n", at(a, .5), at(b, .5), at(rate, .5), at(rate, .25), at(rate, .75)
      printf "  client CPU  pgbench %8.2f µs  dbdyno %8.2f µs  ratio %.3f [%.3f-%.3f]\n", at(c, .5), at(d, .5), at(cpu, .5), at(cpu, .25), at(cpu, .75)
    }'
}

restart 0
compare "1 job, client and server on one processor" 1 0
restart "$all"
[ "$(nproc)" -lt 2 ] || compare "2 jobs, client and server on two processors" 2 0-1
