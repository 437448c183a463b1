#define _XOPEN_SOURCE 700
#include "host.h"

#include "check.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int check_passed, check_failed;

enum { GUARD = 64 };

typedef struct host_frame_memory {
  msdk_video_frame frame; /* first: a pointer to it is a pointer to the whole */
  msdk_video_format format;
  msdk_host_context *context;
  int references;
  uint8_t poison;
  uint8_t *memory[MSDK_PLANES_MAX];
  uint64_t memory_size[MSDK_PLANES_MAX];
  void (*release)(void *opaque); /* of a wrapped frame, whose memory is the plugin's */
  void *opaque;
  int is_wrapped;
  uint64_t sum; /* of what a wrapped frame showed at first */
} host_frame_memory;

/* ------------------------------------------------------------------------------------------------------------------ frames */

static uint32_t plane_count(uint32_t pixel_format) {
  return pixel_format == MSDK_PIXEL_I420 ? 3 : pixel_format == MSDK_PIXEL_NV12 ? 2 : 1;
}

uint32_t host_row_bytes(const msdk_video_format *format, uint32_t plane) {
  uint32_t half = (format->width + 1) / 2;
  switch (format->pixel_format) {
  case MSDK_PIXEL_I420: return plane == 0 ? format->width : half;
  case MSDK_PIXEL_NV12: return plane == 0 ? format->width : 2 * half;
  case MSDK_PIXEL_GRAY8: return format->width;
  case MSDK_PIXEL_RGB24:
  case MSDK_PIXEL_BGR24: return 3 * format->width;
  default: return 4 * format->width;
  }
}

uint32_t host_rows(const msdk_video_format *format, uint32_t plane) {
  return plane == 0 ? format->height : (format->height + 1) / 2;
}

msdk_video_format host_format(uint32_t pixel_format, uint32_t width, uint32_t height) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = pixel_format;
  format.width = width;
  format.height = height;
  format.fps_num = 30;
  format.fps_den = 1;
  return format;
}

static host_frame_memory *new_frame(msdk_host_context *context, const msdk_video_format *format) {
  host_frame_memory *made = calloc(1, sizeof *made);
  made->frame = MSDK_INIT(msdk_video_frame);
  made->format = *format;
  made->frame.plane_count = plane_count(format->pixel_format);
  made->frame.format = &made->format;
  made->context = context;
  made->poison = context->poison;
  for (uint32_t i = 0; i < made->frame.plane_count; i++) {
    uint32_t row_bytes = host_row_bytes(format, i), stride = row_bytes + (uint32_t)context->padding;
    msdk_plane *plane = &made->frame.plane[i];
    plane->size = (uint64_t)stride * (host_rows(format, i) - 1) + row_bytes;
    plane->stride = (int32_t)stride;
    made->memory_size[i] = plane->size + 2 * GUARD;
    made->memory[i] = malloc(made->memory_size[i]);
    memset(made->memory[i], made->poison, made->memory_size[i]);
    plane->data = made->memory[i] + GUARD;
  }
  return made;
}

static int poisoned(const uint8_t *bytes, uint64_t count, uint8_t poison) {
  for (uint64_t i = 0; i < count; i++) {
    if (bytes[i] != poison) return 0;
  }
  return 1;
}

static int unharmed(const host_frame_memory *memory) {
  int good = 1;
  for (uint32_t i = 0; i < memory->frame.plane_count; i++) {
    const msdk_plane *plane = &memory->frame.plane[i];
    uint32_t row_bytes = host_row_bytes(&memory->format, i), padding = (uint32_t)plane->stride - row_bytes;
    good = good && poisoned(memory->memory[i], GUARD, memory->poison);
    good = good && poisoned(plane->data + plane->size, GUARD, memory->poison);
    for (uint32_t row = 0; row + 1 < host_rows(&memory->format, i); row++) {
      good = good && poisoned(plane->data + (uint64_t)row * (uint32_t)plane->stride + row_bytes, padding, memory->poison);
    }
  }
  return good;
}

