#include "clip.h"

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>

enum { FILE_HEADER = 32, FRAME_HEADER = 12 };

static uint32_t le32(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24; }

static uint8_t *file_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) die("cannot read %s", path);
  long length = ftell(file);
  rewind(file);
  uint8_t *bytes = length > 0 ? malloc((size_t)length) : NULL;
  if (bytes == NULL || fread(bytes, 1, (size_t)length, file) != (size_t)length) die("cannot read %s", path);
  fclose(file);
  *size = (size_t)length;
  return bytes;
}

static uint8_t *put_rows(uint8_t *to, const vpx_image_t *image, int plane, uint32_t width, uint32_t height) {
  for (uint32_t y = 0; y < height; y++, to += width) memcpy(to, image->planes[plane] + (ptrdiff_t)y * image->stride[plane], width);
  return to;
}

static void put_picture(const struct clip *clip, uint8_t *to, const vpx_image_t *image, enum clip_layout layout) {
  uint32_t half_width = clip->width / 2, half_height = clip->height / 2;
  to = put_rows(to, image, VPX_PLANE_Y, clip->width, clip->height);
  if (layout == CLIP_I420) {
    to = put_rows(to, image, VPX_PLANE_U, half_width, half_height);
    put_rows(to, image, VPX_PLANE_V, half_width, half_height);
    return;
  }
  for (uint32_t y = 0; y < half_height; y++) {
    const uint8_t *u = image->planes[VPX_PLANE_U] + (ptrdiff_t)y * image->stride[VPX_PLANE_U];
    const uint8_t *v = image->planes[VPX_PLANE_V] + (ptrdiff_t)y * image->stride[VPX_PLANE_V];
    for (uint32_t x = 0; x < half_width; x++) {
      *to++ = u[x];
      *to++ = v[x];
    }
  }
}

void clip_open(struct clip *clip, const char *path, enum clip_layout layout) {
  size_t size;
  uint8_t *file = file_read(path, &size);
  if (size < FILE_HEADER || memcmp(file, "DKIF", 4) != 0) die("%s is not an IVF file", path);
  memset(clip, 0, sizeof *clip);
  clip->width = file[12] | (uint32_t)file[13] << 8;
  clip->height = file[14] | (uint32_t)file[15] << 8;
  if (clip->width % 2 != 0 || clip->height % 2 != 0) die("%s has an odd size", path);
  uint32_t stated = le32(file + 24);
  clip->frame_size = (size_t)clip->width * clip->height * 3 / 2;
  clip->pictures = calloc(stated, clip->frame_size);
  if (clip->pictures == NULL) die("no memory for %u pictures", stated);
  vpx_codec_ctx_t decoder;
  if (vpx_codec_dec_init(&decoder, vpx_codec_vp8_dx(), NULL, 0) != VPX_CODEC_OK) die("no VP8 decoder");
  for (size_t at = FILE_HEADER; at + FRAME_HEADER <= size && clip->count < stated;) {
    uint32_t bytes = le32(file + at);
    at += FRAME_HEADER;
    if (bytes > size - at || vpx_codec_decode(&decoder, file + at, bytes, NULL, 0) != VPX_CODEC_OK) die("%s is damaged", path);
    vpx_codec_iter_t iterator = NULL;
    const vpx_image_t *image = vpx_codec_get_frame(&decoder, &iterator);
    if (image != NULL) put_picture(clip, clip->pictures + clip->count++ * clip->frame_size, image, layout);
    at += bytes;
  }
  vpx_codec_destroy(&decoder);
  free(file);
  if (clip->count == 0) die("%s has no pictures", path);
}

/* In place: what is kept lies behind where it goes to. */
static uint8_t *cut_plane(uint8_t *to, const uint8_t *plane, uint32_t stride, uint32_t left, uint32_t top, uint32_t width, uint32_t height) {
  for (uint32_t y = 0; y < height; y++, to += width) memmove(to, plane + (size_t)(top + y) * stride + left, width);
  return to;
}

void clip_cut(struct clip *clip, uint32_t width, uint32_t height, enum clip_layout layout) {
  if (width > clip->width || height > clip->height || width % 2 != 0 || height % 2 != 0) die("%ux%u cannot be cut out", width, height);
  uint32_t left = (clip->width - width) / 4 * 2, top = (clip->height - height) / 4 * 2;
  uint8_t *to = clip->pictures;
  for (uint32_t i = 0; i < clip->count; i++) {
    const uint8_t *luma = clip->pictures + i * clip->frame_size, *chroma = luma + (size_t)clip->width * clip->height;
    to = cut_plane(to, luma, clip->width, left, top, width, height);
    if (layout == CLIP_NV12) {
      to = cut_plane(to, chroma, clip->width, left, top / 2, width, height / 2);
      continue;
    }
    to = cut_plane(to, chroma, clip->width / 2, left / 2, top / 2, width / 2, height / 2);
    to = cut_plane(to, chroma + (size_t)clip->width * clip->height / 4, clip->width / 2, left / 2, top / 2, width / 2, height / 2);
  }
  clip->width = width;
  clip->height = height;
  clip->frame_size = (size_t)width * height * 3 / 2;
}

uint8_t *clip_picture(const struct clip *clip, uint64_t i) { return clip->pictures + i % clip->count * clip->frame_size; }

void clip_close(struct clip *clip) { free(clip->pictures); }
