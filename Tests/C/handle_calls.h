/* Every function that takes a handle, as a table: the handle under test goes in as `it`, everything else is good. */
#ifndef HANDLE_CALLS_H
#define HANDLE_CALLS_H

#include "call.h"

enum handle_kind {
  ENGINE, SESSION, OUTGOING, SENDER, INCOMING, INSTANCE, FRAME, ENCODED, SOUND_OUT, SOUND_IN, SPEAKER, SOUND, HANDLE_KINDS
};

/* One good object of each kind, for the other arguments. */
typedef struct good {
  msdk_engine *engine;
  msdk_session *session;
  msdk_outgoing_video *outgoing;
  msdk_frame_sender *sender;
  msdk_incoming_video *incoming;
  msdk_instance *instance; /* a renderer */
  msdk_video_frame *frame;
  msdk_encoded_frame *encoded;
  msdk_outgoing_audio *sound_out;
  msdk_incoming_audio *sound_in;
  msdk_instance *speaker; /* a renderer of sound */
  msdk_audio_frame *sound;
} good;
static good all_good;
static msdk_video_frame *given_frame; /* by the last call that gives one; its reference is the caller's */

typedef struct handle_call {
  const char *name, *argument;
  enum handle_kind kind;
  msdk_result (*make)(void *it);
} handle_call;

static const int16_t one_buffer[960]; /* of the default format: 20 ms, mono, 48,000 Hz */

static const uint8_t one_key[30];                     /* of SRTP */
static const msdk_view one_view = {.struct_size = sizeof(msdk_view), .width = 64, .height = 48};

/* A screen share that has the format of what the instance makes; NULL for what is no instance. */
static msdk_outgoing_video *screen_of(msdk_instance *producer) {
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.kind = MSDK_VIDEO_SCREEN_SHARE, options.codec = MSDK_CODEC_RAW, options.limits = MSDK_LIMITS_EXTENDED;
  msdk_outgoing_video *stream = NULL;
  if (msdk_outgoing_video_create(all_good.engine, &options, &stream) < 0) return NULL;
  if (msdk_outgoing_video_attach_producer(stream, producer) >= 0) return stream;
  msdk_outgoing_video_destroy(stream);
  return NULL;
}

static void on_nothing_event(void *user, const msdk_event *event) { (void)user, (void)event; }

