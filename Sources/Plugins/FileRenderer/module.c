#include "self.h"
#include "../module.h"
#include "../params.h"

#define COUNT_MAX 9007199254740992.0 /* 2^53, the last whole number that every double can count to */

static const char *const formats[] = {"auto", "y4m", "ivf", "png"};
static const fr_kind *const kinds[] = {NULL, &fr_y4m, &fr_ivf, &fr_png}; /* one for each of the formats */

static const msdk_param params[] = {
  PARAM_STRING("path", MSDK_PARAM_REQUIRED, "", "the file to write; an existing file is replaced by the first frame"),
  PARAM_CHOICE("format", 0, "auto", formats,
               "y4m: raw frames; ivf: VP8 as received, not rotated; png: one frame; auto: according to the end of path"),
  PARAM_NUMBER(U64, "frame", 0, 1, 1, COUNT_MAX, "the number of the frame, from 1, that a PNG shows; the last frame if fewer arrive"),
  PARAM_NUMBER(U64, "max_frames", 0, 0, 0, COUNT_MAX, "the number of frames that are written, 0 for all; later frames are ignored"),
  PARAM_SHARED_FILE,
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, log)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->frame = 1;
  self->writer = (fr_writer){.output = {.report = self->report, .fd = -1}};
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  fr_output_close(&self->writer.output);
  free(self->writer.buffer);
  free(self->path);
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "path") == 0) return param_keep_path(&self->report, &self->path, name, value);
  if (strcmp(name, "format") == 0) self->kind = kinds[param_choice_index(formats, value->u.str)];
  else if (strcmp(name, "frame") == 0) self->frame = value->u.u64;
  else if (strcmp(name, "max_frames") == 0) self->max_frames = value->u.u64;
  else self->shared = value->u.b != 0;
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER,
  .flags = MSDK_CLASS_UPRIGHT,
  .id = "org.mediasdk.renderer.file",
  .name = "File",
  .summary = "writes a YUV4MPEG2 file, an IVF file with VP8 as received, which refuses rotated frames, or one frame as PNG",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_renderer = &fr_renderer,
};

PLUGIN_MODULE(&class)
