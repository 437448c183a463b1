/* Producers, a renderer and filters with commands that do, at a moment that is asked for, whatever a plugin should not. Parameters: "fault"
 * what, "at" in which call, "every" whether each process does it or only the first (a file named by "mark" tells that there was one).
 * "shade" is what the picture shows. */
#include "page.h"

#include <mediasdk/plugin.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  char fault[32], at[32], mark[512];
  int32_t shade, every;
  uint32_t produced;
  void *data;
  uint64_t data_size;
  msdk_video_format format;
  pthread_t pusher;
  volatile int pushing;
};

/* As the rest of the system knows it: in a namespace of its own, getpid has another number. */
static int process_number(void) {
  char text[32] = "";
  return readlink("/proc/self", text, sizeof text - 1) > 0 ? atoi(text) : (int)getpid();
}

static int overflow(int depth) {
  volatile char room[4096];
  memset((char *)room, depth, sizeof room);
  return depth > 1 << 30 ? 0 : overflow(depth + 1) + room[7];
}

/* Every memfd that this process has: shrunk, grown, or as much as can be. */
static void truncate_pools(void) {
  for (int descriptor = 0; descriptor < 256; descriptor++) (void)!ftruncate(descriptor, 0);
  /* The pool's descriptor is closed once it is mapped; its memory can be named through /proc. */
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long from, to;
    if (strstr(line, "memfd:msdk-") == NULL || sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
    char path[96];
    snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", from, to);
    int descriptor = open(path, O_RDWR);
    if (descriptor >= 0 && ftruncate(descriptor, 0) == 0) raise(SIGUSR1); /* the seals do not hold */
    if (descriptor >= 0) close(descriptor);
  }
  if (maps != NULL) fclose(maps);
}

/* Says on the sockets what no plugin could say by its functions. */
static void forge(int socket, uint32_t slot) {
  struct { uint32_t kind, id, generation, slot; uint32_t rest[64]; } message = {5, 77, 1, slot, {0}};
  for (int i = 0; i < 3; i++) send(socket, &message, sizeof message, MSG_NOSIGNAL);
}

/* The page of the calls: an answer before it is one, whose length and bytes are anything. */
static void forge_answer(void) {
  unsigned char *end;
  for (volatile unsigned char *at = calls_page(&end); at != NULL && at < end; at++) *at = (unsigned char)random();
}

/* Messages that begin as some do and go on as none does. */
static void noise(unsigned seed) {
  fprintf(stderr, "faulty: noise of seed %u\n", seed);
  srandom(seed);
  for (int i = 0; i < 3000; i++) {
    union { uint32_t word[256]; unsigned char byte[1024]; } message;
    for (int n = 0; n < 256; n++) message.word[n] = (uint32_t)random() >> (random() % 32);
    message.word[0] = (uint32_t)random() % 10;
    message.word[1] = (uint32_t)random() % 3;
    message.word[2] = 1 + (uint32_t)random() % 2;
    message.word[3] = (uint32_t)random() % 8;
    size_t size = (size_t)random() % sizeof message;
    if (send(4, &message, size < 1 ? 1 : size, MSG_NOSIGNAL) < 0) break;
  }
  unsigned char reply[256];
  for (size_t n = 0; n < sizeof reply; n++) reply[n] = (unsigned char)random();
  send(3, reply, sizeof reply, MSG_NOSIGNAL);
}

static void *spin(void *unused) {
  for (volatile unsigned long n = 0;; n++) {}
  return unused;
}

