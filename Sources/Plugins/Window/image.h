/* The memory from which the server takes the window's contents: shared with it (MIT-SHM) where that works, or sent. The thread's. */
#ifndef WINDOW_IMAGE_H
#define WINDOW_IMAGE_H

#include "compose.h"
#include "visual.h"

#include <xcb/shm.h>

typedef struct wn_image {
  xcb_connection_t *connection;
  wn_memory sent;         /* what is sent, when nothing is shared */
  uint8_t *shared;        /* NULL: nothing is */
  uint64_t shared_size;
  xcb_shm_seg_t segment;
  uint8_t opcode, completion; /* of the extension: its requests, its event; opcode 0: it is not there, or does not work */
  bool busy;              /* the server still reads what is shared */
} wn_image;

void wn_image_open(wn_image *image, xcb_connection_t *connection);
void wn_image_close(wn_image *image);

/* Memory for so many bytes, to be written when it is not busy; NULL when there is none. */
uint8_t *wn_image_memory(wn_image *image, uint64_t size);

/* Shows what the memory holds, rows as wn_visual_stride has them. */
void wn_image_put(wn_image *image, const wn_visual *visual, xcb_window_t window, xcb_gcontext_t gc, uint32_t width, uint32_t height);

/* Looks at an event or error. True when what was put last must be put again. */
bool wn_image_notice(wn_image *image, const xcb_generic_event_t *event);

#endif
