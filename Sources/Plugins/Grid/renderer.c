/* The renderer's side: keeps what it is given and the newest frame of each input, and draws nothing by itself. */
#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../formats.h"
#include "../module.h"

#include <libyuv.h>

void grid_touch(msdk_self *self) {
  self->version++;
  pthread_cond_signal(&self->changed);
}

static void give_back(msdk_self *self, const msdk_video_frame *frame) {
  if (frame != NULL) self->report.host->video_frame_unref(frame);
}

/* Gives the frames back one by one, outside the lock. */
static void drop(msdk_self *self, bool inputs_too) {
  for (;;) {
    const msdk_video_frame *frame = NULL;
    pthread_mutex_lock(&self->lock);
    for (uint32_t i = 0; i < self->inputs.count && frame == NULL; i++) {
      frame = self->inputs.list[i].frame;
      self->inputs.list[i].frame = NULL;
    }
    if (frame == NULL && inputs_too) self->inputs.count = 0;
    if (frame == NULL) grid_touch(self);
    pthread_mutex_unlock(&self->lock);
    if (frame == NULL) return;
    self->report.host->video_frame_unref(frame);
  }
}

static msdk_result flush(msdk_self *self) {
  drop(self, false);
  return MSDK_OK;
}

static msdk_result release_render(msdk_self *self) {
  drop(self, true);
  return MSDK_OK;
}

static const uint32_t accepted[] = {MSDK_PIXEL_I420, 0};

static int32_t accepts_format(msdk_self *self, const msdk_video_format *format) {
  (void)self;
  return format != NULL && format_is_accepted(accepted, format->pixel_format);
}

/* Under the lock: how late frames are when they come, smoothly, so that what is composed can be that of the same moment. */
static void note_age(msdk_self *self, const msdk_video_frame *frame, int64_t now_ns) {
  int64_t age_ns = now_ns - frame->timestamp_ns;
  if (frame->timestamp_ns == 0 || age_ns < 0 || age_ns > INT64_C(5000000000)) return;
  self->age_ns = self->aged ? self->age_ns + (age_ns - self->age_ns) / 16 : age_ns;
  self->aged = true;
}

static msdk_result show(msdk_self *self, uint32_t number, const msdk_video_frame *frame) {
  msdk_result result = frame_check(&self->report, accepted, frame);
  if (result < 0) return result;
  int64_t now_ns = self->report.host->now_ns(self->report.context);
  self->report.host->video_frame_ref(frame);
  const msdk_video_frame *former = frame;
  pthread_mutex_lock(&self->lock);
  grid_input *input = inputs_find(&self->inputs, number);
  /* Attached to one stream, it is told of no input. */
  if (input == NULL && number == 0 && (input = inputs_add(&self->inputs, 0)) != NULL) input->has_video = true;
  if (input != NULL) {
    former = inputs_show(&self->inputs, input, frame);
    note_age(self, frame, now_ns);
    grid_touch(self);
  }
  pthread_mutex_unlock(&self->lock);
  give_back(self, former);
  return input != NULL ? MSDK_OK : report_fail(&self->report, number == 0 ? MSDK_E_NOMEM : MSDK_E_NOT_FOUND, "there is no input %u",
                                               number);
}

static msdk_result render_video_frame(msdk_self *self, const msdk_video_frame *frame) { return show(self, 0, frame); }

static msdk_result render_input_frame(msdk_self *self, uint32_t input, const msdk_video_frame *frame) { return show(self, input, frame); }

static msdk_result update_input(msdk_self *self, uint32_t number, const msdk_input *told) {
  if (told == NULL || number == 0) {
    return report_fail(&self->report, MSDK_E_INVALID, "update_input needs a number above 0 and an input, not NULL");
  }
  const msdk_video_frame *dropped = NULL;
  pthread_mutex_lock(&self->lock);
  grid_input *input = inputs_find(&self->inputs, number);
  bool is_new = input == NULL;
  if (is_new) input = inputs_add(&self->inputs, number);
  if (input != NULL && (inputs_update(&self->inputs, input, told, &dropped) || is_new)) grid_touch(self);
  pthread_mutex_unlock(&self->lock);
  give_back(self, dropped);
  return input != NULL ? MSDK_OK : report_fail(&self->report, MSDK_E_NOMEM, "no memory for input %u", number);
}

