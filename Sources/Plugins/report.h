/* What the parts of a plugin report to the host: errors with their text, lines for the log, events. */
#ifndef PLUGIN_REPORT_H
#define PLUGIN_REPORT_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <mediasdk/plugin.h>

typedef struct plugin_report {
  const msdk_host *host;
  msdk_host_context *context;
  int32_t is_quiet; /* while 1, nothing is reported: something is only being tried */
} plugin_report;

enum { REPORT_BYTES = 512 };

/* Sets the text of the error, and returns it. */
__attribute__((format(printf, 3, 4), unused))
static msdk_result report_fail(const plugin_report *report, msdk_result result, const char *text, ...) {
  char line[REPORT_BYTES];
  if (report->is_quiet) return result;
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->set_error(report->context, result, line);
  return result;
}

__attribute__((format(printf, 3, 4), unused))
static void report_log(const plugin_report *report, int32_t level, const char *text, ...) {
  char line[REPORT_BYTES];
  if (report->is_quiet) return;
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  report->host->log(report->context, level, line);
}

/* Appends to a list of what is accepted, as far as there is room. */
static inline void report_list(char *list, size_t room, const char *name) {
  size_t length = strlen(list);
  snprintf(list + length, room - length, "%s%s", length > 0 ? ", " : "", name);
}

/* An event whose detail is a text. */
__attribute__((unused))
static void report_event(const plugin_report *report, uint32_t event, msdk_result result, const char *text) {
  msdk_value detail = {.type = MSDK_T_STRING, .u.str = text};
  report->host->post_event(report->context, event, result, &detail);
}

#endif
