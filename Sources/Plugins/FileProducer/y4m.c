/* YUV4MPEG2: a line of text with tags, then for each frame a line that begins with FRAME, then its planes without padding. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_MAX = 1024, FRAME_LINE_MAX = 256 };
enum { FPS_UNKNOWN = 25 };

/* The line that begins at `at`, without its newline, NUL-terminated. `line` has room for `limit` + 1 bytes. */
static msdk_result read_line(fp_source *source, uint64_t at, char *line, uint64_t limit, uint64_t *length, const char *what) {
  uint64_t left = source->file.size - at, count = left < limit ? left : limit;
  msdk_result result = fp_file_read(&source->file, at, line, count, &source->report);
  if (result < 0) return result;
  line[count] = 0;
  char *end = memchr(line, '\n', (size_t)count);
  if (end != NULL) {
    *end = 0;
    *length = (uint64_t)(end - line) + 1;
    return MSDK_OK;
  }
  if (count < limit) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "the file ends at byte %llu, inside %s", (unsigned long long)source->file.size, what);
  }
  return report_fail(&source->report, MSDK_E_CORRUPT, "%s at byte %llu has no newline within %llu bytes", what, (unsigned long long)at,
                 (unsigned long long)limit);
}

/* Digits only, up to `*after`; false when there are none or the number does not fit. */
static bool parse_number(const char *text, uint32_t *out, const char **after) {
  uint64_t value = 0;
  const char *at = text;
  while (*at >= '0' && *at <= '9') {
    value = value * 10 + (uint64_t)(*at++ - '0');
    if (value > UINT32_MAX) return false;
  }
  *out = (uint32_t)value;
  *after = at;
  return at != text;
}

static bool parse_ratio(const char *text, uint32_t *num, uint32_t *den) {
  const char *at;
  return parse_number(text, num, &at) && *at == ':' && parse_number(at + 1, den, &at) && *at == 0;
}

static msdk_result bad_tag(fp_source *source, const char *tag, const char *accepted) {
  return report_fail(&source->report, MSDK_E_CORRUPT, "the Y4M header's tag '%.60s' is malformed; accepted: %s", tag, accepted);
}

static msdk_result parse_side(fp_source *source, const char *tag, uint32_t *side) {
  const char *after;
  if (*side != 0) return bad_tag(source, tag, "one size only");
  if (!parse_number(tag + 1, side, &after) || *after != 0 || *side < 1 || *side > MSDK_DIMENSION_MAX) {
    return bad_tag(source, tag, "a size of 1 to 16384");
  }
  return MSDK_OK;
}

static msdk_result parse_rate(fp_source *source, const char *tag) {
  uint32_t num, den;
  if (!parse_ratio(tag + 1, &num, &den)) return bad_tag(source, tag, "a rate such as F30000:1001");
  if (!fp_rate(num, den, &source->fps_num, &source->fps_den) && num != 0) {
    report_log(&source->report, MSDK_LOG_WARN, "the file states %u:%u frames a second, which is not plausible; %d is assumed", num, den, FPS_UNKNOWN);
  }
  return MSDK_OK;
}

static msdk_result parse_chroma(fp_source *source, const char *tag) {
  static const char *const known[] = {"C420jpeg", "C420paldv", "C420mpeg2", "C420"};
  source->mono = strcmp(tag, "Cmono") == 0;
  if (source->mono) return MSDK_OK;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp(tag, known[i]) == 0) return MSDK_OK;
  }
  return report_fail(&source->report, MSDK_E_UNSUPPORTED,
                 "the Y4M header's tag '%.60s' is a sample format that is not supported; accepted: C420jpeg, C420paldv, C420mpeg2, C420, Cmono", tag);
}

static msdk_result parse_aspect(fp_source *source, const char *tag) {
  uint32_t num, den;
  if (!parse_ratio(tag + 1, &num, &den)) return bad_tag(source, tag, "a ratio such as A1:1");
  if (num != den) report_log(&source->report, MSDK_LOG_INFO, "pixels of %u:%u are shown as square pixels", num, den);
  return MSDK_OK;
}

static msdk_result parse_interlacing(fp_source *source, const char *tag) {
  if (tag[1] == 0 || tag[2] != 0 || strchr("ptbm?", tag[1]) == NULL) return bad_tag(source, tag, "one of Ip, It, Ib, Im, I?");
  if (strchr("tbm", tag[1]) != NULL) report_log(&source->report, MSDK_LOG_WARN, "the file is interlaced; its fields are shown without deinterlacing");
  return MSDK_OK;
}

