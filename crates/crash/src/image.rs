//! Files and directories in memory.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::Path;
use std::time::SystemTime;

use crate::change::Change;
use crate::data::Data;

/// The number of the directory that contains all others: that of FUSE.
pub const ROOT: u64 = 1;

/// Levels of directories that are read, at most.
const LEVELS_MAX: u32 = 32;

/// What an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file.
    File(Data),
    /// A directory: numbers by names.
    Directory(BTreeMap<Vec<u8>, u64>),
    /// A symbolic link.
    Link(Vec<u8>),
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub content: Content,
    /// Permission bits.
    pub mode: u32,
    /// User.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// When it was changed.
    pub changed: SystemTime,
}

/// Why a directory could not be read into memory.
#[derive(Debug)]
pub enum ImageError {
    /// The operating system refuses.
    Refused(io::Error),
    /// It is larger than the memory that it may take.
    TooLarge {
        /// Bytes that it may take.
        bytes_max: u64,
    },
    /// It has more levels than are read.
    TooDeep,
}

impl From<io::Error> for ImageError {
    fn from(error: io::Error) -> ImageError {
        ImageError::Refused(error)
    }
}

/// Objects by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    nodes: BTreeMap<u64, Node>,
    next: u64,
}

impl Default for Image {
    fn default() -> Image {
        Image::empty()
    }
}

impl Image {
    /// A directory with nothing in it, of root.
    pub fn empty() -> Image {
        let root = Node::new(Content::Directory(BTreeMap::new()), 0o700, 0, 0);
        Image { nodes: BTreeMap::from([(ROOT, root)]), next: ROOT + 1 }
    }

    /// What is in `directory`: files, directories and symbolic links, without what else there may be.
    ///
    /// # Errors
    /// Where it cannot be read, or is larger than `bytes_max`.
    pub fn read(directory: &Path, bytes_max: u64) -> Result<Image, ImageError> {
        let mut image = Image::empty();
        let metadata = fs::symlink_metadata(directory)?;
        if let Some(root) = image.nodes.get_mut(&ROOT) {
            (root.mode, root.uid, root.gid) = (metadata.mode() & 0o7777, metadata.uid(), metadata.gid());
        }
        let mut room = bytes_max;
        image.read_into(ROOT, directory, &mut room, bytes_max, 0)?;
        Ok(image)
    }

