/* From state to state, for every kind. */
#include <string.h>

#include "checks.h"
#include "rig.h"

#define CALL(function) ((function) == NULL ? MSDK_OK : (function)(self))

static void do_init(rig_call *call) {
  const msdk_class *class = call->rig->class;
  msdk_self *self = call->rig->self;
  switch (call->rig->kind) {
    case MSDK_KIND_VIDEO_PRODUCER:
      call->code = CALL(class->video_producer->init_capture);
      break;
    case MSDK_KIND_AUDIO_PRODUCER:
      call->code = CALL(class->audio_producer->init_capture);
      break;
    case MSDK_KIND_VIDEO_RENDERER:
      call->code = CALL(class->video_renderer->init_render);
      break;
    case MSDK_KIND_AUDIO_RENDERER:
      call->code = CALL(class->audio_renderer->init_render);
      break;
    case MSDK_KIND_VIDEO_FILTER:
      call->code = CALL(class->video_filter->init_filter);
      break;
    default:
      call->code = CALL(class->audio_filter->init_filter);
      break;
  }
}

static void do_release(rig_call *call) {
  const msdk_class *class = call->rig->class;
  msdk_self *self = call->rig->self;
  switch (call->rig->kind) {
    case MSDK_KIND_VIDEO_PRODUCER:
      call->code = CALL(class->video_producer->release_capture);
      break;
    case MSDK_KIND_AUDIO_PRODUCER:
      call->code = CALL(class->audio_producer->release_capture);
      break;
    case MSDK_KIND_VIDEO_RENDERER:
      call->code = CALL(class->video_renderer->release_render);
      break;
    case MSDK_KIND_AUDIO_RENDERER:
      call->code = CALL(class->audio_renderer->release_render);
      break;
    case MSDK_KIND_VIDEO_FILTER:
      call->code = CALL(class->video_filter->release_filter);
      break;
    default:
      call->code = CALL(class->audio_filter->release_filter);
      break;
  }
}

static void do_start(rig_call *call) {
  const msdk_class *class = call->rig->class;
  msdk_self *self = call->rig->self;
  switch (call->rig->kind) {
    case MSDK_KIND_VIDEO_PRODUCER:
      call->code = CALL(class->video_producer->start_capture);
      break;
    case MSDK_KIND_AUDIO_PRODUCER:
      call->code = CALL(class->audio_producer->start_capture);
      break;
    case MSDK_KIND_AUDIO_RENDERER:
      call->code = CALL(class->audio_renderer->start_render);
      break;
    default:
      call->code = MSDK_OK;
  }
}

static void do_stop(rig_call *call) {
  const msdk_class *class = call->rig->class;
  msdk_self *self = call->rig->self;
  switch (call->rig->kind) {
    case MSDK_KIND_VIDEO_PRODUCER:
      call->code = CALL(class->video_producer->stop_capture);
      break;
    case MSDK_KIND_AUDIO_PRODUCER:
      call->code = CALL(class->audio_producer->stop_capture);
      break;
    case MSDK_KIND_AUDIO_RENDERER:
      call->code = CALL(class->audio_renderer->stop_render);
      break;
    default:
      call->code = MSDK_OK;
  }
}

msdk_result rig_init(rig *rig) {
  rig_call call = {.rig = rig};
  step("init of the %s", kind_name(rig->kind));
  rig->context->error = 0;
  rig_perform(&call, do_init);
  rig->is_ready = call.code >= 0;
  return call.code;
}

msdk_result rig_release(rig *rig) {
  rig_call call = {.rig = rig};
  step("release of the %s", kind_name(rig->kind));
  rig->context->error = 0;
  rig_perform(&call, do_release);
  rig->is_ready = 0;
  return call.code;
}

