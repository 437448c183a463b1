"""Finds and loads libmediasdk.so, and declares its functions.

The library is looked for in this order:

1. the environment variable MEDIASDK_LIBRARY, a file or a directory with libmediasdk.so in it; if it is set, nothing else is tried;
2. beside this package;
3. where the system's dynamic linker looks.

Functions that can wait are called through CDLL, which lets other Python threads run meanwhile.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from . import _structs as s

_NAMES = ("libmediasdk.so.0", "libmediasdk.so")

_handle = c_void_p  # handles are tokens: plain integers in Python
_frame = c_void_p
_text = c_char_p
_callback = c_void_p  # always None: no foreign thread enters the interpreter

# name: (result, arguments...)
DECLARATIONS: dict[str, tuple[Any, ...]] = {
    # error.h
    "msdk_version": (c_char_p,),
    "msdk_status_string": (c_char_p, c_int32),
    "msdk_last_error": (c_char_p,),
    # time.h
    "msdk_time_monotonic": (c_int64,),
    "msdk_time_to_ticks": (c_int64, c_int64),
    "msdk_time_from_ticks": (c_int64, c_int64),
    "msdk_time_to_units": (c_int64, c_int64, c_uint32),
    "msdk_time_from_units": (c_int64, c_int64, c_uint32),
    # engine.h
    "msdk_engine_create": (c_int32, POINTER(s.EngineOptions), POINTER(c_void_p)),
    "msdk_engine_destroy": (None, _handle),
    "msdk_engine_now": (c_int64, _handle),
    "msdk_engine_advance_clock": (c_int32, _handle, c_int64),
    "msdk_engine_set_log_callback": (c_int32, _handle, c_int32, _callback, c_void_p),
    "msdk_engine_load_plugin": (c_int32, _handle, _text),
    "msdk_engine_add_plugin_dir": (c_int32, _handle, _text, POINTER(c_uint32)),
    "msdk_engine_load_default_plugins": (c_int32, _handle, POINTER(c_uint32)),
    "msdk_engine_register_module": (c_int32, _handle, c_void_p),
    "msdk_engine_class_at": (c_int32, _handle, c_uint32, POINTER(s.ClassInfo)),
    "msdk_engine_class_param_at": (c_int32, _handle, _text, c_uint32, POINTER(s.Param)),
    "msdk_engine_class_command_at": (c_int32, _handle, _text, c_uint32, POINTER(s.Command)),
    "msdk_engine_set_codec_param": (c_int32, _handle, _text, _text, POINTER(s.Value)),
    "msdk_engine_set_codec_param_text": (c_int32, _handle, _text, _text, _text),
    "msdk_engine_stats_get": (c_int32, _handle, POINTER(s.EngineStats)),
    # frame.h
    "msdk_frame_layout_get": (c_int32, c_uint32, c_uint32, c_uint32, c_uint32, POINTER(s.FrameLayout)),
    "msdk_video_frame_create": (c_int32, POINTER(s.VideoFormat), POINTER(c_void_p)),
    "msdk_video_frame_wrap": (c_int32, POINTER(s.ExternalFrame), POINTER(c_void_p)),
    "msdk_video_frame_ref": (c_int32, _frame),
    "msdk_video_frame_unref": (c_int32, _frame),
    "msdk_video_frame_references": (c_uint32, _frame),
    "msdk_video_frame_convert": (c_int32, _frame, POINTER(s.VideoFormat), POINTER(c_void_p)),
    "msdk_video_frame_convert_into": (c_int32, _frame, _frame),
    "msdk_audio_frame_create": (c_int32, POINTER(s.AudioFormat), c_uint32, POINTER(c_void_p)),
    "msdk_audio_frame_ref": (c_int32, _frame),
    "msdk_audio_frame_unref": (c_int32, _frame),
    "msdk_audio_frame_references": (c_uint32, _frame),
    "msdk_audio_frame_position": (c_int32, _frame, c_int64, POINTER(c_int64)),
    "msdk_encoded_frame_create": (c_int32, POINTER(s.EncodedFrame), POINTER(c_void_p)),
    "msdk_encoded_frame_ref": (c_int32, _frame),
    "msdk_encoded_frame_unref": (c_int32, _frame),
    # view.h
    "msdk_view_place": (c_int32, POINTER(s.View), c_uint32, c_uint32, c_uint32, POINTER(s.Placement)),
    "msdk_video_frame_compose": (c_int32, _frame, POINTER(s.View), POINTER(c_void_p)),
    "msdk_incoming_video_attach_view": (c_int32, _handle, _handle, POINTER(s.View)),
    "msdk_outgoing_video_attach_view": (c_int32, _handle, _handle, POINTER(s.View)),
    "msdk_session_start_screen_view": (c_int32, _handle, c_char_p, _handle, POINTER(s.View)),
    "msdk_session_stop_screen_view": (c_int32, _handle, c_char_p, _handle),
    # network.h
    "msdk_outgoing_video_network_stats": (c_int32, _handle, POINTER(s.OutboundStats)),
    "msdk_outgoing_audio_network_stats": (c_int32, _handle, POINTER(s.OutboundStats)),
    "msdk_incoming_video_network_stats": (c_int32, _handle, POINTER(s.InboundStats)),
    "msdk_incoming_audio_network_stats": (c_int32, _handle, POINTER(s.InboundStats)),
    # incoming_audio.h
    "msdk_incoming_audio_start": (c_int32, _handle, POINTER(s.IncomingAudioOptions)),
    "msdk_incoming_audio_stop": (c_int32, _handle),
    "msdk_incoming_audio_state": (c_int32, _handle, POINTER(c_uint32)),
    "msdk_incoming_audio_read": (c_int32, _handle, c_uint32, POINTER(c_void_p)),
    "msdk_incoming_audio_read_encoded": (c_int32, _handle, c_uint32, POINTER(c_void_p)),
    "msdk_incoming_audio_fd": (c_int32, _handle, POINTER(c_int32)),
    "msdk_incoming_audio_set_frame_callback": (c_int32, _handle, _callback, c_void_p),
    "msdk_incoming_audio_add_filter": (c_int32, _handle, _handle),
    "msdk_incoming_audio_remove_filter": (c_int32, _handle, _handle),
    "msdk_incoming_audio_attach_renderer": (c_int32, _handle, _handle),
    "msdk_incoming_audio_detach_renderer": (c_int32, _handle, _handle),
    "msdk_incoming_audio_set_gain": (c_int32, _handle, c_double),
    "msdk_incoming_audio_stats_get": (c_int32, _handle, POINTER(s.IncomingAudioStats)),
    # incoming_video.h
    "msdk_incoming_video_start": (c_int32, _handle, POINTER(s.IncomingVideoOptions)),
    "msdk_incoming_video_stop": (c_int32, _handle),
    "msdk_incoming_video_state": (c_int32, _handle, POINTER(c_uint32)),
    "msdk_incoming_video_read": (c_int32, _handle, c_uint32, POINTER(c_void_p)),
    "msdk_incoming_video_read_encoded": (c_int32, _handle, c_uint32, POINTER(c_void_p)),
    "msdk_incoming_video_fd": (c_int32, _handle, POINTER(c_int32)),
    "msdk_incoming_video_set_frame_callback": (c_int32, _handle, _callback, c_void_p),
    "msdk_incoming_video_add_filter": (c_int32, _handle, _handle),
    "msdk_incoming_video_remove_filter": (c_int32, _handle, _handle),
    "msdk_incoming_video_attach_renderer": (c_int32, _handle, _handle),
    "msdk_incoming_video_detach_renderer": (c_int32, _handle, _handle),
    "msdk_incoming_video_request_key_frame": (c_int32, _handle),
    "msdk_incoming_video_stats_get": (c_int32, _handle, POINTER(s.IncomingVideoStats)),
    # instance.h
    "msdk_instance_create": (c_int32, _handle, _text, POINTER(c_void_p)),
    "msdk_instance_create_with": (c_int32, _handle, _text, POINTER(s.InstanceOptions), POINTER(c_void_p)),
    "msdk_instance_containment": (c_int32, _handle, POINTER(c_uint32)),
    "msdk_instance_is_isolated": (c_int32, _handle, POINTER(c_uint32)),
    "msdk_instance_destroy": (None, _handle),
    "msdk_instance_set_param": (c_int32, _handle, _text, POINTER(s.Value)),
    "msdk_instance_set_param_text": (c_int32, _handle, _text, _text),
    "msdk_instance_get_param": (c_int32, _handle, _text, POINTER(s.Value), c_void_p, c_uint64, POINTER(c_uint64)),
    "msdk_instance_param_choice_at": (c_int32, _handle, _text, c_uint32, POINTER(s.Choice), c_void_p, c_uint64, POINTER(c_uint64)),
    "msdk_instance_next_event": (c_int32, _handle, c_uint32, POINTER(s.InstanceEvent)),
    "msdk_instance_set_event_callback": (c_int32, _handle, _callback, c_void_p),
    "msdk_instance_call": (c_int32, _handle, _text, POINTER(s.Value), c_uint32, POINTER(s.Value)),
    "msdk_instance_state": (c_int32, _handle, c_uint32, POINTER(c_uint32)),
    "msdk_instance_format_at": (c_int32, _handle, c_uint32, POINTER(s.VideoFormat)),
    "msdk_instance_audio_format": (c_int32, _handle, POINTER(s.AudioFormat)),
    "msdk_instance_attach_renderer": (c_int32, _handle, _handle),
    "msdk_instance_detach_renderer": (c_int32, _handle, _handle),
    "msdk_instance_render": (c_int32, _handle, _frame),
    "msdk_instance_render_audio": (c_int32, _handle, _frame),
    "msdk_instance_release": (c_int32, _handle),
    "msdk_instance_snapshot": (c_int32, _handle, POINTER(c_void_p)),
    # outgoing_audio.h
    "msdk_outgoing_audio_create": (c_int32, _handle, POINTER(s.OutgoingAudioOptions), POINTER(c_void_p)),
    "msdk_outgoing_audio_destroy": (None, _handle),
    "msdk_outgoing_audio_state": (c_int32, _handle, POINTER(c_uint32)),
    "msdk_outgoing_audio_format": (c_int32, _handle, POINTER(s.AudioFormat)),
    "msdk_outgoing_audio_expected_buffer_size": (c_int32, _handle, POINTER(c_uint64)),
    "msdk_outgoing_audio_send": (c_int32, _handle, c_void_p, c_uint64, c_int64, c_uint32, _callback, c_void_p),
    "msdk_outgoing_audio_send_encoded": (c_int32, _handle, _frame, c_int64, c_uint32, _callback, c_void_p),
    "msdk_outgoing_audio_queued": (c_int32, _handle, POINTER(c_int64)),
    "msdk_outgoing_audio_flush": (c_int32, _handle),
    "msdk_outgoing_audio_wait_played": (c_int32, _handle, c_uint32),
    "msdk_outgoing_audio_read_report": (c_int32, _handle, c_uint32, POINTER(s.FrameReport)),
    "msdk_outgoing_audio_set_muted": (c_int32, _handle, c_uint32),
    "msdk_outgoing_audio_set_gain": (c_int32, _handle, c_double),
    "msdk_outgoing_audio_set_bitrate": (c_int32, _handle, c_uint32),
    "msdk_outgoing_audio_set_expected_loss": (c_int32, _handle, c_uint32),
    "msdk_outgoing_audio_add_filter": (c_int32, _handle, _handle),
    "msdk_outgoing_audio_remove_filter": (c_int32, _handle, _handle),
    "msdk_outgoing_audio_attach_producer": (c_int32, _handle, _handle),
    "msdk_outgoing_audio_set_encoded_callback": (c_int32, _handle, _callback, c_void_p),
    "msdk_outgoing_audio_stats_get": (c_int32, _handle, POINTER(s.OutgoingAudioStats)),
    # outgoing_video.h
    "msdk_video_limit_at": (c_int32, c_uint32, c_uint32, c_uint32, POINTER(s.VideoLimit)),
    "msdk_video_limit_check": (c_int32, c_uint32, c_uint32, POINTER(s.VideoFormat)),
    "msdk_outgoing_video_create": (c_int32, _handle, POINTER(s.OutgoingVideoOptions), POINTER(c_void_p)),
    "msdk_outgoing_video_destroy": (None, _handle),
    "msdk_outgoing_video_state": (c_int32, _handle, POINTER(c_uint32)),
    "msdk_outgoing_video_sender": (c_int32, _handle, POINTER(c_void_p)),
    "msdk_outgoing_video_set_bitrate": (c_int32, _handle, c_uint64, c_uint64, c_uint64),
    "msdk_outgoing_video_set_frame_rate": (c_int32, _handle, c_uint32, c_uint32),
    "msdk_outgoing_video_request_key_frame": (c_int32, _handle),
    "msdk_outgoing_video_add_filter": (c_int32, _handle, _handle),
    "msdk_outgoing_video_remove_filter": (c_int32, _handle, _handle),
    "msdk_outgoing_video_attach_producer": (c_int32, _handle, _handle),
    "msdk_outgoing_video_attach_renderer": (c_int32, _handle, _handle),
    "msdk_outgoing_video_detach_renderer": (c_int32, _handle, _handle),
    "msdk_frame_sender_format": (c_int32, _handle, POINTER(s.VideoFormat)),
    "msdk_frame_sender_acquire": (c_int32, _handle, c_uint32, POINTER(c_void_p)),
    "msdk_frame_sender_send": (c_int32, _handle, _frame, c_int64, _callback, c_void_p),
    "msdk_frame_sender_send_encoded": (c_int32, _handle, _frame, c_int64, _callback, c_void_p),
    "msdk_outgoing_video_read_report": (c_int32, _handle, c_uint32, POINTER(s.FrameReport)),
    "msdk_outgoing_video_set_encoded_callback": (c_int32, _handle, _callback, c_void_p),
    "msdk_outgoing_video_stats_get": (c_int32, _handle, POINTER(s.OutgoingVideoStats)),
    # room.h
    "msdk_room_configure": (c_int32, _handle, _text, POINTER(s.RoomOptions)),
    "msdk_room_next_request": (c_int32, _handle, _text, c_uint32, POINTER(s.AccessRequest)),
    "msdk_room_answer": (c_int32, _handle, _text, c_uint64, c_int32, c_uint32),
    "msdk_room_script_network": (c_int32, _handle, _text, POINTER(s.NetworkScript)),
    # hub.h
    "msdk_room_open_hub": (c_int32, _handle, _text, POINTER(s.HubOptions), POINTER(s.HubInfo)),
    "msdk_room_hub_info": (c_int32, _handle, _text, POINTER(s.HubInfo)),
    "msdk_room_close_hub": (c_int32, _handle, _text),
    # rtp.h
    "msdk_session_set_srtp_keys": (c_int32, _handle, c_void_p, c_uint64, c_void_p, c_uint64),
    "msdk_session_set_remote_sdp": (c_int32, _handle, c_uint32, _text),
    "msdk_session_local_sdp": (c_int32, _handle, _text, c_uint64, POINTER(c_uint64)),
    # session.h
    "msdk_session_create": (c_int32, _handle, POINTER(s.SessionOptions), POINTER(c_void_p)),
    "msdk_session_destroy": (None, _handle),
    "msdk_session_connect": (c_int32, _handle),
    "msdk_session_disconnect": (c_int32, _handle),
    "msdk_session_state": (c_int32, _handle, POINTER(c_uint32)),
    "msdk_session_participants": (c_int32, _handle, POINTER(s.Participant), c_uint32, POINTER(c_uint32)),
    "msdk_session_remove_participant": (c_int32, _handle, _text, _text),
    "msdk_session_mute_participant": (c_int32, _handle, _text, c_uint32),
    "msdk_session_next_event": (c_int32, _handle, c_uint32, POINTER(s.Event)),
    "msdk_session_event_fd": (c_int32, _handle, POINTER(c_int32)),
    "msdk_session_set_event_callback": (c_int32, _handle, _callback, c_void_p),
    "msdk_session_start_video": (c_int32, _handle, _handle),
    "msdk_session_stop_video": (c_int32, _handle, _handle),
    "msdk_session_start_audio": (c_int32, _handle, _handle),
    "msdk_session_stop_audio": (c_int32, _handle, _handle),
    "msdk_session_mixed_audio": (c_int32, _handle, POINTER(c_void_p)),
    "msdk_session_attach_renderer": (c_int32, _handle, _handle, POINTER(s.SessionRendererOptions)),
    "msdk_session_detach_renderer": (c_int32, _handle, _handle),
    "msdk_session_stats_get": (c_int32, _handle, POINTER(s.SessionStats)),
    "msdk_session_stats_json": (c_int32, _handle, _text, c_uint64, POINTER(c_uint64)),
    # ingest.h
    "msdk_session_set_ingest": (c_int32, _handle, POINTER(s.IngestOptions)),
    "msdk_session_ingest_port": (c_int32, _handle, POINTER(c_uint32)),
}


def _candidates() -> list[str]:
    chosen = os.environ.get("MEDIASDK_LIBRARY")
    if chosen:
        path = Path(chosen)
        return [str(path / "libmediasdk.so" if path.is_dir() else path.absolute())]
    beside = Path(__file__).resolve().parent
    return [str(beside / name) for name in _NAMES if (beside / name).exists()] + list(_NAMES)


def _load() -> ctypes.CDLL:
    reasons = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            reasons.append(f"  {name}: {error}")
    raise ImportError("libmediasdk.so cannot be loaded; MEDIASDK_LIBRARY may name the file.  Tried:\n" + "\n".join(reasons))


def _declare(loaded: ctypes.CDLL) -> ctypes.CDLL:
    for name, (result, *arguments) in DECLARATIONS.items():
        try:
            function = getattr(loaded, name)
        except AttributeError:
            raise ImportError(f"{loaded._name} has no function {name}: it is older than this package") from None
        function.restype = result
        function.argtypes = arguments
    return loaded


library = _declare(_load())
