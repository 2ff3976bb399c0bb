#!/usr/bin/env bash
# What a list of many records costs: one record, copied under other names and starts, served from a directory.
#
# Printed: size of the directory, time until the server is ready, resident memory then and at most, and the times of a list page, of a
# filtered one, of the page of a record and of the list as JSON, medians of 11 requests each.
#
#   benches/serve.sh [RECORDS]     10000
#
# Needs python3 and curl. DBDYNO names another program than target/release/dbdyno.
set -euo pipefail
cd "$(dirname "$0")/.."

records=${1:-10000}
dbdyno=${DBDYNO:-$PWD/target/release/dbdyno}
work=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/records"
"$dbdyno" run --preset smoke --tests T611,T616,C11 --jobs 1,2 --dir "$work" --record "$work/one.jsonl" --quiet --no-html >/dev/null 2>&1 || true

python3 - "$work" "$records" <<'PY'
import json, pathlib, sys
work, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
head, rest = (work / "one.jsonl").read_text().split("\n", 1)
head = json.loads(head)
for number in range(count):
    start = f"2026-{1 + number // 2800 % 12:02}-{1 + number // 100 % 28:02}T{number // 60 % 24:02}:{number % 60:02}:00.{number % 1000:03}Z"
    head["head"]["id"], head["head"]["started_at"] = f"dbdyno-{number}", start
    head["head"]["host"]["host_name"] = f"db{number % 7}"
    (work / "records" / f"dbdyno-{number}.jsonl").write_text(json.dumps(head, separators=(",", ":")) + "\n" + rest)
PY
printf 'records: %s of %s bytes\n' "$records" "$(stat -c %s "$work/records/dbdyno-0.jsonl")"

begun=${EPOCHREALTIME/[.,]/}
"$dbdyno" serve "$work/records" --listen 127.0.0.1:0 >"$work/out" 2>&1 &
server=$!
until grep -qs '://' "$work/out"; do
  kill -0 "$server" || { cat "$work/out"; exit 1; }
  sleep 0.05
done
printf 'ready after %d ms\n' $(((${EPOCHREALTIME/[.,]/} - begun) / 1000))
printf 'resident: %s\n' "$(awk '/VmHWM/ {most = $2} /VmRSS/ {print $2, "kB, at most", most, "kB"}' "/proc/$server/status")"
root=$(grep -o 'http://[^/]*/' "$work/out")
one=$(curl -s "${root}api/v1/records" | python3 -c 'import json, sys; print(json.load(sys.stdin)["records"][0]["id"])')
for target in '' '?host=db3&text=T611' "r/$one" api/v1/records; do
  for _ in $(seq 11); do curl -s -o /dev/null -w '%{time_total} %{size_download}\n' "$root$target"; done |
    sort -n | awk -v target="/$target" 'NR == 6 {printf "%-24s %7.1f ms  %d bytes\n", target, $1 * 1000, $2}'
done
printf 'resident: %s\n' "$(awk '/VmHWM/ {most = $2} /VmRSS/ {print $2, "kB, at most", most, "kB"}' "/proc/$server/status")"
