/* struct_size of every sized struct: 0 and too little are refused, a short struct is not touched beyond its size, a longer one is accepted.
 * Inputs lie before a page without access, so that a read too far ends the program. */
#include "call.h"
#include "guarded.h"
#include "ivf.h"
#include "picture.h"
#include "sending.h"
#include "sound.h"

static call lively;
static msdk_instance *renderer;
static msdk_engine *real; /* of the system clock, with a room that is open to the network */
static msdk_outgoing_audio *sound_out; /* alice's, which bob hears */
static msdk_incoming_audio *sound_in;

/* ------------------------------------------------------------------------------------------------------------- structs read */

typedef struct input {
  const char *name;
  const void *good;
  size_t size;
  msdk_result (*pass)(const void *it);
} input;

static msdk_result pass_engine_options(const void *it) {
  msdk_engine *engine = NULL;
  msdk_result result = msdk_engine_create(it, &engine);
  msdk_engine_destroy(engine);
  return result;
}

static msdk_result pass_session_options(const void *it) {
  msdk_session *session = NULL;
  msdk_result result = msdk_session_create(lively.engine, it, &session);
  msdk_session_destroy(session);
  return result;
}

static msdk_result pass_outgoing_options(const void *it) {
  msdk_outgoing_video *stream = NULL;
  msdk_result result = msdk_outgoing_video_create(lively.engine, it, &stream);
  msdk_outgoing_video_destroy(stream);
  return result;
}

static msdk_result pass_tap_options(const void *it) {
  msdk_video_format format = format_of(MSDK_PIXEL_GRAY8, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(lively.engine, &options, &stream));
  msdk_result result = msdk_outgoing_video_start_tap(stream, it);
  msdk_outgoing_video_destroy(stream);
  return result;
}

static msdk_result pass_audio_tap_options(const void *it) {
  msdk_outgoing_audio *stream = NULL;
  CHECK_OK(msdk_outgoing_audio_create(lively.engine, NULL, &stream));
  msdk_result result = msdk_outgoing_audio_start_tap(stream, it);
  msdk_outgoing_audio_destroy(stream);
  return result;
}

static msdk_result pass_format_to_limits(const void *it) { return msdk_video_limit_check(0, MSDK_LIMITS_EXTENDED, it); }

static msdk_result pass_format_to_create(const void *it) {
  msdk_video_frame *frame = NULL;
  msdk_result result = msdk_video_frame_create(it, &frame);
  msdk_video_frame_unref(frame);
  return result;
}

static msdk_result pass_format_to_convert(const void *it) {
  msdk_video_frame *source = picture_new(MSDK_PIXEL_NV12, 16, 16, 0), *frame = NULL;
  msdk_result result = msdk_video_frame_convert(source, it, &frame);
  msdk_video_frame_unref(source);
  msdk_video_frame_unref(frame);
  return result;
}

static msdk_result pass_format_in_outgoing(const void *it) {
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, it, 1);
  return pass_outgoing_options(&options);
}

static msdk_result pass_incoming_options(const void *it) {
  msdk_incoming_video_stop(lively.incoming);
  return msdk_incoming_video_start(lively.incoming, it);
}

static msdk_result pass_preference(const void *it) { return msdk_incoming_video_set_preference(lively.incoming, it); }

static msdk_result pass_external(const void *it) {
  msdk_video_frame *frame = NULL;
  msdk_result result = msdk_video_frame_wrap(it, &frame);
  msdk_video_frame_unref(frame);
  return result;
}

static msdk_result pass_encoded(const void *it) {
  msdk_encoded_frame *frame = NULL;
  msdk_result result = msdk_encoded_frame_create(it, &frame);
  msdk_encoded_frame_unref(frame);
  return result;
}

static msdk_result pass_metadata(const void *it) {
  msdk_video_frame *frame = picture_new(MSDK_PIXEL_NV12, 16, 16, 0);
  msdk_result result = msdk_video_frame_set_metadata(frame, it);
  msdk_video_frame_unref(frame);
  return result;
}

static msdk_result pass_sound_options(const void *it) {
  msdk_outgoing_audio *stream = NULL;
  msdk_result result = msdk_outgoing_audio_create(lively.engine, it, &stream);
  msdk_outgoing_audio_destroy(stream);
  return result;
}

