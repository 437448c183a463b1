# Generated from Include/mediasdk by `make python-bindings`: change the headers, not this file.
"""The structs of the headers, as ctypes sees them.  Members have the C names."""
from __future__ import annotations

from ctypes import POINTER, Structure, Union, c_char, c_char_p, c_double, c_int32, c_int64, c_uint32, c_uint64, c_uint8, c_void_p

from ._sized import SizedStruct


class KeyValue(Structure):
    _fields_ = [("key", c_char_p), ("value", c_char_p)]


class AccessTokenOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("grants", c_uint32), ("sources", c_uint32), ("lifetime_s", c_uint32), ("api_key", c_char_p),
                ("api_secret", c_char_p), ("room", c_char_p), ("user_id", c_char_p), ("display_name", c_char_p), ("metadata", c_char_p),
                ("attributes", POINTER(KeyValue)), ("attribute_count", c_uint32), ("reserved0", c_uint32)]


class DataOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("topic", c_char_p), ("recipients", POINTER(c_char_p)),
                ("recipient_count", c_uint32), ("reserved0", c_uint32)]


class DataMessage(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("size", c_uint64), ("missed", c_uint64), ("user_id", c_char * 256),
                ("topic", c_char * 256)]


class SessionOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("event_capacity", c_uint32), ("url", c_char_p), ("user_id", c_char_p),
                ("display_name", c_char_p), ("access_token", c_char_p), ("capture_path", c_char_p), ("capture_flags", c_uint32),
                ("encrypt_frames", c_uint32), ("encrypt_data", c_uint32), ("reserved0", c_uint32)]


class Participant(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("is_local", c_uint32), ("video_stream_count", c_uint32), ("reserved0", c_uint32),
                ("user_id", c_char * 256), ("display_name", c_char * 256), ("audio_stream_count", c_uint32), ("is_speaking", c_uint32),
                ("audio_level", c_uint32), ("is_sharing_screen", c_uint32), ("permissions", c_uint32), ("reserved2", c_uint32)]


class Attribute(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("reserved0", c_uint32), ("key", c_char * 64), ("value", c_char * 1024)]


class VideoFormat(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("pixel_format", c_uint32), ("width", c_uint32), ("height", c_uint32), ("fps_num", c_uint32),
                ("fps_den", c_uint32), ("color_primaries", c_uint32), ("color_transfer", c_uint32), ("color_matrix", c_uint32),
                ("color_full_range", c_uint32), ("content_hint", c_uint32), ("reserved0", c_uint32), ("expected_delay_ns", c_int64),
                ("reserved", c_uint32 * 10)]


class AudioFormat(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("sample_format", c_uint32), ("sample_rate", c_uint32), ("channels", c_uint32),
                ("planar", c_uint32), ("frames_per_buffer", c_uint32), ("expected_delay_ns", c_int64), ("reserved", c_uint32 * 4)]


class Event(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("type", c_uint32), ("flags", c_uint32), ("state", c_uint32), ("status", c_int32),
                ("codec", c_uint32), ("timestamp_ns", c_int64), ("value", c_uint64), ("outgoing_video", c_void_p), ("sender", c_void_p),
                ("incoming_video", c_void_p), ("instance", c_void_p), ("format", VideoFormat), ("user_id", c_char * 256),
                ("text", c_char * 512), ("outgoing_audio", c_void_p), ("incoming_audio", c_void_p), ("audio_format", AudioFormat),
                ("kind", c_uint32), ("direction", c_uint32)]


class SessionRendererOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("include_local", c_uint32)]


