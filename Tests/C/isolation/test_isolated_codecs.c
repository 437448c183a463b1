/* Codecs in processes of their own: what they make is what they make in this process; whatever they do, the call goes on, the program is told of
 * what they died, and the pictures that come then are right. */
#include "children.h"
#include "sound.h"
#include "vp8_film.h"

#include <dirent.h>
#include <signal.h>

#define FAULTY_VIDEO UINT32_C(0x56544C46)
#define FAULTY_AUDIO UINT32_C(0x41544C46)

static char plugin[4096], mark[256];

static void isolate(const char *globs) {
  if (globs != NULL) setenv("MSDK_PLUGIN_ISOLATE", globs, 1);
  else unsetenv("MSDK_PLUGIN_ISOLATE");
}

/* Whether the file's code is in this process. */
static int is_mapped(const char *name) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[1024];
  int found = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

/* Of all threads, as each has those that it made. */

/* ------------------------------------------------------------------------------------------------------------------- calls */

/* A call whose members know the plugin when they connect. */
static call codec_call(
  const char *file, uint32_t codec, uint32_t clock, uint32_t width, uint32_t height, const msdk_incoming_video_options *receive) {
  call it = {.engine = engine_new(clock)};
  CHECK_OK(msdk_engine_load_plugin(it.engine, file));
  snprintf(it.url, sizeof it.url, "%s", room_new());
  it.alice = join(it.engine, it.url, "alice");
  it.bob = join(it.engine, it.url, "bob");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, width, height, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  options.encoder_threads = 1;
  if (call_offer(&it, &options) && CHECK_OK(msdk_incoming_video_start(it.incoming, receive))) {
    run_for(it.engine, 10 * MS);
    for (int tries = 0; tries < 1000 && outgoing_stats(it.outgoing).receivers == 0; tries++) run_for(it.engine, 5 * MS);
  }
  return it;
}

static call faulty_call(uint32_t width, uint32_t height, uint32_t output) {
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  if (output == MSDK_OUTPUT_RAW) receive.pixel_format = MSDK_PIXEL_NV12;
  receive.output = output;
  return codec_call(plugin, FAULTY_VIDEO, MSDK_CLOCK_SYSTEM, width, height, &receive);
}

static int same_picture(const msdk_video_frame *frame, uint32_t index) {
  msdk_video_frame *original = picture_new(MSDK_PIXEL_NV12, frame->format->width, frame->format->height, index);
  int is_same = picture_hash(1, frame) == picture_hash(1, original);
  msdk_video_frame_unref(original);
  return is_same;
}

/* Whether the event came that the plugin's process ended so, or is back. Of codecs no instance is told. */
static int take_told(msdk_session *session, uint32_t value, const char *word, char *last) {
  msdk_event event = MSDK_INIT(msdk_event);
  while (msdk_session_next_event(session, 0, &event) >= 0) {
    if (event.type == MSDK_EVENT_PLUGIN) {
      snprintf(last, 600, "%d: %s", (int)event.value, event.text);
      CHECK(event.instance == NULL);
      if (event.value == value && strstr(event.text, word) != NULL) return 1;
    }
    event = MSDK_INIT(msdk_event);
  }
  return 0;
}

/* Sends picture after picture, each with its number in its time, and looks at each that comes: it is the one of its time. Until `enough` came
 * after both events did, or too much time went by. */
static void film_until_back(call *it, msdk_session *told, const char *word, uint32_t enough) {
  char last[600] = "none";
  int has_died = 0, is_back = 0;
  uint32_t right = 0, wrong = 0;
  for (uint32_t n = 1; n < 2000 && right < enough; n++) {
    CHECK_OK(send_picture(it->sender, n % 97, msdk_engine_now(it->engine) / 97000 * 97000 + n % 97 * 1000, NULL));
    run_for(it->engine, 15 * MS);
    if (!has_died) has_died = take_told(told, MSDK_PLUGIN_EVENT_DIED, word, last);
    if (has_died && !is_back) is_back = take_told(told, MSDK_PLUGIN_EVENT_RESTARTED, "org.mediasdk.faulty.", last);
    msdk_video_frame *frame = NULL;
    while (msdk_incoming_video_read(it->incoming, 0, &frame) >= 0) {
      if (!same_picture(frame, (uint32_t)(frame->timestamp_ns / 1000 % 97))) wrong++;
      else if (is_back) right++;
      msdk_video_frame_unref(frame);
    }
  }
  if (!CHECK(has_died && is_back)) fprintf(stderr, "  last event: %s; expected \"%s\"\n", last, word);
  CHECK(right >= enough);
  CHECK_EQ(wrong, 0);
}

