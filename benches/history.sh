#!/usr/bin/env bash
# How long statistics of each form take to be read, and how much memory: a file of 200 MB is to take less than 10 s and 200 MB.
#
# Prints a line for each form: seconds, the most memory of the reader, intervals. Fails where one of them needs more than it
# should, scaled to the size.
#
#   benches/history.sh [MEGABYTES] [FORM...]      200 MB of each form
#
# Needs python3. DBDYNO set, to anything: the reader is one without optimization, and nothing is judged.
set -euo pipefail
cd "$(dirname "$0")/.."

megabytes=${1:-200}
shift || true
[ $# -gt 0 ] || set -- awr-text awr-html statspack awr-miner views status pgbadger sadf sar iostat
target=${CARGO_TARGET_DIR:-target}
if [ -n "${DBDYNO:-}" ]; then
  cargo build --quiet --locked -p dbdyno-history --example profile
  reader=$target/debug/examples/profile
else
  cargo build --release --quiet --locked -p dbdyno-history --example profile
  reader=$target/release/examples/profile
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/dbdyno-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

failed=0
for form in "$@"; do
  python3 benches/statistics_files.py "$form" "$megabytes" crates/history/tests/history/files "$work/$form"
  line=$("$reader" --time "$work/$form")
  printf '%-10s %s\n' "$form" "$line"
  rm "$work/$form"
  [ -n "${DBDYNO:-}" ] || awk -v megabytes="$megabytes" '
    { seconds = $2; kilobytes = $4 }
    END { exit seconds > megabytes / 20 + 0.5 || kilobytes > 200000 }' <<<"$line" || {
    printf 'error: %s is more than 10 s or 200 MB for 200 MB\n' "$form" >&2
    failed=1
  }
done
exit "$failed"
