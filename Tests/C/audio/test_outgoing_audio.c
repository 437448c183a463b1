/* outgoing_audio.h: options, sizes, sending, time, states. */
#include "sound.h"

/* ----------------------------------------------------------------------------------------------------------------- options */

static msdk_engine *engine;

static msdk_result try_options(msdk_outgoing_audio_options options) {
  options.struct_size = sizeof options;
  msdk_outgoing_audio *stream = NULL;
  msdk_result result = msdk_outgoing_audio_create(engine, &options, &stream);
  CHECK((result >= 0) == (stream != NULL));
  msdk_outgoing_audio_destroy(stream);
  return result;
}

#define ACCEPTED(...) CHECK_OK(try_options((msdk_outgoing_audio_options){__VA_ARGS__}))
#define REFUSED(word, number, ...)                                                                   \
  do {                                                                                               \
    msdk_result result = try_options((msdk_outgoing_audio_options){__VA_ARGS__});                    \
    CHECK(result == MSDK_E_RANGE || result == MSDK_E_INVALID || result == MSDK_E_UNSUPPORTED);       \
    CHECK_STR_CONTAINS(msdk_last_error(), word);                                                     \
    CHECK_STR_CONTAINS(msdk_last_error(), number);                                                   \
  } while (0)

static void options_that_are_accepted(void) {
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_outgoing_audio *stream = NULL;
  CHECK_OK(msdk_outgoing_audio_create(engine, NULL, &stream));
  msdk_audio_format format = format_of_voice(stream); /* the defaults */
  CHECK_EQ(format.sample_rate, 48000);
  CHECK_EQ(format.channels, 1);
  CHECK_EQ(format.sample_format, MSDK_SAMPLE_S16);
  CHECK_EQ(format.frames_per_buffer, 960);
  CHECK_EQ(format.planar, 0);
  CHECK_EQ(sound_stats(stream).gain == 1.0, 1);
  CHECK_EQ(sound_stats(stream).bitrate, 32000);
  CHECK_EQ(engine_stats(engine).outgoing_audios, 1);
  msdk_outgoing_audio_destroy(stream);
  CHECK_EQ(engine_stats(engine).outgoing_audios, 0);
  for (int i = 0; i < 6; i++) ACCEPTED(.sample_rate = sound_rates[i]);
  for (uint32_t ms = 10; ms <= 100; ms += 10) ACCEPTED(.buffer_ms = ms);
  for (uint32_t i = 0; i <= 2; i++) {
    ACCEPTED(.channels = i);
    ACCEPTED(.kind = i);
    ACCEPTED(.sample_format = i);
    ACCEPTED(.codec = MSDK_CODEC_OPUS, .application = i);
  }
  ACCEPTED(.queue_ms = 20);
  ACCEPTED(.queue_ms = 60000);
  ACCEPTED(.buffer_ms = 100, .queue_ms = 100);
  ACCEPTED(.buffer_ms = 10, .queue_ms = 40000);
  ACCEPTED(.report_capacity = 1);
  ACCEPTED(.report_capacity = 4096);
  ACCEPTED(.codec = MSDK_CODEC_OPUS, .encoded_input = 1);
  static const uint32_t packets[] = {0, 10, 20, 40, 60};
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 6; j++) {
      for (uint32_t ms = 10; ms <= 100; ms += 30) {
        ACCEPTED(.codec = MSDK_CODEC_OPUS, .packet_ms = packets[i], .sample_rate = sound_rates[j], .buffer_ms = ms);
      }
    }
  }
  ACCEPTED(.codec = MSDK_CODEC_OPUS, .bitrate = 6000, .complexity = 1);
  ACCEPTED(.codec = MSDK_CODEC_OPUS, .bitrate = 510000, .complexity = 10);
  ACCEPTED(.codec = MSDK_CODEC_OPUS, .fec = 1, .expected_loss = 100, .dtx = 1);
  msdk_engine_destroy(engine);
}

