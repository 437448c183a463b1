#ifndef SETTINGS_H
#define SETTINGS_H

#include "checks.h"

enum { HUGE_TEXT = 65536 };

const msdk_param *param_at(const msdk_class *class, uint64_t index);
int is_set(const char *name); /* by the author */

msdk_value number_of(msdk_type type, double number); /* the nearest of that type */

#endif
