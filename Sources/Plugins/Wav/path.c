#define _POSIX_C_SOURCE 200809L
#include "path.h"

#include <stdlib.h>
#include <string.h>

msdk_result wav_set_path(const plugin_report *report, char **path, const msdk_value *value) {
  if (value->type != MSDK_T_STRING || value->u.str == NULL) return report_fail(report, MSDK_E_TYPE, "path takes a string");
  if (value->u.str[0] == 0) return report_fail(report, MSDK_E_INVALID, "path is empty; accepted: the name of a file");
  char *copy = strdup(value->u.str);
  if (copy == NULL) return report_fail(report, MSDK_E_NOMEM, "no memory for the path");
  free(*path);
  *path = copy;
  return MSDK_OK;
}