static void free_frame(host_frame_memory *memory) {
  for (uint32_t i = 0; i < memory->frame.plane_count; i++) free(memory->memory[i]);
  free(memory);
}

/* A frame that came back serves again, as the real pool's do, if it is alike. */
static host_frame_memory *reuse_frame(msdk_host_context *context, const msdk_video_format *format) {
  for (int i = 0; i < HOST_POOL; i++) {
    host_frame_memory *free_one = (host_frame_memory *)context->free_frames[i];
    if (free_one == NULL) continue;
    if (free_one->poison != context->poison || memcmp(&free_one->format, format, sizeof *format) != 0) continue;
    context->free_frames[i] = NULL;
    free_one->frame.flags = free_one->frame.orientation = 0;
    free_one->frame.timestamp_ns = 0;
    return free_one;
  }
  return NULL;
}

static msdk_result acquire(msdk_host_context *context, const msdk_video_format *format, uint32_t timeout_ms, msdk_video_frame **out) {
  (void)timeout_ms;
  pthread_mutex_lock(&context->lock);
  int room = context->outstanding < context->pool_limit;
  host_frame_memory *memory = room ? reuse_frame(context, format) : NULL;
  if (room && memory == NULL) memory = new_frame(context, format);
  if (room) {
    memory->references = 1;
    memory->frame.flags = MSDK_FRAME_WRITABLE;
    context->outstanding++;
    context->acquired++;
    *out = &memory->frame;
  } else {
    context->refused++;
  }
  pthread_mutex_unlock(&context->lock);
  return room ? MSDK_OK : MSDK_E_AGAIN;
}

static uint64_t sum_of(const msdk_video_frame *frame) {
  uint64_t sum = 1;
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    for (uint32_t row = 0; row < host_rows(frame->format, i); row++) {
      const uint8_t *bytes = frame->plane[i].data + (ptrdiff_t)row * frame->plane[i].stride;
      for (uint32_t x = 0; x < host_row_bytes(frame->format, i); x++) sum = (sum ^ bytes[x]) * 0x100000001B3;
    }
  }
  return sum;
}

static msdk_result wrap(msdk_host_context *context, const msdk_external_frame *external, msdk_video_frame **out) {
  const msdk_video_format *format = external->format;
  if (external->plane_count != plane_count(format->pixel_format)) return MSDK_E_INVALID;
  for (uint32_t i = 0; i < external->plane_count; i++) {
    const msdk_plane *plane = &external->plane[i];
    uint32_t row_bytes = host_row_bytes(format, i);
    if (plane->data == NULL || plane->stride < (int32_t)row_bytes) return MSDK_E_INVALID;
    if (plane->size < (uint64_t)plane->stride * (host_rows(format, i) - 1) + row_bytes) return MSDK_E_INVALID;
  }
  host_frame_memory *made = calloc(1, sizeof *made);
  made->frame = MSDK_INIT(msdk_video_frame);
  made->format = *format;
  made->frame.plane_count = external->plane_count;
  memcpy(made->frame.plane, external->plane, sizeof made->frame.plane);
  made->frame.format = &made->format;
  made->frame.timestamp_ns = external->timestamp_ns;
  made->frame.orientation = external->orientation;
  made->context = context;
  made->references = 1;
  made->is_wrapped = 1;
  made->release = external->release;
  made->opaque = external->user;
  made->sum = sum_of(&made->frame);
  pthread_mutex_lock(&context->lock);
  context->outstanding++;
  context->wrapped++;
  pthread_mutex_unlock(&context->lock);
  *out = &made->frame;
  return MSDK_OK;
}

/* Rule P3: what was delivered is as it was. */
static void unwrap(host_frame_memory *memory) {
  msdk_host_context *context = memory->context;
  int is_same = sum_of(&memory->frame) == memory->sum;
  if (memory->release != NULL) memory->release(memory->opaque);
  free(memory);
  pthread_mutex_lock(&context->lock);
  context->outstanding--;
  if (!is_same) context->overwritten++;
  pthread_mutex_unlock(&context->lock);
}

