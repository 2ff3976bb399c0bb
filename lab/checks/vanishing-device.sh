# A drive that is pulled while it is measured: what was measured until then is kept, and the report says what happened.
. /lab/expect.sh

controller=$(basename "$(readlink -f /sys/block/$drive1/device)")
pci=$(readlink -f /sys/class/nvme/$controller/device)

pulled() {
  (
    # Not before a run is in the record.
    until grep -qs '^{"run"' /tmp/pulled.jsonl; do sleep 0.2; done
    echo 1 >"$pci/remove"
  ) &
  dbdyno prove fabric --local /dev/$drive1 --remote /dev/$drive2 --seconds 1 --rounds 20 --dir /root --no-html \
    --record /tmp/pulled.jsonl >/tmp/pulled.txt 2>/tmp/pulled.err
  code=$?
  cat /tmp/pulled.txt /tmp/pulled.err
  [ $code -le 1 ]
}
expect 'the program ends by itself' pulled
expect 'without a panic' sh -c '! grep -q panicked /tmp/pulled.err'
# told FILTER: of the record as one document.
told() {
  dbdyno report /tmp/pulled.jsonl --format json >/tmp/pulled.json && jq -e "$1" /tmp/pulled.json >/dev/null
}
expect 'what was measured is kept' told '[.runs[] | select(.outcome.status == "done")] | length >= 1'
expect 'the run or the record says that it failed' told '.status == "failed" or any(.runs[]; .outcome.status == "failed")'
expect 'the report can be read' dbdyno report /tmp/pulled.jsonl
expect 'another proof with the same device is refused' sh -c "
  dbdyno prove fabric --local /dev/$drive1 --remote /dev/$drive2 --dir /root --no-html --record /tmp/again.jsonl 2>&1 | grep 'is not there'"
finish