msdk_result rig_start(rig *rig) {
  rig_call call = {.rig = rig};
  step("start of the %s", kind_name(rig->kind));
  rig->context->error = 0;
  pthread_mutex_lock(&rig->context->lock);
  rig->context->is_stopped = rig->context->is_closing = 0;
  rig->context->since_start = 0;
  pthread_mutex_unlock(&rig->context->lock);
  rig_perform(&call, do_start);
  rig->is_started = call.code >= 0;
  return call.code;
}

msdk_result rig_stop(rig *rig) {
  rig_call call = {.rig = rig};
  step("stop of the %s", kind_name(rig->kind));
  rig->context->error = 0;
  pthread_mutex_lock(&rig->context->lock);
  rig->context->is_closing = 1; /* whoever delivers now is told to leave */
  pthread_mutex_unlock(&rig->context->lock);
  rig_perform(&call, do_stop);
  pthread_mutex_lock(&rig->context->lock);
  rig->context->is_stopped = 1;
  if (rig->context->inside > 0) rig->context->late++;
  pthread_mutex_unlock(&rig->context->lock);
  rig->is_started = 0;
  return call.code;
}

/* --------------------------------------------------------------------------------------------------------------- formats */

static void do_settings(rig_call *call) {
  const msdk_class *class = call->rig->class;
  msdk_self *self = call->rig->self;
  if (call->rig->kind == MSDK_KIND_VIDEO_PRODUCER) {
    const msdk_video_producer *producer = class->video_producer;
    call->code = producer->capture_settings != NULL ? producer->capture_settings(self, call->out) : MSDK_E_UNSUPPORTED;
    if (call->code < 0 && producer->enum_formats != NULL) call->code = producer->enum_formats(self, 0, call->out);
  } else if (call->rig->kind == MSDK_KIND_AUDIO_PRODUCER) {
    call->code =
        class->audio_producer->capture_settings != NULL ? class->audio_producer->capture_settings(self, call->out) : MSDK_E_UNSUPPORTED;
  } else {
    call->code = class->audio_renderer->render_settings != NULL ? class->audio_renderer->render_settings(self, call->out) : MSDK_OK;
  }
}

static void do_format(rig_call *call) {
  const msdk_class *class = call->rig->class;
  msdk_self *self = call->rig->self;
  switch (call->rig->kind) {
    case MSDK_KIND_VIDEO_PRODUCER:
      call->code = class->video_producer->set_format(self, call->in);
      break;
    case MSDK_KIND_AUDIO_PRODUCER:
      call->code = class->audio_producer->set_format(self, call->in);
      break;
    case MSDK_KIND_VIDEO_RENDERER:
      call->code =
          class->video_renderer->accepts_format == NULL || class->video_renderer->accepts_format(self, call->in) != 0 ? 0 : MSDK_E_FORMAT;
      break;
    case MSDK_KIND_VIDEO_FILTER:
      call->code = class->video_filter->set_format == NULL ? 0 : class->video_filter->set_format(self, call->in, call->out);
      break;
    default:
      call->code = class->audio_filter->set_format == NULL ? 0 : class->audio_filter->set_format(self, call->in);
      break;
  }
}

static msdk_result offer(rig *rig) {
  int is_sound = rig->kind == MSDK_KIND_AUDIO_PRODUCER || rig->kind == MSDK_KIND_AUDIO_FILTER;
  rig_call call = {.rig = rig};
  msdk_video_format out = rig->video;
  call.in = is_sound ? rig_lend(rig, &rig->audio, sizeof rig->audio, 0) : rig_lend(rig, &rig->video, sizeof rig->video, 0);
  call.out = (void *)(uintptr_t)rig_lend(rig, &out, sizeof out, 1);
  if (is_sound)
    step("set_format of %u Hz, %u channels", rig->audio.sample_rate, rig->audio.channels);
  else
    step("%s of %ux%u, %.4s", rig->kind == MSDK_KIND_VIDEO_RENDERER ? "accepts_format" : "set_format", rig->video.width, rig->video.height,
         (const char *)&rig->video.pixel_format);
  rig->context->error = 0;
  rig_perform(&call, do_format);
  rig_take_back_of(rig, 0);
  rig_take_back_of(rig, 1);
  rig->has_format = call.code >= 0;
  return call.code;
}

