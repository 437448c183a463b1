/* The test clip, decoded into memory before anything is measured. */
#ifndef BENCH_CLIP_H
#define BENCH_CLIP_H

#include <stddef.h>
#include <stdint.h>

enum clip_layout { CLIP_NV12, CLIP_I420 };

struct clip {
  uint32_t width, height, count;
  size_t frame_size; /* bytes of a picture, its planes packed tight, one after the other */
  uint8_t *pictures;
};

/* Decodes the whole IVF file. Ends the program when it cannot. */
void clip_open(struct clip *clip, const char *path, enum clip_layout layout);

/* Keeps the middle of all pictures. Ends the program when it is larger than they are, or odd. */
void clip_cut(struct clip *clip, uint32_t width, uint32_t height, enum clip_layout layout);

/* Picture i, round and round. */
uint8_t *clip_picture(const struct clip *clip, uint64_t i);

void clip_close(struct clip *clip);

#endif
