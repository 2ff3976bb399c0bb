//! An open file: our part, followed by the file of the wrapped VFS in the same allocation.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;
use std::time::Instant;

use engine::FileLayer;
use libsqlite3_sys as ffi;

use super::direct::{DirectReader, is_read_lock, is_wal_read_lock};
use crate::counter::Traffic;

/// Our part. Its size is a multiple of 8, so that the part after it is aligned as required by SQLite.
#[repr(C, align(8))]
pub(super) struct File {
    head: ffi::sqlite3_file,
    /// Part of the tally, which the registered VFS holds.
    traffic: *const Traffic,
    /// The path of a temporary file, to which the wrapped VFS keeps a pointer.
    temporary: *mut c_char,
    /// The direct reader of the database file; null for every other file. Owned.
    direct: *mut DirectReader,
    /// What is told of changes; null where nothing is. Owned.
    layered: *mut LayeredFile,
}

/// A file whose changes are told.
pub(super) struct LayeredFile {
    pub(super) layer: Arc<dyn FileLayer>,
    pub(super) path: PathBuf,
}

/// Writes our part of `file`; returns the start of the wrapped part.
///
/// # Safety
/// `file` points to an allocation of the size that our VFS asks for.
pub(super) unsafe fn init(
    file: *mut ffi::sqlite3_file,
    traffic: *const Traffic,
    temporary: *mut c_char,
) -> *mut ffi::sqlite3_file {
    // SAFETY: the allocation begins with room for a `File`, and the other part for the wrapped VFS follows.
    unsafe {
        let head = ffi::sqlite3_file { pMethods: ptr::null() };
        file.cast::<File>().write(File { head, traffic, temporary, direct: ptr::null_mut(), layered: ptr::null_mut() });
        let real = real(file);
        (*real).pMethods = ptr::null();
        real
    }
}

/// After the wrapped VFS has opened its part: sets our function table, according to the wrapped one.
///
/// # Safety
/// `file` was passed to [`init`], and its real part to the wrapped VFS, which returned `code`.
pub(super) unsafe fn opened(file: *mut ffi::sqlite3_file, code: c_int) {
    // SAFETY: the wrapped VFS has set the functions of its part, or left them null, as `init` did.
    unsafe {
        let methods = (*real(file)).pMethods;
        if code != ffi::SQLITE_OK {
            // A file that failed to open must be closed if its function table is set; ours is not.
            if let Some(close) = methods.as_ref().and_then(|methods| methods.xClose) {
                close(real(file));
            }
            free_name(file);
            return;
        }
        let (version, shared) = ((*methods).iVersion, (*methods).xShmMap.is_some());
        (*file).pMethods = match (version, shared) {
            (3.., true) => &METHODS_3,
            (3.., false) => &METHODS_3_WITHOUT_SHARED_MEMORY,
            (2, true) => &METHODS_2,
            _ => &METHODS_1,
        };
    }
}

/// Sets the direct reader of `file`, if there is one.
///
/// # Safety
/// `file` was opened, and is not yet used.
pub(super) unsafe fn enable_direct_reads(file: *mut ffi::sqlite3_file, reader: Option<DirectReader>) {
    let reader = reader.map_or(ptr::null_mut(), |reader| Box::into_raw(Box::new(reader)));
    // SAFETY: the allocation begins with our part, whose own reader is null so far.
    unsafe { (*file.cast::<File>()).direct = reader };
}

/// Sets what is told of changes of `file`.
///
/// # Safety
/// `file` was opened, and is not yet used.
pub(super) unsafe fn enable_layer(file: *mut ffi::sqlite3_file, layered: LayeredFile) {
    // SAFETY: the allocation begins with our part, which has no layer so far.
    unsafe { (*file.cast::<File>()).layered = Box::into_raw(Box::new(layered)) };
}

/// Closes `file`, which SQLite is told could not be opened.
///
/// # Safety
/// `file` was opened, and is not yet used.
pub(super) unsafe fn close_refused(file: *mut ffi::sqlite3_file) {
    // SAFETY: as promised; without a function table SQLite does not close it again.
    unsafe {
        close(file);
        (*file).pMethods = ptr::null();
    }
}

