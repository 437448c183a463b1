/* Conversions through msdk_video_frame_convert_into, against the same work by a direct call of libyuv on the same memory: microseconds a
 * picture, in rounds of the two in turn.
 *
 *   convert_msdk ROUNDS */
#include "call.h"
#include "measure.h"

#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from_argb.h>
#include <libyuv/scale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 40 };

typedef int (*direct_fn)(const msdk_video_frame *from, const msdk_video_frame *to);

static int nv12_to_i420(const msdk_video_frame *from, const msdk_video_frame *to) {
  const msdk_plane *f = from->plane, *t = to->plane;
  return NV12ToI420(f[0].data, f[0].stride, f[1].data, f[1].stride, t[0].data, t[0].stride, t[1].data, t[1].stride, t[2].data, t[2].stride,
                    (int)from->format->width, (int)from->format->height);
}

static int i420_to_bgra(const msdk_video_frame *from, const msdk_video_frame *to) {
  const msdk_plane *f = from->plane, *t = to->plane; /* libyuv's ARGB is B, G, R, A in memory */
  return I420ToARGB(f[0].data, f[0].stride, f[1].data, f[1].stride, f[2].data, f[2].stride, t[0].data, t[0].stride,
                    (int)from->format->width, (int)from->format->height);
}

static int bgra_to_nv12(const msdk_video_frame *from, const msdk_video_frame *to) {
  const msdk_plane *f = from->plane, *t = to->plane;
  return ARGBToNV12(f[0].data, f[0].stride, t[0].data, t[0].stride, t[1].data, t[1].stride, (int)from->format->width,
                    (int)from->format->height);
}

static int nv12_scale(const msdk_video_frame *from, const msdk_video_frame *to) {
  const msdk_plane *f = from->plane, *t = to->plane;
  return NV12Scale(f[0].data, f[0].stride, f[1].data, f[1].stride, (int)from->format->width, (int)from->format->height, t[0].data,
                   t[0].stride, t[1].data, t[1].stride, (int)to->format->width, (int)to->format->height, kFilterBilinear);
}

static const struct conversion {
  const char *name;
  uint32_t from, from_width, from_height, to, to_width, to_height;
  direct_fn direct;
} conversions[] = {
  {"nv12_to_i420", MSDK_PIXEL_NV12, 1280, 720, MSDK_PIXEL_I420, 1280, 720, nv12_to_i420},
  {"i420_to_bgra", MSDK_PIXEL_I420, 1280, 720, MSDK_PIXEL_BGRA, 1280, 720, i420_to_bgra},
  {"bgra_to_nv12", MSDK_PIXEL_BGRA, 1280, 720, MSDK_PIXEL_NV12, 1280, 720, bgra_to_nv12},
  {"nv12_1080_to_720", MSDK_PIXEL_NV12, 1920, 1080, MSDK_PIXEL_NV12, 1280, 720, nv12_scale},
};

static msdk_video_frame *frame_of(uint32_t pixel_format, uint32_t width, uint32_t height) {
  msdk_video_format format = format_of(pixel_format, width, height, 30);
  msdk_video_frame *frame = NULL;
  must(msdk_video_frame_create(&format, &frame), "msdk_video_frame_create");
  uint32_t noise = 1;
  for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
    for (uint64_t i = 0; i < frame->plane[plane].size; i++) {
      noise = noise * 1664525 + 1013904223;
      frame->plane[plane].data[i] = (uint8_t)(noise >> 24);
    }
  }
  return frame;
}

/* The largest difference of two pictures of the same layout, so that nobody compares the speed of different work unawares. */
static int difference(const msdk_video_frame *a, const msdk_video_frame *b) {
  msdk_frame_layout layout = MSDK_INIT(msdk_frame_layout);
  must(msdk_frame_get_layout(a->format->pixel_format, a->format->width, a->format->height, 64, &layout), "msdk_frame_get_layout");
  int most = 0;
  for (uint32_t plane = 0; plane < a->plane_count; plane++) {
    for (uint32_t y = 0; y < layout.rows[plane]; y++) {
      const uint8_t *p = a->plane[plane].data + (ptrdiff_t)y * a->plane[plane].stride;
      const uint8_t *q = b->plane[plane].data + (ptrdiff_t)y * b->plane[plane].stride;
      for (uint32_t x = 0; x < layout.row_bytes[plane]; x++) {
        int d = abs(p[x] - q[x]);
        if (d > most) most = d;
      }
    }
  }
  return most;
}

static void say(const struct conversion *conversion, const char *what, double value) {
  char key[64];
  snprintf(key, sizeof key, "%s_%s", conversion->name, what);
  report(key, value);
}

static void measure(const struct conversion *conversion, uint64_t rounds) {
  msdk_video_frame *from = frame_of(conversion->from, conversion->from_width, conversion->from_height);
  msdk_video_frame *ours = frame_of(conversion->to, conversion->to_width, conversion->to_height);
  msdk_video_frame *theirs = frame_of(conversion->to, conversion->to_width, conversion->to_height);
  must(msdk_video_frame_convert_into(from, ours), conversion->name);
  if (conversion->direct(from, theirs) != 0) die("libyuv refused %s", conversion->name);
  say(conversion, "difference", difference(ours, theirs));
  for (uint64_t round = 0; round < rounds; round++) {
    int64_t since = now_ns();
    for (int i = 0; i < TURNS; i++) must(msdk_video_frame_convert_into(from, ours), conversion->name);
    say(conversion, "ours", (double)(now_ns() - since) / 1e3 / TURNS);
    since = now_ns();
    for (int i = 0; i < TURNS; i++) conversion->direct(from, theirs);
    say(conversion, "libyuv", (double)(now_ns() - since) / 1e3 / TURNS);
  }
  msdk_video_frame_unref(from);
  msdk_video_frame_unref(ours);
  msdk_video_frame_unref(theirs);
}

int main(int argc, char **argv) {
  if (argc != 2) die("usage: convert_msdk ROUNDS");
  uint64_t rounds = count_from(argv[1]);
  for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) measure(&conversions[i], rounds);
  return 0;
}
