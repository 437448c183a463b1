/* A class with a parameter of every type, among them a secret that it speaks of. */
#define SOUND_ID "org.mediasdk.test.secretive"
#define SOUND_CLASS .set_param = speak, .param_choice = list
#define P(NAME, TYPE) .struct_size = sizeof(msdk_param), .name = NAME, .def.type = TYPE
#define SOUND_PARAMS                                                                                                            \
  {P("level", MSDK_T_I32), .min = MSDK_I32(0), .max = MSDK_I32(9)}, {P("wide", MSDK_T_I64)}, {P("big", MSDK_T_U64)}, {P("count", MSDK_T_U32)},      \
    {P("ratio", MSDK_T_F64), .def.u.f64 = 0.5, .min = MSDK_F64(-1), .max = MSDK_F64(1)}, {P("any", MSDK_T_F64)}, {P("flag", MSDK_T_BOOL)},          \
    {P("blob", MSDK_T_BYTES)}, {P("text", MSDK_T_STRING), .def.u.str = "none"},                                                 \
    {P("token", MSDK_T_STRING), .flags = MSDK_PARAM_SECRET, .def.u.str = "default-secret"},                                     \
    {P("pin", MSDK_T_U32), .flags = MSDK_PARAM_SECRET, .min = MSDK_U32(0), .max = MSDK_U32(9999)}, {P("serial", MSDK_T_U32), .flags = MSDK_PARAM_READONLY}, \
    {P("device", MSDK_T_STRING), .flags = MSDK_PARAM_DYNAMIC_CHOICES}

#include <mediasdk/plugin.h>

static msdk_result speak(msdk_self *self, const char *name, const msdk_value *value);
static msdk_result list(msdk_self *self, const char *name, uint32_t index, msdk_choice *out);

#include "../C/plugins/sound.h"

#include <stdio.h>
#include <string.h>

static msdk_result speak(msdk_self *self, const char *name, const msdk_value *value) {
  if (set_param(self, name, value) < 0) return MSDK_E_INVALID;
  if (value->type != MSDK_T_STRING) return MSDK_OK;
  char words[256];
  snprintf(words, sizeof words, "%.60s=%.100s", name, value->u.str);
  self->host->log(self->context, MSDK_LOG_ERROR, words);
  self->host->set_error(self->context, MSDK_E_PERMISSION, words);
  return strcmp(value->u.str, "refuse-this") == 0 ? MSDK_E_PERMISSION : MSDK_OK;
}

static msdk_result list(msdk_self *self, const char *name, uint32_t index, msdk_choice *out) {
  static const char *const devices[] = {"front", "back \x1B[31m"};
  if (self == NULL || name == NULL || index >= 2) return MSDK_E_NOT_FOUND;
  out->value = devices[index];
  if (index == 0) out->label = "the front camera";
  return MSDK_OK;
}

MSDK_DEFINE_ENTRY(&sound_module)
