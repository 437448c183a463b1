/* Errors of FFmpeg's. */
#ifndef RECORDER_AV_ERROR_H
#define RECORDER_AV_ERROR_H

#include "../report.h"

/* Sets the text "what: why", and returns the error. */
msdk_result rec_fail_av(const plugin_report *report, int error, const char *what);

#endif
