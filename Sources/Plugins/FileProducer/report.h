/* How the parts of this plugin tell what went wrong. */
#ifndef FILEPRODUCER_REPORT_H
#define FILEPRODUCER_REPORT_H

#include <mediasdk/plugin.h>

typedef struct fp_report {
  const msdk_host *host;
  msdk_host_context *context;
  int32_t quiet; /* while 1, nothing is told: something is only being tried */
} fp_report;

/* Gives the words for the error, and returns it. */
msdk_result fp_fail(const fp_report *report, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));
void fp_log(const fp_report *report, int32_t level, const char *text, ...) __attribute__((format(printf, 3, 4)));

#endif
