/* IVF: a header of 32 bytes, then for each frame 12 bytes (size, timestamp) and its bits, as they came. Numbers are little-endian.
 * Timestamps count 90000ths of a second from the first frame on. The header has the size of the first picture; a key frame may bring
 * another, which VP8 says itself and decoders follow. There is no place for an orientation: rotated frames are refused. */
#include "writer.h"

#include <string.h>

enum { HEADER_BYTES = 32, COUNT_AT = 24, FRAME_HEADER_BYTES = 12, TICKS_PER_SECOND = 90000 };

static void put_u16(uint8_t *to, uint32_t value) {
  to[0] = (uint8_t)value;
  to[1] = (uint8_t)(value >> 8);
}
static void put_u32(uint8_t *to, uint32_t value) {
  put_u16(to, value);
  put_u16(to + 2, value >> 16);
}
static void put_u64(uint8_t *to, uint64_t value) {
  put_u32(to, (uint32_t)value);
  put_u32(to + 4, (uint32_t)(value >> 32));
}

static void put_header(uint8_t *to, const msdk_encoded_frame *frame) {
  memset(to, 0, HEADER_BYTES);
  memcpy(to, "DKIF", 4);
  put_u16(to + 6, HEADER_BYTES);
  put_u32(to + 8, MSDK_CODEC_VP8);
  put_u16(to + 12, frame->width);
  put_u16(to + 14, frame->height);
  put_u32(to + 16, TICKS_PER_SECOND);
  put_u32(to + 20, 1); /* the count at COUNT_AT is patched when it is known */
}

/* Strictly rising, whatever the clock did: players refuse a timestamp that goes back. */
static uint64_t stamp_of(const fr_writer *writer, int64_t timestamp_ns) {
  if (writer->frames == 0) return 0;
  uint64_t stamp = 0;
  if (timestamp_ns > writer->first_ns) {
    uint64_t elapsed = (uint64_t)timestamp_ns - (uint64_t)writer->first_ns, second = 1000000000;
    stamp = elapsed / second * TICKS_PER_SECOND + (elapsed % second * TICKS_PER_SECOND + second / 2) / second;
  }
  return stamp > writer->last_stamp ? stamp : writer->last_stamp + 1;
}

static msdk_result check_fit(fr_writer *writer, const msdk_encoded_frame *frame) {
  const plugin_report *report = &writer->output.report;
  unsigned long long number = (unsigned long long)writer->frames + 1;
  if (frame->codec != MSDK_CODEC_VP8) {
    return report_fail(report, MSDK_E_FORMAT, "frame %llu has codec 0x%08X; accepted: VP8", number, frame->codec);
  }
  if (frame->data == NULL || frame->size == 0 || frame->size > UINT32_MAX) {
    return report_fail(report, MSDK_E_INVALID, "frame %llu has %llu bytes, which IVF cannot hold", number,
                   (unsigned long long)frame->size);
  }
  if (frame->width > UINT16_MAX || frame->height > UINT16_MAX) {
    return report_fail(report, MSDK_E_FORMAT, "frame %llu is %ux%u, too large for IVF", number, frame->width, frame->height);
  }
  if (frame->orientation != 0) { /* encoded, nobody rotates it */
    return report_fail(report, MSDK_E_FORMAT,
                   "frame %llu has orientation %u, which IVF cannot store; accepted: orientation 0 (a Y4M file gets upright frames)", number,
                   frame->orientation);
  }
  const msdk_video_format *last = &writer->format;
  bool key = (frame->flags & MSDK_ENCODED_KEY) != 0;
  if (!key && writer->frames > 0 && (frame->width != last->width || frame->height != last->height)) {
    return report_fail(report, MSDK_E_FORMAT, "frame %llu is %ux%u and not a key frame; it cannot refer to frames of %ux%u before it", number,
                   frame->width, frame->height, last->width, last->height);
  }
  if ((writer->frames == 0 || writer->needs_key) && !key) {
    return report_fail(report, MSDK_E_FORMAT, "frame %llu is not a key frame, and no key frame came before it", number);
  }
  return MSDK_OK;
}

static msdk_result ivf_encoded(fr_writer *writer, const msdk_encoded_frame *frame) {
  msdk_result result = check_fit(writer, frame);
  if (result < 0) {
    writer->needs_key = true;
    return result;
  }
  size_t header_size = writer->frames == 0 ? HEADER_BYTES : 0;
  uint64_t size = header_size + FRAME_HEADER_BYTES + frame->size, stamp = stamp_of(writer, frame->timestamp_ns);
  result = fr_reserve(writer, size);
  if (result < 0) {
    writer->needs_key = true;
    return result;
  }
  uint8_t *at = writer->buffer;
  if (header_size > 0) put_header(at, frame);
  at += header_size;
  put_u32(at, (uint32_t)frame->size);
  put_u64(at + 4, stamp);
  memcpy(at + FRAME_HEADER_BYTES, frame->data, (size_t)frame->size);
  result = fr_output_append(&writer->output, writer->buffer, size);
  if (result < 0) return result;

  writer->needs_key = false;
  writer->last_stamp = stamp;
  if (writer->frames == 0) writer->first_ns = frame->timestamp_ns;
  writer->format.width = frame->width;
  writer->format.height = frame->height;
  return MSDK_OK;
}

static msdk_result ivf_finish(fr_writer *writer) {
  if (writer->frames == 0) return MSDK_OK;
  uint8_t count[4];
  put_u32(count, writer->frames < UINT32_MAX ? (uint32_t)writer->frames : UINT32_MAX);
  return fr_output_patch(&writer->output, COUNT_AT, count, sizeof count);
}

const fr_kind fr_ivf = {.name = "ivf", .encoded = ivf_encoded, .finish = ivf_finish};
