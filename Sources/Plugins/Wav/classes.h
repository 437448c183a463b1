/* The classes of this module, each of which has a struct msdk_self of its own. */
#ifndef WAV_CLASSES_H
#define WAV_CLASSES_H

#include <mediasdk/plugin.h>

extern const msdk_class wav_producer_class, wav_renderer_class;

#endif
