#include "compose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_SHARE = 60, FRAME_LEAST = 4, MARGIN = 4 };
static const uint32_t ground_rgb = 0x23272F, speaking_rgb = 0x2ECC71;

static uint32_t copy_of_kind(const grid_inputs *inputs, bool screens, grid_shown *shown, uint32_t at, uint32_t most) {
  for (uint32_t i = 0; i < inputs->count && at < most; i++) {
    if ((inputs->list[i].kind == MSDK_VIDEO_SCREEN_SHARE) != screens) continue;
    shown[at++] = (grid_shown){.input = inputs->list[i]};
  }
  return at;
}

uint32_t compose_choose(const grid_inputs *inputs, grid_shown *shown) {
  uint32_t most = inputs->count > GRID_TILES ? GRID_TILES - 1 : GRID_TILES;
  uint32_t count = copy_of_kind(inputs, true, shown, 0, most);
  count = copy_of_kind(inputs, false, shown, count, most);
  if (inputs->count > GRID_TILES) {
    uint32_t hidden = inputs->count - count;
    grid_shown *rest = &shown[count++];
    *rest = (grid_shown){.is_rest = true, .input = {.number = UINT32_MAX, .kind = MSDK_VIDEO_VIRTUAL, .info_version = hidden}};
    snprintf(rest->input.name, sizeof rest->input.name, "+%u", hidden);
  }
  return count;
}

static void forget_overlays(grid_tile *tile) {
  overlay_free(&tile->name);
  overlay_free(&tile->initials);
  tile->info_version = tile->frame_version = 0;
}

/* Everything anew: the tiles are others, or elsewhere. */
static bool lay_out(grid_composer *composer, int32_t width, int32_t height, uint32_t background, const grid_shown *shown, uint32_t count) {
  if (composer->canvas.width != width || composer->canvas.height != height) {
    canvas_free(&composer->canvas);
    if (!canvas_make(&composer->canvas, width, height)) return false;
  }
  for (uint32_t i = 0; i < composer->count; i++) forget_overlays(&composer->tiles[i]);
  canvas_fill(&composer->canvas, (grid_rect){0, 0, width, height}, canvas_colour(background));
  grid_rect people_at[GRID_TILES], screens_at[GRID_TILES];
  uint32_t screens = 0;
  while (screens < count && shown[screens].input.kind == MSDK_VIDEO_SCREEN_SHARE) screens++;
  grid_layout(width, height, count - screens, screens, people_at, screens_at);
  for (uint32_t i = 0; i < count; i++) {
    composer->tiles[i] = (grid_tile){.rect = i < screens ? screens_at[i] : people_at[i - screens], .number = shown[i].input.number};
  }
  composer->count = count;
  return true;
}

static bool is_laid_out(const grid_composer *composer, int32_t width, int32_t height, uint64_t settings_version, const grid_shown *shown,
                        uint32_t count) {
  if (composer->canvas.width != width || composer->canvas.height != height) return false;
  if (composer->settings_version != settings_version || composer->count != count) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (composer->tiles[i].number != shown[i].input.number) return false;
  }
  return true;
}

static void make_overlays(grid_composer *composer, grid_tile *tile, const grid_shown *shown, const grid_settings *settings) {
  const grid_input *input = &shown->input;
  bool has_frame = input->has_video && input->frame != NULL;
  overlay_free(&tile->name);
  overlay_free(&tile->initials);
  if (!has_frame && input->kind != MSDK_VIDEO_SCREEN_SHARE) {
    pen_initials(composer->pen, &tile->initials, input->name, tile->rect.width, tile->rect.height, shown->is_rest);
  }
  bool has_name = settings->names && input->name[0] != 0 && !shown->is_rest;
  if (has_name || input->is_muted) {
    pen_name(composer->pen, &tile->name, has_name ? input->name : "", input->is_muted, tile->rect.width, tile->rect.height);
  }
}

static bool draw_tile(grid_composer *composer, grid_tile *tile, const grid_shown *shown, const grid_settings *settings) {
  const grid_input *input = &shown->input;
  grid_canvas *canvas = &composer->canvas;
  grid_colour ground = canvas_colour(ground_rgb);
  grid_rect at = tile->rect;
  bool has_frame = input->has_video && input->frame != NULL, had_frame = tile->frame_version != 0;
  if (at.width == 0) {
    tile->frame_version = has_frame ? input->frame_version : 0;
    tile->info_version = input->info_version;
    return true;
  }
  if (tile->info_version != input->info_version || has_frame != had_frame) make_overlays(composer, tile, shown, settings);
  if (has_frame) {
    /* A screen is to be read: nothing of it is cut off. */
    bool fills = settings->fills && input->kind != MSDK_VIDEO_SCREEN_SHARE;
    if (!canvas_draw(canvas, at, input->frame, fills, ground, &composer->scratch)) return false;
  } else {
    canvas_fill(canvas, at, ground);
    const grid_overlay *disk = &tile->initials;
    canvas_blend(canvas, at.x + (((at.width - disk->width) / 2) & ~1), at.y + (((at.height - disk->height) / 2) & ~1), disk);
  }
  int32_t thickness = (at.height / FRAME_SHARE) & ~1;
  if (thickness < FRAME_LEAST) thickness = FRAME_LEAST;
  if (thickness > at.height / 2) thickness = at.height / 2;
  if (thickness > at.width / 2) thickness = at.width / 2;
  const grid_overlay *name = &tile->name;
  canvas_blend(canvas, at.x + thickness + MARGIN, at.y + at.height - name->height - thickness - MARGIN, name);
  if (input->is_speaking) canvas_frame(canvas, at, thickness, canvas_colour(speaking_rgb));
  tile->frame_version = has_frame ? input->frame_version : 0;
  tile->info_version = input->info_version;
  return true;
}

bool compose_draw(grid_composer *composer, int32_t width, int32_t height, const grid_settings *settings, const grid_shown *shown,
                  uint32_t count) {
  if (composer->pen == NULL && (composer->pen = pen_make()) == NULL) return false;
  if (!is_laid_out(composer, width, height, settings->version, shown, count)) {
    if (!lay_out(composer, width, height, settings->background, shown, count)) return false;
    composer->settings_version = settings->version;
  }
  for (uint32_t i = 0; i < count; i++) {
    grid_tile *tile = &composer->tiles[i];
    const grid_input *input = &shown[i].input;
    uint64_t frame_version = input->has_video && input->frame != NULL ? input->frame_version : 0;
    if (tile->info_version == input->info_version && tile->frame_version == frame_version) continue;
    if (!draw_tile(composer, tile, &shown[i], settings)) return false;
  }
  return true;
}

void compose_free(grid_composer *composer) {
  for (uint32_t i = 0; i < composer->count; i++) forget_overlays(&composer->tiles[i]);
  canvas_free(&composer->canvas);
  free(composer->scratch.halves.bytes);
  free(composer->scratch.turning.bytes);
  pen_free(composer->pen);
  *composer = (grid_composer){0};
}
