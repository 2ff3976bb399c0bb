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

for version in 3 4.2; do
  mkdir -p /mnt/nfs$version
  mount -t nfs -o vers=$version,nconnect=4,proto=tcp 127.0.0.1:/srv/export /mnt/nfs$version
  inventory /mnt/nfs$version
  expect "NFS $version has its version, transport and connections" holds \
    ".host.file_system.network | .version == \"$version\" and .transport == \"tcp\" and .connections == 4"
done
finish