static void ask_for(const char *what, const char *at) {
  unlink(mark);
  setenv("MSDK_FAULTY_WHAT", what, 1);
  setenv("MSDK_FAULTY_AT", at, 1);
  setenv("MSDK_FAULTY_MARK", mark, 1);
}

/* --------------------------------------------------------------------------------------------------------------- in good health */

/* The same film through the shipped codec, here and there: the same pictures to the last bit. */
static void av1_makes_the_same(void) {
  char file[4096];
  const char *folder = getenv("MSDK_PLUGIN_DIR");
  if (folder == NULL || getenv("MSDK_TEST_PLUGIN_HOST") != NULL) return; /* a host of no sanitizer cannot load the plugin */
  snprintf(file, sizeof file, "%s/av1.so", folder);
  static const uint32_t sizes[][2] = {{320, 180}, {161, 91}};
  for (int i = 0; i < 2; i++) {
    uint64_t hashes[2], bytes[2];
    for (int is_inside = 0; is_inside < 2; is_inside++) {
      isolate(is_inside ? "nothing" : "av1.so");
      film it = film_of(sizes[i][0], sizes[i][1]);
      call through = codec_call(file, MSDK_CODEC_AV1, MSDK_CLOCK_VIRTUAL, it.width, it.height, NULL);
      outcomes counted = {0};
      film_play(&it, &through, 12, &counted);
      if (!is_inside && i == 0) CHECK(!is_mapped("av1.so"));
      if (is_inside) CHECK_EQ(children(), 0); else CHECK(children() >= 2);
      CHECK_OK(msdk_incoming_video_request_key_frame(through.incoming));
      CHECK_OK(msdk_outgoing_video_set_bitrate(through.outgoing, 150000, 0, 0));
      film_play(&it, &through, 12, &counted);
      CHECK_EQ(it.received, 24);
      CHECK_EQ(atomic_load(&counted.key_frames), 2);
      CHECK_RANGE(it.sum_psnr / 24, 26, 100);
      hashes[is_inside] = it.hash;
      bytes[is_inside] = outgoing_stats(through.outgoing).bytes_sent;
      call_close(&through);
    }
    /* Stamps are of the virtual clock, which begins anew with each engine. */
    CHECK_EQ(hashes[0], hashes[1]);
    CHECK_EQ(bytes[0], bytes[1]);
  }
  isolate("nothing");
}

/* In messages, and in slots of common memory. */
static void pictures_come_through(void) {
  static const uint32_t sizes[][2] = {{64, 48}, {33, 17}, {320, 240}, {512, 512}};
  isolate("org.mediasdk.faulty.*");
  for (int i = 0; i < 4; i++) {
    call it = faulty_call(sizes[i][0], sizes[i][1], MSDK_OUTPUT_RAW);
    int64_t begin = msdk_engine_now(it.engine);
    for (uint32_t n = 0; n < 12; n++) {
      if (n == 5) CHECK_OK(msdk_outgoing_video_request_key_frame(it.outgoing));
      CHECK_OK(send_picture(it.sender, n, begin + n, NULL));
      msdk_video_frame *frame = frame_wait(&it);
      NEED(frame != NULL);
      CHECK(same_picture(frame, n));
      CHECK_EQ(frame->timestamp_ns, begin + n);
      msdk_video_frame_unref(frame);
      sleep_ms(34); /* no faster than the format */
    }
    WAIT_UNTIL(outgoing_stats(it.outgoing).frames_encoded == 12); /* counted after it was handed over */
    CHECK_EQ(outgoing_stats(it.outgoing).frames_encoded, 12);
    CHECK_EQ(incoming_stats(it.incoming).frames_corrupt, 0);
    CHECK(children() >= 2);
    call_close(&it);
    for (int tries = 0; tries < 6000 && children() > 0; tries++) sleep_ms(10);
    CHECK_EQ(children(), 0);
  }
  CHECK(!is_mapped("faulty_codecs.so"));
}

/* A module that is in this process: one of its classes is isolated, the other is not. */
static void one_of_two(void) {
  isolate("org.mediasdk.faulty.video");
  call it = faulty_call(64, 48, MSDK_OUTPUT_RAW);
  CHECK(is_mapped("faulty_codecs.so"));
  CHECK_OK(send_picture(it.sender, 3, 1000, NULL));
  msdk_video_frame *frame = frame_wait(&it);
  CHECK(frame != NULL && same_picture(frame, 3));
  CHECK(children() >= 2);
  msdk_video_frame_unref(frame);
  call_close(&it);
}

