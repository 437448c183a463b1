/* @NAME@.c - a filter: it inverts frames.
 *
 * The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them. */
#include <mediasdk/plugin.h>

#include <stdlib.h>
#include <string.h>

struct msdk_self {
  const msdk_host *host;      /* what the host does for us */
  msdk_host_context *context; /* the first argument of its functions */
  msdk_video_format format;   /* the one agreed on */
};

#include "parts/instance.c"
static msdk_result nothing_to_do(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

/* The host converts what is refused here, NV12 first. *out holds `in`: neither size nor pixel format changes. */
static msdk_result set_format(msdk_self *self, const msdk_video_format *in, msdk_video_format *out) {
  (void)out;
  if (in->pixel_format != MSDK_PIXEL_NV12) return fail(self, MSDK_E_FORMAT, "accepted: NV12");
  memcpy(&self->format, in, sizeof self->format); /* P6: a later host's struct is longer; the members we know come first */
  return MSDK_OK;
}

/* P3: others may hold this frame. make_writable returns it if only we hold it, else a copy, and takes our reference unless it fails. */
static msdk_result filter_video_frame(msdk_self *self, msdk_video_frame *in, msdk_video_frame **out) {
  msdk_video_frame *frame = NULL;
  msdk_result result = self->host->video_frame_make_writable(self->context, in, &frame);
  if (result < 0) { /* P4: MSDK_E_AGAIN when there is no memory for the copy; this frame is dropped */
    self->host->video_frame_unref(in);
    return result;
  }
  for (uint32_t y = 0; y < self->format.height; y++) {
    uint8_t *row = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < self->format.width; x++) row[x] = (uint8_t)(255 - row[x]);
  }
  *out = frame;
  return MSDK_OK;
}

static const msdk_video_filter filter = {
  .struct_size = sizeof(msdk_video_filter),
  .init_filter = nothing_to_do,
  .release_filter = nothing_to_do,
  .set_format = set_format,
  .filter_video_frame = filter_video_frame,
};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_FILTER,
  .id = "@ID@",
  .name = "@NAME@",
  .summary = "the negative",
  .create = create,
  .destroy = destroy,
  .video_filter = &filter,
};

#include "parts/module.c"
