#!/usr/bin/env bash
# Installs what the tests need on Debian or Ubuntu, then runs all of them. Real servers are started by the tests
# themselves, on sockets of their own, in directories of their own. A server that is missing is an error, not a skip.
#
#   ./test.sh               everything
#   ./test.sh -p NAME ...   arguments go to `cargo test`
set -euo pipefail
cd "$(dirname "$0")"

packages=(build-essential pkg-config openssl)
server_packages=(postgresql postgresql-client)

have_postgres() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; }

install() {
  local sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
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
command -v cc >/dev/null && command -v openssl >/dev/null || install "${packages[@]}"
if ! have_postgres; then
  # The package would otherwise create and start a cluster of its own.
  mkdir -p /etc/postgresql-common 2>/dev/null || true
  [ -e /etc/postgresql-common/createcluster.conf ] || [ ! -w /etc/postgresql-common ] ||
    printf 'create_main_cluster = false\n' >/etc/postgresql-common/createcluster.conf
  install "${server_packages[@]}"
fi
have_postgres || {
  printf 'error: no PostgreSQL server programs after the installation\n' >&2
  exit 1
}

if [ "$#" -gt 0 ]; then
  exec cargo test --locked "$@"
fi
exec cargo test --workspace --locked
