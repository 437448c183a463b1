/* How the pixels of a screen lie in memory. */
#ifndef WINDOW_VISUAL_H
#define WINDOW_VISUAL_H

#include <stdbool.h>
#include <stdint.h>
#include <xcb/xcb.h>

typedef struct wn_visual {
  xcb_visualid_t id;
  uint8_t depth;
  uint32_t bytes;       /* of a pixel: 2, 3 or 4 */
  uint32_t pad;         /* bytes to whose multiple a row is filled up */
  bool big_endian;
  bool direct;          /* its pixels are BGRA */
  uint32_t red[256], green[256], blue[256]; /* the bits of a pixel for each value of 8 bits */
} wn_visual;

/* That of the screen's root window; false when it is not of a kind whose pixels are made of red, green and blue. */
bool wn_visual_find(const xcb_setup_t *setup, const xcb_screen_t *screen, wn_visual *out);

/* Bytes of a row. */
uint64_t wn_visual_stride(const wn_visual *visual, uint32_t width);

/* The pixel of a colour 0xRRGGBB. */
uint32_t wn_visual_pixel(const wn_visual *visual, uint32_t colour);

/* A row of BGRA as the screen has it. */
void wn_visual_pack(const wn_visual *visual, const uint8_t *bgra, uint8_t *to, uint32_t width);

#endif