static msdk_result remove_input(msdk_self *self, uint32_t number) {
  const msdk_video_frame *frame = NULL;
  pthread_mutex_lock(&self->lock);
  grid_input *input = inputs_find(&self->inputs, number);
  if (input != NULL) {
    frame = inputs_remove(&self->inputs, input);
    grid_touch(self);
  }
  pthread_mutex_unlock(&self->lock);
  give_back(self, frame);
  return input != NULL ? MSDK_OK : report_fail(&self->report, MSDK_E_NOT_FOUND, "there is no input %u", number);
}

/* ----------------------------------------------------------------------------------------------------------------- drawing */

static void copy(const grid_canvas *from, msdk_video_frame *into) {
  msdk_plane *to = into->plane;
  int chroma = from->chroma_stride;
  if (into->format->pixel_format == MSDK_PIXEL_NV12) {
    I420ToNV12(from->y, from->stride, from->u, chroma, from->v, chroma, to[0].data, to[0].stride, to[1].data, to[1].stride, from->width,
               from->height);
  } else {
    I420Copy(from->y, from->stride, from->u, chroma, from->v, chroma, to[0].data, to[0].stride, to[1].data, to[1].stride, to[2].data,
             to[2].stride, from->width, from->height);
  }
}

bool grid_draw(msdk_self *self, msdk_video_frame *into, uint64_t *version) {
  grid_shown shown[GRID_TILES];
  pthread_mutex_lock(&self->drawing);
  pthread_mutex_lock(&self->lock);
  uint32_t count = compose_choose(&self->inputs, shown);
  grid_settings settings = self->settings;
  *version = self->version;
  for (uint32_t i = 0; i < count; i++) {
    if (shown[i].input.frame != NULL) self->report.host->video_frame_ref(shown[i].input.frame);
  }
  pthread_mutex_unlock(&self->lock);
  bool drawn = compose_draw(&self->composer, (int32_t)into->format->width, (int32_t)into->format->height, &settings, shown, count);
  if (drawn) copy(&self->composer.canvas, into);
  pthread_mutex_unlock(&self->drawing);
  for (uint32_t i = 0; i < count; i++) give_back(self, shown[i].input.frame);
  return drawn;
}

static msdk_result snapshot_format(msdk_self *self, msdk_video_format *out) {
  pthread_mutex_lock(&self->lock);
  *out = grid_format(&self->output);
  uint32_t count = self->inputs.count;
  pthread_mutex_unlock(&self->lock);
  return count > 0 ? MSDK_OK : MSDK_E_AGAIN;
}

static msdk_result snapshot(msdk_self *self, msdk_video_frame *into) {
  pthread_mutex_lock(&self->lock);
  grid_output output = self->output;
  pthread_mutex_unlock(&self->lock);
  if (into == NULL || into->format == NULL || into->format->pixel_format != output.pixel_format || into->format->width != output.width ||
      into->format->height != output.height) {
    return report_fail(&self->report, MSDK_E_FORMAT, "the snapshot's frame does not have the format %ux%u from snapshot_format",
                       output.width, output.height);
  }
  uint64_t version;
  bool drawn = grid_draw(self, into, &version);
  into->timestamp_ns = self->report.host->now_ns(self->report.context);
  return drawn ? MSDK_OK : report_fail(&self->report, MSDK_E_NOMEM, "no memory for a frame of %ux%u", output.width, output.height);
}

const msdk_video_renderer grid_renderer = {
  .struct_size = sizeof(msdk_video_renderer),
  .init_render = nothing_to_do,
  .release_render = release_render,
  .accepts_format = accepts_format,
  .render_video_frame = render_video_frame,
  .flush = flush,
  .snapshot_format = snapshot_format,
  .snapshot = snapshot,
  .update_input = update_input,
  .remove_input = remove_input,
  .render_input_frame = render_input_frame,
};
