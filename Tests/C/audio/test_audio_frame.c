/* frame.h, sound: buffers made, counted and looked into; times and positions; limits and garbage; packets of Opus. */
#include "random.h"
#include "sound.h"

static uint32_t frames_alive(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  uint32_t count = engine_stats(engine).audio_frames;
  msdk_engine_destroy(engine);
  return count;
}

static void a_buffer_is_silent_and_aligned(void) {
  static const uint32_t rates[] = {8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000, 96000, 192000};
  static const uint32_t counts[] = {1, 2, 7, 160, 441, 960, 9600, 192000};
  for (size_t rate = 0; rate < sizeof rates / sizeof rates[0]; rate++) {
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
      for (uint32_t channels = 1; channels <= 2; channels++) {
        for (uint32_t sample = MSDK_SAMPLE_S16; sample <= MSDK_SAMPLE_F32; sample++) {
          msdk_audio_format format = audio_format_of(sample, rates[rate], channels);
          msdk_audio_frame *frame = NULL;
          NEED(CHECK_OK(msdk_audio_frame_create(&format, counts[i], &frame)));
          CHECK(frame->struct_size >= sizeof *frame);
          CHECK_EQ(frame->sample_count, counts[i]);
          CHECK_EQ(frame->plane_count, 1);
          CHECK_EQ(frame->format->sample_rate, rates[rate]);
          CHECK_EQ(frame->format->channels, channels);
          CHECK_EQ(frame->format->sample_format, sample);
          CHECK_EQ(frame->format->planar, 0);
          CHECK(frame->flags & MSDK_FRAME_WRITABLE);
          CHECK_EQ(frame->timestamp_ns, 0);
          CHECK_RANGE(frame->duration_ns - (int64_t)llround(counts[i] * 1e9 / rates[rate]), -1, 1);
          CHECK_EQ((uintptr_t)frame->planes[0] % 64, 0);
          uint64_t bytes = (uint64_t)counts[i] * channels * (sample == MSDK_SAMPLE_S16 ? 2 : 4), sum = 0;
          for (uint64_t at = 0; at < bytes; at++) sum += frame->planes[0][at];
          CHECK_EQ(sum, 0);
          memset(frame->planes[0], 0x3F, bytes); /* all of it may be written */
          CHECK_EQ(audio_references(frame), 1);
          CHECK_OK(msdk_audio_frame_unref(frame));
        }
      }
    }
  }
  CHECK_EQ(frames_alive(), 0);
}

static void references_are_counted(void) {
  msdk_audio_format format = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  msdk_audio_frame *frame = NULL;
  NEED(CHECK_OK(msdk_audio_frame_create(&format, 960, &frame)));
  CHECK_EQ(frames_alive(), 1);
  for (uint32_t i = 1; i <= 100; i++) {
    CHECK_EQ(audio_references(frame), i);
    CHECK_OK(msdk_audio_frame_ref(frame));
  }
  for (uint32_t i = 100; i >= 1; i--) {
    CHECK_OK(msdk_audio_frame_unref(frame));
    CHECK_EQ(audio_references(frame), i);
  }
  CHECK_OK(msdk_audio_frame_unref(frame));
  CHECK_EQ(frames_alive(), 0);
  CHECK_EQ(audio_references(frame), 0);
  CHECK_ERROR(msdk_audio_frame_unref(frame), MSDK_E_HANDLE, "frame");
  CHECK_ERROR(msdk_audio_frame_ref(frame), MSDK_E_HANDLE, "frame");
  CHECK_OK(msdk_audio_frame_unref(NULL));
  CHECK_ERROR(msdk_audio_frame_ref(NULL), MSDK_E_HANDLE, "frame");
  CHECK_EQ(audio_references(NULL), 0);
}

