#!/usr/bin/env bash
# Installs what the tests need on Debian or Ubuntu, then runs all of them. Real servers are started by the tests
# themselves, on sockets of their own, in directories of their own. A server that is missing is an error, not a skip.
# At last the checks of lab/ run in guests, on Debian on x86_64, and the scripts of benches/ at their smallest size.
#
#   ./test.sh               everything; LAB_CHECKS='NAME ...' runs only these checks in guests, BENCHES='NAME ...' these scripts
#   ./test.sh quick         what needs no server and no device: records, measurement, model, tables, views; installs nothing
#   ./test.sh e2e WORD ...  the end-to-end tests whose path has one of the words: fleet, io, load, blocks ...
#   ./test.sh -p NAME ...   arguments go to `cargo test`
set -euo pipefail
cd "$(dirname "$0")"

if [ "$*" = quick ]; then
  packages=(base clock record store measure model tables report reference fio flat)
  exec cargo test --locked --lib "${packages[@]/#/--package=dbdyno-}"
fi

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
for program in cc openssl ps python3 curl; do
  command -v "$program" >/dev/null || { install build-essential openssl procps python3 curl && break; }
done
# Compressed flat files are read by other programs than ours.
command -v zstd >/dev/null && command -v lz4 >/dev/null || install zstd lz4
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

# Installs a package whose server must not be started by it.
install_stopped() {
  local policy=/usr/sbin/policy-rc.d
  if [ -e "$policy" ]; then
    install "$@"
    return
  fi
  printf '#!/bin/sh\nexit 101\n' | "${sudo[@]}" tee "$policy" >/dev/null
  "${sudo[@]}" chmod 755 "$policy"
  trap '"${sudo[@]}" rm -f /usr/sbin/policy-rc.d' EXIT
  install "$@"
  "${sudo[@]}" rm -f "$policy"
  trap - EXIT
}

have_mariadb || install_stopped mariadb-server
have_mariadb || {
  printf 'error: no MariaDB server program after the installation\n' >&2
  exit 1
}