static msdk_result ask_video(rig *rig) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  rig_call call = {.rig = rig};
  call.out = (void *)(uintptr_t)rig_lend(rig, &format, sizeof format, 0);
  step("capture_settings");
  rig_perform(&call, do_settings);
  memcpy(&format, call.out, sizeof format);
  rig_take_back_of(rig, 0);
  format.struct_size = sizeof format;
  int is_whole = call.code >= 0 && plane_count(format.pixel_format) > 0 && format.width > 0 && format.height > 0;
  if (!is_whole) {
    format = MSDK_INIT(msdk_video_format);
    format.pixel_format = MSDK_PIXEL_NV12;
    format.width = 320;
    format.height = 240;
  }
  if (format.fps_num == 0) format.fps_num = 30, format.fps_den = 1;
  rig->video = format;
  return offer(rig);
}

static msdk_result ask_audio(rig *rig) {
  msdk_audio_format format = MSDK_INIT(msdk_audio_format), mine = format;
  mine.sample_format = MSDK_SAMPLE_F32;
  mine.sample_rate = 48000;
  mine.channels = 2;
  if (rig->kind == MSDK_KIND_AUDIO_RENDERER) format = mine;
  rig_call call = {.rig = rig};
  call.out = (void *)(uintptr_t)rig_lend(rig, &format, sizeof format, 0);
  step("%s", rig->kind == MSDK_KIND_AUDIO_RENDERER ? "render_settings" : "capture_settings");
  rig_perform(&call, do_settings);
  memcpy(&format, call.out, sizeof format);
  rig_take_back_of(rig, 0);
  format.struct_size = sizeof format;
  rig->audio = call.code >= 0 && format.sample_rate > 0 ? format : mine;
  if (rig->kind == MSDK_KIND_AUDIO_RENDERER) {
    rig->has_format = call.code >= 0;
    return call.code;
  }
  return offer(rig);
}

/* What renderers and filters are offered, in the order in which the host does it. */
static msdk_result offer_pixels(rig *rig) {
  const uint32_t order[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420,  MSDK_PIXEL_BGRA,  MSDK_PIXEL_RGBA, MSDK_PIXEL_ARGB,
                            MSDK_PIXEL_ABGR, MSDK_PIXEL_BGR24, MSDK_PIXEL_RGB24, MSDK_PIXEL_GRAY8};
  uint32_t width = rig->video.width > 0 ? rig->video.width : 96, height = rig->video.height > 0 ? rig->video.height : 64;
  for (int i = 0; i < 9; i++) {
    rig->video = MSDK_INIT(msdk_video_format);
    rig->video.pixel_format = order[i];
    rig->video.width = width;
    rig->video.height = height;
    rig->video.fps_num = 30;
    rig->video.fps_den = 1;
    if (offer(rig) >= 0) return MSDK_OK;
  }
  return MSDK_E_FORMAT;
}

msdk_result rig_agree(rig *rig) {
  int is_sound = (rig->kind & (MSDK_KIND_AUDIO_PRODUCER | MSDK_KIND_AUDIO_RENDERER | MSDK_KIND_AUDIO_FILTER)) != 0;
  if (rig->has_format) return rig->kind == MSDK_KIND_AUDIO_RENDERER ? MSDK_OK : offer(rig);
  if (rig->kind == MSDK_KIND_VIDEO_RENDERER || rig->kind == MSDK_KIND_VIDEO_FILTER) return offer_pixels(rig);
  if (rig->kind != MSDK_KIND_AUDIO_FILTER) return is_sound ? ask_audio(rig) : ask_video(rig);
  rig->audio = MSDK_INIT(msdk_audio_format);
  rig->audio.sample_format = MSDK_SAMPLE_F32;
  rig->audio.sample_rate = 48000;
  rig->audio.channels = 2;
  return offer(rig);
}