static void formats_outside_are_refused(void) {
  msdk_audio_frame *frame = NULL;
  msdk_audio_format good = audio_format_of(MSDK_SAMPLE_S16, 48000, 2);
#define REFUSED(result, word, count, ...)                                     \
  do {                                                                        \
    msdk_audio_format format = good;                                          \
    __VA_ARGS__;                                                              \
    CHECK_ERROR(msdk_audio_frame_create(&format, count, &frame), result, word); \
    CHECK(frame == NULL);                                                     \
  } while (0)
  REFUSED(MSDK_E_RANGE, "7999", 960, format.sample_rate = 7999);
  REFUSED(MSDK_E_RANGE, "192001", 960, format.sample_rate = 192001);
  REFUSED(MSDK_E_RANGE, "sample_rate", 960, format.sample_rate = 0);
  REFUSED(MSDK_E_RANGE, "sample_rate", 960, format.sample_rate = UINT32_MAX);
  REFUSED(MSDK_E_RANGE, "0", 0, (void)0);
  REFUSED(MSDK_E_RANGE, "192001", 192001, (void)0);
  REFUSED(MSDK_E_RANGE, "192000", UINT32_MAX, (void)0);
#undef REFUSED
#define REFUSED(word, ...)                                         \
  do {                                                             \
    msdk_audio_format format = good;                               \
    __VA_ARGS__;                                                   \
    msdk_result result = msdk_audio_frame_create(&format, 960, &frame); \
    CHECK(result == MSDK_E_RANGE || result == MSDK_E_UNSUPPORTED || result == MSDK_E_INVALID);  \
    CHECK_STR_CONTAINS(msdk_last_error(), word);                   \
  } while (0)
  REFUSED("channels", format.channels = 0);
  REFUSED("channels", format.channels = 3);
  REFUSED("channels", format.channels = MSDK_CHANNELS_MAX);
  REFUSED("channels", format.channels = UINT32_MAX);
  REFUSED("sample_format", format.sample_format = 0);
  REFUSED("sample_format", format.sample_format = 3);
  REFUSED("planar", format.planar = 1);
  CHECK_ERROR(msdk_audio_frame_create(NULL, 960, &frame), MSDK_E_INVALID, "format");
  CHECK_ERROR(msdk_audio_frame_create(&good, 960, NULL), MSDK_E_INVALID, "out");
  good.frames_per_buffer = UINT32_MAX; /* is not looked at */
  CHECK_OK(msdk_audio_frame_create(&good, 960, &frame));
  CHECK_OK(msdk_audio_frame_unref(frame));
}

/* Index of the sample that was captured at a time, rounded down, without floating point. */
static int64_t position_of(int64_t timestamp_ns, int64_t at_ns, uint32_t rate) {
  int64_t distance = 0;
  if (__builtin_sub_overflow(at_ns, timestamp_ns, &distance)) distance = at_ns > timestamp_ns ? INT64_MAX : INT64_MIN;
  int64_t seconds = distance / SECOND, rest = distance % SECOND * rate;
  return seconds * rate + rest / SECOND - (rest % SECOND < 0);
}