static void options_that_are_refused(void) {
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  REFUSED("sample_rate", "8000", .sample_rate = 8000);
  REFUSED("sample_rate", "1", .sample_rate = 1);
  REFUSED("sample_rate", "48001", .sample_rate = 48001);
  REFUSED("sample_rate", "96000", .sample_rate = 96000);
  REFUSED("sample_rate", "4294967295", .sample_rate = UINT32_MAX);
  REFUSED("channels", "3", .channels = 3);
  REFUSED("channels", "32", .channels = MSDK_CHANNELS_MAX);
  REFUSED("sample_format", "3", .sample_format = 3);
  REFUSED("buffer_ms", "5", .buffer_ms = 5);
  REFUSED("buffer_ms", "15", .buffer_ms = 15);
  REFUSED("buffer_ms", "110", .buffer_ms = 110);
  REFUSED("buffer_ms", "4294967290", .buffer_ms = 4294967290u);
  REFUSED("queue_ms", "19", .queue_ms = 19);
  REFUSED("queue_ms", "90", .queue_ms = 90, .buffer_ms = 100);
  REFUSED("queue_ms", "60001", .queue_ms = 60001);
  REFUSED("queue_ms", "..40000", .queue_ms = 40001, .buffer_ms = 10);
  REFUSED("report_capacity", "4097", .report_capacity = 4097);
  REFUSED("kind", "3", .kind = 3);
  REFUSED("codec", "", .codec = MSDK_CODEC_VP8);
  REFUSED("codec", "", .codec = 12345);
  REFUSED("encoded_input", "2", .codec = MSDK_CODEC_OPUS, .encoded_input = 2);
  REFUSED("encoded_input", "", .encoded_input = 1);
  REFUSED("application", "3", .codec = MSDK_CODEC_OPUS, .application = 3);
  REFUSED("bitrate", "5999", .codec = MSDK_CODEC_OPUS, .bitrate = 5999);
  REFUSED("bitrate", "510001", .codec = MSDK_CODEC_OPUS, .bitrate = 510001);
  REFUSED("complexity", "11", .codec = MSDK_CODEC_OPUS, .complexity = 11);
  REFUSED("packet_ms", "30", .codec = MSDK_CODEC_OPUS, .packet_ms = 30);
  REFUSED("packet_ms", "120", .codec = MSDK_CODEC_OPUS, .packet_ms = 120);
  REFUSED("fec", "2", .codec = MSDK_CODEC_OPUS, .fec = 2);
  REFUSED("expected_loss", "101", .codec = MSDK_CODEC_OPUS, .expected_loss = 101);
  REFUSED("dtx", "2", .codec = MSDK_CODEC_OPUS, .dtx = 2);
  CHECK_ERROR(msdk_outgoing_audio_create(engine, NULL, NULL), MSDK_E_INVALID, "out");
  CHECK_EQ(engine_stats(engine).outgoing_audios, 0);
  msdk_engine_destroy(engine);
}

/* Samples per channel: rate times duration, rounded down. That is not a whole number for 22,050 Hz with an odd multiple of 10 ms alone. */
static void sizes_of_buffers(void) {
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  for (int i = 0; i < 6; i++) {
    for (uint32_t channels = 1; channels <= 2; channels++) {
      for (uint32_t sample = MSDK_SAMPLE_S16; sample <= MSDK_SAMPLE_F32; sample++) {
        for (uint32_t ms = 10; ms <= 100; ms += 10) {
          msdk_outgoing_audio_options options = sound_options(sound_rates[i], channels, sample, ms);
          msdk_outgoing_audio *stream = NULL;
          uint64_t size = 0;
          CHECK_OK(msdk_outgoing_audio_create(engine, &options, &stream));
          CHECK_OK(msdk_outgoing_audio_get_buffer_size(stream, &size));
          CHECK_EQ(format_of_voice(stream).frames_per_buffer, sound_rates[i] * ms / 1000);
          CHECK_EQ(size, (uint64_t)(sound_rates[i] * ms / 1000) * channels * (sample == MSDK_SAMPLE_S16 ? 2 : 4));
          CHECK_EQ(sound_rates[i] * ms % 1000 != 0, sound_rates[i] == 22050 && ms % 20 != 0);
          msdk_outgoing_audio_destroy(stream);
        }
      }
    }
  }
  msdk_engine_destroy(engine);
}

/* ----------------------------------------------------------------------------------------------------------------- sending */