static void misbehave(msdk_self *self) {
  const char *fault = self->fault;
  fprintf(stderr, "faulty: about to %s in %s\n", fault, self->at);
  if (strcmp(fault, "segfault") == 0) *(volatile int *)8 = 1;
  if (strcmp(fault, "abort") == 0) abort();
  if (strcmp(fault, "overflow") == 0) exit(overflow(1) & 1);
  if (strcmp(fault, "loop") == 0) spin(NULL);
  if (strcmp(fault, "exit") == 0) exit(0);
  if (strcmp(fault, "_exit") == 0) _exit(7);
  if (strcmp(fault, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(fault, "stop") == 0) kill(getpid(), SIGSTOP);
  if (strcmp(fault, "pause") == 0) {
    while (strcmp(self->fault, "pause") == 0) usleep(1000);
  }
  if (strcmp(fault, "truncate") == 0) truncate_pools();
  if (strcmp(fault, "forge") == 0) {
    forge(4, 999);
    sleep(5);
  }
  if (strcmp(fault, "reply") == 0) { /* an answer to a filter's call that names slots which it was not granted, or none there are */
    struct { uint32_t id; int32_t result; uint32_t keeps, unused; int64_t delay; uint32_t kind, generation, slot, rest[64]; } answer = {
      0, 0, 0, 0, 0, 2, 1, 77, {0}};
    forge_reply(&answer, sizeof answer);
    sleep(5);
  }
  if (strcmp(fault, "answer") == 0) {
    forge_answer();
    sleep(5);
  }
  if (strcmp(fault, "garbage") == 0) {
    char noise[777];
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (char)(i * 31);
    send(3, noise, sizeof noise, MSG_NOSIGNAL);
    send(4, noise, sizeof noise, MSG_NOSIGNAL);
    sleep(5);
  }
  if (strcmp(fault, "noise") == 0) {
    noise((unsigned)process_number());
    sleep(5);
  }
  if (strcmp(fault, "close") == 0) {
    for (int descriptor = 0; descriptor < 256; descriptor++) close(descriptor);
    sleep(5);
  }
  if (strcmp(fault, "flood") == 0) {
    for (int i = 0; i < 2000000; i++) self->host->log(self->context, MSDK_LOG_DEBUG, "again and again and again");
  }
  if (strcmp(fault, "shout") == 0) {
    for (int i = 0; i < 20000; i++) fputs("a line that nobody will read, and then another one\n", stderr);
    abort();
  }
  if (strcmp(fault, "descriptors") == 0) {
    while (dup(2) >= 0) {}
    if (open("/dev/null", O_RDONLY) < 0) abort();
  }
  if (strcmp(fault, "fork") == 0) {
    int made = 0;
    for (int i = 0; i < 100; i++) {
      pid_t child = fork();
      if (child == 0) pause();
      made += child > 0;
    }
    if (made == 0) abort(); /* they were refused */
    pause();
  }
  if (strcmp(fault, "memory") == 0) {
    for (;;) {
      char *volatile piece = malloc(64 << 20); /* volatile: clang leaves out memory that nobody looks at */
      if (piece == NULL) abort();
      memset(piece, 1, 1 << 20);
    }
  }
  if (strcmp(fault, "scribble") == 0) {
    for (size_t i = 0; i < 4096; i++) ((volatile unsigned char *)self)[i * 16] = (unsigned char)i;
    abort();
  }
}

static void reach(msdk_self *self, const char *where) {
  if (strcmp(self->at, where) != 0 || self->fault[0] == 0) return;
  if (!self->every && self->mark[0] != 0) {
    int mark = open(self->mark, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (mark < 0) return;
    close(mark);
  }
  misbehave(self);
}

/* --------------------------------------------------------------------------------------------------------------- instances */

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  reach(self, "destroy");
  free(self->data);
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "fault") == 0) snprintf(self->fault, sizeof self->fault, "%s", value->u.str);
  if (strcmp(name, "at") == 0) snprintf(self->at, sizeof self->at, "%s", value->u.str);
  if (strcmp(name, "mark") == 0) snprintf(self->mark, sizeof self->mark, "%s", value->u.str);
  if (strcmp(name, "every") == 0) self->every = value->u.b;
  if (strcmp(name, "shade") == 0) {
    self->shade = value->u.i32;
    reach(self, "set_param");
  }
  if (strcmp(name, "data") == 0) {
    uint64_t size = value->u.bytes.size;
    free(self->data);
    self->data = size == 0 ? NULL : malloc((size_t)size);
    self->data_size = self->data == NULL ? 0 : size;
    if (self->data_size > 0) memcpy(self->data, value->u.bytes.data, (size_t)size);
  }
  return MSDK_OK;
}

