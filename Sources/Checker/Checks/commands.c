/* The checks of commands, and of the words of errors. */
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "checks.h"
#include "rig.h"
#include "settings.h"

msdk_value number_of(msdk_type type, double number) {
  msdk_value value = {.type = type};
  switch (type) {
    case MSDK_T_I32:
      value.u.i32 = (int32_t)fmin(fmax(number, INT32_MIN), INT32_MAX);
      break;
    case MSDK_T_I64:
      value.u.i64 = number >= 9.2e18 ? INT64_MAX : number <= -9.2e18 ? INT64_MIN : (int64_t)number;
      break;
    case MSDK_T_U32:
      value.u.u32 = (uint32_t)fmin(fmax(number, 0), UINT32_MAX);
      break;
    case MSDK_T_U64:
      value.u.u64 = number >= 1.8e19 ? UINT64_MAX : number <= 0 ? 0 : (uint64_t)number;
      break;
    default:
      value.u.f64 = number;
  }
  return value;
}

/* What is lent for a call: each text and each run of bytes before a border of its own, and forbidden once the call is over. */
static struct {
  uint8_t *base[MSDK_ARGS_MAX];
  uint64_t length[MSDK_ARGS_MAX];
  uint32_t count;
} lent;

static uint8_t *lend(const void *data, uint64_t size) {
  uint32_t at = lent.count++;
  uint8_t *memory = pages_before_guard(size, 1, "memory past an argument of a command", &lent.base[at], &lent.length[at]);
  memcpy(memory, data, size);
  region_forbid(lent.base[at], lent.length[at], "an argument of a command, after the call");
  return memory;
}

static void take_back(void) {
  for (uint32_t i = 0; i < lent.count; i++) pages_protect(lent.base[i], lent.length[i], PROT_NONE);
  lent.count = 0;
}

static const msdk_arg_limits *limits_of(const msdk_command *command, uint32_t index) {
  if (!MSDK_HAS(command, msdk_command, limits) || command->limits == NULL) return NULL;
  return (const void *)((const uint8_t *)command->limits + (size_t)index * command->limits[0].struct_size);
}

enum { LEAST, GREATEST, DEFAULTS, ROUNDS };
static const char *const VALUES[] = {"the minimum", "the maximum", "its own default"};

static uint32_t choice_count(const msdk_command *command) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < command->arg_count; i++) {
    const msdk_arg_limits *limits = limits_of(command, i);
    if (limits != NULL && limits->choice_count > most) most = limits->choice_count;
  }
  return most;
}

static const char *text_of(const msdk_arg_limits *limits, uint32_t round) {
  static char longest[HUGE_TEXT + 1];
  if (limits != NULL && limits->choice_count > 0) return limits->choices[round % limits->choice_count];
  memset(longest, 'a', HUGE_TEXT);
  return round == LEAST ? "" : round == GREATEST ? longest : "t\xC3\xABxt";
}

/* In round LEAST and so on; behind them come the choices, one a round. */
static msdk_value argument(const msdk_command *command, uint32_t index, uint32_t round) {
  const msdk_arg_limits *limits = limits_of(command, index);
  msdk_type type = command->args[index].type;
  int has_min = limits != NULL && limits->min.type == type, has_max = limits != NULL && limits->max.type == type;
  msdk_value value = {.type = type};
  if (round == DEFAULTS && limits != NULL && limits->def != NULL) value = *limits->def;
  int is_default = round == DEFAULTS && limits != NULL && limits->def != NULL;
  switch (type) {
    case MSDK_T_BOOL:
      if (!is_default) value.u.b = (uint8_t)(round & 1);
      break;
    case MSDK_T_STRING: {
      const char *text = is_default ? value.u.str == NULL ? "" : value.u.str : text_of(limits, round);
      value.u.str = (const char *)lend(text, strlen(text) + 1);
      break;
    }
    case MSDK_T_BYTES: {
      uint64_t size = is_default ? value.u.bytes.size : round == LEAST ? 0 : HUGE_TEXT;
      value.u.bytes.data = size == 0 ? NULL : lend(is_default ? value.u.bytes.data : text_of(NULL, GREATEST), size);
      value.u.bytes.size = size;
      break;
    }
    default:
      if (is_default) break;
      if (round == LEAST) value = has_min ? limits->min : number_of(type, -1e300);
      else if (round == GREATEST) value = has_max ? limits->max : number_of(type, 1e300);
      else value = has_min ? limits->min : has_max ? limits->max : number_of(type, 1);
  }
  return value;
}