class SessionStats(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("state", c_uint32), ("available_outgoing_bitrate", c_uint64), ("bytes_sent", c_uint64),
                ("bytes_received", c_uint64), ("packets_sent", c_uint64), ("packets_received", c_uint64), ("packets_lost", c_uint64),
                ("events_queued", c_uint64), ("events_dropped", c_uint64), ("participants", c_uint32), ("reserved0", c_uint32),
                ("packets_foreign", c_uint64), ("packets_refused", c_uint64), ("packets_forged", c_uint64), ("packets_replayed", c_uint64),
                ("packets_unsent", c_uint64), ("round_trip_time_ns", c_int64), ("outgoing_quality", c_uint32),
                ("incoming_quality", c_uint32)]


class DataStreamOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("type", c_uint32), ("topic", c_char_p), ("name", c_char_p), ("mime_type", c_char_p),
                ("total_size", c_uint64), ("recipients", POINTER(c_char_p)), ("attributes", POINTER(KeyValue)),
                ("recipient_count", c_uint32), ("attribute_count", c_uint32), ("id", c_char_p), ("reply_to", c_char_p),
                ("attachments", POINTER(c_char_p)), ("attachment_count", c_uint32), ("reserved0", c_uint32)]


class DataStreamPart(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("part", c_uint32), ("stream", c_uint64), ("size", c_uint64), ("total_size", c_uint64),
                ("missed", c_uint64), ("began_ms", c_int64), ("type", c_uint32), ("attribute_count", c_uint32), ("user_id", c_char * 256),
                ("topic", c_char * 256), ("name", c_char * 256), ("mime_type", c_char * 128), ("text", c_char * 256),
                ("attachment_count", c_uint32), ("reserved0", c_uint32), ("id", c_char * 136), ("reply_to", c_char * 136)]


class DataStreamAttachment(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("reserved0", c_uint32), ("id", c_char * 136)]


class RpcMessage(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("kind", c_uint32), ("call", c_uint64), ("size", c_uint64), ("timeout_ms", c_uint32),
                ("code", c_uint32), ("user_id", c_char * 256), ("method", c_char * 72), ("text", c_char * 256)]


class EngineOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("clock", c_uint32), ("ignore_environment", c_uint32), ("reserved0", c_uint32)]


class LogRecord(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("level", c_int32), ("timestamp_ns", c_int64), ("dropped", c_uint64), ("category", c_char * 32),
                ("text", c_char * 4096)]


class ClassInfo(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("kinds", c_uint32), ("flags", c_uint32), ("param_count", c_uint32), ("id", c_char_p),
                ("name", c_char_p), ("summary", c_char_p), ("module_path", c_char_p), ("module_vendor", c_char_p),
                ("module_version", c_char_p), ("module_license", c_char_p), ("module_url", c_char_p)]


class Bytes(Structure):
    _fields_ = [("data", c_void_p), ("size", c_uint64)]


class ValueUnion(Union):
    _fields_ = [("b", c_uint8), ("i32", c_int32), ("i64", c_int64), ("u32", c_uint32), ("u64", c_uint64), ("f64", c_double),
                ("str", c_char_p), ("bytes", Bytes)]


class Value(Structure):
    _fields_ = [("type", c_uint32), ("reserved", c_uint32), ("u", ValueUnion)]


class Param(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("name", c_char_p), ("summary", c_char_p), ("def", Value), ("min", Value),
                ("max", Value), ("choices", POINTER(c_char_p)), ("choice_count", c_uint32), ("reserved0", c_uint32)]


class Arg(Structure):
    _fields_ = [("name", c_char_p), ("type", c_uint32), ("flags", c_uint32)]


class ArgLimits(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("summary", c_char_p), ("min", Value), ("max", Value),
                ("choices", POINTER(c_char_p)), ("choice_count", c_uint32), ("reserved0", c_uint32), ("def", POINTER(Value))]


class Command(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("name", c_char_p), ("summary", c_char_p), ("result", c_uint32),
                ("arg_count", c_uint32), ("args", Arg * 8), ("invoke", c_void_p), ("native", c_void_p), ("limits", POINTER(ArgLimits))]


