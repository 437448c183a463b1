/* Luma is mixed pixel by pixel, chroma by what the pixels under a sample have together. What lies outside the picture is left out. */
#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../formats.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A regular file; never waits, as for the other end of a fifo. */
static FILE *open_image(msdk_self *self) {
  int fd = open(self->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  FILE *file = NULL;
  if (fd < 0) report_fail(&self->report, MSDK_E_IO, "'%.200s' cannot be read: %s", self->path, strerror(errno));
  else if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    report_fail(&self->report, MSDK_E_IO, "'%.200s' cannot be read: it is not a regular file", self->path);
  } else if ((file = fdopen(fd, "rb")) == NULL) {
    report_fail(&self->report, MSDK_E_IO, "'%.200s' cannot be read: %s", self->path, strerror(errno));
  }
  if (fd >= 0 && file == NULL) close(fd);
  return file;
}

static msdk_result read_image(msdk_self *self, FILE *file) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_stdio(&image, file)) {
    return report_fail(&self->report, MSDK_E_IO, "'%.200s' cannot be read: %s", self->path, image.message);
  }
  image.format = PNG_FORMAT_RGBA;
  if (image.width > OVERLAY_SIDE_MAX || image.height > OVERLAY_SIDE_MAX) {
    msdk_result result = report_fail(&self->report, MSDK_E_RANGE, "'%.200s' is %ux%u; accepted: up to %d per side", self->path, image.width,
                                     image.height, OVERLAY_SIDE_MAX);
    png_image_free(&image);
    return result;
  }
  size_t size = PNG_IMAGE_SIZE(image);
  self->rgba = malloc(size);
  self->yuva = malloc(size);
  self->made = 0;
  msdk_result result = MSDK_OK;
  if (self->rgba == NULL || self->yuva == NULL) {
    result = report_fail(&self->report, MSDK_E_NOMEM, "no memory for an image of %ux%u", image.width, image.height);
  } else if (!png_image_finish_read(&image, NULL, self->rgba, 0, NULL)) {
    result = report_fail(&self->report, MSDK_E_CORRUPT, "'%.200s' is damaged: %s", self->path, image.message);
  }
  self->width = image.width;
  self->height = image.height;
  png_image_free(&image);
  if (result >= 0) return result;
  free(self->rgba);
  free(self->yuva);
  self->rgba = self->yuva = NULL;
  return result;
}

static msdk_result init_filter(msdk_self *self) {
  FILE *file = open_image(self);
  if (file == NULL) return MSDK_E_IO;
  msdk_result result = read_image(self, file);
  fclose(file);
  return result;
}

static msdk_result release_filter(msdk_self *self) {
  free(self->rgba);
  free(self->yuva);
  self->rgba = self->yuva = NULL;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *in, msdk_video_format *out) {
  static const uint32_t accepted[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, 0};
  return filter_check_formats(&self->report, accepted, in, out);
}

static uint8_t byte_of(double value) { return (uint8_t)(value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5); }

/* The image in the colours of the picture: BT.709 and BT.2020 where it says so, else BT.601. */
static void make_colours(msdk_self *self, const msdk_video_format *format) {
  if (self->made && self->matrix == format->color_matrix && self->full_range == format->color_full_range) return;
  int is_709 = format->color_matrix == MSDK_MATRIX_BT709, is_2020 = format->color_matrix == MSDK_MATRIX_BT2020_NCL;
  double red = is_709 ? 0.2126 : is_2020 ? 0.2627 : 0.299, blue = is_709 ? 0.0722 : is_2020 ? 0.0593 : 0.114;
  int full = format->color_full_range == 1;
  for (uint64_t i = 0; i < (uint64_t)self->width * self->height; i++) {
    const uint8_t *from = self->rgba + 4 * i;
    uint8_t *to = self->yuva + 4 * i;
    double luma = red * from[0] + (1 - red - blue) * from[1] + blue * from[2];
    double u = (from[2] - luma) / (2 * (1 - blue)), v = (from[0] - luma) / (2 * (1 - red));
    to[0] = byte_of(full ? luma : 16 + luma * 219 / 255);
    to[1] = byte_of(128 + (full ? u : u * 224 / 255));
    to[2] = byte_of(128 + (full ? v : v * 224 / 255));
    to[3] = from[3];
  }
  self->matrix = format->color_matrix;
  self->full_range = format->color_full_range;
  self->made = 1;
}

