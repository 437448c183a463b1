/* It keeps the pointer to bytes, not the bytes. */
#define PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = MSDK_T_BYTES}}
#define MEMBERS msdk_bytes level;
#define ON_SET if (strcmp(name, "level") == 0) self->level = value->u.bytes
#define HELPERS \
  static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) { \
    (void)name; \
    *out = (msdk_value){.type = MSDK_T_BYTES, .u.bytes = self->level}; \
    return MSDK_OK; \
  }
#define CLASS .get_param = get_param
#include "good.h"
