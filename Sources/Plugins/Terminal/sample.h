/* From the picture to few, large pixels. */
#ifndef TERMINAL_SAMPLE_H
#define TERMINAL_SAMPLE_H

#include <mediasdk/plugin.h>

/* Fills width * height pixels 0xRRGGBB with all of the picture, upright and in proportion; beside it they are black. frame: BGRA. */
void tm_sample(const msdk_video_frame *frame, uint32_t *to, uint32_t width, uint32_t height);

#endif
