/* @NAME@.c - a renderer: it writes the last frame that it rendered into a PGM file, which every image viewer opens.
 *
 * The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them. */
#include <mediasdk/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct msdk_self {
  const msdk_host *host;      /* what the host does for us */
  msdk_host_context *context; /* the first argument of its functions */
  char path[1024];            /* the parameter */
  uint8_t *image;             /* a copy of the last one, without padding */
  uint32_t width, height;
};

#include "parts/instance.c"
/* The text is the host's: it is copied. */
static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "path") != 0) return fail(self, MSDK_E_NOT_FOUND, "accepted: path");
  if (strlen(value->u.str) >= sizeof self->path) return fail(self, MSDK_E_RANGE, "path has at most 1023 bytes");
  strcpy(self->path, value->u.str);
  return MSDK_OK;
}

static msdk_result init_render(msdk_self *self) {
  if (self->path[0] == 0) strcpy(self->path, "@NAME@.pgm");
  return MSDK_OK;
}

/* What was written is complete when this returns. */
static msdk_result release_render(msdk_self *self) {
  if (self->image == NULL) return MSDK_OK;
  FILE *file = fopen(self->path, "we");
  int is_good = file != NULL && fprintf(file, "P5\n%u %u\n255\n", self->width, self->height) > 0 &&
                fwrite(self->image, self->width, self->height, file) == self->height;
  if (file != NULL && fclose(file) != 0) is_good = 0;
  free(self->image);
  self->image = NULL;
  self->width = self->height = 0;
  return is_good ? MSDK_OK : fail(self, MSDK_E_IO, "the image could not be written to path");
}

/* The host converts to what we accept. */
static int32_t accepts_format(msdk_self *self, const msdk_video_format *format) {
  (void)self;
  return format->pixel_format == MSDK_PIXEL_GRAY8;
}

/* P3: the frame is read-only, and its rows are `stride` bytes apart. P4: it is borrowed, so what we keep is a copy. */
static msdk_result render_video_frame(msdk_self *self, const msdk_video_frame *frame) {
  uint32_t width = frame->format->width, height = frame->format->height;
  if (width != self->width || height != self->height) {
    uint8_t *image = (uint8_t *)realloc(self->image, (size_t)width * height);
    if (image == NULL) return fail(self, MSDK_E_NOMEM, "no memory for an image");
    self->image = image;
    self->width = width;
    self->height = height;
  }
  for (uint32_t y = 0; y < height; y++) {
    memcpy(self->image + (size_t)y * width, frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride, width);
  }
  return MSDK_OK;
}

static const msdk_param params[] = {{
  .struct_size = sizeof(msdk_param),
  .name = "path",
  .summary = "where the image is written",
  .def = MSDK_STRING("@NAME@.pgm"),
}};

static const msdk_video_renderer renderer = {
  .struct_size = sizeof(msdk_video_renderer),
  .init_render = init_render,
  .release_render = release_render,
  .accepts_format = accepts_format,
  .render_video_frame = render_video_frame,
};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER,
  .id = "@ID@",
  .name = "@NAME@",
  .summary = "the last frame as a PGM file",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_renderer = &renderer,
};

#include "parts/module.c"