static void ref(const msdk_video_frame *frame) {
  host_frame_memory *memory = (host_frame_memory *)(uintptr_t)frame;
  pthread_mutex_lock(&memory->context->lock);
  memory->references++;
  pthread_mutex_unlock(&memory->context->lock);
}

void host_unref(const msdk_video_frame *frame) {
  host_frame_memory *memory = (host_frame_memory *)(uintptr_t)frame;
  msdk_host_context *context = memory->context;
  pthread_mutex_lock(&context->lock);
  int is_last = --memory->references == 0;
  if (is_last && memory->is_wrapped) {
    pthread_mutex_unlock(&context->lock);
    unwrap(memory);
    return;
  }
  if (is_last) {
    context->outstanding--;
    if (!unharmed(memory)) context->overwritten++;
    int slot = 0;
    while (slot < HOST_POOL && context->free_frames[slot] != NULL) slot++;
    if (slot == HOST_POOL) {
      slot = 0;
      free_frame((host_frame_memory *)context->free_frames[slot]);
    }
    context->free_frames[slot] = &memory->frame;
  }
  pthread_mutex_unlock(&context->lock);
}

/* As the real host does: in place where the caller's reference is the only one, else a copy. */
static msdk_result make_writable(msdk_host_context *context, msdk_video_frame *in, msdk_video_frame **out) {
  host_frame_memory *memory = (host_frame_memory *)in;
  pthread_mutex_lock(&context->lock);
  int alone = memory->references == 1 && !memory->is_wrapped && (in->flags & MSDK_FRAME_WRITABLE) != 0;
  pthread_mutex_unlock(&context->lock);
  *out = in;
  if (alone) return MSDK_OK;
  msdk_result result = acquire(context, in->format, 0, out);
  if (result < 0) return result;
  for (uint32_t i = 0; i < in->plane_count; i++) {
    for (uint32_t row = 0; row < host_rows(in->format, i); row++) {
      memcpy((*out)->plane[i].data + (ptrdiff_t)row * (*out)->plane[i].stride, in->plane[i].data + (ptrdiff_t)row * in->plane[i].stride,
             host_row_bytes(in->format, i));
    }
  }
  (*out)->timestamp_ns = in->timestamp_ns;
  (*out)->orientation = in->orientation;
  host_unref(in);
  return MSDK_OK;
}

msdk_video_frame *host_frame(host_instance *instance, const msdk_video_format *format) {
  msdk_video_frame *frame = NULL;
  CHECK_EQ(acquire(&instance->context, format, 0, &frame), MSDK_OK);
  return frame;
}

void host_paint(msdk_video_frame *frame, uint32_t seed) {
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    for (uint32_t row = 0; row < host_rows(frame->format, i); row++) {
      uint8_t *to = frame->plane[i].data + (ptrdiff_t)row * frame->plane[i].stride;
      for (uint32_t x = 0; x < host_row_bytes(frame->format, i); x++) to[x] = (uint8_t)((x * 7 + row * 13 + i * 101 + seed * 31) % 251);
    }
  }
}

int host_same(const msdk_video_frame *a, const msdk_video_frame *b) {
  if (a->format->pixel_format != b->format->pixel_format || a->format->width != b->format->width ||
      a->format->height != b->format->height) {
    return 0;
  }
  for (uint32_t i = 0; i < a->plane_count; i++) {
    for (uint32_t row = 0; row < host_rows(a->format, i); row++) {
      const uint8_t *of_a = a->plane[i].data + (ptrdiff_t)row * a->plane[i].stride;
      const uint8_t *of_b = b->plane[i].data + (ptrdiff_t)row * b->plane[i].stride;
      if (memcmp(of_a, of_b, host_row_bytes(a->format, i)) != 0) return 0;
    }
  }
  return 1;
}