static void sizes_and_samples_are_checked(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 2, MSDK_SAMPLE_F32, 10);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_outgoing_audio *stream = it->voice.stream;
  static float samples[2048];
  CHECK_EQ(it->voice.size, 480 * 2 * 4);
  static const uint64_t wrong[] = {0, 1, 3839, 3841, 1920, 7680, UINT32_MAX, UINT64_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CHECK_ERROR(msdk_outgoing_audio_send(stream, samples, wrong[i], 0, 0, NULL, NULL), MSDK_E_INVALID, "3840");
  }
  CHECK_ERROR(msdk_outgoing_audio_send(stream, NULL, 3840, 0, 0, NULL, NULL), MSDK_E_INVALID, "data");
  static const struct { uint32_t index; float value; } bad[] = {{0, NAN}, {1, INFINITY}, {959, -INFINITY}, {500, -NAN}};
  for (int i = 0; i < 4; i++) {
    char index[16];
    snprintf(index, sizeof index, "%u", bad[i].index);
    memset(samples, 0, sizeof samples);
    samples[bad[i].index] = bad[i].value;
    CHECK_ERROR(msdk_outgoing_audio_send(stream, samples, 3840, 0, 0, NULL, NULL), MSDK_E_INVALID, index);
    samples[960] = NAN; /* the first is named, and nothing behind the buffer is looked at */
    CHECK_ERROR(msdk_outgoing_audio_send(stream, samples, 3840, 0, 0, NULL, NULL), MSDK_E_INVALID, index);
  }
  memset(samples, 0, sizeof samples);
  CHECK_EQ(sound_stats(stream).buffers_offered, 0); /* what is refused is not accepted */
  samples[7] = 3.0e38f;                              /* large but finite: carried as it is */
  samples[8] = -1.0e-40f;
  CHECK_OK(msdk_outgoing_audio_send(stream, samples, 3840, 0, 0, NULL, NULL));
  msdk_audio_frame *frame = sound_wait(it->engine, it->heard.stream);
  NEED(frame != NULL);
  CHECK(memcmp(frame->planes[0], samples, 3840) == 0);
  msdk_audio_frame_unref(frame);
  uint8_t *odd = malloc(3841); /* of any alignment */
  memcpy(odd + 1, samples, 3840);
  CHECK_OK(msdk_outgoing_audio_send(stream, odd + 1, 3840, 0, 0, NULL, NULL));
  memset(odd, 0xFF, 3841); /* copied before it returned */
  frame = sound_wait(it->engine, it->heard.stream);
  NEED(frame != NULL);
  CHECK(memcmp(frame->planes[0], samples, 3840) == 0);
  msdk_audio_frame_unref(frame);
  free(odd);
  check_sound_adds_up(stream);
  sound_close(it);
}

/* What jumps back goes on where the audio before ended; what follows keeps its distance. */
static void timestamps_go_forward(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_outgoing_audio *stream = it->voice.stream;
  static int16_t samples[480];
  CHECK_OK(msdk_outgoing_audio_send(stream, samples, 960, 5000, 0, NULL, NULL));
  run_for(it->engine, 10 * MS);
  CHECK_OK(msdk_outgoing_audio_send(stream, samples, 960, 5001, 0, NULL, NULL));
  run_for(it->engine, 10 * MS);
  CHECK_OK(msdk_outgoing_audio_send(stream, samples, 960, INT64_C(7) * SECOND, 0, NULL, NULL));
  run_for(it->engine, 10 * MS);
  CHECK_OK(msdk_outgoing_audio_send(stream, samples, 960, INT64_C(7) * SECOND, 0, NULL, NULL)); /* the same once more */
  run_for(it->engine, 10 * MS);
  CHECK_OK(msdk_outgoing_audio_send(stream, samples, 960, INT64_C(7) * SECOND + 25 * MS, 0, NULL, NULL));
  static const int64_t expected[] = {5000, 5001, INT64_C(7) * SECOND, INT64_C(7) * SECOND + 10 * MS, INT64_C(7) * SECOND + 35 * MS};
  for (int i = 0; i < 5; i++) {
    msdk_audio_frame *frame = sound_wait(it->engine, it->heard.stream);
    NEED(frame != NULL);
    CHECK_EQ(frame->timestamp_ns, expected[i]);
    CHECK_EQ(frame->sequence, i + 1);
    msdk_audio_frame_unref(frame);
  }
  CHECK_EQ(sound_stats(stream).buffers_offered, 5);
  sound_close(it);
}

