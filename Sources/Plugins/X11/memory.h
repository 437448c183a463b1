/* Memory that the X server may write to, or plain memory in the same shape. */
#ifndef X11_MEMORY_H
#define X11_MEMORY_H

#include "display.h"

#include <xcb/shm.h>

typedef struct x11_memory {
  uint8_t *data; /* NULL: none */
  size_t size;
  bool system_v;         /* of shmget */
  xcb_shm_seg_t segment; /* 0: not shared */
} x11_memory;

bool x11_memory_share(x11_display *display, size_t size, x11_memory *out); /* false: the server does not take it */
bool x11_memory_make(size_t size, x11_memory *out);
/* The server lets go of it. The memory stays. */
void x11_memory_detach(x11_display *display, x11_memory *memory);
void x11_memory_free(x11_memory *memory);

#endif
