#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../module.h"
#include "../params.h"

enum { LEVEL_DEFAULT = 128, LEVEL_MAX = 255 };

static const char *const modes[] = {"gray", "threshold"}; /* in the order of BW_* */

static const msdk_param params[] = {
  PARAM_CHOICE("mode", MSDK_PARAM_LIVE, "gray", modes, "gray: all shades of grey; threshold: only black and white"),
  PARAM_NUMBER(U32, "level", MSDK_PARAM_LIVE, LEVEL_DEFAULT, 0, LEVEL_MAX, "in mode threshold, the darkest grey that becomes white"),
};

static bool host_suffices(const msdk_host *host) {
  return MSDK_CAN(host, msdk_host, log) && MSDK_CAN(host, msdk_host, set_error) && MSDK_CAN(host, msdk_host, post_event) &&
         MSDK_CAN(host, msdk_host, video_frame_acquire) && MSDK_CAN(host, msdk_host, consume_video_frame) &&
         MSDK_CAN(host, msdk_host, now_ns) && MSDK_CAN(host, msdk_host, video_frame_make_writable) &&
         MSDK_CAN(host, msdk_host, video_frame_unref);
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!host_suffices(host)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->mode = BW_GRAY;
  self->level = LEVEL_DEFAULT;
  if (pthread_mutex_init(&self->lock, NULL) != 0) {
    free(self);
    return MSDK_E_NOMEM;
  }
  if (pthread_cond_init(&self->delivered, NULL) != 0) {
    pthread_mutex_destroy(&self->lock);
    free(self);
    return MSDK_E_NOMEM;
  }
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  pthread_cond_destroy(&self->delivered);
  pthread_mutex_destroy(&self->lock);
  free(self->picture.data);
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "mode") == 0) self->mode = (int)param_choice_index(modes, value->u.str);
  else self->level = value->u.u32;
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.mediasdk.renderer.bw",
  .name = "Black and white",
  .summary = "converts frames to black and white, and passes them on",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_producer = &bw_producer,
  .video_renderer = &bw_renderer,
};

/* A class of its own, as what it does in a stream has nothing to do with what it passes on beside one. */
static const msdk_class filter = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_FILTER,
  .id = "org.mediasdk.filter.bw",
  .name = "Black and white",
  .summary = "converts frames to black and white",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .video_filter = &bw_filter,
};

PLUGIN_MODULE(&class, &filter)
