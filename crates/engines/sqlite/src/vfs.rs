//! A counting VFS: it wraps the default VFS of SQLite, delegates every call, and counts reads, writes and syncs per
//! purpose of the file.
//!
//! Each node registers one with a unique name, so that temporary files, which have no path, are counted for the right
//! node. They are created in the measured directory: SQLite's default `/var/tmp` may be on another device.

mod direct;
mod file;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

use engine::{Error, FileLayer, Kind, Result};
use libsqlite3_sys as ffi;

use crate::counter::{Purpose, Tally};
use file::File;

pub(crate) use direct::DirectFiles;

/// Data of the callbacks, in `pAppData`.
struct Context {
    /// The wrapped VFS.
    base: *mut ffi::sqlite3_vfs,
    tally: Arc<Tally>,
    direct: Arc<DirectFiles>,
    /// What is told of each change of a file that has a name.
    layer: Option<Arc<dyn FileLayer>>,
    /// Directory of temporary files.
    directory: PathBuf,
    temporary: AtomicU64,
}

/// A registered VFS; must outlive every connection that was opened with it.
pub(crate) struct Vfs {
    name: CString,
    raw: *mut ffi::sqlite3_vfs,
    context: *mut Context,
}

// SAFETY: the structures behind the pointers are written before registration and after the last use only; what
// changes in between (the tally, the number of the next temporary file) is atomic.
unsafe impl Send for Vfs {}
// SAFETY: as above.
unsafe impl Sync for Vfs {}

impl Vfs {
    /// Registers a VFS that counts in `tally`, reads database files according to `direct`, and creates temporary files
    /// in `directory`; `layer` is told of changes of the others and may refuse them.
    pub(crate) fn register(
        tally: Arc<Tally>,
        direct: Arc<DirectFiles>,
        layer: Option<Arc<dyn FileLayer>>,
        directory: &Path,
    ) -> Result<Vfs> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        set_up_library();
        // SAFETY: a null name asks for the default VFS, which is never unregistered.
        let base = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
        // SAFETY: not null, and what SQLite returns stays valid.
        let Some(wrapped_layer) = (unsafe { base.as_ref() }) else {
            return Err(Error::new(Kind::Missing, "SQLite has no VFS for this operating system"));
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = CString::new(format!("dbdyno-{number}")).unwrap_or_default();
        let directory = directory.to_owned();
        let context =
            Box::into_raw(Box::new(Context { base, tally, direct, layer, directory, temporary: AtomicU64::new(0) }));
        let raw = Box::into_raw(Box::new(wrapped(wrapped_layer, &name, context)));
        let vfs = Vfs { name, raw, context };
        // SAFETY: `raw` and what it points to live until `drop` has unregistered it.
        match unsafe { ffi::sqlite3_vfs_register(raw, 0) } {
            ffi::SQLITE_OK => Ok(vfs),
            code => Err(Error::new(Kind::Lost, format!("SQLite rejected the counting VFS with code {code}"))),
        }
    }

    /// The name to open connections with.
    pub(crate) fn name(&self) -> &CString {
        &self.name
    }
}

impl Drop for Vfs {
    fn drop(&mut self) {
        // SAFETY: both came from `Box::into_raw`; every session holds this value, so no connection uses them now.
        unsafe {
            ffi::sqlite3_vfs_unregister(self.raw);
            drop(Box::from_raw(self.raw));
            drop(Box::from_raw(self.context));
        }
    }
}

/// Process-wide settings of the library, made before its first use. Its memory statistics use one mutex for all
/// sessions, which would limit parallel readers.
fn set_up_library() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the option takes one int. If the library is already in use, it is rejected and nothing changes.
        unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0 as c_int) };
    });
}

/// The function table that wraps `layer`.
fn wrapped(layer: &ffi::sqlite3_vfs, name: &CString, context: *mut Context) -> ffi::sqlite3_vfs {
    ffi::sqlite3_vfs {
        iVersion: layer.iVersion.min(3),
        szOsFile: layer.szOsFile + size_of::<File>() as c_int,
        mxPathname: layer.mxPathname,
        pNext: ptr::null_mut(),
        zName: name.as_ptr(),
        pAppData: context.cast(),
        xOpen: Some(open),
        xDelete: layer.xDelete.and(Some(delete)),
        xAccess: layer.xAccess.and(Some(access)),
        xFullPathname: layer.xFullPathname.and(Some(full_pathname)),
        xDlOpen: layer.xDlOpen.and(Some(dl_open)),
        xDlError: layer.xDlError.and(Some(dl_error)),
        xDlSym: layer.xDlSym.and(Some(dl_sym)),
        xDlClose: layer.xDlClose.and(Some(dl_close)),
        xRandomness: layer.xRandomness.and(Some(randomness)),
        xSleep: layer.xSleep.and(Some(sleep)),
        xCurrentTime: layer.xCurrentTime.and(Some(current_time)),
        xGetLastError: layer.xGetLastError.and(Some(get_last_error)),
        xCurrentTimeInt64: layer.xCurrentTimeInt64.and(Some(current_time_int64)),
        xSetSystemCall: layer.xSetSystemCall.and(Some(set_system_call)),
        xGetSystemCall: layer.xGetSystemCall.and(Some(get_system_call)),
        xNextSystemCall: layer.xNextSystemCall.and(Some(next_system_call)),
    }
}