/// Whether a change of `file` may be made, after it was told; true where nothing is told.
///
/// # Safety
/// `file` is open.
unsafe fn is_allowed(file: *mut ffi::sqlite3_file, tell: impl FnOnce(&LayeredFile) -> bool) -> bool {
    // SAFETY: null, or what `enable_layer` put there and `close` takes away.
    unsafe { (*file.cast::<File>()).layered.as_ref() }.is_none_or(tell)
}

/// The reader of `file`, if it has one.
///
/// # Safety
/// `file` is open, and no other call of the same connection goes on: SQLite uses a file from one thread at a time.
unsafe fn direct<'a>(file: *mut ffi::sqlite3_file) -> Option<&'a mut DirectReader> {
    // SAFETY: null, or what `enable_direct_reads` put there and `close` takes away.
    unsafe { (*file.cast::<File>()).direct.as_mut() }
}

/// # Safety
/// `file` was passed to [`init`].
unsafe fn real(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: the same allocation, see `init`.
    unsafe { file.cast::<File>().add(1).cast() }
}

/// # Safety
/// As for [`real`].
unsafe fn free_name(file: *mut ffi::sqlite3_file) {
    // SAFETY: the name came from `Box::into_raw` of bytes that end with two zeros, and is freed once.
    unsafe {
        let name = std::mem::replace(&mut (*file.cast::<File>()).temporary, ptr::null_mut());
        if !name.is_null() {
            let size = CStr::from_ptr(name).count_bytes() + 2;
            drop(Box::from_raw(ptr::slice_from_raw_parts_mut(name.cast::<u8>(), size)));
        }
    }
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: every file has a function to close it; after it nothing uses the name.
    unsafe {
        let real = real(file);
        let code = (*(*real).pMethods).xClose.unwrap_unchecked()(real);
        let reader = std::mem::replace(&mut (*file.cast::<File>()).direct, ptr::null_mut());
        if !reader.is_null() {
            drop(Box::from_raw(reader));
        }
        let layered = std::mem::replace(&mut (*file.cast::<File>()).layered, ptr::null_mut());
        if !layered.is_null() {
            drop(Box::from_raw(layered));
        }
        free_name(file);
        code
    }
}

/// A short read beyond the end, which SQLite does only to detect an empty file, is counted without bytes.
unsafe extern "C" fn read(file: *mut ffi::sqlite3_file, to: *mut c_void, size: c_int, offset: i64) -> c_int {
    // SAFETY: every file has a function to read; the arguments are passed as they came; the tally outlives files.
    unsafe {
        let real = real(file);
        let start = Instant::now();
        let is_read = direct(file).is_some_and(|reader| {
            reader.read(std::slice::from_raw_parts_mut(to.cast(), usize::try_from(size).unwrap_or(0)), offset)
        });
        let code = match is_read {
            true => ffi::SQLITE_OK,
            false => (*(*real).pMethods).xRead.unwrap_unchecked()(real, to, size, offset),
        };
        let elapsed = start.elapsed();
        let reads = &(*(*file.cast::<File>()).traffic).reads;
        match code {
            ffi::SQLITE_OK => reads.add(size as u64, elapsed),
            ffi::SQLITE_IOERR_SHORT_READ => reads.add(0, elapsed),
            _ => {}
        }
        code
    }
}

unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, from: *const c_void, size: c_int, offset: i64) -> c_int {
    // SAFETY: as for `read`.
    unsafe {
        let bytes = std::slice::from_raw_parts(from.cast(), usize::try_from(size).unwrap_or(0));
        let at = u64::try_from(offset).unwrap_or(0);
        if !is_allowed(file, |layered| layered.layer.write(&layered.path, at, bytes)) {
            return ffi::SQLITE_IOERR_WRITE;
        }
        let real = real(file);
        let start = Instant::now();
        let code = changing(file, || (*(*real).pMethods).xWrite.unwrap_unchecked()(real, from, size, offset));
        if code == ffi::SQLITE_OK {
            (*(*file.cast::<File>()).traffic).writes.add(size as u64, start.elapsed());
        }
        code
    }
}

