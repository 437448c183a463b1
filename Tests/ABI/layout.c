/* The layout of the contract, frozen: the size of every struct, the offset of every member, the value of every constant.
 *
 * A line may be added when the contract grows, and the size of a sized struct then grows with it. What stands here never changes
 * otherwise: programs and plugins that were built long ago rely on it. The numbers are those of 64-bit Linux (LP64).
 * check_layout.sh compiles this file and tells what it leaves out. */
#include <mediasdk/feeder.h>
#include <mediasdk/mediasdk.h>

_Static_assert(sizeof(void *) == 8, "the numbers below are those of 64-bit pointers");

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "the size of " #type " changed")
#define AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member " has moved")
#define VALUE(name, value) _Static_assert((name) == (value), #name " changed")

/* ------------------------------------------------------------------------------------------------------------------------------ types.h */

VALUE(MSDK_PORT_ANY, 65536);

SIZE(msdk_bytes, 16);
AT(msdk_bytes, data, 0);
AT(msdk_bytes, size, 8);

SIZE(msdk_value, 24);
AT(msdk_value, type, 0);
AT(msdk_value, reserved, 4);
AT(msdk_value, u, 8);

SIZE(msdk_video_format, 96);
AT(msdk_video_format, struct_size, 0);
AT(msdk_video_format, pixel_format, 4);
AT(msdk_video_format, width, 8);
AT(msdk_video_format, height, 12);
AT(msdk_video_format, fps_num, 16);
AT(msdk_video_format, fps_den, 20);
AT(msdk_video_format, color_primaries, 24);
AT(msdk_video_format, color_transfer, 28);
AT(msdk_video_format, color_matrix, 32);
AT(msdk_video_format, color_full_range, 36);
AT(msdk_video_format, content_hint, 40);
AT(msdk_video_format, reserved0, 44);
AT(msdk_video_format, expected_delay_ns, 48);
AT(msdk_video_format, reserved, 56);

SIZE(msdk_plane, 32);
AT(msdk_plane, data, 0);
AT(msdk_plane, size, 8);
AT(msdk_plane, stride, 16);
AT(msdk_plane, reserved0, 20);
AT(msdk_plane, reserved1, 24);

SIZE(msdk_video_frame, 176);
AT(msdk_video_frame, struct_size, 0);
AT(msdk_video_frame, flags, 4);
AT(msdk_video_frame, plane_count, 8);
AT(msdk_video_frame, orientation, 12);
AT(msdk_video_frame, plane, 16);
AT(msdk_video_frame, format, 144);
AT(msdk_video_frame, timestamp_ns, 152);
AT(msdk_video_frame, duration_ns, 160);
AT(msdk_video_frame, sequence, 168);

SIZE(msdk_external_frame, 176);
AT(msdk_external_frame, struct_size, 0);
AT(msdk_external_frame, plane_count, 4);
AT(msdk_external_frame, orientation, 8);
AT(msdk_external_frame, reserved0, 12);
AT(msdk_external_frame, plane, 16);
AT(msdk_external_frame, format, 144);
AT(msdk_external_frame, timestamp_ns, 152);
AT(msdk_external_frame, user, 160);
AT(msdk_external_frame, release, 168);

SIZE(msdk_encoded_frame, 96);
AT(msdk_encoded_frame, struct_size, 0);
AT(msdk_encoded_frame, codec, 4);
AT(msdk_encoded_frame, flags, 8);
AT(msdk_encoded_frame, width, 12);
AT(msdk_encoded_frame, height, 16);
AT(msdk_encoded_frame, orientation, 20);
AT(msdk_encoded_frame, data, 24);
AT(msdk_encoded_frame, size, 32);
AT(msdk_encoded_frame, timestamp_ns, 40);
AT(msdk_encoded_frame, duration_ns, 48);
AT(msdk_encoded_frame, sequence, 56);
AT(msdk_encoded_frame, color_primaries, 64);
AT(msdk_encoded_frame, color_transfer, 68);
AT(msdk_encoded_frame, color_matrix, 72);
AT(msdk_encoded_frame, color_full_range, 76);
AT(msdk_encoded_frame, sample_rate, 80);
AT(msdk_encoded_frame, channels, 84);
AT(msdk_encoded_frame, level, 88);
AT(msdk_encoded_frame, reserved0, 92);

SIZE(msdk_audio_format, 48);
AT(msdk_audio_format, struct_size, 0);
AT(msdk_audio_format, sample_format, 4);
AT(msdk_audio_format, sample_rate, 8);
AT(msdk_audio_format, channels, 12);
AT(msdk_audio_format, planar, 16);
AT(msdk_audio_format, frames_per_buffer, 20);
AT(msdk_audio_format, expected_delay_ns, 24);
AT(msdk_audio_format, reserved, 32);

SIZE(msdk_audio_frame, 64);
AT(msdk_audio_frame, struct_size, 0);
AT(msdk_audio_frame, flags, 4);
AT(msdk_audio_frame, format, 8);
AT(msdk_audio_frame, sample_count, 16);
AT(msdk_audio_frame, plane_count, 20);
AT(msdk_audio_frame, planes, 24);
AT(msdk_audio_frame, timestamp_ns, 32);
AT(msdk_audio_frame, sequence, 40);
AT(msdk_audio_frame, duration_ns, 48);
AT(msdk_audio_frame, level, 56);
AT(msdk_audio_frame, reserved0, 60);

VALUE(MSDK_OK, 0);
VALUE(MSDK_E_FAIL, -1);
VALUE(MSDK_E_NOMEM, -2);
VALUE(MSDK_E_INVALID, -3);
VALUE(MSDK_E_UNSUPPORTED, -4);
VALUE(MSDK_E_STATE, -5);
VALUE(MSDK_E_THREAD, -6);
VALUE(MSDK_E_AGAIN, -7);
VALUE(MSDK_E_TIMEOUT, -8);
VALUE(MSDK_E_IO, -9);
VALUE(MSDK_E_PERMISSION, -10);
VALUE(MSDK_E_NOT_FOUND, -11);
VALUE(MSDK_E_TYPE, -12);
VALUE(MSDK_E_RANGE, -13);
VALUE(MSDK_E_CLOSED, -14);
VALUE(MSDK_E_PLUGIN_DIED, -15);
VALUE(MSDK_E_DEVICE_LOST, -16);
VALUE(MSDK_E_BUFFER_SMALL, -17);
VALUE(MSDK_E_HANDLE, -18);
VALUE(MSDK_E_STALE, -19);
VALUE(MSDK_E_FORMAT, -20);
VALUE(MSDK_E_LIMIT, -21);
VALUE(MSDK_E_EXISTS, -22);
VALUE(MSDK_E_FORKED, -23);
VALUE(MSDK_E_CORRUPT, -24);
VALUE(MSDK_E_ABI, -25);
VALUE(MSDK_E_FULL, -26);
VALUE(MSDK_E_REMOVED, -27);
VALUE(MSDK_E_UNTRUSTED, -28);

VALUE(MSDK_T_VOID, 0);
VALUE(MSDK_T_BOOL, 1);
VALUE(MSDK_T_I32, 2);
VALUE(MSDK_T_I64, 3);
VALUE(MSDK_T_U32, 4);
VALUE(MSDK_T_U64, 5);
VALUE(MSDK_T_F64, 6);
VALUE(MSDK_T_STRING, 7);
VALUE(MSDK_T_BYTES, 8);
VALUE(MSDK_T_STATUS, 9);

VALUE(MSDK_PIXEL_I420, 0x32315559);
VALUE(MSDK_PIXEL_NV12, 0x3231564E);
VALUE(MSDK_PIXEL_BGRA, 0x34325241);
VALUE(MSDK_PIXEL_RGBA, 0x34324241);
VALUE(MSDK_PIXEL_ARGB, 0x34324142);
VALUE(MSDK_PIXEL_ABGR, 0x34324152);
VALUE(MSDK_PIXEL_BGR24, 0x34324752);
VALUE(MSDK_PIXEL_RGB24, 0x34324742);
VALUE(MSDK_PIXEL_GRAY8, 0x20203852);


VALUE(MSDK_COLOR_UNSPECIFIED, 2);
VALUE(MSDK_MATRIX_IDENTITY, 0);
VALUE(MSDK_MATRIX_BT709, 1);
VALUE(MSDK_MATRIX_BT470BG, 5);
VALUE(MSDK_MATRIX_SMPTE170M, 6);
VALUE(MSDK_MATRIX_BT2020_NCL, 9);

VALUE(MSDK_CONTENT_NONE, 0);
VALUE(MSDK_CONTENT_MOTION, 1);
VALUE(MSDK_CONTENT_DETAIL, 2);
VALUE(MSDK_CONTENT_TEXT, 3);

VALUE(MSDK_DIMENSION_MAX, 16384);

VALUE(MSDK_PLANES_MAX, 4);

VALUE(MSDK_FRAME_WRITABLE, 1);
VALUE(MSDK_FRAME_DISCONTINUITY, 2);
VALUE(MSDK_FRAME_CORRUPT, 4);
VALUE(MSDK_FRAME_END, 8);

VALUE(MSDK_ROTATE_0, 0);
VALUE(MSDK_ROTATE_90, 1);
VALUE(MSDK_ROTATE_180, 2);
VALUE(MSDK_ROTATE_270, 3);
VALUE(MSDK_MIRROR, 4);

VALUE(MSDK_CODEC_AUTO, 0);
VALUE(MSDK_CODEC_RAW, 0x20574152);
VALUE(MSDK_CODEC_VP8, 0x30385056);
VALUE(MSDK_CODEC_AV1, 0x31305641);
VALUE(MSDK_CODEC_OPUS, 0x5355504F);

VALUE(MSDK_ENCODED_KEY, 1);
VALUE(MSDK_ENCODED_DISCONTINUITY, 2);
VALUE(MSDK_ENCODED_DROPPABLE, 4);
VALUE(MSDK_ENCODED_COARSE, 8);