fn purpose(flags: c_int) -> Purpose {
    match flags & 0x000F_FF00 {
        ffi::SQLITE_OPEN_MAIN_DB => Purpose::Database,
        ffi::SQLITE_OPEN_WAL => Purpose::Log,
        ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_SUPER_JOURNAL => Purpose::Journal,
        _ => Purpose::Temporary,
    }
}

/// Opens `file` in the wrapped VFS, whose part follows ours in the same allocation.
unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes the structure that was registered; its context lives as long.
    let context = unsafe { &*(*vfs).pAppData.cast::<Context>() };
    // SAFETY: `base` is the default layer, which is never unregistered.
    let Some(base_open) = (unsafe { (*context.base).xOpen }) else { return ffi::SQLITE_CANTOPEN };
    let temporary = if name.is_null() { temporary_name(context) } else { ptr::null_mut() };
    let name = if temporary.is_null() { name } else { temporary.cast_const() };
    let purpose = purpose(flags);
    let traffic: *const _ = context.tally.shard().traffic(purpose);
    // SAFETY: SQLite allocated `szOsFile` bytes for `file`, our part and after it the part of the wrapped VFS.
    unsafe {
        let real = file::init(file, traffic, temporary);
        let code = base_open(context.base, name, real, flags, flags_out);
        file::opened(file, code);
        if code == ffi::SQLITE_OK && purpose == Purpose::Database && temporary.is_null() {
            file::enable_direct_reads(file, context.direct.file(CStr::from_ptr(name)));
        }
        let layer = context.layer.as_ref().filter(|_| code == ffi::SQLITE_OK && temporary.is_null());
        if let Some(layer) = layer {
            let path = path(name);
            if !layer.create(&path) {
                file::close_refused(file);
                return ffi::SQLITE_CANTOPEN;
            }
            file::enable_layer(file, file::LayeredFile { layer: Arc::clone(layer), path });
        }
        code
    }
}

/// A path for a temporary file, to be freed when the file is closed. The wrapped VFS unlinks it immediately.
fn temporary_name(context: &Context) -> *mut c_char {
    let number = context.temporary.fetch_add(1, Ordering::Relaxed);
    let path = context.directory.join(format!("temporary-{}-{number}", std::process::id()));
    // SQLite guarantees two terminating zeros for names passed to a VFS.
    let bytes = [path.as_os_str().as_bytes(), &[0, 0]].concat();
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// The path that `name` is.
///
/// # Safety
/// `name` is a text that ends with zero.
unsafe fn path(name: *const c_char) -> PathBuf {
    // SAFETY: as promised.
    let name = unsafe { CStr::from_ptr(name) };
    PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()))
}

unsafe extern "C" fn delete(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, sync_directory: c_int) -> c_int {
    // SAFETY: the context lives as long as the registration, the wrapped VFS for ever. Our table has this function only where the
    // wrapped VFS has it, and the arguments are passed as they came.
    unsafe {
        let context = &*(*vfs).pAppData.cast::<Context>();
        if context.layer.as_ref().is_some_and(|layer| !layer.remove(&path(name), sync_directory != 0)) {
            return ffi::SQLITE_IOERR_DELETE;
        }
        (*context.base).xDelete.unwrap_unchecked()(context.base, name, sync_directory)
    }
}

/// Functions that delegate to the wrapped VFS.
macro_rules! delegate {
    ($($function:ident = $field:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {$(
        unsafe extern "C" fn $function(vfs: *mut ffi::sqlite3_vfs $(, $argument: $kind)*) $(-> $result)? {
            // SAFETY: the context lives as long as the registration, the wrapped VFS for ever. Our table has this
            // function only where the wrapped VFS has it, and the arguments are passed as they came.
            unsafe {
                let base = (*(*vfs).pAppData.cast::<Context>()).base;
                (*base).$field.unwrap_unchecked()(base $(, $argument)*)
            }
        }
    )*};
}

type Symbol = unsafe extern "C" fn(*mut ffi::sqlite3_vfs, *mut c_void, *const c_char);

delegate! {
    access = xAccess(name: *const c_char, flags: c_int, out: *mut c_int) -> c_int;
    full_pathname = xFullPathname(name: *const c_char, size: c_int, out: *mut c_char) -> c_int;
    dl_open = xDlOpen(name: *const c_char) -> *mut c_void;
    dl_error = xDlError(size: c_int, message: *mut c_char);
    dl_sym = xDlSym(library: *mut c_void, symbol: *const c_char) -> Option<Symbol>;
    dl_close = xDlClose(library: *mut c_void);
    randomness = xRandomness(size: c_int, out: *mut c_char) -> c_int;
    sleep = xSleep(microseconds: c_int) -> c_int;
    current_time = xCurrentTime(out: *mut f64) -> c_int;
    get_last_error = xGetLastError(size: c_int, message: *mut c_char) -> c_int;
    current_time_int64 = xCurrentTimeInt64(out: *mut i64) -> c_int;
    set_system_call = xSetSystemCall(name: *const c_char, call: ffi::sqlite3_syscall_ptr) -> c_int;
    get_system_call = xGetSystemCall(name: *const c_char) -> ffi::sqlite3_syscall_ptr;
    next_system_call = xNextSystemCall(name: *const c_char) -> *const c_char;
}
