# NFS versions 3 and 4.2 from this machine to itself.
. /lab/expect.sh

modprobe -a nfsd nfs nfsv3 nfsv4
mkdir -p /run/rpc_pipefs /run/rpcbind /srv/export
mount -t nfsd nfsd /proc/fs/nfsd
mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs
mkfs.xfs -q -f /dev/$drive1
mount /dev/$drive1 /srv/export
rpcbind -w
rpc.statd
echo '/srv/export *(rw,sync,no_root_squash,no_subtree_check,insecure,fsid=1)' >/etc/exports
exportfs -ra
# Without the grace period, in which nothing is answered.
rpc.nfsd -G 10 -L 10 4
rpc.mountd

# served VERSION KIND: requests of a kind that the server has answered, by its own counters.
served() {
  case $1-$2 in
    3-READ) awk '$1 == "proc3" { print $9 }' /proc/net/rpc/nfsd ;;
    3-WRITE) awk '$1 == "proc3" { print $10 }' /proc/net/rpc/nfsd ;;
    4.2-READ) awk '$1 == "proc4ops" { print $28 }' /proc/net/rpc/nfsd ;;
    4.2-WRITE) awk '$1 == "proc4ops" { print $41 }' /proc/net/rpc/nfsd ;;
  esac
}

# counted NAME COUNTER: what a counter of the first run of a record grew by.
counted() {
  dbdyno report "/tmp/$1.jsonl" --format json |
    jq "[.runs[0].readings[] | select(.scope == \"host\" or .scope == null) | .values.$2 // empty] | max - min"
}

# near A B: they differ by at most 1 %.
near() {
  [ -n "$1" ] && [ $((($1 - $2) * 100)) -le "$2" ] && [ $((($2 - $1) * 100)) -le "$2" ] || { echo "$1 is not near $2"; return 1; }
}

for version in 3 4.2; do
  mkdir -p /mnt/nfs$version
  mount -t nfs -o vers=$version,nconnect=4,proto=tcp 127.0.0.1:/srv/export /mnt/nfs$version
  inventory /mnt/nfs$version
  expect "NFS $version has its version, transport and connections" holds \
    ".host.file_system.network | .version == \"$version\" and .transport == \"tcp\" and .connections == 4"
  for kind in READ WRITE; do
    # Each block once: 8192 requests. What is written has been laid out before, by 256 larger requests.
    case $kind in
      READ) pattern=randread counter=device_read_count before_run=0 ;;
      WRITE) pattern=randwrite counter=device_write_count before_run=256 ;;
    esac
    name=nfs$version-$kind
    printf '[job]\nrw=%s\nbs=8k\nsize=64m\niodepth=4\ndirect=1\nioengine=libaio\n' $pattern >/tmp/once.fio
    before=$(served $version $kind)
    expect "a run of $kind on NFS $version is valid" dbdyno io /tmp/once.fio --dir /mnt/nfs$version --no-html \
      --record /tmp/$name.jsonl
    after=$(served $version $kind)
    expect 'the mount saw what was asked for' is "$(found $name device_io)" pass
    expect 'and counted as many requests' near "$(counted $name $counter)" 8192
    expect 'as the server did' near $((after - before - before_run)) 8192
  done
done

# proves CONNECTIONS: the export with these numbers of connections, in /tmp/nfs.txt.
proves() {
  rm -f /tmp/proof.jsonl
  dbdyno prove nfs 127.0.0.1:/srv/export --nconnect "$1" --rounds 1 --seconds 0.3 --size 32M --no-html --dir /tmp \
    --record /tmp/proof.jsonl >/tmp/nfs.txt 2>&1
}
shares() {
  if proves 1; then cat /tmp/nfs.txt; return 1; fi
  grep -q 'has 4 connections where 1 were asked for' /tmp/nfs.txt || { cat /tmp/nfs.txt; return 1; }
}
expect 'connections of another mount are not taken for those that were asked for' shares
umount /mnt/nfs3 /mnt/nfs4.2
# has_both: four loads with 1 and with 4 connections, all of them valid.
has_both() {
  proves 1,4 && is "$(grep -cE '^(random|sequential) .* (1|4) +[0-9-]' /tmp/nfs.txt)" 8 &&
    grep -q '8 of 8 runs gave a result' /tmp/nfs.txt || { cat /tmp/nfs.txt; return 1; }
}
expect 'an export is measured with different numbers of connections' has_both
expect 'nothing of it stays mounted' is "$(grep -cE ' nfs4? ' /proc/self/mounts)" 0
expect 'and nothing stays on the export' is "$(ls /srv/export | grep -c proof)" 0
# After an end by force the mount is gone with the process, and what it made is removed by the next.
killed() {
  dbdyno prove nfs 127.0.0.1:/srv/export --nconnect 1 --rounds 3 --seconds 5 --size 32M --no-html --dir /tmp \
    --record /tmp/killed.jsonl >/tmp/nfs.txt 2>&1 &
  for _ in $(seq 600); do
    [ "$(ls /srv/export | grep -c proof)" = 0 ] || break
    sleep 0.1
  done
  kill -9 $!
  wait $! 2>/dev/null
  is "$(grep -cE ' nfs4? ' /proc/self/mounts)" 0 && is "$(ls /srv/export | grep -c proof)" 1 && proves 1,4 &&
    is "$(ls /srv/export | grep -c proof)" 0
}
expect 'an end by force leaves no mount, and the next run removes what was made' killed
finish
