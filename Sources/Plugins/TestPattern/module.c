#include "self.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

msdk_result tp_fail(const msdk_self *self, msdk_result result, const char *text, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  self->host->set_error(self->context, result, line);
  return result;
}

static const char *const patterns[] = {"lines", "bars", "counter"}; /* in the order of TP_* */

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "pattern",
   .summary = "lines: moving grey lines; bars: SMPTE colour bars; counter: a moving box, the frame's number, and a machine-readable stamp",
   .def = MSDK_STRING("bars"),
   .choices = patterns, .choice_count = MSDK_COUNT(patterns)},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "speed",
   .summary = "how fast lines and box move: 0: not at all, 1: normal; the bars never move",
   .def = MSDK_F64(1),
   .min = MSDK_F64(0),
   .max = MSDK_F64(16)},
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, video_frame_acquire)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->pattern = TP_BARS;
  self->speed = 1;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  tp_bars_free(&self->bars);
  free(self);
}

static msdk_result set_pattern(msdk_self *self, const msdk_value *value) {
  if (value->type != MSDK_T_STRING || value->u.str == NULL) return tp_fail(self, MSDK_E_TYPE, "pattern takes a string");
  for (uint32_t i = 0; i < MSDK_COUNT(patterns); i++) {
    if (strcmp(patterns[i], value->u.str) == 0) {
      self->pattern = i;
      return MSDK_OK;
    }
  }
  return tp_fail(self, MSDK_E_RANGE, "pattern '%.40s' is not one of lines, bars, counter", value->u.str);
}

static msdk_result set_speed(msdk_self *self, const msdk_value *value) {
  if (value->type != MSDK_T_F64) return tp_fail(self, MSDK_E_TYPE, "speed takes a number (f64)");
  if (!(value->u.f64 >= 0 && value->u.f64 <= 16)) return tp_fail(self, MSDK_E_RANGE, "speed %g is outside 0..16", value->u.f64);
  self->speed = value->u.f64;
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (name == NULL || value == NULL) return tp_fail(self, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  if (strcmp(name, "pattern") == 0) return set_pattern(self, value);
  if (strcmp(name, "speed") == 0) return set_speed(self, value);
  return tp_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are pattern and speed", name);
}

/* For the host: the command changes what it would otherwise remember. */
static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  if (name == NULL || out == NULL) return tp_fail(self, MSDK_E_INVALID, "get_param needs a name and a value to fill, not NULL");
  if (strcmp(name, "pattern") == 0) {
    *out = (msdk_value){.type = MSDK_T_STRING, .u.str = patterns[self->pattern]};
    return MSDK_OK;
  }
  if (strcmp(name, "speed") == 0) {
    *out = (msdk_value){.type = MSDK_T_F64, .u.f64 = self->speed};
    return MSDK_OK;
  }
  return tp_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are pattern and speed", name);
}

static void changed(const msdk_self *self, const char *name) {
  if (!MSDK_CAN(self->host, msdk_host, post_event)) return;
  self->host->post_event(self->context, MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, &(msdk_value){.type = MSDK_T_STRING, .u.str = name});
}

/* Both at once, between two frames: commands and produce_frame come one after the other. */
static msdk_result change_pattern(msdk_self *self, const char *pattern, double speed) {
  msdk_value value = {.type = MSDK_T_STRING, .u.str = pattern};
  msdk_result result = set_pattern(self, &value);
  if (result >= 0) {
    changed(self, "pattern");
    value = (msdk_value){.type = MSDK_T_F64, .u.f64 = speed};
    result = set_speed(self, &value);
    if (result >= 0) changed(self, "speed");
  }
  return result;
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

static const msdk_class *const classes[] = {&class};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes, .class_count = MSDK_COUNT(classes),
};

MSDK_DEFINE_ENTRY(&module)