static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  static char text[64];
  if (strcmp(name, "shade") == 0) *out = (msdk_value){.type = MSDK_T_I32, .u.i32 = self->shade};
  else if (strcmp(name, "data") == 0) *out = (msdk_value){.type = MSDK_T_BYTES, .u.bytes = {self->data, self->data_size}};
  else if (strcmp(name, "every") == 0) *out = (msdk_value){.type = MSDK_T_BOOL, .u.b = (uint8_t)self->every};
  else {
    if (strcmp(name, "pid") == 0) snprintf(text, sizeof text, "%d", process_number());
    else if (strcmp(name, "fault") == 0) snprintf(text, sizeof text, "%s", self->fault);
    else if (strcmp(name, "at") == 0) snprintf(text, sizeof text, "%s", self->at);
    else text[0] = 0;
    *out = (msdk_value){.type = MSDK_T_STRING, .u.str = text};
  }
  return MSDK_OK;
}

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "fault", .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "at", .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "mark", .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "every", .def = {.type = MSDK_T_BOOL}},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "shade", .def = {.type = MSDK_T_I32}, .min = MSDK_I32(0), .max = MSDK_I32(255)},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_READONLY, .name = "pid", .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "data", .def = {.type = MSDK_T_BYTES}},
};

/* --------------------------------------------------------------------------------------------------------------- producers */

static msdk_result init_capture(msdk_self *self) { return reach(self, "init"), MSDK_OK; }
static msdk_result release_capture(msdk_self *self) { return reach(self, "release"), MSDK_OK; }
static msdk_result start_capture(msdk_self *self) { return reach(self, "start"), MSDK_OK; }
static msdk_result stop_capture(msdk_self *self) { return reach(self, "stop"), MSDK_OK; }
static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  reach(self, "set_format");
  self->format = *format;
  return MSDK_OK;
}

static msdk_result paint(msdk_self *self, msdk_video_frame **out) {
  msdk_result result = self->host->video_frame_acquire(self->context, &self->format, 0, out);
  if (result < 0) return result;
  for (uint32_t plane = 0; plane < (*out)->plane_count; plane++) {
    memset((*out)->plane[plane].data, plane == 0 ? self->shade : 128, (*out)->plane[plane].size);
  }
  return MSDK_OK;
}

static msdk_result produce(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  (void)due_ns;
  if (++self->produced == 3) reach(self, "produce");
  return paint(self, out);
}

static const msdk_video_producer pull = {
  .struct_size = sizeof(msdk_video_producer), .flags = MSDK_PRODUCER_PULL, .init_capture = init_capture, .release_capture = release_capture,
  .start_capture = start_capture, .stop_capture = stop_capture, .set_format = set_format, .produce_frame = produce,
};

static void *push_frames(void *opaque) {
  msdk_self *self = opaque;
  while (self->pushing) {
    msdk_video_frame *frame = NULL;
    if (++self->produced == 5) reach(self, "push");
    if (paint(self, &frame) >= 0 && self->host->consume_video_frame(self->context, frame) == MSDK_E_CLOSED) break;
    usleep(5000);
  }
  return NULL;
}

static msdk_result start_push(msdk_self *self) {
  reach(self, "start");
  self->pushing = 1;
  return pthread_create(&self->pusher, NULL, push_frames, self) == 0 ? MSDK_OK : MSDK_E_NOMEM;
}

static msdk_result stop_push(msdk_self *self) {
  reach(self, "stop");
  self->pushing = 0;
  pthread_join(self->pusher, NULL);
  return MSDK_OK;
}