static msdk_result pass_hearing_options(const void *it) {
  msdk_incoming_audio_stop(sound_in);
  return msdk_incoming_audio_start(sound_in, it);
}

static msdk_result pass_sound_format(const void *it) {
  msdk_audio_frame *frame = NULL;
  msdk_result result = msdk_audio_frame_create(it, 480, &frame);
  msdk_audio_frame_unref(frame);
  return result;
}

static msdk_result pass_script(const void *it) { return msdk_room_script_network(lively.engine, "loopback:script", it); }

static msdk_result pass_room_options(const void *it) { return msdk_room_configure(lively.engine, "loopback:options", it); }

/* Of a request that is made for it. */
static msdk_result pass_grant(const void *it) {
  msdk_access_request request = MSDK_INIT(msdk_access_request);
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.pulled = 1;
  CHECK_OK(msdk_room_configure(lively.engine, "loopback:granted", &options));
  msdk_session *waiting = session_new(lively.engine, "loopback:granted", "waiting");
  CHECK_OK(msdk_session_connect(waiting));
  run_for(lively.engine, MS);
  CHECK_OK(msdk_room_next_request(lively.engine, "loopback:granted", 0, &request));
  msdk_result result = msdk_room_answer(lively.engine, "loopback:granted", request.id, MSDK_OK, it);
  msdk_session_destroy(waiting);
  return result;
}

static msdk_result pass_access_token_options(const void *it) {
  char token[MSDK_ACCESS_TOKEN_MAX + 1];
  return msdk_access_token_create(it, token, sizeof token, NULL);
}

static msdk_result pass_serve_options(const void *it) {
  msdk_result result = msdk_room_serve(real, "loopback:options", it, NULL);
  if (result >= 0) CHECK_OK(msdk_room_stop_serving(real, "loopback:options"));
  return result;
}

static msdk_result pass_step(const void *it) { return network_set(lively.engine, "loopback:script", it, 1, 1); }

