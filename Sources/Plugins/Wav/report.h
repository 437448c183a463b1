/* How the parts of this plugin tell what went wrong. */
#ifndef WAV_REPORT_H
#define WAV_REPORT_H

#include <mediasdk/plugin.h>

typedef struct wav_report {
  const msdk_host *host;
  msdk_host_context *context;
} wav_report;

/* Gives the words for the error, and returns it. */
msdk_result wav_fail(const wav_report *report, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));
void wav_log(const wav_report *report, int32_t level, const char *text, ...) __attribute__((format(printf, 3, 4)));

/* What an errno of open or write means. */
msdk_result wav_result_of(int error);

/* A parameter's new value for `*path`, which is owned. */
msdk_result wav_set_path(const wav_report *report, char **path, const msdk_value *value);

#endif
