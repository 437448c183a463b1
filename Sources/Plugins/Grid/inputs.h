/* What the grid knows of its inputs, in the order in which they came. */
#ifndef GRID_INPUTS_H
#define GRID_INPUTS_H

#include <mediasdk/plugin.h>

#include <stdbool.h>

enum { GRID_NAME = 256 };

typedef struct grid_input {
  uint32_t number; /* 0: the one stream of a grid that is attached to a stream, not to a call */
  uint32_t kind;
  char name[GRID_NAME];
  bool has_video, is_speaking, is_muted;
  const msdk_video_frame *frame; /* the newest, with a reference; NULL before the first */
  uint64_t frame_version, info_version;
} grid_input;

typedef struct grid_inputs {
  grid_input *list;
  uint32_t count, capacity;
  uint64_t version; /* the last that was given */
} grid_inputs;

grid_input *inputs_find(grid_inputs *inputs, uint32_t number);
/* A new one; NULL when there is no memory. */
grid_input *inputs_add(grid_inputs *inputs, uint32_t number);
/* Says whether something is to be seen differently. `dropped` gets the frame to give back, or NULL. */
bool inputs_update(grid_inputs *inputs, grid_input *input, const msdk_input *told, const msdk_video_frame **dropped);
/* Takes the reference; gives the frame that it replaces. */
const msdk_video_frame *inputs_show(grid_inputs *inputs, grid_input *input, const msdk_video_frame *frame);
/* Gives the frame of the one that is gone. */
const msdk_video_frame *inputs_remove(grid_inputs *inputs, grid_input *input);

#endif
