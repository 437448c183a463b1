#include "bare.h"

int32_t bare_state(void *handle, uint32_t *out) {
  *out = handle != (void *)0;
  return 0;
}

int32_t bare_send(void *sender, const void *frame, int64_t timestamp, void *completion, void *user) {
  (void)sender, (void)frame, (void)timestamp, (void)completion, (void)user;
  return 0;
}
