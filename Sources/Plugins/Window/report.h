/* How the parts of this plugin tell what went wrong. */
#ifndef WINDOW_REPORT_H
#define WINDOW_REPORT_H

#include <mediasdk/plugin.h>

typedef struct wn_report {
  const msdk_host *host;
  msdk_host_context *context;
} wn_report;

/* Gives the words for the error, and returns it. */
msdk_result wn_fail(const wn_report *report, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));
void wn_log(const wn_report *report, int32_t level, const char *text, ...) __attribute__((format(printf, 3, 4)));
/* An event whose detail is words. */
void wn_post(const wn_report *report, uint32_t event, msdk_result result, const char *words);

#endif
