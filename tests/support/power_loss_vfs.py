"""A disk that forgets what was not synced, put under SQLite without a compiler.

A VFS is SQLite's view of the operating system. Ours is a copy of the default one, made with
ctypes in the very library that the driver brings, with two of its functions replaced (open and
delete), and of each open file four (write, truncate, sync and close). All else, locks and shared
memory too, goes to the system straight. What passes is kept as a disk would have it:

- What was written to a file is on disk once that file was synced. Until then each sector of 512
  bytes may be there or not, in any mixture; a truncation likewise.
- That a name was made or deleted is on disk once its folder was synced. SQLite does so at the
  first sync of a new journal or log, and at those deletions for which it asks.
- When the power is cut, at a chosen operation, every later one fails. `after_power_loss` then
  writes the files as they may be found: nothing unsynced, or a random part of it.

Files are told apart by inode, so a log that was deleted and made anew without its folder being
synced may come back as the old one. What Python itself does to files goes unseen, except that a
file which it made before SQLite opened it counts as new.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Lock

from sqlcipher3 import _sqlite3 as driver

SECTOR = 512
OK, IOERR, FULL = 0, 10, 13
NEW_NAME_IS_SYNCED = 0x00000800 | 0x00080000 | 0x00004000  # a journal, a log, a super-journal

_lib = ctypes.CDLL(driver.__file__)
_lib.sqlite3_vfs_find.restype = ctypes.c_void_p
_lib.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
_lib.sqlite3_vfs_register.argtypes = [ctypes.c_void_p, ctypes.c_int]
_lib.sqlite3_vfs_unregister.argtypes = [ctypes.c_void_p]

_ptr, _int, _i64 = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
_Open = ctypes.CFUNCTYPE(_int, _ptr, _ptr, _ptr, _int, _ptr)
_Delete = ctypes.CFUNCTYPE(_int, _ptr, _ptr, _int)
_Close = ctypes.CFUNCTYPE(_int, _ptr)
_Write = ctypes.CFUNCTYPE(_int, _ptr, _ptr, _int, _i64)
_Truncate = ctypes.CFUNCTYPE(_int, _ptr, _i64)
_Sync = ctypes.CFUNCTYPE(_int, _ptr, _int)


class _Vfs(ctypes.Structure):
    """sqlite3_vfs, version 3 (https://sqlite.org/c3ref/vfs.html)."""

    _fields_ = (
        ("iVersion", _int),
        ("szOsFile", _int),
        ("mxPathname", _int),
        ("pNext", _ptr),
        ("zName", ctypes.c_char_p),
        ("pAppData", _ptr),
        ("xOpen", _Open),
        ("xDelete", _Delete),
        ("others", _ptr * 14),
    )


class _Methods(ctypes.Structure):
    """sqlite3_io_methods, version 3 (https://sqlite.org/c3ref/io_methods.html)."""

    _fields_ = (
        ("iVersion", _int),
        ("xClose", _Close),
        ("xRead", _ptr),
        ("xWrite", _Write),
        ("xTruncate", _Truncate),
        ("xSync", _Sync),
        ("others", _ptr * 13),
    )


@dataclass(eq=False)
class _Inode:
    """A file's bytes on disk, and the changes to it that only memory holds, oldest first.

    A change is an offset with the bytes written there, or a new size with None.
    """

    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)

    def sync(self) -> None:
        """All that is pending is on disk."""
        self._apply(self.durable, lambda: True)
        self.pending.clear()

    def found(self, kept: Callable[[], bool]) -> bytearray:
        """The bytes on disk, with those changes that `kept` says yes to, sector by sector."""
        content = bytearray(self.durable)
        self._apply(content, kept)
        return content

    def size(self) -> int:
        return len(self.found(lambda: True))

    def _apply(self, content: bytearray, kept: Callable[[], bool]) -> None:
        for offset, data in self.pending:
            if data is None:
                if kept():
                    del content[offset:]
                    content.extend(bytes(offset - len(content)))
                continue
            for start in range(0, len(data), SECTOR):
                if kept():
                    sector, at = data[start : start + SECTOR], offset + start
                    content.extend(bytes(max(0, at - len(content))))
                    content[at : at + len(sector)] = sector


