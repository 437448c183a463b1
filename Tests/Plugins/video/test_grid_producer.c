/* The grid as a producer: when its pictures are passed on, and in which format. */
#define _POSIX_C_SOURCE 200809L
#include "grid_picture.h"
#include "patience.h"

typedef struct taken {
  uint32_t count, answers_again;
  int64_t last_ns, arrived_ns[256];
  uint32_t backwards, width, height, pixel_format;
  msdk_video_frame *kept;
} taken;

static msdk_result take(msdk_host_context *context, msdk_video_frame *frame) {
  taken *it = context->user;
  msdk_result result = MSDK_OK;
  pthread_mutex_lock(&context->lock);
  if (it->answers_again > 0) {
    it->answers_again--;
    result = MSDK_E_AGAIN;
  } else {
    if (it->count > 0 && frame->timestamp_ns <= it->last_ns) it->backwards++;
    it->last_ns = frame->timestamp_ns;
    if (it->count < 256) it->arrived_ns[it->count] = host_monotonic_ns();
    it->width = frame->format->width;
    it->height = frame->format->height;
    it->pixel_format = frame->format->pixel_format;
    it->count++;
  }
  pthread_mutex_unlock(&context->lock);
  return result;
}

static uint32_t count_of(host_instance *grid) {
  taken *it = grid->context.user;
  pthread_mutex_lock(&grid->context.lock);
  uint32_t count = it->count;
  pthread_mutex_unlock(&grid->context.lock);
  return count;
}

static int comes(host_instance *grid, uint32_t count) {
  for (int tries = 0; tries < 2000 && count_of(grid) < count; tries++) pause_ms(5);
  return count_of(grid) >= count;
}

static void pictures_go_out_when_something_changes(void) {
  host_instance grid;
  open_live_grid(&grid, 320, 180);
  const msdk_video_producer *producer = grid_class->video_producer;
  taken it = {0};
  grid.context.user = &it;
  grid.context.consume = take;
  CHECK_EQ(producer->init_capture(grid.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK);
  CHECK_EQ(producer->is_capture_started(grid.self), 1);
  pause_ms(100);
  CHECK_EQ(count_of(&grid), 0); /* nobody is there */
  tell(&grid, 1, "g", 1, 0, 0);
  CHECK(comes(&grid, 1));
  pause_ms(150);
  CHECK_EQ(count_of(&grid), 1); /* nothing changed */
  tell(&grid, 1, "g", 1, 0, 0); /* nor did this */
  pause_ms(100);
  CHECK_EQ(count_of(&grid), 1);
  show_colour(&grid, 1, 64, 36, 70, 128, 128);
  CHECK(comes(&grid, 2));
  tell(&grid, 1, "g", 1, 1, 0);
  CHECK(comes(&grid, 3));
  CHECK_EQ(grid_class->video_renderer->remove_input(grid.self, 1), MSDK_OK);
  CHECK(comes(&grid, 4)); /* the last one left: that is to be seen as well */
  tell(&grid, 2, "g", 1, 0, 0);
  CHECK(comes(&grid, 5));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  uint32_t count = count_of(&grid);
  tell(&grid, 2, "g", 1, 1, 0);
  pause_ms(80);
  CHECK_EQ(count_of(&grid), count);
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK); /* what is there is shown at once */
  CHECK(comes(&grid, count + 1));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  CHECK_EQ(it.backwards, 0);
  CHECK(it.width == 320 && it.height == 180 && it.pixel_format == MSDK_PIXEL_I420);
  CHECK_EQ(producer->release_capture(grid.self), MSDK_OK);
  close_grid(&grid);
}

static void never_more_than_so_many_a_second(void) {
  host_instance grid;
  open_live_grid(&grid, 320, 180);
  CHECK_EQ(host_set_u32(&grid, "fps", 20), MSDK_OK);
  const msdk_video_producer *producer = grid_class->video_producer;
  taken it = {0};
  grid.context.user = &it;
  grid.context.consume = take;
  tell(&grid, 1, "h", 1, 0, 0);
  int64_t began_ns = host_monotonic_ns();
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK);
  for (int i = 0; i < 200; i++) {
    show_colour(&grid, 1, 64, 36, (uint8_t)(40 + i % 2), 128, 128);
    pause_ms(2);
  }
  double seconds = (double)(host_monotonic_ns() - began_ns) / 1e9;
  uint32_t before = count_of(&grid);
  CHECK(before >= 2 && before <= 2 + seconds * 20);
  /* The newest is shown in the end, though it came before its time. */
  show_colour(&grid, 1, 64, 36, 77, 128, 128);
  CHECK(comes(&grid, before + 1));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  close_grid(&grid);
}