class EngineStats(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("sessions", c_uint32), ("outgoing_videos", c_uint32), ("incoming_videos", c_uint32),
                ("instances", c_uint32), ("threads", c_uint32), ("frames", c_uint32), ("encoded_frames", c_uint32),
                ("log_dropped", c_uint64), ("outgoing_audios", c_uint32), ("incoming_audios", c_uint32), ("audio_frames", c_uint32),
                ("reserved0", c_uint32)]


class FrameLayout(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("plane_count", c_uint32), ("offset", c_uint64 * 4), ("plane_size", c_uint64 * 4),
                ("stride", c_int32 * 4), ("row_bytes", c_uint32 * 4), ("rows", c_uint32 * 4), ("size", c_uint64)]


class Plane(Structure):
    _fields_ = [("data", c_void_p), ("size", c_uint64), ("stride", c_int32), ("reserved0", c_uint32), ("reserved1", c_uint64)]


class VideoFrame(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("plane_count", c_uint32), ("orientation", c_uint32), ("plane", Plane * 4),
                ("format", POINTER(VideoFormat)), ("timestamp_ns", c_int64), ("duration_ns", c_int64), ("sequence", c_uint64)]


class ExternalFrame(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("plane_count", c_uint32), ("orientation", c_uint32), ("reserved0", c_uint32),
                ("plane", Plane * 4), ("format", POINTER(VideoFormat)), ("timestamp_ns", c_int64), ("user", c_void_p),
                ("release", c_void_p)]


class FrameMetadata(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("frame_id", c_uint32), ("user_timestamp_us", c_uint64), ("user_data_size", c_uint32),
                ("reserved0", c_uint32), ("user_data", c_uint8 * 248)]


class AudioFrame(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("format", POINTER(AudioFormat)), ("sample_count", c_uint32),
                ("plane_count", c_uint32), ("planes", POINTER(c_void_p)), ("timestamp_ns", c_int64), ("sequence", c_uint64),
                ("duration_ns", c_int64), ("level", c_uint32), ("reserved0", c_uint32)]


class EncodedFrame(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("codec", c_uint32), ("flags", c_uint32), ("width", c_uint32), ("height", c_uint32),
                ("orientation", c_uint32), ("data", c_void_p), ("size", c_uint64), ("timestamp_ns", c_int64), ("duration_ns", c_int64),
                ("sequence", c_uint64), ("color_primaries", c_uint32), ("color_transfer", c_uint32), ("color_matrix", c_uint32),
                ("color_full_range", c_uint32), ("sample_rate", c_uint32), ("channels", c_uint32), ("level", c_uint32),
                ("reserved0", c_uint32)]


class IncomingAudioOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("sample_rate", c_uint32), ("channels", c_uint32), ("sample_format", c_uint32),
                ("buffer_ms", c_uint32), ("delivery", c_uint32), ("output", c_uint32), ("queue_ms", c_uint32), ("queue_policy", c_uint32),
                ("reserved0", c_uint32)]


class IncomingAudioInfo(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("state", c_uint32), ("kind", c_uint32), ("codec", c_uint32), ("is_muted", c_uint32),
                ("is_encrypted", c_uint32), ("user_id", c_char * 256), ("format", AudioFormat)]


class IncomingAudioStats(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("state", c_uint32), ("packets_received", c_uint64), ("packets_lost", c_uint64),
                ("packets_corrupt", c_uint64), ("bytes_received", c_uint64), ("fec_packets_recovered", c_uint64),
                ("concealed_samples", c_uint64), ("total_samples_received", c_uint64), ("buffers_delivered", c_uint64),
                ("buffers_dropped", c_uint64), ("buffers_rendered", c_uint64), ("total_decode_time_ns", c_int64),
                ("jitter_buffer_ns", c_int64), ("underruns", c_uint64), ("late_samples", c_uint64), ("drift_ppm", c_int32),
                ("level", c_uint32), ("sources", c_uint32), ("reserved0", c_uint32), ("total_filter_time_ns", c_int64)]


