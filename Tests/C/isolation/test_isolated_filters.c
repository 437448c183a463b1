/* Filters in processes of their own: they give what they give in this process, byte by byte, and whatever they die of, the stream goes on without
 * them until they are back. */
#include "isolating.h"
#include "sending.h"
#include "sound.h"

enum { PLAIN = 10, SHADE = 77 };

typedef struct fault {
  const char *what, *at, *word;
} fault;

static const fault faults[] = {
  {"segfault", "filter", "SIGSEGV"},
  {"abort", "filter", "SIGABRT"},
  {"overflow", "filter", "SIGSEGV"},
  {"loop", "filter", "did not return from"},
  {"stop", "filter", "did not return from"},
  {"exit", "filter", "code 0"},
  {"kill", "filter", "SIGKILL"},
  {"forge", "filter", "it named"},
  {"reply", "filter", "its answer to"},
  {"garbage", "filter", "ended"},
  {"noise", "filter", "ended"},
  {"close", "filter", ""},
  {"memory", "filter", "SIGABRT"},
  {"segfault", "init", "SIGSEGV"},
  {"segfault", "set_format", "SIGSEGV"},
  {"loop", "set_format", "did not return from"},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static msdk_instance *faulty(msdk_engine *engine, const char *id, const fault *it) {
  unlink(mark);
  int hangs = strcmp(it->what, "loop") == 0 || strcmp(it->what, "stop") == 0;
  msdk_instance *filter = isolated(engine, id, hangs ? 500 : 30000);
  set(filter, "shade", "77");
  set(filter, "mark", mark);
  set(filter, "at", it->at);
  set(filter, "fault", it->what);
  return filter;
}

/* -------------------------------------------------------------------------------------------------------------- pictures */

static call picture_call(uint32_t clock, uint32_t codec) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  options.queue_policy = MSDK_POLICY_WAIT; /* not paced */
  call it = call_open(clock, &options, NULL);
  return it;
}

/* Sends a plain picture; the shade of what came of it, which is of one shade: never half filtered. */
static int plain_picture(call *it) {
  msdk_video_frame *frame = NULL;
  for (int tries = 0; tries < 400 && frame == NULL; tries++) {
    if (msdk_frame_sender_acquire(it->sender, 100, &frame) < 0) sleep_ms(5);
  }
  if (!CHECK(frame != NULL)) return -1;
  picture_fill(frame, PLAIN);
  msdk_result result = MSDK_E_AGAIN;
  CHECK_OK(result = msdk_frame_sender_send(it->sender, frame, 0, NULL, NULL));
  msdk_video_frame_unref(frame);
  frame = frame_wait(it);
  if (!CHECK(frame != NULL)) return -1;
  int shade = row_of(frame, 0, 0)[0], isWhole = 1;
  for (uint32_t row = 0; row < frame->format->height; row++) isWhole &= row_of(frame, 0, row)[0] == shade && row_of(frame, 0, row)[319] == shade;
  CHECK(isWhole);
  msdk_video_frame_unref(frame);
  return shade;
}

static void run_picture_fault(const fault *fault) {
  char name[64];
  snprintf(name, sizeof name, "%s in %s of pictures", fault->what, fault->at);
  check_case = name;
  call it = picture_call(MSDK_CLOCK_SYSTEM, MSDK_CODEC_RAW);
  loaded_engine(it.engine);
  msdk_instance *filter = faulty(it.engine, "org.mediasdk.faulty.filter", fault);
  int before = pid_of(filter);
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, filter));
  int plain = 0, shade = 0;
  /* It is well, goes away in the middle of the third, and is back, with its parameters. */
  for (int i = 0; i < 4; i++) {
    shade = plain_picture(&it);
    CHECK(shade == PLAIN || shade == SHADE);
    plain += shade == PLAIN;
  }
  CHECK(strcmp(fault->at, "init") == 0 || plain > 0);
  CHECK(came_back(filter, fault->word));
  CHECK_EQ(plain_picture(&it), SHADE);
  CHECK(pid_of(filter) != before);
  set(filter, "shade", "123");
  CHECK_EQ(plain_picture(&it), 123);
  uint32_t state = 0;
  CHECK_OK(msdk_instance_get_state(filter, MSDK_KIND_VIDEO_FILTER, &state));
  CHECK_EQ(state, MSDK_INSTANCE_STARTED);
  CHECK_OK(msdk_outgoing_video_remove_filter(it.outgoing, filter)); /* it was not thrown out */
  CHECK_EQ(plain_picture(&it), PLAIN);
  CHECK_OK(msdk_instance_release(filter));
  msdk_instance_destroy(filter);
  call_close(&it);
}

