/* The names of pixel formats, for error texts. */
#ifndef MSDK_PLUGINS_PIXEL_NAMES_H
#define MSDK_PLUGINS_PIXEL_NAMES_H

#include <mediasdk/types.h>

static inline const char *msdk_pixel_name(uint32_t pixel_format) {
  switch (pixel_format) {
    case MSDK_PIXEL_I420: return "I420";
    case MSDK_PIXEL_NV12: return "NV12";
    case MSDK_PIXEL_BGRA: return "BGRA";
    case MSDK_PIXEL_RGBA: return "RGBA";
    case MSDK_PIXEL_ARGB: return "ARGB";
    case MSDK_PIXEL_ABGR: return "ABGR";
    case MSDK_PIXEL_BGR24: return "BGR24";
    case MSDK_PIXEL_RGB24: return "RGB24";
    case MSDK_PIXEL_GRAY8: return "GRAY8";
    default: return "of a number without a name";
  }
}

#endif /* MSDK_PLUGINS_PIXEL_NAMES_H */
