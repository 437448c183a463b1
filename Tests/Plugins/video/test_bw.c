#define _XOPEN_SOURCE 700
#include "check.h"
#include "host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static const msdk_class *class;
static const msdk_video_renderer *renderer;
static const msdk_video_producer *producer;

static void open_both(host_instance *instance) {
  host_create(instance, class);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
  CHECK_EQ(producer->init_capture(instance->self), MSDK_OK);
}

static void close_both(host_instance *instance) {
  CHECK_EQ(producer->release_capture(instance->self), MSDK_OK);
  CHECK_EQ(renderer->release_render(instance->self), MSDK_OK);
  host_destroy(instance);
}

static void render(host_instance *instance, const msdk_video_format *format, uint32_t seed, int64_t timestamp_ns, uint32_t orientation) {
  CHECK_EQ(host_render(instance, format, seed, timestamp_ns, orientation), MSDK_OK);
}

/* What black and white makes of a luma value, worked out anew. */
static uint8_t wanted(uint8_t luma, int full, int threshold, uint32_t level) {
  double grey = full ? luma : (luma - 16) * 255.0 / 219;
  uint8_t value = (uint8_t)(grey < 0 ? 0 : grey > 255 ? 255 : grey + 0.5);
  return threshold ? (value >= level ? 255 : 0) : value;
}

static uint32_t wrong_pixels(const msdk_video_frame *grey, const msdk_video_frame *source, int threshold, uint32_t level) {
  uint32_t wrong = 0;
  for (uint32_t y = 0; y < source->format->height; y++) {
    for (uint32_t x = 0; x < source->format->width; x++) {
      uint8_t luma = source->plane[0].data[(ptrdiff_t)y * source->plane[0].stride + x];
      uint8_t got = grey->plane[0].data[(ptrdiff_t)y * grey->plane[0].stride + x];
      wrong += got != wanted(luma, source->format->color_full_range == 1, threshold, level);
    }
  }
  return wrong;
}

typedef struct expectation {
  msdk_video_frame *source;
  int threshold;
  uint32_t level, deliveries;
} expectation;

static msdk_result check_delivery(msdk_host_context *context, msdk_video_frame *frame) {
  expectation *expected = context->user;
  const msdk_video_frame *source = expected->source;
  CHECK_EQ(frame->format->pixel_format, MSDK_PIXEL_GRAY8);
  CHECK_EQ(frame->format->color_full_range, 1);
  CHECK_EQ(frame->format->width, source->format->width);
  CHECK_EQ(frame->format->height, source->format->height);
  CHECK_EQ(frame->format->fps_num, source->format->fps_num);
  CHECK_EQ(frame->timestamp_ns, source->timestamp_ns);
  CHECK_EQ(frame->orientation, source->orientation);
  CHECK_EQ(wrong_pixels(frame, source, expected->threshold, expected->level), 0);
  expected->deliveries++;
  return MSDK_OK;
}

