/* A renderer class of the program's own, without a plugin file; the program's object is its user data. It measures brightness.
 *
 *     gcc renderer.c $(pkg-config --cflags --libs mediasdk) && ./a.out
 *
 * It gets the preview of a stream, a grey that gets lighter with every frame. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

/* The program's object. The renderer writes it on threads of the SDK; the program reads it when the renderer is released. */
typedef struct meter {
  int frames, darkest, brightest;
} meter;

struct msdk_self { /* an instance: plugin.h leaves this type to us */
  meter *meter;
};

static msdk_result create(const msdk_class *class_, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)host, (void)context; /* its log and its memory, for those that need them */
  if ((*out = malloc(sizeof **out)) == NULL) return MSDK_E_NOMEM;
  (*out)->meter = class_->user;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

/* To open and to close: a renderer that opens nothing has nothing to do. */
static msdk_result nothing(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_INVALID; }

/* The SDK offers its formats one by one, and converts to the first that is accepted. */
static int32_t accepts_format(msdk_self *self, const msdk_video_format *format) {
  return self != NULL && format->pixel_format == MSDK_PIXEL_GRAY8;
}

/* The frame is borrowed and read-only. Calls to one instance never overlap. */
static msdk_result render_video_frame(msdk_self *self, const msdk_video_frame *frame) {
  double sum = 0;
  for (uint32_t y = 0; y < frame->format->height; y++) {
    const uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < frame->format->width; x++) sum += row[x];
  }
  int mean = (int)(sum / frame->format->width / frame->format->height + 0.5);
  meter *it = self->meter;
  if (it->frames == 0 || mean < it->darkest) it->darkest = mean;
  if (it->frames++ == 0 || mean > it->brightest) it->brightest = mean;
  return MSDK_OK;
}

static msdk_outgoing_video *make_stream(msdk_engine *engine) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_I420;
  format.width = 320;
  format.height = 240;
  format.fps_num = 15;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.formats = &format;
  options.format_count = 1;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");
  return stream;
}

static void send_grey(msdk_frame_sender *sender, int luma) {
  msdk_video_frame *frame = NULL;
  must(msdk_frame_sender_acquire(sender, 1000, &frame), "msdk_frame_sender_acquire");
  for (uint32_t i = 0; i < frame->plane_count; i++) memset(frame->plane[i].data, i == 0 ? luma : 128, frame->plane[i].size);
  must(msdk_frame_sender_send(sender, frame, 0, NULL, NULL), "msdk_frame_sender_send");
  msdk_video_frame_unref(frame);
}

int main(void) {
  meter meter = {0};
  msdk_video_renderer table = MSDK_INIT(msdk_video_renderer);
  table.init_render = nothing;
  table.release_render = nothing;
  table.accepts_format = accepts_format;
  table.render_video_frame = render_video_frame;
  msdk_class class_ = MSDK_INIT(msdk_class);
  class_.kinds = MSDK_KIND_VIDEO_RENDERER;
  class_.id = "org.example.meter";
  class_.user = &meter;
  class_.create = create;
  class_.destroy = destroy;
  class_.video_renderer = &table;
  msdk_module module = MSDK_INIT(msdk_module);
  module.abi_minor = MSDK_ABI_MINOR;
  module.class_count = 1;
  module.classes = &(const msdk_class *){&class_};
  msdk_engine *engine = NULL; /* all of these live as long as it does */
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_register_module(engine, &module), "msdk_engine_register_module");
  msdk_instance *renderer = NULL;
  must(msdk_instance_create(engine, "org.example.meter", NULL, &renderer), "msdk_instance_create");
  /* A received stream takes it likewise: msdk_incoming_video_attach_renderer. */
  msdk_outgoing_video *stream = make_stream(engine);
  must(msdk_outgoing_video_attach_renderer(stream, renderer, NULL), "msdk_outgoing_video_attach_renderer");
  msdk_frame_sender *sender = NULL; /* a stream that is previewed has one without a session */
  must(msdk_outgoing_video_get_sender(stream, &sender), "msdk_outgoing_video_get_sender");
  for (int i = 0; i < 30; i++) {
    send_grey(sender, 16 + 6 * i);
    nanosleep(&(struct timespec){0, 1000000000 / 15}, NULL);
  }
  must(msdk_instance_release(renderer), "msdk_instance_release"); /* detaches it; it is not called any longer */
  printf("the meter saw %d frames, from %d to %d\n", meter.frames, meter.darkest, meter.brightest);
  msdk_engine_destroy(engine);
  return meter.frames > 0 ? 0 : 1;
}
