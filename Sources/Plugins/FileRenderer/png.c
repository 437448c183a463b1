/* PNG: one picture out of the stream, the `frame` asked for, or the last if the stream is shorter. The file is made in memory and written
 * in one go, so that it is never half a picture, and an older one is not lost to a stream that never came. */
#include "writer.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bytes_per_pixel(uint32_t pixel_format) {
  switch (pixel_format) {
  case MSDK_PIXEL_RGB24: return 3;
  case MSDK_PIXEL_RGBA: return 4;
  case MSDK_PIXEL_GRAY8: return 1;
  default: return 0;
  }
}

static bool png_accepts(const fr_writer *writer, const msdk_video_format *format) {
  (void)writer;
  return bytes_per_pixel(format->pixel_format) != 0;
}

/* Without padding into the buffer; grey of limited range is spread to 0..255, the only one that PNG has. */
static msdk_result keep(fr_writer *writer, const msdk_video_frame *frame) {
  const msdk_video_format *format = frame->format;
  uint64_t row_bytes = (uint64_t)format->width * bytes_per_pixel(format->pixel_format), size = row_bytes * format->height;
  writer->kept = false;
  msdk_result result = fr_reserve(writer, size);
  if (result < 0) return result;
  for (uint32_t row = 0; row < format->height; row++) {
    memcpy(writer->buffer + row * row_bytes, frame->plane[0].data + (ptrdiff_t)row * frame->plane[0].stride, (size_t)row_bytes);
  }
  if (format->pixel_format == MSDK_PIXEL_GRAY8 && format->color_full_range != 1) {
    for (uint64_t i = 0; i < size; i++) {
      int luma = writer->buffer[i];
      writer->buffer[i] = (uint8_t)(luma <= 16 ? 0 : luma >= 235 ? 255 : ((luma - 16) * 255 + 109) / 219);
    }
  }
  writer->format = *format;
  writer->kept = true;
  return MSDK_OK;
}

static msdk_result write_kept(fr_writer *writer) {
  const plugin_report *report = &writer->output.report;
  uint32_t pixel_format = writer->format.pixel_format;
  png_image image = {.version = PNG_IMAGE_VERSION, .width = writer->format.width, .height = writer->format.height};
  image.format = pixel_format == MSDK_PIXEL_RGBA ? PNG_FORMAT_RGBA : pixel_format == MSDK_PIXEL_RGB24 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  image.flags = PNG_IMAGE_FLAG_FAST; /* a renderer returns fast */
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  uint8_t *file = malloc(size);
  if (file == NULL) return report_fail(report, MSDK_E_NOMEM, "no memory for a PNG of %ux%u", image.width, image.height);
  png_int_32 stride = (png_int_32)(writer->format.width * bytes_per_pixel(pixel_format));
  msdk_result result;
  if (!png_image_write_to_memory(&image, file, &size, 0, writer->buffer, stride, NULL)) {
    result = report_fail(report, MSDK_E_FAIL, "making the PNG: %.100s", image.message);
  } else {
    result = fr_output_append(&writer->output, file, size);
  }
  png_image_free(&image);
  free(file);
  writer->kept = false;
  writer->written = result == MSDK_OK;
  return result;
}

static msdk_result png_picture(fr_writer *writer, const msdk_video_frame *frame) {
  if (writer->written) return MSDK_OK;
  if (writer->output.error != 0) return fr_output_append(&writer->output, NULL, 0); /* fails as it did */
  msdk_result result = keep(writer, frame);
  if (result < 0 || writer->frames + 1 < writer->wanted) return result;
  return write_kept(writer);
}

static msdk_result png_finish(fr_writer *writer) { return writer->kept ? write_kept(writer) : MSDK_OK; }

const fr_kind fr_png = {.name = "png", .accepts = png_accepts, .picture = png_picture, .finish = png_finish};
