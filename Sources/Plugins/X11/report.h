/* How the parts of this plugin tell what went wrong. */
#ifndef X11_REPORT_H
#define X11_REPORT_H

#include <mediasdk/plugin.h>

typedef struct x11_report {
  const msdk_host *host;
  msdk_host_context *context;
} x11_report;

/* Gives the words for the error, and returns it. */
msdk_result x11_fail(const x11_report *report, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));
void x11_log(const x11_report *report, int32_t level, const char *text, ...) __attribute__((format(printf, 3, 4)));

#endif
