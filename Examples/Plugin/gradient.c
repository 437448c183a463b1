/* gradient.c - the smallest useful plugin: a producer that makes a moving gradient.
 *
 * A plugin is a shared object with one exported function, and it links nothing of MediaSDK: everything that it needs from the host comes
 * in a table of function pointers. Read mediasdk/plugin.h beside this file; it is the contract, and the P numbers below are its rules.
 */
#include <mediasdk/plugin.h>

#include <stdlib.h>
#include <string.h>

/* One instance of our class. The host only ever sees a pointer to it. */
struct msdk_self {
  const msdk_host *host;       /* what the host can do for us; lives until destroy() has returned */
  msdk_host_context *context;  /* the host's side of this instance: the first argument of nearly every host function */
  msdk_video_format format;    /* the format agreed on */
  uint32_t offset;             /* how far the gradient has moved */
};

/* What we make unless we are asked for something else. MSDK_INIT sets struct_size, which is how old and new versions get along. */
static msdk_video_format preferred_format(void) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_GRAY8; /* one byte a pixel; the host converts to what the other side wants */
  format.width = 640;
  format.height = 360;
  format.fps_num = 30;
  format.fps_den = 1;
  format.color_full_range = 1; /* we use 0..255, not the 16..235 of television */
  return format;
}

/* create() is cheap (rule P1): no device, no thread, no file. Those belong in init_capture. */
static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, video_frame_acquire) || !MSDK_CAN(host, msdk_host, set_error)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->format = preferred_format();
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

/* The host drives init, start, stop and release in the right order, so there is no state to check here. We hold nothing that would need
 * opening or closing; a camera would open its device in init_capture and begin to stream in start_capture. */
static msdk_result nothing_to_do(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return MSDK_OK;
}

/* The formats we like best, one index at a time, until we say that there are no more. */
static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  (void)self;
  if (index > 0) return MSDK_E_NOT_FOUND;
  *out = preferred_format();
  return MSDK_OK;
}

/* Any size and rate will do. Before an error is returned, set_error sets its text: what was wrong, and what is accepted. */
static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  if (format->pixel_format != MSDK_PIXEL_GRAY8 || format->color_full_range != 1) {
    self->host->set_error(self->context, MSDK_E_FORMAT, "gradient makes GRAY8 of full range only");
    return MSDK_E_FORMAT;
  }
  size_t known = sizeof self->format; /* a newer host's struct may be longer than the one we know, never shorter */
  memcpy(&self->format, format, known);
  self->format.struct_size = (uint32_t)known;
  return MSDK_OK;
}

/* Called by the host each time a frame is due. We never sleep here: keeping time is the host's work (rule P7). */
static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  msdk_video_frame *frame = NULL;
  msdk_result result = self->host->video_frame_acquire(self->context, &self->format, 0, &frame);
  if (result < 0) return result; /* MSDK_E_AGAIN when every frame of the pool is in use: the host skips this one */

  /* The distance between two rows is the frame's stride, which is often more than the width (rule P3). */
  const msdk_plane *plane = &frame->plane[0];
  for (uint32_t y = 0; y < self->format.height; y++) {
    uint8_t *row = plane->data + (ptrdiff_t)y * plane->stride;
    for (uint32_t x = 0; x < self->format.width; x++) row[x] = (uint8_t)(x + y + self->offset);
  }
  self->offset += 2;
  frame->timestamp_ns = due_ns;
  *out = frame; /* our reference is now the host's */
  return MSDK_OK;
}

static const msdk_video_producer producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL, /* the host asks for frames; a camera, which has its own clock, would deliver them instead */
  .init_capture = nothing_to_do,
  .release_capture = nothing_to_do,
  .start_capture = nothing_to_do,
  .stop_capture = nothing_to_do,
  .capture_settings = capture_settings,
  .enum_formats = enum_formats,
  .set_format = set_format,
  .produce_frame = produce_frame,
};

/* A command: an ordinary function, which programs call by name. The macro's tags say of what types it is, and do not compile when they do not
 * fit; the host checks what programs give before it gets here. In Python: instance.move(by=-40). */
static uint32_t move(msdk_self *self, int32_t by) {
  self->offset += (uint32_t)by;
  return self->offset & 255;
}

static const msdk_arg_limits move_limits[] = {
  {.struct_size = sizeof(msdk_arg_limits), .summary = "in steps of grey, backwards below 0", .min = MSDK_I32(-255), .max = MSDK_I32(255)},
};
static const msdk_command commands[] = {
  MSDK_COMMAND1_WITH(0, move_limits, "move", move, U32, I32, "by", "moves the gradient, and gives where it stands, 0 to 255"),
};

/* A class is one thing that can be created. Its id is what programs ask for, so choose a domain name that is yours. */
static const msdk_class gradient = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.example.gradient",
  .name = "Gradient",
  .summary = "a grey gradient that moves",
  .commands = commands,
  .command_count = MSDK_COUNT(commands),
  .create = create,
  .destroy = destroy,
  .video_producer = &producer,
};

static const msdk_class *const classes[] = {&gradient};

/* A module is the file: who made it, what it needs, and its classes. */
static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "Example",
  .version = "1.0",
  .classes = classes, .class_count = MSDK_COUNT(classes),
};

/* Defines msdk_plugin_entry_v1, the one symbol that a plugin exports. No semicolon: it is a whole function. */
MSDK_DEFINE_ENTRY(&module)