static void what_is_not_taken_comes_again(void) {
  host_instance grid;
  open_live_grid(&grid, 320, 180);
  const msdk_video_producer *producer = grid_class->video_producer;
  taken it = {.answers_again = 3};
  grid.context.user = &it;
  grid.context.consume = take;
  tell(&grid, 1, "i", 0, 0, 0);
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK);
  CHECK(comes(&grid, 1));
  CHECK_EQ(it.answers_again, 0);
  pause_ms(100);
  CHECK_EQ(count_of(&grid), 1);
  pthread_mutex_lock(&grid.context.lock); /* no frame to be had */
  uint32_t limit = grid.context.pool_limit;
  grid.context.pool_limit = 0;
  pthread_mutex_unlock(&grid.context.lock);
  tell(&grid, 1, "i", 0, 1, 0);
  pause_ms(100);
  CHECK_EQ(count_of(&grid), 1);
  pthread_mutex_lock(&grid.context.lock);
  grid.context.pool_limit = limit;
  pthread_mutex_unlock(&grid.context.lock);
  CHECK(comes(&grid, 2));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  close_grid(&grid);
}

static void as_a_streams_producer_it_has_the_streams_format(void) {
  host_instance grid;
  open_live_grid(&grid, 320, 180);
  const msdk_video_producer *producer = grid_class->video_producer;
  taken it = {0};
  grid.context.user = &it;
  grid.context.consume = take;
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(producer->init_capture(grid.self), MSDK_OK);
  CHECK_EQ(producer->enum_formats(grid.self, 0, &format), MSDK_OK);
  CHECK(format.pixel_format == MSDK_PIXEL_I420 && format.width == 320 && format.fps_num == 30);
  CHECK_EQ(producer->enum_formats(grid.self, 1, &format), MSDK_OK);
  CHECK_EQ(format.pixel_format, MSDK_PIXEL_NV12);
  CHECK_EQ(producer->enum_formats(grid.self, 2, &format), MSDK_E_NOT_FOUND);
  format = host_format(MSDK_PIXEL_BGRA, 640, 360);
  CHECK_EQ(producer->set_format(grid.self, &format), MSDK_E_FORMAT);
  format = host_format(MSDK_PIXEL_NV12, 20, 20);
  CHECK_EQ(producer->set_format(grid.self, &format), MSDK_E_FORMAT);
  format = host_format(MSDK_PIXEL_NV12, 641, 361);
  CHECK_EQ(producer->set_format(grid.self, &format), MSDK_OK);
  tell(&grid, 1, "j", 1, 0, 0);
  show_colour(&grid, 1, 64, 36, 70, 110, 120);
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK);
  CHECK(comes(&grid, 1));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  CHECK(it.width == 641 && it.height == 361 && it.pixel_format == MSDK_PIXEL_NV12);
  msdk_video_frame *picture = picture_of(&grid);
  CHECK_EQ(at(picture, 0, 320, 180), 70);
  const uint8_t *chroma = picture->plane[1].data + 90 * (ptrdiff_t)picture->plane[1].stride + 320;
  CHECK(chroma[0] == 110 && chroma[1] == 120);
  host_unref(picture);
  CHECK_EQ(producer->release_capture(grid.self), MSDK_OK);
  CHECK_EQ(producer->capture_settings(grid.self, &format), MSDK_OK);
  CHECK(format.width == 320 && format.pixel_format == MSDK_PIXEL_I420);
  close_grid(&grid);
}

static msdk_result stop_inside(msdk_host_context *context, msdk_video_frame *frame) {
  host_instance *grid = context->user;
  (void)frame;
  msdk_result result = grid_class->video_producer->stop_capture(grid->self);
  pthread_mutex_lock(&context->lock);
  if (result == MSDK_OK) context->now_ns++; /* counts the stops */
  pthread_mutex_unlock(&context->lock);
  return MSDK_OK;
}

/* Its thread cannot wait for itself, and must not touch what may be gone. */
static void it_may_be_stopped_inside_its_own_delivery(void) {
  host_instance grid;
  open_grid(&grid, 320, 180);
  tell(&grid, 1, "l", 0, 0, 0);
  grid.context.user = &grid;
  grid.context.consume = stop_inside;
  for (int64_t round = 1; round <= 20; round++) {
    CHECK_EQ(grid_class->video_producer->start_capture(grid.self), MSDK_OK);
    int64_t stops = 0;
    for (int tries = 0; tries < 2000 && stops < round; tries++) {
      pause_ms(2);
      pthread_mutex_lock(&grid.context.lock);
      stops = grid.context.now_ns;
      pthread_mutex_unlock(&grid.context.lock);
    }
    CHECK_EQ(stops, round);
    CHECK_EQ(grid_class->video_producer->is_capture_started(grid.self), 0);
  }
  for (int tries = 0; tries < 2000; tries++) { /* the last picture is on its way back */
    pthread_mutex_lock(&grid.context.lock);
    int is_back = grid.context.outstanding == 0 && grid.context.consumed == 20;
    pthread_mutex_unlock(&grid.context.lock);
    if (is_back) break;
    pause_ms(2);
  }
  close_grid(&grid);
}

int main(int argc, char **argv) {
  load_grid(argc, argv);
  pictures_go_out_when_something_changes();
  never_more_than_so_many_a_second();
  what_is_not_taken_comes_again();
  as_a_streams_producer_it_has_the_streams_format();
  it_may_be_stopped_inside_its_own_delivery();
  return check_done();
}
