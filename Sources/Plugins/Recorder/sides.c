/* The two sides come and go on their own; the file lives from the first to the last. */
#include "self.h"

#include <string.h>
#include <strings.h>

/* NULL when the path's ending tells nothing. */
static const char *container_of(const char *path) {
  static const char *const endings[][2] = {{"webm", "webm"}, {"opus", "opus"}, {"ogg", "opus"}};
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
  for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof endings[0]; i++) {
    if (strcasecmp(dot + 1, endings[i][0]) == 0) return endings[i][1];
  }
  return NULL;
}

static msdk_result check(msdk_self *self, int track, const char *container) {
  const plugin_report *report = &self->report;
  const char *only = strcmp(self->tracks, "video") == 0 ? "video" : strcmp(self->tracks, "audio") == 0 ? "audio" : NULL;
  if (container == NULL) {
    return report_fail(report, MSDK_E_INVALID, "'%.300s' does not end in an accepted file name extension: .webm, .opus, .ogg", self->path);
  }
  bool sound_only = strcmp(container, "opus") == 0;
  if (sound_only && (track == REC_VIDEO || strcmp(self->tracks, "both") == 0 || strcmp(self->tracks, "video") == 0)) {
    return report_fail(report, MSDK_E_INVALID, "'%.300s' is a file of audio only; accepted for video: .webm", self->path);
  }
  if (only != NULL && strcmp(only, track == REC_VIDEO ? "video" : "audio") != 0) {
    return report_fail(report, MSDK_E_UNSUPPORTED, "the parameter 'tracks' is '%s', so %s not recorded", only,
                    track == REC_VIDEO ? "video is" : "audio is");
  }
  return MSDK_OK;
}

msdk_result rec_attach(msdk_self *self, int track) {
  rec_timeline *timeline = &self->timeline;
  if (timeline->tracks[track].attached) return MSDK_OK;
  if (self->path == NULL) return report_fail(&self->report, MSDK_E_INVALID, "the parameter 'path' is not set");
  const char *container = container_of(self->path);
  msdk_result result = check(self, track, container);
  if (result < 0) return result;
  if (timeline->file.output.fd < 0) {
    result = rec_output_open(&timeline->file.output, self->path, self->shared);
    if (result < 0) return result;
    timeline->container = container;
    timeline->needs_both = strcmp(self->tracks, "both") == 0;
  }
  timeline->tracks[track].attached = true;
  return MSDK_OK;
}

msdk_result rec_detach(msdk_self *self, int track) {
  rec_timeline *timeline = &self->timeline;
  timeline->tracks[track].attached = false;
  if (timeline->tracks[REC_VIDEO].attached || timeline->tracks[REC_AUDIO].attached) return MSDK_OK;
  msdk_result result = rec_timeline_finish(timeline);
  rec_samples_free(&self->sound.samples);
  self->sound = (rec_sound){.encoder = {.report = self->report}};
  return result;
}
