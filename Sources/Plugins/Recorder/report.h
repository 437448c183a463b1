/* How the parts of this plugin tell what went wrong. */
#ifndef RECORDER_REPORT_H
#define RECORDER_REPORT_H

#include <mediasdk/plugin.h>

typedef struct rec_report {
  const msdk_host *host;
  msdk_host_context *context;
} rec_report;

/* Gives the words for the error, and returns it. */
msdk_result rec_fail(const rec_report *report, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));
void rec_log(const rec_report *report, int32_t level, const char *text, ...) __attribute__((format(printf, 3, 4)));

/* For an error number of FFmpeg's: "what: why". */
msdk_result rec_fail_av(const rec_report *report, int error, const char *what);

#endif
