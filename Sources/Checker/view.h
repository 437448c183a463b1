/* A shared object as a file: what it exports, what it needs. */
#ifndef VIEW_H
#define VIEW_H

#include <stdint.h>

enum { ELF_NAMES = 256 };

typedef struct elf_view {
  const char *exported[ELF_NAMES], *undefined[ELF_NAMES], *needed[ELF_NAMES];
  uint32_t exported_count, undefined_count, needed_count;
  const char *why; /* it cannot be read */
} elf_view;

/* The names stay until the process ends. 0: it is none. */
int elf_open(const char *path, elf_view *view);

#endif
