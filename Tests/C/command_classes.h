/* A module of the test's own whose one class has commands of every kind: `native` ones of all types, `invoke`, thread-safe ones, and ones
 * that do not answer what they declare. How often any of them ran is counted, so that a test sees what the core let through. */
#ifndef COMMAND_CLASSES_H
#define COMMAND_CLASSES_H

#include "call.h"
#include "shared.h"

#include <ctype.h>
#include <math.h>

#define COMMANDS_ID "org.mediasdk.test.commands"

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  char text[70000];
  uint8_t memory[64];
  msdk_bytes bytes;
};

typedef struct command_book {
  atomic_int run, created, destroyed;
  atomic_int waits, go; /* of the commands that wait */
} command_book;
static inline command_book *command_shared(void) {
  static command_book own, *book;
  if (book == NULL) book = shared_memory(&own, sizeof own);
  return book;
}
#define commands_run (command_shared()->run)
#define commands_created (command_shared()->created)
#define commands_destroyed (command_shared()->destroyed)
#define waiting (command_shared()->waits)
#define may_go (command_shared()->go)
static void (*command_inside)(void);      /* is called in "inside" */

static inline msdk_self *ran(msdk_self *self) {
  atomic_fetch_add(&commands_run, 1);
  return self;
}
static inline void say(msdk_self *self, msdk_result result, const char *words) { self->host->set_error(self->context, result, words); }

/* ----------------------------------------------------------------------------------------------------------------- honest */

static void run_nothing(msdk_self *self) { ran(self); }
static uint8_t run_flip(msdk_self *self, uint8_t value) { return ran(self) != NULL && value == 0; }
static int32_t run_add(msdk_self *self, int32_t a, int32_t b) { return ran(self) != NULL ? (int32_t)((uint32_t)a + (uint32_t)b) : 0; }
static int64_t run_i64(msdk_self *self, int64_t value) { return ran(self) != NULL ? value : 0; }
static uint32_t run_u32(msdk_self *self, uint32_t value) { return ran(self) != NULL ? value : 0; }
static uint64_t run_u64(msdk_self *self, uint64_t value) { return ran(self) != NULL ? value : 0; }
static double run_half(msdk_self *self, double value) { return ran(self) != NULL ? value / 2 : 0; }
static const char *run_shout(msdk_self *self, const char *text) {
  size_t length = strlen(text);
  ran(self);
  for (size_t i = 0; i <= length; i++) self->text[i] = (char)((unsigned char)text[i] < 128 ? toupper((unsigned char)text[i]) : text[i]);
  return self->text;
}
static const msdk_bytes *run_reverse(msdk_self *self, const msdk_bytes *bytes) {
  size_t size = bytes->size < sizeof self->memory ? (size_t)bytes->size : sizeof self->memory;
  ran(self);
  for (size_t i = 0; i < size; i++) self->memory[i] = ((const uint8_t *)bytes->data)[size - 1 - i];
  self->bytes = (msdk_bytes){self->memory, size};
  return &self->bytes;
}
static msdk_result run_check(msdk_self *self, int32_t code) {
  ran(self);
  if (code < -1) say(self, code, "the code was what it was");
  return code;
}
static const char *run_all(msdk_self *self, uint8_t b, int32_t i, int64_t l, uint32_t u, uint64_t v, double d, const char *s,
                           const msdk_bytes *bytes) {
  snprintf(ran(self)->text, sizeof self->text, "%u %d %lld %u %llu %.2f %s %llu", b, i, (long long)l, u, (unsigned long long)v, d, s,
           (unsigned long long)bytes->size);
  return self->text;
}
static const char *run_pattern(msdk_self *self, const char *name, double speed, int32_t count) {
  snprintf(ran(self)->text, sizeof self->text, "%s %.1f %d", name, speed, count);
  return self->text;
}
static msdk_result run_sum(msdk_self *self, const msdk_value *args, uint32_t arg_count, msdk_value *result) {
  ran(self);
  CHECK_EQ(arg_count, 8);
  CHECK_EQ(result->type, MSDK_T_VOID);
  *result = (msdk_value){.type = MSDK_T_I64};
  for (uint32_t i = 0; i < arg_count; i++) {
    CHECK_EQ(args[i].type, MSDK_T_I64);
    result->u.u64 += args[i].u.u64; /* which wraps */
  }
  return MSDK_OK;
}
static msdk_result run_invoked_text(msdk_self *self, const msdk_value *args, uint32_t arg_count, msdk_value *result) {
  CHECK_EQ(arg_count, 1);
  *result = (msdk_value){.type = MSDK_T_STRING, .u.str = run_shout(self, args[0].u.str)};
  return MSDK_OK;
}
static msdk_result run_invoked_nothing(msdk_self *self, const msdk_value *args, uint32_t arg_count, msdk_value *result) {
  (void)args, (void)result;
  ran(self);
  CHECK_EQ(arg_count, 0);
  return MSDK_OK;
}