static void structs_that_are_read(void) {
  static ivf_clip clip;
  NEED(ivf_open(&clip));
  static uint8_t pixels[16 * 16 * 2];
  msdk_engine_options engine = MSDK_INIT(msdk_engine_options);
  engine.clock = MSDK_CLOCK_VIRTUAL;
  msdk_session_options session = MSDK_INIT(msdk_session_options);
  session.url = "loopback:sized";
  session.user_id = "sized";
  msdk_video_format format = format_of(MSDK_PIXEL_GRAY8, 16, 16, 15);
  msdk_outgoing_video_options outgoing = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  msdk_incoming_video_options incoming = MSDK_INIT(msdk_incoming_video_options);
  msdk_video_preference preference = MSDK_INIT(msdk_video_preference);
  preference.width = preference.height = 16;
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.format = &format;
  external.plane_count = 1;
  external.plane[0] = (msdk_plane){.data = pixels, .size = 256, .stride = 16};
  msdk_encoded_frame encoded = MSDK_INIT(msdk_encoded_frame);
  encoded.codec = MSDK_CODEC_VP8;
  encoded.data = clip.frame[0].data;
  encoded.size = clip.frame[0].size;
  msdk_network_step step = network_step(0, 1000000);
  msdk_network_script script = MSDK_INIT(msdk_network_script);
  script.steps = &step;
  script.step_count = 1;
  msdk_room_options room_options = MSDK_INIT(msdk_room_options);
  room_options.duplicates = MSDK_DUPLICATE_REPLACE;
  msdk_access_grant grant = MSDK_INIT(msdk_access_grant);
  grant.permissions = MSDK_MAY_RECEIVE;
  grant.lifetime_ns = SECOND;
  msdk_access_token_options token = MSDK_INIT(msdk_access_token_options);
  token.api_key = "key";
  token.api_secret = "a secret of thirty-two characters";
  token.room = "lobby";
  token.user_id = "anna";
  msdk_serve_options serve = MSDK_INIT(msdk_serve_options);
  serve.addresses = "127.0.0.1";
  serve.port = MSDK_PORT_ANY;
  serve.most_members = 3;
  msdk_outgoing_audio_options sound = sound_options(44100, 2, MSDK_SAMPLE_F32, 30);
  msdk_incoming_audio_options hearing = hearing_options(16000, 0, 0, 0);
  msdk_audio_format tone = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  const uint8_t silence[] = {0xF8, 0xFF, 0xFE}; /* 20 ms of it */
  msdk_encoded_frame packet = MSDK_INIT(msdk_encoded_frame);
  packet.codec = MSDK_CODEC_OPUS;
  packet.data = silence;
  packet.size = sizeof silence;
  msdk_video_tap_options tap = MSDK_INIT(msdk_video_tap_options);
  tap.queue_capacity = 5;
  msdk_audio_tap_options audio_tap = MSDK_INIT(msdk_audio_tap_options);
  audio_tap.queue_ms = 100;
  msdk_frame_metadata metadata = MSDK_INIT(msdk_frame_metadata);
  metadata.user_data_size = 1;
  const input inputs[] = {
    {"frame_metadata", &metadata, sizeof metadata, pass_metadata},
    {"video_tap_options", &tap, sizeof tap, pass_tap_options},
    {"audio_tap_options", &audio_tap, sizeof audio_tap, pass_audio_tap_options},
    {"engine_options", &engine, sizeof engine, pass_engine_options},
    {"session_options", &session, sizeof session, pass_session_options},
    {"outgoing_video_options", &outgoing, sizeof outgoing, pass_outgoing_options},
    {"video_format (limit_check)", &format, sizeof format, pass_format_to_limits},
    {"video_format (frame_create)", &format, sizeof format, pass_format_to_create},
    {"video_format (convert)", &format, sizeof format, pass_format_to_convert},
    {"video_format (outgoing)", &format, sizeof format, pass_format_in_outgoing},
    {"incoming_video_options", &incoming, sizeof incoming, pass_incoming_options},
    {"video_preference", &preference, sizeof preference, pass_preference},
    {"external_frame", &external, sizeof external, pass_external},
    {"encoded_frame", &encoded, sizeof encoded, pass_encoded},
    {"encoded_frame (Opus)", &packet, sizeof packet, pass_encoded},
    {"outgoing_audio_options", &sound, sizeof sound, pass_sound_options},
    {"incoming_audio_options", &hearing, sizeof hearing, pass_hearing_options},
    {"audio_format (frame_create)", &tone, sizeof tone, pass_sound_format},
    {"network_script", &script, sizeof script, pass_script},
    {"network_step", &step, sizeof step, pass_step},
    {"room_options", &room_options, sizeof room_options, pass_room_options},
    {"access_grant", &grant, sizeof grant, pass_grant},
    {"access_token_options", &token, sizeof token, pass_access_token_options},
    {"serve_options", &serve, sizeof serve, pass_serve_options},
  };
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
    const input *it = &inputs[i];
    int ok = CHECK_OK(it->pass(guarded_copy(it->good, it->size)));
    for (uint32_t size = 0; size < 4; size++) { /* not even struct_size itself */
      void *copy = guarded_copy(it->good, it->size);
      memcpy(copy, &size, 4);
      ok &= CHECK_RESULT(it->pass(copy), MSDK_E_INVALID) && CHECK_STR_CONTAINS(msdk_last_error(), "struct_size");
    }
    for (uint32_t size = 4; size < it->size; size++) { /* short: whatever comes of it, nothing beyond is touched */
      uint8_t *copy = guarded(size);
      memcpy(copy, it->good, size);
      memcpy(copy, &size, 4);
      it->pass(copy);
    }
    uint8_t *longer = guarded(it->size + 64); /* of a later version, whose new members are not used */
    memset(longer, 0, it->size + 64);
    memcpy(longer, it->good, it->size);
    uint32_t size = (uint32_t)it->size + 64;
    memcpy(longer, &size, 4);
    ok &= CHECK_OK(it->pass(longer));
    longer[size - 1] = 1; /* one of them is used: it would be ignored */
    ok &= CHECK_RESULT(it->pass(longer), MSDK_E_UNSUPPORTED) && CHECK_STR_CONTAINS(msdk_last_error(), "does not know");
    void *lying = guarded_copy(it->good, it->size); /* says it is of 4 GiB */
    size = UINT32_MAX;
    memcpy(lying, &size, 4);
    msdk_result result = it->pass(lying);
    ok &= CHECK(result == MSDK_OK || result == MSDK_E_INVALID);
    if (!ok) fprintf(stderr, "  of msdk_%s\n", it->name);
  }
  CHECK_OK(network_set(lively.engine, "loopback:script", NULL, 0, 0));
  ivf_close(&clip);
}

