#!/usr/bin/env bash
# Makes the packages of a release from the commit that is checked out, into dist/, for each architecture:
#
#   dbdyno-VERSION-PLATFORM.tar.gz     program, manual pages, completions, licences
#   dbdyno_VERSION_ARCHITECTURE.deb    the same for Debian
#   dbdyno-VERSION-PLATFORM.cdx.json   what the program was built of (CycloneDX)
#   SHA256SUMS                         checksums of all of them
#
# The program is compiled in a root of Debian 11, so that it runs with its C library (glibc 2.31) and every later one. The
# compiler of Rust is this machine's, x86_64; everything else in that root is Debian's, with its cross compiler for arm64.
# What others wrote and is run while it is compiled, and the program itself, run there as an unprivileged user, without a network,
# and see no devices and processes of this machine.
#
#   packaging/release.sh [ARCHITECTURE...]   amd64, arm64; amd64 if none is named. Needs root, because of chroot; about
#                                            10 minutes on two processors for each
#   packaging/release.sh --help              prints this
#
# DEBIAN_MIRROR=URL takes the packages of Debian 11 from there. CARGO_BUILD_JOBS=N compiles with N processes.
# Work is done in target/packages, which may be removed afterwards; what was compiled there is used again.
set -euo pipefail

fail() {
  printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 1
}
need() { command -v "$1" >/dev/null || fail "$1 is missing" "install $2"; }
step() { printf '== %s\n' "$*" >&2; }

architectures=()
for argument; do
  case $argument in
    amd64 | arm64) architectures+=("$argument") ;;
    -h | --help)
      sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
      exit
      ;;
    *) fail "argument $argument is not known" 'packaging/release.sh --help says what there is' ;;
  esac
