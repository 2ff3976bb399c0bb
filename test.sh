#!/usr/bin/env bash
# Installs what the tests need on Debian or Ubuntu, then runs all of them. Real servers are started by the tests
# themselves, on sockets of their own, in directories of their own. A server that is missing is an error, not a skip.
#
#   ./test.sh               everything
#   ./test.sh -p NAME ...   arguments go to `cargo test`
set -euo pipefail
cd "$(dirname "$0")"

sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)

have_postgres() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; }
# On Debian the server is in /usr/sbin, which is not on the path of ordinary users.
have_mariadb() { [ -x /usr/sbin/mariadbd ] || command -v mariadbd >/dev/null; }

install() {
  if ! command -v apt-get >/dev/null; then
    printf 'error: %s is missing\nhint: install it; this script knows Debian and Ubuntu only\n' "$*" >&2
    exit 1
  fi
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

command -v cargo >/dev/null || {
  printf 'error: cargo is missing\nhint: install Rust 1.95 or newer, see https://rustup.rs\n' >&2
  exit 1
}
for program in cc openssl ps python3; do
  command -v "$program" >/dev/null || { install build-essential openssl procps python3 && break; }
done
if ! have_postgres; then
  # Without this the package would create a cluster of its own and start it.
  install postgresql-common
  "${sudo[@]}" sed -i 's/^#* *create_main_cluster *=.*/create_main_cluster = false/' \
    /etc/postgresql-common/createcluster.conf
  install postgresql
fi
have_postgres || {
  printf 'error: no PostgreSQL server programs after the installation\n' >&2
  exit 1
}

have_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome || command -v google-chrome-stable; }
# Pages are looked at in a browser.
have_chromium >/dev/null || install chromium fonts-dejavu-core
have_chromium >/dev/null || {
  printf 'error: no Chromium after the installation\n' >&2
  exit 1
}

if ! have_mariadb; then
  # Without this the package would start a server of its own.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | "${sudo[@]}" tee "$policy" >/dev/null
    "${sudo[@]}" chmod 755 "$policy"
    trap '"${sudo[@]}" rm -f "$policy"' EXIT
  fi
  install mariadb-server
  [ -z "$(trap -p EXIT)" ] || { "${sudo[@]}" rm -f "$policy" && trap - EXIT; }
fi
have_mariadb || {
  printf 'error: no MariaDB server program after the installation\n' >&2
  exit 1
}

if [ "$#" -gt 0 ]; then
  exec cargo test --locked "$@"
fi
exec cargo test --workspace --locked
