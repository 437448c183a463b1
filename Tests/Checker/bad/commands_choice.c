/* A native command that does not know its second choice. */
#define HELPERS \
  static msdk_result go(msdk_self *self, const char *where, double speed) { \
    if (speed < 0 || speed > 9) abort(); /* never: the host holds it to its limits */ \
    return strcmp(where, "left") == 0 ? MSDK_OK : MSDK_E_NOT_FOUND; \
  } \
  static const char *const places[] = {"left", "right", NULL}; \
  static const msdk_value usual = {.type = MSDK_T_F64, .u.f64 = 2}; \
  static const msdk_arg_limits limits[] = { \
    {.struct_size = sizeof(msdk_arg_limits), .choices = places}, \
    {.struct_size = sizeof(msdk_arg_limits), .min = 0, .max = 9, .def = &usual}, \
  }; \
  static const msdk_command commands[] = {MSDK_COMMAND2_WITH(0, limits, "go", go, STATUS, STRING, "where", F64, "speed", "moves it")};
#define CLASS .commands = commands, .command_count = 1, .command_stride = sizeof(msdk_command)
#include "good.h"
