/* A native command that does not know its second choice. */
#define HELPERS \
  static msdk_result go(msdk_self *self, const char *where, double speed) { \
    if (speed < 0 || speed > 9) abort(); /* never: the host holds it to its limits */ \
    return strcmp(where, "left") == 0 ? MSDK_OK : MSDK_E_NOT_FOUND; \
  } \
  static const char *const places[] = {"left", "right"}; \
  static const msdk_value usual = {.type = MSDK_T_F64, .u.f64 = 2}; \
  static const msdk_arg_limits limits[] = { \
    {.struct_size = sizeof(msdk_arg_limits), .choices = places, .choice_count = MSDK_COUNT(places)}, \
    {.struct_size = sizeof(msdk_arg_limits), .min = MSDK_F64(0), .max = MSDK_F64(9), .def = &usual}, \
  }; \
  static const msdk_command commands[] = {MSDK_COMMAND2_WITH(0, limits, "go", go, STATUS, STRING, "where", F64, "speed", "moves it")};
#define CLASS .commands = commands, .command_count = 1
#include "good.h"