static void test_pictures(void) {
  static const uint32_t sizes[][2] = {{1, 1}, {3, 5}, {17, 9}, {1, 40}, {1279, 719}};
  static const uint32_t formats[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, MSDK_PIXEL_GRAY8};
  static const uint32_t levels[] = {0, 1, 128, 255};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (size_t f = 0; f < 3; f++) {
      for (int full = 0; full < 2; full++) {
        host_instance instance;
        open_both(&instance);
        msdk_video_format format = host_format(formats[f], sizes[s][0], sizes[s][1]);
        format.color_full_range = (uint32_t)full;
        CHECK_EQ(renderer->accepts_format(instance.self, &format), 1);
        CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
        expectation expected = {0};
        instance.context.user = &expected;
        instance.context.consume = check_delivery;
        for (int i = 0; i < 5; i++) {
          expected.threshold = i > 0;
          expected.level = i > 0 ? levels[i - 1] : 128;
          CHECK_EQ(host_set_string(&instance, "mode", expected.threshold ? "threshold" : "gray"), MSDK_OK);
          CHECK_EQ(host_set_u32(&instance, "level", expected.level), MSDK_OK);
          expected.source = host_frame(&instance, &format);
          host_paint(expected.source, (uint32_t)i);
          expected.source->timestamp_ns = 1000 + i;
          expected.source->orientation = MSDK_ROTATE_90 | MSDK_MIRROR;
          CHECK_EQ(renderer->render_video_frame(instance.self, expected.source), MSDK_OK);

          msdk_video_format grey = {0};
          CHECK_EQ(renderer->snapshot_format(instance.self, &grey), MSDK_OK);
          CHECK_EQ(producer->capture_settings(instance.self, &grey), MSDK_OK);
          CHECK_EQ(grey.struct_size, sizeof grey);
          msdk_video_frame *into = host_frame(&instance, &grey);
          CHECK_EQ(renderer->snapshot(instance.self, into), MSDK_OK);
          CHECK_EQ(wrong_pixels(into, expected.source, expected.threshold, expected.level), 0);
          CHECK_EQ(into->timestamp_ns, 1000 + i);
          CHECK_EQ(into->orientation, MSDK_ROTATE_90 | MSDK_MIRROR);
          host_unref(into);
          host_unref(expected.source);
        }
        CHECK_EQ(expected.deliveries, 5);
        CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
        close_both(&instance);
      }
    }
  }
}