/* --------------------------------------------------------------------------------------------------------------- dishonest */

static uint8_t run_seven(msdk_self *self) { return ran(self) != NULL ? 7 : 0; }
static const char *run_null_text(msdk_self *self, uint8_t with_words) {
  if (ran(self) != NULL && with_words) say(self, MSDK_E_DEVICE_LOST, "there is no text today");
  return NULL;
}
static const char *run_broken_text(msdk_self *self) { return ran(self) != NULL ? "\xC3(" : NULL; }
static const char *run_long_text(msdk_self *self) {
  memset(ran(self)->text, 'x', 65537);
  self->text[65537] = 0;
  return self->text;
}
static const msdk_bytes *run_null_bytes(msdk_self *self) { return ran(self) != NULL ? NULL : &self->bytes; }
static const msdk_bytes *run_hollow_bytes(msdk_self *self) {
  ran(self)->bytes = (msdk_bytes){NULL, 5};
  return &self->bytes;
}
static msdk_result run_other_type(msdk_self *self, const msdk_value *args, uint32_t arg_count, msdk_value *result) {
  (void)args, (void)arg_count;
  ran(self);
  *result = (msdk_value){.type = MSDK_T_F64, .u.f64 = 1};
  return MSDK_OK;
}
static msdk_result run_fails(msdk_self *self, const msdk_value *args, uint32_t arg_count, msdk_value *result) {
  (void)args, (void)arg_count;
  ran(self);
  *result = (msdk_value){.type = MSDK_T_I32, .u.i32 = 5};
  say(self, MSDK_E_DEVICE_LOST, "the disk is full of ants");
  return MSDK_E_DEVICE_LOST;
}

/* ----------------------------------------------------------------------------------------------------------------- waiting */

static void run_wait(msdk_self *self) {
  ran(self);
  atomic_fetch_add(&waiting, 1);
  while (!atomic_load(&may_go)) sleep_ms(1);
  atomic_fetch_sub(&waiting, 1);
}
/* Waits, and fails in words of its own thread while others do the same. */
static msdk_result run_refuse(msdk_self *self, int32_t number) {
  char words[32];
  snprintf(words, sizeof words, "number %d", number);
  say(ran(self), MSDK_E_IO, words);
  atomic_fetch_add(&waiting, 1);
  while (!atomic_load(&may_go)) sleep_ms(1);
  atomic_fetch_sub(&waiting, 1);
  return MSDK_E_IO;
}
static void run_inside(msdk_self *self) {
  ran(self);
  if (command_inside != NULL) command_inside();
}

/* ------------------------------------------------------------------------------------------------------------------ tables */

#define LIMITS .struct_size = sizeof(msdk_arg_limits)
static const char *const pattern_names[] = {"lines", "bars"};
static const msdk_value usual_speed = {.type = MSDK_T_I32, .u.i32 = 1}; /* becomes an f64 */
static const msdk_value usual_count = {.type = MSDK_T_I32, .u.i32 = 3};
static const msdk_arg_limits add_limits[] = {{LIMITS, .min = MSDK_I32(-100), .max = MSDK_I32(100)}, {LIMITS, .summary = "the other one"}};
static const msdk_arg_limits pattern_limits[] = {
  {LIMITS, .summary = "what is drawn", .choices = pattern_names, .choice_count = MSDK_COUNT(pattern_names)}, {LIMITS, .min = MSDK_F64(0), .max = MSDK_F64(16), .def = &usual_speed},
  {LIMITS, .def = &usual_count}};

