#!/usr/bin/env bash
# dbdyno load against psql's \copy of the same flat files, interleaved, on the same PostgreSQL server over a Unix socket, at
# 1, 2 and 4 jobs, each job with a file of its own in memory: typed, as the lines are, and from gzip.
#
# Prints for each number of jobs the ratio of rates and of client processor time per row, median of the rounds, and the
# stage that dbdyno names as the slowest; for gzip also `gzip -dc` into psql, and `gzip -dc` into nothing.
#
#   benches/flat-load.sh [ROUNDS] [SIZE] [JOBS]       4 rounds of 1GB at 1,2,4 jobs; DBDYNO=FILE takes another program
#
# Needs python3, the programs of PostgreSQL, gzip, twice SIZE in /dev/shm, and as root a user `postgres` to run the server.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-4}
size=${2:-1GB}
degrees=${3:-1,2,4}
compare=$PWD/benches/flat_load.py
source benches/postgres-server.bash

start_server "shared_buffers=1GB max_wal_size=16GB"
mkdir "$work/client" && cd "$work/client"
export PGOPTIONS="-c client_min_messages=warning"
"$dbdyno" generate cards --size "$size" --files 4 --quiet -o "$memory" >/dev/null
python3 "$compare" "$rounds" "$degrees" "$dbdyno" "$target" "$memory" "${client[@]}"
