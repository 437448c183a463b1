/* instance.h, commands: every type there and back, defaults, and all that is refused before the plugin sees it. */
#include "command_classes.h"

static msdk_engine *engine;
static msdk_instance *instance;
static msdk_value result;

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(array)[0])
#define BOOL_(v) {.type = MSDK_T_BOOL, .u.b = (v)}
#define I32_(v) {.type = MSDK_T_I32, .u.i32 = (v)}
#define I64_(v) {.type = MSDK_T_I64, .u.i64 = (v)}
#define U32_(v) {.type = MSDK_T_U32, .u.u32 = (v)}
#define U64_(v) {.type = MSDK_T_U64, .u.u64 = (v)}
#define F64_(v) {.type = MSDK_T_F64, .u.f64 = (v)}
#define STR_(v) {.type = MSDK_T_STRING, .u.str = (v)}
#define BYTES_(d, n) {.type = MSDK_T_BYTES, .u.bytes = {(d), (n)}}
#define CALL(name, ...) call_with(name, (msdk_value[]){__VA_ARGS__}, COUNT(((msdk_value[]){__VA_ARGS__})))
#define CALL0(name) call_with(name, NULL, 0)

static msdk_result call_with(const char *name, const msdk_value *args, uint32_t count) {
  result = (msdk_value){.type = 77};
  return msdk_instance_call(instance, name, args, count, &result);
}

/* Calls that must not reach the plugin, and leave the result alone. */
#define REFUSED(call, expected, part)                        \
  do {                                                       \
    int before = atomic_load(&commands_run);                 \
    CHECK_ERROR(call, expected, part);                       \
    CHECK_EQ(atomic_load(&commands_run), before);            \
    CHECK_EQ(result.type, 77);                               \
  } while (0)

static void every_type_there_and_back(void) {
  CHECK_OK(CALL0("nothing"));
  CHECK_EQ(result.type, MSDK_T_VOID);
  CHECK_OK(CALL("flip", BOOL_(0)));
  CHECK_EQ(result.type, MSDK_T_BOOL);
  CHECK_EQ(result.u.u64, 1); /* a uint8_t comes back in a register: the rest of the value is zero */
  CHECK_OK(CALL("flip", BOOL_(1)));
  CHECK_EQ(result.u.u64, 0);
  CHECK_OK(CALL("add", I32_(-100), I32_(INT32_MIN + 100)));
  CHECK_EQ(result.type, MSDK_T_I32);
  CHECK_EQ(result.u.i32, INT32_MIN);
  CHECK_OK(CALL("i64", I64_(INT64_MIN)));
  CHECK(result.type == MSDK_T_I64 && result.u.i64 == INT64_MIN);
  CHECK_OK(CALL("u32", U32_(UINT32_MAX)));
  CHECK(result.type == MSDK_T_U32 && result.u.u32 == UINT32_MAX);
  CHECK_OK(CALL("u64", U64_(UINT64_MAX)));
  CHECK(result.type == MSDK_T_U64 && result.u.u64 == UINT64_MAX);
  CHECK_OK(CALL("half", F64_(-5e-300)));
  CHECK(result.type == MSDK_T_F64 && result.u.f64 == -2.5e-300);
  CHECK_OK(CALL("shout", STR_("grün und leise")));
  CHECK(result.type == MSDK_T_STRING && strcmp(result.u.str, "GRüN UND LEISE") == 0);
  CHECK_OK(CALL("shout", STR_("")));
  CHECK(strcmp(result.u.str, "") == 0);
  CHECK_OK(CALL("reverse", BYTES_("abc\0d", 5)));
  CHECK(result.type == MSDK_T_BYTES && result.u.bytes.size == 5 && memcmp(result.u.bytes.data, "d\0cba", 5) == 0);
  CHECK_OK(CALL("reverse", BYTES_(NULL, 0)));
  CHECK_EQ(result.u.bytes.size, 0);
  CHECK_OK(CALL("check", I32_(5))); /* a status that is no error is nothing */
  CHECK_EQ(result.type, MSDK_T_VOID);
}

static void eight_arguments(void) {
  CHECK_OK(CALL("all", BOOL_(1), I32_(-2), I64_(-3000000000), U32_(4000000000u), U64_(UINT64_MAX), F64_(0.25), STR_("seven"),
                BYTES_("8", 1)));
  CHECK(strcmp(result.u.str, "1 -2 -3000000000 4000000000 18446744073709551615 0.25 seven 1") == 0);
  CHECK_OK(CALL("sum", I32_(1), I64_(2), U32_(3), U64_(4), I64_(5), I64_(6), I64_(7), I64_(-30)));
  CHECK(result.type == MSDK_T_I64 && result.u.i64 == -2);
  CHECK_OK(CALL("invoked_text", STR_("loud")));
  CHECK(strcmp(result.u.str, "LOUD") == 0);
  CHECK_OK(CALL0("invoked_nothing"));
  CHECK_EQ(result.type, MSDK_T_VOID);
}

