#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../formats.h"
#include "../module.h"

#include <stdlib.h>
#include <string.h>

/* Luma of limited range runs from 16 to 235 and is spread over 0..255; what lies outside is cut off. */
static uint8_t expand(int luma) {
  int grey = ((luma - 16) * 255 + 109) / 219;
  return (uint8_t)(luma <= 16 ? 0 : luma >= 235 ? 255 : grey);
}

static const uint8_t *table_for(msdk_self *self, bool full_range) {
  bw_table *table = &self->table;
  int mode = self->mode;
  uint32_t level = self->level;
  if (table->made && table->full_range == full_range && table->mode == mode && table->level == level) return table->grey;
  for (int luma = 0; luma < 256; luma++) {
    uint8_t grey = full_range ? (uint8_t)luma : expand(luma);
    table->grey[luma] = mode == BW_THRESHOLD ? (grey >= level ? 255 : 0) : grey;
  }
  table->made = true;
  table->full_range = full_range;
  table->mode = mode;
  table->level = level;
  return table->grey;
}

static const uint32_t accepted[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, MSDK_PIXEL_GRAY8, 0}; /* whose first plane is luma */

/* Reached with the lock held. Memory is kept as long as it is large enough. */
static bool make_room(bw_picture *picture, const msdk_video_format *format) {
  uint64_t size = (uint64_t)format->width * format->height;
  if (size > picture->capacity) {
    free(picture->data);
    picture->data = malloc((size_t)size);
    picture->capacity = picture->data != NULL ? size : 0;
  }
  return picture->data != NULL;
}

static msdk_video_format grey_format_of(const msdk_video_format *source) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_GRAY8;
  format.width = source->width;
  format.height = source->height;
  format.fps_num = source->fps_num;
  format.fps_den = source->fps_den;
  format.color_primaries = source->color_primaries;
  format.color_transfer = source->color_transfer;
  format.color_matrix = source->color_matrix;
  format.color_full_range = 1;
  format.content_hint = source->content_hint;
  return format;
}

static void convert(uint8_t *to, const msdk_video_frame *frame, const uint8_t *grey) {
  uint32_t width = frame->format->width, height = frame->format->height;
  for (uint32_t row = 0; row < height; row++) {
    const uint8_t *from = frame->plane[0].data + (ptrdiff_t)row * frame->plane[0].stride;
    for (uint32_t x = 0; x < width; x++) to[x] = grey[from[x]];
    to += width;
  }
}

static msdk_result release_render(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  free(self->picture.data);
  self->picture = (bw_picture){0};
  pthread_mutex_unlock(&self->lock);
  return MSDK_OK;
}

static int32_t accepts_format(msdk_self *self, const msdk_video_format *format) {
  (void)self;
  return format != NULL && format_is_accepted(accepted, format->pixel_format);
}

static msdk_result render_video_frame(msdk_self *self, const msdk_video_frame *frame) {
  msdk_result result = frame_check(&self->report, accepted, frame);
  if (result < 0) return result;
  const msdk_video_format *format = frame->format;
  const uint8_t *grey = table_for(self, format->color_full_range == 1);

  pthread_mutex_lock(&self->lock);
  bw_picture *picture = &self->picture;
  bool resized = picture->data != NULL && (picture->format.width != format->width || picture->format.height != format->height);
  bool room = make_room(picture, format);
  if (room) {
    picture->format = grey_format_of(format);
    picture->timestamp_ns = frame->timestamp_ns;
    picture->orientation = frame->orientation;
    convert(picture->data, frame, grey);
  }
  pthread_mutex_unlock(&self->lock);
  if (!room) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for a frame of %ux%u", format->width, format->height);
  bw_pass_on(self, resized);
  return MSDK_OK;
}

static msdk_result snapshot_format(msdk_self *self, msdk_video_format *out) {
  pthread_mutex_lock(&self->lock);
  msdk_result result = self->picture.data != NULL ? MSDK_OK : MSDK_E_AGAIN;
  if (result == MSDK_OK) *out = self->picture.format;
  pthread_mutex_unlock(&self->lock);
  return result;
}

static msdk_result snapshot(msdk_self *self, msdk_video_frame *into) {
  if (into == NULL || into->format == NULL || into->plane_count < 1 || into->plane[0].data == NULL) {
    return report_fail(&self->report, MSDK_E_INVALID, "snapshot needs a frame to fill, not NULL");
  }
  const msdk_video_format *format = into->format;
  pthread_mutex_lock(&self->lock);
  const bw_picture *picture = &self->picture;
  uint32_t width = picture->format.width, height = picture->format.height;
  msdk_result result = MSDK_OK;
  if (picture->data == NULL) {
    result = MSDK_E_AGAIN;
  } else if (format->pixel_format != MSDK_PIXEL_GRAY8 || format->width != width || format->height != height) {
    result = MSDK_E_FORMAT;
  } else {
    for (uint32_t row = 0; row < height; row++) {
      memcpy(into->plane[0].data + (ptrdiff_t)row * into->plane[0].stride, picture->data + (uint64_t)row * width, width);
    }
    into->timestamp_ns = picture->timestamp_ns;
    into->orientation = picture->orientation;
  }
  pthread_mutex_unlock(&self->lock);
  if (result != MSDK_E_FORMAT) return result;
  return report_fail(&self->report, result, "the snapshot's frame is %ux%u; the current frame is %ux%u, GRAY8", format->width,
                     format->height, width, height);
}

const msdk_video_renderer bw_renderer = {
  .struct_size = sizeof(msdk_video_renderer),
  .init_render = nothing_to_do,
  .release_render = release_render,
  .accepts_format = accepts_format,
  .render_video_frame = render_video_frame,
  .snapshot_format = snapshot_format,
  .snapshot = snapshot,
};
