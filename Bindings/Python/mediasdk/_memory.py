"""Memory on both sides of the border: Python's buffers for C, and C's memory for Python."""
from __future__ import annotations

import ctypes
from collections import deque
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_ssize_t, c_ubyte, c_uint32, c_void_p, py_object
from functools import lru_cache
from typing import Any

from ._native import library
from .errors import InvalidError

_get_references = library.msdk_video_frame_get_references
_unref = library.msdk_video_frame_unref


def video_references(pointer: int, get: Any = _get_references) -> int:
    """How many references there are to a frame; 0 for one that is not alive."""
    count = c_uint32()
    return count.value if get(pointer, byref(count)) >= 0 else 0


class _PyBuffer(Structure):
    """Py_buffer of the C API, stable since Python 3.3."""

    _fields_ = [("buf", c_void_p), ("obj", c_void_p), ("len", c_ssize_t), ("itemsize", c_ssize_t), ("readonly", c_int),
                ("ndim", c_int), ("format", c_char_p), ("shape", POINTER(c_ssize_t)), ("strides", POINTER(c_ssize_t)),
                ("suboffsets", POINTER(c_ssize_t)), ("internal", c_void_p)]


_CONTIGUOUS, _STRIDED = 0, 0x18  # PyBUF_SIMPLE, PyBUF_STRIDES
_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = (py_object, POINTER(_PyBuffer), c_int)
_get_buffer.restype = c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = (POINTER(_PyBuffer),)
_release_buffer.restype = None


class Buffer:
    """The memory of a Python object, held: a bytearray cannot be resized nor an mmap closed meanwhile.

    Attributes:
        address: of the first byte.
        size: bytes of the elements, without the gaps of a strided buffer.
    """

    __slots__ = ("_raw", "address", "size")

    def __init__(self, source: Any, strided: bool = False) -> None:
        raw = _PyBuffer()
        try:
            _get_buffer(source, raw, _STRIDED if strided else _CONTIGUOUS)
        except TypeError:
            raise InvalidError(f"a {type(source).__name__} is not a buffer; bytes, bytearray, memoryview, a numpy array and all "
                               "others with the buffer protocol are accepted") from None
        except (BufferError, ValueError) as error:
            raise InvalidError(f"the {type(source).__name__}'s memory cannot be used as it is: {error}") from None
        self._raw = raw
        self.address: int = raw.buf or 0
        self.size: int = raw.len

    def rows(self) -> tuple[int, int, int]:
        """(rows, bytes in a row, bytes from one row to the next) of a strided buffer of two or more dimensions; of one of one
        dimension (1, size, size)."""
        raw = self._raw
        shape, strides = raw.shape[:raw.ndim], raw.strides[:raw.ndim]
        inner = raw.itemsize
        for length, stride in zip(reversed(shape[1:]), reversed(strides[1:])):
            if stride != inner and length > 1:
                raise InvalidError(f"the elements of a row lie {stride} bytes apart, not {inner}: rows without gaps are accepted")
            inner *= length
        if len(shape) < 2:
            if shape and shape[0] > 1 and strides[0] != inner:
                raise InvalidError(f"the elements lie {strides[0]} bytes apart, not {inner}: without gaps and in their order they are accepted")
            return (1, self.size, self.size)
        return (shape[0], inner, strides[0])

    def __del__(self) -> None:
        raw = getattr(self, "_raw", None)
        if raw is not None:
            _release_buffer(raw)


class Held:
    """One reference to a frame of any kind, given back when the last object, memoryview or array that looks into it is gone."""

    __slots__ = ("pointer", "_unref")

    def __init__(self, pointer: int, unref: Any = _unref) -> None:
        self.pointer = pointer
        self._unref = unref

    def __del__(self) -> None:
        self._unref(self.pointer)


# Frames in Python's memory that Python has let go of and the SDK has not, with what holds the memory.  One reference to each is
# kept, so that the pointer stays that frame's.
_lent: deque[tuple[int, Any]] = deque()


def give_up(pointer: int, memory: Any, references: Any = video_references, unref: Any = _unref, lent: Any = _lent) -> None:
    """Gives back a reference to a frame in Python's memory, which is let go of now, or when the SDK has done with it."""
    if references(pointer) > 1:
        lent.append((pointer, memory))
    else:
        unref(pointer)


class HeldBuffers:
    """One reference to a frame in memory of Python's.  The memory has to outlive every reference, also those of the SDK's."""

    __slots__ = ("pointer", "buffers")

    def __init__(self, pointer: int, buffers: tuple[Buffer, ...]) -> None:
        self.pointer = pointer
        self.buffers = buffers

    def __del__(self, give_up: Any = give_up) -> None:
        give_up(self.pointer, self.buffers)


def take_back_lent() -> int:
    """Gives up the memory that the SDK no longer reads; returns of how many frames it still does."""
    for _ in range(len(_lent)):
        try:
            entry = _lent.popleft()
        except IndexError:  # another thread was here too
            break
        if video_references(entry[0]) > 1:
            _lent.append(entry)
        else:
            _unref(entry[0])
    return len(_lent)


@lru_cache(maxsize=64)
def _array_type(size: int) -> Any:
    return c_ubyte * size


def exposed(address: int, size: int, held: object) -> Any:
    """Memory of C's as an object with the buffer protocol, which keeps `held` alive as long as it is referenced."""
    array = _array_type(size).from_address(address)
    array.held = held
    return array
