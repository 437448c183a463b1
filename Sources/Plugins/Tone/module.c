#include "self.h"
#include "../module.h"
#include "../params.h"

enum { FREQUENCY_MAX = 20000 };
#define FREQUENCY_DEFAULT 440.0
#define AMPLITUDE_DEFAULT 0.25

static const msdk_param params[] = {
  PARAM_NUMBER(F64, "frequency", MSDK_PARAM_LIVE, FREQUENCY_DEFAULT, 1, FREQUENCY_MAX,
               "in Hz; half the sample rate and more is silence. A change keeps the wave continuous"),
  PARAM_NUMBER(F64, "amplitude", MSDK_PARAM_LIVE, AMPLITUDE_DEFAULT, 0, 1,
               "of the peaks, 1 is full scale; a change takes effect over one buffer"),
  PARAM_NUMBER(U32, "duration_ms", 0, 0, 0, UINT32_MAX, "milliseconds after which the tone ends; 0: never"),
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, audio_frame_acquire)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->frequency = FREQUENCY_DEFAULT;
  self->amplitude = AMPLITUDE_DEFAULT;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "frequency") == 0) self->frequency = value->u.f64;
  else if (strcmp(name, "amplitude") == 0) self->amplitude = value->u.f64;
  else self->duration_ms = value->u.u32;
  return MSDK_OK;
}

/* For the host: the command changes what it would otherwise remember. */
static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  if (name == NULL || out == NULL) {
    return report_fail(&self->report, MSDK_E_INVALID, "get_param needs a name and a value to fill, not NULL");
  }
  if (strcmp(name, "frequency") == 0) *out = (msdk_value){.type = MSDK_T_F64, .u.f64 = self->frequency};
  else if (strcmp(name, "amplitude") == 0) *out = (msdk_value){.type = MSDK_T_F64, .u.f64 = self->amplitude};
  else if (strcmp(name, "duration_ms") == 0) *out = (msdk_value){.type = MSDK_T_U32, .u.u32 = self->duration_ms};
  else return param_unknown(&self->report, params, MSDK_COUNT(params), name);
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
  if (MSDK_CAN(self->report.host, msdk_host, post_event)) {
    report_event(&self->report, MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, "frequency");
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

PLUGIN_MODULE(&class)