    fn read_into(
        &mut self,
        parent: u64,
        directory: &Path,
        room: &mut u64,
        bytes_max: u64,
        level: u32,
    ) -> Result<(), ImageError> {
        if level >= LEVELS_MAX {
            return Err(ImageError::TooDeep);
        }
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let (path, metadata) = (entry.path(), fs::symlink_metadata(entry.path())?);
            let kind = metadata.file_type();
            let content = match () {
                () if kind.is_dir() => Content::Directory(BTreeMap::new()),
                () if kind.is_symlink() => Content::Link(fs::read_link(&path)?.into_os_string().into_vec()),
                () if kind.is_file() => {
                    *room = room.checked_sub(metadata.len()).ok_or(ImageError::TooLarge { bytes_max })?;
                    Content::File(Data::from(fs::read(&path)?.as_slice()))
                }
                () => continue,
            };
            let node = Node::new(content, metadata.mode() & 0o7777, metadata.uid(), metadata.gid());
            let object = self.fresh();
            self.put(parent, entry.file_name().as_bytes().to_vec(), object, node);
            if kind.is_dir() {
                self.read_into(object, &path, room, bytes_max, level + 1)?;
            }
        }
        Ok(())
    }

    /// Writes all of it into `directory`, with permissions and owners, without syncing it.
    ///
    /// # Errors
    /// Where something cannot be written.
    pub fn write_all(&self, directory: &Path) -> io::Result<()> {
        self.write_from(ROOT, directory)
    }

    fn write_from(&self, parent: u64, directory: &Path) -> io::Result<()> {
        for (name, object) in self.entries(parent) {
            let Some(node) = self.node(object) else { continue };
            let path = directory.join(std::ffi::OsStr::from_bytes(name));
            match &node.content {
                Content::File(data) => fs::write(&path, data.to_vec())?,
                Content::Directory(_) => fs::create_dir(&path)?,
                Content::Link(target) => symlink(std::ffi::OsStr::from_bytes(target), &path)?,
            }
            lchown(&path, Some(node.uid), Some(node.gid))?;
            match &node.content {
                Content::Directory(_) => self.write_from(object, &path)?,
                Content::File(_) => fs::set_permissions(&path, fs::Permissions::from_mode(node.mode))?,
                Content::Link(_) => {}
            }
        }
        match self.node(parent) {
            Some(own) => {
                lchown(directory, Some(own.uid), Some(own.gid))?;
                fs::set_permissions(directory, fs::Permissions::from_mode(own.mode))
            }
            None => Ok(()),
        }
    }

    /// A number that no object has.
    pub fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// An object.
    pub fn node(&self, object: u64) -> Option<&Node> {
        self.nodes.get(&object)
    }

    /// The number of `name` in the directory `parent`.
    pub fn lookup(&self, parent: u64, name: &[u8]) -> Option<u64> {
        match &self.node(parent)?.content {
            Content::Directory(entries) => entries.get(name).copied(),
            _ => None,
        }
    }

    /// What is in the directory `parent`, by name.
    pub fn entries(&self, parent: u64) -> impl Iterator<Item = (&[u8], u64)> {
        let entries = match self.node(parent).map(|node| &node.content) {
            Some(Content::Directory(entries)) => Some(entries),
            _ => None,
        };
        entries.into_iter().flatten().map(|(name, object)| (name.as_slice(), *object))
    }

    /// The bytes of a file; none of another object.
    pub fn data(&self, object: u64) -> Option<&Data> {
        match &self.node(object)?.content {
            Content::File(data) => Some(data),
            _ => None,
        }
    }

    /// Bytes of all its files.
    pub fn size_bytes(&self) -> u64 {
        let size = |node: &Node| match &node.content {
            Content::File(data) => data.size(),
            _ => 0,
        };
        self.nodes.values().map(size).sum()
    }

    /// Carries out a change. One that is not possible, because what it needs did not survive, has no effect.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Write { object, offset, data } => self.write(*object, *offset, data),
            Change::Truncate { object, size } => {
                if let Some(file) = self.file(*object) {
                    file.resize(*size);
                }
            }
            Change::CreateFile { parent, name, object } => {
                self.create(*parent, name, *object, Content::File(Data::default()));
            }
            Change::CreateDirectory { parent, name, object } => {
                self.create(*parent, name, *object, Content::Directory(BTreeMap::new()));
            }
            Change::CreateLink { parent, name, object, target } => {
                self.create(*parent, name, *object, Content::Link(target.clone()));
            }
            Change::Name { parent, name, object } => {
                if self.nodes.contains_key(object) {
                    self.enter(*parent, name.clone(), *object);
                }
            }
            Change::Remove { parent, name } => {
                self.leave(*parent, name);
            }
            Change::Rename { parent, name, new_parent, new_name } => {
                if let Some(object) = self.leave(*parent, name) {
                    self.enter(*new_parent, new_name.clone(), object);
                }
            }
            Change::Owner { object, mode, uid, gid } => {
                if let Some(node) = self.nodes.get_mut(object) {
                    (node.mode, node.uid, node.gid) = (*mode, *uid, *gid);
                }
            }
            Change::Sync { .. } => {}
        }
    }

    /// Writes `data` at `offset` of a file.
    pub(crate) fn write(&mut self, object: u64, offset: u64, data: &[u8]) {
        if let Some(file) = self.file(object) {
            file.write(offset, data);
        }
    }

    fn file(&mut self, object: u64) -> Option<&mut Data> {
        let node = self.nodes.get_mut(&object)?;
        node.changed = SystemTime::now();
        match &mut node.content {
            Content::File(data) => Some(data),
            _ => None,
        }
    }

    fn create(&mut self, parent: u64, name: &[u8], object: u64, content: Content) {
        let mode = if matches!(content, Content::Directory(_)) { 0o700 } else { 0o600 };
        self.put(parent, name.to_vec(), object, Node::new(content, mode, 0, 0));
    }

    fn put(&mut self, parent: u64, name: Vec<u8>, object: u64, node: Node) {
        if self.enter(parent, name, object) {
            self.nodes.insert(object, node);
            self.next = self.next.max(object + 1);
        }
    }

    /// Whether there is such a directory.
    fn enter(&mut self, parent: u64, name: Vec<u8>, object: u64) -> bool {
        match self.nodes.get_mut(&parent).map(|node| &mut node.content) {
            Some(Content::Directory(entries)) => {
                entries.insert(name, object);
                true
            }
            _ => false,
        }
    }

    /// Takes a name out of a directory; the object stays for those that have it open.
    fn leave(&mut self, parent: u64, name: &[u8]) -> Option<u64> {
        match self.nodes.get_mut(&parent).map(|node| &mut node.content) {
            Some(Content::Directory(entries)) => entries.remove(name),
            _ => None,
        }
    }

    /// Forgets objects that no name leads to.
    pub(crate) fn forget_unnamed(&mut self) {
        let mut named = std::collections::BTreeSet::from([ROOT]);
        let mut open = vec![ROOT];
        while let Some(parent) = open.pop() {
            let found: Vec<u64> = self.entries(parent).map(|(_, object)| object).collect();
            open.extend(found.into_iter().filter(|object| named.insert(*object)));
        }
        self.nodes.retain(|object, _| named.contains(object));
    }
}

impl Node {
    fn new(content: Content, mode: u32, uid: u32, gid: u32) -> Node {
        Node { content, mode, uid, gid, changed: SystemTime::UNIX_EPOCH }
    }
}