/// Calls a function that changes the file.
///
/// # Safety
/// As for [`direct`].
unsafe fn changing(file: *mut ffi::sqlite3_file, change: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: as promised.
    match unsafe { direct(file) } {
        Some(reader) => reader.writing(change),
        None => change(),
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    // SAFETY: as for `read`.
    unsafe {
        if !is_allowed(file, |layered| layered.layer.truncate(&layered.path, u64::try_from(size).unwrap_or(0))) {
            return ffi::SQLITE_IOERR_TRUNCATE;
        }
        let real = real(file);
        changing(file, || (*(*real).pMethods).xTruncate.unwrap_unchecked()(real, size))
    }
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: as for `read`.
    unsafe {
        let real = real(file);
        if is_read_lock(level) {
            direct(file).into_iter().for_each(DirectReader::start);
        }
        (*(*real).pMethods).xLock.unwrap_unchecked()(real, level)
    }
}

unsafe extern "C" fn shm_lock(file: *mut ffi::sqlite3_file, offset: c_int, count: c_int, flags: c_int) -> c_int {
    // SAFETY: our table has this function only where the wrapped VFS shares memory; otherwise as for `read`.
    unsafe {
        let real = real(file);
        if is_wal_read_lock(flags) {
            direct(file).into_iter().for_each(DirectReader::start);
        }
        (*(*real).pMethods).xShmLock.unwrap_unchecked()(real, offset, count, flags)
    }
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: as for `read`.
    unsafe {
        if !is_allowed(file, |layered| layered.layer.sync(&layered.path)) {
            return ffi::SQLITE_IOERR_FSYNC;
        }
        let real = real(file);
        let start = Instant::now();
        let code = (*(*real).pMethods).xSync.unwrap_unchecked()(real, flags);
        if code == ffi::SQLITE_OK {
            (*(*file.cast::<File>()).traffic).syncs.add(0, start.elapsed());
        }
        code
    }
}

unsafe extern "C" fn fetch(file: *mut ffi::sqlite3_file, offset: i64, size: c_int, out: *mut *mut c_void) -> c_int {
    // SAFETY: our table has this function only where the wrapped VFS is of version 3.
    unsafe {
        let real = real(file);
        let start = Instant::now();
        let code = (*(*real).pMethods).xFetch.unwrap_unchecked()(real, offset, size, out);
        if code == ffi::SQLITE_OK && !(*out).is_null() {
            (*(*file.cast::<File>()).traffic).mapped.add(size as u64, start.elapsed());
        }
        code
    }
}

/// Functions that delegate to the wrapped VFS.
macro_rules! delegate {
    ($($function:ident = $field:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {$(
        unsafe extern "C" fn $function(file: *mut ffi::sqlite3_file $(, $argument: $kind)*) $(-> $result)? {
            // SAFETY: `opened` gave the file a table that has this function only where the wrapped VFS has it; the
            // arguments are passed as they came.
            unsafe {
                let real = real(file);
                (*(*real).pMethods).$field.unwrap_unchecked()(real $(, $argument)*)
            }
        }
    )*};
}

delegate! {
    file_size = xFileSize(out: *mut i64) -> c_int;
    unlock = xUnlock(level: c_int) -> c_int;
    check_reserved_lock = xCheckReservedLock(out: *mut c_int) -> c_int;
    file_control = xFileControl(operation: c_int, argument: *mut c_void) -> c_int;
    sector_size = xSectorSize() -> c_int;
    device_characteristics = xDeviceCharacteristics() -> c_int;
    shm_map = xShmMap(region: c_int, size: c_int, extend: c_int, out: *mut *mut c_void) -> c_int;
    shm_barrier = xShmBarrier();
    shm_unmap = xShmUnmap(delete: c_int) -> c_int;
    unfetch = xUnfetch(offset: i64, page: *mut c_void) -> c_int;
}

const METHODS_1: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

const METHODS_2: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    ..METHODS_1
};

const METHODS_3: ffi::sqlite3_io_methods =
    ffi::sqlite3_io_methods { iVersion: 3, xFetch: Some(fetch), xUnfetch: Some(unfetch), ..METHODS_2 };

/// For journals and temporary files, which are not shared.
const METHODS_3_WITHOUT_SHARED_MEMORY: ffi::sqlite3_io_methods =
    ffi::sqlite3_io_methods { iVersion: 3, xFetch: Some(fetch), xUnfetch: Some(unfetch), ..METHODS_1 };
