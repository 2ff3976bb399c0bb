#!/usr/bin/env bash
# dbdyno (T331) against the client program's LOAD DATA LOCAL of the same rows from a file in memory, interleaved, over a
# Unix socket, at 1, 2 and 4 jobs: each into a table of its own without a key, 16 384 rows a transaction, emptied after
# 16 of these.
#
# Prints the ratio of rates, median of the pairs with quartiles, and how much of the processor time of dbdyno's load was
# the client's: making the rows (once, before the run), writing them in the server's format, sending them.
#
#   benches/mariadb-load.sh [PAIRS] [SECONDS]       5 pairs of 3 s
#
# Needs the programs of MariaDB, and as root a user `mysql` to run the server.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-5}
seconds=${2:-3}
export PATH=$PATH:/usr/sbin
command -v mariadbd >/dev/null || { echo 'error: mariadbd is missing' >&2; exit 1; }
cargo build --release --quiet --locked
dbdyno=$PWD/target/release/dbdyno

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
"$dbdyno" run --quiet --keep --target "$target" --tests T611 --jobs 1 --seconds 1 --record load.json >/dev/null
rows=16384
client -N -B -e "select * from dbdyno.small limit $rows" >"$memory/rows.tsv"
[ "$(wc -l <"$memory/rows.tsv")" -eq "$rows" ] || { echo "error: the data set has fewer than $rows rows" >&2; exit 1; }
client -e 'create database bench character set utf8mb4 collate utf8mb4_nopad_bin'
for job in 0 1 2 3; do
  client -e "create table bench.t$job select * from dbdyno.small limit 0"
done

# Each prints rows per second, and for dbdyno the client's share of the processor time.
run_client() { # jobs
  local job began ended done=0
  rm -f "$work"/count.*
  began=$(date +%s%N)
  for ((job = 0; job < $1; job++)); do
    (
      count=0
      while (($(date +%s%N) - began < seconds * 1000000000)); do
        { echo "truncate table bench.t$job;"
          for ((load = 0; load < 16; load++)); do echo "load data local infile '$memory/rows.tsv' into table bench.t$job;"; done
        } | client
        count=$((count + 16))
      done
      echo $count >"$work/count.$job"
    ) &
    jobs_running[job]=$!
  done
  wait "${jobs_running[@]}"
  ended=$(date +%s%N)
  done=$(cat "$work"/count.* | awk '{sum += $1} END {print sum}')
  jobs_running=()
  awk -v loads="$done" -v rows=$rows -v ns=$((ended - began)) 'BEGIN { printf "%.0f\n", loads * rows * 1e9 / ns }'
}
run_dbdyno() { # jobs
  rm -f r.json
  "$dbdyno" run --quiet --keep --target "$target" --tests T331 --jobs "$1" --seconds "$seconds" --warm-up 0.3 --record r.json >/dev/null
  "$dbdyno" report r.json --format csv | sed 's|"[^"]*"|title|g' | awk -F, 'NR==1{for(i=1;i<=NF;i++)column[$i]=i} NR==2{client=$column["client_cpus"]; server=$column["server_cpus"]; printf "%.0f %.3f\n", $column["rows_per_second"], client/(client+server)}'
}

for jobs in 1 2 4; do
  results=()
  for ((pair = 0; pair < pairs; pair++)); do
    if ((RANDOM % 2)); then
      theirs=$(run_client $jobs); ours=$(run_dbdyno $jobs)
    else
      ours=$(run_dbdyno $jobs); theirs=$(run_client $jobs)
    fi
    results+=("$theirs $ours")
  done
  printf '%s\n' "${results[@]}" | awk -v jobs=$jobs '
    { a[NR] = $1; b[NR] = $2; ratio[NR] = $2 / $1; share[NR] = $3 }
    function at(list, part,   copy, i, j, swap) {
      for (i = 1; i <= NR; i++) copy[i] = list[i]
      for (i = 1; i <= NR; i++) for (j = i + 1; j <= NR; j++) if (copy[j] < copy[i]) { swap = copy[i]; copy[i] = copy[j]; copy[j] = swap }
      return copy[int(part * (NR - 1) + 1.5)]
    }
    END {
      printf "%d jobs, %d pairs: LOAD DATA %8.0f rows/s   dbdyno %8.0f rows/s   ratio %.3f [%.3f-%.3f]   client %.0f %% of the CPU\n", jobs, NR, at(a, .5), at(b, .5), at(ratio, .5), at(ratio, .25), at(ratio, .75), 100 * at(share, .5)
    }'
done
