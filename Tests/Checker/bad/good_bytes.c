/* A parameter of bytes. */
#define PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = MSDK_T_BYTES}}
#define MEMBERS uint8_t bytes[65536]; uint64_t size;
#define ON_SET \
  if (strcmp(name, "level") == 0) { \
    if (value->u.bytes.size > sizeof self->bytes) return say(self, MSDK_E_RANGE, "accepted: up to 65536 bytes"); \
    if (value->u.bytes.size > 0) memcpy(self->bytes, value->u.bytes.data, value->u.bytes.size); \
    self->size = value->u.bytes.size; \
  }
#define HELPERS \
  static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) { \
    if (strcmp(name, "level") != 0) return say(self, MSDK_E_NOT_FOUND, "accepted: level"); \
    *out = (msdk_value){.type = MSDK_T_BYTES, .u.bytes = {.data = self->bytes, .size = self->size}}; \
    return MSDK_OK; \
  }
#define CLASS .get_param = get_param
#include "good.h"
