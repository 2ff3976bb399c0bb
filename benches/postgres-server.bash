# A temporary PostgreSQL server for the scripts beside this file, which source it: data in $work, a Unix socket there, and
# $memory for files in memory; stopped and removed at the end. The program that is measured is $dbdyno (DBDYNO=FILE takes
# another one than that of this directory, which is built).
bin=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1)")
[ -x "$bin/initdb" ] || bin=$(dirname "$(command -v initdb)")
[ -n "${DBDYNO:-}" ] || cargo build --release --quiet --locked
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}

work=$(mktemp -d /tmp/dbdyno-bench.XXXXXX)
memory=$(mktemp -d /dev/shm/dbdyno-bench.XXXXXX)
chmod 755 "$work" "$memory"
as_server() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups "$@"; else "$@"; fi; }
[ "$(id -u)" -ne 0 ] || chown postgres "$work"
end_server() {
  as_server "$bin/pg_ctl" -D "$work/data" -m fast -w stop >/dev/null 2>&1 || true
  rm -rf "$work" "$memory"
}
trap end_server EXIT

as_server "$bin/initdb" -D "$work/data" -U bench -A trust --no-sync >/dev/null
start_server() { # settings processors
  local settings="listen_addresses='' unix_socket_directories=$work autovacuum=off jit=off $1" options='' setting
  for setting in $settings; do options+=" -c $setting"; done
  as_server taskset -c "${2:-0-$(($(nproc) - 1))}" \
    "$bin/pg_ctl" -D "$work/data" -l "$work/log" -w -o "$options" start >/dev/null
}
stop_server() { as_server "$bin/pg_ctl" -D "$work/data" -m fast -w stop >/dev/null; }

target="postgres://bench@${work//\//%2F}/postgres"
client=("$bin/psql" -X -q -v ON_ERROR_STOP=1 -h "$work" -U bench -d postgres)
