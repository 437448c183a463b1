/* Formats and frames that a host hands over: what is checked of them in one plugin as in the other. Of a list of pixel formats that a class
 * accepts the last one is 0. */
#ifndef PLUGIN_FORMATS_H
#define PLUGIN_FORMATS_H

#include "report.h"

#include <stdbool.h>

/* For error texts. */
static inline const char *msdk_pixel_name(uint32_t pixel_format) {
  switch (pixel_format) {
  case MSDK_PIXEL_I420: return "I420";
  case MSDK_PIXEL_NV12: return "NV12";
  case MSDK_PIXEL_BGRA: return "BGRA";
  case MSDK_PIXEL_RGBA: return "RGBA";
  case MSDK_PIXEL_ARGB: return "ARGB";
  case MSDK_PIXEL_ABGR: return "ABGR";
  case MSDK_PIXEL_BGR24: return "BGR24";
  case MSDK_PIXEL_RGB24: return "RGB24";
  case MSDK_PIXEL_GRAY8: return "GRAY8";
  default: return "of a number without a name";
  }
}

static inline uint32_t format_planes(uint32_t pixel_format) {
  return pixel_format == MSDK_PIXEL_I420 ? 3 : pixel_format == MSDK_PIXEL_NV12 ? 2 : 1;
}

/* A host's struct may be shorter than the one that the plugin knows, or longer (rule P6): as much as both know; the rest is 0. */
static inline msdk_video_format format_known(const msdk_video_format *format) {
  msdk_video_format known = {0};
  memcpy(&known, format, format->struct_size < sizeof known ? format->struct_size : sizeof known);
  known.struct_size = (uint32_t)sizeof known;
  return known;
}

static inline msdk_audio_format audio_format_known(const msdk_audio_format *format) {
  msdk_audio_format known = {0};
  memcpy(&known, format, format->struct_size < sizeof known ? format->struct_size : sizeof known);
  known.struct_size = (uint32_t)sizeof known;
  return known;
}

static inline bool format_is_accepted(const uint32_t *accepted, uint32_t pixel_format) {
  while (*accepted != 0 && *accepted != pixel_format) accepted++;
  return *accepted != 0;
}

static inline msdk_result format_check_pixels(const plugin_report *report, const uint32_t *accepted, uint32_t pixel_format) {
  char names[REPORT_BYTES / 2] = "";
  if (format_is_accepted(accepted, pixel_format)) return MSDK_OK;
  for (; *accepted != 0; accepted++) report_list(names, sizeof names, msdk_pixel_name(*accepted));
  return report_fail(report, MSDK_E_FORMAT, "pixel format %s is not supported; accepted: %s", msdk_pixel_name(pixel_format), names);
}

static inline msdk_result format_check_size(const plugin_report *report, const msdk_video_format *format, uint32_t least, uint32_t most) {
  bool fits = format->width >= least && format->width <= most && format->height >= least && format->height <= most;
  if (fits) return MSDK_OK;
  return report_fail(report, MSDK_E_FORMAT, "the size %ux%u is outside %u..%u per side", format->width, format->height, least, most);
}

/* A frame of one of these formats, with its planes. */
static inline msdk_result frame_check(const plugin_report *report, const uint32_t *accepted, const msdk_video_frame *frame) {
  if (frame == NULL || frame->format == NULL || frame->plane_count < 1 || frame->plane[0].data == NULL) {
    return report_fail(report, MSDK_E_INVALID, "the frame has no planes or no format");
  }
  const msdk_video_format *format = frame->format;
  msdk_result result = format_check_pixels(report, accepted, format->pixel_format);
  if (result == MSDK_OK) result = format_check_size(report, format, 1, MSDK_DIMENSION_MAX);
  if (result < 0 || frame->plane_count >= format_planes(format->pixel_format)) return result;
  return report_fail(report, MSDK_E_INVALID, "the frame has %u planes; its format has %u", frame->plane_count,
                     format_planes(format->pixel_format));
}

/* set_format of a filter that changes no format: `out` begins as `in` is. */
static inline msdk_result filter_check_formats(const plugin_report *report, const uint32_t *accepted, const msdk_video_format *in,
                                               const msdk_video_format *out) {
  if (in == NULL || out == NULL) return report_fail(report, MSDK_E_INVALID, "set_format needs two formats, not NULL");
  return format_check_pixels(report, accepted, in->pixel_format);
}

/* The filter's frame in place of `in`, which is given back when there is none. */
static inline msdk_result filter_make_writable(const plugin_report *report, msdk_video_frame *in, msdk_video_frame **out) {
  msdk_result result = report->host->video_frame_make_writable(report->context, in, out);
  if (result < 0) report->host->video_frame_unref(in);
  return result;
}

/* set_format of a class that makes or plays interleaved s16 and f32 of any rate, mono or stereo. */
static inline msdk_result audio_format_check(const plugin_report *report, const msdk_audio_format *asked, msdk_audio_format *out) {
  enum { RATE_MIN = 8000, RATE_MAX = 192000, SAMPLES_MAX = 192000 };
  if (asked == NULL) return report_fail(report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  msdk_audio_format format = audio_format_known(asked);
  if (format.sample_format != MSDK_SAMPLE_S16 && format.sample_format != MSDK_SAMPLE_F32) {
    return report_fail(report, MSDK_E_FORMAT, "sample format %u is not supported; accepted: s16 (1), f32 (2)", format.sample_format);
  }
  if (format.sample_rate < RATE_MIN || format.sample_rate > RATE_MAX) {
    return report_fail(report, MSDK_E_FORMAT, "the sample rate %u is outside %d..%d Hz", format.sample_rate, RATE_MIN, RATE_MAX);
  }
  if (format.channels < 1 || format.channels > 2) {
    return report_fail(report, MSDK_E_FORMAT, "%u channels are not supported; accepted: 1, 2", format.channels);
  }
  if (format.planar != 0) return report_fail(report, MSDK_E_FORMAT, "planar audio is not supported; accepted: interleaved");
  if (format.frames_per_buffer > SAMPLES_MAX) {
    return report_fail(report, MSDK_E_FORMAT, "%u samples in a buffer; accepted: at most %d", format.frames_per_buffer, SAMPLES_MAX);
  }
  *out = format;
  return MSDK_OK;
}

#endif
