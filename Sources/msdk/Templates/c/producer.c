/* @NAME@.c - a producer: it makes a gradient that moves.
 *
 * The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them. */
#include <mediasdk/plugin.h>

#include <stdlib.h>
#include <string.h>

/* One instance. The host sees a pointer to it and nothing more. */
struct msdk_self {
  const msdk_host *host;      /* what the host does for us */
  msdk_host_context *context; /* the first argument of its functions */
  msdk_video_format format;   /* the one agreed on */
  uint32_t speed;             /* the parameter */
  uint32_t offset;
};

static msdk_result fail(msdk_self *self, msdk_result result, const char *text) {
  self->host->set_error(self->context, result, text);
  return result;
}

/* P1: opens nothing, starts nothing. That is for init_capture and start_capture. */
static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = (msdk_self *)calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->speed = 2;
  self->format = MSDK_INIT(msdk_video_format);
  self->format.pixel_format = MSDK_PIXEL_NV12; /* a plane of Y, and one of U and V for four pixels: what encoders take */
  self->format.width = 640;
  self->format.height = 360;
  self->format.fps_num = 30;
  self->format.fps_den = 1;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

/* Type and bounds were checked by the host. */
static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "speed") != 0) return fail(self, MSDK_E_NOT_FOUND, "accepted: speed");
  self->speed = value->u.u32;
  return MSDK_OK;
}

static msdk_result nothing_to_do(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return MSDK_OK;
}

/* The preferred format: programs choose from this list, which ends with MSDK_E_NOT_FOUND. */
static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  if (index > 0) return MSDK_E_NOT_FOUND;
  *out = self->format;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  if (format->pixel_format != MSDK_PIXEL_NV12) return fail(self, MSDK_E_FORMAT, "accepted: NV12 of any size");
  memcpy(&self->format, format, sizeof self->format); /* P6: a later host's struct is longer; the members we know come first */
  self->format.struct_size = sizeof self->format;
  return MSDK_OK;
}

/* P7: the host calls when a frame is due, and we never wait for that ourselves. */
static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  msdk_video_frame *frame = NULL;
  msdk_result result = self->host->video_frame_acquire(self->context, &self->format, 0, &frame);
  if (result < 0) return result; /* P4: MSDK_E_AGAIN when all are in use; this frame is dropped */
  for (uint32_t y = 0; y < self->format.height; y++) {
    uint8_t *row = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride; /* P3: never y * width */
    for (uint32_t x = 0; x < self->format.width; x++) row[x] = (uint8_t)(16 + (x + y + self->offset) % 220);
  }
  for (uint32_t y = 0; y < (self->format.height + 1) / 2; y++) { /* odd sizes are fine */
    uint8_t *row = frame->plane[1].data + (ptrdiff_t)y * frame->plane[1].stride;
    for (uint32_t x = 0; x < (self->format.width + 1) / 2; x++) {
      row[2 * x] = (uint8_t)(16 + x % 225);     /* U */
      row[2 * x + 1] = (uint8_t)(16 + y % 225); /* V */
    }
  }
  self->offset += self->speed;
  frame->timestamp_ns = due_ns;
  *out = frame; /* our reference is the host's now */
  return MSDK_OK;
}

static const msdk_param params[] = {{
  .struct_size = sizeof(msdk_param),
  .flags = MSDK_PARAM_LIVE,
  .name = "speed",
  .summary = "pixels that the gradient moves with every frame",
  .def = MSDK_U32(2),
  .min = MSDK_U32(0),
  .max = MSDK_U32(64),
}};

static const msdk_video_producer producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL,
  .init_capture = nothing_to_do,
  .release_capture = nothing_to_do,
  .start_capture = nothing_to_do,
  .stop_capture = nothing_to_do,
  .capture_settings = capture_settings,
  .enum_formats = enum_formats,
  .set_format = set_format,
  .produce_frame = produce_frame,
};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "@ID@",
  .name = "@NAME@",
  .summary = "a gradient that moves",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_producer = &producer,
};

#include "parts/module.c"
