/* What a test's own plugin writes down and its test reads, whether the plugin runs in the test's process or, with MSDK_PLUGIN_ISOLATE, in one of
 * its own: then both map a file that the environment names. */
#ifndef SHARED_H
#define SHARED_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static inline int tests_isolated(void) { return getenv("MSDK_PLUGIN_ISOLATE") != NULL && getenv("MSDK_TEST_ISOLATED") != NULL; }

/* `size` zeroed bytes at first, `own` where nothing is isolated; the test asks before it loads the plugin. */
static inline void *shared_memory(void *own, size_t size) {
  char path[4096] = "";
  const char *known = getenv("MSDK_TEST_SHARED");
  if (!tests_isolated()) return own;
  if (known == NULL) {
    if (getcwd(path, sizeof path - 16) == NULL) return own;
    snprintf(path + strlen(path), 16, "/shared");
    setenv("MSDK_TEST_SHARED", path, 1);
    known = path;
  }
  int file = open(known, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, (off_t)size) != 0) return own;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? own : memory;
}

/* Loads a plugin of Tests/C/isolated. */
#define SHARED_PLUGIN(engine, name)                                                          \
  do {                                                                                       \
    char path[4096];                                                                         \
    snprintf(path, sizeof path, "%s/%s.so", getenv("MSDK_TEST_ISOLATED"), name);             \
    CHECK_OK(msdk_engine_load_plugin(engine, path));                                         \
  } while (0)

#endif
