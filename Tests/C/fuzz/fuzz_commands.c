/* Random calls of commands, good and bad: fuzz_commands [steps] [seed]. A model of its own, written from the header, says beforehand whether
 * the core must let the plugin be called; the program must not crash and leave nothing behind. */
#include "command_classes.h"
#include "random.h"

enum { INSTANCES = 4, ARGS = 10, TEXT = 70000 };

static uint64_t seed;
static msdk_engine *engine;
static msdk_instance *instances[INSTANCES];
static msdk_command list[TEST_COMMANDS];
static char long_text[TEXT];
static uint32_t let_through, refused;

static uint32_t below(uint32_t limit) { return random_below(&seed, limit); }

static int64_t integer(void) {
  static const int64_t edges[] = {0, 1, 2, -1, 100, 101, -100, -101, 16, 17, INT32_MAX, INT32_MIN, (int64_t)INT32_MAX + 1, UINT32_MAX,
                                  (int64_t)UINT32_MAX + 1, INT64_MAX, INT64_MIN, INT64_C(1) << 53, (INT64_C(1) << 53) + 1};
  return below(3) == 0 ? (int64_t)random_next(&seed) : edges[below(sizeof edges / sizeof edges[0])];
}

static double real(void) {
  static const double edges[] = {0, -0.0, 1, 16, 16.000001, -1, 1e308, -1e308, 5e-324, NAN, INFINITY, -INFINITY};
  return edges[below(sizeof edges / sizeof edges[0])];
}

static const char *text(void) {
  static const char *const texts[] = {"", "bars", "lines", "Bars", "grün", "a", NULL, "\xFF", "\xC3(", "\xF4\x90\x80\x80",
                                      "\xED\xA0\x80", "\xC0\x80", "%s%n", "\xE2\x82\xAC"};
  if (below(20) == 0) {
    uint32_t length = 65530 + below(12);
    memset(long_text, 'l', length);
    long_text[length] = 0;
    return long_text;
  }
  return texts[below(sizeof texts / sizeof texts[0])];
}

static msdk_value value(msdk_type wanted) {
  msdk_value it = {.type = below(8) == 0 ? below(12) : wanted};
  if (below(8) == 0 && wanted >= MSDK_T_I32 && wanted <= MSDK_T_F64) it.type = MSDK_T_I32 + below(4);
  switch (it.type) {
  case MSDK_T_BOOL: it.u.b = (uint8_t)(below(6) == 0 ? below(256) : below(2)); break;
  case MSDK_T_I32: it.u.i32 = (int32_t)integer(); break;
  case MSDK_T_U32: it.u.u32 = (uint32_t)integer(); break;
  case MSDK_T_F64: it.u.f64 = real(); break;
  case MSDK_T_STRING: it.u.str = text(); break;
  case MSDK_T_BYTES:
    it.u.bytes = (msdk_bytes){long_text, below(100)}; /* never more than there is, unless it is far too much */
    if (below(10) == 0) it.u.bytes.data = NULL;
    if (below(20) == 0) it.u.bytes.size = UINT64_MAX - below(3);
    break;
  default: it.u.i64 = integer(); break;
  }
  return it;
}

/* ---------------------------------------------------------------------------------------------------------------- the model */

static int is_utf8(const char *given) {
  const unsigned char *it = (const unsigned char *)given;
  while (*it != 0) {
    uint32_t more = *it < 0x80 ? 0 : *it >= 0xC2 && *it < 0xE0 ? 1 : *it >= 0xE0 && *it < 0xF0 ? 2 : *it >= 0xF0 && *it < 0xF5 ? 3 : 9;
    if (more == 9) return 0;
    uint32_t point = more == 0 ? *it : *it & (0x3Fu >> more);
    for (uint32_t i = 1; i <= more; i++) {
      if ((it[i] & 0xC0) != 0x80) return 0;
      point = point << 6 | (it[i] & 0x3Fu);
    }
    if ((more == 2 && point < 0x800) || (more == 3 && (point < 0x10000 || point > 0x10FFFF)) || (point >= 0xD800 && point < 0xE000)) return 0;
    it += 1 + more;
  }
  return 1;
}

static int text_fits(const msdk_arg_limits *limits, const char *given) {
  if (given == NULL || strlen(given) > 65536 || !is_utf8(given)) return 0;
  if (limits->choices == NULL) return 1;
  for (uint32_t i = 0; i < limits->choice_count; i++) {
    if (strcmp(limits->choices[i], given) == 0) return 1;
  }
  return 0;
}

static int number_fits(const msdk_arg_limits *limits, msdk_type wanted, const msdk_value *it) {
  int is_unsigned = it->type == MSDK_T_U64 || it->type == MSDK_T_U32;
  uint64_t large = it->type == MSDK_T_U32 ? it->u.u32 : it->u.u64;
  int64_t whole = is_unsigned ? (int64_t)large : it->type == MSDK_T_I32 ? it->u.i32 : it->u.i64;
  int is_beyond = is_unsigned && large > INT64_MAX; /* more than i64 holds */
  double as_real = it->type == MSDK_T_F64 ? it->u.f64 : is_unsigned ? (double)large : (double)whole;
  switch (wanted) {
  case MSDK_T_I32: if (is_beyond || whole < INT32_MIN || whole > INT32_MAX) return 0; break;
  case MSDK_T_I64: if (is_beyond) return 0; break;
  case MSDK_T_U32: if (is_beyond || whole < 0 || whole > UINT32_MAX) return 0; break;
  case MSDK_T_U64: if (!is_unsigned && whole < 0) return 0; break;
  default: /* an integer must be one that a double holds */
    if (!isfinite(as_real)) return 0;
    if (it->type == MSDK_T_F64) break;
    if (is_unsigned ? as_real >= 0x1p64 || (uint64_t)as_real != large : as_real >= 0x1p63 || (int64_t)as_real != whole) return 0;
  }
  const msdk_value *min = &limits->min, *max = &limits->max; /* the classes here bound numbers of these types */
  double least = min->type == MSDK_T_I32 ? min->u.i32 : min->type == MSDK_T_F64 ? min->u.f64 : -INFINITY;
  double most = max->type == MSDK_T_I32 ? max->u.i32 : max->type == MSDK_T_F64 ? max->u.f64 : INFINITY;
  return as_real >= least && as_real <= most;
}