/* Left to the SDK, time is counted in samples: no drift, even where a buffer is no whole number of nanoseconds. */
static void time_is_counted_in_samples(void) {
  static const uint32_t cases[][2] = {{22050, 10}, {22050, 50}, {44100, 10}, {16000, 100}, {48000, 20}};
  for (int i = 0; i < 5; i++) {
    msdk_outgoing_audio_options options = sound_options(cases[i][0], 1, MSDK_SAMPLE_S16, cases[i][1]);
    sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
    it->voice.begin_ns = msdk_engine_now(it->engine);
    sound_talk(it, 30 * SECOND);
    CHECK_RANGE(it->heard.first_ns - voice_captured(&it->voice), -1, 1);
    int64_t error = it->heard.next_ns - it->heard.first_ns - (int64_t)llround((double)it->heard.count * 1e9 / cases[i][0]);
    CHECK_RANGE(error, -2, 2);
    CHECK_RANGE(it->heard.worst_gap_ns, 0, 2);
    CHECK_EQ(it->heard.broken, 0);
    CHECK_EQ(it->heard.shortest, cases[i][0] * cases[i][1] / 1000);
    CHECK(it->heard.count > 0);
    CHECK_EQ(it->heard.count, it->voice.position);
    /* After a pause of more than 100 ms it was captured just now. */
    run_for(it->engine, 500 * MS);
    heard_forget(&it->heard);
    int64_t now = msdk_engine_now(it->engine);
    CHECK_OK(voice_send(&it->voice));
    run_for(it->engine, 25 * MS); /* 20 ms of it are for what a source that was held up would send */
    heard_drain(&it->heard, it->engine);
    CHECK_RANGE(now - it->heard.first_ns - (int64_t)it->voice.samples * SECOND / it->voice.rate, -1, 1);
    sound_close(it);
  }
}

/* ------------------------------------------------------------------------------------------------------------------ states */

static uint32_t state_now(msdk_outgoing_audio *stream) {
  uint32_t state = UINT32_MAX;
  CHECK_OK(msdk_outgoing_audio_get_state(stream, &state));
  CHECK_EQ(sound_stats(stream).state, state);
  return state;
}

static void started_on_a_connected_session(void) {
  sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
  msdk_event event = MSDK_INIT(msdk_event);
  NEED(voice_make(&it->voice, it->engine, NULL));
  CHECK_EQ(state_now(it->voice.stream), MSDK_OUTGOING_NONE);
  CHECK_RESULT(voice_send(&it->voice), MSDK_E_STATE);
  CHECK_RESULT(msdk_session_stop_audio(it->alice, it->voice.stream), MSDK_E_STATE);
  CHECK_OK(msdk_session_start_audio(it->alice, it->voice.stream));
  CHECK(event_wait(it->engine, it->alice, MSDK_EVENT_OUTGOING_AUDIO_STATE, &event));
  CHECK(event.outgoing_audio == it->voice.stream);
  CHECK_EQ(event.state, MSDK_OUTGOING_STARTED);
  CHECK_EQ(state_now(it->voice.stream), MSDK_OUTGOING_STARTED);
  CHECK_RESULT(msdk_session_start_audio(it->alice, it->voice.stream), MSDK_E_STATE);
  CHECK_RESULT(msdk_session_start_audio(it->bob, it->voice.stream), MSDK_E_STATE);
  CHECK_RESULT(msdk_session_stop_audio(it->bob, it->voice.stream), MSDK_E_STATE);
  msdk_encoded_frame *nothing = NULL;
  CHECK(msdk_outgoing_audio_send_encoded(it->voice.stream, nothing, 0, 0, NULL, NULL) < 0);
  CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
  CHECK(event_wait(it->engine, it->alice, MSDK_EVENT_OUTGOING_AUDIO_STATE, &event));
  CHECK_EQ(event.state, MSDK_OUTGOING_STOPPED);
  CHECK_EQ(state_now(it->voice.stream), MSDK_OUTGOING_STOPPED);
  CHECK(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_REMOVED, &event));
  CHECK_RESULT(voice_send(&it->voice), MSDK_E_STATE);
  CHECK_OK(msdk_session_start_audio(it->bob, it->voice.stream)); /* again, on another session */
  CHECK_EQ(state_now(it->voice.stream), MSDK_OUTGOING_STARTED);
  CHECK(event_wait(it->engine, it->alice, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event));
  CHECK(strcmp(event.user_id, "bob") == 0);
  sound_close(it);
}

