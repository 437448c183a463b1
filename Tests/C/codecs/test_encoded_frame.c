/* frame.h: encoded frames made by the program: what is copied, what is parsed, what is refused. */
#include "ivf.h"

#include <pthread.h>

static void the_clip_is_parsed(void) {
  static ivf_clip clip;
  NEED(ivf_open(&clip));
  CHECK_EQ(clip.count, 132);
  for (uint32_t i = 0; i < clip.count; i++) {
    msdk_encoded_frame *frame = encoded_of(clip.frame[i].data, clip.frame[i].size, 40000000 * (int64_t)i);
    NEED(frame != NULL);
    CHECK(frame->data != clip.frame[i].data);
    CHECK_EQ(frame->size, clip.frame[i].size);
    CHECK(memcmp(frame->data, clip.frame[i].data, clip.frame[i].size) == 0);
    CHECK_EQ(frame->codec, MSDK_CODEC_VP8);
    CHECK_EQ(frame->timestamp_ns, 40000000 * (int64_t)i);
    int key = (clip.frame[i].data[0] & 1) == 0;
    CHECK_EQ((frame->flags & MSDK_ENCODED_KEY) != 0, key);
    if (key) {
      CHECK_EQ(frame->width, 1280);
      CHECK_EQ(frame->height, 720);
    }
    CHECK_OK(msdk_encoded_frame_ref(frame));
    CHECK_OK(msdk_encoded_frame_unref(frame));
    CHECK_OK(msdk_encoded_frame_unref(frame));
    CHECK_RESULT(msdk_encoded_frame_unref(frame), MSDK_E_HANDLE);
  }
  ivf_close(&clip);
}

/* A key frame of a size by RFC 6386, section 9.1: three bytes of tag, three of start code, width and height. */
static void key_header(uint8_t *data, uint32_t first_partition, uint32_t width, uint32_t height) {
  uint32_t tag = 0 | 0 << 1 | 1 << 4 | first_partition << 5;
  data[0] = (uint8_t)tag;
  data[1] = (uint8_t)(tag >> 8);
  data[2] = (uint8_t)(tag >> 16);
  data[3] = 0x9D;
  data[4] = 0x01;
  data[5] = 0x2A;
  data[6] = (uint8_t)width;
  data[7] = (uint8_t)(width >> 8);
  data[8] = (uint8_t)height;
  data[9] = (uint8_t)(height >> 8);
}

static void corrupt_data_is_refused(void) {
  uint8_t data[64] = {0};
  msdk_encoded_frame source = MSDK_INIT(msdk_encoded_frame), *frame = NULL;
  source.codec = MSDK_CODEC_VP8;
  source.data = data;
  key_header(data, 20, 320, 240);
  source.size = 64;
  CHECK_OK(msdk_encoded_frame_create(&source, &frame));
  NEED(frame != NULL);
  CHECK(frame->flags & MSDK_ENCODED_KEY);
  CHECK_EQ(frame->width, 320);
  CHECK_EQ(frame->height, 240);
  msdk_encoded_frame_unref(frame);
  frame = NULL;
  for (uint64_t size = 1; size < 10; size++) { /* too short for a key frame's header */
    source.size = size;
    CHECK_RESULT(msdk_encoded_frame_create(&source, &frame), MSDK_E_CORRUPT);
  }
  source.size = 64;
  data[4] = 0x02; /* the start code */
  CHECK_ERROR(msdk_encoded_frame_create(&source, &frame), MSDK_E_CORRUPT, "start code");
  key_header(data, 5000, 320, 240); /* the first partition reaches beyond the end */
  CHECK_RESULT(msdk_encoded_frame_create(&source, &frame), MSDK_E_CORRUPT);
  key_header(data, 20, 0, 240);
  CHECK_RESULT(msdk_encoded_frame_create(&source, &frame), MSDK_E_CORRUPT);
  key_header(data, 20, 320, 0);
  CHECK_RESULT(msdk_encoded_frame_create(&source, &frame), MSDK_E_CORRUPT);
  CHECK(frame == NULL);
}

