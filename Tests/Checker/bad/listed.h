/* A parameter whose values are listed: "low" and "high". */
#define PARAMS {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_DYNAMIC_CHOICES, .name = "level", .def = MSDK_STRING("low")}
#define HELPERS \
  static msdk_result param_choice(msdk_self *self, const char *name, uint32_t index, msdk_choice *out) { \
    static const char *const values[] = {"low", "high"}; \
    if (strcmp(name, "level") != 0 || index > 1) return say(self, MSDK_E_NOT_FOUND, "there are two"); \
    out->value = values[index]; \
    return MSDK_OK; \
  }
#define CLASS .param_choice = param_choice
#include "good.h"
