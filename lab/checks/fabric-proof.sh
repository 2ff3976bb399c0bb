# What a fabric costs: a drive of this machine against the same drive through a target, and against itself.
. /lab/expect.sh

# proof ROUNDS LOCAL REMOTE: the verdict of reads that are in flight alone.
proof() {
  rm -f /tmp/proof.jsonl
  dbdyno prove fabric --local "$2" --remote "$3" --seconds 0.3 --rounds "$1" --dir /root --no-html \
    --record /tmp/proof.jsonl >/tmp/proof.txt 2>&1
  tr -s ' \n' ' ' </tmp/proof.txt | sed -n 's/.*single random reads of 8 KiB: [^:]*: \([A-Z]*\).*/\1/p'
}

# below: the network to the target, measured by the same command.
below() {
  dbdyno network serve --listen 127.0.0.1:5250 >/tmp/peer.txt 2>&1 &
  sleep 1
  dbdyno prove fabric --local "$1" --remote "$2" --network 127.0.0.1:5250 --seconds 0.3 --rounds 3 --dir /root --no-html \
    --record /tmp/network.jsonl >/tmp/network.txt 2>&1
  kill %1
  tr -s ' \n' ' ' </tmp/network.txt |
    grep -qE 'network: a round trip takes [0-9.]+ [^ ]*s \(N11\); [0-9.]+ MB/s from the target at most \(N22\), of which large reads took [0-9.]+ %' ||
    { sed -n '/^results/,/^validity/p' /tmp/network.txt; return 1; }
}

# on_target: what the fabric costs the processors of the target's host. This guest is both hosts: with another boot it is
# another machine to dbdyno.
on_target() {
  echo 00000000-0000-4000-8000-000000000001 >/tmp/boot-id
  cat >/tmp/other-machine <<'END'
#!/bin/sh
exec unshare -m sh -c 'mount --bind /tmp/boot-id /proc/sys/kernel/random/boot_id && exec "$@"' sh "$@"
END
  chmod +x /tmp/other-machine
  dbdyno prove fabric --local "$1" --remote "$2" --observe-storage "target via=/tmp/other-machine dir=$1" --seconds 0.3 \
    --rounds 5 --dir /root --no-html --record /tmp/target.jsonl >/tmp/target.txt 2>&1
  tr -s ' \n' ' ' </tmp/target.txt | grep -qE '; \+[0-9.]+ [^ ]*s( \[[0-9.]+ [^ ]*s, [0-9.]+ [^ ]*s\])? more on the host of the target' ||
    { sed -n '/^results/,/^validity/p' /tmp/target.txt; tail -3 /tmp/target.txt; return 1; }
}

# adds_time: the interval of what the fabric adds to a single read excludes 0.
adds_time() {
  tr -s ' \n' ' ' </tmp/proof.txt | grep -qE 'single random reads of 8 KiB: \+[0-9.]+ [^ ]*s \[[0-9.]+ [^ ]*s, [0-9.]+ [^ ]*s\]' ||
    { sed -n '/^results/,/^validity/p' /tmp/proof.txt; return 1; }
}

expect 'a target' dbdyno fabric target /dev/$drive1 --apply
expect 'a connection' dbdyno fabric connect --apply
remote=$(sed -n 's/^ *device *//p' /tmp/expect.out)
expect 'the fabric is slower' is "$(proof 5 /dev/$drive1 "$remote")" SLOWER
expect 'by an interval without 0' adds_time
expect 'the network below it is measured' below /dev/$drive1 "$remote"
expect 'the host of the target is counted' on_target /dev/$drive1 "$remote"
expect 'all is removed' dbdyno fabric remove --apply

equal=0
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  case $(proof 3 /dev/$drive1 /dev/$drive1) in EQUIVALENT | INCONCLUSIVE) equal=$((equal + 1)) ;; esac
done
expect "a drive is not slower than itself in 9 of 10 ($equal)" [ $equal -ge 9 ]
finish
