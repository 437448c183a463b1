/* The file that a class of this plugin reads or writes. */
#ifndef WAV_PATH_H
#define WAV_PATH_H

#include "../file_error.h"
#include "../report.h"

/* A parameter's new value for `*path`, which is owned. */
msdk_result wav_set_path(const plugin_report *report, char **path, const msdk_value *value);

#endif
