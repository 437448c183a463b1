#include "self.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char words[512];

msdk_result fail(msdk_result result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  return result;
}

const char *msdk_feeder_error(msdk_feeder *feeder) {
  (void)feeder;
  return words;
}
