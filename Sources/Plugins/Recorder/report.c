#include "report.h"

#include <libavutil/error.h>
#include <stdarg.h>
#include <stdio.h>

enum { LINE_MAX_BYTES = 512 };

msdk_result rec_fail(const rec_report *report, msdk_result result, const char *text, ...) {
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->set_error(report->context, result, line);
  return result;
}

void rec_log(const rec_report *report, int32_t level, const char *text, ...) {
  char line[LINE_MAX_BYTES];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->log(report->context, level, line);
}

msdk_result rec_fail_av(const rec_report *report, int error, const char *what) {
  char why[AV_ERROR_MAX_STRING_SIZE] = "";
  av_strerror(error, why, sizeof why);
  return rec_fail(report, error == AVERROR(ENOMEM) ? MSDK_E_NOMEM : MSDK_E_FAIL, "%s: %s", what, why);
}