/* Without an instance, of a class whose code is not here: runs first. */
static void headers_are_read_elsewhere(void) {
  isolate("faulty_codecs.so");
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  CHECK_OK(msdk_engine_load_plugin(engine, plugin));
  CHECK(!is_mapped("faulty_codecs.so"));
  static uint8_t bytes[200000] = {'K', 0, 0, 0, 64, 0, 0, 0, 48};
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame), *made = NULL;
  attributes.codec = FAULTY_VIDEO;
  attributes.data = bytes;
  for (int i = 0; i < 2; i++) {
    attributes.size = i == 0 ? 100 : sizeof bytes; /* in the message, and in a slot */
    bytes[0] = 'K';
    CHECK_OK(msdk_encoded_frame_create(&attributes, &made));
    NEED(made != NULL);
    CHECK_EQ(made->flags & MSDK_ENCODED_KEY, MSDK_ENCODED_KEY);
    CHECK_EQ(made->width, 64);
    CHECK_EQ(made->height, 48);
    msdk_encoded_frame_unref(made);
    bytes[0] = 'Q';
    CHECK_ERROR(msdk_encoded_frame_create(&attributes, &made), MSDK_E_CORRUPT, "org.mediasdk.faulty.video");
    bytes[0] = 'Z'; /* it dies of that */
    CHECK_ERROR(msdk_encoded_frame_create(&attributes, &made), MSDK_E_PLUGIN_DIED, "org.mediasdk.faulty.video");
  }
  attributes.codec = FAULTY_AUDIO;
  attributes.data = (const uint8_t *)"A\x02" "abcdefgh";
  attributes.size = 10;
  CHECK_OK(msdk_encoded_frame_create(&attributes, &made));
  CHECK(made != NULL && made->channels == 2);
  msdk_encoded_frame_unref(made);
  CHECK(!is_mapped("faulty_codecs.so"));
  msdk_engine_destroy(engine);
  /* Nobody asks any more. */
  for (int tries = 0; tries < 3000 && children() > 0; tries++) sleep_ms(10);
  CHECK_EQ(children(), 0);
}

/* ------------------------------------------------------------------------------------------------------------------- faults */

typedef struct fault {
  const char *what, *at, *word;
  uint32_t width, height;
} fault;

static void test_faults(void) {
  static const fault faults[] = {
    {"segfault", "encode", "SIGSEGV", 320, 240},
    {"segfault", "encode_first", "SIGSEGV", 64, 48},
    {"segfault", "open_encoder", "SIGSEGV", 64, 48},
    {"abort", "encode", "SIGABRT", 64, 48},
    {"exit", "encode", "code 0", 64, 48},
    {"loop", "encode", "did not return from encodeVideo", 64, 48},
    {"loop", "open_encoder", "did not return from openVideoEncoder", 64, 48},
    {"forge_slot", "encode", "which it was not granted", 320, 240},
    {"forge_slot", "encode", "before there were any", 64, 48},
    {"forge_pool", "encode", "which it was not granted", 320, 240},
    {"forge_size", "encode", "in a slot of", 320, 240},
    {"forge_short", "encode", "ends early", 64, 48},
    {"segfault", "decode", "SIGSEGV", 320, 240},
    {"segfault", "open_decoder", "SIGSEGV", 64, 48},
    {"abort", "decode", "SIGABRT", 64, 48},
    {"exit", "decode", "code 0", 64, 48},
    {"loop", "decode", "did not return from decodeVideo", 64, 48},
    {"forge_slot", "decode", "which it was not granted", 320, 240},
    {"forge_pool", "decode", "which it was not granted", 64, 48},
    {"forge_size", "decode", "its answer to decodeVideo", 320, 240},
    {"forge_offset", "decode", "a plane begins at", 320, 240},
  };
  isolate("org.mediasdk.faulty.*");
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    const fault *one = &faults[i];
    char name[96];
    snprintf(name, sizeof name, "%s in %s at %ux%u", one->what, one->at, one->width, one->height);
    check_case = name;
    ask_for(one->what, one->at);
    call it = faulty_call(one->width, one->height, MSDK_OUTPUT_RAW);
    int encodes = strncmp(one->at, "decode", 6) != 0 && strcmp(one->at, "open_decoder") != 0;
    film_until_back(&it, encodes ? it.alice : it.bob, one->word, 5);
    /* Lost and counted, unless the call was made once more. */
    int is_open = strncmp(one->at, "open", 4) == 0;
    if (!is_open && encodes) CHECK(outgoing_stats(it.outgoing).frames_failed >= 1);
    if (!is_open && !encodes) {
      CHECK(incoming_stats(it.incoming).frames_corrupt >= 1);
      CHECK(incoming_stats(it.incoming).key_frames_requested >= 1);
    }
    uint32_t state = 0;
    CHECK_OK(msdk_session_get_state(it.alice, &state));
    CHECK_EQ(state, MSDK_SESSION_CONNECTED);
    call_close(&it);
  }
  unsetenv("MSDK_FAULTY_WHAT");
}