VALUE(MSDK_FEED_NONE, 0);
VALUE(MSDK_FEED_NOT_ADMITTED, 1);
VALUE(MSDK_FEED_BUSY, 2);
VALUE(MSDK_FEED_VERSION, 3);
VALUE(MSDK_FEED_MALFORMED, 4);
VALUE(MSDK_FEED_TOO_LARGE, 5);
VALUE(MSDK_FEED_FORMAT, 6);
VALUE(MSDK_FEED_SLOT, 7);
VALUE(MSDK_FEED_STALLED, 8);
VALUE(MSDK_FEED_CROWDED, 9);
VALUE(MSDK_FEED_CLOSED, 10);

VALUE(MSDK_SAMPLE_S16, 1);
VALUE(MSDK_SAMPLE_F32, 2);

VALUE(MSDK_CHANNELS_MAX, 32);

/* ----------------------------------------------------------------------------------------------------------------------------- plugin.h */

SIZE(msdk_host, 192);
AT(msdk_host, struct_size, 0);
AT(msdk_host, abi_minor, 4);
AT(msdk_host, name, 8);
AT(msdk_host, version, 16);
AT(msdk_host, log, 24);
AT(msdk_host, set_error, 32);
AT(msdk_host, post_event, 40);
AT(msdk_host, video_frame_acquire, 48);
AT(msdk_host, video_frame_wrap, 56);
AT(msdk_host, video_frame_ref, 64);
AT(msdk_host, video_frame_unref, 72);
AT(msdk_host, video_frame_make_writable, 80);
AT(msdk_host, encoded_frame_ref, 88);
AT(msdk_host, encoded_frame_unref, 96);
AT(msdk_host, audio_frame_acquire, 104);
AT(msdk_host, audio_frame_ref, 112);
AT(msdk_host, audio_frame_unref, 120);
AT(msdk_host, consume_video_frame, 128);
AT(msdk_host, consume_audio_frame, 136);
AT(msdk_host, read_render_data, 144);
AT(msdk_host, now_ns, 152);
AT(msdk_host, get_extension, 160);
AT(msdk_host, audio_frame_make_writable, 168);
AT(msdk_host, encoded_frame_create, 176);
AT(msdk_host, consume_encoded_frame, 184);

SIZE(msdk_param, 112);
AT(msdk_param, struct_size, 0);
AT(msdk_param, flags, 4);
AT(msdk_param, name, 8);
AT(msdk_param, summary, 16);
AT(msdk_param, def, 24);
AT(msdk_param, min, 48);
AT(msdk_param, max, 72);
AT(msdk_param, choices, 96);
AT(msdk_param, choice_count, 104);
AT(msdk_param, reserved0, 108);

SIZE(msdk_arg, 16);
AT(msdk_arg, name, 0);
AT(msdk_arg, type, 8);
AT(msdk_arg, flags, 12);

SIZE(msdk_choice, 24);
AT(msdk_choice, struct_size, 0);
AT(msdk_choice, reserved0, 4);
AT(msdk_choice, value, 8);
AT(msdk_choice, label, 16);

SIZE(msdk_arg_limits, 88);
AT(msdk_arg_limits, struct_size, 0);
AT(msdk_arg_limits, flags, 4);
AT(msdk_arg_limits, summary, 8);
AT(msdk_arg_limits, min, 16);
AT(msdk_arg_limits, max, 40);
AT(msdk_arg_limits, choices, 64);
AT(msdk_arg_limits, choice_count, 72);
AT(msdk_arg_limits, reserved0, 76);
AT(msdk_arg_limits, def, 80);

SIZE(msdk_command, 184);
AT(msdk_command, struct_size, 0);
AT(msdk_command, flags, 4);
AT(msdk_command, name, 8);
AT(msdk_command, summary, 16);
AT(msdk_command, result, 24);
AT(msdk_command, arg_count, 28);
AT(msdk_command, args, 32);
AT(msdk_command, invoke, 160);
AT(msdk_command, native, 168);
AT(msdk_command, limits, 176);

SIZE(msdk_video_producer, 104);
AT(msdk_video_producer, struct_size, 0);
AT(msdk_video_producer, flags, 4);
AT(msdk_video_producer, init_capture, 8);
AT(msdk_video_producer, release_capture, 16);
AT(msdk_video_producer, start_capture, 24);
AT(msdk_video_producer, stop_capture, 32);
AT(msdk_video_producer, is_capture_started, 40);
AT(msdk_video_producer, capture_settings, 48);
AT(msdk_video_producer, enum_formats, 56);
AT(msdk_video_producer, set_format, 64);
AT(msdk_video_producer, produce_frame, 72);
AT(msdk_video_producer, codec, 80);
AT(msdk_video_producer, reserved0, 84);
AT(msdk_video_producer, produce_encoded_frame, 88);
AT(msdk_video_producer, request_key_frame, 96);

SIZE(msdk_audio_producer, 72);
AT(msdk_audio_producer, struct_size, 0);
AT(msdk_audio_producer, flags, 4);
AT(msdk_audio_producer, init_capture, 8);
AT(msdk_audio_producer, release_capture, 16);
AT(msdk_audio_producer, start_capture, 24);
AT(msdk_audio_producer, stop_capture, 32);
AT(msdk_audio_producer, is_capture_started, 40);
AT(msdk_audio_producer, capture_settings, 48);
AT(msdk_audio_producer, set_format, 56);
AT(msdk_audio_producer, produce_frame, 64);

SIZE(msdk_video_renderer, 104);
AT(msdk_video_renderer, struct_size, 0);
AT(msdk_video_renderer, flags, 4);
AT(msdk_video_renderer, init_render, 8);
AT(msdk_video_renderer, release_render, 16);
AT(msdk_video_renderer, accepts_format, 24);
AT(msdk_video_renderer, render_video_frame, 32);
AT(msdk_video_renderer, flush, 40);
AT(msdk_video_renderer, snapshot_format, 48);
AT(msdk_video_renderer, snapshot, 56);
AT(msdk_video_renderer, accepts_codec, 64);
AT(msdk_video_renderer, render_encoded_frame, 72);
AT(msdk_video_renderer, update_input, 80);
AT(msdk_video_renderer, remove_input, 88);
AT(msdk_video_renderer, render_input_frame, 96);

SIZE(msdk_input, 40);
AT(msdk_input, struct_size, 0);
AT(msdk_input, kind, 4);
AT(msdk_input, user_id, 8);
AT(msdk_input, display_name, 16);
AT(msdk_input, is_local, 24);
AT(msdk_input, has_video, 28);
AT(msdk_input, is_speaking, 32);
AT(msdk_input, is_muted, 36);

SIZE(msdk_session_renderer_options, 8);
AT(msdk_session_renderer_options, struct_size, 0);
AT(msdk_session_renderer_options, include_local, 4);

SIZE(msdk_audio_renderer, 88);
AT(msdk_audio_renderer, struct_size, 0);
AT(msdk_audio_renderer, flags, 4);
AT(msdk_audio_renderer, init_render, 8);
AT(msdk_audio_renderer, release_render, 16);
AT(msdk_audio_renderer, start_render, 24);
AT(msdk_audio_renderer, stop_render, 32);
AT(msdk_audio_renderer, is_render_started, 40);
AT(msdk_audio_renderer, render_settings, 48);
AT(msdk_audio_renderer, render_audio_frame, 56);
AT(msdk_audio_renderer, render_delay_ns, 64);
AT(msdk_audio_renderer, accepts_codec, 72);
AT(msdk_audio_renderer, render_encoded_frame, 80);

SIZE(msdk_video_filter, 48);
AT(msdk_video_filter, struct_size, 0);
AT(msdk_video_filter, flags, 4);
AT(msdk_video_filter, init_filter, 8);
AT(msdk_video_filter, release_filter, 16);
AT(msdk_video_filter, set_format, 24);
AT(msdk_video_filter, filter_video_frame, 32);
AT(msdk_video_filter, flush, 40);

SIZE(msdk_audio_filter, 56);
AT(msdk_audio_filter, struct_size, 0);
AT(msdk_audio_filter, flags, 4);
AT(msdk_audio_filter, init_filter, 8);
AT(msdk_audio_filter, release_filter, 16);
AT(msdk_audio_filter, set_format, 24);
AT(msdk_audio_filter, filter_audio_frame, 32);
AT(msdk_audio_filter, delay_ns, 40);
AT(msdk_audio_filter, flush, 48);

SIZE(msdk_video_encoder_settings, 48);
AT(msdk_video_encoder_settings, struct_size, 0);
AT(msdk_video_encoder_settings, width, 4);
AT(msdk_video_encoder_settings, height, 8);
AT(msdk_video_encoder_settings, fps_num, 12);
AT(msdk_video_encoder_settings, fps_den, 16);
AT(msdk_video_encoder_settings, threads, 20);
AT(msdk_video_encoder_settings, preset, 24);
AT(msdk_video_encoder_settings, kind, 28);
AT(msdk_video_encoder_settings, target_bitrate, 32);
AT(msdk_video_encoder_settings, drop_threshold, 40);
AT(msdk_video_encoder_settings, temporal_layers, 44);

SIZE(msdk_video_encoder, 72);
AT(msdk_video_encoder, struct_size, 0);
AT(msdk_video_encoder, flags, 4);
AT(msdk_video_encoder, codec, 8);
AT(msdk_video_encoder, dimension_max, 12);
AT(msdk_video_encoder, pixel_formats, 16);
AT(msdk_video_encoder, pixel_format_count, 24);
AT(msdk_video_encoder, reserved0, 28);
AT(msdk_video_encoder, open_encoder, 32);
AT(msdk_video_encoder, close_encoder, 40);
AT(msdk_video_encoder, set_rate, 48);
AT(msdk_video_encoder, encode, 56);
AT(msdk_video_encoder, set_bytes_max, 64);

SIZE(msdk_video_decoder_settings, 16);
AT(msdk_video_decoder_settings, struct_size, 0);
AT(msdk_video_decoder_settings, threads, 4);
AT(msdk_video_decoder_settings, pixels_max, 8);

SIZE(msdk_encoded_header, 24);
AT(msdk_encoded_header, struct_size, 0);
AT(msdk_encoded_header, flags, 4);
AT(msdk_encoded_header, width, 8);
AT(msdk_encoded_header, height, 12);
AT(msdk_encoded_header, is_shown, 16);
AT(msdk_encoded_header, reserved0, 20);

