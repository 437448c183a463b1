/* Its module thinks that the process is its own. */
#define HELPERS \
  static msdk_result quieten(const char *path) { \
    signal(SIGPIPE, SIG_IGN); \
    return path == NULL ? MSDK_E_FAIL : MSDK_OK; \
  }
#define MODULE .init = quieten
#include "good.h"
