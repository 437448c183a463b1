"""One created producer or renderer."""
from __future__ import annotations

import ctypes
from ctypes import c_uint32, c_uint64
from typing import TYPE_CHECKING, Any

from . import _structs
from ._call import bounded, check, created, encode, filled, listed, number
from ._native import library
from .audio_format import AudioFormat, audio_format_of
from .audio_frame import AudioFrame
from .constants import InstanceState, Kind, Status
from .formats import VideoFormat, format_of
from .frame import Frame
from .values import Param, Scalar, native_value, python_value

if TYPE_CHECKING:
    from .engine import Engine

_destroy = library.msdk_instance_destroy


class Instance:
    """A producer or renderer, made by :meth:`Engine.create_instance` from a plugin's class.

    Its parameters are read and set like items: ``instance["path"] = "clip.y4m"``.  Attached to a stream, it is driven by the
    core; what it is attached to keeps it alive.  ``with instance:`` or :meth:`close` detaches and destroys it.

    Attributes:
        class_id: of what class it is.
    """

    def __init__(self, engine: Engine, class_id: str) -> None:
        self.class_id = class_id
        self._handle = 0
        self._handle = created(library.msdk_instance_create, engine._handle, encode(class_id, "class_id"))
        self._engine = engine
        self._renderers: dict[int, Instance] = {}
        self._closed = False
        self._params: list[Param] | None = None
        engine._objects[self._handle] = self

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Detaches it, takes it down and destroys it.  May be called again."""
        if not self._closed:
            self._closed = True
            _destroy(self._handle)
            self._renderers.clear()

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, destroy: Any = _destroy) -> None:
        if getattr(self, "_handle", 0) and not getattr(self, "_closed", True):
            destroy(self._handle)

    def release(self) -> None:
        """Ends rendering: detaches the renderer and releases it, so that what it writes is complete."""
        check(library.msdk_instance_release(self._handle))

    def state(self, kind: Kind) -> InstanceState:
        """Its state as one :class:`Kind` of those that it is."""
        return InstanceState(number(c_uint32, library.msdk_instance_state, self._handle, bounded(kind, 32, "kind")))

    # ----------------------------------------------------------------------------------------------------------- parameters

    def params(self) -> list[Param]:
        """What the class says about its parameters."""
        if self._params is None:
            self._params = self._engine.class_params(self.class_id)
        return list(self._params)

    def __setitem__(self, name: str, value: Scalar | Any) -> None:
        """Sets a parameter: bool, int, float, str, a path, bytes.

        Raises:
            NotFoundError: no such parameter.
            ValueTypeError: of another type.
            RangeError: out of range, or none of the choices.
            StateError: it cannot be set while the instance is started.
        """
        wanted = next((param.type for param in self.params() if param.name == name), None)
        native, kept = native_value(value, name, wanted)
        check(library.msdk_instance_set_param(self._handle, encode(name, "name"), native))
        del kept  # alive until here: native points into it

    def set_text(self, name: str, text: str) -> None:
        """Sets a parameter from text, read as its type: "true", "false", decimal numbers, or the text itself."""
        check(library.msdk_instance_set_param_text(self._handle, encode(name, "name"), encode(text, "text")))

    def __getitem__(self, name: str) -> Scalar:
        """Reads a parameter.

        Raises:
            NotFoundError: no such parameter.
        """
        native, needed, size = _structs.Value(), c_uint64(), 256
        wanted = encode(name, "name")
        while True:
            room = ctypes.create_string_buffer(size)
            result = library.msdk_instance_get_param(self._handle, wanted, native, room, size, needed)
            if result != Status.BUFFER_SMALL or needed.value <= size:
                check(result)
                return python_value(native)
            size = needed.value

    # ------------------------------------------------------------------------------------------------- pictures and sound

    def formats(self) -> list[VideoFormat]:
        """The formats that a producer can make; it is initialised if need be.

        Raises:
            UnsupportedError: it is no producer.
            NotFoundError, MediaIOError, ...: it cannot be initialised.
        """
        structs = listed(_structs.VideoFormat, library.msdk_instance_format_at, self._handle, never_empty=True)
        return [format_of(struct) for struct in structs]

    def audio_format(self) -> AudioFormat:
        """The format that a producer of sound makes, or prefers; it is initialised if need be.

        Raises:
            UnsupportedError: it is no producer of sound, or does not say.
        """
        return audio_format_of(filled(_structs.AudioFormat, library.msdk_instance_audio_format, self._handle))

    def attach_renderer(self, renderer: Instance) -> None:
        """Passes what a filter makes on to a renderer.  Up to 8."""
        check(library.msdk_instance_attach_renderer(self._handle, renderer._handle))
        self._renderers[renderer._handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        check(library.msdk_instance_detach_renderer(self._handle, renderer._handle))
        self._renderers.pop(renderer._handle, None)

    def render(self, frame: Frame | AudioFrame) -> None:
        """Hands a picture or a buffer of sound to a renderer that is attached to nothing, on this thread, converting it if need be.
        The frame is read-only from then on."""
        if isinstance(frame, AudioFrame):
            check(library.msdk_instance_render_audio(self._handle, frame._pointer))
        else:
            check(library.msdk_instance_render(self._handle, frame._open()))
        frame._mine = False

    def snapshot(self) -> Frame:
        """What a renderer would show now, as a new frame.

        Raises:
            UnsupportedError: it keeps no picture.
            AgainError: there is none yet.
        """
        return Frame(created(library.msdk_instance_snapshot, self._handle), None, True)

    def __repr__(self) -> str:
        return f"<Instance {self.class_id}{' closed' if self._closed else ''}>"