msdk_result host_render(host_instance *instance, const msdk_video_format *format, uint32_t seed, int64_t timestamp_ns, uint32_t orientation) {
  msdk_video_frame *frame = host_frame(instance, format), *copy = host_frame(instance, format);
  host_paint(frame, seed);
  host_paint(copy, seed);
  frame->timestamp_ns = timestamp_ns;
  frame->orientation = orientation;
  msdk_result result = instance->class->video_renderer->render_video_frame(instance->self, frame);
  CHECK(host_same(frame, copy)); /* a frame that was received is read-only */
  host_unref(frame);
  host_unref(copy);
  return result;
}

/* ------------------------------------------------------------------------------------------------------------------- table */

static void note_log(msdk_host_context *context, int32_t level, const char *text) {
  pthread_mutex_lock(&context->lock);
  if (level >= 0 && level < 5) context->logs[level]++;
  snprintf(context->log_text, sizeof context->log_text, "%s", text);
  pthread_mutex_unlock(&context->lock);
}

uint32_t host_logs(host_instance *instance, uint32_t level, uint32_t wanted) {
  msdk_host_context *context = &instance->context;
  for (int tries = 0;; tries++) {
    pthread_mutex_lock(&context->lock);
    uint32_t count = context->logs[level];
    pthread_mutex_unlock(&context->lock);
    if (count >= wanted || !host_is_isolated() || tries == 2000) return count;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
}

uint32_t host_events(host_instance *instance, uint32_t wanted) {
  msdk_host_context *context = &instance->context;
  for (int tries = 0;; tries++) {
    pthread_mutex_lock(&context->lock);
    uint32_t count = context->events;
    pthread_mutex_unlock(&context->lock);
    if (count >= wanted || !host_is_isolated() || tries == 2000) return count;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
}

static void note_error(msdk_host_context *context, msdk_result result, const char *text) {
  pthread_mutex_lock(&context->lock);
  context->errors++;
  context->error = result;
  snprintf(context->error_text, sizeof context->error_text, "%s", text);
  pthread_mutex_unlock(&context->lock);
}

static void note_event(msdk_host_context *context, uint32_t event, msdk_result result, const msdk_value *detail) {
  if (event == MSDK_PLUGIN_EVENT_DIED) check_report(0, __FILE__, __LINE__, detail != NULL && detail->u.str != NULL ? detail->u.str : "it died");
  pthread_mutex_lock(&context->lock);
  if (context->events < HOST_EVENTS) {
    host_event *entry = &context->event_log[context->events];
    entry->event = event;
    entry->result = result;
    const char *text = detail != NULL && detail->type == MSDK_T_STRING && detail->u.str != NULL ? detail->u.str : "";
    snprintf(entry->detail, sizeof entry->detail, "%s", text);
  }
  context->events++;
  context->last_event = event;
  pthread_mutex_unlock(&context->lock);
}

static msdk_result consume(msdk_host_context *context, msdk_video_frame *frame) {
  msdk_result result = context->consume != NULL ? context->consume(context, frame) : MSDK_OK;
  host_unref(frame);
  pthread_mutex_lock(&context->lock);
  context->consumed++;
  pthread_mutex_unlock(&context->lock);
  return result;
}

static int64_t now(msdk_host_context *context) {
  pthread_mutex_lock(&context->lock);
  int64_t now_ns = context->real_time ? host_monotonic_ns() : context->now_ns;
  pthread_mutex_unlock(&context->lock);
  return now_ns;
}

static const void *extension(msdk_host_context *context, const char *id) {
  return context->real_time && strcmp(id, "org.mediasdk.test.real-time/1") == 0 ? context : NULL;
}

const msdk_host host_table = {
  .struct_size = sizeof(msdk_host),
  .abi_minor = MSDK_ABI_MINOR,
  .name = "test host",
  .version = "1",
  .log = note_log,
  .set_error = note_error,
  .post_event = note_event,
  .video_frame_acquire = acquire,
  .video_frame_wrap = wrap,
  .video_frame_ref = ref,
  .video_frame_unref = host_unref,
  .video_frame_make_writable = make_writable,
  .encoded_frame_ref = host_encoded_ref,
  .encoded_frame_unref = host_encoded_unref,
  .encoded_frame_create = host_encoded_create,
  .audio_frame_acquire = host_audio_acquire,
  .audio_frame_ref = host_audio_ref,
  .audio_frame_unref = host_audio_unref,
  .consume_video_frame = consume,
  .consume_audio_frame = host_audio_consume,
  .now_ns = now,
  .get_extension = extension,
  .audio_frame_make_writable = host_audio_make_writable,
};

/* --------------------------------------------------------------------------------------------------------------- instances */

static char *isolated_path; /* what is to stay out of this process */

/* The module, in this process; or behind the library's proxies, by the library that MSDK_TEST_ISOLATED names (Tests/Isolating). */
static const msdk_module *load(const char *path) {
  const char *isolating = getenv("MSDK_TEST_ISOLATED");
  void *library = dlopen(isolating != NULL ? isolating : path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == NULL) {
    printf("%s\n", dlerror());
    exit(2);
  }
  void *symbol = dlsym(library, isolating != NULL ? "msdk_test_isolated_module" : MSDK_ENTRY_SYMBOL);
  if (symbol == NULL) return NULL;
  if (isolating == NULL) {
    msdk_plugin_entry_fn entry;
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no conversion between the two kinds of pointers */
    return entry(MSDK_ABI_MINOR);
  }
  const msdk_module *(*isolate)(const char *path);
  memcpy(&isolate, &symbol, sizeof isolate);
  free(isolated_path); /* a program may load several, one after the other */
  isolated_path = realpath(path, NULL);
  return isolate(path);
}

int host_is_isolated(void) { return isolated_path != NULL; }

int host_leaves_out(const char *subject) {
  const char *list = isolated_path != NULL ? getenv("MSDK_TEST_LEFT_OUT") : NULL;
  size_t length = strlen(subject);
  for (const char *at = list; at != NULL && (at = strstr(at, subject)) != NULL; at += length) {
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) {
      printf("skipped: %s\n", subject);
      return 1;
    }
  }
  return 0;
}

/* Whether a file's code is in this process. */
static int is_mapped(const char *path) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int found = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found = found || strstr(line, path) != NULL;
  if (maps != NULL) fclose(maps);
  return maps == NULL || found;
}

