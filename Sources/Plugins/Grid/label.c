#include "label.h"

#include <pango/pangocairo.h>
#include <stdlib.h>

enum { BAND_LEAST = 18, BAND_MOST = 40, BAND_SHARE = 9, MARGIN = 8 };
static const double pi = 3.14159265358979323846;

struct grid_pen {
  PangoFontMap *fonts; /* its own: pango's default one belongs to the thread */
  PangoContext *context;
};

grid_pen *pen_make(void) {
  grid_pen *pen = calloc(1, sizeof *pen);
  if (pen == NULL) return NULL;
  pen->fonts = pango_cairo_font_map_new();
  pen->context = pango_font_map_create_context(pen->fonts);
  return pen;
}

void pen_free(grid_pen *pen) {
  if (pen == NULL) return;
  g_object_unref(pen->context);
  g_object_unref(pen->fonts);
  free(pen);
}

static PangoLayout *text_of(grid_pen *pen, const char *text, double size, int bold) {
  PangoLayout *layout = pango_layout_new(pen->context);
  PangoFontDescription *font = pango_font_description_new();
  pango_font_description_set_family_static(font, "sans");
  pango_font_description_set_weight(font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  pango_layout_set_text(layout, text, -1);
  return layout;
}

/* A surface with nothing on it; its sides are made even. */
static cairo_t *begin(int32_t width, int32_t height) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (width + 1) & ~1, (height + 1) & ~1);
  cairo_t *cairo = cairo_create(surface);
  cairo_surface_destroy(surface);
  return cairo;
}

static bool finish(cairo_t *cairo, grid_overlay *out) {
  cairo_surface_t *surface = cairo_get_target(cairo);
  cairo_surface_flush(surface);
  bool good = cairo_status(cairo) == CAIRO_STATUS_SUCCESS &&
              overlay_make(out, cairo_image_surface_get_data(surface), cairo_image_surface_get_stride(surface),
                           cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface));
  cairo_destroy(cairo);
  return good;
}

static void rounded(cairo_t *cairo, double width, double height, double radius) {
  cairo_new_sub_path(cairo);
  cairo_arc(cairo, width - radius, radius, radius, -pi / 2, 0);
  cairo_arc(cairo, width - radius, height - radius, radius, 0, pi / 2);
  cairo_arc(cairo, radius, height - radius, radius, pi / 2, pi);
  cairo_arc(cairo, radius, radius, radius, pi, 3 * pi / 2);
  cairo_close_path(cairo);
}

/* A microphone, crossed out, in a square of `size` at (x, y). */
static void draw_muted(cairo_t *cairo, double x, double y, double size) {
  double middle = x + size / 2, line = size / 10;
  cairo_set_line_width(cairo, line);
  cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
  cairo_set_source_rgb(cairo, 1, 0.45, 0.42);
  cairo_new_path(cairo);
  cairo_arc(cairo, middle, y + size * 0.28, size * 0.15, pi, 2 * pi);
  cairo_arc(cairo, middle, y + size * 0.48, size * 0.15, 0, pi);
  cairo_close_path(cairo);
  cairo_fill(cairo);
  cairo_arc(cairo, middle, y + size * 0.48, size * 0.28, 0, pi);
  cairo_stroke(cairo);
  cairo_move_to(cairo, middle, y + size * 0.76);
  cairo_line_to(cairo, middle, y + size * 0.9);
  cairo_stroke(cairo);
  cairo_move_to(cairo, x + size * 0.16, y + size * 0.1);
  cairo_line_to(cairo, x + size * 0.84, y + size * 0.86);
  cairo_stroke(cairo);
}

