#include "self.h"
#include "../module.h"
#include "../params.h"

static const char *const patterns[] = {"lines", "bars", "counter"}; /* in the order of TP_* */

static const msdk_param params[] = {
  PARAM_CHOICE("pattern", MSDK_PARAM_LIVE, "bars", patterns,
               "lines: moving grey lines; bars: SMPTE colour bars; counter: a moving box, the frame's number, and a machine-readable "
               "stamp"),
  PARAM_NUMBER(F64, "speed", MSDK_PARAM_LIVE, 1, 0, 16,
               "how fast lines and box move: 0: not at all, 1: normal; the bars never move"),
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, video_frame_acquire)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->pattern = TP_BARS;
  self->speed = 1;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  tp_bars_free(&self->bars);
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "pattern") == 0) self->pattern = (int)param_choice_index(patterns, value->u.str);
  else self->speed = value->u.f64;
  return MSDK_OK;
}

/* For the host: the command changes what it would otherwise remember. */
static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  if (name == NULL || out == NULL) {
    return report_fail(&self->report, MSDK_E_INVALID, "get_param needs a name and a value to fill, not NULL");
  }
  if (strcmp(name, "pattern") == 0) *out = (msdk_value){.type = MSDK_T_STRING, .u.str = patterns[self->pattern]};
  else if (strcmp(name, "speed") == 0) *out = (msdk_value){.type = MSDK_T_F64, .u.f64 = self->speed};
  else return param_unknown(&self->report, params, MSDK_COUNT(params), name);
  return MSDK_OK;
}

/* As a program sets it, and the program is notified as well. */
static msdk_result change(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = set_param(self, name, value);
  if (result >= 0 && MSDK_CAN(self->report.host, msdk_host, post_event)) {
    report_event(&self->report, MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, name);
  }
  return result;
}

/* Both at once, between two frames: commands and produce_frame come one after the other. */
static msdk_result change_pattern(msdk_self *self, const char *pattern, double speed) {
  const msdk_value patterned = MSDK_STRING(pattern), hastened = MSDK_F64(speed);
  msdk_result result = change(self, "pattern", &patterned);
  return result < 0 ? result : change(self, "speed", &hastened);
}

static uint64_t frame_count(msdk_self *self) { return self->counter; }

static const msdk_value normal_speed = {.type = MSDK_T_F64, .u.f64 = 1};
static const msdk_arg_limits pattern_limits[] = {
  {.struct_size = sizeof(msdk_arg_limits), .summary = "as the parameter 'pattern'", .choices = patterns, .choice_count = MSDK_COUNT(patterns)},
  {.struct_size = sizeof(msdk_arg_limits), .summary = "how fast lines and box move", .min = MSDK_F64(0), .max = MSDK_F64(16), .def = &normal_speed},
};
static const msdk_command commands[] = {
  MSDK_COMMAND2_WITH(0, pattern_limits, "set_pattern", change_pattern, STATUS, STRING, "pattern", F64, "speed",
                     "shows a pattern from the next frame on"),
  MSDK_COMMAND0_WITH(MSDK_COMMAND_CONST, NULL, "frame_count", frame_count, U64, "how many frames were made since it was initialised"),
};

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.mediasdk.producer.testpattern",
  .name = "Test pattern",
  .summary = "colour bars, moving lines, or a counter that tests can read back",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .commands = commands,
  .command_count = MSDK_COUNT(commands),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .get_param = get_param,
  .video_producer = &tp_producer,
};

PLUGIN_MODULE(&class)
