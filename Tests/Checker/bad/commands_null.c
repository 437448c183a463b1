/* A native command that gives no text for what it does not know, and no words for why. */
#define HELPERS \
  static const char *name_of(msdk_self *self, const char *key) { return (void)self, strcmp(key, "") == 0 ? "nobody" : NULL; } \
  static const msdk_command commands[] = {MSDK_COMMAND1("name_of", name_of, STRING, STRING, "key", "who it is")};
#define CLASS .commands = commands, .command_count = 1
#include "good.h"
