#!/usr/bin/env bash
# Builds the object that is embedded, and notes which source it was built from. Needs clang and llvm-strip; whoever builds
# dbdyno needs neither, because the object is checked in.
set -euo pipefail
cd "$(dirname "$0")"

for program in clang llvm-strip; do
  command -v "$program" >/dev/null || {
    printf 'error: %s is missing\nhint: apt-get install clang llvm\n' "$program" >&2
    exit 1
  }
done
clang -O2 -g -Wall -Werror -target bpf -mcpu=v3 -fdebug-prefix-map="$PWD"=. -c latency.bpf.c -o latency.bpf.o
# What is left is the code, the maps and the types (BTF) from which offsets are found.
llvm-strip -g latency.bpf.o
sha256sum latency.bpf.c latency.bpf.o >latency.sha256
