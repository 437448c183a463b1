/* Memory that ends where a page without access begins: one byte too far is a SIGSEGV. */
#ifndef GUARDED_H
#define GUARDED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* `size` bytes (at most a page) whose end is the end of the accessible memory. Lives until the process ends, and is reused. */
static inline void *guarded(size_t size) {
  static uint8_t *page;
  long length = sysconf(_SC_PAGESIZE);
  if (page == NULL) {
    void *mapped = mmap(NULL, (size_t)length * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED || mprotect((uint8_t *)mapped + length, (size_t)length, PROT_NONE) != 0) abort();
    page = mapped;
  }
  return page + length - size;
}

/* The first `size` bytes of a value, at the end of accessible memory. */
static inline void *guarded_copy(const void *value, size_t size) {
  void *copy = guarded(size);
  memcpy(copy, value, size);
  return copy;
}

#endif
