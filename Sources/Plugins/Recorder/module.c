#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdlib.h>
#include <string.h>

enum { VIDEO_BITRATE_MIN = 10000, VIDEO_BITRATE_MAX = 100000000, AUDIO_BITRATE_MIN = 6000, AUDIO_BITRATE_MAX = 510000 };
enum { AUDIO_BITRATE = 96000 };

static const char *const choices[] = {"auto", "video", "audio", "both"};

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_REQUIRED,
   .name = "path",
   .summary = "the file to write: .webm, or .opus or .ogg for audio only; an existing file is replaced when the recording begins",
   .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param),
   .name = "tracks",
   .summary = "both: begins when video and audio have arrived; auto: waits 2 s for what is attached; video, audio: only that",
   .def = MSDK_STRING("auto"),
   .choices = choices, .choice_count = MSDK_COUNT(choices)},
  {.struct_size = sizeof(msdk_param),
   .name = "video_bitrate",
   .summary = "bits a second for video that arrives raw; 0: according to its size; VP8 that arrives encoded is stored unchanged",
   .def = MSDK_U32(0),
   .min = MSDK_U32(0),
   .max = MSDK_U32(VIDEO_BITRATE_MAX)},
  {.struct_size = sizeof(msdk_param),
   .name = "audio_bitrate",
   .summary = "bits a second for audio that arrives raw; Opus that arrives encoded is stored unchanged",
   .def = MSDK_U32(AUDIO_BITRATE),
   .min = MSDK_U32(AUDIO_BITRATE_MIN),
   .max = MSDK_U32(AUDIO_BITRATE_MAX)},
  {.struct_size = sizeof(msdk_param),
   .name = "shared",
   .summary = "true: a new file has the permissions that the umask allows, so that others may read it; false: only its owner may (0600)",
   .def = MSDK_BOOL(0)},
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, log)) return MSDK_E_ABI;
  if (!MSDK_CAN(host, msdk_host, video_frame_ref) || !MSDK_CAN(host, msdk_host, video_frame_unref)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  const plugin_report report = {.host = host, .context = context};
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
  if (text[0] == 0) return report_fail(&self->report, MSDK_E_INVALID, "path is empty; accepted: the name of a file");
  char *copy = strdup(text);
  if (copy == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for the path");
  free(self->path);
  self->path = copy;
  return MSDK_OK;
}

static msdk_result set_tracks(msdk_self *self, const char *text) {
  for (uint32_t i = 0; i < MSDK_COUNT(choices); i++) {
    if (strcmp(choices[i], text) != 0) continue;
    self->tracks = choices[i];
    return MSDK_OK;
  }
  return report_fail(&self->report, MSDK_E_RANGE, "tracks '%.40s' is not one of auto, video, audio, both", text);
}

static msdk_result set_bitrate(msdk_self *self, bool video, uint32_t value) {
  uint32_t least = video ? VIDEO_BITRATE_MIN : AUDIO_BITRATE_MIN, most = video ? VIDEO_BITRATE_MAX : AUDIO_BITRATE_MAX;
  if (!(video && value == 0) && (value < least || value > most)) {
    return report_fail(&self->report, MSDK_E_RANGE, "%s %u is not from %u to %u%s", video ? "video_bitrate" : "audio_bitrate", value, least,
                    most, video ? ", nor 0" : "");
  }
  if (video) self->video_bitrate = value;
  else self->audio_bitrate = value;
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  const plugin_report *report = &self->report;
  if (name == NULL || value == NULL) return report_fail(report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  bool path = strcmp(name, "path") == 0, tracks = strcmp(name, "tracks") == 0, video = strcmp(name, "video_bitrate") == 0;
  if (path || tracks) {
    if (value->type != MSDK_T_STRING || value->u.str == NULL) return report_fail(report, MSDK_E_TYPE, "%s takes a string", name);
    if (self->timeline.file.output.fd >= 0) {
      return report_fail(report, MSDK_E_STATE, "%s cannot change while '%.300s' is being written", name, self->timeline.file.output.path);
    }
    return path ? set_path(self, value->u.str) : set_tracks(self, value->u.str);
  }
  if (strcmp(name, "shared") == 0) {
    if (value->type != MSDK_T_BOOL) return report_fail(report, MSDK_E_TYPE, "shared takes a bool");
    self->shared = value->u.b != 0;
    return MSDK_OK;
  }
  if (!video && strcmp(name, "audio_bitrate") != 0) {
    return report_fail(report, MSDK_E_NOT_FOUND,
                    "no parameter '%.63s'; there are path, tracks, video_bitrate, audio_bitrate and shared", name);
  }
  if (value->type != MSDK_T_U32) return report_fail(report, MSDK_E_TYPE, "%s takes a whole number (u32)", name);
  return set_bitrate(self, video, value->u.u32);
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_RENDERER,
  .flags = MSDK_CLASS_UPRIGHT,
  .id = "org.mediasdk.renderer.recorder",
  .name = "Recorder",
  .summary = "records video and audio in sync into a WebM file (VP8, Opus), or only audio into an Ogg Opus file",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_renderer = &rec_video_renderer,
  .audio_renderer = &rec_audio_renderer,
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
