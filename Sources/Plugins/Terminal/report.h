/* How the parts of this plugin tell what went wrong. */
#ifndef TERMINAL_REPORT_H
#define TERMINAL_REPORT_H

#include <mediasdk/plugin.h>

typedef struct tm_report {
  const msdk_host *host;
  msdk_host_context *context;
} tm_report;

/* Gives the words for the error, and returns it. */
msdk_result tm_fail(const tm_report *report, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));
void tm_log(const tm_report *report, int32_t level, const char *text, ...) __attribute__((format(printf, 3, 4)));

#endif
