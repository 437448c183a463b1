/* The parameters of a class: what describes them, and what every set_param does. A host checks a value before it sets it (plugin.h); the
 * classes here check it again, against the same descriptors, so that a host with a fault gets an error and does no harm. */
#ifndef PLUGIN_PARAMS_H
#define PLUGIN_PARAMS_H

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Descriptors. FLAGS: MSDK_PARAM_*, or 0. */
#define PARAM_BOOL(NAME, FLAGS, DEFAULT, SUMMARY) \
  {.struct_size = sizeof(msdk_param), .flags = FLAGS, .name = NAME, .summary = SUMMARY, .def = MSDK_BOOL(DEFAULT)}
#define PARAM_STRING(NAME, FLAGS, DEFAULT, SUMMARY) \
  {.struct_size = sizeof(msdk_param), .flags = FLAGS, .name = NAME, .summary = SUMMARY, .def = MSDK_STRING(DEFAULT)}
/* CHOICES: an array of texts, of which DEFAULT is one. */
#define PARAM_CHOICE(NAME, FLAGS, DEFAULT, CHOICES, SUMMARY)                                                          \
  {.struct_size = sizeof(msdk_param), .flags = FLAGS, .name = NAME, .summary = SUMMARY, .def = MSDK_STRING(DEFAULT), \
   .choices = CHOICES, .choice_count = MSDK_COUNT(CHOICES)}
/* Of every class that writes a file. */
#define PARAM_SHARED_FILE                                                                                                              \
  PARAM_BOOL("shared", 0, 0,                                                                                                           \
             "true: a new file has the permissions that the umask allows, so that others may read it; false: only its owner may (0600)")
/* Of classes that play a file, so that the video and the audio of a clip begin together. */
#define PARAM_START                                                                                                                   \
  PARAM_NUMBER(U64, "start_ns", 0, 0, 0, INT64_MAX,                                                                                   \
               "capture time of the file's beginning, in nanoseconds of the engine's clock; 0, or more than a second ago: the first frame's")
/* TYPE: I32, U32, U64 or F64. */
#define PARAM_NUMBER(TYPE, NAME, FLAGS, DEFAULT, LEAST, MOST, SUMMARY)                                                  \
  {.struct_size = sizeof(msdk_param), .flags = FLAGS, .name = NAME, .summary = SUMMARY, .def = MSDK_##TYPE(DEFAULT), \
   .min = MSDK_##TYPE(LEAST), .max = MSDK_##TYPE(MOST)}

static inline const char *param_type_name(uint32_t type) {
  switch (type) {
  case MSDK_T_BOOL: return "true or false (bool)";
  case MSDK_T_I32: return "a whole number (i32)";
  case MSDK_T_U32: return "a whole number (u32)";
  case MSDK_T_U64: return "a whole number (u64)";
  case MSDK_T_F64: return "a number (f64)";
  default: return "a string";
  }
}

static inline msdk_result param_check_choice(const plugin_report *report, const msdk_param *param, const char *text) {
  char accepted[REPORT_BYTES / 2] = "";
  for (uint32_t i = 0; i < param->choice_count; i++) {
    if (strcmp(param->choices[i], text) == 0) return MSDK_OK;
    report_list(accepted, sizeof accepted, param->choices[i]);
  }
  return report_fail(report, MSDK_E_RANGE, "%s '%.63s' is not one of %s", param->name, text, accepted);
}

#define PARAM_CHECK_NUMBER(MEMBER, FORMAT)                                                                                        \
  if (value->u.MEMBER >= param->min.u.MEMBER && value->u.MEMBER <= param->max.u.MEMBER) return MSDK_OK;                            \
  return report_fail(report, MSDK_E_RANGE, "%s " FORMAT " is outside " FORMAT ".." FORMAT, param->name, value->u.MEMBER,           \
                     param->min.u.MEMBER, param->max.u.MEMBER)

static inline msdk_result param_check_value(const plugin_report *report, const msdk_param *param, const msdk_value *value) {
  if (value->type != param->def.type || (value->type == MSDK_T_STRING && value->u.str == NULL)) {
    return report_fail(report, MSDK_E_TYPE, "%s takes %s", param->name, param_type_name(param->def.type));
  }
  if (param->choices != NULL) return param_check_choice(report, param, value->u.str);
  if (param->min.type == MSDK_T_VOID) return MSDK_OK;
  switch (value->type) {
  case MSDK_T_I32: PARAM_CHECK_NUMBER(i32, "%" PRId32);
  case MSDK_T_U32: PARAM_CHECK_NUMBER(u32, "%" PRIu32);
  case MSDK_T_U64: PARAM_CHECK_NUMBER(u64, "%" PRIu64);
  case MSDK_T_F64: PARAM_CHECK_NUMBER(f64, "%g"); /* what is not a number is outside, too */
  default: return MSDK_OK;
  }
}

/* The end of a set_param or get_param that knows no such name. */
static inline msdk_result param_unknown(const plugin_report *report, const msdk_param *params, uint32_t count, const char *name) {
  char accepted[REPORT_BYTES / 2] = "";
  for (uint32_t i = 0; i < count; i++) report_list(accepted, sizeof accepted, params[i].name);
  return report_fail(report, MSDK_E_NOT_FOUND, "no parameter '%.63s'; accepted: %s", name, accepted);
}

/* The beginning of a set_param: name, type, range and choice. When it returns MSDK_OK, `name` is one of the class's parameters, and the
 * value one that its descriptor allows. */
static inline msdk_result param_check(const plugin_report *report, const msdk_param *params, uint32_t count, const char *name,
                                      const msdk_value *value) {
  if (name == NULL || value == NULL) return report_fail(report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(params[i].name, name) == 0) return param_check_value(report, &params[i], value);
  }
  return param_unknown(report, params, count, name);
}

/* Which of its choices a text is, after param_check. */
static inline uint32_t param_choice_index(const char *const *choices, const char *text) {
  uint32_t index = 0;
  while (strcmp(choices[index], text) != 0) index++;
  return index;
}

/* Texts of the host are borrowed: an instance keeps a copy, in place of the one that it had (NULL: none). */
static inline msdk_result param_keep(const plugin_report *report, char **kept, const char *name, const msdk_value *value) {
  size_t size = strlen(value->u.str) + 1;
  char *copy = malloc(size);
  if (copy == NULL) return report_fail(report, MSDK_E_NOMEM, "no memory for the parameter '%s'", name);
  memcpy(copy, value->u.str, size);
  free(*kept);
  *kept = copy;
  return MSDK_OK;
}

/* The same for the name of a file, which is needed. */
static inline msdk_result param_keep_path(const plugin_report *report, char **kept, const char *name, const msdk_value *value) {
  if (value->u.str[0] == 0) return report_fail(report, MSDK_E_INVALID, "%s is empty; accepted: the name of a file", name);
  return param_keep(report, kept, name, value);
}

#endif