SIZE(msdk_video_decoder, 48);
AT(msdk_video_decoder, struct_size, 0);
AT(msdk_video_decoder, flags, 4);
AT(msdk_video_decoder, codec, 8);
AT(msdk_video_decoder, reserved0, 12);
AT(msdk_video_decoder, open_decoder, 16);
AT(msdk_video_decoder, close_decoder, 24);
AT(msdk_video_decoder, decode, 32);
AT(msdk_video_decoder, parse_header, 40);

SIZE(msdk_audio_encoder_settings, 40);
AT(msdk_audio_encoder_settings, struct_size, 0);
AT(msdk_audio_encoder_settings, sample_rate, 4);
AT(msdk_audio_encoder_settings, channels, 8);
AT(msdk_audio_encoder_settings, application, 12);
AT(msdk_audio_encoder_settings, bitrate, 16);
AT(msdk_audio_encoder_settings, complexity, 24);
AT(msdk_audio_encoder_settings, fec, 28);
AT(msdk_audio_encoder_settings, expected_loss, 32);
AT(msdk_audio_encoder_settings, dtx, 36);

SIZE(msdk_audio_encoder, 64);
AT(msdk_audio_encoder, struct_size, 0);
AT(msdk_audio_encoder, flags, 4);
AT(msdk_audio_encoder, codec, 8);
AT(msdk_audio_encoder, sample_rate_count, 12);
AT(msdk_audio_encoder, sample_rates, 16);
AT(msdk_audio_encoder, open_encoder, 24);
AT(msdk_audio_encoder, close_encoder, 32);
AT(msdk_audio_encoder, lookahead, 40);
AT(msdk_audio_encoder, set_rate, 48);
AT(msdk_audio_encoder, encode, 56);

SIZE(msdk_packet_header, 16);
AT(msdk_packet_header, struct_size, 0);
AT(msdk_packet_header, sample_count, 4);
AT(msdk_packet_header, channels, 8);
AT(msdk_packet_header, has_redundancy, 12);

SIZE(msdk_audio_decoder, 64);
AT(msdk_audio_decoder, struct_size, 0);
AT(msdk_audio_decoder, flags, 4);
AT(msdk_audio_decoder, codec, 8);
AT(msdk_audio_decoder, reserved0, 12);
AT(msdk_audio_decoder, open_decoder, 16);
AT(msdk_audio_decoder, close_decoder, 24);
AT(msdk_audio_decoder, decode, 32);
AT(msdk_audio_decoder, conceal, 40);
AT(msdk_audio_decoder, recover, 48);
AT(msdk_audio_decoder, parse_header, 56);

SIZE(msdk_class, 200);
AT(msdk_class, struct_size, 0);
AT(msdk_class, kinds, 4);
AT(msdk_class, flags, 8);
AT(msdk_class, reserved0, 12);
AT(msdk_class, id, 16);
AT(msdk_class, name, 24);
AT(msdk_class, summary, 32);
AT(msdk_class, params, 40);
AT(msdk_class, commands, 48);
AT(msdk_class, param_count, 56);
AT(msdk_class, command_count, 60);
AT(msdk_class, user, 64);
AT(msdk_class, create, 72);
AT(msdk_class, destroy, 80);
AT(msdk_class, set_param, 88);
AT(msdk_class, get_param, 96);
AT(msdk_class, video_producer, 104);
AT(msdk_class, audio_producer, 112);
AT(msdk_class, video_renderer, 120);
AT(msdk_class, audio_renderer, 128);
AT(msdk_class, get_extension, 136);
AT(msdk_class, param_choice, 144);
AT(msdk_class, video_filter, 152);
AT(msdk_class, audio_filter, 160);
AT(msdk_class, video_encoder, 168);
AT(msdk_class, video_decoder, 176);
AT(msdk_class, audio_encoder, 184);
AT(msdk_class, audio_decoder, 192);

SIZE(msdk_module, 64);
AT(msdk_module, struct_size, 0);
AT(msdk_module, abi_minor, 4);
AT(msdk_module, min_host_minor, 8);
AT(msdk_module, class_count, 12);
AT(msdk_module, vendor, 16);
AT(msdk_module, version, 24);
AT(msdk_module, license, 32);
AT(msdk_module, url, 40);
AT(msdk_module, classes, 48);
AT(msdk_module, init, 56);

VALUE(MSDK_ABI_MAJOR, 1);
VALUE(MSDK_ABI_MINOR, 0);

VALUE(MSDK_LOG_DEBUG, 0);
VALUE(MSDK_LOG_INFO, 1);
VALUE(MSDK_LOG_WARN, 2);
VALUE(MSDK_LOG_ERROR, 3);
VALUE(MSDK_LOG_NONE, 4);

VALUE(MSDK_PLUGIN_EVENT_ERROR, 1);
VALUE(MSDK_PLUGIN_EVENT_FORMAT_CHANGED, 2);
VALUE(MSDK_PLUGIN_EVENT_ENDED, 3);
VALUE(MSDK_PLUGIN_EVENT_PARAM_CHANGED, 4);
VALUE(MSDK_PLUGIN_EVENT_DIED, 5);
VALUE(MSDK_PLUGIN_EVENT_RESTARTED, 6);
VALUE(MSDK_PLUGIN_EVENT_SLOW, 7);
VALUE(MSDK_PLUGIN_EVENT_CHOICES_CHANGED, 8);
VALUE(MSDK_PLUGIN_EVENT_USER, 65536);

VALUE(MSDK_PARAM_LIVE, 1);
VALUE(MSDK_PARAM_READONLY, 2);
VALUE(MSDK_PARAM_SECRET, 4);
VALUE(MSDK_PARAM_REQUIRED, 8);
VALUE(MSDK_PARAM_DYNAMIC_CHOICES, 16);

VALUE(MSDK_ARGS_MAX, 8);

VALUE(MSDK_COMMAND_THREAD_SAFE, 1);
VALUE(MSDK_COMMAND_CONST, 2);

VALUE(MSDK_PRODUCER_PULL, 1);
VALUE(MSDK_PRODUCER_LIVE, 2);
VALUE(MSDK_PRODUCER_TIMED, 4);
VALUE(MSDK_PRODUCER_ENCODED, 8);

VALUE(MSDK_KIND_VIDEO_PRODUCER, 1);
VALUE(MSDK_KIND_AUDIO_PRODUCER, 2);
VALUE(MSDK_KIND_VIDEO_RENDERER, 4);
VALUE(MSDK_KIND_AUDIO_RENDERER, 8);
VALUE(MSDK_KIND_VIDEO_FILTER, 16);
VALUE(MSDK_KIND_AUDIO_FILTER, 32);
VALUE(MSDK_KIND_VIDEO_ENCODER, 64);
VALUE(MSDK_KIND_VIDEO_DECODER, 128);
VALUE(MSDK_KIND_AUDIO_ENCODER, 256);
VALUE(MSDK_KIND_AUDIO_DECODER, 512);
VALUE(MSDK_ENCODE_KEY, 1);

VALUE(MSDK_CLASS_SINGLETON, 1);
VALUE(MSDK_CLASS_NO_ISOLATION, 2);
VALUE(MSDK_CLASS_UPRIGHT, 8);
VALUE(MSDK_CLASS_PREFERS_ISOLATION, 4);

/* ----------------------------------------------------------------------------------------------------------------------------- engine.h */

SIZE(msdk_engine_options, 16);
AT(msdk_engine_options, struct_size, 0);
AT(msdk_engine_options, clock, 4);
AT(msdk_engine_options, ignore_environment, 8);
AT(msdk_engine_options, reserved0, 12);

SIZE(msdk_class_info, 80);
AT(msdk_class_info, struct_size, 0);
AT(msdk_class_info, kinds, 4);
AT(msdk_class_info, flags, 8);
AT(msdk_class_info, param_count, 12);
AT(msdk_class_info, id, 16);
AT(msdk_class_info, name, 24);
AT(msdk_class_info, summary, 32);
AT(msdk_class_info, module_path, 40);
AT(msdk_class_info, module_vendor, 48);
AT(msdk_class_info, module_version, 56);
AT(msdk_class_info, module_license, 64);
AT(msdk_class_info, module_url, 72);

SIZE(msdk_instance_options, 32);
AT(msdk_instance_options, struct_size, 0);
AT(msdk_instance_options, isolation, 4);
AT(msdk_instance_options, flags, 8);
AT(msdk_instance_options, control_deadline_ms, 12);
AT(msdk_instance_options, media_deadline_ms, 16);
AT(msdk_instance_options, memory_max_mb, 20);
AT(msdk_instance_options, cpu_max_s, 24);
AT(msdk_instance_options, restarts_max, 28);

SIZE(msdk_log_record, 4152);
AT(msdk_log_record, struct_size, 0);
AT(msdk_log_record, level, 4);
AT(msdk_log_record, timestamp_ns, 8);
AT(msdk_log_record, dropped, 16);
AT(msdk_log_record, category, 24);
AT(msdk_log_record, text, 56);
SIZE(msdk_engine_stats, 56);
AT(msdk_engine_stats, struct_size, 0);
AT(msdk_engine_stats, sessions, 4);
AT(msdk_engine_stats, outgoing_videos, 8);
AT(msdk_engine_stats, incoming_videos, 12);
AT(msdk_engine_stats, instances, 16);
AT(msdk_engine_stats, threads, 20);
AT(msdk_engine_stats, frames, 24);
AT(msdk_engine_stats, encoded_frames, 28);
AT(msdk_engine_stats, log_dropped, 32);
AT(msdk_engine_stats, outgoing_audios, 40);
AT(msdk_engine_stats, incoming_audios, 44);
AT(msdk_engine_stats, audio_frames, 48);
AT(msdk_engine_stats, reserved0, 52);

VALUE(MSDK_CLOCK_SYSTEM, 0);
VALUE(MSDK_CLOCK_VIRTUAL, 1);

/* ------------------------------------------------------------------------------------------------------------------------------ frame.h */

SIZE(msdk_frame_layout, 128);
AT(msdk_frame_layout, struct_size, 0);
AT(msdk_frame_layout, plane_count, 4);
AT(msdk_frame_layout, offset, 8);
AT(msdk_frame_layout, plane_size, 40);
AT(msdk_frame_layout, stride, 72);
AT(msdk_frame_layout, row_bytes, 88);
AT(msdk_frame_layout, rows, 104);
AT(msdk_frame_layout, size, 120);

