/* One source that is captured. */
#ifndef X11_SELF_H
#define X11_SELF_H

#include "cursor.h"
#include "monitors.h"
#include "pictures.h"
#include "source.h"

#include <stdatomic.h>

typedef struct x11_options { /* the parameters */
  char *display, *source, *monitor, *window;
  uint32_t x, y, width, height, fps;
  bool cursor, skip_unchanged;
} x11_options;

struct msdk_self {
  plugin_report report;
  x11_options options;
  x11_display display;
  x11_source source;
  x11_pictures pictures;
  x11_cursor cursor;
  x11_monitors monitors; /* found for those who choose one */
  msdk_video_format format; /* agreed on */
  x11_area offered;         /* of the size that was told last */
  _Atomic int started;
  bool rearranged; /* the monitors; the host does not know yet */
  bool changed;  /* something was drawn that no picture has yet */
  bool outdated; /* the source is of another size than agreed on, and the host knows */
  bool lost;     /* the source is gone, and the host knows */
};

extern const msdk_video_producer x11_producer;

/* Takes what the server told meanwhile, without waiting for more: what was drawn, what moved, what is gone. MSDK_E_DEVICE_LOST, with
 * words, when the source is; MSDK_E_AGAIN when the server does not answer. */
msdk_result x11_follow(msdk_self *self);

#endif