static void positions_belong_to_times(void) {
  static const uint32_t rates[] = {8000, 16000, 22050, 44100, 48000, 192000};
  static const int64_t stamps[] = {0, 1, SECOND, 123456789012345, INT64_MAX - SECOND, -SECOND};
  uint64_t seed = 5;
  for (size_t rate = 0; rate < sizeof rates / sizeof rates[0]; rate++) {
    msdk_audio_format format = audio_format_of(MSDK_SAMPLE_S16, rates[rate], 1);
    for (size_t i = 0; i < sizeof stamps / sizeof stamps[0]; i++) {
      msdk_audio_frame *frame = NULL;
      NEED(CHECK_OK(msdk_audio_frame_create(&format, rates[rate] / 50, &frame)));
      frame->timestamp_ns = stamps[i];
      int64_t sample = -1, wide = frame->duration_ns;
      CHECK_OK(msdk_audio_frame_get_position(frame, stamps[i], &sample));
      CHECK_EQ(sample, 0);
      if (stamps[i] > INT64_MIN + SECOND) {
        CHECK_OK(msdk_audio_frame_get_position(frame, stamps[i] - 1, &sample));
        CHECK_EQ(sample, -1);
      }
      for (int n = 0; n < 200; n++) {
        int64_t at = stamps[i] + (int64_t)(random_next(&seed) % (uint64_t)(5 * wide)) - 2 * wide;
        CHECK_OK(msdk_audio_frame_get_position(frame, at, &sample));
        CHECK_EQ(sample, position_of(stamps[i], at, rates[rate]));
      }
      /* Every sample is found again by its own time, which is rounded up to a nanosecond. */
      for (uint32_t n = 0; n < frame->sample_count; n += 7) {
        int64_t at = stamps[i] + (int64_t)(((uint64_t)n * 1000000000 + rates[rate] - 1) / rates[rate]);
        CHECK_OK(msdk_audio_frame_get_position(frame, at, &sample));
        CHECK_EQ(sample, n);
      }
      /* The ends of time do not trap. */
      CHECK_OK(msdk_audio_frame_get_position(frame, INT64_MAX, &sample));
      CHECK_EQ(sample, position_of(stamps[i], INT64_MAX, rates[rate]));
      CHECK_OK(msdk_audio_frame_get_position(frame, INT64_MIN, &sample));
      CHECK_EQ(sample, position_of(stamps[i], INT64_MIN, rates[rate]));
      CHECK_OK(msdk_audio_frame_unref(frame));
    }
  }
  msdk_audio_format format = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  msdk_audio_frame *frame = NULL;
  int64_t sample;
  NEED(CHECK_OK(msdk_audio_frame_create(&format, 10, &frame)));
  CHECK_ERROR(msdk_audio_frame_get_position(frame, 0, NULL), MSDK_E_INVALID, "sample");
  CHECK_OK(msdk_audio_frame_unref(frame));
  CHECK_ERROR(msdk_audio_frame_get_position(frame, 0, &sample), MSDK_E_HANDLE, "frame");
  CHECK_ERROR(msdk_audio_frame_get_position(NULL, 0, &sample), MSDK_E_HANDLE, "frame");
}

static void garbage_is_no_buffer(void) {
  static uint8_t zeroes[512];
  uint64_t on_stack[16] = {0};
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_video_format picture = format_of(MSDK_PIXEL_GRAY8, 8, 8, 15);
  msdk_video_frame *video = NULL;
  CHECK_OK(msdk_video_frame_create(&picture, &video));
  const void *garbage[] = {(void *)(uintptr_t)1, (void *)(uintptr_t)UINTPTR_MAX, (void *)(uintptr_t)0xDEADBEEF, zeroes, on_stack, engine,
                           video};
  for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
    int64_t sample = 0;
    CHECK_RESULT(msdk_audio_frame_ref(garbage[i]), MSDK_E_HANDLE);
    CHECK_RESULT(msdk_audio_frame_unref(garbage[i]), MSDK_E_HANDLE);
    CHECK_RESULT(msdk_audio_frame_get_position(garbage[i], 0, &sample), MSDK_E_HANDLE);
    CHECK_EQ(audio_references(garbage[i]), 0);
  }
  msdk_audio_format format = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  msdk_audio_frame *frame = NULL;
  CHECK_OK(msdk_audio_frame_create(&format, 10, &frame));
  CHECK_RESULT(msdk_video_frame_unref((const void *)frame), MSDK_E_HANDLE); /* nor is sound a picture */
  CHECK_EQ(audio_references(frame), 1);
  CHECK_OK(msdk_audio_frame_unref(frame));
  CHECK_OK(msdk_video_frame_unref(video));
  msdk_engine_destroy(engine);
}

/* ------------------------------------------------------------------------------------------------------------------ packets */

static msdk_result packet_make(const uint8_t *data, uint64_t size, msdk_encoded_frame **out) {
  msdk_encoded_frame source = MSDK_INIT(msdk_encoded_frame);
  source.codec = MSDK_CODEC_OPUS;
  source.data = data;
  source.size = size;
  source.timestamp_ns = 77;
  *out = NULL;
  return msdk_encoded_frame_create(&source, out);
}