done
[ ${#architectures[@]} -gt 0 ] || architectures=(amd64)

# What differs between architectures: names for Rust and for Debian, the loader of programs, the packages of the compiler
# for C, and what runs a program of that architecture in the root, with its package.
declare -A targets=([amd64]=x86_64-unknown-linux-gnu [arm64]=aarch64-unknown-linux-gnu)
declare -A platforms=([amd64]=x86_64-linux-gnu [arm64]=aarch64-linux-gnu)
declare -A loaders=([amd64]=ld-linux-x86-64.so.2 [arm64]=ld-linux-aarch64.so.1)
declare -A compilers=([amd64]=gcc,libc6-dev [arm64]=gcc-aarch64-linux-gnu,libc6-dev-arm64-cross,qemu-user)
declare -A emulators=([amd64]='' [arm64]=qemu-aarch64)
# The user that compiles and runs the program in the root: nobody, who owns nothing else there.
builder=65534

cd "$(dirname "$0")/.."
suite=bullseye
dist=$PWD/dist
work=$PWD/target/packages
root=$work/root
source=$work/source
vendor=$work/vendor
build=$work/build
# Named by the assets of the .deb in crates/cli/Cargo.toml, relative to the source.
stage=$source/target/package

[ "$(uname -sm)" = 'Linux x86_64' ] || fail "this is $(uname -sm), not Linux on x86_64" 'run this on such a machine'
[ "$(id -u)" -eq 0 ] || fail 'this needs root' 'run sudo env "PATH=$PATH" packaging/release.sh'
need cargo 'Rust by rustup, see https://rustup.rs'
need cargo-deb 'it by cargo install cargo-deb'
need cargo-cyclonedx 'it by cargo install cargo-cyclonedx'
need mmdebstrap 'the package mmdebstrap'
need unshare 'the package util-linux'
need mknod 'the package coreutils'
need git 'the package git'
[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] ||
  fail 'the keys of Debian are missing' 'install the package debian-archive-keyring'
# A compiler of the distribution is linked to the libraries of the distribution, and does not run in the old root.
toolchain=$(rustc --print sysroot)
for architecture in "${architectures[@]}"; do
  [ -d "$toolchain/lib/rustlib/${targets[$architecture]}/lib" ] ||
    fail "the library of Rust for $architecture is missing" "run rustup target add ${targets[$architecture]}"
done
if [ "$toolchain" = /usr ] || [ ! -x "$toolchain/bin/cargo" ]; then
  fail "the compiler in $toolchain cannot be used in another root" 'install Rust by rustup, see https://rustup.rs'
fi
changes=$(git status --porcelain)
[ -z "$changes" ] || fail 'there are changes that are not committed' 'commit or stash them: packages are made of a commit'

version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

step "source of commit $(git rev-parse --short HEAD), version $version"
rm -rf "$root" "$source" "$vendor" "$dist" "$work/deb"
mkdir -p "$work" "$build" "$dist"
# With its .git, from which the program knows its commit.
git clone --quiet --depth 1 "file://$PWD" "$source"
commit=$(git rev-parse HEAD)
cargo vendor --quiet --locked --versioned-dirs --manifest-path "$source/Cargo.toml" "$vendor" >/dev/null

step "root of Debian $suite"
mirror=()
[ -z "${DEBIAN_MIRROR:-}" ] || mirror=("$DEBIAN_MIRROR")
# Scripts and macros of a build are programs of this machine, whatever it builds for.
include=git,${compilers[amd64]}
for architecture in "${architectures[@]}"; do include+=,${compilers[$architecture]}; done
mmdebstrap --quiet --variant=minbase --include="$include" "$suite" "$root" "${mirror[@]}"
mkdir "$root"/{source,vendor,build,toolchain}
# The user of the build does not own the source, and asks for its commit.
printf '[safe]\n\tdirectory = /source\n' >"$root/etc/gitconfig"

# Runs a command in the root as an unprivileged user that gains no rights, without a network, and without devices, processes and
# kernel settings of this machine. What is mounted there is in a namespace of its own and gone at its end: nothing of it can
# be removed with the root.
in_root() {
  root=$root source=$source vendor=$vendor build=$build toolchain=$toolchain builder=$builder \
    unshare --mount --net --pid --ipc --uts --fork --kill-child bash -euc '
    mount --bind -o ro "$source" "$root/source"
    mount --bind -o ro "$vendor" "$root/vendor"
    mount --bind -o ro "$toolchain" "$root/toolchain"
    mount --bind "$build" "$root/build"
    packaging/devices.sh "$root"
    mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
    mount -o remount,ro,bind "$root/proc"
    cd "$root/source"
    exec chroot "$root" setpriv --reuid="$builder" --regid="$builder" --clear-groups --no-new-privs \
      --inh-caps=-all --bounding-set=-all "$@"
  ' in_root "$@"
}

# Of an earlier time: what the user of the root made there is not followed.
rm -rf "$build/cargo"
mkdir "$build/cargo"
chown -R --no-dereference "$builder:$builder" "$build"
cat >"$build/cargo/config.toml" <<'CONFIG'
[source.crates-io]
replace-with = "vendor"
[source.vendor]
directory = "/vendor"
CONFIG

# Ends where a file that was made in the root is a link or a device: root would read what it leads to.
plain() {
  [ -f "$1" ] && [ ! -L "$1" ] || fail "$1 is not an ordinary file" "remove $work, and look at what was compiled"
}

# Makes the packages for $architecture.
package() {
  local target=${targets[$architecture]} platform=${platforms[$architecture]} loader=${loaders[$architecture]}
  local emulator=${emulators[$architecture]}
  local name=dbdyno-$version-$platform variable=${target//-/_}

  step "program for $architecture, by $(rustc --version) in Debian $suite"
  in_root env -i PATH=/toolchain/bin:/usr/bin:/bin HOME=/build/home CARGO_HOME=/build/cargo CARGO_TARGET_DIR=/build \
    ${CARGO_BUILD_JOBS:+CARGO_BUILD_JOBS=$CARGO_BUILD_JOBS} \
    "CARGO_TARGET_${variable^^}_LINKER=$platform-gcc" "CC_$variable=$platform-gcc" "AR_$variable=$platform-ar" \
    sh -c 'cd /source && cargo build --quiet --offline --locked --profile dist --package dbdyno --target "$1"' sh "$target"
  local program=$build/$target/dist/dbdyno
  # It is read by root from here on.
  plain "$program"
  grep -qaF "$commit" "$program" || fail 'the program does not know its commit' 'see crates/cli/build.rs: git has to read /source'
  # The .deb depends on what has these libraries, see crates/cli/Cargo.toml.
  local library libraries
  libraries=$(in_root "$platform-objdump" -p "/build/$target/dist/dbdyno" | awk '$1 == "NEEDED" { print $2 }')
  for library in $libraries; do
    case $library in
      "$loader" | libc.so.6 | libdl.so.2 | libm.so.6 | libpthread.so.0 | librt.so.1 | libgcc_s.so.1) ;;
      *) fail "the program needs $library, and the .deb does not depend on it" \
        'add its package to depends in crates/cli/Cargo.toml, and the library here' ;;
    esac
  done

  step 'manual pages, completions, licences'
  rm -rf "$stage"
  mkdir -p "$stage"/{man,completions,doc}
  local run=(in_root env -i PATH=/usr/bin:/bin HOME=/build/home)
  [ -z "$emulator" ] || run+=("$emulator" -L "/usr/$platform")
  run+=("/build/$target/dist/dbdyno")
  rm -rf "$build/pages"
  install -d -o "$builder" -g "$builder" "$build/pages"
  "${run[@]}" man --out /build/pages
  local page
  for page in "$build"/pages/*; do
    plain "$page"
    install -m 644 "$page" "$stage/man/"
  done
  "${run[@]}" completions bash >"$stage/completions/dbdyno.bash"
  "${run[@]}" completions zsh >"$stage/completions/_dbdyno"
  "${run[@]}" completions fish >"$stage/completions/dbdyno.fish"
  cp "$source"/{README.md,CHANGELOG.md,LICENSE-MIT,LICENSE-APACHE} "$stage/doc"

  # The licences of the crates that are linked into the program ask for their texts beside it; each text once.
  local -A seen=()
  cargo tree --manifest-path "$source/Cargo.toml" --locked --package dbdyno --edges normal --target "$target" \
    --prefix none --format '{p}|{l}' | sed 's/ (proc-macro)//; s/ (\*)//' | grep -v '^dbdyno' | sort -u |
    while IFS='|' read -r crate licence; do
      printf '%s: %s\n\n' "$crate" "$licence"
      while read -r file; do
        hash=$(sha256sum <"$file")
        if [ -n "${seen[$hash]:-}" ]; then
          printf '%s: as %s\n\n' "$(basename "$file")" "${seen[$hash]}"
        else
          seen[$hash]="$(basename "$file") of $crate"
          printf '%s:\n\n%s\n\n' "$(basename "$file")" "$(<"$file")"
        fi
      done < <(find "$vendor/${crate/ v/-}" -maxdepth 2 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
    done >"$stage/doc/LICENSES-OF-DEPENDENCIES"
  gzip -9n <"$stage/doc/LICENSES-OF-DEPENDENCIES" >"$stage/doc/LICENSES-OF-DEPENDENCIES.gz"
  # Debian wants a changelog in a form of its own.
  printf 'dbdyno (%s) unstable; urgency=medium\n\n  * What changed: CHANGELOG.md.\n\n -- the dbdyno contributors <>  %s\n' \
    "$version" "$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")" | gzip -9n >"$stage/doc/changelog.gz"
  gzip -9n "$stage"/man/*.1

  step 'tarball'
  local tree=$work/$name
  rm -rf "$tree"
  # As below /usr/local, so that it can be unpacked there.
  install -D "$program" "$tree/bin/dbdyno"
  install -D -m 644 -t "$tree/share/man/man1" "$stage"/man/*.1.gz
  install -D -m 644 "$stage/completions/dbdyno.bash" "$tree/share/bash-completion/completions/dbdyno"
  install -D -m 644 "$stage/completions/_dbdyno" "$tree/share/zsh/site-functions/_dbdyno"
  install -D -m 644 "$stage/completions/dbdyno.fish" "$tree/share/fish/vendor_completions.d/dbdyno.fish"
  install -D -m 644 -t "$tree/share/doc/dbdyno" \
    "$stage"/doc/{README.md,CHANGELOG.md,LICENSE-MIT,LICENSE-APACHE,LICENSES-OF-DEPENDENCIES}
  tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -c "$name" |
    gzip -9n >"$dist/$name.tar.gz"
  rm -rf "$tree"

  step '.deb'
  install -D "$program" "$work/deb/$target/dist/dbdyno"
  CARGO_TARGET_DIR=$work/deb cargo deb --quiet --no-build --no-strip --profile dist --locked --target "$target" \
    --manifest-path "$source/crates/cli/Cargo.toml" --output "$dist/"

  step 'bill of materials'
  cargo cyclonedx --quiet --format json --spec-version 1.5 --target "$target" --override-filename bom \
    --manifest-path "$source/crates/cli/Cargo.toml"
  # Where the source was is of no use to others.
  sed "s|file://$source/||g; s|$source/||g; s|?download_url=file://[^\"#]*||" \
    "$source/crates/cli/bom.json" >"$dist/$name.cdx.json"
}

for architecture in "${architectures[@]}"; do package; done

(cd "$dist" && sha256sum -- * >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
rm -rf "$root" "$vendor" "$source"
if [ -n "${SUDO_UID:-}" ]; then
  chown -R --no-dereference "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$dist" "$work"
fi
ls -l "$dist"
