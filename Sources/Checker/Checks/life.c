/* Checks of the life of an instance. */
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "rig.h"

static const char RULE[] = "msdk_class";

/* An instance, or the failure. */
static int open_rig(rig *rig, const msdk_class *class, uint32_t kind, uint32_t flags) {
  msdk_result code = rig_open(rig, class, kind, flags);
  if (code < 0) fail("create", "create returned %s", rig_words(rig, code));
  return code >= 0;
}

void check_create(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  rig rig;
  effects before = effects_now();
  int64_t begin = now_ns();
  if (!open_rig(&rig, class, 0, 0)) return;
  int64_t took = now_ns() - begin;
  if (rig.self == NULL) fail("create", "create returned MSDK_OK and no instance");
  if (has_failed()) return;
  wait_ms(20);
  effects after = effects_now();
  const char *what = effects_of(&before, &after);
  if (what != NULL) fail("P1", "in create %s", what);
  if (rig.context->forbidden_call != NULL) {
    fail("P1", "create called %s; accepted: log and set_error", rig.context->forbidden_call);
  }
  rig_close(&rig);
  for (int i = 0; i < 3 && took > 300000000; i++) {
    begin = now_ns();
    if (!open_rig(&rig, class, 0, 0)) return;
    if (now_ns() - begin < took) took = now_ns() - begin;
    rig_close(&rig);
  }
  if (took > 300000000) fail("P1", "create took %lld ms; accepted: at most 300", (long long)(took / 1000000));
  if ((class->flags & MSDK_CLASS_SINGLETON) != 0) return;
  struct rig one, other;
  if (!open_rig(&one, class, 0, 0) || !open_rig(&other, class, 0, 0)) return;
  if (one.self == other.self)
    fail("create", "two calls of create returned the same instance; accepted: one for each call (or MSDK_CLASS_SINGLETON)");
  rig_close(&one);
  if (one.self != other.self && !has_failed()) rig_close(&other);
}

void check_init(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    rig rig;
    if (!open_rig(&rig, class, kind, 0)) return;
    rig_demand(&rig, RULE);
    rig_close(&rig);
  }
}

#define TRY(call, words)                                                                                                               \
  do {                                                                                                                                 \
    msdk_result tried = (call);                                                                                                        \
    if (tried < 0 && !rig_is_also_renderer(&rig)) fail(RULE, words " of the %s returned %s", kind_name(kind), rig_words(&rig, tried)); \
    if (tried < 0) {                                                                                                                   \
      rig_close(&rig);                                                                                                                 \
      return;                                                                                                                          \
    }                                                                                                                                  \
  } while (0)

static void orders(const msdk_class *class, uint32_t kind) {
  rig rig;
  if (!open_rig(&rig, class, kind, 0)) return;
  rig_close(&rig); /* destroyed without more */
  if (!open_rig(&rig, class, kind, 0)) return;
  for (int i = 0; i < 2; i++) { /* initialised and released, twice */
    TRY(rig_init(&rig), "a second init");
    TRY(rig_release(&rig), "release without a start");
  }
  TRY(rig_init(&rig), "init after release");
  TRY(rig_agree(&rig), "set_format after release");
  for (int i = 0; i < 3; i++) { /* started and stopped at once, then with media */
    TRY(rig_start(&rig), "starting again");
    if (i > 0) TRY(rig_media(&rig, 2, NULL), "media after starting again");
    TRY(rig_stop(&rig), "stop");
  }
  TRY(rig_release(&rig), "release after stop");
  TRY(rig_init(&rig), "init in a second cycle");
  rig.has_format = 0;
  TRY(rig_agree(&rig), "set_format in a second cycle");
  TRY(rig_start(&rig), "start in a second cycle");
  TRY(rig_media(&rig, 2, NULL), "media in a second cycle");
  rig_close(&rig);
}

/* Steps that a host may take, by chance. */
static void walk(const msdk_class *class, uint32_t kind) {
  rig rig;
  if (!open_rig(&rig, class, kind, 0)) return;
  for (int i = 0; i < 40 && !has_failed(); i++) {
    uint32_t choice = random_below(3);
    if (!rig.is_ready) {
      TRY(rig_init(&rig), "init");
      rig.has_format = 0;
    } else if (rig.is_started) {
      if (choice == 0)
        TRY(rig_stop(&rig), "stop");
      else
        TRY(rig_media(&rig, 1, NULL), "media");
    } else if (choice == 0) {
      TRY(rig_release(&rig), "release");
    } else if (choice == 1 || !rig.has_format) {
      TRY(rig_agree(&rig), "set_format");
    } else {
      TRY(rig_start(&rig), "start");
    }
  }
  rig_close(&rig);
}

void check_lifecycle(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    orders(class, kind);
    if (!has_failed()) walk(class, kind);
  }
}

static void restart(const msdk_class *class, uint32_t kind) {
  rig rig;
  if (!open_rig(&rig, class, kind, 0)) return;
  if (rig_demand(&rig, RULE)) {
    TRY(rig_stop(&rig), "stop");
    for (int i = 0; i < 100 && !has_failed(); i++) {
      msdk_result code = rig_start(&rig);
      if (code < 0) fail(RULE, "start %d of 100 returned %s", i + 1, rig_words(&rig, code));
      if (code >= 0 && i % 20 == 0) TRY(rig_media(&rig, 1, NULL), "media");
      if (code >= 0) TRY(rig_stop(&rig), "stop");
    }
  }
  rig_close(&rig);
}

void check_restart(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    restart(class, kind);
  }
}

static void vary(const msdk_class *class, uint32_t kind) {
  rig rig;
  if (!open_rig(&rig, class, kind, 0)) return;
  rig.varies = 1;
  for (int i = 0; i < 3 && !has_failed(); i++) {
    rig.has_format = 0;
    const char *rule = "[control]";
    if (rig_demand(&rig, rule)) {
      msdk_result code = rig_media(&rig, 5, NULL);
      if (code < 0) fail("[media]", "on a thread of its own the %s returned %s", kind_name(kind), rig_words(&rig, code));
      TRY(rig_stop(&rig), "on another thread, stop");
    }
    if (rig.is_ready) TRY(rig_release(&rig), "on another thread, release");
  }
  rig_close(&rig);
}

void check_threads(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    vary(class, kind);
  }
}

void check_host_new(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    rig rig;
    msdk_result code = rig_open(&rig, class, kind, HOST_NEW);
    if (code < 0) fail("P6", "create returned %s to a host whose table is longer", rig_words(&rig, code));
    if (code < 0) return;
    if (rig_demand(&rig, "P6")) {
      code = rig_media(&rig, 5, NULL);
      if (code < 0) fail("P6", "the %s returned %s to a host of a later version", kind_name(kind), rig_words(&rig, code));
    }
    rig_close(&rig);
  }
}
