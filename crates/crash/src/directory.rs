//! A volume as a directory: requests of the kernel (FUSE) become changes of the volume.
//!
//! The kernel hands on each write before it answers the program, and keeps no dirty page of its own, so that the log has the
//! writes in their order. A file opened with O_SYNC or O_DSYNC is synced by the kernel after each write.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::MutexGuard;
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner,
    OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyStatfs,
    ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use crate::change::Change;
use crate::image::{Content, Image, Node};
use crate::volume::{SharedVolume, Volume};

/// How long the kernel may keep what it was told: nobody else changes it.
const TTL: Duration = Duration::from_secs(3600);

/// Block size that is told.
const BLOCK_BYTES: u32 = 4096;

/// Blocks that are told to be free: as many as a log may hold.
const FREE_BLOCKS: u64 = 1 << 19;

/// The largest file.
const FILE_BYTES_MAX: u64 = 4 << 30;

/// The directory of a volume.
pub(crate) struct Directory(pub(crate) SharedVolume);

type Answer<T> = Result<T, Errno>;

impl Directory {
    /// The volume, once there is power; without it no answer is given until the mount has ended.
    fn volume(&self) -> Answer<MutexGuard<'_, Volume>> {
        self.0.powered().ok_or(Errno::ENODEV)
    }

    fn change(&self, change: Change) -> Answer<()> {
        let changed = self.volume()?.change(change);
        changed.or_else(|_| {
            // Where the power went off with this change, it has no answer either.
            drop(self.volume()?);
            Err(Errno::ENOSPC)
        })
    }

    fn attributes(&self, object: u64) -> Answer<FileAttr> {
        let volume = self.volume()?;
        volume.live().node(object).map(|node| attributes(object, node)).ok_or(Errno::ENOENT)
    }

    fn lookup(&self, parent: u64, name: &OsStr) -> Answer<FileAttr> {
        let found = self.volume()?.live().lookup(parent, name.as_bytes()).ok_or(Errno::ENOENT)?;
        self.attributes(found)
    }

    /// Makes an object that `made` says, of the user of `request`.
    fn make(
        &self,
        request: &Request,
        parent: u64,
        name: &OsStr,
        mode: u32,
        made: impl FnOnce(Vec<u8>, u64) -> Change,
    ) -> Answer<FileAttr> {
        let mut volume = self.volume()?;
        if volume.live().lookup(parent, name.as_bytes()).is_some() {
            return Err(Errno::EEXIST);
        }
        let object = volume.fresh();
        let owner = Change::Owner { object, mode: mode & 0o7777, uid: request.uid(), gid: request.gid() };
        for change in [made(name.as_bytes().to_vec(), object), owner] {
            volume.change(change).map_err(|_| Errno::ENOSPC)?;
        }
        volume.live().node(object).map(|node| attributes(object, node)).ok_or(Errno::ENOENT)
    }

    fn remove(&self, parent: u64, name: &OsStr, is_directory: bool) -> Answer<()> {
        let mut volume = self.volume()?;
        let object = volume.live().lookup(parent, name.as_bytes()).ok_or(Errno::ENOENT)?;
        refuse_removal(volume.live(), object, is_directory)?;
        volume.change(Change::Remove { parent, name: name.as_bytes().to_vec() }).map_err(|_| Errno::ENOSPC)
    }

    fn rename(&self, from: (u64, &OsStr), to: (u64, &OsStr), flags: RenameFlags) -> Answer<()> {
        let mut volume = self.volume()?;
        let live = volume.live();
        let object = live.lookup(from.0, from.1.as_bytes()).ok_or(Errno::ENOENT)?;
        if let Some(replaced) = live.lookup(to.0, to.1.as_bytes()) {
            if flags.contains(RenameFlags::RENAME_NOREPLACE) {
                return Err(Errno::EEXIST);
            }
            refuse_removal(live, replaced, is_directory(live, object))?;
        }
        if flags.bits() & !RenameFlags::RENAME_NOREPLACE.bits() != 0 {
            return Err(Errno::EINVAL);
        }
        let change = Change::Rename {
            parent: from.0,
            name: from.1.as_bytes().to_vec(),
            new_parent: to.0,
            new_name: to.1.as_bytes().to_vec(),
        };
        volume.change(change).map_err(|_| Errno::ENOSPC)
    }

    fn set_attributes(
        &self,
        object: u64,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
    ) -> Answer<FileAttr> {
        let mut volume = self.volume()?;
        let node = volume.live().node(object).ok_or(Errno::ENOENT)?;
        let owner = Change::Owner {
            object,
            mode: mode.map_or(node.mode, |mode| mode & 0o7777),
            uid: uid.unwrap_or(node.uid),
            gid: gid.unwrap_or(node.gid),
        };
        if mode.is_some() || uid.is_some() || gid.is_some() {
            volume.change(owner).map_err(|_| Errno::ENOSPC)?;
        }
        if let Some(size) = size {
            if size > FILE_BYTES_MAX {
                return Err(Errno::EFBIG);
            }
            volume.change(Change::Truncate { object, size }).map_err(|_| Errno::ENOSPC)?;
        }
        volume.live().node(object).map(|node| attributes(object, node)).ok_or(Errno::ENOENT)
    }

    /// Space is given by a larger size alone: other modes are left to the program.
    fn allocate(&self, object: u64, offset: u64, length: u64, mode: i32) -> Answer<()> {
        let mut volume = self.volume()?;
        let size = volume.live().data(object).ok_or(Errno::ENOENT)?.size();
        let end = offset.checked_add(length).filter(|end| *end <= FILE_BYTES_MAX).ok_or(Errno::EFBIG)?;
        match mode {
            0 if end > size => volume.change(Change::Truncate { object, size: end }).map_err(|_| Errno::ENOSPC),
            0 => Ok(()),
            _ => Err(Errno::EOPNOTSUPP),
        }
    }
}

