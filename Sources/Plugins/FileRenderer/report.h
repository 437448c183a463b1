/* How the parts of this plugin tell what went wrong. */
#ifndef FILERENDERER_REPORT_H
#define FILERENDERER_REPORT_H

#include <mediasdk/plugin.h>

typedef struct fr_report {
  const msdk_host *host;
  msdk_host_context *context;
} fr_report;

/* Gives the words for the error, and returns it. */
msdk_result fr_fail(const fr_report *report, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));
void fr_log(const fr_report *report, int32_t level, const char *text, ...) __attribute__((format(printf, 3, 4)));

#endif
