/* A native command that keeps the pointer to a text, not the text. */
#define MEMBERS const char *former;
#define HELPERS \
  static uint32_t note(msdk_self *self, const char *text) { \
    uint32_t count = self->former != NULL ? (uint32_t)strlen(self->former) : 0; \
    self->former = text; \
    return count; \
  } \
  static const msdk_command commands[] = {MSDK_COMMAND1("note", note, U32, STRING, "text", "how long the last one was")};
#define CLASS .commands = commands, .command_count = 1
#include "good.h"