SIZE(msdk_frame_metadata, 272);
AT(msdk_frame_metadata, struct_size, 0);
AT(msdk_frame_metadata, frame_id, 4);
AT(msdk_frame_metadata, user_timestamp_us, 8);
AT(msdk_frame_metadata, user_data_size, 16);
AT(msdk_frame_metadata, reserved0, 20);
AT(msdk_frame_metadata, user_data, 24);

/* --------------------------------------------------------------------------------------------------------------------- incoming_audio.h */

SIZE(msdk_incoming_audio_options, 40);
AT(msdk_incoming_audio_options, struct_size, 0);
AT(msdk_incoming_audio_options, sample_rate, 4);
AT(msdk_incoming_audio_options, channels, 8);
AT(msdk_incoming_audio_options, sample_format, 12);
AT(msdk_incoming_audio_options, buffer_ms, 16);
AT(msdk_incoming_audio_options, delivery, 20);
AT(msdk_incoming_audio_options, output, 24);
AT(msdk_incoming_audio_options, queue_ms, 28);
AT(msdk_incoming_audio_options, queue_policy, 32);
AT(msdk_incoming_audio_options, reserved0, 36);

SIZE(msdk_incoming_audio_info, 328);
AT(msdk_incoming_audio_info, struct_size, 0);
AT(msdk_incoming_audio_info, state, 4);
AT(msdk_incoming_audio_info, kind, 8);
AT(msdk_incoming_audio_info, codec, 12);
AT(msdk_incoming_audio_info, is_muted, 16);
AT(msdk_incoming_audio_info, is_encrypted, 20);
AT(msdk_incoming_audio_info, user_id, 24);
AT(msdk_incoming_audio_info, format, 280);

SIZE(msdk_incoming_audio_stats, 144);
AT(msdk_incoming_audio_stats, struct_size, 0);
AT(msdk_incoming_audio_stats, state, 4);
AT(msdk_incoming_audio_stats, packets_received, 8);
AT(msdk_incoming_audio_stats, packets_lost, 16);
AT(msdk_incoming_audio_stats, packets_corrupt, 24);
AT(msdk_incoming_audio_stats, bytes_received, 32);
AT(msdk_incoming_audio_stats, fec_packets_recovered, 40);
AT(msdk_incoming_audio_stats, concealed_samples, 48);
AT(msdk_incoming_audio_stats, total_samples_received, 56);
AT(msdk_incoming_audio_stats, buffers_delivered, 64);
AT(msdk_incoming_audio_stats, buffers_dropped, 72);
AT(msdk_incoming_audio_stats, buffers_rendered, 80);
AT(msdk_incoming_audio_stats, total_decode_time_ns, 88);
AT(msdk_incoming_audio_stats, jitter_buffer_ns, 96);
AT(msdk_incoming_audio_stats, underruns, 104);
AT(msdk_incoming_audio_stats, late_samples, 112);
AT(msdk_incoming_audio_stats, drift_ppm, 120);
AT(msdk_incoming_audio_stats, level, 124);
AT(msdk_incoming_audio_stats, sources, 128);
AT(msdk_incoming_audio_stats, reserved0, 132);
AT(msdk_incoming_audio_stats, total_filter_time_ns, 136);

/* --------------------------------------------------------------------------------------------------------------------- incoming_video.h */

SIZE(msdk_incoming_video_options, 40);
AT(msdk_incoming_video_options, struct_size, 0);
AT(msdk_incoming_video_options, pixel_format, 4);
AT(msdk_incoming_video_options, width, 8);
AT(msdk_incoming_video_options, height, 12);
AT(msdk_incoming_video_options, delivery, 16);
AT(msdk_incoming_video_options, output, 20);
AT(msdk_incoming_video_options, queue_capacity, 24);
AT(msdk_incoming_video_options, encoded_queue_capacity, 28);
AT(msdk_incoming_video_options, queue_policy, 32);
AT(msdk_incoming_video_options, reserved0, 36);

SIZE(msdk_incoming_video_info, 376);
AT(msdk_incoming_video_info, struct_size, 0);
AT(msdk_incoming_video_info, state, 4);
AT(msdk_incoming_video_info, kind, 8);
AT(msdk_incoming_video_info, codec, 12);
AT(msdk_incoming_video_info, user_id, 16);
AT(msdk_incoming_video_info, format, 272);
AT(msdk_incoming_video_info, is_encrypted, 368);
AT(msdk_incoming_video_info, carries_metadata, 372);

SIZE(msdk_incoming_video_stats, 136);
AT(msdk_incoming_video_stats, struct_size, 0);
AT(msdk_incoming_video_stats, state, 4);
AT(msdk_incoming_video_stats, width, 8);
AT(msdk_incoming_video_stats, height, 12);
AT(msdk_incoming_video_stats, frames_per_second, 16);
AT(msdk_incoming_video_stats, frames_received, 24);
AT(msdk_incoming_video_stats, frames_lost, 32);
AT(msdk_incoming_video_stats, frames_decoded, 40);
AT(msdk_incoming_video_stats, key_frames_decoded, 48);
AT(msdk_incoming_video_stats, frames_corrupt, 56);
AT(msdk_incoming_video_stats, frames_skipped, 64);
AT(msdk_incoming_video_stats, frames_delivered, 72);
AT(msdk_incoming_video_stats, frames_dropped, 80);
AT(msdk_incoming_video_stats, bytes_received, 88);
AT(msdk_incoming_video_stats, key_frames_requested, 96);
AT(msdk_incoming_video_stats, total_decode_time_ns, 104);
AT(msdk_incoming_video_stats, freeze_count, 112);
AT(msdk_incoming_video_stats, frames_rendered, 120);
AT(msdk_incoming_video_stats, total_filter_time_ns, 128);

/* --------------------------------------------------------------------------------------------------------------------- outgoing_audio.h */

SIZE(msdk_outgoing_audio_options, 72);
AT(msdk_outgoing_audio_options, struct_size, 0);
AT(msdk_outgoing_audio_options, kind, 4);
AT(msdk_outgoing_audio_options, sample_rate, 8);
AT(msdk_outgoing_audio_options, channels, 12);
AT(msdk_outgoing_audio_options, sample_format, 16);
AT(msdk_outgoing_audio_options, buffer_ms, 20);
AT(msdk_outgoing_audio_options, queue_ms, 24);
AT(msdk_outgoing_audio_options, report_capacity, 28);
AT(msdk_outgoing_audio_options, codec, 32);
AT(msdk_outgoing_audio_options, encoded_input, 36);
AT(msdk_outgoing_audio_options, application, 40);
AT(msdk_outgoing_audio_options, complexity, 44);
AT(msdk_outgoing_audio_options, packet_ms, 48);
AT(msdk_outgoing_audio_options, fec, 52);
AT(msdk_outgoing_audio_options, expected_loss, 56);
AT(msdk_outgoing_audio_options, dtx, 60);
AT(msdk_outgoing_audio_options, bitrate, 64);

SIZE(msdk_outgoing_audio_info, 72);
AT(msdk_outgoing_audio_info, struct_size, 0);
AT(msdk_outgoing_audio_info, state, 4);
AT(msdk_outgoing_audio_info, kind, 8);
AT(msdk_outgoing_audio_info, codec, 12);
AT(msdk_outgoing_audio_info, encoded_input, 16);
AT(msdk_outgoing_audio_info, is_muted, 20);
AT(msdk_outgoing_audio_info, format, 24);

SIZE(msdk_outgoing_audio_stats, 144);
AT(msdk_outgoing_audio_stats, struct_size, 0);
AT(msdk_outgoing_audio_stats, state, 4);
AT(msdk_outgoing_audio_stats, buffers_offered, 8);
AT(msdk_outgoing_audio_stats, buffers_sent, 16);
AT(msdk_outgoing_audio_stats, buffers_encoded, 24);
AT(msdk_outgoing_audio_stats, buffers_dropped, 32);
AT(msdk_outgoing_audio_stats, buffers_failed, 40);
AT(msdk_outgoing_audio_stats, packets_sent, 48);
AT(msdk_outgoing_audio_stats, bytes_sent, 56);
AT(msdk_outgoing_audio_stats, queued_ns, 64);
AT(msdk_outgoing_audio_stats, total_encode_time_ns, 72);
AT(msdk_outgoing_audio_stats, level, 80);
AT(msdk_outgoing_audio_stats, is_muted, 84);
AT(msdk_outgoing_audio_stats, receivers, 88);
AT(msdk_outgoing_audio_stats, reserved0, 92);
AT(msdk_outgoing_audio_stats, bitrate, 96);
AT(msdk_outgoing_audio_stats, reports_dropped, 104);
AT(msdk_outgoing_audio_stats, gain, 112);
AT(msdk_outgoing_audio_stats, total_filter_time_ns, 120);
AT(msdk_outgoing_audio_stats, tap_buffers_dropped, 136);
AT(msdk_outgoing_audio_stats, caught_up_ns, 128);

VALUE(MSDK_AUDIO_MICROPHONE, 1);
VALUE(MSDK_AUDIO_SCREEN_SHARE, 2);

VALUE(MSDK_OPUS_VOIP, 0);
VALUE(MSDK_OPUS_AUDIO, 1);
VALUE(MSDK_OPUS_LOW_DELAY, 2);

/* --------------------------------------------------------------------------------------------------------------------- outgoing_video.h */

SIZE(msdk_video_limit, 16);
AT(msdk_video_limit, struct_size, 0);
AT(msdk_video_limit, width, 4);
AT(msdk_video_limit, height, 8);
AT(msdk_video_limit, fps, 12);

