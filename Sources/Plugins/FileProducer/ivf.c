/* IVF: a header of 32 bytes, then for each frame 12 bytes (size, timestamp) and its bits. Numbers are little-endian. VP8 only.
 * Encoders that look ahead store frames that are not shown (RFC 6386, section 9.1), with a time stamp like any other's. */
#include "source.h"

#include "vp8.h"

enum { HEADER_BYTES = 32, FRAME_HEADER_BYTES = 12, FRAMES_FOR_SIZE = 300000, FPS_UNKNOWN = 25 };

static uint32_t u16_at(const uint8_t *bytes) { return (uint32_t)(bytes[0] | bytes[1] << 8); }
static uint32_t u32_at(const uint8_t *bytes) { return u16_at(bytes) | u16_at(bytes + 2) << 16; }
static uint64_t u64_at(const uint8_t *bytes) { return u32_at(bytes) | (uint64_t)u32_at(bytes + 4) << 32; }

static msdk_result ivf_locate(fp_source *source, uint64_t at, uint64_t index, fp_chunk *out) {
  if (at >= source->file.size) return MSDK_E_CLOSED;
  uint64_t left = source->file.size - at;
  unsigned long long number = (unsigned long long)index + 1, where = (unsigned long long)at;
  if (left < FRAME_HEADER_BYTES) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "frame %llu at byte %llu: its header has 12 bytes, the file ends after %llu", number,
                   where, (unsigned long long)left);
  }
  uint8_t header[FRAME_HEADER_BYTES + 1] = {0}; /* and the frame's first byte, if it has one */
  msdk_result result = fp_file_read(&source->file, at, header, left < sizeof header ? left : sizeof header, &source->report);
  if (result < 0) return result;
  uint64_t size = u32_at(header);
  left -= FRAME_HEADER_BYTES;
  if (size > left) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "frame %llu at byte %llu has %llu bytes by its header; the file ends after %llu", number, where,
                   (unsigned long long)size, (unsigned long long)left);
  }
  out->offset = at + FRAME_HEADER_BYTES;
  out->size = size;
  out->stamp = u64_at(header + 4);
  out->hidden = size > 0 && !fp_vp8_is_shown(header[FRAME_HEADER_BYTES]);
  return MSDK_OK;
}

static msdk_result peek(const fp_source *source, const fp_chunk *chunk, fp_vp8_info *info) {
  uint8_t head[FP_VP8_KEY_HEADER];
  *info = (fp_vp8_info){0};
  if (chunk->size < sizeof head) return MSDK_OK;
  msdk_result result = fp_file_read(&source->file, chunk->offset, head, sizeof head, &source->report);
  if (result == MSDK_OK) *info = fp_vp8_peek(head, chunk->size);
  return result;
}

/* Pictures may change their size at every key frame. The file's is the largest of them, into which the others are fitted; the file header's
 * is a copy of the first that may be wrong. */
static msdk_result find_size(fp_source *source, const uint8_t *header) {
  uint64_t at = source->first, index = 0;
  fp_chunk chunk;
  msdk_result result = MSDK_OK;
  uint32_t width = 0, height = 0;
  for (; index < FRAMES_FOR_SIZE && (result = ivf_locate(source, at, index, &chunk)) == MSDK_OK; index++) {
    fp_vp8_info info;
    result = peek(source, &chunk, &info);
    if (result < 0) break;
    at = chunk.offset + chunk.size;
    if (!info.key || !info.plausible) continue;
    source->report.is_quiet = 1; /* what is wrong further on is reported when it is reached */
    if (width == 0) width = info.width, height = info.height;
    if ((uint64_t)info.width * info.height <= (uint64_t)source->width * source->height) continue;
    source->width = info.width;
    source->height = info.height;
  }
  source->report.is_quiet = 0;
  if (width != 0) {
    if (u16_at(header + 12) != width || u16_at(header + 14) != height) {
      report_log(&source->report, MSDK_LOG_WARN, "the IVF header's size is %ux%u, the frames' is %ux%u", u16_at(header + 12), u16_at(header + 14),
             width, height);
    }
    return MSDK_OK;
  }
  if (result < 0 && result != MSDK_E_CLOSED) return result;
  return report_fail(&source->report, MSDK_E_CORRUPT, "up to byte %llu none of the %llu frames is a usable VP8 key frame",
                 (unsigned long long)at, (unsigned long long)index);
}

