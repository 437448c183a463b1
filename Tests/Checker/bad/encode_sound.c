/* It takes every buffer to have 20 ms. */
#define SAMPLES (960 * self->channels)
#include "codec.h"