/* The part of the picture, in pixels, that the image covers. */
typedef struct area {
  int64_t left, top, right, bottom; /* right and bottom are outside */
} area;

static void mix_luma(const msdk_self *self, msdk_video_frame *frame, area area, int64_t x, int64_t y, uint32_t opacity) {
  for (int64_t row = area.top; row < area.bottom; row++) {
    uint8_t *to = frame->plane[0].data + row * frame->plane[0].stride;
    const uint8_t *from = self->yuva + ((uint64_t)(row - y) * self->width) * 4;
    for (int64_t column = area.left; column < area.right; column++) {
      const uint8_t *pixel = from + (column - x) * 4;
      uint32_t alpha = pixel[3] * opacity, all = 255 * 256;
      to[column] = (uint8_t)((to[column] * (all - alpha) + pixel[0] * alpha + all / 2) / all);
    }
  }
}

static void mix_chroma(const msdk_self *self, msdk_video_frame *frame, area area, int64_t x, int64_t y, uint32_t opacity) {
  int planar = frame->plane_count == 3;
  int64_t width = frame->format->width, height = frame->format->height;
  for (int64_t row = area.top / 2; row * 2 < area.bottom; row++) {
    for (int64_t column = area.left / 2; column * 2 < area.right; column++) {
      uint32_t alpha = 0, u = 0, v = 0, all = 0;
      for (int64_t part = 0; part < 4; part++) {
        int64_t at_x = column * 2 + part % 2, at_y = row * 2 + part / 2;
        if (at_x >= width || at_y >= height) continue;
        all += 255 * 256;
        if (at_x < area.left || at_x >= area.right || at_y < area.top || at_y >= area.bottom) continue;
        const uint8_t *pixel = self->yuva + ((uint64_t)(at_y - y) * self->width + (uint64_t)(at_x - x)) * 4;
        uint32_t own = pixel[3] * opacity;
        alpha += own;
        u += pixel[1] * own;
        v += pixel[2] * own;
      }
      uint8_t *to_u = frame->plane[1].data + row * frame->plane[1].stride + column * (planar ? 1 : 2);
      uint8_t *to_v = planar ? frame->plane[2].data + row * frame->plane[2].stride + column : to_u + 1;
      *to_u = (uint8_t)((*to_u * (all - alpha) + u + all / 2) / all);
      *to_v = (uint8_t)((*to_v * (all - alpha) + v + all / 2) / all);
    }
  }
}

static int64_t clipped(int64_t value, int64_t most) { return value < 0 ? 0 : value > most ? most : value; }

static msdk_result filter_video_frame(msdk_self *self, msdk_video_frame *in, msdk_video_frame **out) {
  int64_t x = self->x, y = self->y, width = in->format->width, height = in->format->height;
  uint32_t opacity = self->opacity;
  area area = {clipped(x, width), clipped(y, height), clipped(x + self->width, width), clipped(y + self->height, height)};
  if (opacity == 0 || area.left >= area.right || area.top >= area.bottom) {
    *out = in;
    return MSDK_OK;
  }
  msdk_video_frame *frame = NULL;
  msdk_result result = filter_make_writable(&self->report, in, &frame);
  if (result < 0) return result;
  make_colours(self, frame->format);
  mix_luma(self, frame, area, x, y, opacity);
  mix_chroma(self, frame, area, x, y, opacity);
  *out = frame;
  return MSDK_OK;
}

const msdk_video_filter overlay_filter = {
  .struct_size = sizeof(msdk_video_filter),
  .init_filter = init_filter,
  .release_filter = release_filter,
  .set_format = set_format,
  .filter_video_frame = filter_video_frame,
};
