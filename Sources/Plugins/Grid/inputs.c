#define _POSIX_C_SOURCE 200809L
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

grid_input *inputs_find(grid_inputs *inputs, uint32_t number) {
  for (uint32_t i = 0; i < inputs->count; i++) {
    if (inputs->list[i].number == number) return &inputs->list[i];
  }
  return NULL;
}

grid_input *inputs_add(grid_inputs *inputs, uint32_t number) {
  if (inputs->count == inputs->capacity) {
    uint32_t capacity = inputs->capacity == 0 ? 8 : 2 * inputs->capacity;
    grid_input *list = realloc(inputs->list, capacity * sizeof *list);
    if (list == NULL) return NULL;
    inputs->list = list;
    inputs->capacity = capacity;
  }
  grid_input *input = &inputs->list[inputs->count++];
  *input = (grid_input){.number = number, .kind = MSDK_VIDEO_VIRTUAL, .info_version = ++inputs->version};
  return input;
}

/* Text may be cut in the middle of a character; what is left of it is shown as an unknown one. */
static bool set_name(grid_input *input, const msdk_input *told) {
  const char *name = MSDK_HAS(told, msdk_input, display_name) && told->display_name != NULL ? told->display_name : "";
  if (name[0] == 0 && MSDK_HAS(told, msdk_input, user_id) && told->user_id != NULL) name = told->user_id;
  size_t length = strnlen(name, GRID_NAME - 1);
  if (strlen(input->name) == length && memcmp(input->name, name, length) == 0) return false;
  memcpy(input->name, name, length);
  input->name[length] = 0;
  return true;
}

bool inputs_update(grid_inputs *inputs, grid_input *input, const msdk_input *told, const msdk_video_frame **dropped) {
  bool has_video = MSDK_HAS(told, msdk_input, has_video) && told->has_video != 0;
  bool is_speaking = MSDK_HAS(told, msdk_input, is_speaking) && told->is_speaking != 0;
  bool is_muted = MSDK_HAS(told, msdk_input, is_muted) && told->is_muted != 0;
  bool changed = set_name(input, told);
  changed = changed || input->kind != told->kind || input->has_video != has_video || input->is_speaking != is_speaking ||
            input->is_muted != is_muted;
  input->kind = told->kind;
  input->has_video = has_video;
  input->is_speaking = is_speaking;
  input->is_muted = is_muted;
  *dropped = NULL;
  if (!has_video) {
    *dropped = input->frame;
    input->frame = NULL;
  }
  if (changed) input->info_version = ++inputs->version;
  return changed;
}

const msdk_video_frame *inputs_show(grid_inputs *inputs, grid_input *input, const msdk_video_frame *frame) {
  const msdk_video_frame *former = input->frame;
  input->frame = frame;
  input->frame_version = ++inputs->version;
  return former;
}

const msdk_video_frame *inputs_remove(grid_inputs *inputs, grid_input *input) {
  const msdk_video_frame *frame = input->frame;
  size_t after = (size_t)(inputs->list + inputs->count - (input + 1));
  memmove(input, input + 1, after * sizeof *input);
  inputs->count--;
  return frame;
}
