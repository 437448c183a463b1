#include "report.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MAX_BYTES = 512 };

msdk_result tm_fail(const tm_report *report, msdk_result result, const char *text, ...) {
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->set_error(report->context, result, line);
  return result;
}

void tm_log(const tm_report *report, int32_t level, const char *text, ...) {
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->log(report->context, level, line);
}
