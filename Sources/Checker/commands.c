/* The checks of commands, and of the words of errors. */
#include <math.h>
#include <string.h>

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

static msdk_value argument(const msdk_command *command, uint32_t index, int round) {
  const msdk_arg_limits *limits = NULL;
  if (MSDK_HAS(command, msdk_command, limits) && command->limits != NULL) {
    limits = (const void *)((const uint8_t *)command->limits + (size_t)index * command->limits[0].struct_size);
  }
  msdk_type type = command->args[index].type;
  int is_bounded = limits != NULL && limits->min < limits->max;
  msdk_value value = {.type = type};
  static char text[HUGE_TEXT + 1];
  memset(text, 'a', HUGE_TEXT);
  switch (type) {
    case MSDK_T_BOOL:
      value.u.b = (uint8_t)(round & 1);
      break;
    case MSDK_T_STRING:
      if (limits != NULL && limits->choices != NULL && limits->choices[0] != NULL)
        value.u.str = limits->choices[0];
      else
        value.u.str = round == 0 ? "" : text;
      break;
    case MSDK_T_BYTES:
      value.u.bytes = (msdk_bytes){.data = text, .size = round == 0 ? 0 : HUGE_TEXT};
      break;
    default:
      value = number_of(type, round == 0 ? is_bounded ? limits->min : -1e300 : is_bounded ? limits->max : 1e300);
  }
  return value;
}

static void call(rig *rig, const msdk_command *command, int round) {
  msdk_value args[MSDK_ARGS_MAX] = {{0}}, answer = {.type = command->result};
  for (uint32_t i = 0; i < command->arg_count; i++) args[i] = argument(command, i, round);
  step("the command %s, with %s values", command->name, round == 0 ? "the least" : "the greatest");
  rig->context->error = 0;
  msdk_result code = command->invoke(rig->self, args, command->arg_count, &answer);
  int has_words = rig->context->error == code && rig->context->error_text[0] != 0;
  if (code < 0 && !has_words) fail("set_error", "the command %s answered %s without words", command->name, result_name(code));
  if (code >= 0 && answer.type != command->result) {
    fail("msdk_command.result", "the command %s gave a result of type %u; declared: %u", command->name, answer.type, command->result);
  }
}

void check_commands(void) {
  const msdk_class *class = class_get();
  rig rig;
  if (class == NULL || rig_open(&rig, class, 0, 0, MSDK_ABI_MINOR) < 0) return;
  uint32_t called = 0;
  for (uint64_t i = 0; i < class->command_count && !has_failed(); i++) {
    const msdk_command *command = (const void *)((const uint8_t *)class->commands + i * class->command_stride);
    for (int round = 0; command->invoke != NULL && round < 2 && !has_failed(); round++, called++) call(&rig, command, round);
  }
  if (class->command_count == 0)
    skip("it has none");
  else if (called == 0)
    skip("native commands are looked at (tables), and not called");
  rig_close(&rig);
}

void check_errors(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  uint32_t count = 0;
  FOR_KINDS(kind, class) {
    rig rig;
    if ((kind & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER)) == 0 || rig_open(&rig, class, kind, 0, MSDK_ABI_MINOR) < 0) continue;
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
        fail("set_error", "set_format refused %s with %s, and set_error was not called with that code and words", what, result_name(code));
      }
    }
    rig_close(&rig);
  }
  if (count == 0 && !has_failed()) skip("only producers refuse with words");
}
