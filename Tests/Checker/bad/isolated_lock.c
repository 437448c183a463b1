/* Whoever plays has a lock file, which a process that is killed leaves behind. */
#define HELPERS \
  static char lock_path[1100]; \
  static msdk_result module_init(const char *path) { \
    if (strlen(path) > 1000) return MSDK_E_RANGE; \
    strcat(strcpy(lock_path, path), ".lock"); \
    return MSDK_OK; \
  }
#define MODULE .init = module_init
#define ON_INIT \
  int lock = open(lock_path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600); \
  if (lock < 0) return say(self, MSDK_E_EXISTS, "somebody else is playing: there is a lock file"); \
  close(lock)
#define ON_RELEASE unlink(lock_path)
#include "good.h"
