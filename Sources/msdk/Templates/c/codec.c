/* @NAME@.c - a video codec: frames in 16 greys, two pixels to a byte. Every frame is a key frame.
 *
 * An engine finds it by its fourcc: msdk_outgoing_video_options.codec, or msdk run --codec GRY4. It makes an instance for each start of a
 * stream that encodes, and one for each that decodes.
 * The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them. */
#include <mediasdk/plugin.h>

#include <stdlib.h>
#include <string.h>

enum { FOURCC = 'G' | 'R' << 8 | 'Y' << 16 | '4' << 24, HEAD = 8, LARGEST = 4096 };

struct msdk_self {
  const msdk_host *host;      /* what the host does for us */
  msdk_host_context *context; /* the first argument of its functions */
  uint32_t width, height;     /* of the encoder's frames */
  uint8_t *data;              /* room for one that is encoded */
  uint64_t pixels_max;        /* of the decoder's */
};

#include "parts/instance.c"
/* Two pixels to a byte, the rows together. */
static uint64_t packed_size(uint32_t width, uint32_t height) { return HEAD + ((uint64_t)width * height + 1) / 2; }

/* -------------------------------------------------------------------------------------------------------------- encoding */

static msdk_result open_encoder(msdk_self *self, const msdk_video_encoder_settings *settings) {
  self->data = (uint8_t *)malloc(packed_size(settings->width, settings->height));
  if (self->data == NULL) return fail(self, MSDK_E_NOMEM, "no memory for an encoded frame");
  self->width = settings->width;
  self->height = settings->height;
  return MSDK_OK;
}

static msdk_result close_encoder(msdk_self *self) {
  free(self->data);
  self->data = NULL;
  return MSDK_OK;
}

/* Encoded frames have one size only. A better codec follows target_bitrate as far as it can. */
static msdk_result set_rate(msdk_self *self, uint64_t target_bitrate, uint32_t fps_num, uint32_t fps_den) {
  (void)self, (void)target_bitrate, (void)fps_num, (void)fps_den;
  return MSDK_OK;
}

/* P3: the frame is read-only, and its rows are `stride` bytes apart. Its first plane is Y in both formats. */
static msdk_result encode(msdk_self *self, const msdk_video_frame *frame, uint32_t flags, msdk_encoded_frame **out) {
  (void)flags; /* MSDK_ENCODE_KEY: this is one anyway */
  const uint8_t head[HEAD] = {'G', 'R', 'Y', '4', (uint8_t)self->width, (uint8_t)(self->width >> 8), (uint8_t)self->height,
                              (uint8_t)(self->height >> 8)};
  uint64_t size = packed_size(self->width, self->height), place = 0;
  memset(self->data, 0, size);
  memcpy(self->data, head, HEAD);
  for (uint32_t y = 0; y < self->height; y++) {
    const uint8_t *row = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < self->width; x++, place++) self->data[HEAD + place / 2] |= (uint8_t)(row[x] >> 4 << place % 2 * 4);
  }
  msdk_encoded_frame made = MSDK_INIT(msdk_encoded_frame);
  made.data = self->data; /* the host copies it */
  made.size = size;
  made.flags = MSDK_ENCODED_KEY;
  return self->host->encoded_frame_create(self->context, &made, out);
}

/* -------------------------------------------------------------------------------------------------------------- decoding */

static msdk_result open_decoder(msdk_self *self, const msdk_video_decoder_settings *settings) {
  self->pixels_max = settings->pixels_max;
  return MSDK_OK;
}

static msdk_result close_decoder(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

/* The data come over a network: whatever they are, nothing is read that is not there. */
static msdk_result parse_header(const void *data, uint64_t size, msdk_encoded_header *out) {
  const uint8_t *bytes = (const uint8_t *)data;
  if (size < HEAD || memcmp(bytes, "GRY4", 4) != 0) return MSDK_E_CORRUPT;
  uint32_t width = bytes[4] | (uint32_t)bytes[5] << 8, height = bytes[6] | (uint32_t)bytes[7] << 8;
  if (width == 0 || width > LARGEST || height == 0 || height > LARGEST) return MSDK_E_CORRUPT;
  out->flags = MSDK_ENCODED_KEY;
  out->width = width;
  out->height = height;
  out->is_shown = 1;
  return MSDK_OK;
}

static msdk_result decode(msdk_self *self, const msdk_encoded_frame *in, msdk_video_frame **out) {
  msdk_encoded_header head = MSDK_INIT(msdk_encoded_header);
  if (parse_header(in->data, in->size, &head) < 0) return fail(self, MSDK_E_CORRUPT, "it does not begin with a header");
  if ((uint64_t)head.width * head.height > self->pixels_max) return fail(self, MSDK_E_CORRUPT, "the frame is larger than is accepted");
  if (in->size != packed_size(head.width, head.height)) return fail(self, MSDK_E_CORRUPT, "it does not have the bytes of its size");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_GRAY8; /* the host converts */
  format.width = head.width;
  format.height = head.height;
  msdk_video_frame *frame = NULL;
  msdk_result result = self->host->video_frame_acquire(self->context, &format, 0, &frame);
  if (result < 0) return fail(self, result, "no frame is free"); /* P4 */
  const uint8_t *packed = (const uint8_t *)in->data + HEAD;
  uint64_t place = 0;
  for (uint32_t y = 0; y < head.height; y++) {
    uint8_t *row = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < head.width; x++, place++) row[x] = (uint8_t)((packed[place / 2] >> place % 2 * 4 & 15) * 17);
  }
  *out = frame; /* our reference is the host's now */
  return MSDK_OK;
}

/* The best first. What is sent in another format is converted before. */
static const uint32_t pixel_formats[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420};

static const msdk_video_encoder encoder = {
  .struct_size = sizeof(msdk_video_encoder),
  .codec = FOURCC,
  .dimension_max = LARGEST,
  .pixel_formats = pixel_formats,
  .pixel_format_count = MSDK_COUNT(pixel_formats),
  .open_encoder = open_encoder,
  .close_encoder = close_encoder,
  .set_rate = set_rate,
  .encode = encode,
};

static const msdk_video_decoder decoder = {
  .struct_size = sizeof(msdk_video_decoder),
  .codec = FOURCC,
  .open_decoder = open_decoder,
  .close_decoder = close_decoder,
  .decode = decode,
  .parse_header = parse_header,
};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_VIDEO_DECODER,
  .id = "@ID@",
  .name = "GRY4",
  .summary = "frames in 16 greys",
  .create = create,
  .destroy = destroy,
  .video_encoder = &encoder,
  .video_decoder = &decoder,
};

#include "parts/module.c"