static void pictures_pass_while_it_is_away(void) {
  for (int i = 0; i < FAULTS; i++) run_picture_fault(&faults[i]);
}

/* Who is given up leaves the stream, as one that fails. */
static void given_up_it_leaves_the_stream(void) {
  call it = picture_call(MSDK_CLOCK_SYSTEM, MSDK_CODEC_RAW);
  loaded_engine(it.engine);
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = MSDK_ISOLATION_PROCESS;
  options.restarts_max = 1;
  msdk_instance *filter = NULL;
  CHECK_OK(msdk_instance_create(it.engine, "org.mediasdk.faulty.filter", &options, &filter));
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, filter));
  set(filter, "shade", "77");
  CHECK_EQ(plain_picture(&it), SHADE);
  set(filter, "every", "true");
  set(filter, "at", "filter");
  set(filter, "fault", "abort");
  int is_left = 0;
  for (int i = 0; i < 400 && !is_left; i++) {
    int shade = plain_picture(&it);
    if (!CHECK(shade == PLAIN || shade == SHADE)) break;
    msdk_event event = MSDK_INIT(msdk_event);
    is_left = event_take(it.alice, MSDK_EVENT_PLUGIN, &event) && event.value == MSDK_PLUGIN_EVENT_ERROR && event.status == MSDK_E_CLOSED;
    sleep_ms(5);
  }
  CHECK(is_left);
  CHECK_RESULT(msdk_outgoing_video_remove_filter(it.outgoing, filter), MSDK_E_NOT_FOUND);
  msdk_instance_destroy(filter);
  call_close(&it);
}

/* ----------------------------------------------------------------------------------------------------------------- sound */

static void run_sound_fault(const fault *fault) {
  char name[64];
  snprintf(name, sizeof name, "%s in %s of sound", fault->what, fault->at);
  check_case = name;
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_F32, 20); /* the filter takes s16 only */
  options.codec = MSDK_CODEC_RAW;
  sound_call *it = sound_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  loaded_engine(it->engine);
  msdk_instance *filter = faulty(it->engine, "org.mediasdk.faulty.sound", fault);
  CHECK_OK(msdk_outgoing_audio_add_filter(it->voice.stream, filter));
  int is_back = 0, has_died = 0, plain = 0;
  for (int i = 0; i < 2000 && !is_back; i++) {
    memset(it->voice.buffer, 0, sizeof it->voice.buffer);
    CHECK_OK(msdk_outgoing_audio_send(it->voice.stream, it->voice.buffer, it->voice.size, 0, 1000, NULL, NULL));
    msdk_audio_frame *frame = sound_wait(it->engine, it->heard.stream);
    if (!CHECK(frame != NULL)) break;
    const float *samples = (const float *)(const void *)frame->planes[0];
    int shade = (int)lrintf(samples[0] * 32768), is_whole = 1;
    for (uint32_t n = 0; n < frame->sample_count; n++) is_whole &= (int)lrintf(samples[n] * 32768) == shade;
    CHECK(is_whole);
    CHECK(shade == 0 || shade == SHADE * 100);
    plain += shade == 0;
    if (!has_died) {
      msdk_instance_event event = MSDK_INIT(msdk_instance_event);
      has_died = msdk_instance_next_event(filter, 0, &event) >= 0 && event.event == MSDK_PLUGIN_EVENT_DIED;
      if (has_died) CHECK_STR_CONTAINS(event.text, fault->word);
    }
    is_back = has_died && shade != 0;
    msdk_audio_frame_unref(frame);
  }
  CHECK(is_back);
  CHECK(strcmp(fault->at, "init") == 0 || plain > 0);
  CHECK_OK(msdk_outgoing_audio_remove_filter(it->voice.stream, filter));
  msdk_instance_destroy(filter);
  sound_close(it);
}