static void defaults_fill_in(void) {
  CHECK_OK(CALL("pattern", STR_("bars")));
  CHECK(strcmp(result.u.str, "bars 1.0 3") == 0);
  CHECK_OK(CALL("pattern", STR_("lines"), I32_(16)));
  CHECK(strcmp(result.u.str, "lines 16.0 3") == 0);
  CHECK_OK(CALL("pattern", STR_("lines"), F64_(0.5), U64_(7)));
  CHECK(strcmp(result.u.str, "lines 0.5 7") == 0);
}

static void wrong_names_and_counts(void) {
  REFUSED(CALL0("nonsense"), MSDK_E_NOT_FOUND, "nothing, flip, add");
  REFUSED(CALL0(""), MSDK_E_NOT_FOUND, "has no command");
  REFUSED(CALL0(NULL), MSDK_E_INVALID, "name is NULL");
  REFUSED(CALL0("\xFF"), MSDK_E_INVALID, "name is not valid UTF-8");
  REFUSED(CALL("nothing", I32_(1)), MSDK_E_INVALID, "takes 0 arguments; 1 were given");
  REFUSED(CALL("add", I32_(1)), MSDK_E_INVALID, "argument \"b\" of add is missing");
  REFUSED(CALL("add", I32_(1), I32_(2), I32_(3)), MSDK_E_INVALID, "takes 2 arguments (a, b); 3 were given");
  REFUSED(CALL0("pattern"), MSDK_E_INVALID, "\"name\" of pattern is missing");
  REFUSED(call_with("add", NULL, 2), MSDK_E_INVALID, "args is NULL");
  REFUSED(call_with("add", NULL, UINT32_MAX), MSDK_E_INVALID, "4294967295 were given");
}

static void wrong_types(void) {
  REFUSED(CALL("add", I32_(1), F64_(2)), MSDK_E_TYPE, "\"b\" of add is 2.0 of type f64; accepted: i32");
  REFUSED(CALL("add", STR_("1"), I32_(2)), MSDK_E_TYPE, "\"a\"");
  REFUSED(CALL("add", BOOL_(1), I32_(2)), MSDK_E_TYPE, "\"a\"");
  REFUSED(CALL("flip", I32_(1)), MSDK_E_TYPE, "\"value\"");
  REFUSED(CALL("half", STR_("1")), MSDK_E_TYPE, "\"value\"");
  REFUSED(CALL("shout", BYTES_("x", 1)), MSDK_E_TYPE, "\"text\"");
  REFUSED(CALL("shout", I64_(1)), MSDK_E_TYPE, "\"text\"");
  REFUSED(CALL("reverse", STR_("x")), MSDK_E_TYPE, "\"bytes\"");
  REFUSED(CALL("add", {.type = MSDK_T_VOID}, I32_(2)), MSDK_E_TYPE, "\"a\"");
  REFUSED(CALL("add", {.type = MSDK_T_STATUS}, I32_(2)), MSDK_E_TYPE, "has the type 9");
  REFUSED(CALL("add", {.type = 0xFFFFFFFF}, I32_(2)), MSDK_E_TYPE, "\"a\"");
}

static void wrong_values(void) {
  REFUSED(CALL("add", I32_(101), I32_(0)), MSDK_E_RANGE, "\"a\" of add is 101; accepted: i32 -100..100");
  REFUSED(CALL("add", I64_(INT64_C(1) << 32), I32_(0)), MSDK_E_RANGE, "\"a\"");
  REFUSED(CALL("add", I32_(0), U32_(UINT32_MAX)), MSDK_E_RANGE, "\"b\"");
  REFUSED(CALL("u32", I32_(-1)), MSDK_E_RANGE, "\"value\"");
  REFUSED(CALL("u64", I64_(-1)), MSDK_E_RANGE, "\"value\"");
  REFUSED(CALL("i64", U64_(UINT64_MAX)), MSDK_E_RANGE, "\"value\"");
  REFUSED(CALL("half", F64_(NAN)), MSDK_E_RANGE, "\"value\"");
  REFUSED(CALL("half", F64_(INFINITY)), MSDK_E_RANGE, "\"value\"");
  REFUSED(CALL("half", F64_(-INFINITY)), MSDK_E_RANGE, "\"value\"");
  REFUSED(CALL("pattern", STR_("bars"), F64_(16.01)), MSDK_E_RANGE, "\"speed\"");
  REFUSED(CALL("pattern", STR_("Bars")), MSDK_E_RANGE, "accepted: lines, bars");
  REFUSED(CALL("flip", BOOL_(2)), MSDK_E_RANGE, "accepted: 0, 1");
  REFUSED(CALL("shout", STR_(NULL)), MSDK_E_INVALID, "\"text\" of shout is NULL");
  REFUSED(CALL("pattern", STR_(NULL)), MSDK_E_INVALID, "\"name\" of pattern is NULL");
  REFUSED(CALL("shout", STR_("\xC3(")), MSDK_E_INVALID, "not valid UTF-8");
  REFUSED(CALL("shout", STR_("\xED\xA0\x80")), MSDK_E_INVALID, "not valid UTF-8"); /* half a surrogate pair */
  REFUSED(CALL("reverse", BYTES_(NULL, 3)), MSDK_E_INVALID, "NULL data");
  REFUSED(CALL("reverse", BYTES_("x", UINT64_MAX)), MSDK_E_RANGE, "\"bytes\"");
  static char longest[65538];
  memset(longest, 'x', 65537);
  REFUSED(CALL("shout", STR_(longest)), MSDK_E_INVALID, "longer than 65536 bytes");
  longest[65536] = 0;
  CHECK_OK(CALL("shout", STR_(longest)));
  CHECK_EQ(strlen(result.u.str), 65536);
}

