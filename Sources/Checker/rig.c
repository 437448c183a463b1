/* One instance under test, driven through its states as a host may. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checks.h"
#include "encoded.h"
#include "rig.h"

const uint32_t KINDS[6] = {MSDK_KIND_VIDEO_PRODUCER, MSDK_KIND_AUDIO_PRODUCER, MSDK_KIND_VIDEO_RENDERER,
                           MSDK_KIND_AUDIO_RENDERER, MSDK_KIND_VIDEO_FILTER,   MSDK_KIND_AUDIO_FILTER};

const char *kind_name(uint32_t kind) {
  switch (kind) {
    case MSDK_KIND_VIDEO_PRODUCER:
      return "video producer";
    case MSDK_KIND_AUDIO_PRODUCER:
      return "audio producer";
    case MSDK_KIND_VIDEO_RENDERER:
      return "video renderer";
    case MSDK_KIND_AUDIO_RENDERER:
      return "audio renderer";
    case MSDK_KIND_VIDEO_FILTER:
      return "video filter";
    default:
      return "audio filter";
  }
}

const char *result_name(msdk_result code) {
  static const char *const names[] = {
      "MSDK_OK",        "MSDK_E_FAIL",  "MSDK_E_NOMEM",   "MSDK_E_INVALID",     "MSDK_E_UNSUPPORTED", "MSDK_E_STATE",
      "MSDK_E_THREAD",  "MSDK_E_AGAIN", "MSDK_E_TIMEOUT", "MSDK_E_IO",          "MSDK_E_PERMISSION",  "MSDK_E_NOT_FOUND",
      "MSDK_E_TYPE",    "MSDK_E_RANGE", "MSDK_E_CLOSED",  "MSDK_E_PLUGIN_DIED", "MSDK_E_DEVICE_LOST", "MSDK_E_BUFFER_SMALL",
      "MSDK_E_HANDLE",  "MSDK_E_STALE", "MSDK_E_FORMAT",  "MSDK_E_LIMIT",       "MSDK_E_EXISTS",      "MSDK_E_FORKED",
      "MSDK_E_CORRUPT", "MSDK_E_ABI",   "MSDK_E_FULL",    "MSDK_E_REMOVED",     "MSDK_E_UNTRUSTED"};
  static char other[32];
  if (code >= 0) return names[0];
  if (code >= -28) return names[-code];
  snprintf(other, sizeof other, "%d", code);
  return other;
}

const char *rig_words(rig *rig, msdk_result code) {
  static char text[700];
  int has_words = rig->context->error == code && rig->context->error_text[0] != 0;
  snprintf(text, sizeof text, "%s (%s)", result_name(code), has_words ? rig->context->error_text : "without error text");
  return text;
}

/* ------------------------------------------------------------------------------------------------- calls on threads of their own */

typedef struct turn {
  rig_call *call;
  void (*run)(rig_call *);
} turn;

static void *on_thread(void *argument) {
  turn *one = argument;
  one->run(one->call);
  return NULL;
}

void rig_perform(rig_call *call, void (*run)(rig_call *)) {
  turn one = {call, run};
  pthread_t thread;
  if (call->rig->varies && pthread_create(&thread, NULL, on_thread, &one) == 0)
    pthread_join(thread, NULL);
  else
    run(call);
}

/* --------------------------------------------------------------------------------------------------------- lent values */

static struct {
  uint8_t *base, *memory;
  uint64_t length;
} lent[4];
enum { LENT_EXTRA = 32 };

/* A host of another version lends structs of another length; a host of "borrowed" takes what it lent away again. */
const void *rig_lend(rig *rig, const void *value, uint32_t size, int slot) {
  uint32_t extra = (rig->context->flags & HOST_NEW) != 0 ? LENT_EXTRA : 0;
  lent[slot].memory =
      pages_before_guard(size + extra, 8, "memory past a struct that the host lent", &lent[slot].base, &lent[slot].length);
  memset(lent[slot].memory, 0xA5, size + extra);
  memcpy(lent[slot].memory, value, size);
  uint32_t whole = size + extra;
  memcpy(lent[slot].memory, &whole, sizeof whole);
  if ((rig->context->flags & HOST_BORROWED) != 0) {
    region_forbid(lent[slot].base, lent[slot].length, "what was lent for a call, after the call");
  }
  return lent[slot].memory;
}