/* kill -9 between two pictures: what comes back has the rate and the parameters that were set, and begins with a key frame. */
static void test_settings_are_kept(void) {
  isolate("org.mediasdk.faulty.*");
  call it = faulty_call(64, 48, MSDK_OUTPUT_ENCODED);
  /* The encoder is made with the first picture. */
  CHECK_OK(msdk_engine_set_codec_param_text(it.engine, "org.mediasdk.faulty.video", "stamp", "201"));
  CHECK_OK(msdk_outgoing_video_set_bitrate(it.outgoing, 123456, 0, 0));
  uint32_t first = 0, pid = 0;
  int has_begun = 0, is_killed = 0;
  for (uint32_t n = 0; n < 1000 && !has_begun; n++) {
    CHECK_OK(send_picture(it.sender, n % 97, 0, NULL));
    run_for(it.engine, 15 * MS);
    msdk_encoded_frame *frame = NULL;
    while (msdk_incoming_video_read_encoded(it.incoming, 0, &frame) >= 0) {
      uint64_t bitrate;
      memcpy(&pid, frame->data + 12, 4);
      memcpy(&bitrate, frame->data + 16, 8);
      CHECK_EQ(bitrate, 123456);
      CHECK_EQ(frame->data[1], 201);
      if (first == 0) {
        first = pid;
      } else if (pid == first && n >= 10 && !is_killed) {
        is_killed = 1;
        kill((pid_t)first, SIGKILL);
      } else if (pid != first) {
        CHECK_EQ(frame->data[0], 'K');
        CHECK(frame->flags & MSDK_ENCODED_KEY);
        has_begun = 1;
        msdk_encoded_frame_unref(frame);
        break;
      }
      msdk_encoded_frame_unref(frame);
    }
  }
  CHECK(has_begun);
  call_close(&it);
}

/* The bound of a screen's frames too. */
static void test_bounds_are_kept(void) {
  isolate("org.mediasdk.faulty.*");
  call it = faulty_call(64, 48, MSDK_OUTPUT_ENCODED);
  msdk_network_step step = network_step(0, 100000000);
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 7));
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  msdk_outgoing_video_destroy(it.outgoing);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(FAULTY_VIDEO, &format, 1);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.output = MSDK_OUTPUT_ENCODED;
  NEED(call_offer(&it, &options));
  CHECK_OK(msdk_incoming_video_start(it.incoming, &receive));
  uint32_t first = 0, pid = 0;
  for (uint32_t n = 0; n < 1000 && (first == 0 || pid == first); n++) {
    CHECK_OK(send_picture(it.sender, n % 97, 0, NULL));
    run_for(it.engine, 40 * MS);
    msdk_encoded_frame *frame = NULL;
    while (msdk_incoming_video_read_encoded(it.incoming, 0, &frame) >= 0) {
      memcpy(&pid, frame->data + 12, 4);
      if (first == 0 && n >= 10) {
        CHECK_EQ(frame->data[2], 1);
        first = pid;
        kill((pid_t)first, SIGKILL);
      } else if (first != 0 && pid != first) {
        CHECK_EQ(frame->data[2], 1);
      }
      msdk_encoded_frame_unref(frame);
    }
  }
  CHECK(pid != first);
  call_close(&it);
}

/* --------------------------------------------------------------------------------------------------------------------- sound */

static sound_call *faulty_sound(uint32_t channels) {
  sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_load_plugin(it->engine, plugin));
  msdk_outgoing_audio_options options = sound_options(48000, channels, MSDK_SAMPLE_F32, 20);
  options.codec = FAULTY_AUDIO;
  if (sound_offer(it, &options)) CHECK_OK(msdk_incoming_audio_start(it->heard.stream, NULL));
  return it;
}

