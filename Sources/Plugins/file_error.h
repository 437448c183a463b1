/* What an errno of open or write means for a file that a parameter names. */
#ifndef PLUGIN_FILE_ERROR_H
#define PLUGIN_FILE_ERROR_H

#include <errno.h>

#include <mediasdk/plugin.h>

static inline msdk_result result_of(int error) {
  switch (error) {
  case ENOENT:
  case ENOTDIR: return MSDK_E_NOT_FOUND;
  case EACCES:
  case EPERM:
  case EROFS: return MSDK_E_PERMISSION;
  case ENOMEM:
  case EMFILE:
  case ENFILE: return MSDK_E_NOMEM;
  case EISDIR:
  case ENXIO: return MSDK_E_INVALID; /* ENXIO: a fifo that nobody reads, or a socket */
  default: return MSDK_E_IO;
  }
}

#endif