static msdk_result parse_tag(fp_source *source, const char *tag) {
  switch (tag[0]) {
  case 'W': return parse_side(source, tag, &source->width);
  case 'H': return parse_side(source, tag, &source->height);
  case 'F': return parse_rate(source, tag);
  case 'C': return parse_chroma(source, tag);
  case 'A': return parse_aspect(source, tag);
  case 'I': return parse_interlacing(source, tag);
  case 'X':
    if (strcmp(tag, "XCOLORRANGE=FULL") == 0) source->full_range = 1;
    return MSDK_OK;
  default: return MSDK_OK; /* tags of later days say nothing that is needed here */
  }
}

static uint64_t frame_bytes(const fp_source *source) {
  uint64_t luma = (uint64_t)source->width * source->height;
  uint64_t chroma = (uint64_t)((source->width + 1) / 2) * ((source->height + 1) / 2);
  return source->mono ? luma : luma + 2 * chroma;
}

static msdk_result y4m_open(fp_source *source) {
  char line[HEADER_MAX + 1];
  msdk_result result = read_line(source, 0, line, HEADER_MAX, &source->first, "the Y4M header line");
  if (result < 0) return result;
  if (strlen(line) + 1 != source->first) return report_fail(&source->report, MSDK_E_CORRUPT, "byte %zu of the Y4M header is NUL", strlen(line));
  if (line[9] != ' ') return report_fail(&source->report, MSDK_E_CORRUPT, "byte 9 of the Y4M header is not the space after 'YUV4MPEG2'");
  source->fps_num = FPS_UNKNOWN;
  source->fps_den = 1;
  for (char *tag = line + 9; tag != NULL;) {
    *tag++ = 0;
    char *space = strchr(tag, ' ');
    if (space != NULL) *space = 0;
    result = parse_tag(source, tag);
    if (result < 0) return result;
    tag = space;
  }
  source->unit = (fp_unit){.num = source->fps_den, .den = source->fps_num};
  if (source->width == 0 || source->height == 0) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "the Y4M header has no %s", source->width == 0 ? "width (W)" : "height (H)");
  }
  return MSDK_OK;
}

static msdk_result y4m_locate(fp_source *source, uint64_t at, uint64_t index, fp_chunk *out) {
  if (at >= source->file.size) return MSDK_E_CLOSED;
  char line[FRAME_LINE_MAX + 1];
  uint64_t length;
  unsigned long long number = (unsigned long long)index + 1, where = (unsigned long long)at;
  msdk_result result = read_line(source, at, line, FRAME_LINE_MAX, &length, "a FRAME line");
  bool begins = strncmp(line, "FRAME", 5) == 0 && (line[5] == 0 || line[5] == ' ');
  if (result == MSDK_OK && !begins) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "frame %llu at byte %llu does not begin with a FRAME line", number, where);
  }
  if (result < 0) return result;

  uint64_t size = frame_bytes(source), left = source->file.size - at - length;
  if (size > left) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "frame %llu of %ux%u needs %llu bytes from byte %llu on; the file ends after %llu",
                   number, source->width, source->height, (unsigned long long)size, (unsigned long long)(at + length),
                   (unsigned long long)left);
  }
  out->offset = at + length;
  out->size = size;
  out->stamp = index;
  out->hidden = false;
  return MSDK_OK;
}

static msdk_result y4m_decode(fp_source *source, const uint8_t *bytes, uint64_t size, fp_picture *out) {
  (void)size;
  uint32_t half_width = (source->width + 1) / 2, half_height = (source->height + 1) / 2;
  *out = (fp_picture){.plane = {bytes}, .stride = {(int32_t)source->width, (int32_t)half_width, (int32_t)half_width},
                      .width = source->width, .height = source->height};
  if (source->mono) return MSDK_OK;
  out->plane[1] = bytes + (uint64_t)source->width * source->height;
  out->plane[2] = out->plane[1] + (uint64_t)half_width * half_height;
  return MSDK_OK;
}

static void y4m_close(fp_source *source) { (void)source; }

const fp_container fp_y4m = {.open = y4m_open, .locate = y4m_locate, .decode = y4m_decode, .close = y4m_close};
