/* It keeps the pointer to a text, not the text. */
#define PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = MSDK_T_STRING}}
#define MEMBERS const char *level;
#define ON_SET if (strcmp(name, "level") == 0) self->level = value->u.str
#define HELPERS \
  static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) { \
    *out = (msdk_value){.type = MSDK_T_STRING, .u.str = self->level != NULL ? self->level : name}; \
    return MSDK_OK; \
  }
#define CLASS .get_param = get_param
#include "good.h"
