/* A box that runs to and fro, the frame's number in large digits, and the stamp. */
#include "pattern.h"

enum { SECONDS_ACROSS = 2 };

/* Where a box is that goes from 0 to `room` and back in twice SECONDS_ACROSS. */
static uint32_t bounce(double seconds, uint32_t room) {
  double turns = seconds / (2 * SECONDS_ACROSS);
  double part = turns - (double)(uint64_t)turns; /* 0 up to 1 */
  double there = part < 0.5 ? 2 * part : 2 - 2 * part;
  return (uint32_t)(there * room + 0.5);
}

void tp_counter_draw(const tp_canvas *canvas, const msdk_video_format *format, double seconds, uint64_t counter, int64_t timestamp_ns) {
  tp_colour black = tp_colour_of(format, 0, 0, 0), white = tp_colour_of(format, 1, 1, 1);
  uint32_t width = canvas->width, height = canvas->height;
  tp_fill(canvas, 0, 0, width, height, tp_colour_of(format, .3, .3, .3));

  uint32_t box_width = width / 8 > 0 ? width / 8 : 1, box_height = height / 6 > 0 ? height / 6 : 1;
  uint32_t box_top = height * 3 / 4;
  tp_fill(canvas, bounce(seconds, width - box_width), box_top, box_width, box_height, tp_colour_of(format, .75, .75, 0));

  uint32_t text_top = height / 4, text_height = height * 7 / 10 - text_top;
  tp_digits_draw(canvas, white, counter, text_top, text_height);
  tp_stamp_draw(canvas, black, white, counter, timestamp_ns);
}
