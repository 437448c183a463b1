/* plugin.h, commands: what a class may declare, what engine.h tells of it, and modules of older headers. */
#include "command_classes.h"

static msdk_command command; /* changed by each case, and put back */
static msdk_arg_limits limits[2];

static void sound_command(void) {
  command = (msdk_command)MSDK_COMMAND2("add", run_add, I32, I32, "a", I32, "b", "adds up");
  for (int i = 0; i < 2; i++) limits[i] = (msdk_arg_limits){LIMITS};
}

/* Loads a class with `count` times that command into an engine of its own. */
static msdk_result load_many(uint32_t count) {
  static msdk_command list[4];
  for (int i = 0; i < 4; i++) list[i] = command;
  msdk_class class = commands_class;
  class.commands = list;
  class.command_count = count;
  const msdk_class *const classes[] = {&class};
  msdk_module module = commands_module;
  module.classes = classes, module.class_count = MSDK_COUNT(classes);
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_result result = msdk_engine_register_module(engine, &module);
  if (result >= 0) {
    msdk_command out = MSDK_INIT(msdk_command);
    CHECK_OK(msdk_engine_class_command_at(engine, COMMANDS_ID, count - 1, &out));
  }
  msdk_engine_destroy(engine);
  return result;
}
static msdk_result load(void) { return load_many(1); }

/* One thing is changed, and the words say which. */
#define BAD(change, part)                    \
  do {                                       \
    sound_command();                         \
    change;                                  \
    CHECK_ERROR(load(), MSDK_E_ABI, part);   \
  } while (0)

static void a_sound_one_is_taken(void) {
  sound_command();
  CHECK_OK(load());
  command.limits = limits;
  CHECK_OK(load());
  command.flags = MSDK_COMMAND_THREAD_SAFE | MSDK_COMMAND_CONST;
  CHECK_OK(load());
}

static void names_and_flags(void) {
  static char longest[66];
  memset(longest, 'a', 64);
  BAD(command.name = NULL, "commands[0].name is NULL");
  BAD(command.name = "", "name");
  BAD(command.name = "Add", "\"Add\"");
  BAD(command.name = "1st", "\"1st\"");
  BAD(command.name = "a-b", "\"a-b\"");
  BAD(command.name = longest, "at most 63 bytes");
  BAD(command.summary = "\xFF", "summary is not valid UTF-8");
  BAD(command.flags = 4, "flags is 4");
  BAD(command.args[1].name = NULL, "args[1].name is NULL");
  BAD(command.args[1].name = "B", "args[1].name is \"B\"");
  BAD(command.args[1].name = "a", "two arguments \"a\"");
  BAD(command.args[0].flags = 1, "args[0] \"a\" has flags");
  BAD(command.struct_size = 168, "struct_size is 168");
  BAD(command.struct_size = 0, "struct_size");
  BAD(command.struct_size = sizeof command + 4, "a multiple of 8");
  sound_command();
  CHECK_ERROR(load_many(2), MSDK_E_ABI, "two commands \"add\"");
  CHECK_ERROR(load_many(257), MSDK_E_ABI, "257 entries");
}

static void types_and_functions(void) {
  BAD(command.result = 10, "result is 10");
  BAD(command.arg_count = 9, "arg_count is 9");
  BAD(command.args[0].type = MSDK_T_VOID, "has the type 0");
  BAD(command.args[0].type = MSDK_T_STATUS, "has the type 9");
  BAD(command.native = NULL, "has neither of invoke and native");
  BAD(command.invoke = run_sum, "has both of invoke and native");
  BAD((command.native = NULL, command.invoke = run_sum, command.result = MSDK_T_STATUS), "result is 9");
}

static void limits_are_checked_at_once(void) {
  static const char *const names[] = {"x"}, *const broken[] = {"\xFF"};
  static const msdk_value text = {.type = MSDK_T_STRING, .u.str = "y"}, five = {.type = MSDK_T_I64, .u.i64 = 5}, nothing = {0};
  static const msdk_value none = {.type = MSDK_T_STRING};
  BAD((command.limits = limits, limits[0].struct_size = 48), "limits[0].struct_size is 48");
  BAD((command.limits = limits, limits[1].struct_size = 112), "limits[1].struct_size is 112; accepted: that of the first");
  BAD((command.limits = limits, limits[0].flags = 1), "has flags");
  BAD((command.limits = limits, limits[0].summary = "\xFF"), "summary is not valid UTF-8");
  BAD((command.limits = limits, limits[0].min.type = limits[0].max.type = MSDK_T_I32, limits[0].min.u.i32 = 1), "has min 1 above max 0");
  BAD((command.limits = limits, limits[0].max.type = MSDK_T_F64), "max has the type 6; accepted: 2, its own");
  BAD((command.limits = limits, limits[0].choices = names, limits[0].choice_count = MSDK_COUNT(names)), "has choices and is not a string");
  BAD((command.limits = limits, command.args[0].type = MSDK_T_STRING, limits[0].max.type = MSDK_T_STRING), "is set and the type is not a number");
  BAD((command.limits = limits, command.args[0].type = MSDK_T_STRING, limits[0].choices = broken, limits[0].choice_count = MSDK_COUNT(broken)), "choices[0] is not valid UTF-8");
  BAD((command.limits = limits, command.args[1].type = MSDK_T_STRING, limits[1].choices = names, limits[1].choice_count = MSDK_COUNT(names), limits[1].def = &text), "accepted: x");
  BAD((command.limits = limits, limits[1].def = &text), "has a default that it does not accept");
  BAD((command.limits = limits, limits[1].def = &nothing), "has a default that it does not accept");
  BAD((command.limits = limits, command.args[1].type = MSDK_T_STRING, limits[1].def = &none), "its default is NULL");
  BAD((command.limits = limits, limits[1].def = &five, limits[1].max.type = MSDK_T_I32, limits[1].max.u.i32 = 4), "is 5; accepted: i32 at most 4");
  BAD((command.limits = limits, limits[0].def = &five), "\"b\" has no default and follows one that has");
}

