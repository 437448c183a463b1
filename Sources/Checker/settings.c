/* Parameters that the author gave on the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "rig.h"
#include "settings.h"

double double_of(const msdk_value *value) {
  switch (value->type) {
    case MSDK_T_I32:
      return value->u.i32;
    case MSDK_T_I64:
      return (double)value->u.i64;
    case MSDK_T_U32:
      return value->u.u32;
    case MSDK_T_U64:
      return (double)value->u.u64;
    case MSDK_T_F64:
      return value->u.f64;
    default:
      return 0;
  }
}

const msdk_command *command_at(const msdk_class *class, uint32_t index) {
  return (const msdk_command *)(const void *)((const uint8_t *)class->commands + (size_t)index * class->commands[0].struct_size);
}

const msdk_param *param_at(const msdk_class *class, uint32_t index) {
  return (const msdk_param *)(const void *)((const uint8_t *)class->params + (size_t)index * class->params[0].struct_size);
}

static int parse(const msdk_param *param, const char *text, msdk_value *value) {
  char *end = NULL;
  *value = (msdk_value){.type = param->def.type};
  switch (param->def.type) {
    case MSDK_T_STRING:
      value->u.str = text;
      return 1;
    case MSDK_T_BYTES:
      value->u.bytes = (msdk_bytes){.data = text, .size = strlen(text)};
      return 1;
    case MSDK_T_BOOL:
      value->u.b = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
      return 1;
    case MSDK_T_I32:
      value->u.i32 = (int32_t)strtol(text, &end, 10);
      break;
    case MSDK_T_I64:
      value->u.i64 = strtoll(text, &end, 10);
      break;
    case MSDK_T_U32:
      value->u.u32 = (uint32_t)strtoul(text, &end, 10);
      break;
    case MSDK_T_U64:
      value->u.u64 = strtoull(text, &end, 10);
      break;
    case MSDK_T_F64:
      value->u.f64 = strtod(text, &end);
      break;
    default:
      return 0;
  }
  return end != text && *end == 0;
}

int is_set(const char *name) {
  for (int32_t i = 0; i < request->setting_count; i++) {
    if (strcmp(request->settings[2 * i], name) == 0) return 1;
  }
  return 0;
}

void check_setting_names(const msdk_module *module) {
  for (int32_t i = 0; i < request->setting_count && !has_failed(); i++) {
    char known[1024] = "";
    size_t length = 0;
    int is_known = 0;
    for (uint32_t j = 0; j < module->class_count && module->classes[j] != NULL; j++) {
      const msdk_class *class = module->classes[j];
      for (uint32_t at = 0; class->params != NULL && at < class->param_count && at < PARAMS_MAX; at++) {
        const char *name = param_at(class, at)->name;
        if (name == NULL) continue;
        if (strcmp(name, request->settings[2 * i]) == 0) is_known = 1;
        if (length < sizeof known - 1) length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", length > 0 ? ", " : "", name);
      }
    }
    if (is_known) continue;
    fail("--set", "no class of it has a parameter \"%s\"; accepted: %s", request->settings[2 * i], length > 0 ? known : "none, as it has no parameters");
  }
}

msdk_result rig_apply_settings(rig *rig) {
  for (int32_t i = 0; i < request->setting_count; i++) {
    for (uint64_t at = 0; at < rig->class->param_count; at++) {
      const msdk_param *param = param_at(rig->class, at);
      msdk_value value;
      if (strcmp(param->name, request->settings[2 * i]) != 0) continue;
      if (!parse(param, request->settings[2 * i + 1], &value)) {
        fail("--set", "\"%s\" is not a value of the parameter %s", request->settings[2 * i + 1], param->name);
        return MSDK_E_INVALID;
      }
      msdk_result code = rig_set(rig, param->name, &value);
      if (code < 0)
        fail("--set", "the parameter %s does not accept \"%s\": %s", param->name, request->settings[2 * i + 1], rig_words(rig, code));
      if (code < 0) return code;
    }
  }
  return MSDK_OK;
}