/* A short struct means zero for what is missing. */
static void missing_members_are_zero(void) {
  msdk_engine_options options = {.struct_size = 8, .clock = 0, .ignore_environment = 99, .reserved0 = 99};
  msdk_engine *engine = NULL;
  CHECK_OK(msdk_engine_create(&options, &engine));
  CHECK_RESULT(msdk_engine_advance_clock(engine, 0), MSDK_E_UNSUPPORTED); /* the system clock: 0 */
  msdk_engine_destroy(engine);
  msdk_session_options session = MSDK_INIT(msdk_session_options);
  session.url = "loopback:sized";
  session.user_id = "sized";
  session.struct_size = offsetof(msdk_session_options, user_id);
  msdk_session *made = NULL;
  CHECK_ERROR(msdk_session_create(lively.engine, &session, &made), MSDK_E_INVALID, "user_id");
}

/* Elements of arrays are as far apart as the first one's struct_size says. */
static void arrays_have_the_stride_of_the_first(void) {
  struct { msdk_video_format format; uint64_t more[3]; } formats[2];
  memset(formats, 0, sizeof formats);
  for (int i = 0; i < 2; i++) {
    formats[i].format = format_of(MSDK_PIXEL_NV12, i == 0 ? 320 : 640, i == 0 ? 240 : 360, 15);
    formats[i].format.struct_size = sizeof formats[0];
  }
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &formats[0].format, 2);
  CHECK_OK(pass_outgoing_options(&options));
  formats[1].format.width = 5000;
  CHECK_ERROR(pass_outgoing_options(&options), MSDK_E_LIMIT, "5000");
  struct { msdk_network_step step; uint64_t more; } steps[2];
  memset(steps, 0, sizeof steps);
  for (int i = 0; i < 2; i++) {
    steps[i].step = network_step(i * SECOND, 1000000);
    steps[i].step.struct_size = sizeof steps[0];
  }
  CHECK_OK(network_set(lively.engine, "loopback:script", &steps[0].step, 2, 0));
  CHECK_OK(network_set(lively.engine, "loopback:script", NULL, 0, 0));
}

/* ---------------------------------------------------------------------------------------------------------- structs written */

typedef struct output {
  const char *name;
  size_t size;
  msdk_result (*fill)(void *it);
} output;

static msdk_result fill_layout(void *it) { return msdk_frame_get_layout(MSDK_PIXEL_NV12, 16, 16, 1, it); }
static msdk_result fill_limit(void *it) { return msdk_video_limit_at(0, 0, 0, it); }
static msdk_result fill_class(void *it) { return msdk_engine_class_at(lively.engine, 0, it); }
static msdk_result fill_param(void *it) {
  return msdk_engine_class_param_at(lively.engine, "org.mediasdk.producer.testpattern", 0, it);
}
static msdk_result fill_command(void *it) {
  return msdk_engine_class_command_at(lively.engine, "org.mediasdk.producer.testpattern", 0, it);
}
static msdk_result fill_engine_stats(void *it) { return msdk_engine_get_stats(lively.engine, it); }
static msdk_result fill_session_stats(void *it) { return msdk_session_get_stats(lively.alice, it); }
static msdk_result fill_outgoing_stats(void *it) { return msdk_outgoing_video_get_stats(lively.outgoing, it); }
static msdk_result fill_incoming_stats(void *it) { return msdk_incoming_video_get_stats(lively.incoming, it); }
static msdk_result fill_sender_format(void *it) { return msdk_frame_sender_get_format(lively.sender, it); }
static msdk_result fill_format_at(void *it) {
  msdk_instance *producer = NULL;
  CHECK_OK(msdk_instance_create(lively.engine, "org.mediasdk.producer.testpattern", NULL, &producer));
  msdk_result result = msdk_instance_format_at(producer, 0, it);
  msdk_instance_destroy(producer);
  return result;
}
static msdk_result fill_participant(void *it) { return msdk_session_participant_at(lively.alice, 1, it); }
static msdk_result fill_metadata(void *it) {
  msdk_video_frame *frame = picture_new(MSDK_PIXEL_NV12, 16, 16, 0);
  msdk_frame_metadata metadata = MSDK_INIT(msdk_frame_metadata);
  metadata.frame_id = metadata.user_data_size = 1;
  CHECK_OK(msdk_video_frame_set_metadata(frame, &metadata));
  msdk_result result = msdk_video_frame_get_metadata(frame, it);
  msdk_video_frame_unref(frame);
  return result;
}
static msdk_result fill_incoming_info(void *it) { return msdk_incoming_video_get_info(lively.incoming, it); }
static msdk_result fill_outgoing_info(void *it) { return msdk_outgoing_video_get_info(lively.outgoing, it); }
static msdk_result fill_event(void *it) { /* each needs an event of its own */
  msdk_session *passing = join(lively.engine, lively.url, "passing");
  msdk_session_destroy(passing);
  run_for(lively.engine, MS);
  return msdk_session_next_event(lively.alice, 0, it);
}
static msdk_result fill_report(void *it) {
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_frame_sender_acquire(lively.sender, 0, &frame));
  picture_draw(frame, 0);
  CHECK_OK(msdk_frame_sender_send(lively.sender, frame, 0, NULL, NULL));
  msdk_video_frame_unref(frame);
  run_for(lively.engine, 100 * MS);
  return msdk_outgoing_video_read_report(lively.outgoing, 0, it);
}

