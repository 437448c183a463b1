#include "self.h"
#include "../module.h"
#include "../params.h"

enum { VIDEO_BITRATE_MIN = 10000, VIDEO_BITRATE_MAX = 100000000, AUDIO_BITRATE_MIN = 6000, AUDIO_BITRATE_MAX = 510000 };
enum { AUDIO_BITRATE = 96000 };

static const char *const choices[] = {"auto", "video", "audio", "both"};

static const msdk_param params[] = {
  PARAM_STRING("path", MSDK_PARAM_REQUIRED, "",
               "the file to write: .webm, or .opus or .ogg for audio only; an existing file is replaced when the recording begins"),
  PARAM_CHOICE("tracks", 0, "auto", choices,
               "both: begins when video and audio have arrived; auto: waits 2 s for what is attached; video, audio: only that"),
  PARAM_NUMBER(U32, "video_bitrate", 0, 0, 0, VIDEO_BITRATE_MAX,
               "bits a second for video that arrives raw; 0: according to its size; VP8 that arrives encoded is stored unchanged"),
  PARAM_NUMBER(U32, "audio_bitrate", 0, AUDIO_BITRATE, AUDIO_BITRATE_MIN, AUDIO_BITRATE_MAX,
               "bits a second for audio that arrives raw; Opus that arrives encoded is stored unchanged"),
  PARAM_SHARED_FILE,
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

/* Of video's bit rate 0 is accepted, but nothing between it and the least that an encoder takes, which no descriptor can say. */
static msdk_result check_param(const plugin_report *report, const char *name, const msdk_value *value) {
  msdk_result result = param_check(report, params, MSDK_COUNT(params), name, value);
  bool video = (result == MSDK_OK || result == MSDK_E_RANGE) && strcmp(name, "video_bitrate") == 0;
  bool small = video && value->u.u32 > 0 && value->u.u32 < VIDEO_BITRATE_MIN;
  if (!small && !(result == MSDK_E_RANGE && value->type == MSDK_T_U32)) return result;
  return report_fail(report, MSDK_E_RANGE, "%s is %u; accepted: %s%d to %d", name, value->u.u32, video ? "0, or " : "",
                     video ? VIDEO_BITRATE_MIN : AUDIO_BITRATE_MIN, video ? VIDEO_BITRATE_MAX : AUDIO_BITRATE_MAX);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  const plugin_report *report = &self->report;
  const rec_output *output = &self->timeline.file.output;
  msdk_result result = check_param(report, name, value);
  if (result < 0) return result;
  if (value->type == MSDK_T_STRING && output->fd >= 0) {
    return report_fail(report, MSDK_E_STATE, "%s cannot change while '%.300s' is being written", name, output->path);
  }
  if (strcmp(name, "path") == 0) return param_keep_path(report, &self->path, name, value);
  if (strcmp(name, "video_bitrate") == 0) self->video_bitrate = value->u.u32;
  else if (strcmp(name, "audio_bitrate") == 0) self->audio_bitrate = value->u.u32;
  else if (strcmp(name, "tracks") == 0) self->tracks = choices[param_choice_index(choices, value->u.str)];
  else self->shared = value->u.b != 0;
  return MSDK_OK;
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

PLUGIN_MODULE(&class)
