/* YUV to RGB, for the vectors of vectors.h; NAME gives each function its name. */
#include "pixels.h"
#include "vectors.h"

/* Bits of fraction in sums. */
enum { COLOR_FRACTION = 6 };

/* What chroma adds, for two pixels each. */
typedef struct chroma_parts {
  words red, green, blue;
} chroma_parts;

/* Chroma as words whose upper bytes are the samples. */
static inline chroma_parts chroma_parts_of(unsigned_words u, unsigned_words v, const cpixels_colors *colors) {
  const words none = {0};
  words a = (words)(u ^ 0x8000), b = (words)(v ^ 0x8000);
  return (chroma_parts){multiply_fractions(b, none + colors->v_to_red),
                        multiply_fractions(a, none + colors->u_to_green) + multiply_fractions(b, none + colors->v_to_green),
                        multiply_fractions(a, none + colors->u_to_blue)};
}

static inline chroma_parts load_chroma(const uint8_t *u, const uint8_t *v, int step, const cpixels_colors *colors) {
  if (step == 1) return chroma_parts_of(load_wide(u) << 8, load_wide(v) << 8, colors);
  unsigned_words both = (unsigned_words)load_bytes(u);
  return chroma_parts_of(both << 8, both & 0xFF00, colors);
}

/* One channel of VECTOR pixels. */
static inline bytes channel_of(words low, words high, words part) {
  return narrow_words(add_saturated(low, low_words(part, part)) >> COLOR_FRACTION,
                      add_saturated(high, high_words(part, part)) >> COLOR_FRACTION);
}

/* VECTOR pixels. */
static inline void color_vector(const uint8_t *y, const uint8_t *u, const uint8_t *v, int step, const cpixels_colors *colors,
                                uint8_t *out) {
  const bytes opaque = ~(bytes){0};
  const unsigned_words gain = (unsigned_words){0} + colors->luma;
  bytes luma = load_bytes(y);
  words low = (words)multiply_high((unsigned_words)low_bytes(luma, luma), gain) + colors->offset;
  words high = (words)multiply_high((unsigned_words)high_bytes(luma, luma), gain) + colors->offset;
  chroma_parts parts = load_chroma(u, v, step, colors);
  bytes red = channel_of(low, high, parts.red), green = channel_of(low, high, parts.green), blue = channel_of(low, high, parts.blue);
  bytes first = colors->red_first ? red : blue, third = colors->red_first ? blue : red;
  bytes a = colors->alpha_first ? opaque : first, b = colors->alpha_first ? first : green;
  bytes c = colors->alpha_first ? green : third, d = colors->alpha_first ? third : opaque;
  words front[2] = {(words)low_bytes(a, b), (words)high_bytes(a, b)}, back[2] = {(words)low_bytes(c, d), (words)high_bytes(c, d)};
  store_pixels(out, low_words(front[0], back[0]), high_words(front[0], back[0]), low_words(front[1], back[1]),
               high_words(front[1], back[1]));
}

void NAME(to_colors)(const uint8_t *y, const uint8_t *u, const uint8_t *v, int step, const cpixels_colors *colors, uint8_t *out,
                     int count) {
  int x = 0;
  for (; x + VECTOR <= count; x += VECTOR) {
    color_vector(y + x, u + x / 2 * step, v + x / 2 * step, step, colors, out + (ptrdiff_t)4 * x);
  }
  if (x == count) return;
  /* The last pixels in memory of a vector's size. */
  const size_t left = (size_t)(count - x), of_chroma = (left + 1) / 2;
  uint8_t lumas[VECTOR] = {0}, chromas[2][VECTOR] = {{0}}, pixels[4 * VECTOR];
  memcpy(lumas, y + x, left);
  if (step == 1) {
    memcpy(chromas[0], u + x / 2, of_chroma);
    memcpy(chromas[1], v + x / 2, of_chroma);
  } else {
    memcpy(chromas[0], u + x, 2 * of_chroma);
  }
  color_vector(lumas, chromas[0], chromas[1], step, colors, pixels);
  memcpy(out + (ptrdiff_t)4 * x, pixels, 4 * left);
}