static msdk_result fill_sound_in_info(void *it) { return msdk_incoming_audio_get_info(sound_in, it); }
static msdk_result fill_sound_out_info(void *it) { return msdk_outgoing_audio_get_info(sound_out, it); }
static msdk_result fill_sound_out_stats(void *it) { return msdk_outgoing_audio_get_stats(sound_out, it); }
static msdk_result fill_sound_in_stats(void *it) { return msdk_incoming_audio_get_stats(sound_in, it); }
static msdk_result fill_producer_format(void *it) {
  msdk_instance *producer = NULL;
  CHECK_OK(msdk_instance_create(lively.engine, "org.mediasdk.producer.tone", NULL, &producer));
  msdk_result result = msdk_instance_get_audio_format(producer, it);
  msdk_instance_destroy(producer);
  return result;
}
static msdk_result fill_sound_report(void *it) {
  static const int16_t buffer[960];
  CHECK_OK(msdk_outgoing_audio_send(sound_out, buffer, sizeof buffer, 0, 0, NULL, NULL));
  run_for(lively.engine, 20 * MS);
  return msdk_outgoing_audio_read_report(sound_out, 0, it);
}

static msdk_result fill_request(void *it) {
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.pulled = 1;
  CHECK_OK(msdk_room_configure(lively.engine, "loopback:guarded", &options));
  msdk_session *waiting = session_new(lively.engine, "loopback:guarded", "waiting");
  CHECK_OK(msdk_session_connect(waiting));
  run_for(lively.engine, MS);
  msdk_result result = msdk_room_next_request(lively.engine, "loopback:guarded", 0, it);
  msdk_session_destroy(waiting);
  return result;
}

static msdk_result fill_attribute(void *it) {
  msdk_session *talker = session_new(lively.engine, "loopback:guarded", "talker");
  CHECK_OK(msdk_session_set_attribute(talker, "mood", "good"));
  msdk_result result = msdk_session_participant_attribute_at(talker, "talker", 0, it);
  msdk_session_destroy(talker);
  return result;
}

static msdk_result fill_data(void *it) {
  CHECK_OK(msdk_session_send_data(lively.alice, NULL, (const uint8_t *)"x", 1));
  run_for(lively.engine, MS);
  uint8_t buffer[1];
  return msdk_session_read_data(lively.bob, it, buffer, sizeof buffer);
}

static msdk_result fill_rpc(void *it) {
  uint64_t call = 0;
  CHECK_OK(msdk_session_rpc_call(lively.alice, "bob", "nothing", NULL, 0, &call));
  run_for(lively.engine, MS);
  char buffer[1];
  return msdk_session_rpc_read(lively.alice, it, buffer, sizeof buffer); /* that bob has no such method */
}