const msdk_class *host_load(int argc, char **argv, const char *file, const char *class_id) {
  char path[1024];
  const char *folder = argc > 1 ? argv[1] : getenv("MSDK_TEST_PLUGINS");
  if (folder == NULL) {
    printf("give the folder of the plugins as argument or in MSDK_TEST_PLUGINS\n");
    exit(2);
  }
  snprintf(path, sizeof path, "%s/%s", folder, file);
  const msdk_module *module = load(path);
  for (uint32_t i = 0; module != NULL && i < module->class_count; i++) {
    if (strcmp(module->classes[i]->id, class_id) == 0) return module->classes[i];
  }
  printf("%s has no class %s\n", path, class_id);
  exit(2);
}

static void create(host_instance *instance, const msdk_class *class, int real_time) {
  memset(instance, 0, sizeof *instance);
  instance->class = class;
  pthread_mutex_init(&instance->context.lock, NULL);
  instance->context.real_time = real_time;
  instance->context.poison = 0xA5;
  instance->context.padding = 24;
  instance->context.pool_limit = HOST_POOL;
  instance->context.audio_pool_limit = HOST_AUDIO_POOL;
  instance->context.encoded_limit = HOST_ENCODED_POOL;
  CHECK_EQ(class->create(class, &host_table, &instance->context, &instance->self), MSDK_OK);
  CHECK(instance->self != NULL);
}

void host_create(host_instance *instance, const msdk_class *class) { create(instance, class, 0); }
void host_create_live(host_instance *instance, const msdk_class *class) { create(instance, class, 1); }

void host_destroy(host_instance *instance) {
  msdk_host_context *context = &instance->context;
  instance->class->destroy(instance->self);
  if (isolated_path != NULL) CHECK(!is_mapped(isolated_path));
  CHECK_EQ(context->outstanding, 0);
  CHECK_EQ(context->overwritten, 0);
  CHECK_EQ(context->audio_outstanding, 0);
  CHECK_EQ(context->encoded_outstanding, 0);
  CHECK_EQ(context->audio_overwritten, 0);
  host_recording_free(&context->recording);
  for (int i = 0; i < HOST_POOL; i++) {
    if (context->free_frames[i] != NULL) free_frame((host_frame_memory *)context->free_frames[i]);
  }
  pthread_mutex_destroy(&context->lock);
}