/* Whether most of the frames that follow one another do so after one unit, those around hidden ones aside. */
static bool is_unit_frame(fp_source *source) {
  fp_cursor cursor = {.next = source->first};
  fp_chunk chunk, before = {.hidden = true};
  uint32_t steps = 0, units = 0;
  source->report.is_quiet = 1;
  for (; cursor.index < FP_RATE_STAMPS_MAX && ivf_locate(source, cursor.next, cursor.index, &chunk) == MSDK_OK; cursor.index++) {
    steps += !before.hidden && !chunk.hidden;
    units += !before.hidden && !chunk.hidden && chunk.stamp == before.stamp + 1;
    before = chunk;
    cursor.next = chunk.offset + chunk.size;
  }
  source->report.is_quiet = 0;
  return 2 * units > steps;
}

/* The header gives the unit of the timestamps, not the rate: often it is one frame, often a millisecond or a 90000th of a second. Where the
 * timestamps give no rate they are no times either. */
static void find_rate(fp_source *source, const uint8_t *header) {
  source->unit = (fp_unit){.num = u32_at(header + 20), .den = u32_at(header + 16)};
  source->unit_is_frame = is_unit_frame(source);
  source->fps_num = FPS_UNKNOWN;
  source->fps_den = 1;
  uint64_t stamps[FP_RATE_STAMPS_MAX];
  fp_cursor cursor = {.next = source->first};
  size_t count = 0;
  while (count < FP_RATE_STAMPS_MAX && fp_source_look(source, &cursor, &stamps[count]) == MSDK_OK) count++;
  bool is_known = count > 1 ? fp_rate_of(stamps, count, source->unit, &source->fps_num, &source->fps_den)
                            : fp_rate(source->unit.den, source->unit.num, &source->fps_num, &source->fps_den);
  if (is_known) return;
  source->unit = (fp_unit){0};
  report_log(&source->report, MSDK_LOG_WARN, "the timestamps give no frame rate; %d frames a second are assumed", FPS_UNKNOWN);
}

static msdk_result ivf_open(fp_source *source) {
  uint8_t header[HEADER_BYTES];
  if (source->file.size < sizeof header) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "the file ends at byte %llu, within the IVF header of 32 bytes",
                   (unsigned long long)source->file.size);
  }
  msdk_result result = fp_file_read(&source->file, 0, header, sizeof header, &source->report);
  if (result < 0) return result;
  source->first = u16_at(header + 6);
  if (u16_at(header + 4) != 0 || source->first < HEADER_BYTES) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "the IVF header has version %u and %llu bytes; accepted: version 0 and at least 32 bytes",
                   u16_at(header + 4), (unsigned long long)source->first);
  }
  if (u32_at(header + 8) != MSDK_CODEC_VP8) {
    return report_fail(&source->report, MSDK_E_UNSUPPORTED, "the IVF header's codec is %02X %02X %02X %02X; accepted: VP8 ('VP80')", header[8],
                   header[9], header[10], header[11]);
  }
  fp_chunk chunk;
  result = ivf_locate(source, source->first, 0, &chunk);
  if (result == MSDK_E_CLOSED) return MSDK_OK; /* the caller reports a file without frames */
  if (result < 0) return result;
  result = find_size(source, header);
  if (result < 0) return result;
  find_rate(source, header);
  return fp_vp8_open(source);
}

const fp_container fp_ivf = {
  .needs_every_frame = true, .open = ivf_open, .locate = ivf_locate, .decode = fp_vp8_decode, .close = fp_vp8_close};