class View(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("width", c_uint32), ("height", c_uint32), ("scale", c_uint32), ("orientation", c_uint32),
                ("background", c_uint32)]


class Rectangle(Structure):
    _fields_ = [("x", c_uint32), ("y", c_uint32), ("width", c_uint32), ("height", c_uint32)]


class Placement(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("orientation", c_uint32), ("source", Rectangle), ("target", Rectangle)]


class IncomingVideoOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("pixel_format", c_uint32), ("width", c_uint32), ("height", c_uint32), ("delivery", c_uint32),
                ("output", c_uint32), ("queue_capacity", c_uint32), ("encoded_queue_capacity", c_uint32), ("queue_policy", c_uint32),
                ("reserved0", c_uint32)]


class IncomingVideoInfo(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("state", c_uint32), ("kind", c_uint32), ("codec", c_uint32), ("user_id", c_char * 256),
                ("format", VideoFormat), ("is_encrypted", c_uint32), ("carries_metadata", c_uint32)]


class VideoPreference(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("width", c_uint32), ("height", c_uint32), ("fps_num", c_uint32), ("fps_den", c_uint32),
                ("priority", c_uint32)]


class IncomingVideoStats(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("state", c_uint32), ("width", c_uint32), ("height", c_uint32), ("frames_per_second", c_double),
                ("frames_received", c_uint64), ("frames_lost", c_uint64), ("frames_decoded", c_uint64), ("key_frames_decoded", c_uint64),
                ("frames_corrupt", c_uint64), ("frames_skipped", c_uint64), ("frames_delivered", c_uint64), ("frames_dropped", c_uint64),
                ("bytes_received", c_uint64), ("key_frames_requested", c_uint64), ("total_decode_time_ns", c_int64),
                ("freeze_count", c_uint64), ("frames_rendered", c_uint64), ("total_filter_time_ns", c_int64)]


class IngestOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("port", c_uint32), ("socket_path", c_char_p), ("transmission_token", c_void_p),
                ("reception_token", c_void_p), ("transmission_token_size", c_uint32), ("reception_token_size", c_uint32),
                ("limits", c_uint32), ("codec", c_uint32), ("fps", c_uint32), ("preset", c_uint32), ("target_bitrate", c_uint64)]


class InstanceOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("isolation", c_uint32), ("flags", c_uint32), ("control_deadline_ms", c_uint32),
                ("media_deadline_ms", c_uint32), ("memory_max_mb", c_uint32), ("cpu_max_s", c_uint32), ("restarts_max", c_uint32)]


class InstanceIsolation(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("is_isolated", c_uint32), ("containment", c_uint32), ("reserved0", c_uint32)]


class Choice(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("reserved0", c_uint32), ("value", c_char_p), ("label", c_char_p)]


class InstanceEvent(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("event", c_uint32), ("status", c_int32), ("flags", c_uint32), ("timestamp_ns", c_int64),
                ("instance", c_void_p), ("text", c_char * 512)]


class VideoPullOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("queue_capacity", c_uint32), ("queue_policy", c_uint32), ("reserved0", c_uint32)]


class AudioPullOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("queue_ms", c_uint32), ("queue_policy", c_uint32), ("reserved0", c_uint32)]


class OutboundStats(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("ssrc", c_uint32), ("packets_sent", c_uint64), ("bytes_sent", c_uint64),
                ("header_bytes_sent", c_uint64), ("retransmitted_packets_sent", c_uint64), ("retransmitted_bytes_sent", c_uint64),
                ("nack_count", c_uint64), ("pli_count", c_uint64), ("fir_count", c_uint64), ("frames_sent", c_uint64),
                ("key_frames_sent", c_uint64), ("huge_frames_sent", c_uint64), ("total_packet_send_delay_ns", c_int64),
                ("target_bitrate", c_uint64), ("reported_at_ns", c_int64), ("packets_lost", c_int64), ("fraction_lost", c_double),
                ("jitter_ns", c_int64), ("round_trip_time_ns", c_int64), ("total_round_trip_time_ns", c_int64),
                ("round_trip_time_measurements", c_uint64), ("available_outgoing_bitrate", c_uint64), ("queued_packets", c_uint64),
                ("queued_bytes", c_uint64), ("queue_delay_ns", c_int64), ("expired_packets", c_uint64)]