bool pen_name(grid_pen *pen, grid_overlay *out, const char *name, bool is_muted, int32_t tile_width, int32_t tile_height) {
  int32_t height = tile_height / BAND_SHARE;
  height = (height < BAND_LEAST ? BAND_LEAST : height > BAND_MOST ? BAND_MOST : height) & ~1;
  int32_t padding = height / 3, mark = is_muted ? height - height / 4 : 0, most = tile_width - 2 * MARGIN - 2 * padding - mark;
  if (most < height) return false;
  gchar *valid = g_utf8_make_valid(name, -1);
  PangoLayout *layout = text_of(pen, valid, height * 0.58, 0);
  g_free(valid);
  int text_width = 0, text_height = 0;
  pango_layout_set_width(layout, most * PANGO_SCALE);
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
  /* An ellipsized layout of a script that runs to the left would stick to the right end of that width. */
  pango_layout_set_auto_dir(layout, TRUE);
  PangoRectangle ink, logical;
  pango_layout_get_pixel_extents(layout, &ink, &logical);
  text_width = logical.width;
  text_height = logical.height;
  int32_t width = (text_width + 2 * padding + mark + 1) & ~1;
  cairo_t *cairo = begin(width, height);
  rounded(cairo, width, height, height / 4.0);
  cairo_set_source_rgba(cairo, 0.06, 0.07, 0.09, 0.72);
  cairo_fill(cairo);
  if (is_muted) draw_muted(cairo, padding * 0.6, (height - mark) / 2.0, mark);
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_move_to(cairo, padding + mark - logical.x, (height - text_height) / 2.0);
  pango_cairo_show_layout(cairo, layout);
  g_object_unref(layout);
  return finish(cairo, out);
}

/* The first letters of the first and the last word, large. */
static void initials_of(const char *name, char *out, size_t size) {
  gunichar letters[2] = {0, 0};
  bool begins = true;
  for (const char *at = name; *at != 0; at = g_utf8_next_char(at)) {
    gunichar letter = g_utf8_get_char(at);
    if (!g_unichar_isalnum(letter)) {
      begins = begins || g_unichar_isspace(letter);
    } else if (begins) {
      letters[letters[0] == 0 ? 0 : 1] = g_unichar_totitle(letter);
      begins = false;
    }
  }
  size_t length = 0;
  for (int i = 0; i < 2 && letters[i] != 0 && length + 7 < size; i++) length += (size_t)g_unichar_to_utf8(letters[i], out + length);
  out[length] = 0;
}

/* The same name has the same colour everywhere: dark enough for white letters. */
static void set_colour(cairo_t *cairo, const char *name) {
  static const uint8_t hues[][3] = {{178, 74, 62}, {158, 92, 24}, {98, 112, 30}, {38, 122, 76}, {24, 116, 132},
                                    {52, 98, 172}, {106, 80, 176}, {152, 64, 138}};
  uint32_t sum = 2166136261u;
  for (const char *at = name; *at != 0; at++) sum = (sum ^ (uint8_t)*at) * 16777619u;
  const uint8_t *hue = hues[(sum >> 8) % (sizeof hues / sizeof hues[0])];
  cairo_set_source_rgb(cairo, hue[0] / 255.0, hue[1] / 255.0, hue[2] / 255.0);
}

bool pen_initials(grid_pen *pen, grid_overlay *out, const char *name, int32_t tile_width, int32_t tile_height, bool whole) {
  int32_t size = ((tile_height < tile_width ? tile_height : tile_width) * 9 / 20) & ~1;
  if (size < 8) return false;
  char letters[16];
  gchar *valid = g_utf8_make_valid(name, -1);
  if (whole) g_strlcpy(letters, valid, sizeof letters);
  else initials_of(valid, letters, sizeof letters);
  g_free(valid);
  cairo_t *cairo = begin(size, size);
  cairo_arc(cairo, size / 2.0, size / 2.0, size / 2.0, 0, 2 * pi);
  set_colour(cairo, name);
  cairo_fill(cairo);
  PangoLayout *layout = text_of(pen, letters, size * 0.42, 1);
  PangoRectangle ink, logical;
  pango_layout_get_pixel_extents(layout, &ink, &logical);
  cairo_set_source_rgb(cairo, 1, 1, 1);
  /* Letters stand in the middle as they look, not as their line is high. */
  cairo_move_to(cairo, (size - ink.width) / 2.0 - ink.x, (size - ink.height) / 2.0 - ink.y);
  pango_cairo_show_layout(cairo, layout);
  g_object_unref(layout);
  return finish(cairo, out);
}
