/* msdk_outgoing_audio_write: samples of any number come out as one line of buffers, padded at the end. */
#include "random.h"
#include "sound.h"

enum { BUFFER = 960, ROOM = 48000 };

/* A line of samples that is known again: each is its place, from 1. */
typedef struct line {
  sound_call *call;
  msdk_outgoing_audio *stream;
  int16_t sent[ROOM];
  uint64_t written;   /* samples */
  int16_t heard[ROOM];
  uint64_t heard_count;
} line;

static line *line_open(void) {
  line *it = calloc(1, sizeof *it);
  if (it == NULL) abort();
  for (int i = 0; i < ROOM; i++) it->sent[i] = (int16_t)(i % 30000 + 1);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  options.queue_ms = 100;
  it->call = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  it->stream = it->call->voice.stream;
  return it;
}

static void line_close(line *it) {
  sound_close(it->call);
  free(it);
}

static void line_hear(line *it) {
  msdk_audio_frame *frame = NULL;
  while (msdk_incoming_audio_read(it->call->heard.stream, 0, &frame) >= 0) {
    for (uint32_t i = 0; i < frame->sample_count && it->heard_count < ROOM; i++) it->heard[it->heard_count++] = ((const int16_t *)(const void *)frame->planes[0])[i];
    msdk_audio_frame_unref(frame);
  }
}

/* Writes so many samples, and lets time pass while there is no room. */
static void line_write(line *it, uint64_t count, uint32_t flags) {
  for (int tries = 0; tries < 1000; tries++) {
    uint64_t bytes = 77;
    msdk_result result = msdk_outgoing_audio_write(it->stream, it->sent + it->written, count * 2, flags, 0, &bytes);
    CHECK(bytes % 2 == 0 && bytes <= count * 2);
    it->written += bytes / 2;
    count -= bytes / 2;
    if (result == MSDK_OK) return;
    if (!CHECK_EQ(result, MSDK_E_AGAIN)) return;
    run_for(it->call->engine, 10 * MS);
    line_hear(it);
  }
  CHECK(!"never room");
}

static void line_end(line *it) {
  run_for(it->call->engine, 500 * MS);
  line_hear(it);
}

static void any_number_of_samples(void) {
  line *it = line_open();
  uint64_t random = 1;
  while (it->written < 20000) {
    static const uint64_t counts[] = {0, 1, 7, 959, 960, 961, 1919, 1920, 4000};
    line_write(it, counts[random_below(&random, MSDK_COUNT(counts))], 0);
  }
  line_end(it);
  CHECK_EQ(it->heard_count, it->written / BUFFER * BUFFER); /* the rest is kept */
  line_write(it, 0, MSDK_WRITE_END);
  line_end(it);
  CHECK_EQ(it->heard_count, (it->written + BUFFER - 1) / BUFFER * BUFFER);
  CHECK(memcmp(it->heard, it->sent, it->written * 2) == 0);
  for (uint64_t i = it->written; i < it->heard_count; i++) CHECK_EQ(it->heard[i], 0);
  msdk_outgoing_audio_stats stats = sound_stats(it->stream);
  CHECK_EQ(stats.buffers_offered, it->heard_count / BUFFER);
  line_write(it, 0, MSDK_WRITE_END); /* nothing is kept: nothing is sent */
  CHECK_EQ(sound_stats(it->stream).buffers_offered, stats.buffers_offered);
  line_close(it);
}

static void the_end_comes_with_the_last_samples(void) {
  line *it = line_open();
  line_write(it, 10000, MSDK_WRITE_END);
  line_end(it);
  CHECK_EQ(it->written, 10000);
  CHECK_EQ(it->heard_count, 11 * BUFFER);
  CHECK(memcmp(it->heard, it->sent, 10000 * 2) == 0);
  line_close(it);
}

static void flushing_and_stopping_forget_what_is_kept(void) {
  for (int stops = 0; stops < 2; stops++) {
    line *it = line_open();
    line_write(it, 500, 0);
    if (stops) {
      CHECK_OK(msdk_session_stop_audio(it->call->alice, it->stream));
      CHECK_RESULT(msdk_outgoing_audio_write(it->stream, it->sent, 2, 0, 0, NULL), MSDK_E_STATE);
    } else {
      CHECK_OK(msdk_outgoing_audio_flush(it->stream));
      line_write(it, 0, MSDK_WRITE_END);
      line_end(it);
      CHECK_EQ(sound_stats(it->stream).buffers_offered, 0);
      line_write(it, BUFFER, 0);
      line_end(it);
      CHECK_EQ(it->heard_count, BUFFER);
      CHECK(memcmp(it->heard, it->sent + 500, BUFFER * 2) == 0);
    }
    line_close(it);
  }
}

static void what_is_refused(void) {
  line *it = line_open();
  uint64_t written = 5;
  CHECK_ERROR(msdk_outgoing_audio_write(it->stream, it->sent, 3, 0, 0, &written), MSDK_E_INVALID, "size is 3");
  CHECK_EQ(written, 0);
  CHECK_ERROR(msdk_outgoing_audio_write(it->stream, it->sent, 2, 2, 0, NULL), MSDK_E_UNSUPPORTED, "MSDK_WRITE_END");
  CHECK_ERROR(msdk_outgoing_audio_write(it->stream, NULL, 2, 0, 0, NULL), MSDK_E_INVALID, "data");
  CHECK_OK(msdk_outgoing_audio_write(it->stream, NULL, 0, 0, 0, NULL));
  line_close(it);
  msdk_outgoing_audio_options options = sound_options(48000, 2, MSDK_SAMPLE_F32, 20);
  sound_call *call = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  static float samples[4 * BUFFER];
  CHECK_OK(msdk_outgoing_audio_write(call->voice.stream, samples, 8 * 100, 0, 0, NULL));
  samples[150] = (float)NAN;
  CHECK_ERROR(msdk_outgoing_audio_write(call->voice.stream, samples, sizeof samples, 0, 0, NULL), MSDK_E_INVALID, "data");
  samples[150] = 0;
  CHECK_OK(msdk_outgoing_audio_write(call->voice.stream, samples, 8 * BUFFER, 0, 0, NULL)); /* nothing was kept */
  CHECK_EQ(sound_stats(call->voice.stream).buffers_offered, 1);
  options.codec = MSDK_CODEC_OPUS;
  options.encoded_input = 1;
  msdk_outgoing_audio *packets = NULL;
  CHECK_OK(msdk_outgoing_audio_create(call->engine, &options, &packets));
  CHECK_ERROR(msdk_outgoing_audio_write(packets, samples, 8, 0, 0, NULL), MSDK_E_STATE, "packets");
  msdk_outgoing_audio_destroy(packets);
  sound_close(call);
}

int main(int argc, char **argv) {
  RUN(any_number_of_samples);
  RUN(the_end_comes_with_the_last_samples);
  RUN(flushing_and_stopping_forget_what_is_kept);
  RUN(what_is_refused);
  return check_finish();
}
