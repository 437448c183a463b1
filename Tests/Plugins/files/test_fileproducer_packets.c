/* The class that passes VP8 from IVF files through. */
#define _XOPEN_SOURCE 700
#include "files.h"
#include "host.h"

enum { BUNNY_FRAMES = 132, IVF_HEADER = 32, TICK_NS = 40000000 };

static const msdk_class *class;
static const msdk_video_producer *producer;
static uint8_t *bunny;
static size_t bunny_size;
static int64_t due;

/* Position of the header of frame `index`, from 0. */
static size_t frame_at(uint32_t index) {
  size_t at = IVF_HEADER;
  while (index-- > 0) at += 12 + u32_at(bunny + at);
  return at;
}

static msdk_result open_file(host_instance *instance, const char *path, int loop) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_bool(instance, "loop", loop), MSDK_OK);
  due = TICK_NS;
  msdk_result result = producer->init_capture(instance->self);
  if (result == MSDK_OK) CHECK_EQ(producer->start_capture(instance->self), MSDK_OK);
  return result;
}

/* The next one, asked for as the host does. */
static msdk_result ask(host_instance *instance, msdk_encoded_frame **out) {
  for (int tries = 0; tries < 100; tries++) {
    *out = NULL;
    msdk_result result = producer->produce_encoded_frame(instance->self, due, out);
    int64_t step = result == MSDK_OK && *out != NULL ? (*out)->duration_ns : TICK_NS;
    if (result == MSDK_OK) CHECK(step > 0);
    due += step > 1000000 ? step : 1000000;
    if (result != MSDK_E_AGAIN) return result;
  }
  return MSDK_E_AGAIN;
}

/* Reads so many, which are those of the film from `first` on; the last timestamp. */
static int64_t expect(host_instance *instance, uint32_t first, uint32_t count) {
  int64_t last = 0;
  for (uint32_t i = 0; i < count; i++) {
    msdk_encoded_frame *frame = NULL;
    size_t at = frame_at(first + i);
    CHECK_EQ(ask(instance, &frame), MSDK_OK);
    if (frame == NULL) return last;
    CHECK_EQ(frame->size, u32_at(bunny + at));
    CHECK(frame->size == u32_at(bunny + at) && memcmp(frame->data, bunny + at + 12, frame->size) == 0);
    CHECK_EQ((frame->flags & MSDK_ENCODED_KEY) != 0, (bunny[at + 12] & 1) == 0);
    CHECK_EQ(frame->codec, MSDK_CODEC_VP8);
    if (i > 0) CHECK_EQ(frame->timestamp_ns - last, TICK_NS);
    last = frame->timestamp_ns;
    host_encoded_unref(frame);
  }
  return last;
}

static void test_bunny(void) {
  host_instance instance;
  msdk_encoded_frame *frame = NULL;
  CHECK_EQ(producer->flags, MSDK_PRODUCER_PULL | MSDK_PRODUCER_TIMED | MSDK_PRODUCER_ENCODED);
  CHECK_EQ(producer->codec, MSDK_CODEC_VP8);
  CHECK_EQ(open_file(&instance, host_path("bunny"), 0), MSDK_OK);
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(producer->enum_formats(instance.self, 0, &format), MSDK_OK);
  CHECK_EQ(format.width, 1280);
  CHECK_EQ(format.height, 720);
  CHECK_EQ(format.fps_num, 25);
  CHECK_EQ(producer->enum_formats(instance.self, 1, &format), MSDK_E_NOT_FOUND);
  expect(&instance, 0, BUNNY_FRAMES);
  CHECK_EQ(ask(&instance, &frame), MSDK_E_CLOSED);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK); /* a start begins with a key frame, at the end and in the middle */
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  expect(&instance, 0, 5);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  expect(&instance, 0, 5);
  CHECK_EQ(instance.context.errors, 0);
  host_finish(&instance);
}

