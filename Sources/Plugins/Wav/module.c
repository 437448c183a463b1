#include "../module.h"
#include "classes.h"

PLUGIN_MODULE(&wav_producer_class, &wav_renderer_class)
