/* A tone: alice sends a sine to the call, and bob receives it and prints what was measured.
 *
 *     gcc tone.c $(pkg-config --cflags --libs mediasdk) -lm && ./a.out [seconds [frequency]]
 *
 * A loopback room lives inside the process, so the listener, bob, is here too: the few lines marked "bob". */
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RATE = 48000, BUFFER_MS = 20 };

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_session *session_of(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  return session;
}

/* bob: counts the received samples, how loud they are, and how often they rise through zero. One call at a time, on the stream's thread. */
static struct heard {
  uint64_t samples;
  uint32_t rises, loudest; /* loudest: 0 is the loudest there is, 127 silence */
  int below;
} heard = {.loudest = 127};

static void on_audio(void *user, const msdk_audio_frame *frame) {
  (void)user;
  const float *samples = (const float *)(const void *)frame->planes[0]; /* as requested below: mono f32 */
  for (uint32_t i = 0; i < frame->sample_count; i++) {
    heard.rises += heard.below && samples[i] > 0.01f; /* what is nearer to zero may be the codec's noise */
    heard.below = samples[i] < -0.01f || (heard.below && samples[i] <= 0.01f);
  }
  if (frame->level < heard.loudest) heard.loudest = frame->level;
  heard.samples += frame->sample_count;
}

static msdk_incoming_audio *listen(msdk_session *bob) {
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_INCOMING_AUDIO_ADDED) must(msdk_session_next_event(bob, 5000, &event), "bob");
  printf("%s sends audio of %" PRIu32 " Hz\n", event.user_id, event.audio_format.sample_rate);
  msdk_incoming_audio_options options = MSDK_INIT(msdk_incoming_audio_options);
  options.sample_rate = RATE;
  options.channels = 1;
  options.sample_format = MSDK_SAMPLE_F32;
  must(msdk_incoming_audio_set_frame_callback(event.incoming_audio, on_audio, NULL), "bob");
  must(msdk_incoming_audio_start(event.incoming_audio, &options), "bob");
  return event.incoming_audio;
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 2, frequency = argc > 2 ? atof(argv[2]) : 440;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session *alice = session_of(engine, "alice"), *bob = session_of(engine, "bob");

  /* 1. An audio stream, on a session that is not connected yet: it starts as soon as that is. */
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.sample_rate = RATE;
  options.channels = 1;
  options.sample_format = MSDK_SAMPLE_S16;
  options.buffer_ms = BUFFER_MS;
  options.codec = MSDK_CODEC_OPUS;
  msdk_outgoing_audio *stream = NULL;
  must(msdk_outgoing_audio_create(engine, &options, &stream), "msdk_outgoing_audio_create");
  must(msdk_session_start_audio(alice, stream), "msdk_session_start_audio");
  must(msdk_session_connect(alice), "msdk_session_connect");
  must(msdk_session_connect(bob), "bob");
  msdk_incoming_audio *incoming = listen(bob);

  /* 2. Buffers of exactly the expected size. A program that is faster than real time waits in send: while half a second is queued,
   * send waits for room, up to a second here. */
  uint64_t size = 0;
  must(msdk_outgoing_audio_get_buffer_size(stream, &size), "msdk_outgoing_audio_get_buffer_size");
  uint32_t count = (uint32_t)(size / sizeof(int16_t));
  int16_t *buffer = malloc(size);
  if (buffer == NULL) return 1;
  for (uint64_t first = 0; first < (uint64_t)(seconds * RATE); first += count) {
    for (uint32_t i = 0; i < count; i++) {
      buffer[i] = (int16_t)lrint(8192 * sin(2 * 3.14159265358979 * frequency * (double)(first + i) / RATE));
    }
    /* Timestamp 0: continuous. What becomes of each buffer is read below. */
    must(msdk_outgoing_audio_send(stream, buffer, size, 0, 1000, NULL, NULL), "msdk_outgoing_audio_send");
  }
  free(buffer);

  /* 3. Wait until all audio has been sent. Then every buffer has its report; the newest 64 can be read. */
  must(msdk_outgoing_audio_wait_played(stream, 5000), "msdk_outgoing_audio_wait_played");
  must(msdk_session_stop_audio(alice, stream), "msdk_session_stop_audio");
  must(msdk_incoming_audio_stop(incoming), "bob"); /* when it returns, on_audio is not running any more */
  uint32_t outcomes[6] = {0};
  msdk_frame_report report = MSDK_INIT(msdk_frame_report);
  while (msdk_outgoing_audio_read_report(stream, 0, &report) >= 0) outcomes[report.outcome < 6 ? report.outcome : 0]++;
  msdk_outgoing_audio_stats stats = MSDK_INIT(msdk_outgoing_audio_stats);
  must(msdk_outgoing_audio_get_stats(stream, &stats), "msdk_outgoing_audio_get_stats");
  printf("%" PRIu64 " buffers sent, %" PRIu64 " encoded into %" PRIu64 " packets, %" PRIu64 " bytes; of the last ones %" PRIu32
         " were encoded, %" PRIu32 " dropped\n",
         stats.buffers_offered, stats.buffers_encoded, stats.packets_sent, stats.bytes_sent, outcomes[MSDK_OUTCOME_ENCODED],
         outcomes[MSDK_OUTCOME_DROPPED]);
  msdk_engine_destroy(engine); /* ends all that was made from it */

  double heard_seconds = (double)heard.samples / RATE;
  printf("bob heard %.2f s of %.0f Hz, at its loudest -%" PRIu32 " dB\n", heard_seconds,
         heard_seconds > 0 ? heard.rises / heard_seconds : 0, heard.loudest);
  return heard.samples > 0 ? 0 : 1;
}