class InboundStats(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("ssrc", c_uint32), ("packets_received", c_uint64), ("bytes_received", c_uint64),
                ("header_bytes_received", c_uint64), ("retransmitted_packets_received", c_uint64),
                ("retransmitted_bytes_received", c_uint64), ("packets_repaired", c_uint64), ("packets_discarded", c_uint64),
                ("packets_lost", c_int64), ("jitter_ns", c_int64), ("last_packet_received_ns", c_int64), ("nack_count", c_uint64),
                ("pli_count", c_uint64), ("frames_received", c_uint64), ("key_frames_received", c_uint64), ("frames_dropped", c_uint64),
                ("frames_assembled_from_multiple_packets", c_uint64), ("total_assembly_time_ns", c_int64), ("frame_width", c_uint32),
                ("frame_height", c_uint32), ("freeze_count", c_uint64), ("total_freezes_duration_ns", c_int64),
                ("jitter_buffer_delay_ns", c_int64), ("jitter_buffer_target_delay_ns", c_int64), ("jitter_buffer_emitted_count", c_uint64),
                ("total_samples_received", c_uint64), ("concealed_samples", c_uint64), ("concealment_events", c_uint64),
                ("round_trip_time_ns", c_int64)]


class OutgoingAudioOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("kind", c_uint32), ("sample_rate", c_uint32), ("channels", c_uint32),
                ("sample_format", c_uint32), ("buffer_ms", c_uint32), ("queue_ms", c_uint32), ("report_capacity", c_uint32),
                ("codec", c_uint32), ("encoded_input", c_uint32), ("application", c_uint32), ("complexity", c_uint32),
                ("packet_ms", c_uint32), ("fec", c_uint32), ("expected_loss", c_uint32), ("dtx", c_uint32), ("bitrate", c_uint64)]


class OutgoingAudioInfo(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("state", c_uint32), ("kind", c_uint32), ("codec", c_uint32), ("encoded_input", c_uint32),
                ("is_muted", c_uint32), ("format", AudioFormat)]


class FrameReport(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("outcome", c_uint32), ("reason", c_uint32), ("key_frame", c_uint32), ("status", c_int32),
                ("reserved0", c_uint32), ("sequence", c_uint64), ("timestamp_ns", c_int64), ("bytes", c_uint64), ("user", c_void_p)]


class AudioTapOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("output", c_uint32), ("queue_ms", c_uint32), ("queue_policy", c_uint32)]


class OutgoingAudioStats(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("state", c_uint32), ("buffers_offered", c_uint64), ("buffers_sent", c_uint64),
                ("buffers_encoded", c_uint64), ("buffers_dropped", c_uint64), ("buffers_failed", c_uint64), ("packets_sent", c_uint64),
                ("bytes_sent", c_uint64), ("queued_ns", c_int64), ("total_encode_time_ns", c_int64), ("level", c_uint32),
                ("is_muted", c_uint32), ("receivers", c_uint32), ("reserved0", c_uint32), ("bitrate", c_uint64),
                ("reports_dropped", c_uint64), ("gain", c_double), ("total_filter_time_ns", c_int64), ("caught_up_ns", c_int64),
                ("tap_buffers_dropped", c_uint64)]


class VideoLimit(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("width", c_uint32), ("height", c_uint32), ("fps", c_uint32)]


class OutgoingVideoOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("kind", c_uint32), ("limits", c_uint32), ("codec", c_uint32), ("formats", POINTER(VideoFormat)),
                ("format_count", c_uint32), ("preset", c_uint32), ("queue_policy", c_uint32), ("queue_capacity", c_uint32),
                ("encoded_input", c_uint32), ("encoder_threads", c_uint32), ("target_bitrate", c_uint64), ("min_bitrate", c_uint64),
                ("max_bitrate", c_uint64), ("key_frame_interval_ms", c_uint32), ("report_capacity", c_uint32),
                ("codecs", POINTER(c_uint32)), ("codec_count", c_uint32), ("most_layers", c_uint32), ("carries_metadata", c_uint32),
                ("reserved0", c_uint32)]


class OutgoingVideoInfo(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("state", c_uint32), ("kind", c_uint32), ("limits", c_uint32), ("codec", c_uint32),
                ("encoded_input", c_uint32), ("format", VideoFormat)]


class VideoTapOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("output", c_uint32), ("queue_capacity", c_uint32), ("encoded_queue_capacity", c_uint32),
                ("queue_policy", c_uint32), ("reserved0", c_uint32)]


class OutgoingVideoStats(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("state", c_uint32), ("width", c_uint32), ("height", c_uint32), ("frames_per_second", c_double),
                ("frames_offered", c_uint64), ("frames_sent", c_uint64), ("frames_encoded", c_uint64), ("frames_replaced", c_uint64),
                ("frames_dropped", c_uint64), ("frames_failed", c_uint64), ("key_frames_encoded", c_uint64), ("bytes_sent", c_uint64),
                ("target_bitrate", c_uint64), ("total_encode_time_ns", c_int64), ("format_changes", c_uint32),
                ("key_frame_requests", c_uint32), ("reports_dropped", c_uint64), ("receivers", c_uint32), ("layers", c_uint32),
                ("paced_frames_per_second", c_double), ("frames_repeated", c_uint64), ("codec", c_uint32), ("active_layers", c_uint32),
                ("total_filter_time_ns", c_int64), ("tap_frames_dropped", c_uint64), ("wanted_width", c_uint32),
                ("wanted_height", c_uint32), ("wanted_frames_per_second", c_double)]


class RoomOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("capacity", c_uint32), ("duplicates", c_uint32), ("permissions", c_uint32),
                ("pulled", c_uint32), ("reserved0", c_uint32), ("verify", c_void_p), ("user", c_void_p)]


class AccessRequest(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("permissions", c_uint32), ("id", c_uint64), ("flags", c_uint32), ("reserved0", c_uint32),
                ("room", c_char * 256), ("user_id", c_char * 256), ("display_name", c_char * 256), ("access_token", c_char * 4096)]


class AccessGrant(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("permissions", c_uint32), ("lifetime_ns", c_int64), ("reason", c_char_p)]


class NetworkStep(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("at_ns", c_int64), ("bandwidth_bps", c_uint64), ("delay_ns", c_int64),
                ("jitter_ns", c_int64), ("loss_ppm", c_uint32), ("reserved0", c_uint32), ("queue_ns", c_int64)]


class NetworkScript(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("step_count", c_uint32), ("steps", POINTER(NetworkStep)), ("seed", c_uint64),
                ("user_id", c_char_p)]


class ServeOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("port", c_uint32), ("addresses", c_char_p), ("certificate", c_char_p), ("key", c_char_p),
                ("api_key", c_char_p), ("api_secret", c_char_p), ("most_members", c_uint32), ("media_port", c_uint32),
                ("public_addresses", c_char_p)]


class ServeInfo(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("port", c_uint32), ("member_count", c_uint32), ("media_port", c_uint32),
                ("fingerprint", c_char * 96), ("url", c_char * 1024), ("page_url", c_char * 1024)]


class DataChannelOptions(SizedStruct):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("label", c_char_p), ("protocol", c_char_p), ("number", c_uint32),
                ("max_retransmits", c_uint32), ("lifetime_ms", c_uint32), ("reserved0", c_uint32)]
