# Queues of a drive: 1 to 256 I/Os in flight, 1 to 16 files of a thread, and polled queues, which complete without interrupts.
. /lab/expect.sh

controller=${drive1%n1}
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$drive1"
mkdir -p /mnt/queues
mount "/dev/$drive1" /mnt/queues

# reads DEPTH FILES [OPTION...]: random reads with DEPTH in flight in FILES files, of which the block layer has seen each.
reads() {
  depth=$1 files=$2
  shift 2
  rm -f /tmp/queues.jsonl
  cat >/tmp/queues.fio <<END
[reads]
rw=randread
ioengine=io_uring
direct=1
bs=4k
iodepth=$depth
nrfiles=$files
size=64m
time_based
runtime=1
END
  dbdyno io /tmp/queues.fio --dir /mnt/queues --no-html --record /tmp/queues.jsonl "$@" >/tmp/queues.txt 2>&1 ||
    { cat /tmp/queues.txt; return 1; }
  is "$(found queues device_io)" pass && grep -q '"modes":\["io_uring' /tmp/queues.jsonl
}
interrupts() { # so far, of the drive
  awk -v name="${controller}q" '$NF ~ name { for (column = 2; column < NF; column++) if ($column ~ /^[0-9]+$/) sum += $column } END { print sum + 0 }' /proc/interrupts
}
count() { dbdyno report /tmp/queues.jsonl --format json | jq '.runs[0].totals.operations'; }

for depth in 1 8 32 256; do
  expect "$depth in flight in one file" reads "$depth" 1
  expect "$depth in flight in 16 files" reads "$depth" 16
done

# has_interrupts: about one for each I/O. A polled run has next to none.
has_interrupts() {
  before=$(interrupts)
  reads 1 1 || return 1
  after=$(interrupts)
  [ $((2 * (after - before))) -ge "$(count)" ] || { echo "$((after - before)) interrupts, $(count) I/Os"; return 1; }
}
is_polled() {
  before=$(interrupts)
  reads "$1" 1 --polled || return 1
  after=$(interrupts)
  grep -q 'polled completion' /tmp/queues.jsonl || { echo "not polled"; return 1; }
  [ $((20 * (after - before))) -le "$(count)" ] || { echo "$((after - before)) interrupts, $(count) I/Os"; return 1; }
}
expect 'without polling each read has its interrupt' has_interrupts
expect 'polled reads have none' is_polled 1
expect '256 polled reads in flight neither' is_polled 256
finish
