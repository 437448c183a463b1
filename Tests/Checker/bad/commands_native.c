/* A native command whose truth is neither 0 nor 1. */
#define HELPERS \
  static uint8_t is_level(msdk_self *self, uint32_t level) { return (void)self, level > 4 ? 2 : 0; } \
  static const msdk_command commands[] = {MSDK_COMMAND1("is_level", is_level, BOOL, U32, "level", "whether it is that loud")};
#define CLASS .commands = commands, .command_count = 1
#include "good.h"
