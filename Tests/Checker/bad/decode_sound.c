/* What it gives is far too loud. */
#define LOUDNESS 256.0f
#include "codec.h"
