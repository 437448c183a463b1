#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdlib.h>
#include <string.h>

enum { VIDEO_BITRATE_MIN = 10000, VIDEO_BITRATE_MAX = 100000000, AUDIO_BITRATE_MIN = 6000, AUDIO_BITRATE_MAX = 510000 };
enum { AUDIO_BITRATE = 96000 };

static const char *const choices[] = {"auto", "video", "audio", "both", NULL};

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_REQUIRED,
   .name = "path",
   .summary = "the file to write: .webm, or .opus or .ogg for sound alone; one that exists is replaced when the recording begins",
   .def = {.type = MSDK_T_STRING, .u.str = ""}},
  {.struct_size = sizeof(msdk_param),
   .name = "tracks",
   .summary = "both: begins when pictures and sound have come; auto: waits 2 s for a side that is attached; video, audio: that alone",
   .def = {.type = MSDK_T_STRING, .u.str = "auto"},
   .choices = choices},
  {.struct_size = sizeof(msdk_param),
   .name = "video_bitrate",
   .summary = "bits a second for pictures that come raw; 0: by their size; VP8 that comes encoded stays as it is",
   .def = {.type = MSDK_T_U32, .u.u32 = 0},
   .min = 0,
   .max = VIDEO_BITRATE_MAX},
  {.struct_size = sizeof(msdk_param),
   .name = "audio_bitrate",
   .summary = "bits a second for sound that comes raw; Opus that comes encoded stays as it is",
   .def = {.type = MSDK_T_U32, .u.u32 = AUDIO_BITRATE},
   .min = AUDIO_BITRATE_MIN,
   .max = AUDIO_BITRATE_MAX},
  {.struct_size = sizeof(msdk_param),
   .name = "shared",
   .summary = "a new file is made with the rights that the umask leaves, for others to read; without it, for its owner alone (0600)",
   .def = {.type = MSDK_T_BOOL, .u.b = 0}},
};

static msdk_result create(const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, log)) return MSDK_E_ABI;
  if (!MSDK_CAN(host, msdk_host, video_frame_ref) || !MSDK_CAN(host, msdk_host, video_frame_unref)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  const rec_report report = {.host = host, .context = context};
  self->report = report;
  self->tracks = choices[0];
  self->audio_bitrate = AUDIO_BITRATE;
  self->timeline = (rec_timeline){.report = report, .file = {.report = report, .output = {.report = report, .fd = -1}}};
  self->video.encoder.report = report;
  self->sound.encoder.report = report;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  rec_video_renderer.release_render(self);
  rec_audio_renderer.release_render(self);
  free(self->path);
  free(self);
}

static msdk_result set_path(msdk_self *self, const char *text) {
  if (text[0] == 0) return rec_fail(&self->report, MSDK_E_INVALID, "path is empty; the name of a file is needed");
  char *copy = strdup(text);
  if (copy == NULL) return rec_fail(&self->report, MSDK_E_NOMEM, "no memory for the path");
  free(self->path);
  self->path = copy;
  return MSDK_OK;
}

static msdk_result set_tracks(msdk_self *self, const char *text) {
  for (int i = 0; choices[i] != NULL; i++) {
    if (strcmp(choices[i], text) != 0) continue;
    self->tracks = choices[i];
    return MSDK_OK;
  }
  return rec_fail(&self->report, MSDK_E_RANGE, "tracks '%.40s' is not one of auto, video, audio, both", text);
}

static msdk_result set_bitrate(msdk_self *self, bool video, uint32_t value) {
  uint32_t least = video ? VIDEO_BITRATE_MIN : AUDIO_BITRATE_MIN, most = video ? VIDEO_BITRATE_MAX : AUDIO_BITRATE_MAX;
  if (!(video && value == 0) && (value < least || value > most)) {
    return rec_fail(&self->report, MSDK_E_RANGE, "%s %u is not from %u to %u%s", video ? "video_bitrate" : "audio_bitrate", value, least,
                    most, video ? ", nor 0" : "");
  }
  if (video) self->video_bitrate = value;
  else self->audio_bitrate = value;
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  const rec_report *report = &self->report;
  if (name == NULL || value == NULL) return rec_fail(report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  bool path = strcmp(name, "path") == 0, tracks = strcmp(name, "tracks") == 0, video = strcmp(name, "video_bitrate") == 0;
  if (path || tracks) {
    if (value->type != MSDK_T_STRING || value->u.str == NULL) return rec_fail(report, MSDK_E_TYPE, "%s takes a string", name);
    if (self->timeline.file.output.fd >= 0) {
      return rec_fail(report, MSDK_E_STATE, "%s cannot change while '%.300s' is being written", name, self->timeline.file.output.path);
    }
    return path ? set_path(self, value->u.str) : set_tracks(self, value->u.str);
  }
  if (strcmp(name, "shared") == 0) {
    if (value->type != MSDK_T_BOOL) return rec_fail(report, MSDK_E_TYPE, "shared takes a truth value");
    self->shared = value->u.b != 0;
    return MSDK_OK;
  }
  if (!video && strcmp(name, "audio_bitrate") != 0) {
    return rec_fail(report, MSDK_E_NOT_FOUND,
                    "no parameter '%.63s'; there are path, tracks, video_bitrate, audio_bitrate and shared", name);
  }
  if (value->type != MSDK_T_U32) return rec_fail(report, MSDK_E_TYPE, "%s takes a whole number (u32)", name);
  return set_bitrate(self, video, value->u.u32);
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_RENDERER,
  .id = "org.mediasdk.renderer.recorder",
  .name = "Recorder",
  .summary = "writes pictures and sound in sync into a WebM file (VP8, Opus), or sound alone into an Ogg Opus file",
  .params = params,
  .param_count = sizeof params / sizeof params[0],
  .param_stride = sizeof params[0],
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_renderer = &rec_video_renderer,
  .audio_renderer = &rec_audio_renderer,
};

static const msdk_class *const classes[] = {&class, NULL};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .min_host_minor = 1, /* sound */
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes,
};

MSDK_DEFINE_ENTRY(&module)
