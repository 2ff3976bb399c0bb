#!/usr/bin/env bash
# dbdyno generate cards against two other generators, interleaved, each with one thread and into nothing: tpchgen-cli's
# lineitem (lines with bars, to the standard output), and pgbench -i with rows made by the client (-I g), which hands
# them to a server: there only the client's processor time counts.
#
# Prints rows and bytes of lines per second of processor time, and the ratio of ours to theirs: median of the rounds
# with quartiles.
#
#   benches/generate.sh [ROUNDS] [MEGABYTES]         5 rounds of about 2000 MB; DBDYNO=FILE takes another program
#
# Needs python3 with venv, and the programs of PostgreSQL with a user `postgres` where it is run as root. Puts
# tpchgen-cli of TPCHGEN_VERSION into target/tpchgen with pip, if it is not there.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-5}
megabytes=${2:-2000}
version=${TPCHGEN_VERSION:-4.0.0}
bin=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1)")
[ -x "$bin/initdb" ] || bin=$(dirname "$(command -v initdb)")
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
tools=$PWD/target/tpchgen
[ -x "$tools/bin/tpchgen-cli" ] || {
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check "tpchgen-cli==$version"
}

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
as_server "$bin/pg_ctl" -D "$work/data" -l "$work/log" -w \
  -o "-c listen_addresses='' -c unix_socket_directories=$work -c shared_buffers=512MB -c max_wal_size=8GB -c fsync=off -c autovacuum=off" \
  start >/dev/null
python3 benches/generators.py "$rounds" "$megabytes" "$dbdyno" "$tools/bin/tpchgen-cli" "$bin/pgbench" "$work"