static void what_the_plugin_answers_is_checked_too(void) {
  CHECK_ERROR(CALL0("seven"), MSDK_E_FAIL, "is the bool 7");
  CHECK_ERROR(CALL("null_text", BOOL_(0)), MSDK_E_FAIL, "returned NULL; it declares string");
  CHECK_ERROR(CALL("null_text", BOOL_(1)), MSDK_E_DEVICE_LOST, "there is no text today");
  CHECK_ERROR(CALL("null_text", BOOL_(0)), MSDK_E_FAIL, "returned NULL"); /* the words of the call before are gone */
  CHECK_ERROR(CALL0("broken_text"), MSDK_E_FAIL, "not valid UTF-8");
  CHECK_ERROR(CALL0("long_text"), MSDK_E_FAIL, "longer than 65536 bytes");
  CHECK_ERROR(CALL0("null_bytes"), MSDK_E_FAIL, "returned NULL; it declares bytes");
  CHECK_ERROR(CALL0("hollow_bytes"), MSDK_E_FAIL, "returned NULL");
  CHECK_ERROR(CALL0("forgets"), MSDK_E_FAIL, "returned a value of type 0; it declares i32, 2");
  CHECK_ERROR(CALL0("other_type"), MSDK_E_FAIL, "returned a value of type 6");
  CHECK_ERROR(CALL0("more_than_nothing"), MSDK_E_FAIL, "it declares nothing");
  CHECK_ERROR(CALL0("fails"), MSDK_E_DEVICE_LOST, "the disk is full of ants");
  CHECK_EQ(result.type, 77);
  CHECK_ERROR(CALL("check", I32_(MSDK_E_PERMISSION)), MSDK_E_PERMISSION, "the code was what it was");
  CHECK_ERROR(CALL("check", I32_(-1)), MSDK_E_FAIL, "command \"check\" failed");
  CHECK_ERROR(CALL("check", I32_(-12345)), MSDK_E_FAIL, "the code was what it was"); /* an unknown code is a failure like any other */
}

static void results_may_be_left_out_and_last_until_the_next_call(void) {
  msdk_value text = STR_("one");
  CHECK_OK(msdk_instance_call(instance, "shout", &text, 1, NULL));
  CHECK_OK(CALL("shout", STR_("two")));
  const char *kept = result.u.str;
  CHECK(strcmp(kept, "TWO") == 0);
  CHECK(msdk_instance_set_param(instance, "none", &text) < 0); /* other calls, and their errors, do not touch it */
  CHECK(strcmp(kept, "TWO") == 0);
  CHECK_RESULT(msdk_instance_call(NULL, "nothing", NULL, 0, NULL), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_instance_call((msdk_instance *)engine, "nothing", NULL, 0, NULL), MSDK_E_HANDLE);
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  commands_load(engine);
  CHECK_OK(msdk_instance_create(engine, COMMANDS_ID, NULL, &instance));
  RUN(every_type_there_and_back);
  RUN(eight_arguments);
  RUN(defaults_fill_in);
  RUN(wrong_names_and_counts);
  RUN(wrong_types);
  RUN(wrong_values);
  RUN(what_the_plugin_answers_is_checked_too);
  RUN(results_may_be_left_out_and_last_until_the_next_call);
  msdk_instance_destroy(instance);
  CHECK_RESULT(msdk_instance_call(instance, "nothing", NULL, 0, NULL), MSDK_E_HANDLE);
  msdk_engine_destroy(engine);
  return check_finish();
}
