#include "report.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MAX_BYTES = 512 };

msdk_result wn_fail(const wn_report *report, msdk_result result, const char *text, ...) {
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->set_error(report->context, result, line);
  return result;
}

void wn_log(const wn_report *report, int32_t level, const char *text, ...) {
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->log(report->context, level, line);
}

void wn_post(const wn_report *report, uint32_t event, msdk_result result, const char *words) {
  msdk_value detail = {.type = MSDK_T_STRING, .u.str = words};
  report->host->post_event(report->context, event, result, &detail);
}