fn is_directory(image: &Image, object: u64) -> bool {
    image.node(object).is_some_and(|node| matches!(node.content, Content::Directory(_)))
}

fn refuse_removal(image: &Image, object: u64, wants_directory: bool) -> Answer<()> {
    match (is_directory(image, object), wants_directory) {
        (true, false) => Err(Errno::EISDIR),
        (false, true) => Err(Errno::ENOTDIR),
        (true, true) if image.entries(object).next().is_some() => Err(Errno::ENOTEMPTY),
        _ => Ok(()),
    }
}

fn kind(node: &Node) -> FileType {
    match node.content {
        Content::File(_) => FileType::RegularFile,
        Content::Directory(_) => FileType::Directory,
        Content::Link(_) => FileType::Symlink,
    }
}

fn attributes(object: u64, node: &Node) -> FileAttr {
    let size = match &node.content {
        Content::File(data) => data.size(),
        Content::Directory(_) => u64::from(BLOCK_BYTES),
        Content::Link(target) => target.len() as u64,
    };
    FileAttr {
        ino: INodeNo(object),
        size,
        blocks: size.div_ceil(512),
        atime: node.changed,
        mtime: node.changed,
        ctime: node.changed,
        crtime: node.changed,
        kind: kind(node),
        perm: (node.mode & 0o7777) as u16,
        nlink: if matches!(node.content, Content::Directory(_)) { 2 } else { 1 },
        uid: node.uid,
        gid: node.gid,
        rdev: 0,
        blksize: BLOCK_BYTES,
        flags: 0,
    }
}

/// Answers with what was found.
macro_rules! answer {
    ($reply:ident, $found:expr, $then:expr) => {
        match $found {
            Ok(found) => $then(found),
            Err(error) => $reply.error(error),
        }
    };
}