static void test_loop(void) {
  host_instance instance;
  CHECK_EQ(open_file(&instance, host_path("bunny"), 1), MSDK_OK);
  int64_t last = expect(&instance, 0, BUNNY_FRAMES);
  msdk_encoded_frame *frame = NULL;
  CHECK_EQ(ask(&instance, &frame), MSDK_OK);
  if (frame != NULL) {
    CHECK(frame->flags & MSDK_ENCODED_KEY);
    CHECK_EQ(frame->timestamp_ns - last, TICK_NS);
    host_encoded_unref(frame);
  }
  expect(&instance, 1, 10);
  host_finish(&instance);
}

/* A frame that is not shown is passed, too, and takes no time. */
static void test_hidden(void) {
  uint8_t *copy = malloc(bunny_size);
  memcpy(copy, bunny, bunny_size);
  copy[frame_at(3) + 12] &= (uint8_t)~0x10;
  write_file(host_path("hidden"), copy, bunny_size);
  free(copy);
  host_instance instance;
  CHECK_EQ(open_file(&instance, host_path("hidden"), 0), MSDK_OK);
  for (int i = 0; i < 6; i++) {
    msdk_encoded_frame *frame = NULL;
    CHECK_EQ(ask(&instance, &frame), MSDK_OK);
    if (frame == NULL) break;
    CHECK_EQ(frame->size, u32_at(bunny + frame_at((uint32_t)i)));
    if (i == 3) CHECK(frame->duration_ns <= 1000000);
    host_encoded_unref(frame);
  }
  host_finish(&instance);
}

/* What comes before the first key frame cannot be decoded, and what has no bytes neither. */
static void test_damaged(void) {
  size_t second = frame_at(1), left = bunny_size - second;
  uint8_t *copy = calloc(1, IVF_HEADER + left + 12 + bunny_size);
  memcpy(copy, bunny, IVF_HEADER);
  size_t size = IVF_HEADER;
  memcpy(copy + size, bunny + second, frame_at(4) - second); /* frames 1 to 3, then an empty one, then the whole film */
  size += frame_at(4) - second + 12;
  memcpy(copy + size, bunny + IVF_HEADER, bunny_size - IVF_HEADER);
  size += bunny_size - IVF_HEADER;
  write_file(host_path("late"), copy, size);
  free(copy);
  host_instance instance;
  CHECK_EQ(open_file(&instance, host_path("late"), 0), MSDK_OK);
  msdk_encoded_frame *frame = NULL;
  CHECK_EQ(ask(&instance, &frame), MSDK_OK);
  if (frame != NULL) {
    CHECK(frame->flags & MSDK_ENCODED_KEY);
    CHECK_EQ(frame->size, u32_at(bunny + frame_at(0)));
    host_encoded_unref(frame);
  }
  host_finish(&instance);
}

static void refused(const char *path, msdk_result wanted, const char *words) {
  host_instance instance;
  CHECK_EQ(open_file(&instance, path, 0), wanted);
  CHECK_TEXT(instance.context.error_text, words);
  host_destroy(&instance);
}

static void test_refused(void) {
  write_file(host_path("raw"), "YUV4MPEG2 W2 H2\nFRAME\n123456", 28);
  refused(host_path("raw"), MSDK_E_UNSUPPORTED, "IVF");
  host_instance instance;
  CHECK_EQ(open_file(&instance, host_path("bunny"), 0), MSDK_OK);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(producer->enum_formats(instance.self, 0, &format), MSDK_OK);
  format.pixel_format = MSDK_PIXEL_BGRA; /* of no meaning */
  format.fps_num = 30;                   /* more than the file has */
  CHECK_EQ(producer->set_format(instance.self, &format), MSDK_OK);
  format.fps_num = 15;
  CHECK_EQ(producer->set_format(instance.self, &format), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "25/1");
  format.fps_num = 25;
  format.width = 640;
  CHECK_EQ(producer->set_format(instance.self, &format), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "1280x720");
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  host_finish(&instance);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "fileproducer.so", "org.mediasdk.producer.packets");
  producer = class->video_producer;
  bunny = read_file(media_path("bunny-720p25.ivf"), &bunny_size);
  write_file(host_path("bunny"), bunny, bunny_size);
  test_bunny();
  test_loop();
  test_hidden();
  test_damaged();
  test_refused();
  free(bunny);
  return check_done();
}