static void sound_comes_through(void) {
  isolate("org.mediasdk.faulty.*");
  for (uint32_t channels = 1; channels <= 2; channels++) {
    sound_call *it = faulty_sound(channels);
    it->voice.begin_ns = msdk_engine_now(it->engine);
    sound_talk(it, SECOND);
    double amplitude = 0;
    heard_tone(&it->heard, channels - 1, 440, &amplitude, NULL);
    CHECK_RANGE(amplitude, 0.45, 0.55);
    CHECK_EQ(heard_stats(it->heard.stream).packets_corrupt, 0);
    CHECK(children() >= 2);
    /* Losses are made good over there, too. */
    msdk_network_step step = network_step(0, 0);
    step.loss_ppm = 200000;
    CHECK_OK(network_set(it->engine, it->url, &step, 1, 7));
    sound_talk(it, SECOND);
    CHECK(heard_stats(it->heard.stream).concealed_samples > 0);
    sound_close(it);
  }
}

/* The processes come back in real time, while the call's clock is advanced by hand. */
static void faults_of_sound(void) {
  static const fault faults[] = {
    {"segfault", "encode_sound", "SIGSEGV", 0, 0}, {"exit", "encode_sound", "code 0", 0, 0},
    {"loop", "encode_sound", "did not return from encodeAudio", 0, 0}, {"forge_size", "encode_sound", "its answer to encodeAudio", 0, 0},
    {"segfault", "decode_sound", "SIGSEGV", 0, 0}, {"loop", "decode_sound", "did not return from decodeAudio", 0, 0},
  };
  isolate("org.mediasdk.faulty.*");
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    check_case = faults[i].what;
    ask_for(faults[i].what, faults[i].at);
    sound_call *it = faulty_sound(1);
    int encodes = strcmp(faults[i].at, "encode_sound") == 0, has_died = 0, is_back = 0;
    char last[600] = "none";
    for (int tries = 0; tries < 2000 && !is_back; tries++) {
      sound_talk(it, 20 * MS);
      sleep_ms(5);
      msdk_session *told = encodes ? it->alice : it->bob;
      if (!has_died) has_died = take_told(told, MSDK_PLUGIN_EVENT_DIED, faults[i].word, last);
      if (has_died) is_back = take_told(told, MSDK_PLUGIN_EVENT_RESTARTED, "org.mediasdk.faulty.sound", last);
    }
    if (!CHECK(has_died && is_back)) fprintf(stderr, "  last event: %s; expected \"%s\"\n", last, faults[i].word);
    uint64_t before = heard_stats(it->heard.stream).packets_corrupt, count = it->heard.count;
    if (!encodes) CHECK(before >= 1);
    sound_talk(it, 500 * MS);
    CHECK_EQ(heard_stats(it->heard.stream).packets_corrupt, before);
    CHECK(it->heard.count > count + 20000);
    sound_close(it);
  }
  unsetenv("MSDK_FAULTY_WHAT");
}

/* Threads, descriptors and processes are what they were. */
static void test_leaks(void) {
  int threads = 0, descriptors = 0;
  isolate("org.mediasdk.faulty.*");
  for (int round = 0; round < (under_tools() ? 4 : 8); round++) {
    ask_for("segfault", round % 2 ? "encode" : "decode");
    call it = faulty_call(320, 240, MSDK_OUTPUT_RAW);
    film_until_back(&it, round % 2 ? it.alice : it.bob, "SIGSEGV", 2);
    call_close(&it);
    if (round == 2) {
      threads = process_threads();
      descriptors = process_descriptors();
    }
  }
  for (int tries = 0; tries < 6000 && (process_threads() > threads || process_descriptors() > descriptors || children() > 0); tries++) sleep_ms(10);
  CHECK(process_threads() <= threads);
  CHECK(process_descriptors() <= descriptors);
  CHECK_EQ(children(), 0);
  unsetenv("MSDK_FAULTY_WHAT");
}

int main(int argc, char **argv) {
  const char *built = getenv("MSDK_TEST_ISOLATED"), *host = getenv("MSDK_TEST_PLUGIN_HOST");
  if (host != NULL) setenv("MSDK_PLUGIN_HOST", host, 1);
  snprintf(plugin, sizeof plugin, "%s/faulty_codecs.so", built != NULL ? built : ".");
  snprintf(mark, sizeof mark, "/tmp/msdk-faulty-codec-%d", (int)getpid());
  RUN(headers_are_read_elsewhere);
  RUN(av1_makes_the_same);
  RUN(pictures_come_through);
  RUN(test_settings_are_kept);
  RUN(test_bounds_are_kept);
  RUN(sound_comes_through);
  RUN(faults_of_sound);
  RUN(test_leaks);
  RUN(test_faults);
  RUN(one_of_two);
  unlink(mark);
  return check_finish();
}