void rig_take_back_of(rig *rig, int slot) {
  if ((rig->context->flags & HOST_BORROWED) != 0) {
    pages_protect(lent[slot].base, lent[slot].length, PROT_NONE);
  } else {
    region_forget(lent[slot].base + lent[slot].length - PAGE);
    pages_unmap(lent[slot].base, lent[slot].length);
  }
}

/* ------------------------------------------------------------------------------------------------------------------- life */

static msdk_host_context contexts[4];
static uint32_t next_context;

static void do_create(rig_call *call) {
  call->code = call->rig->class->create(call->rig->class, call->rig->context->table, call->rig->context, &call->rig->self);
}
static void do_destroy(rig_call *call) {
  call->rig->class->destroy(call->rig->self);
}

static void do_set(rig_call *call) {
  call->code =
      call->rig->class->set_param == NULL ? MSDK_E_UNSUPPORTED : call->rig->class->set_param(call->rig->self, call->name, call->in);
}

msdk_result rig_set(rig *rig, const char *name, const msdk_value *value) {
  rig_call call = {.rig = rig, .name = name, .in = value};
  step("set_param(\"%s\")", name);
  rig->context->error = 0;
  rig_perform(&call, do_set);
  return call.code;
}

msdk_result rig_open(rig *rig, const msdk_class *class, uint32_t kind, uint32_t flags) {
  msdk_host_context *context = &contexts[next_context++ % 4];
  memset(rig, 0, sizeof *rig);
  memset(context, 0, sizeof *context);
  pthread_mutex_init(&context->lock, NULL);
  context->flags = flags;
  context->poison = 0xA5;
  context->user = rig;
  context->table = host_table(context);
  context->is_stopped = 1;
  rig->class = class;
  rig->kind = kind;
  rig->context = context;
  rig->time = now_ns();
  rig_call call = {.rig = rig};
  step("create of %s", class->id);
  context->is_creating = 1;
  rig_perform(&call, do_create);
  context->is_creating = 0;
  if (call.code >= 0) call.code = rig_apply_settings(rig);
  return call.code;
}

void rig_close(rig *rig) {
  if (rig->self == NULL) return;
  if (rig->is_started) rig_stop(rig);
  if (rig->is_ready) rig_release(rig);
  rig_call call = {.rig = rig};
  step("destroy");
  rig_perform(&call, do_destroy);
  host_let_go(rig->context);
  encoded_let_go(rig->context);
  rig->self = NULL;
}

int rig_demand(rig *rig, const char *rule) {
  msdk_result code = rig_init(rig);
  if (code < 0) fail(rule, "init of the %s returned %s", kind_name(rig->kind), rig_words(rig, code));
  if (code >= 0) code = rig_agree(rig);
  if (code < 0 && !has_failed() && !rig_is_also_renderer(rig)) {
    fail(rule, "the %s does not accept its own format: %s", kind_name(rig->kind), rig_words(rig, code));
  }
  if (has_failed()) return 0;
  code = rig_start(rig);
  if (code < 0 && !rig_is_also_renderer(rig)) fail(rule, "start of the %s returned %s", kind_name(rig->kind), rig_words(rig, code));
  return code >= 0;
}

/* What passes the pictures on that it renders has nothing to say of its format before it got one. */
int rig_is_also_renderer(const rig *rig) {
  uint32_t twins = rig->kind == MSDK_KIND_VIDEO_PRODUCER   ? MSDK_KIND_VIDEO_RENDERER
                   : rig->kind == MSDK_KIND_AUDIO_PRODUCER ? MSDK_KIND_AUDIO_RENDERER
                                                           : 0;
  return (rig->class->kinds & twins) != 0;
}
