# Cache devices: dm-cache and bcache, known with their parts, and held against what these take.
. /lab/expect.sh

# proves DIRECTORY: what its cache serves and whether the two-level model holds, in a sentence.
proves() {
  dbdyno prove volume --dir "$1" --size 16M --seconds 0.7 --rounds 1 --no-html --record "/tmp/proof$(basename "$1").jsonl" \
    >/tmp/proof.txt 2>&1 || { cat /tmp/proof.txt; return 1; }
  tr -s ' \n' ' ' </tmp/proof.txt >/tmp/proof.line
  grep -q 'the cache serves .* the two-level model says' /tmp/proof.line || { cat /tmp/proof.txt; return 1; }
  ! grep -q 'sum of its members' /tmp/proof.line || { cat /tmp/proof.txt; return 1; }
}

# shows RECORD PART...: the record has reads of each PART during its run.
shows() {
  local name=$1 part
  shift
  for part; do
    dbdyno report "/tmp/$name.jsonl" --format json |
      jq -e ".runs[0].storage.members[] | select(.name == \"$part\") | .read_count > 0" >/dev/null ||
      { echo "no reads of $part"; dbdyno report "/tmp/$name.jsonl" --format json | jq -c '.runs[0].storage.members'; return 1; }
  done
}

# counts RECORD: the cache device counted reads during the run.
counts() {
  dbdyno report "/tmp/$1.jsonl" --format json | jq -e '.runs[0].storage.cache | .read_hits + .read_misses > 0' >/dev/null ||
    { dbdyno report "/tmp/$1.jsonl" --format json | jq -c '.runs[0].storage.cache'; return 1; }
}

number() { cat "/sys/class/block/$1/dev"; }

modprobe -a dm-mod dm-cache dm-cache-smq
# Metadata and cache are partitions of one drive.
printf '2048,32768\n34816,262144\n' | sfdisk -q "/dev/$drive1"
udevadm settle
metadata=${drive1}p1 cache=${drive1}p2
dd if=/dev/zero of="/dev/$metadata" bs=4k count=4 2>/dev/null
dmsetup create cached --table "0 $(cat "/sys/block/$drive2/size") cache $(number "$metadata") $(number "$cache") \
$(number "$drive2") 128 1 writethrough smq 0"
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/cached
mkdir -p /mnt/cached
mount /dev/mapper/cached /mnt/cached
inventory /mnt/cached
expect 'a dm-cache is known with its parts' holds \
  ".host.devices[0].cache == {technique: \"dm-cache\", mode: \"writethrough\", origin: \"$drive2\",
    caches: [\"$cache\"], metadata: \"$metadata\", block_bytes: 65536}"
tr -s ' \n' ' ' </tmp/inventory.txt >/tmp/inventory.line
expect 'it is drawn with them' grep -q "dm-cache, writethrough, .*cache $cache, origin $drive2, metadata $metadata" /tmp/inventory.line
expect 'it is held against its tiers, and not their sum' proves /mnt/cached
expect 'by its own counters' grep -q 'by its own counters' /tmp/proof.line
expect 'it can be measured' measures /mnt/cached cached
expect 'and counts hits and misses itself' counts cached
expect 'with what its origin did' shows cached "$drive2"
umount /mnt/cached
dmsetup remove cached

modprobe bcache
dd if=/dev/zero of="/dev/$drive3" bs=1M count=2 2>/dev/null
dd if=/dev/zero of="/dev/$cache" bs=1M count=2 2>/dev/null
# With larger buckets there are too few of them for a cache.
make-bcache --writeback --bucket 64k -B "/dev/$drive3" -C "/dev/$cache" >/dev/null
for device in "$drive3" "$cache"; do echo "/dev/$device" >/sys/fs/bcache/register 2>/dev/null; done
for _ in $(seq 50); do
  [ "$(cat /sys/block/bcache0/bcache/state 2>/dev/null)" = clean ] && break
  sleep 0.1
done
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/bcache0
mkdir -p /mnt/bcache
mount /dev/bcache0 /mnt/bcache
inventory /mnt/bcache
expect 'a bcache is known with its parts' holds \
  ".host.devices[0].cache | .technique == \"bcache\" and .mode == \"writeback\" and .origin == \"$drive3\" and
    .caches == [\"$cache\"]"
expect 'it is held against its tiers, and not their sum' proves /mnt/bcache
expect 'it can be measured' measures /mnt/bcache bcache
expect 'with what its cache did' shows bcache "$cache"
finish