static msdk_result fill_data_stream(void *it) {
  msdk_data_stream_options options = MSDK_INIT(msdk_data_stream_options);
  options.type = MSDK_DATA_STREAM_TEXT;
  uint64_t stream = 0;
  msdk_session_data_stream_accept(lively.bob, NULL); /* once */
  CHECK_OK(msdk_session_data_stream_open(lively.alice, &options, &stream));
  CHECK_OK(msdk_session_data_stream_close(lively.alice, stream, NULL));
  run_for(lively.engine, MS);
  return msdk_session_data_stream_read(lively.bob, it, NULL, 0);
}

static msdk_result fill_attachment(void *it) {
  msdk_data_stream_options options = MSDK_INIT(msdk_data_stream_options);
  options.type = MSDK_DATA_STREAM_TEXT;
  options.attachments = (const char *const[]){"a file"};
  options.attachment_count = 1;
  uint64_t stream = 0;
  msdk_data_stream_part part = MSDK_INIT(msdk_data_stream_part);
  while (msdk_session_data_stream_read(lively.bob, &part, NULL, 0) >= 0) {} /* of the others there are as many as can wait */
  CHECK_OK(msdk_session_data_stream_open(lively.alice, &options, &stream));
  CHECK_OK(msdk_session_data_stream_close(lively.alice, stream, NULL));
  run_for(lively.engine, MS);
  CHECK_OK(msdk_session_data_stream_read(lively.bob, &part, NULL, 0));
  return msdk_session_data_stream_attachment_at(lively.bob, part.stream, 0, it);
}

static msdk_result fill_serve_info(void *it) { return msdk_room_get_serve_info(real, "loopback:served", it); }

static msdk_result fill_served(void *it) {
  msdk_serve_options options = MSDK_INIT(msdk_serve_options);
  options.port = MSDK_PORT_ANY;
  msdk_result result = msdk_room_serve(real, "loopback:options", &options, it);
  if (result >= 0) CHECK_OK(msdk_room_stop_serving(real, "loopback:options"));
  return result;
}

static msdk_result fill_log_record(void *it) {
  CHECK_OK(msdk_engine_set_log_level(lively.engine, MSDK_LOG_INFO));
  CHECK_OK(msdk_session_connect(session_new(lively.engine, room_new(), "logged"))); /* its states are logged */
  CHECK_OK(msdk_engine_set_log_level(lively.engine, MSDK_LOG_NONE));
  return msdk_engine_next_log_record(lively.engine, 0, it);
}

static const output outputs[] = {
  {"log_record", sizeof(msdk_log_record), fill_log_record},
  {"attribute", sizeof(msdk_attribute), fill_attribute},
  {"data_message", sizeof(msdk_data_message), fill_data},
  {"rpc_message", sizeof(msdk_rpc_message), fill_rpc},
  {"data_stream_part", sizeof(msdk_data_stream_part), fill_data_stream},
  {"data_stream_attachment", sizeof(msdk_data_stream_attachment), fill_attachment},
  {"serve_info", sizeof(msdk_serve_info), fill_serve_info},
  {"serve_info (served)", sizeof(msdk_serve_info), fill_served},
  {"access_request", sizeof(msdk_access_request), fill_request},
  {"audio_format (producer)", sizeof(msdk_audio_format), fill_producer_format},
  {"frame_metadata", sizeof(msdk_frame_metadata), fill_metadata},
  {"incoming_video_info", sizeof(msdk_incoming_video_info), fill_incoming_info},
  {"outgoing_video_info", sizeof(msdk_outgoing_video_info), fill_outgoing_info},
  {"incoming_audio_info", sizeof(msdk_incoming_audio_info), fill_sound_in_info},
  {"outgoing_audio_info", sizeof(msdk_outgoing_audio_info), fill_sound_out_info},
  {"outgoing_audio_stats", sizeof(msdk_outgoing_audio_stats), fill_sound_out_stats},
  {"incoming_audio_stats", sizeof(msdk_incoming_audio_stats), fill_sound_in_stats},
  {"frame_report (sound)", sizeof(msdk_frame_report), fill_sound_report},
  {"frame_layout", sizeof(msdk_frame_layout), fill_layout},
  {"video_limit", sizeof(msdk_video_limit), fill_limit},
  {"class_info", sizeof(msdk_class_info), fill_class},
  {"param", sizeof(msdk_param), fill_param},
  {"command", sizeof(msdk_command), fill_command},
  {"engine_stats", sizeof(msdk_engine_stats), fill_engine_stats},
  {"session_stats", sizeof(msdk_session_stats), fill_session_stats},
  {"outgoing_video_stats", sizeof(msdk_outgoing_video_stats), fill_outgoing_stats},
  {"incoming_video_stats", sizeof(msdk_incoming_video_stats), fill_incoming_stats},
  {"video_format (sender)", sizeof(msdk_video_format), fill_sender_format},
  {"video_format (format_at)", sizeof(msdk_video_format), fill_format_at},
  {"participant", sizeof(msdk_participant), fill_participant},
  {"event", sizeof(msdk_event), fill_event},
  {"frame_report", sizeof(msdk_frame_report), fill_report},
};

