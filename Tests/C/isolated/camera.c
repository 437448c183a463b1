/* Cameras that encode, one that is asked for frames and one that delivers them. Each frame is made when it is let go: parameter "go" adds so many.
 * "size" is the frames' length. At frame "crash_at" the first process dies (a file named by "mark" shows that there was one), with the frame made. */
#include "../camera_frames.h"

#include <mediasdk/plugin.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  char mark[512];
  atomic_int size, crash_at, allowed, requests, refused, wants_key, is_started;
  uint32_t number;
  msdk_video_format format;
  pthread_t pusher;
};

/* As the rest of the system knows it. */
static uint32_t process_number(void) {
  char text[32] = "";
  return (uint32_t)(readlink("/proc/self", text, sizeof text - 1) > 0 ? atoi(text) : (int)getpid());
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->format = (msdk_video_format){.struct_size = sizeof self->format, .pixel_format = MSDK_PIXEL_I420, .width = CAMERA_WIDTH,
    .height = CAMERA_HEIGHT, .fps_num = 25, .fps_den = 1};
  atomic_store(&self->size, CAMERA_LEAST);
  *out = self;
  return MSDK_OK;
}
static void destroy(msdk_self *self) { free(self); }

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "mark") == 0) snprintf(self->mark, sizeof self->mark, "%s", value->u.str);
  if (strcmp(name, "size") == 0) atomic_store(&self->size, value->u.i32);
  if (strcmp(name, "crash_at") == 0) atomic_store(&self->crash_at, value->u.i32);
  if (strcmp(name, "go") == 0) atomic_fetch_add(&self->allowed, value->u.i32);
  return MSDK_OK;
}

static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  *out = (msdk_value){.type = MSDK_T_I32};
  if (strcmp(name, "mark") == 0) *out = (msdk_value){.type = MSDK_T_STRING, .u.str = self->mark};
  if (strcmp(name, "size") == 0) out->u.i32 = atomic_load(&self->size);
  if (strcmp(name, "crash_at") == 0) out->u.i32 = atomic_load(&self->crash_at);
  if (strcmp(name, "requests") == 0) out->u.i32 = atomic_load(&self->requests);
  if (strcmp(name, "refused") == 0) out->u.i32 = atomic_load(&self->refused);
  return MSDK_OK;
}

#define NUMBER(NAME, FLAGS, LEAST, MOST)                                                                                               \
  {.struct_size = sizeof(msdk_param), .flags = FLAGS, .name = NAME, .def = {.type = MSDK_T_I32, .u.i32 = LEAST}, .min = MSDK_I32(LEAST), \
    .max = MSDK_I32(MOST)}
static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "mark", .def = MSDK_STRING("")},
  NUMBER("size", MSDK_PARAM_LIVE, CAMERA_LEAST, 16 << 20),
  NUMBER("crash_at", MSDK_PARAM_LIVE, 0, 1000000),
  NUMBER("go", MSDK_PARAM_LIVE, 0, 1000),
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_READONLY, .name = "requests", .def = {.type = MSDK_T_I32}},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_READONLY, .name = "refused", .def = {.type = MSDK_T_I32}},
};

static void crash(msdk_self *self) {
  int at = atomic_load(&self->crash_at), mark;
  if (at == 0 || self->number != (uint32_t)at || (mark = open(self->mark, O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0) return;
  close(mark);
  *(volatile int *)8 = 1;
}

static msdk_result make(msdk_self *self, msdk_encoded_frame **out) {
  if (atomic_load(&self->allowed) <= 0) return MSDK_E_AGAIN;
  uint32_t size = (uint32_t)atomic_load(&self->size);
  uint8_t *data = malloc(size);
  if (data == NULL) return MSDK_E_NOMEM;
  camera_frame which = {.number = self->number, .requests = (uint32_t)atomic_load(&self->requests), .process = process_number()};
  which.is_key = (uint32_t)atomic_exchange(&self->wants_key, 0);
  camera_fill(data, size, &which);
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.data = data;
  frame.size = size;
  frame.flags = which.is_key ? MSDK_ENCODED_KEY : 0;
  msdk_result result = self->host->encoded_frame_create(self->context, &frame, out);
  free(data);
  if (result < 0 && which.is_key) atomic_store(&self->wants_key, 1);
  if (result < 0) return result;
  crash(self);
  self->number++;
  atomic_fetch_sub(&self->allowed, 1);
  return MSDK_OK;
}

static msdk_result succeed(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return MSDK_OK;
}
static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  self->format = *format;
  return MSDK_OK;
}
static msdk_result start(msdk_self *self) {
  self->number = 0;
  atomic_store(&self->wants_key, 1);
  return MSDK_OK;
}
static msdk_result request(msdk_self *self) {
  atomic_store(&self->wants_key, 1);
  atomic_fetch_add(&self->requests, 1);
  return MSDK_OK;
}
static msdk_result produce(msdk_self *self, int64_t due_ns, msdk_encoded_frame **out) {
  (void)due_ns;
  return make(self, out);
}

static void *push_frames(void *opaque) {
  msdk_self *self = opaque;
  while (atomic_load(&self->is_started)) {
    msdk_encoded_frame *frame = NULL;
    msdk_result result = make(self, &frame);
    if (result >= 0) result = self->host->consume_encoded_frame(self->context, frame);
    else if (result == MSDK_E_AGAIN) result = (usleep(1000), MSDK_OK);
    if (result == MSDK_E_CLOSED) break;
    if (result < 0) atomic_fetch_add(&self->refused, 1);
  }
  return NULL;
}
static msdk_result start_push(msdk_self *self) {
  start(self);
  atomic_store(&self->is_started, 1);
  return pthread_create(&self->pusher, NULL, push_frames, self) == 0 ? MSDK_OK : MSDK_E_NOMEM;
}
static msdk_result stop_push(msdk_self *self) {
  atomic_store(&self->is_started, 0);
  pthread_join(self->pusher, NULL);
  return MSDK_OK;
}

#define CAMERA                                                                                                                       \
  .struct_size = sizeof(msdk_video_producer), .init_capture = succeed, .release_capture = succeed, .capture_settings = settings,     \
  .set_format = set_format, .codec = MSDK_CODEC_VP8, .request_key_frame = request
static const msdk_video_producer pull = {CAMERA, .flags = MSDK_PRODUCER_PULL | MSDK_PRODUCER_ENCODED, .start_capture = start,
  .stop_capture = succeed, .produce_encoded_frame = produce};
static const msdk_video_producer push = {CAMERA, .flags = MSDK_PRODUCER_ENCODED, .start_capture = start_push, .stop_capture = stop_push};

#define CLASS(NAME)                                                                                                                     \
  {.struct_size = sizeof(msdk_class), .id = "org.mediasdk.camera." #NAME, .name = "camera that encodes, " #NAME,                      \
    .kinds = MSDK_KIND_VIDEO_PRODUCER,       \
    .params = params, .param_count = MSDK_COUNT(params), .create = create, .destroy = destroy, .set_param = set_param,              \
    .get_param = get_param, .video_producer = &NAME}
static const msdk_class classes[] = {CLASS(pull), CLASS(push)};
static const msdk_class *const list[] = {&classes[0], &classes[1]};
static const msdk_module module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "MediaSDK", .version = "1", .license = "MIT",
  .classes = list, .class_count = MSDK_COUNT(list)};

MSDK_DEFINE_ENTRY(&module)
