/* Functions of a shared library that do nothing: what a call costs before anything happens in it. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <stdint.h>

int32_t bare_state(void *handle, uint32_t *out);
int32_t bare_send(void *sender, const void *frame, int64_t timestamp, void *completion, void *user);

#endif