static void check_answer(rig *rig, const msdk_command *command, const msdk_value *answer) {
  const char *rule = "msdk_command.result";
  if (answer->type != command->result && command->result != MSDK_T_STATUS) {
    fail(rule, "the command %s returned a result of type %u; declared: %u", command->name, answer->type, command->result);
    return;
  }
  int has_words = rig->context->error < 0 && rig->context->error_text[0] != 0;
  switch (command->result) {
    case MSDK_T_BOOL:
      if (answer->u.b > 1) fail(rule, "the command %s returned the bool %u; accepted: 0, 1", command->name, answer->u.b);
      break;
    case MSDK_T_STRING:
      if (answer->u.str == NULL) {
        if (!has_words) fail("set_error", "the command %s returned no text, and set_error was not called", command->name);
      } else if (!is_text(answer->u.str, HUGE_TEXT)) {
        fail(rule, "the command %s returned a text that is not UTF-8 of at most %d bytes", command->name, HUGE_TEXT);
      }
      break;
    case MSDK_T_BYTES:
      if (answer->u.bytes.data == NULL && answer->u.bytes.size > 0 && !has_words) {
        fail("set_error", "the command %s returned no bytes, and set_error was not called", command->name);
      }
      if (answer->u.bytes.size > 1 << 24) fail(rule, "the command %s returned more than 16 MiB", command->name);
      break;
    default:
      break;
  }
}

static void call(rig *rig, const msdk_command *command, uint32_t round) {
  msdk_value args[MSDK_ARGS_MAX] = {{0}}, answer = {.type = command->result};
  for (uint32_t i = 0; i < command->arg_count; i++) args[i] = argument(command, i, round);
  const char *values = round < ROUNDS ? VALUES[round] : "the next choice";
  step("the command %s, with %s of each value", command->name, values);
  rig->context->error = 0;
  rig->context->error_text[0] = 0;
  msdk_result code = command->invoke != NULL ? command->invoke(rig->self, args, command->arg_count, &answer)
                                             : native_call(rig->self, command, args, &answer);
  take_back();
  int has_words = rig->context->error == code && rig->context->error_text[0] != 0;
  if (code < 0 && !has_words)
    fail("set_error", "the command %s returned %s, and set_error was not called", command->name, result_name(code));
  if (code >= 0) check_answer(rig, command, &answer);
}

static void call_all(rig *rig) {
  const msdk_class *class = rig->class;
  for (uint32_t i = 0; i < class->command_count && !has_failed(); i++) {
    const msdk_command *command = command_at(class, i);
    uint32_t rounds = command->arg_count == 0 ? 1 : ROUNDS + choice_count(command);
    for (uint32_t round = 0; round < rounds && round < 64 && !has_failed(); round++) call(rig, command, round);
  }
}

void check_commands(void) {
  const msdk_class *class = class_get();
  rig rig;
  if (class == NULL) return;
  if (class->command_count == 0) {
    skip("it has none");
    return;
  }
  if (rig_open(&rig, class, 0, 0) < 0) return;
  call_all(&rig);
  rig_close(&rig);
  FOR_KINDS(kind, class) { /* commands are called in any state */
    if (rig_open(&rig, class, kind, 0) < 0) return;
    if (rig_demand(&rig, "msdk_command")) {
      rig_media(&rig, 1, NULL);
      call_all(&rig);
      if (!has_failed()) rig_media(&rig, 1, NULL);
    }
    rig_close(&rig);
  }
}

void check_errors(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  uint32_t count = 0;
  FOR_KINDS(kind, class) {
    rig rig;
    if ((kind & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER)) == 0 || rig_open(&rig, class, kind, 0) < 0) continue;
    count++;
    if (rig_init(&rig) >= 0) {
      rig.has_format = 1;
      rig.video = MSDK_INIT(msdk_video_format);
      rig.video.pixel_format = 0x21212121;
      rig.video.width = rig.video.height = 64;
      rig.video.fps_num = 30;
      rig.video.fps_den = 1;
      rig.audio = MSDK_INIT(msdk_audio_format);
      rig.audio.sample_format = 77;
      rig.audio.sample_rate = 48000;
      rig.audio.channels = 2;
      msdk_result code = rig_agree(&rig);
      const char *what = kind == MSDK_KIND_VIDEO_PRODUCER ? "pixel format \"!!!!\"" : "sample format 77";
      if (code >= 0)
        fail("set_format", "%s was accepted; expected: MSDK_E_FORMAT", what);
      else if (rig.context->error != code || rig.context->error_text[0] == 0) {
        fail("set_error", "set_format refused %s with %s, and set_error was not called with that code and a text", what, result_name(code));
      }
    }
    rig_close(&rig);
  }
  if (count == 0 && !has_failed()) skip("only producers must refuse with an error text");
}
