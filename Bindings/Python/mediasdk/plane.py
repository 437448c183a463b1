"""One plane of a frame, looked at without a copy."""
from __future__ import annotations

from typing import Any, Iterator

from ._arguments import whole
from ._arrays import plane_rows
from ._unique import Unique
from .errors import UnsupportedError
from .formats import PlaneShape


class Plane(Unique):
    """Rows of bytes.  ``plane[y]`` is a memoryview of row y, without its padding; ``len(plane)`` the number of rows.

    Python code cannot make a memoryview of two dimensions with a distance between its rows, which is why a plane is none.
    numpy takes it as it is, without a copy: ``numpy.asarray(plane)`` has the shape (rows, row_bytes).

    Attributes:
        rows, row_bytes: its shape.
        columns, channels: a row's samples and the bytes of each: 2 for the chroma of NV12, 4 for RGBA.
        stride: bytes from one row to the next, at least row_bytes.
        readonly: whether the memory may not be written.
    """

    __slots__ = ("rows", "row_bytes", "columns", "channels", "stride", "readonly", "_memory", "_exposed", "_address")

    def __init__(self, exposed: Any, address: int, shape: PlaneShape, stride: int, readonly: bool) -> None:
        self.rows = shape.rows
        self.row_bytes = shape.row_bytes
        self.columns = shape.columns
        self.channels = shape.channels
        self.stride = stride
        self.readonly = readonly
        memory = memoryview(exposed).cast("B")
        self._memory = memory.toreadonly() if readonly else memory
        self._exposed = exposed
        self._address = address

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, row_bytes)"""
        return (self.rows, self.row_bytes)

    @property
    def memory(self) -> memoryview:
        """All bytes from the first of the first row to the last of the last row, padding between the rows included."""
        return self._memory

    @property
    def view(self) -> memoryview:
        """A memoryview of shape (rows, row_bytes).

        Raises:
            UnsupportedError: the rows are padded, and there is no numpy.
        """
        if self.stride == self.row_bytes or self.rows == 1:
            return self._memory.cast("B", (self.rows, self.row_bytes))
        try:
            import numpy
        except ImportError:
            raise UnsupportedError(f"the plane's rows are padded ({self.row_bytes} of {self.stride} bytes): a memoryview of two "
                                   "dimensions needs numpy; plane[y] and plane.memory do not") from None
        view: Any = numpy.asarray(self)
        return memoryview(view)

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, row: int) -> memoryview:
        row = whole(row, "row")
        if row < 0:
            row += self.rows
        if not 0 <= row < self.rows:
            raise IndexError(f"row {row} of a plane of {self.rows}")
        start = row * self.stride
        return self._memory[start:start + self.row_bytes]

    def __iter__(self) -> Iterator[memoryview]:
        memory, size = self._memory, self.row_bytes
        return (memory[start:start + size] for start in range(0, self.rows * self.stride, self.stride))

    def tobytes(self) -> bytes:
        """A copy of the rows, without padding."""
        return b"".join(self) if self.stride != self.row_bytes else bytes(self._memory)

    def write(self, data: Any) -> None:
        """Fills the plane from bytes, rows one after another without padding; or from a uint8 array, contiguous or not, of the shape
        (rows, row_bytes), or (rows, columns, channels).

        Raises:
            InvalidError, a ValueError: of another type, shape or size.
            ValueTypeError, a TypeError: no buffer.
            TypeError: the plane is read-only.
        """
        source = plane_rows(data, PlaneShape(self.rows, self.row_bytes, self.columns, self.channels))
        if self.stride == self.row_bytes:
            self._memory[:] = source
            return
        for number, row in enumerate(self):
            row[:] = source[number * self.row_bytes:(number + 1) * self.row_bytes]

    @property
    def __array_interface__(self) -> dict[str, Any]:
        shape: tuple[int, ...] = (self.rows, self.row_bytes)
        return {"version": 3, "typestr": "|u1", "shape": shape, "strides": (self.stride, 1), "data": (self._address, self.readonly)}

    def array(self) -> Any:
        """A numpy array of the plane, without a copy: shape (rows, columns), or (rows, columns, channels) for more channels
        than one; dtype uint8; writable when the plane is.  It keeps the frame alive."""
        import numpy
        shape = (self.rows, self.columns) if self.channels == 1 else (self.rows, self.columns, self.channels)
        strides = (self.stride, 1) if self.channels == 1 else (self.stride, self.channels, 1)
        return numpy.ndarray(shape, numpy.uint8, self._memory, strides=strides)
