/* Reads back what the recorder wrote: with ffprobe and ffmpeg, which know nothing of us, and an Ogg file by hand. */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include "files.h"

#include <math.h>

enum { RATE = 48000, SMALL = 16 /* pictures come back as squares of this, in grey */ };

/* What a command prints, which the caller frees; there is a 0 behind it. */
static inline uint8_t *output_of(const char *command, size_t *size) {
  size_t capacity = 1 << 16;
  uint8_t *bytes = malloc(capacity + 1);
  *size = 0;
  FILE *pipe = popen(command, "r");
  if (pipe == NULL) {
    printf("cannot run %s\n", command);
    exit(2);
  }
  for (size_t got; (got = fread(bytes + *size, 1, capacity - *size, pipe)) > 0;) {
    *size += got;
    if (*size == capacity) bytes = realloc(bytes, (capacity *= 2) + 1);
  }
  int status = pclose(pipe);
  if (status != 0) {
    printf("%s: status %d (the package ffmpeg is needed)\n", command, status);
    check_failed++;
  }
  bytes[*size] = 0;
  return bytes;
}

/* "entry=value" or "" of the container or the streams, in a buffer of its own. */
static inline const char *probe(const char *path, const char *entries) {
  static char text[1024];
  char command[1024];
  size_t size;
  snprintf(command, sizeof command, "ffprobe -v error -show_entries %s -of default=noprint_wrappers=1 '%s'", entries, path);
  uint8_t *out = output_of(command, &size);
  snprintf(text, sizeof text, "%s", (char *)out);
  free(out);
  return text;
}

static inline double probe_duration(const char *path) {
  const char *text = strstr(probe(path, "format=duration"), "duration=");
  return text != NULL ? atof(text + 9) : -1;
}

typedef struct recorded {
  uint32_t pictures;
  double *times;      /* of each */
  uint8_t *luma;      /* mean of each */
  uint64_t samples;   /* mono, from time 0 of the file on */
  float *sound;
} recorded;

static inline void read_pictures(const char *path, recorded *into) {
  char command[1024];
  size_t size, text_size;
  snprintf(command, sizeof command, "ffprobe -v error -select_streams v -show_entries frame=pts_time -of csv=p=0 '%s'", path);
  char *text = (char *)output_of(command, &text_size);
  snprintf(command, sizeof command, "ffmpeg -v fatal -i '%s' -map 0:v -fps_mode passthrough -s %dx%d -pix_fmt gray -f rawvideo -", path,
           SMALL, SMALL);
  uint8_t *pixels = output_of(command, &size);
  into->pictures = (uint32_t)(size / (SMALL * SMALL));
  into->times = calloc(into->pictures + 1, sizeof *into->times);
  into->luma = calloc(into->pictures + 1, 1);
  char *at = text;
  for (uint32_t i = 0; i < into->pictures; i++) {
    into->times[i] = strtod(at, &at);
    at += strcspn(at, "\n"); /* some versions end a line with a comma */
    uint32_t sum = 0;
    for (int p = 0; p < SMALL * SMALL; p++) sum += pixels[(size_t)i * SMALL * SMALL + (size_t)p];
    into->luma[i] = (uint8_t)(sum / (SMALL * SMALL));
  }
  free(text);
  free(pixels);
}

static inline void read_sound(const char *path, recorded *into) {
  char command[1024];
  size_t size;
  const char *silence_where_nothing_is = "aresample=async=1:first_pts=0";
  snprintf(command, sizeof command, "ffmpeg -v error -copyts -i '%s' -map 0:a -af %s -ac 1 -ar %d -f f32le -", path,
           silence_where_nothing_is, RATE);
  into->sound = (float *)(void *)output_of(command, &size);
  into->samples = size / sizeof(float);
}

static inline recorded read_recorded(const char *path, int pictures, int sound) {
  recorded read = {0};
  if (pictures) read_pictures(path, &read);
  if (sound) read_sound(path, &read);
  return read;
}

static inline void free_recorded(recorded *read) {
  free(read->times);
  free(read->luma);
  free(read->sound);
  *read = (recorded){0};
}

/* The time of the next flash or beep after `after`; below 0: there is none. */
static inline double next_flash(const recorded *read, double after) {
  for (uint32_t i = 0; i < read->pictures; i++) {
    if (read->times[i] > after && read->luma[i] > 128) return read->times[i];
  }
  return -1;
}

static inline double next_beep(const recorded *read, double after) {
  for (uint64_t i = (uint64_t)(after > 0 ? after * RATE : 0); i < read->samples; i++) {
    if (fabsf(read->sound[i]) > 0.2f) return (double)i / RATE;
  }
  return -1;
}

/* Flashes and beeps of the file belong together, there are `count` of them, and the first is at `first` seconds. */
static inline void check_sync(const char *what, const char *path, int count, double first) {
  recorded read = read_recorded(path, 1, 1);
  double after = -1, worst = 0, off = 0;
  for (int i = 0; i < count; i++) {
    double flash = next_flash(&read, after), beep = next_beep(&read, flash - 0.3);
    CHECK(flash >= 0);
    CHECK(beep >= 0);
    if (fabs(flash - beep) > fabs(worst)) worst = beep - flash;
    if (fabs(flash - first - i) > off) off = fabs(flash - first - i);
    after = flash + 0.5;
  }
  CHECK(next_flash(&read, after) < 0);
  printf("%s: beep against flash at most %+.1f ms, flash against its time at most %.1f ms\n", what, worst * 1000, off * 1000);
  CHECK(fabs(worst) < 0.004);
  CHECK(off < 0.003);
  free_recorded(&read);
}

/* ---------------------------------------------------------------------------------------------------------------------- Ogg */

enum { PACKETS_MAX = 2000 };

typedef struct ogg_file {
  uint8_t *bytes;
  struct {
    const uint8_t *data;
    uint32_t size;
  } packets[PACKETS_MAX]; /* with the two of the head */
  uint32_t count;
  int64_t first_granule, last_granule; /* of pages with sound */
} ogg_file;

/* Files whose packets do not go on on the next page, as ours. */
static inline void read_ogg(const char *path, ogg_file *ogg) {
  size_t size;
  *ogg = (ogg_file){.bytes = read_file(path, &size), .first_granule = -1};
  for (size_t at = 0; at + 27 <= size && memcmp(ogg->bytes + at, "OggS", 4) == 0;) {
    const uint8_t *page = ogg->bytes + at, *lacing = page + 27, *data = lacing + page[26];
    int64_t granule;
    memcpy(&granule, page + 6, sizeof granule);
    if (ogg->count >= 2) ogg->last_granule = granule;
    if (ogg->count >= 2 && ogg->first_granule < 0) ogg->first_granule = granule;
    uint32_t length = 0;
    for (int i = 0; i < page[26]; i++) {
      length += lacing[i];
      if (lacing[i] == 255) continue;
      if (ogg->count < PACKETS_MAX) {
        ogg->packets[ogg->count].data = data;
        ogg->packets[ogg->count++].size = length;
      }
      data += length;
      length = 0;
    }
    at = (size_t)(data - ogg->bytes);
  }
}

#endif