impl Filesystem for Directory {
    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        answer!(reply, self.lookup(parent.0, name), |found: FileAttr| reply.entry(&TTL, &found, Generation(0)));
    }

    fn getattr(&self, _request: &Request, object: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        answer!(reply, self.attributes(object.0), |found: FileAttr| reply.attr(&TTL, &found));
    }

    fn setattr(
        &self,
        _request: &Request,
        object: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        _read_at: Option<TimeOrNow>,
        _changed_at: Option<TimeOrNow>,
        _status_at: Option<SystemTime>,
        _handle: Option<FileHandle>,
        _created_at: Option<SystemTime>,
        _flagged_at: Option<SystemTime>,
        _saved_at: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        answer!(reply, self.set_attributes(object.0, mode, uid, gid, size), |found: FileAttr| reply.attr(&TTL, &found));
    }

    fn readlink(&self, _request: &Request, object: INodeNo, reply: ReplyData) {
        let target = self.volume().and_then(|volume| match volume.live().node(object.0).map(|node| &node.content) {
            Some(Content::Link(target)) => Ok(target.clone()),
            _ => Err(Errno::EINVAL),
        });
        answer!(reply, target, |target: Vec<u8>| reply.data(&target));
    }

    fn mknod(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _device: u32,
        reply: ReplyEntry,
    ) {
        // Type bits of a regular file, or none: sockets and devices are no data.
        if !matches!(mode & 0o170_000, 0 | 0o100_000) {
            return reply.error(Errno::EPERM);
        }
        let parent = parent.0;
        let made =
            self.make(request, parent, name, mode & !umask, |name, object| Change::CreateFile { parent, name, object });
        answer!(reply, made, |found: FileAttr| reply.entry(&TTL, &found, Generation(0)));
    }

    fn mkdir(&self, request: &Request, parent: INodeNo, name: &OsStr, mode: u32, umask: u32, reply: ReplyEntry) {
        let parent = parent.0;
        let made = self.make(request, parent, name, mode & !umask, |name, object| Change::CreateDirectory {
            parent,
            name,
            object,
        });
        answer!(reply, made, |found: FileAttr| reply.entry(&TTL, &found, Generation(0)));
    }

    fn unlink(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(reply, self.remove(parent.0, name, false), |()| reply.ok());
    }

    fn rmdir(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(reply, self.remove(parent.0, name, true), |()| reply.ok());
    }

    fn symlink(&self, request: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let (parent, target) = (parent.0, target.as_os_str().as_bytes().to_vec());
        let made =
            self.make(request, parent, name, 0o777, |name, object| Change::CreateLink { parent, name, object, target });
        answer!(reply, made, |found: FileAttr| reply.entry(&TTL, &found, Generation(0)));
    }

    fn rename(
        &self,
        _request: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        answer!(reply, self.rename((parent.0, name), (new_parent.0, new_name), flags), |()| reply.ok());
    }

    fn link(&self, _request: &Request, object: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let (object, parent) = (object.0, parent.0);
        let taken = self.lookup(parent, name).is_ok();
        let named = match taken {
            true => Err(Errno::EEXIST),
            false => self.change(Change::Name { parent, name: name.as_bytes().to_vec(), object }),
        };
        answer!(reply, named.and_then(|()| self.attributes(object)), |found: FileAttr| reply.entry(
            &TTL,
            &found,
            Generation(0)
        ));
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        let parent = parent.0;
        let made =
            self.make(request, parent, name, mode & !umask, |name, object| Change::CreateFile { parent, name, object });
        answer!(reply, made, |found: FileAttr| reply.created(
            &TTL,
            &found,
            Generation(0),
            FileHandle(0),
            FopenFlags::empty()
        ));
    }

    fn read(
        &self,
        _request: &Request,
        object: INodeNo,
        _handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let volume = match self.volume() {
            Ok(volume) => volume,
            Err(error) => return reply.error(error),
        };
        match volume.live().data(object.0) {
            Some(data) => reply.data(&data.read(offset, size as usize)),
            None => reply.error(Errno::EISDIR),
        }
    }

    fn write(
        &self,
        _request: &Request,
        object: INodeNo,
        _handle: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let is_room = offset.checked_add(data.len() as u64).is_some_and(|end| end <= FILE_BYTES_MAX);
        let written = match is_room {
            true => self.change(Change::Write { object: object.0, offset, data: data.into() }),
            false => Err(Errno::EFBIG),
        };
        answer!(reply, written, |()| reply.written(data.len() as u32));
    }

    fn flush(&self, _request: &Request, _object: INodeNo, _handle: FileHandle, _owner: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _request: &Request, object: INodeNo, _handle: FileHandle, _data_alone: bool, reply: ReplyEmpty) {
        answer!(reply, self.change(Change::Sync { object: object.0 }), |()| reply.ok());
    }

    fn fsyncdir(&self, _request: &Request, object: INodeNo, _handle: FileHandle, _data_alone: bool, reply: ReplyEmpty) {
        answer!(reply, self.change(Change::Sync { object: object.0 }), |()| reply.ok());
    }

    fn readdir(
        &self,
        _request: &Request,
        object: INodeNo,
        _handle: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let volume = match self.volume() {
            Ok(volume) => volume,
            Err(error) => return reply.error(error),
        };
        let live = volume.live();
        let own: [(&[u8], u64); 2] = [(b".", object.0), (b"..", object.0)];
        let all = own.into_iter().chain(live.entries(object.0));
        let places = (1u64..).zip(all).skip(usize::try_from(offset).unwrap_or(usize::MAX));
        for (place, (name, found)) in places {
            let kind = live.node(found).map_or(FileType::RegularFile, kind);
            if reply.add(INodeNo(found), place, kind, OsStr::from_bytes(name)) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _request: &Request, _object: INodeNo, reply: ReplyStatfs) {
        reply.statfs(2 * FREE_BLOCKS, FREE_BLOCKS, FREE_BLOCKS, 1 << 20, 1 << 19, BLOCK_BYTES, 255, BLOCK_BYTES);
    }

    fn fallocate(
        &self,
        _request: &Request,
        object: INodeNo,
        _handle: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        answer!(reply, self.allocate(object.0, offset, length, mode), |()| reply.ok());
    }
}
