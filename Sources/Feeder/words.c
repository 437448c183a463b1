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

const char *refusal_text(const uint8_t *body, uint32_t size, char out[REFUSAL_MAX]) {
  uint32_t length = get32(body + 4);
  if (length > size - 8) length = size - 8;
  if (length > REFUSAL_MAX - 1) length = REFUSAL_MAX - 1;
  for (uint32_t i = 0; i < length; i++) out[i] = body[8 + i] < 0x20 || body[8 + i] == 0x7F ? ' ' : (char)body[8 + i];
  out[length] = 0;
  return out;
}

const char *msdk_feeder_last_error(void) { return words; }
