#include "report.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MAX_BYTES = 512 };

msdk_result fp_fail(const fp_report *report, msdk_result result, const char *text, ...) {
  if (report->quiet) return result;
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->set_error(report->context, result, line);
  return result;
}

void fp_log(const fp_report *report, int32_t level, const char *text, ...) {
  if (report->quiet) return;
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->log(report->context, level, line);
}
