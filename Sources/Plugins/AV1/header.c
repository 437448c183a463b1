/* The head of a temporal unit: AV1 Bitstream & Decoding Process Specification, sections 5.3 to 5.9. Nothing is read past what was given: beyond
 * the end there are zeros, and a mark that says so. */
#include "self.h"

enum { OBU_SEQUENCE_HEADER = 1, OBU_TEMPORAL_DELIMITER = 2, OBU_FRAME_HEADER = 3, OBU_FRAME = 6 };
enum { FRAME_KEY = 0 };

typedef struct bits {
  const uint8_t *data;
  uint64_t size, at; /* size in bytes, at in bits */
  bool is_over;
} bits;

static uint32_t read(bits *from, unsigned count) {
  uint32_t value = 0;
  for (unsigned i = 0; i < count; i++, from->at++) {
    uint64_t byte = from->at / 8;
    if (byte >= from->size) from->is_over = true;
    value = value << 1 | (byte < from->size ? from->data[byte] >> (7 - from->at % 8) & 1 : 0);
  }
  return value;
}

/* uvlc() of section 4.10.3: as many bits as there were zeros. */
static void skip_uvlc(bits *from) {
  unsigned zeros = 0;
  while (zeros < 32 && !from->is_over && read(from, 1) == 0) zeros++;
  if (zeros < 32) read(from, zeros);
}

typedef struct sequence {
  bool is_reduced; /* reduced_still_picture_header */
  uint32_t width, height;
} sequence;

/* sequence_header_obu() of section 5.5.1, as far as the size. */
static bool parse_sequence(bits *from, sequence *out) {
  read(from, 3); /* seq_profile */
  read(from, 1); /* still_picture */
  out->is_reduced = read(from, 1);
  if (out->is_reduced) {
    read(from, 5); /* seq_level_idx */
  } else {
    bool has_model = false;
    unsigned delay_bits = 0;
    if (read(from, 1)) { /* timing_info_present_flag */
      read(from, 32);
      read(from, 32);
      if (read(from, 1)) skip_uvlc(from); /* equal_picture_interval */
      has_model = read(from, 1);
      if (has_model) {
        delay_bits = read(from, 5) + 1;
        read(from, 32);
        read(from, 10);
      }
    }
    bool has_display_delay = read(from, 1);
    unsigned points = read(from, 5) + 1;
    for (unsigned i = 0; i < points && !from->is_over; i++) {
      read(from, 12);                    /* operating_point_idc */
      if (read(from, 5) > 7) read(from, 1); /* seq_level_idx, seq_tier */
      if (has_model && read(from, 1)) {
        read(from, delay_bits);
        read(from, delay_bits);
        read(from, 1);
      }
      if (has_display_delay && read(from, 1)) read(from, 4);
    }
  }
  unsigned width_bits = read(from, 4) + 1, height_bits = read(from, 4) + 1;
  out->width = read(from, width_bits) + 1;
  out->height = read(from, height_bits) + 1;
  return !from->is_over;
}

/* leb128() of section 4.10.5. */
static bool read_size(const uint8_t *data, uint64_t size, uint64_t *at, uint64_t *out) {
  *out = 0;
  for (unsigned i = 0; i < 8; i++) {
    if (*at >= size) return false;
    uint8_t byte = data[(*at)++];
    *out |= (uint64_t)(byte & 0x7F) << (i * 7);
    if (!(byte & 0x80)) return *out <= UINT32_MAX;
  }
  return false;
}

msdk_result av1_parse_header(const void *data, uint64_t size, msdk_encoded_header *out) {
  const uint8_t *bytes = data;
  if (bytes == NULL || out == NULL) return MSDK_E_INVALID;
  sequence known = {0};
  bool has_sequence = false;
  uint64_t at = 0;
  while (at < size) {
    uint8_t head = bytes[at++];
    if (head & 0x80) return MSDK_E_CORRUPT; /* obu_forbidden_bit */
    unsigned type = head >> 3 & 15;
    if (head & 4) at++; /* obu_extension_header */
    uint64_t length = at <= size ? size - at : 0;
    if (head & 2 ? !read_size(bytes, size, &at, &length) : at > size) return MSDK_E_CORRUPT;
    if (length > size - at) return MSDK_E_CORRUPT;
    bits from = {.data = bytes + at, .size = length};
    at += length;
    if (type == OBU_SEQUENCE_HEADER) {
      if (!parse_sequence(&from, &known)) return MSDK_E_CORRUPT;
      has_sequence = true;
    } else if (type == OBU_FRAME || type == OBU_FRAME_HEADER) {
      bool is_existing = !known.is_reduced && read(&from, 1), is_shown = true, is_key = known.is_reduced;
      if (!known.is_reduced && !is_existing) {
        is_key = read(&from, 2) == FRAME_KEY;
        is_shown = read(&from, 1);
      }
      if (from.is_over) return MSDK_E_CORRUPT;
      /* Without the sequence's header nobody can begin there. */
      bool begins = is_key && has_sequence;
      out->flags = begins ? MSDK_ENCODED_KEY : 0;
      out->width = begins ? known.width : 0;
      out->height = begins ? known.height : 0;
      out->is_shown = is_shown;
      out->reserved0 = 0;
      return MSDK_OK;
    }
  }
  return MSDK_E_CORRUPT;
}
