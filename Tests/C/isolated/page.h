/* The page by which an isolated plugin's calls come and their answers go (Sources/MediaIsolation/Protocol/CallChannel.swift), for plugins that write there
 * what they should not. */
#ifndef TEST_PAGE_H
#define TEST_PAGE_H

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE_CALL = 0, PAGE_ANSWER = 1024, PAGE_ANSWER_LENGTH = 1088, PAGE_CALL_BYTES = 4096, PAGE_ANSWER_BYTES = 4096 + (32 << 10) };

/* Where it lies, and its end; NULL where there is none. */
static unsigned char *calls_page(unsigned char **end) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long from = 0, to = 0;
  unsigned char *page = NULL;
  while (maps != NULL && page == NULL && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "memfd:msdk-calls") != NULL && sscanf(line, "%lx-%lx", &from, &to) == 2) page = (unsigned char *)from;
  }
  if (maps != NULL) fclose(maps);
  *end = (unsigned char *)to;
  return page;
}

/* An answer to the call that runs; its first four bytes become the call's number. */
static inline void forge_reply(void *reply, size_t size) {
  unsigned char *end, *page = calls_page(&end);
  if (page == NULL) return;
  memcpy(reply, page + PAGE_CALL_BYTES + 4, 4);
  memcpy(page + PAGE_ANSWER_BYTES, reply, size);
  uint32_t length = (uint32_t)size, number = __atomic_load_n((uint32_t *)(page + PAGE_CALL), __ATOMIC_SEQ_CST);
  __atomic_store_n((uint32_t *)(page + PAGE_ANSWER_LENGTH), length, __ATOMIC_SEQ_CST);
  __atomic_store_n((uint32_t *)(page + PAGE_ANSWER), number, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, page + PAGE_ANSWER, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