SIZE(msdk_outgoing_video_options, 104);
AT(msdk_outgoing_video_options, struct_size, 0);
AT(msdk_outgoing_video_options, kind, 4);
AT(msdk_outgoing_video_options, limits, 8);
AT(msdk_outgoing_video_options, codec, 12);
AT(msdk_outgoing_video_options, formats, 16);
AT(msdk_outgoing_video_options, format_count, 24);
AT(msdk_outgoing_video_options, preset, 28);
AT(msdk_outgoing_video_options, queue_policy, 32);
AT(msdk_outgoing_video_options, queue_capacity, 36);
AT(msdk_outgoing_video_options, encoded_input, 40);
AT(msdk_outgoing_video_options, encoder_threads, 44);
AT(msdk_outgoing_video_options, target_bitrate, 48);
AT(msdk_outgoing_video_options, min_bitrate, 56);
AT(msdk_outgoing_video_options, max_bitrate, 64);
AT(msdk_outgoing_video_options, key_frame_interval_ms, 72);
AT(msdk_outgoing_video_options, report_capacity, 76);
AT(msdk_outgoing_video_options, codecs, 80);
AT(msdk_outgoing_video_options, codec_count, 88);
AT(msdk_outgoing_video_options, most_layers, 92);
AT(msdk_outgoing_video_options, carries_metadata, 96);
AT(msdk_outgoing_video_options, reserved0, 100);

SIZE(msdk_outgoing_video_info, 120);
AT(msdk_outgoing_video_info, struct_size, 0);
AT(msdk_outgoing_video_info, state, 4);
AT(msdk_outgoing_video_info, kind, 8);
AT(msdk_outgoing_video_info, limits, 12);
AT(msdk_outgoing_video_info, codec, 16);
AT(msdk_outgoing_video_info, encoded_input, 20);
AT(msdk_outgoing_video_info, format, 24);

SIZE(msdk_video_tap_options, 24);
AT(msdk_video_tap_options, struct_size, 0);
AT(msdk_video_tap_options, output, 4);
AT(msdk_video_tap_options, queue_capacity, 8);
AT(msdk_video_tap_options, encoded_queue_capacity, 12);
AT(msdk_video_tap_options, queue_policy, 16);
AT(msdk_video_tap_options, reserved0, 20);
SIZE(msdk_audio_tap_options, 16);
AT(msdk_audio_tap_options, struct_size, 0);
AT(msdk_audio_tap_options, output, 4);
AT(msdk_audio_tap_options, queue_ms, 8);
AT(msdk_audio_tap_options, queue_policy, 12);
SIZE(msdk_outgoing_video_stats, 184);
AT(msdk_outgoing_video_stats, struct_size, 0);
AT(msdk_outgoing_video_stats, state, 4);
AT(msdk_outgoing_video_stats, width, 8);
AT(msdk_outgoing_video_stats, height, 12);
AT(msdk_outgoing_video_stats, frames_per_second, 16);
AT(msdk_outgoing_video_stats, frames_offered, 24);
AT(msdk_outgoing_video_stats, frames_sent, 32);
AT(msdk_outgoing_video_stats, frames_encoded, 40);
AT(msdk_outgoing_video_stats, frames_replaced, 48);
AT(msdk_outgoing_video_stats, frames_dropped, 56);
AT(msdk_outgoing_video_stats, frames_failed, 64);
AT(msdk_outgoing_video_stats, key_frames_encoded, 72);
AT(msdk_outgoing_video_stats, bytes_sent, 80);
AT(msdk_outgoing_video_stats, target_bitrate, 88);
AT(msdk_outgoing_video_stats, total_encode_time_ns, 96);
AT(msdk_outgoing_video_stats, format_changes, 104);
AT(msdk_outgoing_video_stats, key_frame_requests, 108);
AT(msdk_outgoing_video_stats, reports_dropped, 112);
AT(msdk_outgoing_video_stats, receivers, 120);
AT(msdk_outgoing_video_stats, layers, 124);
AT(msdk_outgoing_video_stats, paced_frames_per_second, 128);
AT(msdk_outgoing_video_stats, frames_repeated, 136);
AT(msdk_outgoing_video_stats, codec, 144);
AT(msdk_outgoing_video_stats, active_layers, 148);
AT(msdk_outgoing_video_stats, tap_frames_dropped, 160);
AT(msdk_outgoing_video_stats, wanted_width, 168);
AT(msdk_outgoing_video_stats, wanted_height, 172);
AT(msdk_outgoing_video_stats, wanted_frames_per_second, 176);
AT(msdk_outgoing_video_stats, total_filter_time_ns, 152);

VALUE(MSDK_VIDEO_VIRTUAL, 1);
VALUE(MSDK_VIDEO_SCREEN_SHARE, 2);

VALUE(MSDK_LIMITS_CONFERENCE, 0);
VALUE(MSDK_LIMITS_EXTENDED, 1);

VALUE(MSDK_PRESET_REALTIME, 0);
VALUE(MSDK_PRESET_FASTEST, 1);
VALUE(MSDK_PRESET_BALANCED, 2);
VALUE(MSDK_PRESET_QUALITY, 3);

/* ----------------------------------------------------------------------------------------------------------------------------- report.h */

SIZE(msdk_frame_report, 56);
AT(msdk_frame_report, struct_size, 0);
AT(msdk_frame_report, outcome, 4);
AT(msdk_frame_report, reason, 8);
AT(msdk_frame_report, key_frame, 12);
AT(msdk_frame_report, status, 16);
AT(msdk_frame_report, reserved0, 20);
AT(msdk_frame_report, sequence, 24);
AT(msdk_frame_report, timestamp_ns, 32);
AT(msdk_frame_report, bytes, 40);
AT(msdk_frame_report, user, 48);

VALUE(MSDK_OUTCOME_SENT, 1);
VALUE(MSDK_OUTCOME_ENCODED, 2);
VALUE(MSDK_OUTCOME_REPLACED, 3);
VALUE(MSDK_OUTCOME_DROPPED, 4);
VALUE(MSDK_OUTCOME_FAILED, 5);

VALUE(MSDK_DROP_NONE, 0);
VALUE(MSDK_DROP_NO_RECEIVER, 1);
VALUE(MSDK_DROP_NOT_CONNECTED, 2);
VALUE(MSDK_DROP_ENCODER, 3);
VALUE(MSDK_DROP_STOPPED, 4);
VALUE(MSDK_DROP_PACED, 5);
VALUE(MSDK_DROP_QUEUE, 6);
VALUE(MSDK_DROP_NETWORK, 7);
VALUE(MSDK_DROP_MUTED, 8);
VALUE(MSDK_DROP_FLUSHED, 9);
VALUE(MSDK_DROP_FILTER, 10);
VALUE(MSDK_DROP_NO_KEY, 11);

/* ------------------------------------------------------------------------------------------------------------------------------- room.h */

SIZE(msdk_network_step, 56);
AT(msdk_network_step, struct_size, 0);
AT(msdk_network_step, flags, 4);
AT(msdk_network_step, at_ns, 8);
AT(msdk_network_step, bandwidth_bps, 16);
AT(msdk_network_step, delay_ns, 24);
AT(msdk_network_step, jitter_ns, 32);
AT(msdk_network_step, loss_ppm, 40);
AT(msdk_network_step, reserved0, 44);
AT(msdk_network_step, queue_ns, 48);

SIZE(msdk_network_script, 32);
AT(msdk_network_script, struct_size, 0);
AT(msdk_network_script, step_count, 4);
AT(msdk_network_script, steps, 8);
AT(msdk_network_script, seed, 16);
AT(msdk_network_script, user_id, 24);

VALUE(MSDK_NETWORK_DISCONNECTED, 1);

VALUE(MSDK_ACCESS_RENEWAL, 1);
SIZE(msdk_access_grant, 24);
AT(msdk_access_grant, struct_size, 0);
AT(msdk_access_grant, permissions, 4);
AT(msdk_access_grant, lifetime_ns, 8);
AT(msdk_access_grant, reason, 16);

SIZE(msdk_access_request, 4888);
AT(msdk_access_request, struct_size, 0);
AT(msdk_access_request, permissions, 4);
AT(msdk_access_request, id, 8);
AT(msdk_access_request, flags, 16);
AT(msdk_access_request, reserved0, 20);
AT(msdk_access_request, room, 24);
AT(msdk_access_request, user_id, 280);
AT(msdk_access_request, display_name, 536);
AT(msdk_access_request, access_token, 792);

SIZE(msdk_room_options, 40);
AT(msdk_room_options, struct_size, 0);
AT(msdk_room_options, capacity, 4);
AT(msdk_room_options, duplicates, 8);
AT(msdk_room_options, permissions, 12);
AT(msdk_room_options, pulled, 16);
AT(msdk_room_options, reserved0, 20);
AT(msdk_room_options, verify, 24);
AT(msdk_room_options, user, 32);

VALUE(MSDK_MAY_NOTHING, 0x40000000);
VALUE(MSDK_MAY_PUBLISH_VIDEO, 1);
VALUE(MSDK_MAY_PUBLISH_AUDIO, 2);
VALUE(MSDK_MAY_SHARE_SCREEN, 4);
VALUE(MSDK_MAY_RECEIVE, 8);
VALUE(MSDK_MAY_MODERATE, 16);
VALUE(MSDK_MAY_SEND_DATA, 32);

VALUE(MSDK_DUPLICATE_REFUSE, 0);
VALUE(MSDK_DUPLICATE_REPLACE, 1);

/* ---------------------------------------------------------------------------------------------------------------------------- session.h */

SIZE(msdk_session_options, 64);
AT(msdk_session_options, struct_size, 0);
AT(msdk_session_options, event_capacity, 4);
AT(msdk_session_options, url, 8);
AT(msdk_session_options, user_id, 16);
AT(msdk_session_options, display_name, 24);
AT(msdk_session_options, access_token, 32);
AT(msdk_session_options, capture_path, 40);
AT(msdk_session_options, capture_flags, 48);
AT(msdk_session_options, encrypt_frames, 52);
AT(msdk_session_options, encrypt_data, 56);
AT(msdk_session_options, reserved0, 60);

SIZE(msdk_participant, 552);
AT(msdk_participant, struct_size, 0);
AT(msdk_participant, is_local, 4);
AT(msdk_participant, video_stream_count, 8);
AT(msdk_participant, reserved0, 12);
AT(msdk_participant, user_id, 16);
AT(msdk_participant, display_name, 272);
AT(msdk_participant, audio_stream_count, 528);
AT(msdk_participant, is_speaking, 532);
AT(msdk_participant, audio_level, 536);
AT(msdk_participant, is_sharing_screen, 540);
AT(msdk_participant, permissions, 544);
AT(msdk_participant, reserved2, 548);

