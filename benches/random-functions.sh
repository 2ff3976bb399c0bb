#!/usr/bin/env bash
# The random functions of scripts against those of pgbench: the same script, run by both on the same cluster, stores what it
# draws; each function is held against the other's draws by a chi-square test of two samples.
#
# Prints a line for each function: draws of each, classes, chi-square and its probability. Ends with 1 where one is below 1 in
# 10,000, which equal distributions are that often.
#
#   benches/random-functions.sh [DRAWS]       1000000 of each function; DBDYNO=FILE takes another program
#
# Needs python3, the server programs of PostgreSQL and pgbench, and as root a user `postgres` to run them.
set -euo pipefail
cd "$(dirname "$0")/.."

draws=${1:-1000000}
compare=$PWD/benches/random_functions.py
source benches/postgres-server.bash

start_server "shared_buffers=512MB max_wal_size=4GB synchronous_commit=off"
export PGHOST=$work PGUSER=bench PGDATABASE=postgres
cd "$work" && mkdir -p client && cd client

functions=(uniform exponential gaussian zipfian hot)
columns='uniform int, exponential int, gaussian int, zipfian int, hot int'
"${client[@]}" -c "create table drawn_by_dbdyno ($columns)" -c "create table drawn_by_pgbench ($columns)"

# Ten draws of each function in a step.
rows=()
for row in {0..9}; do
  cat <<SQL
\\set uniform$row random(1, 50)
\\set exponential$row random_exponential(1, 50, 3.5)
\\set gaussian$row random_gaussian(1, 50, 4.0)
\\set zipfian$row random_zipfian(1, 50, 1.2)
\\set hot$row random_zipfian(1, 50, 3.5)
SQL
  rows+=("(:uniform$row, :exponential$row, :gaussian$row, :zipfian$row, :hot$row)")
done >draw.sql
printf 'insert into :table values %s;\n' "$(IFS=,; printf '%s' "${rows[*]:0:10}")" >>draw.sql

steps=$((draws / 20))
"$dbdyno" run --target "$target" --script draw.sql -D table=drawn_by_dbdyno --jobs 2 --steps "$steps" --seconds 86400 --warm-up 0 \
  --trace none --no-activity --no-html --quiet --record draw.jsonl >/dev/null 2>&1 || true
"$bin/pgbench" -n -c 2 -j 2 -t "$steps" -f draw.sql -D table=drawn_by_pgbench >/dev/null 2>&1

for function in "${functions[@]}"; do
  for program in dbdyno pgbench; do
    "${client[@]}" -At -F ' ' -c "select $function, count(*) from drawn_by_$program group by 1 order by 1" >"$program"
  done
  python3 "$compare" "$function" dbdyno pgbench
done
