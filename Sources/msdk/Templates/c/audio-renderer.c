/* @NAME@.c - an audio renderer: it reports the loudest sample.
 *
 * The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them. */
#include <mediasdk/plugin.h>

#include <stdlib.h>
#include <string.h>

struct msdk_self {
  const msdk_host *host;      /* what the host does for us */
  msdk_host_context *context; /* the first argument of its functions */
  uint32_t peak;              /* 0..32768 */
};

#include "parts/instance.c"
static msdk_result init_render(msdk_self *self) {
  self->peak = 0;
  return MSDK_OK;
}

static msdk_result release_render(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

/* The host converts to this: *out holds the format that arrives, and we accept the members that we leave unchanged. */
static msdk_result render_settings(msdk_self *self, msdk_audio_format *out) {
  (void)self;
  out->sample_format = MSDK_SAMPLE_S16;
  return MSDK_OK;
}

static msdk_result render_audio_frame(msdk_self *self, const msdk_audio_frame *frame) {
  for (uint64_t i = 0; i < (uint64_t)frame->sample_count * frame->format->channels; i++) {
    int16_t sample;
    memcpy(&sample, frame->planes[0] + i * sizeof sample, sizeof sample);
    uint32_t loudness = (uint32_t)(sample < 0 ? -(int32_t)sample : sample);
    if (loudness > self->peak) self->peak = loudness;
  }
  return MSDK_OK;
}

/* A read-only parameter. */
static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  if (strcmp(name, "peak") != 0) return fail(self, MSDK_E_NOT_FOUND, "accepted: peak");
  out->type = MSDK_T_F64;
  out->u.f64 = self->peak / 32768.0;
  return MSDK_OK;
}

static const msdk_param params[] = {{
  .struct_size = sizeof(msdk_param),
  .flags = MSDK_PARAM_READONLY,
  .name = "peak",
  .summary = "the loudest sample so far, 0 to 1",
  .def = {.type = MSDK_T_F64},
}};

static const msdk_audio_renderer renderer = {
  .struct_size = sizeof(msdk_audio_renderer),
  .init_render = init_render,
  .release_render = release_render,
  .render_settings = render_settings,
  .render_audio_frame = render_audio_frame,
};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_AUDIO_RENDERER,
  .id = "@ID@",
  .name = "@NAME@",
  .summary = "how loud it was",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .get_param = get_param,
  .audio_renderer = &renderer,
};

#include "parts/module.c"