static void test_states(void) {
  host_instance instance;
  open_both(&instance);
  msdk_video_format format = {0}, nv12 = host_format(MSDK_PIXEL_NV12, 8, 6), grey = host_format(MSDK_PIXEL_GRAY8, 8, 6);
  CHECK_EQ(renderer->snapshot_format(instance.self, &format), MSDK_E_AGAIN);
  CHECK_EQ(producer->capture_settings(instance.self, &format), MSDK_E_STATE);
  CHECK_EQ(producer->enum_formats(instance.self, 0, &format), MSDK_E_NOT_FOUND);
  msdk_video_frame *into = host_frame(&instance, &grey);
  CHECK_EQ(renderer->snapshot(instance.self, into), MSDK_E_AGAIN);

  CHECK_EQ(producer->set_format(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(producer->set_format(instance.self, &nv12), MSDK_E_FORMAT);
  CHECK_EQ(producer->set_format(instance.self, &grey), MSDK_OK);
  for (uint32_t rgb = 0; rgb < 4; rgb++) {
    static const uint32_t others[] = {MSDK_PIXEL_BGRA, MSDK_PIXEL_RGBA, MSDK_PIXEL_RGB24, MSDK_PIXEL_BGR24};
    msdk_video_format other = host_format(others[rgb], 8, 6);
    CHECK_EQ(renderer->accepts_format(instance.self, &other), 0);
    msdk_video_frame *frame = host_frame(&instance, &other);
    CHECK_EQ(renderer->render_video_frame(instance.self, frame), MSDK_E_FORMAT);
    host_unref(frame);
  }
  CHECK_EQ(renderer->render_video_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(renderer->snapshot(instance.self, NULL), MSDK_E_INVALID);

  /* Nothing is passed on unless capture is started. */
  CHECK_EQ(producer->is_capture_started(instance.self), 0);
  render(&instance, &nv12, 0, 1, 0);
  CHECK_EQ(instance.context.consumed, 0);
  CHECK_EQ(producer->enum_formats(instance.self, 0, &format), MSDK_OK);
  CHECK_EQ(producer->enum_formats(instance.self, 1, &format), MSDK_E_NOT_FOUND);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->is_capture_started(instance.self), 1);
  render(&instance, &nv12, 0, 2, 0);
  CHECK_EQ(instance.context.consumed, 1);
  CHECK_EQ(instance.context.events, 0);

  /* Another size: the host is told, and a snapshot frame of the old size is refused. */
  msdk_video_format larger = host_format(MSDK_PIXEL_I420, 11, 7);
  render(&instance, &larger, 0, 3, 0);
  CHECK_EQ(instance.context.events, 1);
  CHECK_EQ(instance.context.last_event, MSDK_PLUGIN_EVENT_FORMAT_CHANGED);
  CHECK_EQ(instance.context.consumed, 2);
  CHECK_EQ(renderer->snapshot(instance.self, into), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "11x7");
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  render(&instance, &larger, 0, 4, 0);
  CHECK_EQ(instance.context.consumed, 2);
  host_unref(into);
  host_check_params(&instance);
  CHECK_EQ(host_set_u32(&instance, "level", 256), MSDK_E_RANGE);

  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(renderer->snapshot_format(instance.self, &format), MSDK_E_AGAIN);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  close_both(&instance);
}

enum { PLUGINS_POOL = 8 };
static msdk_video_frame *kept[PLUGINS_POOL];

static msdk_result keep(msdk_host_context *context, msdk_video_frame *frame) {
  host_table.video_frame_ref(frame);
  kept[context->consumed % PLUGINS_POOL] = frame;
  return MSDK_OK;
}

static msdk_result say_closed(msdk_host_context *context, msdk_video_frame *frame) {
  (void)context;
  (void)frame;
  return MSDK_E_CLOSED;
}

static msdk_result stop_inside(msdk_host_context *context, msdk_video_frame *frame) {
  (void)frame;
  CHECK_EQ(producer->stop_capture(((host_instance *)context->user)->self), MSDK_OK);
  return MSDK_OK;
}

static void test_crowded(void) {
  host_instance instance;
  open_both(&instance);
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 8, 6);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  instance.context.pool_limit = PLUGINS_POOL + 2; /* the two that `render` itself takes */
  instance.context.consume = keep;
  for (int i = 0; i < PLUGINS_POOL; i++) render(&instance, &format, 0, i, 0);
  CHECK_EQ(instance.context.consumed, PLUGINS_POOL);
  for (int i = 0; i < 100; i++) { /* 10 ms apart: the first is told, the next after a second; 3.2 s in all */
    render(&instance, &format, 0, i, 0);
    instance.context.now_ns += 32000000;
  }
  CHECK_EQ(instance.context.refused, host_is_isolated() ? 0 : 100); /* its process knows that there is none */
  CHECK_EQ(instance.context.consumed, PLUGINS_POOL);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 4), 4);
  CHECK_TEXT(instance.context.log_text, "in all");
  for (int i = 0; i < PLUGINS_POOL; i++) host_unref(kept[i]);
  instance.context.pool_limit = HOST_POOL;
  instance.context.consumed = 0;

  instance.context.consume = say_closed;
  for (int tries = 0; tries < 1000 && instance.context.consumed == 0; tries++) {
    if (tries > 0) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL); /* its process hears a moment later of what came back */
    render(&instance, &format, 0, 0, 0);
  }
  render(&instance, &format, 0, 0, 0);
  CHECK_EQ(instance.context.consumed, 1);
  CHECK_EQ(producer->is_capture_started(instance.self), 0);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);

  /* Stopping out of the delivery itself does not wait for itself. */
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  instance.context.consume = stop_inside;
  instance.context.user = &instance;
  render(&instance, &format, 0, 0, 0);
  render(&instance, &format, 0, 0, 0);
  CHECK_EQ(instance.context.consumed, 2);
  close_both(&instance);
}

/* ----------------------------------------------------------------------------------------------------------------- threads */

static atomic_int inside, stop_returned, late;

static msdk_result slow_consume(msdk_host_context *context, msdk_video_frame *frame) {
  (void)context;
  (void)frame;
  atomic_store(&inside, 1);
  if (atomic_load(&stop_returned)) atomic_store(&late, 1);
  nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
  if (atomic_load(&stop_returned)) atomic_store(&late, 1);
  atomic_store(&inside, 0);
  return MSDK_OK;
}