# It carries the messages between the hosts of a fleet.
have_pgbouncer() { [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null; }
have_pgbouncer || install_stopped pgbouncer
have_pgbouncer || {
  printf 'error: no pgbouncer after the installation\n' >&2
  exit 1
}

have_nats() { [ -x /usr/sbin/nats-server ] || command -v nats-server >/dev/null; }
have_nats || install_stopped nats-server
have_nats || {
  printf 'error: no nats-server after the installation\n' >&2
  exit 1
}

# It scrapes a monitor, and reads its rules and metrics.
have_promtool() { command -v promtool; }
have_promtool >/dev/null || install_stopped prometheus
have_promtool >/dev/null || {
  printf 'error: no promtool after the installation\n' >&2
  exit 1
}

# It leaves out what an outage explains, by rules of a monitor.
have_amtool() { command -v amtool; }
have_amtool >/dev/null || install_stopped prometheus-alertmanager
have_amtool >/dev/null || {
  printf 'error: no amtool after the installation\n' >&2
  exit 1
}
/usr/bin/python3 -c 'import yaml' 2>/dev/null || install python3-yaml

# Agents on hosts are reached over a server of ssh, and observe one of a database on a network of its own.
[ -x /usr/sbin/sshd ] && command -v ssh >/dev/null || install_stopped openssh-server openssh-client
command -v ip >/dev/null || install iproute2

# The layer that loses writes is held against three file systems.
{ [ -x /usr/sbin/mkfs.xfs ] && [ -x /usr/sbin/mkfs.btrfs ]; } || install xfsprogs btrfs-progs

# Servers that cannot be installed beside those of this release are unpacked from other releases of Debian, with the libraries
# they were built for.
missing_server() { # directory reason
  printf 'error: no server in %s: %s\n' "${1#"$PWD"/}" "$2" >&2
  printf 'hint: put server programs that run into %s, and run this again\n' "${1#"$PWD"/}" >&2
  exit 1
}
# fetch_packages DIRECTORY SUITE PACKAGE: unpacks the package and all that it needs into DIRECTORY/root.
fetch_packages() {
  local directory=$1 suite=$2 package=$3 architecture mirror keyring
  architecture=$(dpkg --print-architecture) || missing_server "$directory" 'this script knows Debian and Ubuntu only'
  mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/*$')} ||
    missing_server "$directory" 'no mirror of Debian is known here; name one in DEBIAN_MIRROR'
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -e "$keyring" ] || install debian-archive-keyring
  command -v patchelf >/dev/null || install patchelf
  rm -rf "$directory"
  # A private state of apt, in which nothing is installed: so all that the server needs is fetched.
  mkdir -p "$directory"/{root,apt/lists/partial,apt/archives/partial,apt/etc/apt.conf.d,apt/etc/preferences.d}
  printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite" >"$directory/apt/etc/sources.list"
  : >"$directory/apt/status"
  private_apt() {
    apt-get -qq -o Dir::Etc="$directory/apt/etc" -o Dir::State="$directory/apt" -o Dir::State::status="$directory/apt/status" \
      -o Dir::Cache="$directory/apt" -o APT::Architecture="$architecture" -o APT::Sandbox::User= \
      -o Acquire::Languages=none -o APT::Update::Error-Mode=any "$@"
  }
  private_apt update || missing_server "$directory" "the packages of Debian $suite cannot be read from $mirror"
  private_apt install --download-only -y --no-install-recommends "$package" >/dev/null ||
    missing_server "$directory" "package $package of Debian $suite cannot be fetched from $mirror"
  # Perl is for scripts beside the server, LLVM for compiled expressions, which can be absent.
  find "$directory/apt/archives" -name '*.deb' ! -name '*perl*' ! -name 'libllvm*' ! -name 'libz3*' \
    -exec dpkg-deb -x {} "$directory/root" \;
  rm -rf "$directory/apt"
}
# own_libraries TREE PROGRAM...: the programs use the loader and the libraries of TREE.
own_libraries() {
  local tree=$1 loader libraries program
  shift
  for program in "$@"; do
    loader=$(basename "$(patchelf --print-interpreter "$program")")
    loader=$(find "$tree" -name "$loader" -type f -print -quit)
    [ -n "$loader" ] || loader=$(find "$tree" -name 'ld-*.so*' -type f -print -quit)
    libraries=$(compgen -G "$tree/lib/*-linux-gnu" || true; compgen -G "$tree/usr/lib/*-linux-gnu" || true)
    libraries=$(paste -s -d : <<<"$libraries")
    patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
  done
}

# MySQL's packages cannot be installed beside MariaDB's.
mysql=$PWD/target/mysql
have_mysql() { "$mysql/bin/mysqld" --version 2>/dev/null | grep -Eq 'Ver ([89]|[1-9][0-9]+)\.'; }
install_mysql() {
  fetch_packages "$mysql" sid mysql-server-core
  mkdir -p "$mysql"/{bin,share}
  mv "$mysql/root/usr/sbin/mysqld" "$mysql/bin"
  mv "$mysql/root/usr/share/mysql" "$mysql/share"
  mv "$mysql/root/usr/lib" "$mysql"
  rm -rf "$mysql/root"
  own_libraries "$mysql" "$mysql/bin/mysqld"
}
have_mysql || install_mysql
have_mysql || missing_server "$mysql" 'MySQL 8.0 or later does not run'

# PostgreSQL beside the one that is installed: the oldest that is measured, whose sessions wait before their counters can be
# seen, and one that is newer.
postgres_bin() { printf '%s/target/postgres/%s/root/usr/lib/postgresql/%s/bin' "$PWD" "$1" "$1"; }
have_postgres_version() { "$(postgres_bin "$1")/postgres" --version 2>/dev/null | grep -Eq "\(PostgreSQL\) $1\."; }
install_postgres_version() { # version suite
  local directory=$PWD/target/postgres/$1 bin
  fetch_packages "$directory" "$2" "postgresql-$1"
  bin=$(postgres_bin "$1")
  rm -f "$bin/../lib/"llvmjit*
  own_libraries "$directory/root" "$bin/postgres" "$bin/initdb"
}
for release in 13:bullseye 17:trixie; do
  version=${release%:*}
  have_postgres_version "$version" || install_postgres_version "$version" "${release#*:}"
  have_postgres_version "$version" || missing_server "$PWD/target/postgres/$version" "PostgreSQL $version does not run"
done

# DuckDB is loaded at run time; the tests want this library at this place.
duckdb_version=1.5.6-r.1
duckdb_sha256=3f4962cdd266eab2b479a5b5a4a6d063d279b2954ae814ed00385d553b747633
have_duckdb() { printf '%s  target/duckdb/libduckdb.so\n' "$duckdb_sha256" | sha256sum --check --status 2>/dev/null; }
if ! have_duckdb; then
  [ "$(uname -sm)" = 'Linux x86_64' ] || {
    printf 'error: the DuckDB library of the tests is for Linux on x86_64, this is %s\n' "$(uname -sm)" >&2
    printf 'hint: put libduckdb.so of your machine into target/duckdb and run cargo test by hand\n' >&2
    exit 1
  }
  command -v npm >/dev/null || install npm
  mkdir -p target/duckdb
  (
    cd target/duckdb
    archive=$(npm pack --silent "@duckdb/node-bindings-linux-x64@$duckdb_version")
    tar -xzf "$archive" --strip-components=1 package/libduckdb.so
    rm -f "$archive"
  )
fi
have_duckdb || {
  printf 'error: target/duckdb/libduckdb.so is not the library of DuckDB %s\n' "$duckdb_version" >&2
  printf 'hint: remove target/duckdb and run this again\n' >&2
  exit 1
}

# Clusters of MariaDB need it; on Debian it comes with the server.
have_galera() { compgen -G '/usr/lib*/galera*/libgalera_smm.so' >/dev/null; }
have_galera || install galera-4
have_galera || {
  printf 'error: no library of Galera after the installation\n' >&2
  exit 1
}

# Statements for Oracle are read by a grammar of its language, which is a package for Node.js.
grammar=crates/engines/oracle/tests/grammar
have_grammar() {
  cmp -s "$grammar/package-lock.json" target/oracle-grammar/package-lock.json && [ -d target/oracle-grammar/node_modules ]
}
if ! have_grammar; then
  command -v node >/dev/null && command -v npm >/dev/null || install nodejs npm
  rm -rf target/oracle-grammar
  mkdir -p target/oracle-grammar
  cp "$grammar/package.json" "$grammar/package-lock.json" target/oracle-grammar
  (cd target/oracle-grammar && npm ci --ignore-scripts --no-audit --no-fund)
fi
have_grammar || {
  printf 'error: no grammar of Oracle in target/oracle-grammar after the installation\n' >&2
  exit 1
}

case ${1:-} in
  '') ;;
  e2e) exec cargo test --locked --package dbdyno --test cli -- "${@:2}" ;;
  *) exec cargo test --locked "$@" ;;
