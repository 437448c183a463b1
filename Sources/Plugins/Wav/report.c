#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 512 };

msdk_result wav_fail(const wav_report *report, msdk_result result, const char *text, ...) {
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->set_error(report->context, result, line);
  return result;
}

void wav_log(const wav_report *report, int32_t level, const char *text, ...) {
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->log(report->context, level, line);
}

msdk_result wav_result_of(int error) {
  switch (error) {
  case ENOENT:
  case ENOTDIR: return MSDK_E_NOT_FOUND;
  case EACCES:
  case EPERM:
  case EROFS: return MSDK_E_PERMISSION;
  case ENOMEM:
  case EMFILE:
  case ENFILE: return MSDK_E_NOMEM;
  case EISDIR:
  case ENXIO: return MSDK_E_INVALID; /* ENXIO: a fifo that nobody reads, or a socket */
  default: return MSDK_E_IO;
  }
}

msdk_result wav_set_path(const wav_report *report, char **path, const msdk_value *value) {
  if (value->type != MSDK_T_STRING || value->u.str == NULL) return wav_fail(report, MSDK_E_TYPE, "path takes a string");
  if (value->u.str[0] == 0) return wav_fail(report, MSDK_E_INVALID, "path is empty; accepted: the name of a file");
  char *copy = strdup(value->u.str);
  if (copy == NULL) return wav_fail(report, MSDK_E_NOMEM, "no memory for the path");
  free(*path);
  *path = copy;
  return MSDK_OK;
}
