/* @NAME@.c - a producer of encoded frames: VP8, as a camera with an encoder delivers it. An outgoing stream with encoded_input sends
 * them unchanged.
 *
 * Here the device is a table of four frames, stripes that move: put yours in its place, at "the device". One that delivers from a
 * thread of its own calls consume_encoded_frame: --kind push-producer shows the thread.
 * The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them. */
#include <mediasdk/plugin.h>

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 96, FRAMES_PER_SECOND = 30 };

struct msdk_self {
  const msdk_host *host;      /* what the host does for us */
  msdk_host_context *context; /* the first argument of its functions */
  uint32_t next;              /* the device's next frame */
};

#include "parts/instance.c"
/* ------------------------------------------------------------------------------------------------------------ the device */

/* What an encoder made of four images. The first is a key frame; each of the others builds on the frame before it. */
static const uint8_t key_frame[] = {
  176, 6, 0, 157, 1, 42, 160, 0, 96, 0, 3, 135, 8, 133, 133, 136, 133, 132, 136, 19, 130, 0, 6, 142, 79, 204, 199,
  155, 233, 141, 13, 115, 10, 154, 123, 118, 214, 247, 9, 179, 204, 197, 130, 43, 83, 199, 115, 77, 179, 242, 107,
  226, 28, 0, 188, 218, 153, 241, 115, 49, 230, 228, 0, 254, 244, 18, 69, 211, 212, 160, 254, 138, 165, 32};
static const uint8_t second_frame[] = {
  209, 4, 0, 14, 16, 156, 0, 24, 0, 25, 107, 63, 244, 0, 17, 165, 18, 73, 39, 36, 149, 143, 141, 15, 111, 155, 145,
  219, 212, 171, 239, 69, 67, 130, 155, 109, 5, 36, 73, 36, 0, 254, 238, 141, 199, 175, 181, 255, 255, 199, 26, 176};
static const uint8_t third_frame[] = {
  17, 4, 0, 14, 16, 156, 0, 24, 0, 24, 88, 40, 7, 232, 194, 72, 21, 71, 71, 153, 179, 71, 100, 222, 142, 226, 158,
  220, 184, 96, 51, 166, 58, 170, 8, 0};
static const uint8_t fourth_frame[] = {
  17, 5, 0, 14, 16, 156, 0, 24, 0, 24, 163, 158, 159, 232, 1, 208, 200, 100, 49, 144, 210, 204, 127, 227, 198, 172,
  146, 77, 192, 125, 92, 241, 29, 176, 129, 235, 195, 39, 26, 116, 237, 134, 0, 254, 238, 136, 128};

static const struct { const uint8_t *data; uint64_t size; } frames[] = {
  {key_frame, sizeof key_frame},
  {second_frame, sizeof second_frame},
  {third_frame, sizeof third_frame},
  {fourth_frame, sizeof fourth_frame},
};

/* ------------------------------------------------------------------------------------------------------------ the producer */

static msdk_result nothing_to_do(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

/* The first frame after the start is a key frame. */
static msdk_result start_capture(msdk_self *self) {
  self->next = 0;
  return MSDK_OK;
}

/* Size, frame rate and colour; a pixel format is set as well, and is of no meaning. */
static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  (void)self;
  if (index > 0) return MSDK_E_NOT_FOUND;
  out->pixel_format = MSDK_PIXEL_I420;
  out->width = WIDTH;
  out->height = HEIGHT;
  out->fps_num = FRAMES_PER_SECOND;
  out->fps_den = 1;
  return MSDK_OK;
}

static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) { return enum_formats(self, 0, out); }

static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  if (format->width == WIDTH && format->height == HEIGHT) return MSDK_OK;
  return fail(self, MSDK_E_FORMAT, "accepted: 160x96 of any pixel format");
}

/* Called when a frame is due. The host copies the data, and reads from them whether it is a key frame, and its size. */
static msdk_result produce_encoded_frame(msdk_self *self, int64_t due_ns, msdk_encoded_frame **out) {
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.data = frames[self->next].data;
  frame.size = frames[self->next].size;
  frame.flags = self->next == 0 ? MSDK_ENCODED_KEY : 0;
  frame.timestamp_ns = due_ns; /* when the frame was captured, on the engine's clock */
  msdk_result result = self->host->encoded_frame_create(self->context, &frame, out);
  if (result >= 0) self->next = (self->next + 1) % MSDK_COUNT(frames);
  return result; /* *out is the host's now */
}

/* A receiver needs a key frame: it joined, or lost a frame. A device's encoder is asked for one here. */
static msdk_result request_key_frame(msdk_self *self) {
  self->next = 0;
  return MSDK_OK;
}

static const msdk_video_producer producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL | MSDK_PRODUCER_ENCODED,
  .init_capture = nothing_to_do, /* opens the device */
  .release_capture = nothing_to_do,
  .start_capture = start_capture,
  .stop_capture = nothing_to_do,
  .capture_settings = capture_settings,
  .enum_formats = enum_formats,
  .set_format = set_format,
  .codec = MSDK_CODEC_VP8,
  .produce_encoded_frame = produce_encoded_frame,
  .request_key_frame = request_key_frame,
};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "@ID@",
  .name = "@NAME@",
  .summary = "stripes that move, encoded as VP8",
  .create = create,
  .destroy = destroy,
  .video_producer = &producer,
};

#include "parts/module.c"