static int fits(const msdk_command *command, uint32_t index, const msdk_value *it) {
  const msdk_arg_limits *limits = &command->limits[index];
  msdk_type wanted = command->args[index].type;
  if (wanted >= MSDK_T_I32 && wanted <= MSDK_T_F64) {
    int is_integer = it->type >= MSDK_T_I32 && it->type <= MSDK_T_U64;
    if (!is_integer && !(it->type == MSDK_T_F64 && wanted == MSDK_T_F64)) return 0;
    return number_fits(limits, wanted, it);
  }
  if (it->type != wanted) return 0;
  if (wanted == MSDK_T_BOOL) return it->u.b <= 1;
  if (wanted == MSDK_T_STRING) return text_fits(limits, it->u.str);
  return it->u.bytes.size <= 1 << 24 && (it->u.bytes.data != NULL || it->u.bytes.size == 0);
}

static int must_be_called(const msdk_command *command, const msdk_value *args, uint32_t count) {
  if (count > command->arg_count) return 0;
  for (uint32_t i = 0; i < command->arg_count; i++) {
    if (i >= count ? command->limits[i].def == NULL : !fits(command, i, &args[i])) return 0;
  }
  return 1;
}

/* ---------------------------------------------------------------------------------------------------------------- the calls */

static void call_known(msdk_instance *instance) {
  const msdk_command *command = &list[below(TEST_COMMANDS)];
  msdk_value args[ARGS] = {{0}}, result = {.type = 77};
  uint32_t count = below(8) == 0 ? below(ARGS + 1) : command->arg_count;
  for (uint32_t i = 0; i < count; i++) args[i] = value(i < command->arg_count ? command->args[i].type : below(12));
  int expected = must_be_called(command, args, count), before = atomic_load(&commands_run);
  int with_result = below(8) != 0;
  msdk_result code = msdk_instance_call(instance, command->name, args, count, with_result ? &result : NULL);
  int called = atomic_load(&commands_run) != before;
  if (!CHECK_EQ(called, expected)) fprintf(stderr, "  %s, %u arguments, code %d\n", command->name, count, code);
  if (code >= 0 && with_result) CHECK_EQ(result.type, command->result);
  if (code < 0) CHECK_EQ(result.type, 77);
  if (code < 0) CHECK(msdk_last_error() != NULL && msdk_last_error()[0] != 0);
  if (code >= 0 && with_result && result.type == MSDK_T_STRING) CHECK(is_utf8(result.u.str));
  if (called) let_through++;
  else refused++;
}

static void call_unknown(msdk_instance *instance) {
  msdk_value args[2] = {value(below(12)), value(below(12))}, result;
  static uint64_t rubbish[4];
  void *const handles[] = {instance, NULL, rubbish, engine, (void *)(uintptr_t)random_next(&seed)};
  CHECK(msdk_instance_call(handles[below(5)], text(), args, below(3), below(2) == 0 ? &result : NULL) < 0);
  msdk_command out = MSDK_INIT(msdk_command);
  out.struct_size = below(2) == 0 ? below(300) : sizeof out;
  msdk_engine_class_command_at(handles[below(5)], below(2) == 0 ? COMMANDS_ID : text(), below(40), below(6) == 0 ? NULL : &out);
}

int main(int argc, char **argv) {
  uint32_t steps = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : under_tools() ? 10000 : 100000;
  seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  atomic_store(&may_go, 1); /* nobody waits */
  memset(long_text, 'l', sizeof long_text);
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  commands_load(engine);
  for (uint32_t i = 0; i < TEST_COMMANDS; i++) {
    list[i] = MSDK_INIT(msdk_command);
    CHECK_OK(msdk_engine_class_command_at(engine, COMMANDS_ID, i, &list[i]));
  }
  for (uint32_t i = 0; i < steps; i++) {
    msdk_instance **place = &instances[below(INSTANCES)];
    if (*place == NULL) CHECK_OK(msdk_instance_create(engine, COMMANDS_ID, NULL, place));
    if (below(10) == 0) call_unknown(*place);
    else call_known(*place);
    if (below(500) == 0) {
      msdk_instance_destroy(*place);
      CHECK_RESULT(msdk_instance_call(*place, "nothing", NULL, 0, NULL), MSDK_E_HANDLE);
      *place = NULL;
    }
  }
  printf("%u steps: %u calls reached the plugin, %u were refused\n", steps, let_through, refused);
  CHECK(let_through > steps / 10 && refused > steps / 10);
  msdk_engine_destroy(engine);
  CHECK_EQ(atomic_load(&commands_created), atomic_load(&commands_destroyed));
  return check_finish();
}