#define HANDLE_CALLS(X)                                                                                                                   \
  X(ENGINE, engine, advance_clock, msdk_engine_advance_clock(it, 0))                                                                      \
  X(ENGINE, engine, set_log_callback, msdk_engine_set_log_callback(it, MSDK_LOG_NONE, NULL, NULL))                                        \
  X(ENGINE, engine, set_log_level, msdk_engine_set_log_level(it, MSDK_LOG_NONE))                                                          \
  X(ENGINE, engine, next_log_record,                                                                                                      \
    (msdk_engine_next_log_record(it, 0, &(msdk_log_record){.struct_size = sizeof(msdk_log_record)})))                                     \
  X(ENGINE, engine, log_fd, (msdk_engine_get_log_fd(it, &(int32_t){0})))                                                                  \
  X(ENGINE, engine, room_request_fd, (msdk_room_get_request_fd(it, "loopback:x", &(int32_t){0})))                                         \
  X(ENGINE, engine, load_plugin, msdk_engine_load_plugin(it, "nothing.so"))                                                               \
  X(ENGINE, engine, add_plugin_dir, msdk_engine_add_plugin_dir(it, ".", NULL))                                                            \
  X(ENGINE, engine, load_default_plugins, msdk_engine_load_default_plugins(it, NULL))                                                     \
  X(ENGINE, engine, register_module, msdk_engine_register_module(it, NULL))                                                               \
  X(ENGINE, engine, class_at, (msdk_engine_class_at(it, 0, &(msdk_class_info){.struct_size = sizeof(msdk_class_info)})))                  \
  X(ENGINE, engine, class_param_at, (msdk_engine_class_param_at(it, "a.b", 0, &(msdk_param){.struct_size = sizeof(msdk_param)})))         \
  X(ENGINE, engine, class_command_at,                                                                                                     \
    (msdk_engine_class_command_at(it, "a.b", 0, &(msdk_command){.struct_size = sizeof(msdk_command)})))                                   \
  X(ENGINE, engine, engine_stats, (msdk_engine_get_stats(it, &(msdk_engine_stats){.struct_size = sizeof(msdk_engine_stats)})))            \
  X(ENGINE, engine, outgoing_create, one_outgoing(it))                                                                                    \
  X(ENGINE, engine, session_create, one_session(it))                                                                                      \
  X(ENGINE, engine, instance_create, (msdk_instance_create(it, "a.b", NULL, &(msdk_instance *){NULL})))                                         \
  X(ENGINE, engine, script_network, one_script(it))                                                                                       \
  X(SESSION, session, connect, msdk_session_connect(it))                                                                                  \
  X(SESSION, session, disconnect, msdk_session_disconnect(it))                                                                            \
  X(SESSION, session, set_access_token, msdk_session_set_access_token(it, "token"))                                                       \
  X(SESSION, session, set_attribute, msdk_session_set_attribute(it, "mood", NULL))                                                         \
  X(SESSION, session, participant_attribute, msdk_session_get_participant_attribute(it, "anna", "mood", NULL, 0, NULL))                    \
  X(SESSION, session, participant_attribute_at,                                                                                           \
    (msdk_session_participant_attribute_at(it, "anna", 0, &(msdk_attribute){.struct_size = sizeof(msdk_attribute)})))                      \
  X(SESSION, session, session_state, (msdk_session_get_state(it, &(uint32_t){0})))                                                            \
  X(SESSION, session, participant_at, (msdk_session_participant_at(it, 0, &(msdk_participant){.struct_size = sizeof(msdk_participant)})))   \
  X(SESSION, session, incoming_video_at, (msdk_session_incoming_video_at(it, 0, &(msdk_incoming_video *){NULL})))                         \
  X(SESSION, session, incoming_audio_at, (msdk_session_incoming_audio_at(it, 0, &(msdk_incoming_audio *){NULL})))                         \
  X(SESSION, session, outgoing_video_at, (msdk_session_outgoing_video_at(it, 0, &(msdk_outgoing_video *){NULL})))                         \
  X(SESSION, session, outgoing_audio_at, (msdk_session_outgoing_audio_at(it, 0, &(msdk_outgoing_audio *){NULL})))                         \
  X(SESSION, session, next_event, (msdk_session_next_event(it, 0, &(msdk_event){.struct_size = sizeof(msdk_event)})))                     \
  X(SESSION, session, event_fd, (msdk_session_get_event_fd(it, &(int32_t){0})))                                                               \
  X(SESSION, session, set_audio_level_interval, msdk_session_set_audio_level_interval(it, 100))                                           \
  X(SESSION, session, set_stats_interval, msdk_session_set_stats_interval(it, 100))                                                       \
  X(SESSION, session, set_event_callback, msdk_session_set_event_callback(it, on_nothing_event, NULL))                                    \
  X(SESSION, session, start_video, msdk_session_start_video(it, all_good.outgoing))                                                       \
  X(SESSION, session, stop_video, msdk_session_stop_video(it, all_good.outgoing))                                                         \
  X(SESSION, session, session_stats, (msdk_session_get_stats(it, &(msdk_session_stats){.struct_size = sizeof(msdk_session_stats)})))      \
  X(OUTGOING, stream, start_video_stream, msdk_session_start_video(all_good.session, it))                                                 \
  X(OUTGOING, stream, stop_video_stream, msdk_session_stop_video(all_good.session, it))                                                   \
  X(OUTGOING, stream, outgoing_state, (msdk_outgoing_video_get_state(it, &(uint32_t){0})))                                                    \
  X(OUTGOING, stream, outgoing_video_info,                                                                                                 \
    (msdk_outgoing_video_get_info(it, &(msdk_outgoing_video_info){.struct_size = sizeof(msdk_outgoing_video_info)})))                      \
  X(OUTGOING, stream, outgoing_sender, (msdk_outgoing_video_get_sender(it, &(msdk_frame_sender *){NULL})))                                    \
  X(OUTGOING, stream, set_bitrate, msdk_outgoing_video_set_bitrate(it, 0, 0, 0))                                                          \
  X(OUTGOING, stream, set_frame_rate, msdk_outgoing_video_set_frame_rate(it, 0, 0))                                                       \
  X(OUTGOING, stream, request_key_frame, msdk_outgoing_video_request_key_frame(it))                                                       \
  X(OUTGOING, stream, detach_producer, msdk_outgoing_video_detach_producer(it))                                                     \
  X(OUTGOING, stream, attach_preview, msdk_outgoing_video_attach_renderer(it, all_good.instance, NULL))                                         \
  X(OUTGOING, stream, detach_preview, msdk_outgoing_video_detach_renderer(it, all_good.instance))                                         \
  X(OUTGOING, stream, add_filter, msdk_outgoing_video_add_filter(it, all_good.instance))                                                \
  X(OUTGOING, stream, remove_filter, msdk_outgoing_video_remove_filter(it, all_good.instance))                                          \
  X(OUTGOING, stream, read_report,                                                                                                        \
    (msdk_outgoing_video_read_report(it, 0, &(msdk_frame_report){.struct_size = sizeof(msdk_frame_report)})))                             \
  X(OUTGOING, stream, report_fd, (msdk_outgoing_video_get_report_fd(it, &(int32_t){0})))                                                  \
  X(OUTGOING, stream, set_encoded_callback, msdk_outgoing_video_set_encoded_callback(it, NULL, NULL))                                     \
  X(OUTGOING, stream, outgoing_start_tap, msdk_outgoing_video_start_tap(it, NULL))                                                        \
  X(OUTGOING, stream, outgoing_stop_tap, msdk_outgoing_video_stop_tap(it))                                                                \
  X(OUTGOING, stream, outgoing_tap_read, (msdk_outgoing_video_read(it, 0, &given_frame)))                                  \
  X(OUTGOING, stream, outgoing_tap_read_encoded, (msdk_outgoing_video_read_encoded(it, 0, &(msdk_encoded_frame *){NULL})))                \
  X(OUTGOING, stream, outgoing_tap_fd, (msdk_outgoing_video_get_fd(it, &(int32_t){0})))                                                   \
  X(OUTGOING, stream, outgoing_stats,                                                                                                     \
    (msdk_outgoing_video_get_stats(it, &(msdk_outgoing_video_stats){.struct_size = sizeof(msdk_outgoing_video_stats)})))                  \
  X(OUTGOING, stream, outgoing_network,                                                                                                   \
    (msdk_outgoing_video_get_network_stats(it, &(msdk_outbound_stats){.struct_size = sizeof(msdk_outbound_stats)})))                          \
  X(SENDER, sender, sender_format, (msdk_frame_sender_get_format(it, &(msdk_video_format){.struct_size = sizeof(msdk_video_format)})))        \
  X(SENDER, sender, acquire, (msdk_frame_sender_acquire(it, 0, &given_frame)))                                             \
  X(SENDER, sender, send, msdk_frame_sender_send(it, all_good.frame, 0, NULL, NULL))                                                      \
  X(SENDER, sender, send_encoded, msdk_frame_sender_send_encoded(it, all_good.encoded, 0, NULL, NULL))                                    \
  X(INCOMING, stream, incoming_start, msdk_incoming_video_start(it, NULL))                                                                \
  X(INCOMING, stream, incoming_stop, msdk_incoming_video_stop(it))                                                                        \
  X(INCOMING, stream, incoming_state, (msdk_incoming_video_get_state(it, &(uint32_t){0})))                                                    \
  X(INCOMING, stream, incoming_video_info,                                                                                                 \
    (msdk_incoming_video_get_info(it, &(msdk_incoming_video_info){.struct_size = sizeof(msdk_incoming_video_info)})))                      \
  X(INCOMING, stream, read, (msdk_incoming_video_read(it, 0, &given_frame)))                                               \
  X(INCOMING, stream, read_encoded, (msdk_incoming_video_read_encoded(it, 0, &(msdk_encoded_frame *){NULL})))                             \
  X(INCOMING, stream, incoming_fd, (msdk_incoming_video_get_fd(it, &(int32_t){0})))                                                           \
  X(INCOMING, stream, set_frame_callback, msdk_incoming_video_set_frame_callback(it, NULL, NULL))                                         \
  X(INCOMING, stream, attach_renderer, msdk_incoming_video_attach_renderer(it, all_good.instance, NULL))                                        \
  X(INCOMING, stream, detach_renderer, msdk_incoming_video_detach_renderer(it, all_good.instance))                                        \
  X(INCOMING, stream, add_incoming_filter, msdk_incoming_video_add_filter(it, all_good.instance))                                       \
  X(INCOMING, stream, remove_incoming_filter, msdk_incoming_video_remove_filter(it, all_good.instance))                                 \
  X(INCOMING, stream, prefer, msdk_incoming_video_set_preference(it, NULL))                                                                \
  X(INCOMING, stream, ask_key_frame, msdk_incoming_video_request_key_frame(it))                                                           \
  X(INCOMING, stream, incoming_stats,                                                                                                     \
    (msdk_incoming_video_get_stats(it, &(msdk_incoming_video_stats){.struct_size = sizeof(msdk_incoming_video_stats)})))                  \
  X(INCOMING, stream, incoming_network,                                                                                                   \
    (msdk_incoming_video_get_network_stats(it, &(msdk_inbound_stats){.struct_size = sizeof(msdk_inbound_stats)})))                            \
  X(INSTANCE, instance, set_param, (msdk_instance_set_param(it, "a", &(msdk_value)MSDK_STRING("1"))))                                \
  X(INSTANCE, instance, set_param_text, msdk_instance_set_param_text(it, "a", "1"))                                                       \
  X(INSTANCE, instance, call, msdk_instance_call(it, "a", NULL, 0, NULL))                                                                 \
  X(INSTANCE, instance, get_param, (msdk_instance_get_param(it, "a", &(msdk_value){0}, NULL, 0, NULL)))                                   \
  X(INSTANCE, instance, param_choice_at,                                                                                                  \
    (msdk_instance_param_choice_at(it, "a", 0, &(msdk_choice){.struct_size = sizeof(msdk_choice)}, NULL, 0, NULL)))                       \
  X(INSTANCE, instance, next_instance_event,                                                                                              \
    (msdk_instance_next_event(it, 0, &(msdk_instance_event){.struct_size = sizeof(msdk_instance_event)})))                                \
  X(INSTANCE, instance, instance_event_fd, (msdk_instance_get_event_fd(it, &(int32_t){0})))                                              \
  X(INSTANCE, instance, set_instance_callback, msdk_instance_set_event_callback(it, NULL, NULL))                                          \
  X(INSTANCE, instance, instance_state, (msdk_instance_get_state(it, MSDK_KIND_VIDEO_RENDERER, &(uint32_t){0})))                              \
  X(INSTANCE, producer, format_at, (msdk_instance_format_at(it, 0, &(msdk_video_format){.struct_size = sizeof(msdk_video_format)})))      \
  X(INSTANCE, filter, attach_downstream, msdk_instance_attach_renderer(it, all_good.instance))                                            \
  X(INSTANCE, filter, detach_downstream, msdk_instance_detach_renderer(it, all_good.instance))                                            \
  X(INSTANCE, renderer, attach_as_downstream, msdk_instance_attach_renderer(all_good.instance, it))                                       \
  X(INSTANCE, renderer, detach_as_downstream, msdk_instance_detach_renderer(all_good.instance, it))                                       \
  X(INSTANCE, renderer, render, msdk_instance_render(it, all_good.frame))                                                                 \
  X(INSTANCE, producer, start_pull, msdk_instance_start_pull(it, NULL, NULL))                                                             \
  X(INSTANCE, producer, start_pull_audio, msdk_instance_start_pull_audio(it, NULL, NULL))                                                 \
  X(INSTANCE, producer, pull_read, (msdk_instance_read(it, 0, &given_frame)))                                                             \
  X(INSTANCE, producer, pull_read_audio, (msdk_instance_read_audio(it, 0, &(msdk_audio_frame *){NULL})))                                  \
  X(INSTANCE, producer, pull_fd, (msdk_instance_get_fd(it, &(int32_t){0})))                                                               \
  X(INSTANCE, producer, pull_fd_audio, (msdk_instance_get_fd_audio(it, &(int32_t){0})))                                                   \
  X(INSTANCE, producer, stop_pull, msdk_instance_stop_pull(it))                                                                           \
  X(INSTANCE, producer, stop_pull_audio, msdk_instance_stop_pull_audio(it))                                                               \
  X(INSTANCE, instance, release, msdk_instance_release(it))                                                                               \
  X(INSTANCE, renderer, snapshot, (msdk_instance_snapshot(it, &given_frame)))                                              \
  X(INSTANCE, renderer, attach_to_incoming, msdk_incoming_video_attach_renderer(all_good.incoming, it, NULL))                                   \
  X(INSTANCE, renderer, detach_from_incoming, msdk_incoming_video_detach_renderer(all_good.incoming, it))                                 \
  X(INSTANCE, renderer, attach_to_session, msdk_session_attach_renderer(all_good.session, it, NULL))                                      \
  X(INSTANCE, renderer, detach_from_session, msdk_session_detach_renderer(all_good.session, it))                                          \
  X(SESSION, session, attach_call_renderer, msdk_session_attach_renderer(it, all_good.instance, NULL))                                    \
  X(SESSION, session, detach_call_renderer, msdk_session_detach_renderer(it, all_good.instance))                                          \
  X(INSTANCE, renderer, attach_to_outgoing, msdk_outgoing_video_attach_renderer(all_good.outgoing, it, NULL))                                   \
  X(INSTANCE, renderer, detach_from_outgoing, msdk_outgoing_video_detach_renderer(all_good.outgoing, it))                                 \
  X(INSTANCE, filter, add_to_outgoing, msdk_outgoing_video_add_filter(all_good.outgoing, it))                                           \
  X(INSTANCE, filter, remove_from_outgoing, msdk_outgoing_video_remove_filter(all_good.outgoing, it))                                   \
  X(INSTANCE, filter, add_to_incoming, msdk_incoming_video_add_filter(all_good.incoming, it))                                           \
  X(INSTANCE, filter, remove_from_incoming, msdk_incoming_video_remove_filter(all_good.incoming, it))                                   \
  X(INSTANCE, filter, add_to_sound_out, msdk_outgoing_audio_add_filter(all_good.sound_out, it))                                          \
  X(INSTANCE, filter, remove_from_sound_out, msdk_outgoing_audio_remove_filter(all_good.sound_out, it))                                  \
  X(INSTANCE, filter, add_to_sound_in, msdk_incoming_audio_add_filter(all_good.sound_in, it))                                            \
  X(INSTANCE, filter, remove_from_sound_in, msdk_incoming_audio_remove_filter(all_good.sound_in, it))                                    \
  X(FRAME, frame, frame_ref, msdk_video_frame_ref(it))                                                                                    \
  X(FRAME, frame, convert,                                                                                                                \
    (msdk_video_frame_convert(it, &(msdk_video_format){.struct_size = sizeof(msdk_video_format)}, &given_frame)))          \
  X(FRAME, frame, convert_into, msdk_video_frame_convert_into(it, all_good.frame))                                                        \
  X(FRAME, destination, convert_into_it, msdk_video_frame_convert_into(all_good.frame, it))                                               \
  X(FRAME, frame, frame_set_metadata, msdk_video_frame_set_metadata(it, NULL))                                                            \
  X(FRAME, frame, frame_get_metadata,                                                                                                     \
    (msdk_video_frame_get_metadata(it, &(msdk_frame_metadata){.struct_size = sizeof(msdk_frame_metadata)})))                              \
  X(ENCODED, frame, encoded_set_metadata, msdk_encoded_frame_set_metadata(it, NULL))                                                      \
  X(ENCODED, frame, encoded_get_metadata,                                                                                                 \
    (msdk_encoded_frame_get_metadata(it, &(msdk_frame_metadata){.struct_size = sizeof(msdk_frame_metadata)})))                            \
  X(FRAME, frame, send_it, msdk_frame_sender_send(all_good.sender, it, 0, NULL, NULL))                                                    \
  X(FRAME, frame, render_it, msdk_instance_render(all_good.instance, it))                                                                 \
  X(ENCODED, frame, encoded_ref, msdk_encoded_frame_ref(it))                                                                              \
  X(SESSION, session, start_audio, msdk_session_start_audio(it, all_good.sound_out))                                                      \
  X(SESSION, session, stop_audio, msdk_session_stop_audio(it, all_good.sound_out))                                                        \
  X(SESSION, session, mixed_audio, (msdk_session_get_mixed_audio(it, &(msdk_incoming_audio *){NULL})))                                        \
  X(ENGINE, engine, sound_create, (msdk_outgoing_audio_create(it, NULL, &(msdk_outgoing_audio *){NULL})))                                 \
  X(SOUND_OUT, stream, start_audio_stream, msdk_session_start_audio(all_good.session, it))                                                \
  X(SOUND_OUT, stream, stop_audio_stream, msdk_session_stop_audio(all_good.session, it))                                                  \
  X(SOUND_OUT, stream, sound_state, (msdk_outgoing_audio_get_state(it, &(uint32_t){0})))                                                      \
  X(SOUND_OUT, stream, outgoing_audio_info,                                                                                                \
    (msdk_outgoing_audio_get_info(it, &(msdk_outgoing_audio_info){.struct_size = sizeof(msdk_outgoing_audio_info)})))                      \
  X(SOUND_OUT, stream, sound_size, (msdk_outgoing_audio_get_buffer_size(it, &(uint64_t){0})))                                        \
  X(SOUND_OUT, stream, sound_send, msdk_outgoing_audio_send(it, one_buffer, sizeof one_buffer, 0, 0, NULL, NULL))                         \
  X(SOUND_OUT, stream, sound_write, msdk_outgoing_audio_write(it, one_buffer, sizeof one_buffer, 0, 0, NULL))                             \
  X(SOUND_OUT, stream, sound_send_encoded, msdk_outgoing_audio_send_encoded(it, all_good.encoded, 0, 0, NULL, NULL))                      \
  X(SOUND_OUT, stream, sound_queued, (msdk_outgoing_audio_get_queued(it, &(int64_t){0})))                                                     \
  X(SOUND_OUT, stream, sound_flush, msdk_outgoing_audio_flush(it))                                                                        \
  X(SOUND_OUT, stream, sound_wait_played, msdk_outgoing_audio_wait_played(it, 0))                                                         \
  X(SOUND_OUT, stream, sound_read_report,                                                                                                 \
    (msdk_outgoing_audio_read_report(it, 0, &(msdk_frame_report){.struct_size = sizeof(msdk_frame_report)})))                             \
  X(SOUND_OUT, stream, sound_report_fd, (msdk_outgoing_audio_get_report_fd(it, &(int32_t){0})))                                           \
  X(SOUND_OUT, stream, set_muted, msdk_outgoing_audio_set_muted(it, 0))                                                                   \
  X(SOUND_OUT, stream, set_gain, msdk_outgoing_audio_set_gain(it, 1))                                                                     \
  X(SOUND_OUT, stream, sound_set_bitrate, msdk_outgoing_audio_set_bitrate(it, 0))                                                         \
  X(SOUND_OUT, stream, set_expected_loss, msdk_outgoing_audio_set_expected_loss(it, 0))                                                   \
  X(SOUND_OUT, stream, sound_detach_producer, msdk_outgoing_audio_detach_producer(it))                                              \
  X(SOUND_OUT, stream, sound_add_filter, msdk_outgoing_audio_add_filter(it, all_good.instance))                                         \
  X(SOUND_OUT, stream, sound_remove_filter, msdk_outgoing_audio_remove_filter(it, all_good.instance))                                   \
  X(SOUND_OUT, stream, sound_encoded_callback, msdk_outgoing_audio_set_encoded_callback(it, NULL, NULL))                                  \
  X(SOUND_OUT, stream, sound_start_tap, msdk_outgoing_audio_start_tap(it, NULL))                                                          \
  X(SOUND_OUT, stream, sound_stop_tap, msdk_outgoing_audio_stop_tap(it))                                                                  \
  X(SOUND_OUT, stream, sound_tap_read, (msdk_outgoing_audio_read(it, 0, &(msdk_audio_frame *){NULL})))                                    \
  X(SOUND_OUT, stream, sound_tap_read_encoded, (msdk_outgoing_audio_read_encoded(it, 0, &(msdk_encoded_frame *){NULL})))                  \
  X(SOUND_OUT, stream, sound_tap_fd, (msdk_outgoing_audio_get_fd(it, &(int32_t){0})))                                                     \
  X(SOUND_OUT, stream, sound_out_stats,                                                                                                   \
    (msdk_outgoing_audio_get_stats(it, &(msdk_outgoing_audio_stats){.struct_size = sizeof(msdk_outgoing_audio_stats)})))                  \
  X(SOUND_OUT, stream, sound_out_network,                                                                                                 \
    (msdk_outgoing_audio_get_network_stats(it, &(msdk_outbound_stats){.struct_size = sizeof(msdk_outbound_stats)})))                          \
  X(SOUND_IN, stream, sound_start, msdk_incoming_audio_start(it, NULL))                                                                   \
  X(SOUND_IN, stream, sound_stop, msdk_incoming_audio_stop(it))                                                                           \
  X(SOUND_IN, stream, sound_in_state, (msdk_incoming_audio_get_state(it, &(uint32_t){0})))                                                    \
  X(SOUND_IN, stream, incoming_audio_info,                                                                                                 \
    (msdk_incoming_audio_get_info(it, &(msdk_incoming_audio_info){.struct_size = sizeof(msdk_incoming_audio_info)})))                      \
  X(SOUND_IN, stream, sound_read, (msdk_incoming_audio_read(it, 0, &(msdk_audio_frame *){NULL})))                                         \
  X(SOUND_IN, stream, sound_read_encoded, (msdk_incoming_audio_read_encoded(it, 0, &(msdk_encoded_frame *){NULL})))                       \
  X(SOUND_IN, stream, sound_fd, (msdk_incoming_audio_get_fd(it, &(int32_t){0})))                                                              \
  X(SOUND_IN, stream, sound_callback, msdk_incoming_audio_set_frame_callback(it, NULL, NULL))                                             \
  X(SOUND_IN, stream, sound_attach, msdk_incoming_audio_attach_renderer(it, all_good.speaker))                                            \
  X(SOUND_IN, stream, sound_detach, msdk_incoming_audio_detach_renderer(it, all_good.speaker))                                            \
  X(SOUND_IN, stream, sound_in_gain, msdk_incoming_audio_set_gain(it, 1))                                                                 \
  X(SOUND_IN, stream, sound_in_stats,                                                                                                     \
    (msdk_incoming_audio_get_stats(it, &(msdk_incoming_audio_stats){.struct_size = sizeof(msdk_incoming_audio_stats)})))                  \
  X(SOUND_IN, stream, sound_in_network,                                                                                                   \
    (msdk_incoming_audio_get_network_stats(it, &(msdk_inbound_stats){.struct_size = sizeof(msdk_inbound_stats)})))                            \
  X(SPEAKER, renderer, attach_to_sound, msdk_incoming_audio_attach_renderer(all_good.sound_in, it))                                       \
  X(SPEAKER, renderer, detach_from_sound, msdk_incoming_audio_detach_renderer(all_good.sound_in, it))                                     \
  X(SPEAKER, renderer, render_audio, msdk_instance_render_audio(it, all_good.sound))                                                      \
  X(SPEAKER, producer, audio_format, (msdk_instance_get_audio_format(it, &(msdk_audio_format){.struct_size = sizeof(msdk_audio_format)})))    \
  X(SOUND, frame, audio_ref, msdk_audio_frame_ref(it))                                                                                    \
  X(SOUND, frame, audio_position, (msdk_audio_frame_get_position(it, 0, &(int64_t){0})))                                                      \
  X(SOUND, frame, render_audio_it, msdk_instance_render_audio(all_good.speaker, it))                                                      \
  X(ENGINE, engine, set_codec_param, (msdk_engine_set_codec_param(it, "a.b", "a", &(msdk_value)MSDK_STRING("1"))))                        \
  X(ENGINE, engine, set_codec_param_text, msdk_engine_set_codec_param_text(it, "a.b", "a", "1"))                                          \
  X(ENGINE, engine, serve, (msdk_room_serve(it, "loopback:x", &(msdk_serve_options){.struct_size = sizeof(msdk_serve_options)}, NULL)))   \
  X(ENGINE, engine, serve_info, (msdk_room_get_serve_info(it, "loopback:x", &(msdk_serve_info){.struct_size = sizeof(msdk_serve_info)}))) \
  X(ENGINE, engine, stop_serving, msdk_room_stop_serving(it, "loopback:x"))                                                               \
  X(ENGINE, engine, room_configure, msdk_room_configure(it, "loopback:x", NULL))                                                          \
  X(ENGINE, engine, room_next_request, (msdk_room_next_request(it, "loopback:x", 0, &(msdk_access_request){.struct_size = sizeof(msdk_access_request)}))) \
  X(ENGINE, engine, room_answer, msdk_room_answer(it, "loopback:x", 1, MSDK_OK, NULL))                                                    \
  X(SESSION, session, set_ingest, msdk_session_set_ingest(it, NULL))                                                                      \
  X(SESSION, session, ingest_port, (msdk_session_get_ingest_port(it, &(uint32_t){0})))                                                    \
  X(SESSION, session, set_srtp_keys, msdk_session_set_srtp_keys(it, one_key, sizeof one_key, one_key, sizeof one_key))                    \
  X(SESSION, session, set_remote_sdp, msdk_session_set_remote_sdp(it, MSDK_SDP_OFFER, "v=0"))                                             \
  X(SESSION, session, local_sdp, msdk_session_get_local_sdp(it, NULL, 0, NULL))                                                           \
  X(SESSION, session, describe, msdk_session_describe(it, NULL))                                                                          \
  X(SESSION, session, local_description, msdk_session_get_local_description(it, NULL, 0, NULL))                                           \
  X(SESSION, session, remote_description, msdk_session_set_remote_description(it, MSDK_SDP_OFFER, "v=0", NULL))                           \
  X(SESSION, session, remote_candidate, msdk_session_add_remote_candidate(it, "", NULL))                                                  \
  X(SESSION, session, ice_server, msdk_session_add_ice_server(it, "stun:192.0.2.1", NULL, NULL))                                          \
  X(SESSION, session, restart_ice, msdk_session_restart_ice(it))                                                                          \
  X(SESSION, session, open_channel, (msdk_session_open_data_channel(it, &(msdk_data_channel_options){.struct_size = sizeof(msdk_data_channel_options)}, &(uint64_t){0}))) \
  X(SESSION, session, close_channel, msdk_session_close_data_channel(it, 1))                                                               \
  X(SESSION, session, send_message, msdk_session_send_message(it, 1, MSDK_MESSAGE_TEXT, NULL, 0))                                          \
  X(SESSION, session, read_message, msdk_session_read_message(it, 1, NULL, NULL, 0, NULL))                                                 \
  X(SESSION, session, unacknowledged, (msdk_session_get_unacknowledged_bytes(it, 1, &(uint64_t){0})))                                      \
  X(SESSION, session, low_threshold, msdk_session_set_low_threshold(it, 1, 0))                                                             \
  X(SESSION, session, send_data, msdk_session_send_data(it, NULL, NULL, 0))                                                                \
  X(SESSION, session, read_data, (msdk_session_read_data(it, &(msdk_data_message){.struct_size = sizeof(msdk_data_message)}, NULL, 0)))    \
  X(SESSION, session, rpc_call, (msdk_session_rpc_call(it, "nobody", "method", NULL, 0, &(uint64_t){0})))                                  \
  X(SESSION, session, rpc_register, msdk_session_rpc_register(it, "method"))                                                               \
  X(SESSION, session, rpc_unregister, msdk_session_rpc_unregister(it, "method"))                                                           \
  X(SESSION, session, rpc_read, (msdk_session_rpc_read(it, &(msdk_rpc_message){.struct_size = sizeof(msdk_rpc_message)}, NULL, 0)))        \
  X(SESSION, session, rpc_respond, msdk_session_rpc_respond(it, 1, NULL))                                                                  \
  X(SESSION, session, rpc_fail, msdk_session_rpc_fail(it, 1, 1, NULL, NULL))                                                               \
  X(SESSION, session, data_stream_open, (msdk_session_data_stream_open(it, &(msdk_data_stream_options){.struct_size = sizeof(msdk_data_stream_options), .type = 0xB00}, &(uint64_t){0})))\
  X(SESSION, session, data_stream_write, msdk_session_data_stream_write(it, 1, NULL, 0))                                                   \
  X(SESSION, session, data_stream_close, msdk_session_data_stream_close(it, 1, NULL))                                                      \
  X(SESSION, session, data_stream_accept, msdk_session_data_stream_accept(it, "topic"))                                                    \
  X(SESSION, session, data_stream_read, (msdk_session_data_stream_read(it, &(msdk_data_stream_part){.struct_size = sizeof(msdk_data_stream_part)}, NULL, 0)))\
  X(SESSION, session, data_stream_attribute_at, (msdk_session_data_stream_attribute_at(it, 1, 0, &(msdk_attribute){.struct_size = sizeof(msdk_attribute)})))\
  X(SESSION, session, data_stream_attachment_at, (msdk_session_data_stream_attachment_at(it, 1, 0, &(msdk_data_stream_attachment){.struct_size = sizeof(msdk_data_stream_attachment)})))\
  X(SESSION, session, set_frame_key, (msdk_session_set_frame_key(it, NULL, 0, (const uint8_t[]){1}, 1)))                                 \
  X(SESSION, session, select_frame_key, msdk_session_select_frame_key(it, 0))                                                            \
  X(SESSION, session, ratchet_frame_key, msdk_session_ratchet_frame_key(it, NULL, 0))                                                    \
  X(SESSION, session, remove_participant, msdk_session_remove_participant(it, "nobody", ""))                                              \
  X(SESSION, session, mute_participant, msdk_session_mute_participant(it, "nobody", 1))                                                   \
  X(SESSION, session, stats_json, msdk_session_get_stats_json(it, NULL, 0, NULL))                                                         \
  X(SESSION, session, start_screen_view, msdk_session_start_screen_view(it, "bob", all_good.instance, &one_view))                         \
  X(SESSION, session, stop_screen_view, msdk_session_stop_screen_view(it, "bob", all_good.instance))                                      \
  X(OUTGOING, stream, attach_producer, msdk_outgoing_video_attach_producer(it, all_good.instance))                                        \
  X(INSTANCE, instance, isolation, (msdk_instance_get_isolation(it, &(msdk_instance_isolation){.struct_size = sizeof(msdk_instance_isolation)}))) \
  X(INSTANCE, producer, produce_for_outgoing, msdk_outgoing_video_attach_producer(all_good.outgoing, it))                                 \
  X(INSTANCE, producer, produce_for_sound_out, msdk_outgoing_audio_attach_producer(all_good.sound_out, it))                               \
  X(INSTANCE, stream, start_what_it_shows, msdk_session_start_video(all_good.session, screen_of(it)))                                     \
  X(INSTANCE, renderer, show_a_screen, msdk_session_start_screen_view(all_good.session, "bob", it, &one_view))                            \
  X(INSTANCE, renderer, show_a_screen_no_more, msdk_session_stop_screen_view(all_good.session, "bob", it))                                \
  X(SOUND_OUT, stream, sound_attach_producer, msdk_outgoing_audio_attach_producer(it, all_good.instance))                                 \
  X(FRAME, frame, frame_references, (msdk_video_frame_get_references(it, &(uint32_t){0})))                                                \
  X(FRAME, frame, compose, (msdk_video_frame_compose(it, &one_view, &given_frame)))                                                       \
  X(SOUND, frame, audio_references, (msdk_audio_frame_get_references(it, &(uint32_t){0})))                                                \
  X(ENCODED, packet, send_packet, msdk_outgoing_audio_send_encoded(all_good.sound_out, it, 0, 0, NULL, NULL))

static inline msdk_result one_session(void *it) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:a";
  options.user_id = "a";
  return msdk_session_create(it, &options, &(msdk_session *){NULL});
}

static inline msdk_result one_outgoing(void *it) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  return msdk_outgoing_video_create(it, &options, &(msdk_outgoing_video *){NULL});
}

static inline msdk_result one_script(void *it) { return network_set(it, "loopback:a", NULL, 0, 0); }

#define DEFINE_CALL(KIND, ARGUMENT, NAME, EXPRESSION) \
  static msdk_result call_##NAME(void *it) { return EXPRESSION; }
HANDLE_CALLS(DEFINE_CALL)

#define LIST_CALL(KIND, ARGUMENT, NAME, EXPRESSION) {#NAME, #ARGUMENT, KIND, call_##NAME},
static const handle_call handle_calls[] = {HANDLE_CALLS(LIST_CALL)};
enum { HANDLE_CALL_COUNT = sizeof handle_calls / sizeof handle_calls[0] };

#endif
