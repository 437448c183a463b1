/* While another one seems to play, by a mark that a process that is killed leaves behind, it makes no picture. */
#define HELPERS \
  static char mark_path[1100]; \
  static msdk_result module_init(const char *path) { \
    if (strlen(path) > 1000) return MSDK_E_RANGE; \
    strcat(strcpy(mark_path, path), ".mark"); \
    return MSDK_OK; \
  }
#define MODULE .init = module_init
#define MEMBERS int is_second;
#define ON_INIT \
  self->is_second = access(mark_path, F_OK) == 0; \
  int mark = open(mark_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600); \
  if (mark >= 0) close(mark)
#define ON_RELEASE unlink(mark_path)
#define ON_PRODUCE if (self->is_second) return MSDK_E_AGAIN
#include "good.h"