static const msdk_video_producer push = {
  .struct_size = sizeof(msdk_video_producer), .init_capture = init_capture, .release_capture = release_capture, .start_capture = start_push,
  .stop_capture = stop_push, .set_format = set_format,
};

/* --------------------------------------------------------------------------------------------------------------- renderer */

static msdk_result init_render(msdk_self *self) { return reach(self, "init"), MSDK_OK; }
static msdk_result release_render(msdk_self *self) { return reach(self, "release"), MSDK_OK; }
static msdk_result render(msdk_self *self, const msdk_video_frame *frame) {
  self->format = *frame->format;
  self->shade = frame->plane[0].data[0];
  if (++self->produced == 3) reach(self, "render");
  return MSDK_OK;
}
static msdk_result snapshot_format(msdk_self *self, msdk_video_format *out) {
  if (self->produced == 0) return MSDK_E_AGAIN;
  *out = self->format;
  return MSDK_OK;
}
static msdk_result snapshot(msdk_self *self, msdk_video_frame *into) {
  reach(self, "snapshot");
  for (uint32_t plane = 0; plane < into->plane_count; plane++) memset(into->plane[plane].data, self->shade, into->plane[plane].size);
  return MSDK_OK;
}
static const msdk_video_renderer renderer = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = init_render, .release_render = release_render, .render_video_frame = render,
  .snapshot_format = snapshot_format, .snapshot = snapshot,
};

/* ----------------------------------------------------------------------------------------------------- filters and commands */

static msdk_result init_filter(msdk_self *self) { return reach(self, "init"), MSDK_OK; }
static msdk_result release_filter(msdk_self *self) { return reach(self, "release"), MSDK_OK; }
static msdk_result filter_format(msdk_self *self, const msdk_video_format *in, msdk_video_format *out) {
  (void)in;
  reach(self, "set_format");
  self->format = *out;
  return MSDK_OK;
}
static msdk_result filter_flush(msdk_self *self) { return reach(self, "flush"), MSDK_OK; }
/* Half of it is painted when it goes wrong. */
static msdk_result filter_picture(msdk_self *self, msdk_video_frame *in, msdk_video_frame **out) {
  msdk_result result = self->host->video_frame_make_writable(self->context, in, out);
  if (result < 0) return self->host->video_frame_unref(in), result;
  memset((*out)->plane[0].data, self->shade, (*out)->plane[0].size / 2);
  if (++self->produced == 3) reach(self, "filter");
  memset((*out)->plane[0].data, self->shade, (*out)->plane[0].size);
  return MSDK_OK;
}
static const msdk_video_filter filter = {
  .struct_size = sizeof(msdk_video_filter), .init_filter = init_filter, .release_filter = release_filter, .set_format = filter_format,
  .filter_video_frame = filter_picture, .flush = filter_flush,
};

static msdk_result filter_sound_format(msdk_self *self, const msdk_audio_format *in) {
  reach(self, "set_format");
  return in->sample_format == MSDK_SAMPLE_S16 ? MSDK_OK : MSDK_E_FORMAT;
}
static msdk_result filter_sound(msdk_self *self, msdk_audio_frame *in, msdk_audio_frame **out) {
  msdk_result result = self->host->audio_frame_make_writable(self->context, in, out);
  if (result < 0) return self->host->audio_frame_unref(in), result;
  int16_t *samples = (int16_t *)(void *)(*out)->planes[0];
  uint32_t count = (*out)->sample_count * (*out)->format->channels;
  for (uint32_t i = 0; i < count; i++) {
    if (i == count / 2 && ++self->produced == 3) reach(self, "filter");
    samples[i] = (int16_t)(self->shade * 100);
  }
  return MSDK_OK;
}
static int64_t filter_delay(const msdk_self *self) { return (int64_t)self->shade * 1000000; }
static const msdk_audio_filter sound_filter = {
  .struct_size = sizeof(msdk_audio_filter), .init_filter = init_filter, .release_filter = release_filter, .set_format = filter_sound_format,
  .filter_audio_frame = filter_sound, .delay_ns = filter_delay, .flush = filter_flush,
};