#define INVOKE(n, r, f) .struct_size = sizeof(msdk_command), .name = (n), .result = (r), .invoke = (f)
static const msdk_command test_commands[] = {
  MSDK_COMMAND0("nothing", run_nothing, VOID, "does nothing"),
  MSDK_COMMAND1("flip", run_flip, BOOL, BOOL, "value", NULL),
  MSDK_COMMAND2_WITH(MSDK_COMMAND_CONST, add_limits, "add", run_add, I32, I32, "a", I32, "b", "adds up"),
  MSDK_COMMAND1("i64", run_i64, I64, I64, "value", NULL),
  MSDK_COMMAND1("u32", run_u32, U32, U32, "value", NULL),
  MSDK_COMMAND1("u64", run_u64, U64, U64, "value", NULL),
  MSDK_COMMAND1("half", run_half, F64, F64, "value", NULL),
  MSDK_COMMAND1("shout", run_shout, STRING, STRING, "text", NULL),
  MSDK_COMMAND1("reverse", run_reverse, BYTES, BYTES, "bytes", NULL),
  MSDK_COMMAND1("check", run_check, STATUS, I32, "code", NULL),
  MSDK_COMMAND8("all", run_all, STRING, BOOL, "b", I32, "i", I64, "l", U32, "u", U64, "v", F64, "d", STRING, "s", BYTES, "bytes", NULL),
  MSDK_COMMAND3_WITH(0, pattern_limits, "pattern", run_pattern, STRING, STRING, "name", F64, "speed", I32, "count", "draws"),
  MSDK_COMMAND0("seven", run_seven, BOOL, NULL),
  MSDK_COMMAND1("null_text", run_null_text, STRING, BOOL, "with_words", NULL),
  MSDK_COMMAND0("broken_text", run_broken_text, STRING, NULL),
  MSDK_COMMAND0("long_text", run_long_text, STRING, NULL),
  MSDK_COMMAND0("null_bytes", run_null_bytes, BYTES, NULL),
  MSDK_COMMAND0("hollow_bytes", run_hollow_bytes, BYTES, NULL),
  MSDK_COMMAND0("wait", run_wait, VOID, NULL),
  MSDK_COMMAND0("inside", run_inside, VOID, NULL),
  MSDK_COMMAND0_WITH(MSDK_COMMAND_THREAD_SAFE, NULL, "wait_beside", run_wait, VOID, NULL),
  MSDK_COMMAND0_WITH(MSDK_COMMAND_THREAD_SAFE, NULL, "inside_beside", run_inside, VOID, NULL),
  MSDK_COMMAND1_WITH(MSDK_COMMAND_THREAD_SAFE, NULL, "refuse_beside", run_refuse, STATUS, I32, "number", NULL),
  {INVOKE("sum", MSDK_T_I64, run_sum), .arg_count = 8,
   .args = {{"a", MSDK_T_I64, 0}, {"b", MSDK_T_I64, 0}, {"c", MSDK_T_I64, 0}, {"d", MSDK_T_I64, 0}, {"e", MSDK_T_I64, 0},
            {"f", MSDK_T_I64, 0}, {"g", MSDK_T_I64, 0}, {"h", MSDK_T_I64, 0}}},
  {INVOKE("invoked_text", MSDK_T_STRING, run_invoked_text), .arg_count = 1, .args = {{"text", MSDK_T_STRING, 0}}},
  {INVOKE("invoked_nothing", MSDK_T_VOID, run_invoked_nothing)},
  {INVOKE("forgets", MSDK_T_I32, run_invoked_nothing)},
  {INVOKE("other_type", MSDK_T_I32, run_other_type)},
  {INVOKE("more_than_nothing", MSDK_T_VOID, run_other_type)},
  {INVOKE("fails", MSDK_T_I32, run_fails)},
};
enum { TEST_COMMANDS = sizeof test_commands / sizeof test_commands[0] };

static msdk_result commands_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  atomic_fetch_add(&commands_created, 1);
  *out = self;
  return MSDK_OK;
}
static void commands_destroy(msdk_self *self) {
  atomic_fetch_add(&commands_destroyed, 1);
  free(self);
}
static msdk_result commands_control(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result commands_render(msdk_self *self, const msdk_video_frame *frame) {
  return self != NULL && frame != NULL ? MSDK_OK : MSDK_E_FAIL;
}
static const msdk_video_renderer commands_renderer = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = commands_control, .release_render = commands_control,
  .render_video_frame = commands_render};
static const msdk_class commands_class = {
  .struct_size = sizeof(msdk_class), .id = COMMANDS_ID, .name = "commands", .kinds = MSDK_KIND_VIDEO_RENDERER,
  .commands = test_commands, .command_count = TEST_COMMANDS,  .create = commands_create, .destroy = commands_destroy, .video_renderer = &commands_renderer};
static const msdk_class *const commands_classes[] = {&commands_class};
static const msdk_module commands_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests", .classes = commands_classes, .class_count = MSDK_COUNT(commands_classes)};

static inline void commands_load(msdk_engine *engine) {
  if (tests_isolated()) SHARED_PLUGIN(engine, "commands");
  else CHECK_OK(msdk_engine_register_module(engine, &commands_module));
}

#endif