static void sound_passes_while_it_is_away(void) {
  for (int i = 0; i < FAULTS; i++) run_sound_fault(&faults[i]);
}

/* -------------------------------------------------------------------------------------------------------- the same as here */

typedef struct shipped {
  const char *file, *id;
  const char *params[8]; /* name, value, ... */
} shipped;

/* 8x8, RGBA */
static const unsigned char overlay_png[] = {
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00,
  0x00, 0x08, 0x08, 0x06, 0x00, 0x00, 0x00, 0xc4, 0x0f, 0xbe, 0x8b, 0x00, 0x00, 0x00, 0xc8, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x05,
  0xc1, 0x21, 0x8e, 0xc4, 0x30, 0x0c, 0x00, 0x40, 0x3f, 0xc6, 0x8f, 0xf1, 0x1b, 0x16, 0x2f, 0xb4, 0x8a, 0x8b, 0xcb, 0x22, 0x15, 0x58,
  0x01, 0x21, 0x21, 0x01, 0x41, 0x91, 0xc2, 0xac, 0xc0, 0x86, 0x1a, 0x17, 0x19, 0x2c, 0xbe, 0x57, 0x18, 0xdc, 0x0c, 0x00, 0xd8, 0x07,
  0x61, 0x7f, 0x09, 0xd6, 0xc1, 0x30, 0x4f, 0x81, 0x7e, 0x29, 0xd4, 0xdb, 0x21, 0x97, 0x80, 0xd4, 0x00, 0xd0, 0xbe, 0x88, 0xfb, 0x20,
  0x5c, 0x27, 0xe3, 0xbc, 0x04, 0xfb, 0xad, 0x58, 0x8b, 0x63, 0x6e, 0x81, 0x69, 0x00, 0x90, 0x1d, 0x48, 0xfb, 0x24, 0x5a, 0x17, 0xd3,
  0xbc, 0x85, 0x7a, 0x51, 0xaa, 0xcd, 0x29, 0x8f, 0xa0, 0xa4, 0x00, 0x6c, 0x27, 0xf2, 0xbe, 0x88, 0xd7, 0xcd, 0x3c, 0x8b, 0x70, 0x6f,
  0xca, 0x75, 0x38, 0x67, 0x0d, 0x4e, 0x0f, 0x80, 0xd8, 0x85, 0xb2, 0x6f, 0x92, 0x55, 0x58, 0x66, 0x13, 0xe9, 0x43, 0xa5, 0xaa, 0x4b,
  0x7e, 0x42, 0x92, 0x01, 0xa8, 0xdd, 0xa8, 0xbb, 0x90, 0xae, 0xc6, 0x3a, 0x87, 0x68, 0x57, 0xd5, 0xfa, 0xb8, 0x66, 0x0b, 0x4d, 0x2f,
  0x80, 0x5b, 0x41, 0xdf, 0x8d, 0x7c, 0x0d, 0xf6, 0xa9, 0xe2, 0xfd, 0x51, 0xaf, 0xe6, 0x9e, 0xdf, 0xf0, 0xf4, 0x03, 0x08, 0x6b, 0x18,
  0x7b, 0x50, 0x2c, 0xe5, 0x98, 0x8f, 0x44, 0x37, 0x8d, 0xfa, 0x7a, 0xe4, 0x5f, 0x44, 0xfa, 0xfb, 0x07, 0x3c, 0xb6, 0x91, 0x21, 0x39,
  0xd8, 0xc6, 0xf9, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static const shipped all_shipped[] = {
  {"bw", "org.mediasdk.filter.bw", {"mode", "gray"}},
  {"bw", "org.mediasdk.filter.bw", {"mode", "threshold", "level", "90"}},
  {"blur", "org.mediasdk.filter.blur", {"radius", "5"}},
  {"overlay", "org.mediasdk.filter.overlay", {"path", "overlay.png", "x", "16", "y", "16", "opacity", "0.5"}},
};

static msdk_instance *shipped_filter(msdk_engine *engine, const shipped *it, uint32_t isolation) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.so", getenv("MSDK_PLUGIN_DIR"), it->file);
  CHECK_OK(msdk_engine_load_plugin(engine, path));
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = isolation;
  msdk_instance *filter = NULL;
  CHECK_OK(msdk_instance_create(engine, it->id, &options, &filter));
  for (int i = 0; i < 8 && it->params[i] != NULL; i += 2) {
    CHECK_OK(msdk_instance_set_param_text(filter, it->params[i], it->params[i + 1]));
  }
  return filter;
}

