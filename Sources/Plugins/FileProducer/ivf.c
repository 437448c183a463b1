/* IVF: a header of 32 bytes, then for each frame 12 bytes (size, timestamp) and its bits. Numbers are little-endian. VP8 only. */
#include "source.h"

#include "vp8.h"

enum { HEADER_BYTES = 32, FRAME_HEADER_BYTES = 12, FRAMES_FOR_RATE = 100, FPS_UNKNOWN = 25 };

static uint32_t u16_at(const uint8_t *bytes) { return (uint32_t)(bytes[0] | bytes[1] << 8); }
static uint32_t u32_at(const uint8_t *bytes) { return u16_at(bytes) | u16_at(bytes + 2) << 16; }
static uint64_t u64_at(const uint8_t *bytes) { return u32_at(bytes) | (uint64_t)u32_at(bytes + 4) << 32; }

static msdk_result ivf_locate(fp_source *source, uint64_t at, uint64_t index, fp_chunk *out) {
  if (at >= source->file.size) return MSDK_E_CLOSED;
  uint64_t left = source->file.size - at;
  unsigned long long number = (unsigned long long)index + 1, where = (unsigned long long)at;
  if (left < FRAME_HEADER_BYTES) {
    return fp_fail(&source->report, MSDK_E_CORRUPT, "frame %llu at byte %llu: its header has 12 bytes, the file ends after %llu", number,
                   where, (unsigned long long)left);
  }
  uint8_t header[FRAME_HEADER_BYTES];
  msdk_result result = fp_file_read(&source->file, at, header, sizeof header, &source->report);
  if (result < 0) return result;
  uint64_t size = u32_at(header);
  left -= FRAME_HEADER_BYTES;
  if (size > left) {
    return fp_fail(&source->report, MSDK_E_CORRUPT, "frame %llu at byte %llu claims %llu bytes; the file ends after %llu", number, where,
                   (unsigned long long)size, (unsigned long long)left);
  }
  out->offset = at + FRAME_HEADER_BYTES;
  out->size = size;
  return MSDK_OK;
}

/* The picture's size is what the first key frame says; the file header's is a copy that may be wrong. */
static msdk_result find_size(fp_source *source, const uint8_t *header) {
  uint64_t at = source->first, index = 0;
  fp_chunk chunk;
  msdk_result result;
  while ((result = ivf_locate(source, at, index, &chunk)) == MSDK_OK) {
    uint8_t head[FP_VP8_KEY_HEADER];
    fp_vp8_info info = {0};
    if (chunk.size >= sizeof head) {
      result = fp_file_read(&source->file, chunk.offset, head, sizeof head, &source->report);
      if (result < 0) return result;
      info = fp_vp8_peek(head, chunk.size);
    }
    if (info.key && info.plausible) {
      source->width = info.width;
      source->height = info.height;
      if (u16_at(header + 12) != info.width || u16_at(header + 14) != info.height) {
        fp_log(&source->report, MSDK_LOG_WARN, "the IVF header says %ux%u, the pictures are %ux%u", u16_at(header + 12),
               u16_at(header + 14), info.width, info.height);
      }
      return MSDK_OK;
    }
    at = chunk.offset + chunk.size;
    index++;
  }
  if (result != MSDK_E_CLOSED) return result;
  return fp_fail(&source->report, MSDK_E_CORRUPT, "the file ends at byte %llu: no usable VP8 key frame among its %llu frames",
                 (unsigned long long)source->file.size, (unsigned long long)index);
}

/* The header gives the unit of the timestamps, not the rate: often it is one frame, often a millisecond or a 90000th of a second. The
 * rate is how far the timestamps of the first frames are apart on average. */
static void find_rate(fp_source *source, const uint8_t *header) {
  uint64_t unit_den = u32_at(header + 16), unit_num = u32_at(header + 20);
  uint64_t at = source->first, index = 0, begin = 0, end = 0;
  fp_chunk chunk;
  source->report.quiet = 1; /* a damaged place further on is told when it is reached */
  while (index < FRAMES_FOR_RATE && ivf_locate(source, at, index, &chunk) == MSDK_OK) {
    uint8_t stamp[8];
    if (fp_file_read(&source->file, at + 4, stamp, sizeof stamp, &source->report) < 0) break;
    end = u64_at(stamp);
    if (index == 0) begin = end;
    at = chunk.offset + chunk.size;
    index++;
  }
  source->report.quiet = 0;
  uint64_t span = index > 1 && end > begin ? end - begin : 1, steps = index > 1 && end > begin ? index - 1 : 1;
  source->fps_num = FPS_UNKNOWN;
  source->fps_den = 1;
  if (span > UINT32_MAX || !fp_rate(unit_den * steps, unit_num * span, &source->fps_num, &source->fps_den)) {
    fp_log(&source->report, MSDK_LOG_WARN, "the timestamps give no frame rate; %d a second is taken", FPS_UNKNOWN);
    return;
  }
  /* Stamps of a live recording waver: a rate within a thousandth of a whole number is that number. */
  double rate = (double)source->fps_num / source->fps_den, whole = (double)(uint32_t)(rate + 0.5);
  if (source->fps_den > 1001 && whole >= 1 && rate / whole > 0.9995 && rate / whole < 1.0005) {
    source->fps_num = (uint32_t)whole;
    source->fps_den = 1;
  }
}

static msdk_result ivf_open(fp_source *source) {
  uint8_t header[HEADER_BYTES];
  if (source->file.size < sizeof header) {
    return fp_fail(&source->report, MSDK_E_CORRUPT, "the file ends at byte %llu, inside the IVF header of 32",
                   (unsigned long long)source->file.size);
  }
  msdk_result result = fp_file_read(&source->file, 0, header, sizeof header, &source->report);
  if (result < 0) return result;
  source->first = u16_at(header + 6);
  if (u16_at(header + 4) != 0 || source->first < HEADER_BYTES) {
    return fp_fail(&source->report, MSDK_E_CORRUPT, "an IVF header of version %u and %llu bytes; version 0 and at least 32 are expected",
                   u16_at(header + 4), (unsigned long long)source->first);
  }
  if (u32_at(header + 8) != MSDK_CODEC_VP8) {
    return fp_fail(&source->report, MSDK_E_UNSUPPORTED, "the IVF header's codec is %02X %02X %02X %02X; VP8 ('VP80') is read", header[8],
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
