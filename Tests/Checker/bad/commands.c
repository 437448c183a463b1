/* A command whose result is of another type than declared. */
#define HELPERS \
  static msdk_result count(msdk_self *self, const msdk_value *args, uint32_t arg_count, msdk_value *result) { \
    (void)args, (void)arg_count; \
    *result = (msdk_value){.type = MSDK_T_U64, .u.u64 = self->count}; \
    return MSDK_OK; \
  } \
  static const msdk_command commands[] = {{.struct_size = sizeof(msdk_command), .name = "count", .result = MSDK_T_U32, .invoke = count}};
#define CLASS .commands = commands, .command_count = 1
#include "good.h"
