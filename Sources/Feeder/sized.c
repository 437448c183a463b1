#include "self.h"

#include <string.h>

msdk_result take_struct(const void *given, void *into, size_t known, size_t least, const char *name) {
  if (given == NULL) return fail(MSDK_E_INVALID, "%s is NULL", name);
  uint32_t size;
  memcpy(&size, given, sizeof size);
  if (size < least || size > 65536) {
    return fail(MSDK_E_INVALID, "%s.struct_size is %u; accepted: %zu..65536, here %zu", name, size, least, known);
  }
  memset(into, 0, known);
  memcpy(into, given, size < known ? size & ~7u : known);
  const uint8_t *bytes = given;
  for (size_t at = known; at < size; at++) {
    if (bytes[at] == 0) continue;
    return fail(MSDK_E_UNSUPPORTED, "%s has a member at byte %zu that this version does not know; accepted: 0 past its %zu bytes", name, at,
                known);
  }
  return MSDK_OK;
}

msdk_result check_choices(uint32_t orientation, uint32_t color_full_range) {
  if (orientation > 7) return fail(MSDK_E_UNSUPPORTED, "frame.orientation is %u; accepted: 0..7", orientation);
  if (color_full_range > 1) return fail(MSDK_E_UNSUPPORTED, "frame.color_full_range is %u; accepted: 0, 1", color_full_range);
  return MSDK_OK;
}