static void fill_at_size(const output *it, uint32_t size) {
  static uint8_t memory[8192];
  memset(memory, 0xA5, sizeof memory);
  memcpy(memory, &size, 4);
  msdk_result result = it->fill(memory);
  int ok = CHECK(result >= 0 || result == MSDK_E_INVALID || result == MSDK_E_BUFFER_SMALL);
  for (size_t at = size; at < sizeof memory && ok; at++) ok = memory[at] == 0xA5 || CHECK_EQ(memory[at], 0xA5);
  uint32_t stated;
  memcpy(&stated, memory, 4);
  ok &= CHECK(stated <= size);
  if (!ok) fprintf(stderr, "  of msdk_%s with struct_size %u\n", it->name, size);
}

static void structs_that_are_written(void) {
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
    const output *it = &outputs[i];
    static uint8_t memory[4096];
    for (uint32_t size = 0; size < 4; size++) {
      memset(memory, 0xA5, sizeof memory);
      memcpy(memory, &size, 4);
      if (!CHECK_RESULT(it->fill(memory), MSDK_E_INVALID)) fprintf(stderr, "  of msdk_%s with struct_size %u\n", it->name, size);
      CHECK_STR_CONTAINS(msdk_last_error(), "struct_size");
      CHECK_EQ(memory[5], 0xA5);
    }
    for (uint32_t size = 4; size < it->size; size += size < 40 ? 1 : 8) fill_at_size(it, size);
    fill_at_size(it, (uint32_t)it->size);
    fill_at_size(it, (uint32_t)it->size + 64);
    memset(memory, 0xA5, sizeof memory);
    uint32_t size = UINT32_MAX;
    memcpy(memory, &size, 4);
    if (it->fill != fill_participant) { /* whose elements would lie 4 GiB apart */
      msdk_result result = it->fill(memory);
      if (!CHECK(result == MSDK_OK || result == MSDK_E_INVALID)) fprintf(stderr, "  of msdk_%s with struct_size 4 GiB\n", it->name);
    }
  }
}

/* ------------------------------------------------------------------------------------------------------------------ queues */

static msdk_instance *pattern; /* whose events are pulled */

static void queue_event(void) {
  msdk_session *passing = join(lively.engine, lively.url, "passing");
  msdk_session_destroy(passing);
  run_for(lively.engine, MS);
}
static msdk_result take_event(void *it) { return msdk_session_next_event(lively.alice, 0, it); }
static void queue_instance_event(void) { CHECK_OK(msdk_instance_set_param_text(pattern, "speed", "2")); }
static msdk_result take_instance_event(void *it) { return msdk_instance_next_event(pattern, 0, it); }
static void queue_report(void) {
  CHECK_OK(send_picture(lively.sender, 0, 0, NULL));
  run_for(lively.engine, 100 * MS);
}
static msdk_result take_report(void *it) { return msdk_outgoing_video_read_report(lively.outgoing, 0, it); }
static void queue_sound_report(void) {
  static const int16_t buffer[960];
  CHECK_OK(msdk_outgoing_audio_send(sound_out, buffer, sizeof buffer, 0, 0, NULL, NULL));
  run_for(lively.engine, 20 * MS);
}
static msdk_result take_sound_report(void *it) { return msdk_outgoing_audio_read_report(sound_out, 0, it); }
static void queue_request(void) {
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.pulled = 1;
  CHECK_OK(msdk_room_configure(lively.engine, "loopback:queued", &options));
  CHECK_OK(msdk_session_connect(session_new(lively.engine, "loopback:queued", "waiting")));
  run_for(lively.engine, MS);
}
static msdk_result take_request(void *it) { return msdk_room_next_request(lively.engine, "loopback:queued", 0, it); }
static void queue_record(void) {
  CHECK_OK(msdk_engine_set_log_level(lively.engine, MSDK_LOG_INFO));
  CHECK_OK(msdk_session_connect(session_new(lively.engine, room_new(), "logged")));
  CHECK_OK(msdk_engine_set_log_level(lively.engine, MSDK_LOG_NONE));
}
static msdk_result take_record(void *it) { return msdk_engine_next_log_record(lively.engine, 0, it); }

