/* What is seen in the window: the picture upright, scaled, and what is left of the window in the background's colour. */
#ifndef WINDOW_COMPOSE_H
#define WINDOW_COMPOSE_H

#include <mediasdk/plugin.h>

#include <stdbool.h>

enum { WN_FIT = 0, WN_FILL = 1, WN_STRETCH = 2 };

typedef struct wn_view {
  int scale;           /* WN_* */
  uint32_t background; /* 0xRRGGBB */
} wn_view;

/* Rows of BGRA. */
typedef struct wn_canvas {
  uint8_t *pixels;
  int stride;
  uint32_t width, height;
} wn_canvas;

/* Memory that grows and is kept. */
typedef struct wn_memory {
  uint8_t *bytes;
  uint64_t size;
} wn_memory;

bool wn_memory_reserve(wn_memory *memory, uint64_t size);
void wn_memory_free(wn_memory *memory);

/* The frame's size once it stands upright. */
void wn_upright_size(const msdk_video_frame *frame, uint32_t *width, uint32_t *height);

/* frame: BGRA. scratch holds the upright picture, if it must be turned. False when there is no memory for that. */
bool wn_compose(const wn_view *view, const msdk_video_frame *frame, wn_memory *scratch, const wn_canvas *canvas);

#endif
