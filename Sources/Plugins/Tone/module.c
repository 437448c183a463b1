#include "self.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREQUENCY_MAX = 20000 };
#define FREQUENCY_DEFAULT 440.0
#define AMPLITUDE_DEFAULT 0.25

msdk_result tone_fail(const msdk_self *self, msdk_result result, const char *text, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  self->host->set_error(self->context, result, line);
  return result;
}

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "frequency",
   .summary = "in Hz; half the sample rate and more is silence. A change keeps the wave continuous",
   .def = MSDK_F64(FREQUENCY_DEFAULT),
   .min = MSDK_F64(1),
   .max = MSDK_F64(FREQUENCY_MAX)},
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "amplitude",
   .summary = "of the peaks, 1 is full scale; a change takes effect over one buffer",
   .def = MSDK_F64(AMPLITUDE_DEFAULT),
   .min = MSDK_F64(0),
   .max = MSDK_F64(1)},
  {.struct_size = sizeof(msdk_param),
   .name = "duration_ms",
   .summary = "milliseconds after which the tone ends; 0: never",
   .def = MSDK_U32(0),
   .min = MSDK_U32(0),
   .max = MSDK_U32(UINT32_MAX)},
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, audio_frame_acquire)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->frequency = FREQUENCY_DEFAULT;
  self->amplitude = AMPLITUDE_DEFAULT;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (name == NULL || value == NULL) return tone_fail(self, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  if (strcmp(name, "duration_ms") == 0) {
    if (value->type != MSDK_T_U32) return tone_fail(self, MSDK_E_TYPE, "duration_ms takes a whole number (u32)");
    self->duration_ms = value->u.u32;
    return MSDK_OK;
  }
  bool frequency = strcmp(name, "frequency") == 0;
  if (!frequency && strcmp(name, "amplitude") != 0) {
    return tone_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are frequency, amplitude and duration_ms", name);
  }
  if (value->type != MSDK_T_F64) return tone_fail(self, MSDK_E_TYPE, "%s takes a number (f64)", name);
  double number = value->u.f64, least = frequency ? 1 : 0, most = frequency ? FREQUENCY_MAX : 1;
  if (!(number >= least && number <= most)) {
    return tone_fail(self, MSDK_E_RANGE, "%s %g is outside %g..%g", name, number, least, most);
  }
  if (frequency) self->frequency = number;
  else self->amplitude = number;
  return MSDK_OK;
}

/* For the host: the command changes what it would otherwise remember. */
static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  if (name == NULL || out == NULL) return tone_fail(self, MSDK_E_INVALID, "get_param needs a name and a value to fill, not NULL");
  if (strcmp(name, "duration_ms") == 0) {
    *out = (msdk_value){.type = MSDK_T_U32, .u.u32 = self->duration_ms};
    return MSDK_OK;
  }
  bool frequency = strcmp(name, "frequency") == 0;
  if (!frequency && strcmp(name, "amplitude") != 0) {
    return tone_fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are frequency, amplitude and duration_ms", name);
  }
  *out = (msdk_value){.type = MSDK_T_F64, .u.f64 = frequency ? self->frequency : self->amplitude};
  return MSDK_OK;
}

/* Note 69 is the A of 440 Hz; each is the twelfth root of two above the one before. */
static double play_note(msdk_self *self, int32_t note) {
  static const double octave[12] = {/* from C, note 60, on */
                                    261.6255653005986, 277.1826309768721, 293.6647679174076, 311.1269837220809,
                                    329.6275569128699, 349.2282314330039, 369.9944227116344, 391.9954359817493,
                                    415.3046975799451, 440.0,             466.1637615180899, 493.8833012561241};
  double frequency = octave[note % 12];
  for (int32_t low = note; low < 60; low += 12) frequency /= 2;
  for (int32_t high = note; high >= 72; high -= 12) frequency *= 2;
  self->frequency = frequency;
  if (MSDK_CAN(self->host, msdk_host, post_event)) {
    const msdk_value name = {.type = MSDK_T_STRING, .u.str = "frequency"};
    self->host->post_event(self->context, MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, &name);
  }
  return frequency;
}

static const msdk_arg_limits note_limits[] = {
  {.struct_size = sizeof(msdk_arg_limits), .summary = "a MIDI note number: 60 is middle C, 69 is A at 440 Hz", .min = MSDK_I32(0), .max = MSDK_I32(127)},
};
static const msdk_command commands[] = {
  MSDK_COMMAND1_WITH(0, note_limits, "play_note", play_note, F64, I32, "note", "changes the frequency to that of a note, and returns it in Hz"),
};

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_AUDIO_PRODUCER,
  .id = "org.mediasdk.producer.tone",
  .name = "Tone",
  .summary = "a sine wave",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .commands = commands,
  .command_count = MSDK_COUNT(commands),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .get_param = get_param,
  .audio_producer = &tone_producer,
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