static int32_t work(msdk_self *self, int32_t number) { return reach(self, "work"), number + self->shade; }
static const char *echo(msdk_self *self, const char *text) {
  reach(self, "echo");
  return text;
}
static const msdk_bytes *send_back(msdk_self *self, const msdk_bytes *bytes) {
  reach(self, "send_back");
  return bytes;
}
static msdk_result refuse(msdk_self *self, const msdk_value *args, uint32_t count, msdk_value *result) {
  (void)args, (void)count, (void)result;
  self->host->set_error(self->context, MSDK_E_DEVICE_LOST, "it was refused in the plugin's own words");
  return MSDK_E_DEVICE_LOST;
}
static msdk_result wait_beside(msdk_self *self) {
  reach(self, "wait_beside");
  usleep(300000);
  return MSDK_OK;
}
static const msdk_command commands[] = {
  MSDK_COMMAND1("work", work, I32, I32, "number", "adds the shade"),
  MSDK_COMMAND1("echo", echo, STRING, STRING, "text", "gives it back"),
  MSDK_COMMAND1("send_back", send_back, BYTES, BYTES, "bytes", "gives them back"),
  MSDK_COMMAND0_WITH(MSDK_COMMAND_THREAD_SAFE, NULL, "wait_beside", wait_beside, STATUS, "takes its time"),
  MSDK_COMMAND1_WITH(MSDK_COMMAND_THREAD_SAFE, NULL, "send_back_beside", send_back, BYTES, BYTES, "bytes", NULL),
  {.struct_size = sizeof(msdk_command), .name = "refuse", .invoke = refuse},
};

static msdk_result create_and_die(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type, (void)host, (void)context, (void)out;
  fputs("there is no device\n", stderr);
  abort();
}

#define COMMON                                                                                                     \
  .params = params, .param_count = MSDK_COUNT(params),             \
  .create = create, .destroy = destroy, .set_param = set_param, .get_param = get_param,                            \
  .commands = commands, .command_count = MSDK_COUNT(commands)

static const msdk_class pull_class = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_PRODUCER, .id = "org.mediasdk.faulty.pull",
                                      .name = "faulty, pulled", COMMON, .video_producer = &pull};
static const msdk_class push_class = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_PRODUCER, .id = "org.mediasdk.faulty.push",
                                      .name = "faulty, pushing", .flags = MSDK_CLASS_PREFERS_ISOLATION, COMMON, .video_producer = &push};
static const msdk_class renderer_class = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_RENDERER,
                                          .id = "org.mediasdk.faulty.renderer", .name = "faulty renderer", COMMON,
                                          .video_renderer = &renderer};
static const msdk_class inside_class = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_PRODUCER, .id = "org.mediasdk.faulty.inside",
                                        .name = "cannot be isolated", .flags = MSDK_CLASS_NO_ISOLATION, COMMON, .video_producer = &pull};
static const msdk_class stillborn_class = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_RENDERER,
                                           .id = "org.mediasdk.faulty.stillborn", .name = "dies in create", .create = create_and_die,
                                           .destroy = destroy, .video_renderer = &renderer};
static const msdk_class filter_class = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_FILTER, .id = "org.mediasdk.faulty.filter",
                                        .name = "faulty filter", COMMON, .video_filter = &filter};
static const msdk_class sound_class = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_AUDIO_FILTER, .id = "org.mediasdk.faulty.sound",
                                       .name = "faulty filter of sound", COMMON, .audio_filter = &sound_filter};
static const msdk_class *const classes[] = {&pull_class, &push_class, &renderer_class, &inside_class, &filter_class, &sound_class,
                                          &stillborn_class};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "MediaSDK",
                                   .version = "1", .license = "MIT", .classes = classes, .class_count = MSDK_COUNT(classes)};

MSDK_DEFINE_ENTRY(&module)
