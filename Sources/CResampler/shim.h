/* libsamplerate; Debian's package is libsamplerate0-dev. */
#ifndef CRESAMPLER_SHIM_H
#define CRESAMPLER_SHIM_H

#include <samplerate.h>

#endif
