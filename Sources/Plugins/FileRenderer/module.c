#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_MAX 9007199254740992.0 /* 2^53, the last whole number that every double can count to */

static const char *const formats[] = {"auto", "y4m", "ivf", "png"};
static const fr_kind *const kinds[] = {NULL, &fr_y4m, &fr_ivf, &fr_png}; /* one for each of the formats */

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_REQUIRED,
   .name = "path",
   .summary = "the file to write; an existing file is replaced by the first frame",
   .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param),
   .name = "format",
   .summary = "y4m: raw frames; ivf: VP8 as received, not rotated; png: one frame; auto: according to the end of path",
   .def = MSDK_STRING("auto"),
   .choices = formats, .choice_count = MSDK_COUNT(formats)},
  {.struct_size = sizeof(msdk_param),
   .name = "frame",
   .summary = "the number of the frame, from 1, that a PNG shows; the last frame if fewer arrive",
   .def = MSDK_U64(1),
   .min = MSDK_U64(1),
   .max = MSDK_U64(COUNT_MAX)},
  {.struct_size = sizeof(msdk_param),
   .name = "max_frames",
   .summary = "the number of frames that are written, 0 for all; later frames are ignored",
   .def = MSDK_U64(0),
   .min = MSDK_U64(0),
   .max = MSDK_U64(COUNT_MAX)},
  {.struct_size = sizeof(msdk_param),
   .name = "shared",
   .summary = "true: a new file has the permissions that the umask allows, so that others may read it; false: only its owner may (0600)",
   .def = MSDK_BOOL(0)},
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

static msdk_result set_path(msdk_self *self, const char *text) {
  if (text[0] == 0) return report_fail(&self->report, MSDK_E_INVALID, "path is empty; accepted: the name of a file");
  char *copy = strdup(text);
  if (copy == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for the path");
  free(self->path);
  self->path = copy;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const char *text) {
  for (uint32_t i = 0; i < MSDK_COUNT(formats); i++) {
    if (strcmp(formats[i], text) == 0) {
      self->kind = kinds[i];
      return MSDK_OK;
    }
  }
  return report_fail(&self->report, MSDK_E_RANGE, "format '%.40s' is not one of auto, y4m, ivf, png", text);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  const plugin_report *report = &self->report;
  if (name == NULL || value == NULL) return report_fail(report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  bool path = strcmp(name, "path") == 0, format = strcmp(name, "format") == 0, frame = strcmp(name, "frame") == 0;
  if (path || format) {
    if (value->type != MSDK_T_STRING || value->u.str == NULL) return report_fail(report, MSDK_E_TYPE, "%s takes a string", name);
    return path ? set_path(self, value->u.str) : set_format(self, value->u.str);
  }
  if (strcmp(name, "shared") == 0) {
    if (value->type != MSDK_T_BOOL) return report_fail(report, MSDK_E_TYPE, "shared takes a bool");
    self->shared = value->u.b != 0;
    return MSDK_OK;
  }
  if (!frame && strcmp(name, "max_frames") != 0) {
    return report_fail(report, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are path, format, frame, max_frames and shared", name);
  }
  if (value->type != MSDK_T_U64) return report_fail(report, MSDK_E_TYPE, "%s takes a whole number (u64)", name);
  if (frame && value->u.u64 == 0) return report_fail(report, MSDK_E_RANGE, "frame is 0; accepted: 1 or more");
  if (frame) self->frame = value->u.u64;
  else self->max_frames = value->u.u64;
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

static const msdk_class *const classes[] = {&class};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes, .class_count = MSDK_COUNT(classes),
};

MSDK_DEFINE_ENTRY(&module)
