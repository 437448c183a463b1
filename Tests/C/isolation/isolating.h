/* What the tests of isolated plugins have in common: an engine with the plugin of faults, its instances, and what is told of them. */
#ifndef ISOLATING_H
#define ISOLATING_H

#include "call.h"

static char plugin[4096], mark[256];

static inline msdk_instance_isolation isolation_of(msdk_instance *instance) {
  msdk_instance_isolation isolation = MSDK_INIT(msdk_instance_isolation);
  CHECK_OK(msdk_instance_get_isolation(instance, &isolation));
  return isolation;
}

static inline msdk_engine *loaded_engine(msdk_engine *engine) {
  CHECK_OK(msdk_engine_load_plugin(engine, plugin));
  return engine;
}

static inline msdk_instance *isolated(msdk_engine *engine, const char *id, uint32_t media_deadline_ms) {
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = MSDK_ISOLATION_PROCESS;
  options.media_deadline_ms = media_deadline_ms;
  options.control_deadline_ms = media_deadline_ms == 0 || media_deadline_ms > 1500 ? media_deadline_ms : 1500;
  options.memory_max_mb = 1024;
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, id, &options, &instance));
  CHECK_EQ(isolation_of(instance).is_isolated, 1);
  return instance;
}

static inline void set(msdk_instance *instance, const char *name, const char *text) {
  CHECK_OK(msdk_instance_set_param_text(instance, name, text));
}

static inline int pid_of(msdk_instance *instance) {
  msdk_value value;
  char text[64] = "";
  if (msdk_instance_get_param(instance, "pid", &value, text, sizeof text, NULL) < 0) return -1;
  return atoi(text);
}

/* Waits for an event of the plugin whose text holds the word; 1 when it came. */
static inline int told(call *it, uint32_t value, const char *word) {
  msdk_event event;
  char last[600] = "none";
  for (int tries = 0; tries < 20; tries++) {
    if (!event_wait(it->engine, it->alice, MSDK_EVENT_PLUGIN, &event)) break;
    snprintf(last, sizeof last, "%d: %s", (int)event.value, event.text);
    if (event.value == value && (word == NULL || strstr(event.text, word) != NULL)) return 1;
  }
  fprintf(stderr, "  last event of the plugin: %s; expected %u with \"%s\"\n", last, value, word != NULL ? word : "");
  return 0;
}

/* Whether its process died of that and was started again, of the instance's own events. */
static inline int came_back(msdk_instance *instance, const char *word) {
  int has_died = 0;
  for (int tries = 0; tries < 40; tries++) {
    msdk_instance_event event = MSDK_INIT(msdk_instance_event);
    if (msdk_instance_next_event(instance, 1000, &event) < 0) continue;
    if (event.event == MSDK_PLUGIN_EVENT_DIED) has_died = CHECK_STR_CONTAINS(event.text, word) && CHECK_EQ(event.status, MSDK_E_PLUGIN_DIED);
    if (event.event == MSDK_PLUGIN_EVENT_RESTARTED) return has_died;
  }
  return 0;
}

/* Before the first engine is made. */
static inline void isolating_begin(void) {
  const char *built = getenv("MSDK_TEST_ISOLATED"), *host = getenv("MSDK_TEST_PLUGIN_HOST");
  /* A library of a sanitizer with a host of none: engines that read the environment find it. */
  if (host != NULL) setenv("MSDK_PLUGIN_HOST", host, 1);
  if (host != NULL) setenv("MSDK_PLUGIN_ISOLATE", "nothing", 1);
  snprintf(plugin, sizeof plugin, "%s/faulty.so", built != NULL ? built : ".");
  snprintf(mark, sizeof mark, "/tmp/msdk-faulty-%d", (int)getpid());
}

#endif
