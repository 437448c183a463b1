#include "link_meter.h"

#include "measure.h"
#include "video/painted.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BEST_PSNR = 100 };

void link_meter_open(struct link_meter *meter, char *const arguments[4], enum clip_layout layout) {
  memset(meter, 0, sizeof *meter);
  unsigned width, height;
  if (sscanf(arguments[2], "%ux%u", &width, &height) != 2) die("'%s' is no size such as 640x480", arguments[2]);
  meter->count = count_from(arguments[3]);
  clip_open(&meter->clip, arguments[1], layout);
  clip_cut(&meter->clip, width, height, layout);
  int file = open(arguments[0], O_RDWR);
  if (file < 0) die("cannot open %s", arguments[0]);
  meter->picture = mmap(NULL, meter->count * sizeof *meter->picture, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (meter->picture == MAP_FAILED) die("cannot share %s", arguments[0]);
  close(file);
}

void link_meter_send(struct link_meter *meter, void (*send)(struct link_meter *meter, uint8_t *picture, uint64_t i, int64_t at)) {
  int64_t begin = now_ns();
  for (uint64_t i = 0; i < meter->count; i++) {
    int64_t at = begin + (int64_t)(i * 1000000000 / LINK_FPS);
    sleep_until(at);
    uint8_t *picture = clip_picture(&meter->clip, i);
    painted_write(picture, meter->clip.width, i);
    atomic_store(&meter->picture[i].sent, now_ns());
    send(meter, picture, i, at);
  }
}

static double psnr(const struct link_meter *meter, const uint8_t *sent, const uint8_t *came, ptrdiff_t stride) {
  uint64_t sum = 0, rows = meter->clip.height - PAINTED_HEIGHT;
  for (uint64_t y = PAINTED_HEIGHT; y < meter->clip.height; y++) {
    const uint8_t *a = sent + y * meter->clip.width, *b = came + (ptrdiff_t)y * stride;
    for (uint32_t x = 0; x < meter->clip.width; x++) sum += (uint64_t)((a[x] - b[x]) * (a[x] - b[x]));
  }
  return sum == 0 ? BEST_PSNR : fmin(BEST_PSNR, 10 * log10(255.0 * 255 * (double)rows * meter->clip.width / (double)sum));
}

void link_meter_came(struct link_meter *meter, const uint8_t *luma, ptrdiff_t stride) {
  int64_t now = now_ns();
  uint64_t number = painted_read(luma, stride);
  if (number >= meter->count || atomic_load(&meter->picture[number].sent) == 0 || atomic_load(&meter->picture[number].came) != 0) return;
  meter->picture[number].psnr = psnr(meter, clip_picture(&meter->clip, number), luma, stride);
  atomic_store(&meter->picture[number].came, now);
}

void link_meter_wait(void) {
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
}
