/* How the parts of this plugin tell what went wrong. */
#ifndef PULSE_REPORT_H
#define PULSE_REPORT_H

#include <mediasdk/plugin.h>

typedef struct pulse_report {
  const msdk_host *host;
  msdk_host_context *context;
} pulse_report;

/* Gives the words for the error, and returns it. */
msdk_result pulse_fail(const pulse_report *report, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));
void pulse_log(const pulse_report *report, int32_t level, const char *text, ...) __attribute__((format(printf, 3, 4)));
/* An event whose detail is words. */
void pulse_post(const pulse_report *report, uint32_t event, msdk_result result, const char *words);

#endif