static const struct {
  const char *name;
  size_t size;
  void (*queue)(void);
  msdk_result (*take)(void *it);
} queues[] = {
  {"event", sizeof(msdk_event), queue_event, take_event},
  {"instance_event", sizeof(msdk_instance_event), queue_instance_event, take_instance_event},
  {"frame_report", sizeof(msdk_frame_report), queue_report, take_report},
  {"frame_report (sound)", sizeof(msdk_frame_report), queue_sound_report, take_sound_report},
  {"access_request", sizeof(msdk_access_request), queue_request, take_request},
  {"log_record", sizeof(msdk_log_record), queue_record, take_record},
};

/* Nothing is dequeued for a struct that cannot be filled: what was queued comes with the next calls. */
static void what_cannot_be_filled_costs_nothing(void) {
  for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
    static uint8_t memory[8192];
    uint32_t size = (uint32_t)queues[i].size;
    while (memcpy(memory, &size, 4), queues[i].take(memory) == MSDK_OK) continue;
    queues[i].queue();
    int count = 0, ok = 1;
    for (; memcpy(memory, &size, 4), queues[i].take(memory) == MSDK_OK; count++) continue;
    queues[i].queue();
    for (uint32_t small = 0; small < 4; small++) {
      memcpy(memory, &small, 4);
      ok &= CHECK_RESULT(queues[i].take(memory), MSDK_E_INVALID);
    }
    ok &= CHECK_RESULT(queues[i].take(NULL), MSDK_E_INVALID);
    for (int n = 0; n < count; n++) {
      memcpy(memory, &size, 4);
      ok &= CHECK_OK(queues[i].take(memory));
    }
    ok &= CHECK(count > 0);
    if (!ok) fprintf(stderr, "  of msdk_%s\n", queues[i].name);
  }
}

int main(int argc, char **argv) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  lively = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  CHECK_OK(msdk_engine_add_plugin_dir(lively.engine, directory != NULL ? directory : "", NULL));
  CHECK_OK(msdk_instance_create(lively.engine, "org.mediasdk.renderer.bw", NULL, &renderer));
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_OK(msdk_outgoing_audio_create(lively.engine, NULL, &sound_out));
  CHECK_OK(msdk_session_start_audio(lively.alice, sound_out));
  if (CHECK(event_wait(lively.engine, lively.bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event))) sound_in = event.incoming_audio;
  CHECK_OK(msdk_incoming_audio_start(sound_in, NULL));
  real = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_serve_options serve = MSDK_INIT(msdk_serve_options);
  serve.addresses = "127.0.0.1";
  serve.port = MSDK_PORT_ANY;
  CHECK_OK(msdk_room_serve(real, "loopback:served", &serve, NULL));
  RUN(structs_that_are_read);
  RUN(missing_members_are_zero);
  RUN(arrays_have_the_stride_of_the_first);
  RUN(structs_that_are_written);
  CHECK_OK(msdk_instance_create(lively.engine, "org.mediasdk.producer.testpattern", NULL, &pattern));
  RUN(what_cannot_be_filled_costs_nothing);
  msdk_instance_destroy(pattern);
  msdk_instance_destroy(renderer);
  msdk_outgoing_audio_destroy(sound_out);
  call_close(&lively);
  msdk_engine_destroy(real);
  return check_finish();
}
