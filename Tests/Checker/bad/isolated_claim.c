/* Setting the level claims it, and one that is claimed cannot be set again before it was given back, which a killed process does not do. */
#define HELPERS \
  static char claim_path[1100]; \
  static msdk_result module_init(const char *path) { \
    if (strlen(path) > 1000) return MSDK_E_RANGE; \
    strcat(strcpy(claim_path, path), ".claim"); \
    return MSDK_OK; \
  }
#define MODULE .init = module_init
#define MEMBERS int has_claim;
#define ON_SET \
  if (strcmp(name, "level") == 0 && !self->has_claim) { \
    int claim = open(claim_path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600); \
    if (claim < 0) return say(self, MSDK_E_EXISTS, "the level is claimed by somebody else"); \
    close(claim); \
    self->has_claim = 1; \
  }
#define ON_DESTROY if (self->has_claim) unlink(claim_path)
#include "good.h"
