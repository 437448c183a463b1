/* A picture's number in its upper left corner: a square of luma for each bit, which survives any encoder. */
#ifndef BENCH_PAINTED_H
#define BENCH_PAINTED_H

#include <stddef.h>
#include <stdint.h>

enum { PAINTED_WIDTH = 256, PAINTED_HEIGHT = 16 }; /* of the corner */

void painted_write(uint8_t *luma, ptrdiff_t stride, uint64_t number); /* its lower 16 bits */
uint64_t painted_read(const uint8_t *luma, ptrdiff_t stride);

#endif
