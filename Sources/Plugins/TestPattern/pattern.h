/* The three pictures. */
#ifndef TESTPATTERN_PATTERN_H
#define TESTPATTERN_PATTERN_H

#include "canvas.h"

/* The bars are the same in every frame: three different rows, drawn once, of which a frame is made by copying. */
typedef struct tp_bars {
  uint8_t *memory; /* NULL until prepared */
  tp_canvas row[3];
} tp_bars;

msdk_result tp_bars_prepare(tp_bars *bars, const msdk_video_format *format);
void tp_bars_free(tp_bars *bars);
void tp_bars_draw(const tp_bars *bars, const tp_canvas *canvas);

/* `seconds` is how long the picture has been moving at speed 1. */
void tp_lines_draw(const tp_canvas *canvas, const msdk_video_format *format, double seconds);
void tp_counter_draw(const tp_canvas *canvas, const msdk_video_format *format, double seconds, uint64_t counter, int64_t timestamp_ns);

void tp_stamp_draw(const tp_canvas *canvas, tp_colour black, tp_colour white, uint64_t counter, int64_t timestamp_ns);
void tp_digits_draw(const tp_canvas *canvas, tp_colour ink, uint64_t number, uint32_t top, uint32_t height);

#endif
