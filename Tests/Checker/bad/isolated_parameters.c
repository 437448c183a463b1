/* init sets everything to its default, what was set before too. */
#define MEMBERS uint32_t level;
#define ON_SET if (strcmp(name, "level") == 0) self->level = value->u.u32
#define ON_INIT self->level = 0
#define HELPERS \
  static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) { \
    if (strcmp(name, "level") != 0) return say(self, MSDK_E_NOT_FOUND, "accepted: level"); \
    *out = (msdk_value){.type = MSDK_T_U32, .u.u32 = self->level}; \
    return MSDK_OK; \
  }
#define CLASS .get_param = get_param
#include "good.h"