static void a_newer_table_may_be_longer(void) {
  struct { msdk_command command; uint64_t more[2]; } list[2];
  memset(list, 0xFF, sizeof list);
  sound_command();
  command.struct_size = sizeof list[0];
  list[0].command = list[1].command = command;
  list[1].command.name = "second";
  msdk_class class = commands_class;
  class.commands = &list[0].command;
  class.command_count = 2;
  const msdk_class *const classes[] = {&class};
  msdk_module module = commands_module;
  module.classes = classes, module.class_count = MSDK_COUNT(classes);
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(engine, &module));
  msdk_command out = MSDK_INIT(msdk_command);
  CHECK_OK(msdk_engine_class_command_at(engine, COMMANDS_ID, 1, &out));
  CHECK(strcmp(out.name, "second") == 0);
  msdk_engine_destroy(engine);
}

static const msdk_command *find(const msdk_command *list, const char *name) {
  for (int i = 0; i < TEST_COMMANDS; i++) {
    if (strcmp(list[i].name, name) == 0) return &list[i];
  }
  return NULL;
}

static void the_list_is_the_class_s(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(engine, &commands_module));
  static msdk_command list[TEST_COMMANDS];
  for (uint32_t i = 0; i < TEST_COMMANDS; i++) {
    list[i] = MSDK_INIT(msdk_command);
    CHECK_OK(msdk_engine_class_command_at(engine, COMMANDS_ID, i, &list[i]));
    CHECK(strcmp(list[i].name, test_commands[i].name) == 0 && list[i].invoke == NULL && list[i].native == NULL);
    CHECK(list[i].summary != NULL && (list[i].arg_count == 0 || list[i].limits != NULL));
    CHECK_EQ(list[i].struct_size, sizeof(msdk_command));
  }
  const msdk_command *add = find(list, "add"), *pattern = find(list, "pattern");
  NEED(add != NULL && pattern != NULL && find(list, "check") != NULL);
  CHECK_EQ(add->flags, MSDK_COMMAND_CONST);
  CHECK_EQ(add->result, MSDK_T_I32);
  CHECK(strcmp(add->summary, "adds up") == 0 && strcmp(add->args[1].name, "b") == 0);
  CHECK(add->limits[0].min.u.i32 == -100 && add->limits[0].max.u.i32 == 100 && add->limits[0].max.type == MSDK_T_I32 && strcmp(add->limits[1].summary, "the other one") == 0);
  CHECK(add->limits[0].def == NULL && add->limits[0].choices == NULL && add->limits[1].min.type == MSDK_T_VOID);
  CHECK_EQ(find(list, "check")->result, MSDK_T_VOID); /* a status is the error, or nothing */
  CHECK(strcmp(pattern->limits[0].choices[1], "bars") == 0 && pattern->limits[0].choice_count == 2);
  NEED(pattern->limits[1].def != NULL);
  CHECK(pattern->limits[1].def->type == MSDK_T_F64 && pattern->limits[1].def->u.f64 == 1); /* in the argument's own type */

  msdk_command out = MSDK_INIT(msdk_command);
  CHECK_RESULT(msdk_engine_class_command_at(engine, COMMANDS_ID, TEST_COMMANDS, &out), MSDK_E_NOT_FOUND);
  CHECK_RESULT(msdk_engine_class_command_at(engine, COMMANDS_ID, UINT32_MAX, &out), MSDK_E_NOT_FOUND);
  CHECK_RESULT(msdk_engine_class_command_at(engine, "org.example.nothing", 0, &out), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_engine_class_command_at(engine, NULL, 0, &out), MSDK_E_INVALID, "class_id");
  CHECK_ERROR(msdk_engine_class_command_at(engine, COMMANDS_ID, 0, NULL), MSDK_E_INVALID, "out");
  CHECK_RESULT(msdk_engine_class_command_at(NULL, COMMANDS_ID, 0, &out), MSDK_E_HANDLE);
  out.struct_size = 3;
  CHECK_ERROR(msdk_engine_class_command_at(engine, COMMANDS_ID, 0, &out), MSDK_E_INVALID, "struct_size");
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(a_sound_one_is_taken);
  RUN(names_and_flags);
  RUN(types_and_functions);
  RUN(limits_are_checked_at_once);
  RUN(a_newer_table_may_be_longer);
  RUN(the_list_is_the_class_s);
  return check_finish();
}
