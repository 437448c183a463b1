/* What it costs to load a directory of plugins: unseen, looked at by a child each, or known from the run before.
 *   scan_msdk unseen|cold|cached DIRECTORY HOST CACHE */
#include "call.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t load(const char *directory) {
  uint32_t loaded = 0;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_add_plugin_dir(engine, directory, &loaded), "msdk_engine_add_plugin_dir");
  msdk_engine_destroy(engine);
  return loaded;
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage: scan_msdk unseen|cold|cached DIRECTORY HOST CACHE");
  char file[4096];
  int unseen = strcmp(argv[1], "unseen") == 0, cold = strcmp(argv[1], "cold") == 0;
  snprintf(file, sizeof file, "%s/mediasdk/plugins", argv[4]);
  setenv("XDG_CACHE_HOME", argv[4], 1);
  setenv("MSDK_PLUGIN_HOST", unseen ? "/none" : argv[3], 1);
  if (cold) unlink(file);
  if (!unseen && !cold && access(file, R_OK) != 0) die("nothing is known yet: run it with cold first");
  int64_t since = now_ns();
  uint32_t loaded = load(argv[2]);
  report("load_ms", (double)(now_ns() - since) / 1e6);
  report("loaded", loaded);
  return 0;
}