class Disk:
    """The disk below one folder. `operations` counts what would have changed it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._names = {file.name: _Inode(bytearray(file.read_bytes())) for file in folder.iterdir()}
        self._durable_names = dict(self._names)
        self._new_names_to_sync: set[_Inode] = set()
        self._full_at: int | None = None
        self._off_at: int | None = None
        self.operations = 0

    @property
    def is_off(self) -> bool:
        return self._off_at is not None and self.operations >= self._off_at

    def cut_power_at(self, operation: int) -> None:
        """Fail at the `operation`th from the start, and at each after it."""
        self._off_at = operation

    def fill(self, free_bytes: int | None) -> None:
        """Let files below the folder grow by `free_bytes` more in all; None: as they like."""
        self._full_at = None if free_bytes is None else self._size() + free_bytes

    def after_power_loss(self, folder: Path, random: Random | None) -> None:
        """Write the files into `folder` as they may be found: without `random`, none of what was
        not synced; with it, a random part.
        """
        share = random.random() if random else 0.0

        def kept() -> bool:
            return random is not None and random.random() < share

        for name in {*self._names, *self._durable_names}:
            names = self._names if kept() else self._durable_names
            inode = names.get(name)
            if inode is not None:
                (folder / name).write_bytes(inode.found(kept))

    def opened(self, name: str, flags: int) -> _Inode:
        with self._lock:
            if name not in self._names:
                self._names[name] = _Inode()
                if flags & NEW_NAME_IS_SYNCED:
                    self._new_names_to_sync.add(self._names[name])
            return self._names[name]

    def wrote(self, inode: _Inode, offset: int, data: bytes) -> int:
        with self._lock:
            if self._full_at is not None:
                grows = max(0, offset + len(data) - inode.size())
                if grows and self._size() + grows > self._full_at:
                    return FULL
            if not self.is_off:
                inode.pending.append((offset, data))
            return self._count()

    def truncated(self, inode: _Inode, size: int) -> int:
        with self._lock:
            if not self.is_off:
                inode.pending.append((size, None))
            return self._count()

    def synced(self, inode: _Inode) -> int:
        with self._lock:
            if self._count() == IOERR:
                return IOERR
            inode.sync()
            if inode in self._new_names_to_sync:
                self._new_names_to_sync.remove(inode)
                self._durable_names = dict(self._names)
            return OK

    def deleted(self, name: str, *, sync_folder: bool) -> int:
        with self._lock:
            if self._count() == IOERR:
                return IOERR
            self._names.pop(name, None)
            if sync_folder:
                self._durable_names = dict(self._names)
            return OK

    def _size(self) -> int:
        return sum(inode.size() for inode in self._names.values())

    def _count(self) -> int:
        """What the operation that is under way has to answer."""
        self.operations += 1
        return IOERR if self.is_off else OK


class _Shim:
    """The functions that SQLite calls. They must live as long as a file is open."""

    def __init__(self, disk: Disk, folder: Path, system: _Vfs) -> None:
        self._disk = disk
        self._folder = str(folder.resolve())
        self._system = system
        self._methods: dict[int, _Methods] = {}
        self._originals: dict[int, _Methods] = {}
        self._files: dict[int, _Inode] = {}
        self.vfs = _Vfs()
        ctypes.memmove(ctypes.byref(self.vfs), ctypes.byref(system), ctypes.sizeof(_Vfs))
        self.vfs.zName = b"power-loss"
        self.vfs.xOpen = _Open(self._open)
        self.vfs.xDelete = _Delete(self._delete)

    def _open(self, vfs: int, name: int | None, file: int, flags: int, out: int | None) -> int:
        rc: int = self._system.xOpen(vfs, name, file, flags, out)
        ours = self._name(name)
        if rc == OK and ours is not None:
            self._files[file] = self._disk.opened(ours, flags)
            self._take_over(file)
        return rc

    def _name(self, name: int | None) -> str | None:
        """The name of a file right below our folder, or None."""
        path = Path(ctypes.string_at(name).decode()) if name else None
        return path.name if path and str(path.parent) == self._folder else None

    def _take_over(self, file: int) -> None:
        """Put our functions in the place of four of the system's, in this file only."""
        pointer = ctypes.c_void_p.from_address(file)
        address = pointer.value
        assert address is not None
        if address not in self._methods:
            ours, original = _Methods(), _Methods.from_address(address)
            ctypes.memmove(ctypes.byref(ours), ctypes.byref(original), ctypes.sizeof(_Methods))
            ours.xClose = _Close(self._close)
            ours.xWrite = _Write(self._write)
            ours.xTruncate = _Truncate(self._truncate)
            ours.xSync = _Sync(self._sync)
            self._methods[address] = ours
            self._originals[ctypes.addressof(ours)] = original
        pointer.value = ctypes.addressof(self._methods[address])

    def _original(self, file: int) -> _Methods:
        address = ctypes.c_void_p.from_address(file).value
        assert address is not None
        return self._originals[address]

    def _close(self, file: int) -> int:
        self._files.pop(file)
        rc: int = self._original(file).xClose(file)
        return rc

    def _write(self, file: int, data: int, amount: int, offset: int) -> int:
        rc = self._disk.wrote(self._files[file], offset, ctypes.string_at(data, amount))
        return rc or self._original(file).xWrite(file, data, amount, offset)

    def _truncate(self, file: int, size: int) -> int:
        rc = self._disk.truncated(self._files[file], size)
        return rc or self._original(file).xTruncate(file, size)

    def _sync(self, file: int, flags: int) -> int:
        # what the real disk below does is of no interest here, and slow
        return self._disk.synced(self._files[file])

    def _delete(self, vfs: int, name: int, sync_folder: int) -> int:
        ours = self._name(name)
        rc = self._disk.deleted(ours, sync_folder=bool(sync_folder)) if ours is not None else OK
        return rc or self._system.xDelete(vfs, name, 0)


@contextmanager
def forgetful_disk(folder: Path) -> Iterator[Disk]:
    """Have SQLite use such a disk below `folder`. Close what was opened before you leave."""
    disk = Disk(folder)
    default = _lib.sqlite3_vfs_find(None)
    shim = _Shim(disk, folder, _Vfs.from_address(default))
    _lib.sqlite3_vfs_register(ctypes.addressof(shim.vfs), 1)
    try:
        yield disk
    finally:
        _lib.sqlite3_vfs_register(default, 1)
        _lib.sqlite3_vfs_unregister(ctypes.addressof(shim.vfs))
        assert not shim._files, "a database is still open on this disk"
