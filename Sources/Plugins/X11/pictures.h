/* The pictures that are handed out without a copy. Each knows which parts of it are out of date, and only those are read again, once
 * the host has given it back. */
#ifndef X11_PICTURES_H
#define X11_PICTURES_H

#include "cursor.h"
#include "memory.h"

#include <stdatomic.h>
#include <xcb/damage.h>
#include <xcb/xfixes.h>

enum { X11_PICTURES_MAX = 8, X11_RECTANGLES_MAX = 32 };

typedef struct x11_picture {
  _Atomic int holders; /* the plugin, while it captures, and every frame that shows it */
  x11_memory memory;
  xcb_pixmap_t pixmap;           /* over the memory; 0: it is filled by this side */
  xcb_render_picture_t target;   /* to paint on the pixmap */
  xcb_xfixes_region_t old_parts; /* of the window */
  bool all_old;
  x11_mark cursor; /* that is drawn in it */
  uint64_t number; /* the greatest is the newest */
} x11_picture;

typedef struct x11_pictures {
  x11_picture *all[X11_PICTURES_MAX];
  uint32_t count;
  x11_picture *newest; /* NULL: there is none */
  bool current;        /* the newest shows all that was noticed */
  uint64_t number;
  bool by_server; /* the server paints into them; otherwise it sends images */
  uint32_t upheavals; /* how often all became old at once */
  xcb_damage_damage_t damage;      /* 0: nobody tells what changed */
  xcb_xfixes_region_t fresh, spot; /* what changed since it was asked last; for passing use */
  xcb_render_picture_t root;       /* to paint from, if the source is no window */
  x11_memory images;               /* where the server puts what it sends */
} x11_pictures;

void x11_pictures_open(msdk_self *self);
void x11_pictures_close(msdk_self *self);
void x11_pictures_all_changed(x11_pictures *pictures);
/* Asks what was drawn, and makes those parts of the pictures old. */
void x11_pictures_notice(msdk_self *self);
/* A picture that nobody looks at, the newest if that is one; NULL when there is none. */
x11_picture *x11_pictures_take(msdk_self *self);
/* Reads its old parts. false: it could not be read now, and holds nothing of use. */
bool x11_pictures_update(msdk_self *self, x11_picture *picture);
/* A frame that shows it. */
msdk_result x11_pictures_wrap(msdk_self *self, x11_picture *picture, msdk_video_frame **out);

bool x11_paint(msdk_self *self, x11_picture *picture); /* paint.c: the server does the work */
bool x11_fetch(msdk_self *self, x11_picture *picture); /* fetch.c: the server sends images */
/* Whether a window's pixmap, or the root window, is still as large as what is captured. */
bool x11_fits(msdk_self *self, xcb_get_geometry_cookie_t cookie);

void x11_convert(const x11_pixels *pixels, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint32_t width,
                 uint32_t height);

#endif
