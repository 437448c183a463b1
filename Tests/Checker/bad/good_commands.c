/* Nothing is wrong with it: native commands of every type, with limits, choices and defaults. */
#define MEMBERS char said[65600]; msdk_bytes raw;
#define HELPERS \
  static msdk_result go(msdk_self *self, const char *where, double speed) { \
    if (speed < 0 || speed > 9) abort(); \
    return strcmp(where, "left") == 0 || strcmp(where, "right") == 0 ? MSDK_OK : say(self, MSDK_E_NOT_FOUND, "accepted: left, right"); \
  } \
  static const char *echo(msdk_self *self, const char *text) { return strcpy(self->said, text); } \
  static const msdk_bytes *raw(msdk_self *self, const msdk_bytes *bytes) { \
    if (bytes->size > 0) memcpy(self->said, bytes->data, bytes->size < 65536 ? bytes->size : 65536); \
    self->raw = (msdk_bytes){.data = self->said, .size = bytes->size < 65536 ? bytes->size : 65536}; \
    return &self->raw; \
  } \
  static uint8_t both(msdk_self *self, uint8_t one, int32_t two, int64_t three, uint32_t four, uint64_t five) { \
    return (void)self, one != 0 && two != 0 && three != 0 && four != 0 && five != 0; \
  } \
  static void reset(msdk_self *self) { self->count = 0; } \
  static double half(msdk_self *self, double number) { return (void)self, number / 2; } \
  static const char *const places[] = {"left", "right"}; \
  static const msdk_value usual = {.type = MSDK_T_F64, .u.f64 = 2}; \
  static const msdk_arg_limits limits[] = { \
    {.struct_size = sizeof(msdk_arg_limits), .choices = places, .choice_count = MSDK_COUNT(places)}, \
    {.struct_size = sizeof(msdk_arg_limits), .min = MSDK_F64(0), .max = MSDK_F64(9), .def = &usual}, \
  }; \
  static const msdk_command commands[] = { \
    MSDK_COMMAND2_WITH(0, limits, "go", go, STATUS, STRING, "where", F64, "speed", "moves it"), \
    MSDK_COMMAND1("echo", echo, STRING, STRING, "text", "says it again"), MSDK_COMMAND1("raw", raw, BYTES, BYTES, "bytes", "gives them back"), \
    MSDK_COMMAND5("both", both, BOOL, BOOL, "a", I32, "b", I64, "c", U32, "d", U64, "e", "whether none is 0"), \
    MSDK_COMMAND0("reset", reset, VOID, "begins anew"), MSDK_COMMAND1("half", half, F64, F64, "number", "half of it"), \
  };
#define CLASS .commands = commands, .command_count = 6
#include "good.h"
