/* Producers whose frames are known in advance: frames of a file, and clicks. What they are follows from the time at which they were captured,
 * 100 ms before they were asked for: frame number time / 33,333,333 of a file that repeats after 100, and a click each half second. */
#include <mediasdk/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 100, RATE = 48000, SAMPLES = RATE / 50, CLICK_HZ = 2000, CLICK_NS = 3000000 };
static const int64_t interval_ns = 33333333, age_ns = 100000000, period_ns = 500000000;

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  char path[4096];
  uint32_t orientation;
  uint8_t *data;
  uint64_t size; /* of one frame */
  msdk_video_format video;
  msdk_audio_format audio;
};

static msdk_result fail(const msdk_self *self, msdk_result result, const char *text) {
  self->host->set_error(self->context, result, text);
  return result;
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->audio = MSDK_INIT(msdk_audio_format);
  self->audio.sample_format = MSDK_SAMPLE_S16;
  self->audio.sample_rate = RATE;
  self->audio.channels = 1;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  free(self->data);
  free(self);
}

static msdk_result nothing(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ frames */

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "path") == 0 && value->type == MSDK_T_STRING) {
    snprintf(self->path, sizeof self->path, "%s", value->u.str);
    return MSDK_OK;
  }
  if (strcmp(name, "orientation") != 0 || value->type != MSDK_T_U32) return fail(self, MSDK_E_NOT_FOUND, "there are path and orientation");
  self->orientation = value->u.u32;
  return MSDK_OK;
}

static msdk_result open_file(msdk_self *self) {
  FILE *file = fopen(self->path, "rb");
  if (file == NULL) return fail(self, MSDK_E_NOT_FOUND, "the file cannot be opened");
  fseek(file, 0, SEEK_END);
  self->size = (uint64_t)ftell(file) / FRAMES;
  rewind(file);
  free(self->data);
  self->data = malloc(self->size * FRAMES);
  int is_read = self->data != NULL && fread(self->data, self->size, FRAMES, file) == FRAMES;
  fclose(file);
  return is_read ? MSDK_OK : fail(self, MSDK_E_IO, "the file cannot be read");
}

static msdk_result video_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->video;
  return MSDK_OK;
}

static msdk_result set_video_format(msdk_self *self, const msdk_video_format *format) {
  if (format->pixel_format != MSDK_PIXEL_NV12 || (uint64_t)format->width * format->height * 3 / 2 != self->size) {
    return fail(self, MSDK_E_FORMAT, "accepted: NV12 of the size in the file");
  }
  memcpy(&self->video, format, sizeof self->video);
  return MSDK_OK;
}

static msdk_result produce_video(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  int64_t number = (due_ns - age_ns) / interval_ns;
  msdk_video_frame *frame = NULL;
  msdk_result result = self->host->video_frame_acquire(self->context, &self->video, 0, &frame);
  if (result < 0) return result;
  const uint8_t *from = self->data + self->size * (uint64_t)(number % FRAMES);
  for (uint32_t plane = 0; plane < 2; plane++) {
    for (uint32_t row = 0; row < self->video.height >> plane; row++, from += self->video.width) {
      memcpy(frame->plane[plane].data + (ptrdiff_t)row * frame->plane[plane].stride, from, self->video.width);
    }
  }
  frame->timestamp_ns = number * interval_ns;
  frame->duration_ns = interval_ns;
  frame->orientation = self->orientation;
  if (number % 10 == 3) frame->flags |= MSDK_FRAME_DISCONTINUITY;
  *out = frame;
  return MSDK_OK;
}

static const msdk_video_producer frames = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL,
  .init_capture = open_file,
  .release_capture = nothing,
  .start_capture = nothing,
  .stop_capture = nothing,
  .capture_settings = video_settings,
  .set_format = set_video_format,
  .produce_frame = produce_video,
};

/* ------------------------------------------------------------------------------------------------------------------ clicks */

static msdk_result audio_settings(msdk_self *self, msdk_audio_format *out) {
  *out = self->audio;
  return MSDK_OK;
}

static msdk_result set_audio_format(msdk_self *self, const msdk_audio_format *format) {
  if (format->sample_format != MSDK_SAMPLE_S16 || format->sample_rate != RATE || format->channels != 1) {
    return fail(self, MSDK_E_FORMAT, "accepted: S16 of 48,000 Hz, mono");
  }
  memcpy(&self->audio, format, sizeof self->audio);
  return MSDK_OK;
}

/* A sine from its zero on, by its Taylor series: no library is linked. */
static double sine(double turns) {
  double x = (turns - (double)(int64_t)turns) * 6.283185307179586, sign = 1;
  if (x > 3.141592653589793) {
    x -= 3.141592653589793;
    sign = -1;
  }
  double square = x * x, term = x, sum = x;
  for (int k = 1; k < 12; k++) {
    term *= -square / (2 * k) / (2 * k + 1);
    sum += term;
  }
  return sign * sum;
}

static msdk_result produce_audio(msdk_self *self, int64_t due_ns, msdk_audio_frame **out) {
  uint32_t count = self->audio.frames_per_buffer != 0 ? self->audio.frames_per_buffer : SAMPLES;
  msdk_audio_frame *frame = NULL;
  msdk_result result = self->host->audio_frame_acquire(self->context, &self->audio, count, &frame);
  if (result < 0) return result;
  int64_t begin = due_ns - age_ns;
  int16_t *to = (int16_t *)(void *)frame->planes[0];
  for (uint32_t i = 0; i < count; i++) {
    int64_t since = (begin + (int64_t)i * 1000000000 / RATE) % period_ns;
    to[i] = since < CLICK_NS ? (int16_t)(0.5 * 32767 * sine((double)since * CLICK_HZ / 1e9)) : 0;
  }
  frame->timestamp_ns = begin;
  *out = frame;
  return MSDK_OK;
}

static const msdk_audio_producer clicks = {
  .struct_size = sizeof(msdk_audio_producer),
  .flags = MSDK_PRODUCER_PULL,
  .init_capture = nothing,
  .release_capture = nothing,
  .start_capture = nothing,
  .stop_capture = nothing,
  .capture_settings = audio_settings,
  .set_format = set_audio_format,
  .produce_frame = produce_audio,
};

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param), .name = "path", .summary = "100 frames of NV12, one after the other", .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param), .name = "orientation", .summary = "of the frames", .def = MSDK_U32(0), .min = MSDK_U32(0), .max = MSDK_U32(7)},
};

static const msdk_class video_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.mediasdk.quality.frames",
  .name = "Known frames",
  .summary = "frames of a file",
  .params = params, .param_count = MSDK_COUNT(params),
  .create = create, .destroy = destroy, .set_param = set_param,
  .video_producer = &frames,
};

static const msdk_class audio_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_AUDIO_PRODUCER,
  .id = "org.mediasdk.quality.clicks",
  .name = "Known clicks",
  .summary = "a click each half second",
  .create = create, .destroy = destroy,
  .audio_producer = &clicks,
};

static const msdk_class *const classes[] = {&video_class, &audio_class};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes, .class_count = MSDK_COUNT(classes),
};

MSDK_DEFINE_ENTRY(&module)
