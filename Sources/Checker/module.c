/* The file: loading it, its entry, its module. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"
#include "view.h"

static void *library;
static const msdk_module *loaded;

static msdk_plugin_entry_fn load(void) {
  step("dlopen");
  if (library == NULL) library = dlopen(request->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == NULL) {
    fail("MSDK_ENTRY_SYMBOL", "it cannot be loaded: %s", dlerror());
    return NULL;
  }
  void *symbol = dlsym(library, MSDK_ENTRY_SYMBOL);
  msdk_plugin_entry_fn entry = NULL;
  memcpy(&entry, &symbol, sizeof entry);
  if (entry == NULL) fail("MSDK_ENTRY_SYMBOL", "it has no function %s", MSDK_ENTRY_SYMBOL);
  return entry;
}

const msdk_module *module_get(void) {
  if (loaded != NULL) return loaded;
  msdk_plugin_entry_fn entry = load();
  if (entry == NULL) return NULL;
  step("%s", MSDK_ENTRY_SYMBOL);
  loaded = entry(MSDK_ABI_MINOR);
  if (loaded == NULL) fail("msdk_plugin_entry_fn", "the entry returned NULL: it declines to run on a host of minor %d", MSDK_ABI_MINOR);
  return loaded;
}

/* Once in a process. */
static msdk_result initialise(const msdk_module *module) {
  static int was_called;
  static msdk_result answer;
  step("the module's init");
  if (!was_called && module->init != NULL) answer = module->init(request->path);
  was_called = 1;
  return answer;
}

const msdk_class *class_get(void) {
  const msdk_module *module = module_get();
  msdk_result code = module == NULL ? MSDK_E_FAIL : initialise(module);
  if (code < 0) fail("msdk_module.init", "the module's init returned %s", result_name(code));
  if (code < 0) return NULL;
  for (uint32_t i = 0; i < module->class_count; i++) {
    if (strcmp(module->classes[i]->id, request->class_id) == 0) return module->classes[i];
  }
  fail("msdk_class", "there is no class %s", request->class_id);
  return NULL;
}

/* What its libraries do when they are loaded is theirs: they are loaded before. Afterwards everything that changed is the plugin's. */
static void load_needed(const elf_view *view) {
  for (uint32_t i = 0; i < view->needed_count; i++) dlopen(view->needed[i], RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
}

void check_load(void) {
  elf_view view;
  if (elf_open(request->path, &view)) load_needed(&view);
  effects before = effects_now();
  if (load() == NULL) return;
  wait_ms(20);
  effects after = effects_now();
  const char *what = effects_of(&before, &after);
  if (what != NULL) fail("P1", "while it was loaded %s", what);
}

static int64_t cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void check_entry(void) {
  msdk_plugin_entry_fn entry = load();
  if (entry == NULL) return;
  effects before = effects_now();
  int64_t begin = now_ns(), cpu = cpu_ns();
  step("%s(%d)", MSDK_ENTRY_SYMBOL, MSDK_ABI_MINOR);
  const msdk_module *first = entry(MSDK_ABI_MINOR);
  int64_t fastest = now_ns() - begin;
  for (int i = 0; i < 2; i++) {
    begin = now_ns();
    const msdk_module *again = entry(MSDK_ABI_MINOR);
    if (now_ns() - begin < fastest) fastest = now_ns() - begin;
    if (again != first) fail("msdk_plugin_entry_fn", "two calls returned two different modules");
  }
  cpu = cpu_ns() - cpu;
  wait_ms(20);
  effects after = effects_now();
  const char *what = effects_of(&before, &after);
  if (first == NULL) fail("msdk_plugin_entry_fn", "it returned NULL: it declines to run on a host of minor %d", MSDK_ABI_MINOR);
  if (what != NULL) fail("P1", "while the entry was called %s", what);
  if (fastest > 100000000 || cpu > 300000000) {
    fail("P1", "the entry took %lld ms; accepted: at most 100", (long long)((fastest > cpu / 3 ? fastest : cpu / 3) / 1000000));
  }
  const uint32_t others[] = {0, 1, 2, 99, 0xFFFFFFFF};
  for (int i = 0; i < 5; i++) {
    step("%s(%u)", MSDK_ENTRY_SYMBOL, others[i]);
    const msdk_module *other = entry(others[i]); /* NULL: it declines, which is its right */
    if (other != NULL && other != first) fail("msdk_plugin_entry_fn", "it returned another module to a host of minor %u", others[i]);
  }
}

void check_module(void) {
  const msdk_module *module = module_get();
  if (module == NULL) return;
  if (module->min_host_minor > MSDK_ABI_MINOR) {
    fail("msdk_module.min_host_minor", "it needs a host of minor %u; this is %d", module->min_host_minor, MSDK_ABI_MINOR);
  }
  if (module->init == NULL) return;
  effects before = effects_now();
  msdk_result code = initialise(module);
  effects after = effects_now();
  if (code < 0) fail("msdk_module.init", "init(\"%s\") returned %s", request->path, result_name(code));
  if (after.output != before.output) fail("msdk_module.init", "init printed something");
  if (after.signals != before.signals) fail("P5", "init changed a signal's handler or mask, which are the program's");
  if (after.place != before.place || after.environment != before.environment) {
    fail("msdk_module.init", "init changed the environment, the working directory or the umask, which are the program's");
  }
}