static uint64_t picture_sum(const shipped *it, uint32_t isolation, int incoming) {
  uint64_t hash = 0;
  call c = picture_call(MSDK_CLOCK_VIRTUAL, incoming ? MSDK_CODEC_VP8 : MSDK_CODEC_RAW);
  msdk_instance *filter = it != NULL ? shipped_filter(c.engine, it, isolation) : NULL;
  if (filter != NULL && incoming) CHECK_OK(msdk_incoming_video_add_filter(c.incoming, filter));
  if (filter != NULL && !incoming) CHECK_OK(msdk_outgoing_video_add_filter(c.outgoing, filter));
  for (uint32_t i = 0; i < 12; i++) {
    CHECK_OK(send_picture(c.sender, i, 0, NULL));
    run_for(c.engine, 40 * MS);
    msdk_video_frame *frame = NULL;
    if (!CHECK_OK(msdk_incoming_video_read(c.incoming, 0, &frame))) break;
    hash = picture_hash(hash, frame);
    msdk_video_frame_unref(frame);
  }
  if (filter != NULL) msdk_instance_destroy(filter);
  call_close(&c);
  return hash;
}

static void pictures_are_the_same(void) {
  if (getenv("MSDK_TEST_PLUGIN_HOST") != NULL) return; /* a host of no sanitizer cannot load these plugins */
  FILE *file = fopen("overlay.png", "wb");
  NEED(file != NULL && fwrite(overlay_png, sizeof overlay_png, 1, file) == 1);
  fclose(file);
  for (int incoming = 0; incoming < 2; incoming++) {
    uint64_t plain = picture_sum(NULL, 0, incoming);
    for (size_t i = 0; i < sizeof all_shipped / sizeof all_shipped[0]; i++) {
      uint64_t here = picture_sum(&all_shipped[i], MSDK_ISOLATION_NONE, incoming);
      CHECK(here != plain);
      CHECK_EQ(picture_sum(&all_shipped[i], MSDK_ISOLATION_PROCESS, incoming), here);
    }
  }
}

static uint64_t sound_sum(uint32_t isolation, uint32_t format, uint32_t buffer_ms) {
  static const shipped gain = {"gain", "org.mediasdk.filter.gain", {"gain_db", "6"}};
  msdk_outgoing_audio_options options = sound_options(48000, 2, format, buffer_ms);
  options.codec = MSDK_CODEC_RAW;
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_instance *filter = isolation != UINT32_MAX ? shipped_filter(it->engine, &gain, isolation) : NULL;
  if (filter != NULL) CHECK_OK(msdk_outgoing_audio_add_filter(it->voice.stream, filter));
  voice_tone(&it->voice, 440, 0.4);
  sound_talk(it, 1000 * MS);
  CHECK(it->heard.count > 40000);
  uint64_t hash = hash_bytes(0, it->heard.samples, it->heard.count * it->heard.channels * sizeof it->heard.samples[0]);
  if (filter != NULL) msdk_instance_destroy(filter);
  sound_close(it);
  return hash;
}

static void sound_is_the_same(void) {
  if (getenv("MSDK_TEST_PLUGIN_HOST") != NULL) return;
  static const uint32_t formats[] = {MSDK_SAMPLE_S16, MSDK_SAMPLE_F32};
  for (int i = 0; i < 2; i++) {
    uint64_t here = sound_sum(MSDK_ISOLATION_NONE, formats[i], 20);
    CHECK(here != sound_sum(UINT32_MAX, formats[i], 20));
    CHECK_EQ(sound_sum(MSDK_ISOLATION_PROCESS, formats[i], 20), here);
  }
}

int main(int argc, char **argv) {
  isolating_begin();
  RUN(pictures_are_the_same);
  RUN(sound_is_the_same);
  RUN(pictures_pass_while_it_is_away);
  RUN(sound_passes_while_it_is_away);
  RUN(given_up_it_leaves_the_stream);
  unlink(mark);
  return check_finish();
}