SIZE(msdk_event, 1008);
AT(msdk_event, struct_size, 0);
AT(msdk_event, type, 4);
AT(msdk_event, flags, 8);
AT(msdk_event, state, 12);
AT(msdk_event, status, 16);
AT(msdk_event, codec, 20);
AT(msdk_event, timestamp_ns, 24);
AT(msdk_event, value, 32);
AT(msdk_event, outgoing_video, 40);
AT(msdk_event, sender, 48);
AT(msdk_event, incoming_video, 56);
AT(msdk_event, instance, 64);
AT(msdk_event, format, 72);
AT(msdk_event, user_id, 168);
AT(msdk_event, text, 424);
AT(msdk_event, outgoing_audio, 936);
AT(msdk_event, incoming_audio, 944);
AT(msdk_event, audio_format, 952);
AT(msdk_event, kind, 1000);
AT(msdk_event, direction, 1004);

SIZE(msdk_session_stats, 136);
AT(msdk_session_stats, struct_size, 0);
AT(msdk_session_stats, state, 4);
AT(msdk_session_stats, available_outgoing_bitrate, 8);
AT(msdk_session_stats, bytes_sent, 16);
AT(msdk_session_stats, bytes_received, 24);
AT(msdk_session_stats, packets_sent, 32);
AT(msdk_session_stats, packets_received, 40);
AT(msdk_session_stats, packets_lost, 48);
AT(msdk_session_stats, events_queued, 56);
AT(msdk_session_stats, events_dropped, 64);
AT(msdk_session_stats, participants, 72);
AT(msdk_session_stats, reserved0, 76);
AT(msdk_session_stats, packets_foreign, 80);
AT(msdk_session_stats, packets_refused, 88);
AT(msdk_session_stats, packets_forged, 96);
AT(msdk_session_stats, packets_replayed, 104);
AT(msdk_session_stats, packets_unsent, 112);
AT(msdk_session_stats, round_trip_time_ns, 120);
AT(msdk_session_stats, outgoing_quality, 128);
AT(msdk_session_stats, incoming_quality, 132);

SIZE(msdk_outbound_stats, 208);
AT(msdk_outbound_stats, struct_size, 0);
AT(msdk_outbound_stats, ssrc, 4);
AT(msdk_outbound_stats, packets_sent, 8);
AT(msdk_outbound_stats, bytes_sent, 16);
AT(msdk_outbound_stats, header_bytes_sent, 24);
AT(msdk_outbound_stats, retransmitted_packets_sent, 32);
AT(msdk_outbound_stats, retransmitted_bytes_sent, 40);
AT(msdk_outbound_stats, nack_count, 48);
AT(msdk_outbound_stats, pli_count, 56);
AT(msdk_outbound_stats, fir_count, 64);
AT(msdk_outbound_stats, frames_sent, 72);
AT(msdk_outbound_stats, key_frames_sent, 80);
AT(msdk_outbound_stats, huge_frames_sent, 88);
AT(msdk_outbound_stats, total_packet_send_delay_ns, 96);
AT(msdk_outbound_stats, target_bitrate, 104);
AT(msdk_outbound_stats, reported_at_ns, 112);
AT(msdk_outbound_stats, packets_lost, 120);
AT(msdk_outbound_stats, fraction_lost, 128);
AT(msdk_outbound_stats, jitter_ns, 136);
AT(msdk_outbound_stats, round_trip_time_ns, 144);
AT(msdk_outbound_stats, total_round_trip_time_ns, 152);
AT(msdk_outbound_stats, round_trip_time_measurements, 160);
AT(msdk_outbound_stats, available_outgoing_bitrate, 168);
AT(msdk_outbound_stats, queued_packets, 176);
AT(msdk_outbound_stats, queued_bytes, 184);
AT(msdk_outbound_stats, queue_delay_ns, 192);
AT(msdk_outbound_stats, expired_packets, 200);

SIZE(msdk_inbound_stats, 224);
AT(msdk_inbound_stats, struct_size, 0);
AT(msdk_inbound_stats, ssrc, 4);
AT(msdk_inbound_stats, packets_received, 8);
AT(msdk_inbound_stats, bytes_received, 16);
AT(msdk_inbound_stats, header_bytes_received, 24);
AT(msdk_inbound_stats, retransmitted_packets_received, 32);
AT(msdk_inbound_stats, retransmitted_bytes_received, 40);
AT(msdk_inbound_stats, packets_repaired, 48);
AT(msdk_inbound_stats, packets_discarded, 56);
AT(msdk_inbound_stats, packets_lost, 64);
AT(msdk_inbound_stats, jitter_ns, 72);
AT(msdk_inbound_stats, last_packet_received_ns, 80);
AT(msdk_inbound_stats, nack_count, 88);
AT(msdk_inbound_stats, pli_count, 96);
AT(msdk_inbound_stats, frames_received, 104);
AT(msdk_inbound_stats, key_frames_received, 112);
AT(msdk_inbound_stats, frames_dropped, 120);
AT(msdk_inbound_stats, frames_assembled_from_multiple_packets, 128);
AT(msdk_inbound_stats, total_assembly_time_ns, 136);
AT(msdk_inbound_stats, frame_width, 144);
AT(msdk_inbound_stats, frame_height, 148);
AT(msdk_inbound_stats, freeze_count, 152);
AT(msdk_inbound_stats, total_freezes_duration_ns, 160);
AT(msdk_inbound_stats, jitter_buffer_delay_ns, 168);
AT(msdk_inbound_stats, jitter_buffer_target_delay_ns, 176);
AT(msdk_inbound_stats, jitter_buffer_emitted_count, 184);
AT(msdk_inbound_stats, total_samples_received, 192);
AT(msdk_inbound_stats, concealed_samples, 200);
AT(msdk_inbound_stats, concealment_events, 208);
AT(msdk_inbound_stats, round_trip_time_ns, 216);

VALUE(MSDK_SESSION_IDLE, 0x100);
VALUE(MSDK_SESSION_CONNECTING, 0x101);
VALUE(MSDK_SESSION_CONNECTED, 0x102);
VALUE(MSDK_SESSION_RECONNECTING, 0x103);
VALUE(MSDK_SESSION_DISCONNECTING, 0x104);
VALUE(MSDK_SESSION_DISCONNECTED, 0x105);

VALUE(MSDK_EVENT_NONE, 0);
VALUE(MSDK_EVENT_SESSION_STATE, 1);
VALUE(MSDK_EVENT_PARTICIPANT_JOINED, 2);
VALUE(MSDK_EVENT_PARTICIPANT_LEFT, 3);
VALUE(MSDK_EVENT_OUTGOING_VIDEO_STATE, 4);
VALUE(MSDK_EVENT_FRAME_SENDER_CHANGED, 5);
VALUE(MSDK_EVENT_INCOMING_VIDEO_ADDED, 6);
VALUE(MSDK_EVENT_INCOMING_VIDEO_STATE, 7);
VALUE(MSDK_EVENT_INCOMING_VIDEO_REMOVED, 8);
VALUE(MSDK_EVENT_ESTIMATE, 9);
VALUE(MSDK_EVENT_PLUGIN, 10);
VALUE(MSDK_EVENT_KEY_FRAME_REQUESTED, 11);
VALUE(MSDK_EVENT_OUTGOING_AUDIO_STATE, 12);
VALUE(MSDK_EVENT_INCOMING_AUDIO_ADDED, 13);
VALUE(MSDK_EVENT_INCOMING_AUDIO_STATE, 14);
VALUE(MSDK_EVENT_INCOMING_AUDIO_REMOVED, 15);
VALUE(MSDK_EVENT_INCOMING_AUDIO_MUTED, 16);
VALUE(MSDK_EVENT_ACTIVE_SPEAKER, 17);
VALUE(MSDK_EVENT_SCREEN_SHARE_STATE, 18);
VALUE(MSDK_EVENT_MODERATED, 19);
VALUE(MSDK_EVENT_INGEST, 20);
VALUE(MSDK_EVENT_CODEC_CHANGED, 21);
VALUE(MSDK_EVENT_NETWORK_QUALITY, 22);
VALUE(MSDK_EVENT_STREAM_UNREACHABLE, 23);
VALUE(MSDK_EVENT_AUDIO_LEVEL, 24);
VALUE(MSDK_EVENT_STATS, 25);
VALUE(MSDK_EVENT_RECEIVERS, 26);
VALUE(MSDK_EVENT_ACCESS_EXPIRING, 27);
VALUE(MSDK_EVENT_ACCESS_RENEWED, 28);
VALUE(MSDK_EVENT_PARTICIPANT_ATTRIBUTE, 29);
VALUE(MSDK_EVENT_OUTGOING_VIDEO_WANTED, 30);
VALUE(MSDK_EVENT_NEGOTIATION_NEEDED, 31);
VALUE(MSDK_EVENT_LOCAL_CANDIDATE, 32);
VALUE(MSDK_EVENT_CANDIDATES_COMPLETE, 33);
VALUE(MSDK_EVENT_RESTART_WANTED, 34);
VALUE(MSDK_EVENT_ICE_SERVER_FAILED, 35);
VALUE(MSDK_EVENT_DATA_CHANNEL_OPENED, 36);
VALUE(MSDK_EVENT_DATA_CHANNEL_CLOSED, 37);
VALUE(MSDK_EVENT_MESSAGE_AVAILABLE, 38);
VALUE(MSDK_EVENT_DATA_CHANNEL_LOW, 39);
VALUE(MSDK_EVENT_DATA_AVAILABLE, 40);
VALUE(MSDK_EVENT_DATA_WRITABLE, 41);
VALUE(MSDK_EVENT_STREAM_ENCRYPTION, 42);
VALUE(MSDK_EVENT_RPC_AVAILABLE, 43);
VALUE(MSDK_EVENT_DATA_STREAM_AVAILABLE, 44);
VALUE(MSDK_EVENT_DATA_ENCRYPTION, 45);
VALUE(MSDK_ATTRIBUTES_MAX, 32);
VALUE(MSDK_ATTRIBUTE_KEY_MAX, 63);
VALUE(MSDK_ATTRIBUTE_VALUE_MAX, 1023);
SIZE(msdk_attribute, 1096);
AT(msdk_attribute, struct_size, 0);
AT(msdk_attribute, reserved0, 4);
AT(msdk_attribute, key, 8);
AT(msdk_attribute, value, 72);
VALUE(MSDK_QUALITY_UNKNOWN, 0x600);
VALUE(MSDK_QUALITY_BAD, 0x601);
VALUE(MSDK_QUALITY_POOR, 0x602);
VALUE(MSDK_QUALITY_GOOD, 0x603);
VALUE(MSDK_DIRECTION_OUTGOING, 1);
VALUE(MSDK_DIRECTION_INCOMING, 2);
VALUE(MSDK_CAPTURE_PLAIN, 1);