/* RFC 6716, section 3.1: configuration in five bits, stereo in one, the code for the number of frames in two. */
static void packets_say_how_long_they_are(void) {
  static const int64_t tenths_of_ms[32] = {100, 200, 400, 600, 100, 200, 400, 600, 100, 200, 400, 600, 100, 200, 100, 200,
                                           25,  50,  100, 200, 25,  50,  100, 200, 25,  50,  100, 200, 25,  50,  100, 200};
  for (uint32_t config = 0; config < 32; config++) {
    for (uint32_t stereo = 0; stereo < 2; stereo++) {
      for (uint32_t code = 0; code < 4; code++) {
        uint8_t data[64] = {(uint8_t)(config << 3 | stereo << 2 | code)};
        uint64_t size = 1 + 10;
        int frames = code == 0 ? 1 : 2;
        if (code == 2) data[1] = 4; /* the first frame's length */
        if (code == 3) data[1] = 1, frames = 1, size = 12;
        msdk_encoded_frame *frame = NULL;
        if (!CHECK_OK(packet_make(data, size, &frame))) {
          fprintf(stderr, "  of configuration %u, code %u\n", config, code);
          continue;
        }
        CHECK_EQ(frame->codec, MSDK_CODEC_OPUS);
        CHECK_EQ(frame->sample_rate, 48000);
        CHECK_EQ(frame->channels, stereo + 1);
        CHECK_EQ(frame->duration_ns, tenths_of_ms[config] * 100000 * frames);
        CHECK_EQ(frame->timestamp_ns, 77);
        CHECK_EQ(frame->size, size);
        CHECK(memcmp(frame->data, data, size) == 0 && frame->data != data);
        CHECK_EQ(frame->level, 127);
        CHECK_OK(msdk_encoded_frame_unref(frame));
      }
    }
  }
}

static void packets_that_cannot_be_are_refused(void) {
  static uint8_t large[61441];
  msdk_encoded_frame *frame = NULL;
  memset(large, 0, sizeof large);
  CHECK(packet_make(large, 0, &frame) < 0); /* no byte at all */
  CHECK(packet_make(NULL, 10, &frame) < 0);
  CHECK(packet_make(large, sizeof large, &frame) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "61440");
  uint8_t odd[] = {1, 1, 2, 3, 4, 5}; /* code 1: two frames of equal size cannot have five bytes between them */
  CHECK_RESULT(packet_make(odd, 6, &frame), MSDK_E_CORRUPT);
  uint8_t too_long[] = {2, 200, 2, 3}; /* code 2: the first frame is longer than the packet */
  CHECK_RESULT(packet_make(too_long, 4, &frame), MSDK_E_CORRUPT);
  uint8_t none[] = {3, 0, 1}; /* code 3: no frames */
  CHECK_RESULT(packet_make(none, 3, &frame), MSDK_E_CORRUPT);
  uint8_t many[] = {3 << 3 | 3, 3, 1, 2, 3}; /* code 3: three frames of 60 ms are more than 120 */
  CHECK_RESULT(packet_make(many, 5, &frame), MSDK_E_CORRUPT);
  uint8_t count_missing[] = {3};
  CHECK_RESULT(packet_make(count_missing, 1, &frame), MSDK_E_CORRUPT);
  uint64_t seed = 9; /* whatever comes: taken or refused, never a crash */
  for (int i = 0; i < 20000; i++) {
    uint8_t any[40];
    uint64_t size = 1 + random_below(&seed, sizeof any);
    for (uint64_t at = 0; at < size; at++) any[at] = (uint8_t)random_next(&seed);
    msdk_result result = packet_make(any, size, &frame);
    CHECK(result == MSDK_OK || result == MSDK_E_CORRUPT);
    if (result < 0) continue;
    CHECK(frame->duration_ns > 0 && frame->duration_ns <= 120 * MS);
    msdk_encoded_frame_unref(frame);
  }
}

int main(int argc, char **argv) {
  RUN(a_buffer_is_silent_and_aligned);
  RUN(references_are_counted);
  RUN(formats_outside_are_refused);
  RUN(positions_belong_to_times);
  RUN(garbage_is_no_buffer);
  RUN(packets_say_how_long_they_are);
  RUN(packets_that_cannot_be_are_refused);
  return check_finish();
}
