/* The number of an X11 window as people write it: decimal, or hexadecimal with 0x, as xwininfo prints it. */
#ifndef MSDK_PLUGINS_WINDOW_NUMBER_H
#define MSDK_PLUGINS_WINDOW_NUMBER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* False when the text is no number, or none of 32 bits. */
static inline bool msdk_window_number(const char *text, uint32_t *out) {
  int base = strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0 ? 16 : 10;
  const char *digits = base == 16 ? text + 2 : text;
  if (digits[0] == 0 || strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits)) return false;
  errno = 0;
  unsigned long long number = strtoull(digits, NULL, base);
  *out = (uint32_t)number;
  return errno == 0 && number <= UINT32_MAX;
}

#endif