esac

# The scripts of benches/ compare with these, and read the kernel's tracepoints.
command -v fio >/dev/null && command -v sysbench >/dev/null && command -v perf >/dev/null || install fio sysbench linux-perf
python3 -c 'import ensurepip' 2>/dev/null || install python3-venv

# Guests have the arrays, fabrics, NUMA nodes and kernels that this machine lacks.
command -v qemu-system-x86_64 >/dev/null && command -v mmdebstrap >/dev/null && command -v sfdisk >/dev/null ||
  install qemu-system-x86 mmdebstrap fdisk e2fsprogs
[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || install debian-archive-keyring

failed=0
# All of them, so that one failure does not hide the next; no example is code that runs.
cargo test --workspace --locked --no-fail-fast --lib --bins --tests || failed=1
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m 1 '/debian/*$' || true)}
cargo build --workspace --locked --example volatile_disk || failed=1
"${sudo[@]}" env "PATH=$PATH" "DEBIAN_MIRROR=$mirror" DBDYNO=target/debug/dbdyno VOLATILE_DISK=target/debug/examples/volatile_disk \
  VOLATILE_DISK_KILLS=2 lab/run ${LAB_CHECKS:-} || failed=1
"${sudo[@]}" env "PATH=$PATH" benches/smallest.sh ${BENCHES:-} || failed=1
exit "$failed"
