#!/usr/bin/env bash
# Tries the packages of dist/ in bare roots of Debian 11, 12 and 13, which have no compiler: the .deb installed in one copy,
# the tarball unpacked below /usr/local in another. Each must say its version and run a test with SQLite; the installed one
# must also run it with a temporary PostgreSQL of that distribution, as root and as an ordinary user.
#
#   packaging/try.sh [ARCHITECTURE|SUITE...]   amd64 (if none is named), arm64; bullseye, bookworm, trixie (all, if none is
#                                              named). Needs root, because of chroot, and packaging/release.sh first
#   packaging/try.sh --help                    prints this
#
# On a machine of another architecture its programs are run by qemu, which must be registered with the kernel: that shows
# that the package is right, not how fast it is.
#
# DEBIAN_MIRROR=URL takes the packages of Debian from there. Ends at the first thing that does not work, and leaves the
# roots in target/try then.
set -euo pipefail

fail() {
  printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 1
}
need() { command -v "$1" >/dev/null || fail "$1 is missing" "install $2"; }
step() { printf '\n== %s\n' "$*"; }

architectures=()
suites=()
for argument; do
  case $argument in
    amd64 | arm64) architectures+=("$argument") ;;
    bullseye | bookworm | trixie) suites+=("$argument") ;;
    -h | --help)
      sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
      exit
      ;;
    *) fail "argument $argument is not known" 'packaging/try.sh --help says what there is' ;;
  esac
done
[ ${#architectures[@]} -gt 0 ] || architectures=(amd64)
[ ${#suites[@]} -gt 0 ] || suites=(bullseye bookworm trixie)
declare -A platforms=([amd64]=x86_64-linux-gnu [arm64]=aarch64-linux-gnu)
declare -A emulators=([amd64]=qemu-x86_64 [arm64]=qemu-aarch64)

cd "$(dirname "$0")/.."
work=$PWD/target/try
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
package_of() { echo "$PWD/dist/dbdyno_${version}_$1.deb"; }
tarball_of() { echo "$PWD/dist/dbdyno-$version-${platforms[$1]}.tar.gz"; }

[ "$(id -u)" -eq 0 ] || fail 'this needs root' 'run sudo packaging/try.sh'
need mmdebstrap 'the package mmdebstrap'
need unshare 'the package util-linux'
[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] ||
  fail 'the keys of Debian are missing' 'install the package debian-archive-keyring'
for architecture in "${architectures[@]}"; do
  for file in "$(package_of "$architecture")" "$(tarball_of "$architecture")" dist/SHA256SUMS; do
    [ -e "$file" ] || fail "$file is missing" "run packaging/release.sh $architecture"
  done
  emulator=${emulators[$architecture]}
  [ "qemu-$(uname -m)" != "$emulator" ] || continue
  need arch-test 'the package arch-test'
  # F: the kernel has opened it, and a root needs no copy of it.
  grep -qs '^flags:.*F' "/proc/sys/fs/binfmt_misc/$emulator" ||
    fail "programs of $architecture do not run here" "install the packages qemu-user-static and binfmt-support; where \
nothing starts services, write /usr/lib/binfmt.d/$emulator.conf to /proc/sys/fs/binfmt_misc/register"
done
(cd dist && sha256sum --check --quiet SHA256SUMS)

# Runs a command in a root, without the disks of this machine. What is mounted there is in a namespace of its own and gone at its
# end: nothing of it can be removed with the root.
in_root() {
  unshare --mount bash -euc '
    packaging/devices.sh "$1"
    # Memory that the processes of PostgreSQL share, and terminals that apt writes its log through.
    mount -t tmpfs -o mode=1777,nosuid,nodev,noexec tmpfs "$1/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$1/dev/pts"
    mount --rbind -o ro /sys "$1/sys"
    mount -t proc proc "$1/proc"
    exec chroot "$1" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "${@:2}"
  ' in_root "$@"
}

# Runs a command in a root in a new directory of USER.
in_scratch() {
  local user=$2
  in_root "$1" bash -euc '
    scratch=$(mktemp -d)
    chown "$1" "$scratch"
    # Where dbdyno is root, the user of its server must be able to enter the directory.
    chmod 755 "$scratch"
    cd "$scratch"
    if [ "$1" = root ]; then "${@:2}"; else setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; fi
    rm -rf "$scratch"
  ' in_scratch "$user" "${@:3}"
}

# The sheet is not looked at: that it is printed, and no run failed, is what the exit code says. Other programs of a busy
# machine can make a run of a tenth of a second invalid, which is no fault of the package: three times is.
smoke() {
  local attempt
  for attempt in 1 2 3; do
    in_scratch "$1" "$2" dbdyno run --preset smoke --tests T611 "${@:3}" >/dev/null && return
    printf 'attempt %s of 3 failed\n' "$attempt"
  done
  fail "dbdyno run --preset smoke --tests T611 ${*:3} failed as $2 in $1" 'read what it printed above'
}

try() {
  in_scratch "$1" root dbdyno --version
  smoke "$1" root
}

# Runs a command in a root, and prints what it said only where it failed.
quietly() {
  in_root "$@" >"$work/log" 2>&1 && return
  tail -20 "$work/log" >&2
  fail "${*:2:4} ... failed in $1" "read $work/log"
}

mirror=()
[ -z "${DEBIAN_MIRROR:-}" ] || mirror=("$DEBIAN_MIRROR")
rm -rf "$work"
mkdir -p "$work"
# Tries the packages for $architecture in Debian $suite.
try_packages() {
  local package tarball user
  package=$(package_of "$architecture")
  tarball=$(tarball_of "$architecture")
  local installed=$work/$suite-$architecture-deb
  local unpacked=$work/$suite-$architecture-tarball

  step "Debian $suite on $architecture, tarball"
  mmdebstrap --quiet --variant=minbase --architectures="$architecture" "$suite" "$unpacked" "${mirror[@]}"
  cp -a "$unpacked" "$installed"
  tar -xzf "$tarball" --strip-components=1 -C "$unpacked/usr/local"
  try "$unpacked"
  rm -rf "$unpacked"

  step "Debian $suite on $architecture, .deb"
  cp "$package" "$installed/tmp/"
  quietly "$installed" apt-get install -y --no-install-recommends "/tmp/$(basename "$package")"
  try "$installed"

  step "Debian $suite on $architecture, .deb and PostgreSQL"
  # Nothing is started by the packages.
  printf '#!/bin/sh\nexit 101\n' >"$installed/usr/sbin/policy-rc.d"
  chmod 755 "$installed/usr/sbin/policy-rc.d"
  quietly "$installed" apt-get update
  quietly "$installed" apt-get install -y --no-install-recommends postgresql-common
  sed -i 's/^#* *create_main_cluster *=.*/create_main_cluster = false/' \
    "$installed/etc/postgresql-common/createcluster.conf"
  quietly "$installed" apt-get install -y --no-install-recommends postgresql
  quietly "$installed" useradd someone
  for user in root someone; do
    printf 'as %s: ' "$user"
    in_root "$installed" sh -c 'ls /usr/lib/postgresql/*/bin/postgres'
    smoke "$installed" "$user" --target local:postgres
  done
  rm -rf "$installed"
}

for architecture in "${architectures[@]}"; do
  for suite in "${suites[@]}"; do try_packages; done
done
rm -rf "$work"
step 'all packages work'