static void attached_before_connecting(void) {
  sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
  msdk_event event = MSDK_INIT(msdk_event);
  msdk_session *carol = session_new(it->engine, it->url, "carol");
  NEED(voice_make(&it->voice, it->engine, NULL));
  CHECK_OK(msdk_session_start_audio(carol, it->voice.stream));
  CHECK_EQ(state_now(it->voice.stream), MSDK_OUTGOING_NONE);
  CHECK_RESULT(msdk_session_start_audio(carol, it->voice.stream), MSDK_E_STATE); /* attached already */
  CHECK_RESULT(msdk_session_start_audio(it->bob, it->voice.stream), MSDK_E_STATE);
  CHECK_RESULT(voice_send(&it->voice), MSDK_E_STATE);
  for (int round = 0; round < 3; round++) { /* whenever the session gets connected */
    event_take(carol, MSDK_EVENT_OUTGOING_AUDIO_STATE, &event); /* that of the round before */
    CHECK_OK(msdk_session_connect(carol));
    NEED(event_wait(it->engine, carol, MSDK_EVENT_OUTGOING_AUDIO_STATE, &event));
    CHECK_EQ(event.state, MSDK_OUTGOING_STARTED);
    NEED(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event));
    it->heard.stream = event.incoming_audio;
    CHECK_OK(msdk_incoming_audio_start(it->heard.stream, NULL));
    run_for(it->engine, MS);
    it->voice.begin_ns = 0, it->voice.position = 0;
    sound_talk(it, 100 * MS);
    CHECK_EQ(it->heard.frames, 5 * (round + 1));
    CHECK_OK(msdk_session_disconnect(carol));
    CHECK(state_wait(it->engine, carol, MSDK_SESSION_DISCONNECTED));
    CHECK_EQ(state_now(it->voice.stream), MSDK_OUTGOING_STOPPED);
    CHECK_RESULT(voice_send(&it->voice), MSDK_E_STATE);
  }
  CHECK_OK(msdk_session_stop_audio(carol, it->voice.stream)); /* detached */
  CHECK_RESULT(msdk_session_stop_audio(carol, it->voice.stream), MSDK_E_STATE);
  CHECK_OK(msdk_session_connect(carol));
  CHECK(state_wait(it->engine, carol, MSDK_SESSION_CONNECTED));
  run_for(it->engine, 100 * MS);
  CHECK_EQ(state_now(it->voice.stream), MSDK_OUTGOING_STOPPED);
  CHECK_OK(msdk_session_disconnect(carol));
  CHECK_OK(msdk_session_start_audio(carol, it->voice.stream)); /* attached, then destroyed */
  msdk_outgoing_audio_destroy(it->voice.stream);
  CHECK(state_wait(it->engine, carol, MSDK_SESSION_DISCONNECTED));
  CHECK_OK(msdk_session_connect(carol));
  CHECK(state_wait(it->engine, carol, MSDK_SESSION_CONNECTED));
  msdk_session_destroy(carol);
  sound_close(it);
}

static void eight_on_one_session(void) {
  for (int connected = 0; connected < 2; connected++) {
    sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
    msdk_session *carol = session_new(it->engine, it->url, "carol");
    if (connected) {
      CHECK_OK(msdk_session_connect(carol));
      CHECK(state_wait(it->engine, carol, MSDK_SESSION_CONNECTED));
    }
    msdk_outgoing_audio *streams[9] = {NULL};
    for (int i = 0; i < 9; i++) {
      CHECK_OK(msdk_outgoing_audio_create(it->engine, NULL, &streams[i]));
      msdk_result result = msdk_session_start_audio(carol, streams[i]);
      CHECK_RESULT(result, i < 8 ? MSDK_OK : MSDK_E_FULL);
      if (i == 8) CHECK_STR_CONTAINS(msdk_last_error(), "8");
    }
    CHECK_OK(msdk_session_stop_audio(carol, streams[3]));
    CHECK_OK(msdk_session_start_audio(carol, streams[8])); /* there is room again */
    CHECK_RESULT(msdk_session_start_audio(carol, streams[3]), MSDK_E_FULL);
    msdk_outgoing_audio_destroy(streams[0]);
    CHECK_OK(msdk_session_start_audio(carol, streams[3]));
    if (!connected) {
      CHECK_OK(msdk_session_connect(carol));
      CHECK(state_wait(it->engine, carol, MSDK_SESSION_CONNECTED));
    }
    run_for(it->engine, 10 * MS);
    for (int i = 1; i < 9; i++) CHECK_EQ(state_now(streams[i]), MSDK_OUTGOING_STARTED);
    msdk_participant people[3];
    uint32_t count = people_of(it->bob, people, 3);
    int found = 0;
    for (uint32_t i = 0; i < count && i < 3; i++) {
      if (strcmp(people[i].user_id, "carol") == 0) found += people[i].audio_stream_count == 8;
    }
    CHECK_EQ(found, 1);
    for (int i = 1; i < 9; i++) msdk_outgoing_audio_destroy(streams[i]);
    msdk_session_destroy(carol);
    sound_close(it);
  }
}

int main(int argc, char **argv) {
  RUN(options_that_are_accepted);
  RUN(options_that_are_refused);
  RUN(sizes_of_buffers);
  RUN(sizes_and_samples_are_checked);
  RUN(timestamps_go_forward);
  RUN(time_is_counted_in_samples);
  RUN(started_on_a_connected_session);
  RUN(attached_before_connecting);
  RUN(eight_on_one_session);
  return check_finish();
}