static void bad_arguments_are_named(void) {
  uint8_t data[64] = {0};
  msdk_encoded_frame source = MSDK_INIT(msdk_encoded_frame), *frame = NULL;
  key_header(data, 20, 320, 240);
  source.codec = MSDK_CODEC_VP8;
  source.data = data;
  source.size = sizeof data;
  CHECK_ERROR(msdk_encoded_frame_create(NULL, &frame), MSDK_E_INVALID, "source");
  CHECK_ERROR(msdk_encoded_frame_create(&source, NULL), MSDK_E_INVALID, "out");
  source.data = NULL;
  CHECK_ERROR(msdk_encoded_frame_create(&source, &frame), MSDK_E_INVALID, "data");
  source.data = data;
  source.size = 0;
  CHECK(msdk_encoded_frame_create(&source, &frame) < 0);
  source.size = (UINT64_C(16) << 20) + 1; /* refused before a byte of it is read */
  CHECK(msdk_encoded_frame_create(&source, &frame) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "size");
  source.size = UINT64_MAX;
  CHECK(msdk_encoded_frame_create(&source, &frame) < 0);
  source.size = sizeof data;
  source.codec = 0x31637661;
  CHECK_ERROR(msdk_encoded_frame_create(&source, &frame), MSDK_E_UNSUPPORTED, "codec");
  source.codec = MSDK_CODEC_VP8;
  source.orientation = 77;
  CHECK(msdk_encoded_frame_create(&source, &frame) < 0);
  CHECK(frame == NULL);
  CHECK_OK(msdk_encoded_frame_unref(NULL));
  CHECK_RESULT(msdk_encoded_frame_ref(NULL), MSDK_E_HANDLE);
}

static void random_data_never_crashes(void) {
  uint64_t seed = 7;
  for (int i = 0; i < 3000; i++) {
    uint8_t data[96];
    for (size_t at = 0; at < sizeof data; at += 8) {
      uint64_t bits = (seed = seed * 6364136223846793005u + 1442695040888963407u);
      memcpy(data + at, &bits, 8);
    }
    msdk_encoded_frame *frame = encoded_of(data, 1 + (uint64_t)i % sizeof data, i);
    if (frame != NULL) CHECK_OK(msdk_encoded_frame_unref(frame));
  }
  CHECK(1);
}

static atomic_int is_over;

/* Makes a key frame of it and none, again and again, as another process may in memory that is shared. */
static void *change_the_first_byte(void *memory) {
  for (volatile uint8_t *first = memory; !atomic_load(&is_over);) *first ^= 1;
  return NULL;
}

/* What the frame says of its data is true of its data, whatever the caller's memory holds by then. */
static void what_is_parsed_is_the_copy(void) {
  ivf_clip clip;
  NEED(ivf_open(&clip));
  uint8_t *memory = malloc(clip.frame[0].size);
  memcpy(memory, clip.frame[0].data, clip.frame[0].size);
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, change_the_first_byte, memory), 0);
  int wrong = 0;
  for (int i = 0; i < 20000; i++) {
    msdk_encoded_frame *frame = encoded_of(memory, clip.frame[0].size, 0);
    if (frame == NULL) continue;
    wrong += ((frame->flags & MSDK_ENCODED_KEY) != 0) != ((frame->data[0] & 1) == 0);
    msdk_encoded_frame_unref(frame);
  }
  CHECK_EQ(wrong, 0);
  atomic_store(&is_over, 1);
  pthread_join(thread, NULL);
  free(memory);
  ivf_close(&clip);
}

int main(int argc, char **argv) {
  RUN(the_clip_is_parsed);
  RUN(corrupt_data_is_refused);
  RUN(bad_arguments_are_named);
  RUN(random_data_never_crashes);
  RUN(what_is_parsed_is_the_copy);
  return check_finish();
}