VALUE(MSDK_MODERATION_REMOVED, 1);
VALUE(MSDK_MODERATION_MUTED, 2);
VALUE(MSDK_MODERATION_UNMUTED, 3);

VALUE(MSDK_SCREEN_SHARE_DISABLED, 0x400);
VALUE(MSDK_SCREEN_SHARE_ENABLED, 0x401);
VALUE(MSDK_SPEAKER_SILENT, 0x700);
VALUE(MSDK_SPEAKER_ACTIVE, 0x701);

VALUE(MSDK_EVENT_FLAG_LOST, 1);

/* ------------------------------------------------------------------------------------------------------------------------------ error.h */

VALUE(MSDK_VERSION_MAJOR, 0);
VALUE(MSDK_VERSION_MINOR, 1);
VALUE(MSDK_VERSION_PATCH, 0);
VALUE(MSDK_VERSION_NUMBER, 256);

/* ---------------------------------------------------------------------------------------------------------------------------- handles.h */

VALUE(MSDK_TEXT_MAX, 1024);
VALUE(MSDK_NAME_MAX, 255);
VALUE(MSDK_ACCESS_TOKEN_MAX, 4095);

VALUE(MSDK_POLICY_DROP_OLDEST, 0);
VALUE(MSDK_POLICY_DROP_NEWEST, 1);
VALUE(MSDK_POLICY_WAIT, 2);

VALUE(MSDK_OUTGOING_NONE, 0x200);
VALUE(MSDK_OUTGOING_STARTED, 0x201);
VALUE(MSDK_OUTGOING_STOPPED, 0x202);
VALUE(MSDK_OUTGOING_FAILED, 0x203);

VALUE(MSDK_INCOMING_AVAILABLE, 0x300);
VALUE(MSDK_INCOMING_STARTED, 0x301);
VALUE(MSDK_INCOMING_STOPPING, 0x302);
VALUE(MSDK_INCOMING_STOPPED, 0x303);
VALUE(MSDK_INCOMING_NOT_AVAILABLE, 0x304);

VALUE(MSDK_DELIVERY_QUEUED, 0);
VALUE(MSDK_DELIVERY_DIRECT, 1);

VALUE(MSDK_OUTPUT_RAW, 0);
VALUE(MSDK_OUTPUT_ENCODED, 1);
VALUE(MSDK_OUTPUT_BOTH, 2);

/* --------------------------------------------------------------------------------------------------------------------------- instance.h */

VALUE(MSDK_INSTANCE_CREATED, 0x800);
VALUE(MSDK_INSTANCE_READY, 0x801);
VALUE(MSDK_INSTANCE_STARTED, 0x802);
VALUE(MSDK_ISOLATION_DEFAULT, 0);
VALUE(MSDK_ISOLATION_NONE, 1);
VALUE(MSDK_ISOLATION_PROCESS, 2);
VALUE(MSDK_ISOLATED_MAY_FORK, 1);
VALUE(MSDK_ISOLATED_NO_NETWORK, 2);
VALUE(MSDK_ISOLATED_READ_ONLY, 4);
VALUE(MSDK_CONTAINED_CALLS, 1);
VALUE(MSDK_CONTAINED_USER, 2);
VALUE(MSDK_CONTAINED_PROCESSES, 4);
VALUE(MSDK_CONTAINED_IPC, 8);
VALUE(MSDK_CONTAINED_NETWORK, 16);
VALUE(MSDK_CONTAINED_FILES, 32);

SIZE(msdk_instance_isolation, 16);
AT(msdk_instance_isolation, struct_size, 0);
AT(msdk_instance_isolation, is_isolated, 4);
AT(msdk_instance_isolation, containment, 8);
AT(msdk_instance_isolation, reserved0, 12);
SIZE(msdk_video_pull_options, 16);
AT(msdk_video_pull_options, struct_size, 0);
AT(msdk_video_pull_options, queue_capacity, 4);
AT(msdk_video_pull_options, queue_policy, 8);
AT(msdk_video_pull_options, reserved0, 12);
SIZE(msdk_audio_pull_options, 16);
AT(msdk_audio_pull_options, struct_size, 0);
AT(msdk_audio_pull_options, queue_ms, 4);
AT(msdk_audio_pull_options, queue_policy, 8);
AT(msdk_audio_pull_options, reserved0, 12);

SIZE(msdk_instance_event, 544);
AT(msdk_instance_event, struct_size, 0);
AT(msdk_instance_event, event, 4);
AT(msdk_instance_event, status, 8);
AT(msdk_instance_event, flags, 12);
AT(msdk_instance_event, timestamp_ns, 16);
AT(msdk_instance_event, instance, 24);
AT(msdk_instance_event, text, 32);

/* ---------------------------------------------------------------------------------------------------------------------------- ingest.h */

SIZE(msdk_ingest_options, 64);
AT(msdk_ingest_options, struct_size, 0);
AT(msdk_ingest_options, port, 4);
AT(msdk_ingest_options, socket_path, 8);
AT(msdk_ingest_options, transmission_token, 16);
AT(msdk_ingest_options, reception_token, 24);
AT(msdk_ingest_options, transmission_token_size, 32);
AT(msdk_ingest_options, reception_token_size, 36);
AT(msdk_ingest_options, limits, 40);
AT(msdk_ingest_options, codec, 44);
AT(msdk_ingest_options, fps, 48);
AT(msdk_ingest_options, preset, 52);
AT(msdk_ingest_options, target_bitrate, 56);

VALUE(MSDK_INGEST_TOKEN_MIN, 16);
VALUE(MSDK_INGEST_TOKEN_MAX, 255);

VALUE(MSDK_INGEST_FEEDER_CONNECTED, 0x501);
VALUE(MSDK_INGEST_FEEDER_DISCONNECTED, 0x502);
VALUE(MSDK_INGEST_FEEDER_REFUSED, 0x503);
VALUE(MSDK_INGEST_SHARING, 0x504);

/* ---------------------------------------------------------------------------------------------------------------------------- feeder.h */

SIZE(msdk_feeder_options, 48);
AT(msdk_feeder_options, struct_size, 0);
AT(msdk_feeder_options, port, 4);
AT(msdk_feeder_options, socket_path, 8);
AT(msdk_feeder_options, transmission_token, 16);
AT(msdk_feeder_options, reception_token, 24);
AT(msdk_feeder_options, transmission_token_size, 32);
AT(msdk_feeder_options, reception_token_size, 36);
AT(msdk_feeder_options, timeout_ms, 40);
AT(msdk_feeder_options, slots, 44);

SIZE(msdk_feeder_frame, 168);
AT(msdk_feeder_frame, struct_size, 0);
AT(msdk_feeder_frame, pixel_format, 4);
AT(msdk_feeder_frame, width, 8);
AT(msdk_feeder_frame, height, 12);
AT(msdk_feeder_frame, orientation, 16);
AT(msdk_feeder_frame, color_matrix, 20);
AT(msdk_feeder_frame, color_full_range, 24);
AT(msdk_feeder_frame, slot, 28);
AT(msdk_feeder_frame, timestamp_ns, 32);
AT(msdk_feeder_frame, plane, 40);

/* ---------------------------------------------------------------------------------------------------------------------- macros */

VALUE(MSDK_ZERO, 0xFFFFFFFFu);
VALUE(MSDK_TIME_ZERO, INT64_MIN);
VALUE(MSDK_WRITE_END, 1);
VALUE(MSDK_WAIT_FOREVER, 0xFFFFFFFFu);
VALUE(sizeof(MSDK_ENTRY_SYMBOL), sizeof("msdk_plugin_entry_v1"));

/* ------------------------------------------------------------------------------------------------------------------------------ time.h */

VALUE(MSDK_TICK_RATE, 10000000);

/* ------------------------------------------------------------------------------------------------------------------------------ view.h */

SIZE(msdk_video_preference, 24);
AT(msdk_video_preference, struct_size, 0);
AT(msdk_video_preference, width, 4);
AT(msdk_video_preference, height, 8);
AT(msdk_video_preference, fps_num, 12);
AT(msdk_video_preference, fps_den, 16);
AT(msdk_video_preference, priority, 20);
VALUE(MSDK_PRIORITY_MEDIUM, 0);
VALUE(MSDK_PRIORITY_HIGH, 1);
VALUE(MSDK_PRIORITY_LOW, 2);
VALUE(MSDK_PRIORITY_VERY_LOW, 3);

SIZE(msdk_view, 24);
AT(msdk_view, struct_size, 0);
AT(msdk_view, width, 4);
AT(msdk_view, height, 8);
AT(msdk_view, scale, 12);
AT(msdk_view, orientation, 16);
AT(msdk_view, background, 20);

SIZE(msdk_rectangle, 16);
AT(msdk_rectangle, x, 0);
AT(msdk_rectangle, y, 4);
AT(msdk_rectangle, width, 8);
AT(msdk_rectangle, height, 12);

SIZE(msdk_placement, 40);
AT(msdk_placement, struct_size, 0);
AT(msdk_placement, orientation, 4);
AT(msdk_placement, source, 8);
AT(msdk_placement, target, 24);

VALUE(MSDK_SCALE_FIT, 0);
VALUE(MSDK_SCALE_FILL, 1);
VALUE(MSDK_SCALE_STRETCH, 2);

/* ------------------------------------------------------------------------------------------------------------------------------- data.h */