static atomic_int quit;

static void *render_always(void *argument) {
  host_instance *instance = argument;
  for (uint32_t i = 0; !atomic_load(&quit); i++) {
    msdk_video_format format = host_format(MSDK_PIXEL_NV12, 40 + i % 3, 30);
    msdk_video_frame *frame = NULL;
    if (host_table.video_frame_acquire(&instance->context, &format, 0, &frame) != MSDK_OK) continue;
    memset(frame->plane[0].data, (int)(16 + i % 200), frame->plane[0].size);
    for (uint32_t row = 0; row + 1 < format.height; row++) { /* the padding holds the poison, as before */
      memset(frame->plane[0].data + (ptrdiff_t)row * frame->plane[0].stride + format.width, instance->context.poison,
             (size_t)instance->context.padding);
    }
    renderer->render_video_frame(instance->self, frame);
    host_unref(frame);
  }
  return NULL;
}

static void *snapshot_always(void *argument) {
  host_instance *instance = argument;
  uint32_t *torn = calloc(1, sizeof *torn);
  while (!atomic_load(&quit)) {
    msdk_video_format format;
    msdk_video_frame *into = NULL;
    if (renderer->snapshot_format(instance->self, &format) != MSDK_OK) continue;
    if (host_table.video_frame_acquire(&instance->context, &format, 0, &into) != MSDK_OK) continue;
    if (renderer->snapshot(instance->self, into) == MSDK_OK) {
      for (uint32_t y = 0; y < format.height; y++) {
        const uint8_t *row = into->plane[0].data + (ptrdiff_t)y * into->plane[0].stride;
        for (uint32_t x = 0; x < format.width; x++) *torn += row[x] != into->plane[0].data[0];
      }
    }
    host_unref(into);
  }
  return torn;
}

static void test_threads(void) {
  host_instance instance;
  open_both(&instance);
  instance.context.consume = slow_consume;
  pthread_t rendering, looking;
  CHECK_EQ(pthread_create(&rendering, NULL, render_always, &instance), 0);
  CHECK_EQ(pthread_create(&looking, NULL, snapshot_always, &instance), 0);
  for (int i = 0; i < 100; i++) {
    atomic_store(&stop_returned, 0);
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    while (!atomic_load(&inside)) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    host_set_string(&instance, "mode", i % 2 ? "gray" : "threshold");
    CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
    atomic_store(&stop_returned, 1);
    CHECK_EQ(atomic_load(&inside), 0);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  atomic_store(&quit, 1);
  uint32_t *torn = NULL;
  pthread_join(rendering, NULL);
  pthread_join(looking, (void **)&torn);
  CHECK_EQ(*torn, 0);
  CHECK_EQ(atomic_load(&late), 0);
  CHECK(instance.context.consumed >= 100);
  free(torn);
  close_both(&instance);
}

static void test_lifecycle(void) {
  host_instance instance;
  host_create(&instance, class);
  msdk_video_format format = host_format(MSDK_PIXEL_I420, 33, 17);
  for (int i = 0; i < 100; i++) {
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    render(&instance, &format, (uint32_t)i, i, 0);
    CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
    CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  }
  CHECK_EQ(instance.context.consumed, 100);
  host_destroy(&instance);

  msdk_host old = host_table;
  old.struct_size = offsetof(msdk_host, now_ns);
  msdk_self *self = NULL;
  CHECK_EQ(class->create(class, &old, NULL, &self), MSDK_E_ABI);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "bw.so", "org.mediasdk.renderer.bw");
  renderer = class->video_renderer;
  producer = class->video_producer;
  CHECK_EQ(class->kinds, MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_VIDEO_PRODUCER);
  CHECK_EQ(producer->flags & MSDK_PRODUCER_PULL, 0);
  test_pictures();
  test_states();
  test_crowded();
  test_threads();
  test_lifecycle();
  return check_done();
}
