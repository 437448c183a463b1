#ifndef SETTINGS_H
#define SETTINGS_H

#include "checks.h"

enum { HUGE_TEXT = 65536, PARAMS_MAX = 256 };

const msdk_param *param_at(const msdk_class *class, uint32_t index);
const msdk_command *command_at(const msdk_class *class, uint32_t index);
double double_of(const msdk_value *value); /* of a number; else 0 */
int is_set(const char *name); /* by the author */
void check_setting_names(const msdk_module *module); /* fails where the author sets what no class has */

/* Calls a native command through libffi with values of the types that it declares. */
msdk_result native_call(msdk_self *self, const msdk_command *command, const msdk_value *args, msdk_value *answer);
int is_text(const char *text, size_t limit); /* UTF-8 of at most so many bytes */

msdk_value number_of(msdk_type type, double number); /* the nearest of that type */

#endif