VALUE(MSDK_DATA_MAX, 15360);
VALUE(MSDK_DATA_TOPIC_MAX, 255);
VALUE(MSDK_DATA_RECIPIENTS_MAX, 100);
VALUE(MSDK_DATA_LOSSY, 1);
SIZE(msdk_data_options, 32);
AT(msdk_data_options, struct_size, 0);
AT(msdk_data_options, flags, 4);
AT(msdk_data_options, topic, 8);
AT(msdk_data_options, recipients, 16);
AT(msdk_data_options, recipient_count, 24);
AT(msdk_data_options, reserved0, 28);
SIZE(msdk_data_message, 536);
AT(msdk_data_message, struct_size, 0);
AT(msdk_data_message, flags, 4);
AT(msdk_data_message, size, 8);
AT(msdk_data_message, missed, 16);
AT(msdk_data_message, user_id, 24);
AT(msdk_data_message, topic, 280);

/* ------------------------------------------------------------------------------------------------------------------------ data_stream.h */

VALUE(MSDK_DATA_STREAM_CHUNK_MAX, 15000);
VALUE(MSDK_DATA_STREAM_ID_MAX, 128);
VALUE(MSDK_DATA_STREAM_ATTACHMENTS_MAX, 32);
VALUE(MSDK_DATA_STREAM_TEXT, 0xB00);
VALUE(MSDK_DATA_STREAM_BYTES, 0xB01);
VALUE(MSDK_DATA_PART_BEGAN, 0xB10);
VALUE(MSDK_DATA_PART_CHUNK, 0xB11);
VALUE(MSDK_DATA_PART_ENDED, 0xB12);
VALUE(MSDK_DATA_PART_ABORTED, 0xB13);
SIZE(msdk_data_stream_options, 96);
AT(msdk_data_stream_options, struct_size, 0);
AT(msdk_data_stream_options, type, 4);
AT(msdk_data_stream_options, topic, 8);
AT(msdk_data_stream_options, name, 16);
AT(msdk_data_stream_options, mime_type, 24);
AT(msdk_data_stream_options, total_size, 32);
AT(msdk_data_stream_options, recipients, 40);
AT(msdk_data_stream_options, attributes, 48);
AT(msdk_data_stream_options, recipient_count, 56);
AT(msdk_data_stream_options, attribute_count, 60);
AT(msdk_data_stream_options, id, 64);
AT(msdk_data_stream_options, reply_to, 72);
AT(msdk_data_stream_options, attachments, 80);
AT(msdk_data_stream_options, attachment_count, 88);
AT(msdk_data_stream_options, reserved0, 92);
SIZE(msdk_data_stream_part, 1488);
AT(msdk_data_stream_part, struct_size, 0);
AT(msdk_data_stream_part, part, 4);
AT(msdk_data_stream_part, stream, 8);
AT(msdk_data_stream_part, size, 16);
AT(msdk_data_stream_part, total_size, 24);
AT(msdk_data_stream_part, missed, 32);
AT(msdk_data_stream_part, began_ms, 40);
AT(msdk_data_stream_part, type, 48);
AT(msdk_data_stream_part, attribute_count, 52);
AT(msdk_data_stream_part, user_id, 56);
AT(msdk_data_stream_part, topic, 312);
AT(msdk_data_stream_part, name, 568);
AT(msdk_data_stream_part, mime_type, 824);
AT(msdk_data_stream_part, text, 952);
AT(msdk_data_stream_part, attachment_count, 1208);
AT(msdk_data_stream_part, reserved0, 1212);
AT(msdk_data_stream_part, id, 1216);
AT(msdk_data_stream_part, reply_to, 1352);
SIZE(msdk_data_stream_attachment, 144);
AT(msdk_data_stream_attachment, struct_size, 0);
AT(msdk_data_stream_attachment, reserved0, 4);
AT(msdk_data_stream_attachment, id, 8);

/* -------------------------------------------------------------------------------------------------------------------------------- rpc.h */

VALUE(MSDK_RPC_PAYLOAD_MAX, 15360);
VALUE(MSDK_RPC_METHOD_MAX, 64);
VALUE(MSDK_RPC_REQUEST, 0xA00);
VALUE(MSDK_RPC_RESPONSE, 0xA01);
VALUE(MSDK_RPC_FAILURE, 0xA02);
VALUE(MSDK_RPC_ERROR_METHOD_NOT_REGISTERED, 1400);
VALUE(MSDK_RPC_ERROR_REQUEST_TOO_LONG, 1402);
VALUE(MSDK_RPC_ERROR_VERSION_NOT_SUPPORTED, 1404);
VALUE(MSDK_RPC_ERROR_NOT_ACCEPTED, 1500);
VALUE(MSDK_RPC_ERROR_NOT_ACKNOWLEDGED, 1501);
VALUE(MSDK_RPC_ERROR_NO_RESPONSE, 1502);
VALUE(MSDK_RPC_ERROR_PARTICIPANT_LEFT, 1503);
SIZE(msdk_rpc_message, 616);
AT(msdk_rpc_message, struct_size, 0);
AT(msdk_rpc_message, kind, 4);
AT(msdk_rpc_message, call, 8);
AT(msdk_rpc_message, size, 16);
AT(msdk_rpc_message, timeout_ms, 24);
AT(msdk_rpc_message, code, 28);
AT(msdk_rpc_message, user_id, 32);
AT(msdk_rpc_message, method, 288);
AT(msdk_rpc_message, text, 360);

/* ------------------------------------------------------------------------------------------------------------------------- encryption.h */

VALUE(MSDK_FRAME_USER_DATA_MAX, 248);
VALUE(MSDK_FRAME_KEY_MAX, 256);
VALUE(MSDK_FRAME_KEY_INDEX_MAX, 15);
VALUE(MSDK_ENCRYPTION_ACTIVE, 0x900);
VALUE(MSDK_ENCRYPTION_NO_KEY, 0x901);
VALUE(MSDK_ENCRYPTION_WRONG_KEY, 0x902);
VALUE(MSDK_ENCRYPTION_NOT_ENCRYPTED, 0x903);

/* -------------------------------------------------------------------------------------------------------------------------------- rtp.h */

VALUE(MSDK_SDP_OFFER, 1);
VALUE(MSDK_SDP_ANSWER, 2);
VALUE(MSDK_SDP_ANNOUNCED, 3);
VALUE(MSDK_SDP_MAX, 65536);
VALUE(MSDK_SDP_ROLLBACK, 4);
VALUE(MSDK_DESCRIPTION_APPLIED, 1);
VALUE(MSDK_DESCRIPTION_IGNORED, 2);
VALUE(MSDK_CANDIDATE_MAX, 1024);
VALUE(MSDK_DATA_CHANNEL_UNORDERED, 1);
VALUE(MSDK_DATA_CHANNEL_LIMITED_RETRANSMITS, 2);
VALUE(MSDK_DATA_CHANNEL_LIMITED_LIFETIME, 4);
VALUE(MSDK_DATA_CHANNEL_NEGOTIATED, 8);
VALUE(MSDK_MESSAGE_TEXT, 1);
VALUE(MSDK_MESSAGE_BINARY, 2);
VALUE(MSDK_MESSAGE_MAX, 262144);

SIZE(msdk_data_channel_options, 40);
AT(msdk_data_channel_options, struct_size, 0);
AT(msdk_data_channel_options, flags, 4);
AT(msdk_data_channel_options, label, 8);
AT(msdk_data_channel_options, protocol, 16);
AT(msdk_data_channel_options, number, 24);
AT(msdk_data_channel_options, max_retransmits, 28);
AT(msdk_data_channel_options, lifetime_ms, 32);
AT(msdk_data_channel_options, reserved0, 36);

/* ---------------------------------------------------------------------------------------------------------------------------- access.h */

VALUE(MSDK_GRANT_JOIN, 1);
VALUE(MSDK_GRANT_PUBLISH, 2);
VALUE(MSDK_GRANT_SUBSCRIBE, 4);
VALUE(MSDK_GRANT_PUBLISH_DATA, 8);
VALUE(MSDK_GRANT_UPDATE_METADATA, 16);
VALUE(MSDK_GRANT_ADMIN, 32);
VALUE(MSDK_GRANT_HIDDEN, 64);
VALUE(MSDK_GRANT_MEMBER, 15);
VALUE(MSDK_SOURCE_CAMERA, 1);
VALUE(MSDK_SOURCE_MICROPHONE, 2);
VALUE(MSDK_SOURCE_SCREEN_SHARE, 4);
VALUE(MSDK_SOURCE_SCREEN_SHARE_AUDIO, 8);

SIZE(msdk_key_value, 16);
AT(msdk_key_value, key, 0);
AT(msdk_key_value, value, 8);

SIZE(msdk_access_token_options, 80);
AT(msdk_access_token_options, struct_size, 0);
AT(msdk_access_token_options, grants, 4);
AT(msdk_access_token_options, sources, 8);
AT(msdk_access_token_options, lifetime_s, 12);
AT(msdk_access_token_options, api_key, 16);
AT(msdk_access_token_options, api_secret, 24);
AT(msdk_access_token_options, room, 32);
AT(msdk_access_token_options, user_id, 40);
AT(msdk_access_token_options, display_name, 48);
AT(msdk_access_token_options, metadata, 56);
AT(msdk_access_token_options, attributes, 64);
AT(msdk_access_token_options, attribute_count, 72);
AT(msdk_access_token_options, reserved0, 76);

/* ------------------------------------------------------------------------------------------------------------------------------ serve.h */

SIZE(msdk_serve_options, 64);
AT(msdk_serve_options, struct_size, 0);
AT(msdk_serve_options, port, 4);
AT(msdk_serve_options, addresses, 8);
AT(msdk_serve_options, certificate, 16);
AT(msdk_serve_options, key, 24);
AT(msdk_serve_options, api_key, 32);
AT(msdk_serve_options, api_secret, 40);
AT(msdk_serve_options, most_members, 48);
AT(msdk_serve_options, media_port, 52);
AT(msdk_serve_options, public_addresses, 56);

SIZE(msdk_serve_info, 2160);
AT(msdk_serve_info, struct_size, 0);
AT(msdk_serve_info, port, 4);
AT(msdk_serve_info, member_count, 8);
AT(msdk_serve_info, media_port, 12);
AT(msdk_serve_info, fingerprint, 16);
AT(msdk_serve_info, url, 112);
AT(msdk_serve_info, page_url, 1136);