void host_finish(host_instance *instance) {
  const msdk_video_producer *video = instance->class->video_producer;
  const msdk_audio_producer *audio = instance->class->audio_producer;
  CHECK_EQ(video != NULL ? video->stop_capture(instance->self) : audio->stop_capture(instance->self), MSDK_OK);
  CHECK_EQ(video != NULL ? video->release_capture(instance->self) : audio->release_capture(instance->self), MSDK_OK);
  host_destroy(instance);
}

int host_server(const char *script, const char *what, const char *folder, const char *arguments, char *answer, size_t room) {
  static const char file[] = __FILE__;
  char command[1400], first[300] = "";
  const char *slash = strrchr(file, '/');
  snprintf(command, sizeof command, "sh '%.*s/%s' %s '%s' %s", slash != NULL ? (int)(slash - file) : 1, slash != NULL ? file : ".", script,
           what, folder, arguments);
  FILE *pipe = popen(command, "r");
  if (pipe != NULL && fgets(first, sizeof first, pipe) != NULL) first[strcspn(first, "\n")] = 0;
  if (answer != NULL) snprintf(answer, room, "%s", first);
  int result = pipe != NULL ? pclose(pipe) : -1;
  CHECK_EQ(result, 0);
  return result == 0;
}

static msdk_result set(host_instance *instance, const char *name, msdk_value value) {
  return instance->class->set_param(instance->self, name, &value);
}

msdk_result host_set_string(host_instance *instance, const char *name, const char *value) {
  char copy[1024]; /* overwritten at once: a borrowed string that was kept shows */
  snprintf(copy, sizeof copy, "%s", value);
  msdk_result result = set(instance, name, (msdk_value){.type = MSDK_T_STRING, .u.str = copy});
  memset(copy, 'x', sizeof copy - 1);
  return result;
}
msdk_result host_set_f64(host_instance *instance, const char *name, double value) {
  return set(instance, name, (msdk_value){.type = MSDK_T_F64, .u.f64 = value});
}
msdk_result host_set_i32(host_instance *instance, const char *name, int32_t value) {
  return set(instance, name, (msdk_value){.type = MSDK_T_I32, .u.i32 = value});
}
msdk_result host_set_u32(host_instance *instance, const char *name, uint32_t value) {
  return set(instance, name, (msdk_value){.type = MSDK_T_U32, .u.u32 = value});
}
msdk_result host_set_u64(host_instance *instance, const char *name, uint64_t value) {
  return set(instance, name, (msdk_value){.type = MSDK_T_U64, .u.u64 = value});
}
msdk_result host_set_bool(host_instance *instance, const char *name, int value) {
  return set(instance, name, (msdk_value){.type = MSDK_T_BOOL, .u.b = (uint8_t)value});
}

static const msdk_command *find_command(const msdk_class *class, const char *name) {
  for (uint32_t i = 0; i < class->command_count; i++) {
    const msdk_command *command = (const msdk_command *)((const char *)class->commands + i * class->commands[0].struct_size);
    if (strcmp(command->name, name) == 0) return command;
  }
  return NULL;
}

void (*host_native(const msdk_class *class, const char *name))(void) {
  const msdk_command *command = find_command(class, name);
  CHECK(command != NULL);
  CHECK(command == NULL || host_is_isolated() || command->native != NULL);
  return command == NULL || host_is_isolated() ? NULL : command->native;
}

msdk_value host_call(host_instance *instance, const char *name, uint32_t count, const msdk_value *args) {
  static msdk_result (*call)(msdk_self *, const char *, const msdk_value *, uint32_t, msdk_value *);
  void *library = call == NULL ? dlopen(getenv("MSDK_TEST_ISOLATED"), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
  void *symbol = library != NULL ? dlsym(library, "msdk_test_call") : NULL;
  if (symbol != NULL) memcpy(&call, &symbol, sizeof call);
  msdk_value result = {0};
  CHECK_EQ(call != NULL ? call(instance->self, name, args, count, &result) : MSDK_E_UNSUPPORTED, MSDK_OK);
  return result;
}

void host_check_params(host_instance *instance) {
  const msdk_class *class = instance->class;
  uint32_t before = instance->context.errors;
  msdk_value bytes = {.type = MSDK_T_BYTES, .u.bytes = {.data = "x", .size = 1}};
  CHECK_EQ(class->set_param(instance->self, "no_such_thing", &bytes), MSDK_E_NOT_FOUND);
  CHECK_TEXT(instance->context.error_text, "no_such_thing");
  CHECK(class->set_param(instance->self, NULL, &bytes) < 0);
  for (uint32_t i = 0; i < class->param_count; i++) {
    const msdk_param *param = (const msdk_param *)((const char *)class->params + i * class->params[0].struct_size);
    CHECK_EQ(class->set_param(instance->self, param->name, &bytes), MSDK_E_TYPE);
    CHECK_TEXT(instance->context.error_text, param->name);
    CHECK(class->set_param(instance->self, param->name, NULL) < 0);
    if (param->def.type == MSDK_T_STRING) {
      msdk_value null = {.type = MSDK_T_STRING};
      CHECK_EQ(class->set_param(instance->self, param->name, &null), MSDK_E_TYPE);
    } else {
      CHECK_EQ(class->set_param(instance->self, param->name, &param->def), MSDK_OK);
    }
    if (param->choices != NULL) {
      CHECK_EQ(host_set_string(instance, param->name, "nonsense"), MSDK_E_RANGE);
      CHECK_TEXT(instance->context.error_text, "nonsense");
      for (uint32_t choice = 0; choice < param->choice_count; choice++) {
        CHECK_EQ(host_set_string(instance, param->name, param->choices[choice]), MSDK_OK);
      }
      CHECK_EQ(class->set_param(instance->self, param->name, &param->def), MSDK_OK);
    }
  }
  CHECK(instance->context.errors > before);
}

/* ------------------------------------------------------------------------------------------------------------------ inputs */

msdk_input host_input(uint32_t kind, const char *name) {
  msdk_input input = MSDK_INIT(msdk_input);
  input.kind = kind;
  input.user_id = "somebody";
  input.display_name = name;
  return input;
}

msdk_result host_update_input(host_instance *instance, uint32_t number, const msdk_input *input) {
  char user_id[256], display_name[256];
  snprintf(user_id, sizeof user_id, "%s", input->user_id);
  snprintf(display_name, sizeof display_name, "%s", input->display_name);
  msdk_input copy = *input;
  copy.user_id = user_id;
  copy.display_name = display_name;
  msdk_result result = instance->class->video_renderer->update_input(instance->self, number, &copy);
  memset(user_id, 'x', sizeof user_id);
  memset(display_name, 'x', sizeof display_name);
  memset(&copy, 0xA5, sizeof copy);
  return result;
}

/* ------------------------------------------------------------------------------------------------------------------- files */

int host_open_descriptors(void) {
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return -1;
  int count = 0;
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static char folder_name[64];

static void remove_folder(void) {
  DIR *folder = opendir(folder_name);
  if (folder == NULL) return;
  struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder_name, entry->d_name);
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(path) != 0) rmdir(path);
  }
  closedir(folder);
  rmdir(folder_name);
}

const char *host_folder(void) {
  if (folder_name[0] != 0) return folder_name;
  snprintf(folder_name, sizeof folder_name, "/tmp/msdk-test-XXXXXX");
  if (mkdtemp(folder_name) == NULL) {
    printf("cannot make a folder for the test's files\n");
    exit(2);
  }
  atexit(remove_folder);
  return folder_name;
}

const char *host_path(const char *name) {
  static char paths[8][256];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", host_folder(), name);
  return path;
}
