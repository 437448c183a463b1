/* A producer that tries to get at the rest of the system. Parameter "try": what, and of what; "result" then tells what came of it: "ok", or the name
 * of the error. */
#include <mediasdk/plugin.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  char result[256];
  msdk_video_format format;
};

/* As the rest of the system knows it. */
static int process_number(void) {
  char text[32] = "";
  return readlink("/proc/self", text, sizeof text - 1) > 0 ? atoi(text) : (int)getpid();
}

static int try_open(const char *path, int flags) {
  int descriptor = open(path, flags | O_CLOEXEC, 0600);
  if (descriptor >= 0) close(descriptor);
  return descriptor < 0 ? -1 : 0;
}

static int try_connect(int domain, const void *address, socklen_t size) {
  int descriptor = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  int result = connect(descriptor, address, size), error = errno;
  close(descriptor);
  errno = error;
  return result;
}

static int leave_processes(const char *name, int count) {
  for (int i = 0; i < count; i++) {
    pid_t child = fork();
    if (child < 0) return -1;
    if (child > 0) continue;
    setsid();
    if (fork() > 0) _exit(0); /* nobody's child by now */
    prctl(PR_SET_NAME, name, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    for (;;) pause();
  }
  return 0;
}

static int attempt(msdk_self *self, const char *what, const char *of) {
  int number = atoi(of);
  if (strcmp(what, "signal") == 0) return kill(number, 0);
  if (strcmp(what, "kill") == 0) return kill(number, SIGKILL);
  if (strcmp(what, "kill all") == 0) {
    /* Only where its numbers are its own: else nothing of this user would be left. */
    if (getpid() == process_number() || getpid() > 100) return errno = EDEADLK, -1;
    return kill(-1, SIGKILL);
  }
  if (strcmp(what, "memory") == 0) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", number);
    return try_open(path, O_RDWR);
  }
  if (strcmp(what, "connect") == 0) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return try_connect(AF_INET, &address, sizeof address);
  }
  if (strcmp(what, "abstract") == 0) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", of);
    return try_connect(AF_UNIX, &address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(of)));
  }
  if (strcmp(what, "shared") == 0) {
    void *memory = shmat(number, NULL, SHM_RDONLY);
    if (memory == (void *)-1) return -1;
    return shmdt(memory);
  }
  if (strcmp(what, "read") == 0) return try_open(of, O_RDONLY);
  if (strcmp(what, "write") == 0) return try_open(of, O_WRONLY);
  if (strcmp(what, "make") == 0) return try_open(of, O_WRONLY | O_CREAT | O_EXCL);
  if (strcmp(what, "make directory") == 0) return mkdir(of, 0700);
  if (strcmp(what, "remove") == 0) return unlink(of);
  if (strcmp(what, "cut") == 0) return truncate(of, 0);
  if (strcmp(what, "leave") == 0) return leave_processes(of, 8);
  if (strcmp(what, "pipes") == 0) { /* beside those that it may write to */
    int count = 0;
    for (int descriptor = 3; descriptor < 256; descriptor++) {
      char path[32], target[16] = "";
      snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
      count += readlink(path, target, sizeof target - 1) > 0 && strncmp(target, "pipe:", 5) == 0;
    }
    snprintf(self->result, sizeof self->result, "%d", count);
    return 1;
  }
  if (strcmp(what, "abort") == 0) abort();
  if (strcmp(what, "capabilities") == 0) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[128] = "";
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
      if (sscanf(line, "CapEff: %31s", self->result) == 1) break;
    }
    if (status != NULL) fclose(status);
    return 1;
  }
  return errno = EINVAL, -1;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "try") != 0) return MSDK_E_NOT_FOUND;
  char what[32] = "";
  const char *colon = strchr(value->u.str, ':');
  if (colon == NULL || (size_t)(colon - value->u.str) >= sizeof what) return MSDK_E_INVALID;
  memcpy(what, value->u.str, (size_t)(colon - value->u.str));
  int result = attempt(self, what, colon + 1);
  if (result <= 0) snprintf(self->result, sizeof self->result, "%s", result == 0 ? "ok" : strerrorname_np(errno));
  return MSDK_OK;
}

static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
  (void)name;
  *out = (msdk_value){.type = MSDK_T_STRING, .u.str = self->result};
  return MSDK_OK;
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  *out = calloc(1, sizeof **out);
  if (*out == NULL) return MSDK_E_NOMEM;
  (*out)->host = host;
  (*out)->context = context;
  return MSDK_OK;
}
static void destroy(msdk_self *self) { free(self); }
static msdk_result nothing(msdk_self *self) { return (void)self, MSDK_OK; }
static msdk_result set_format(msdk_self *self, const msdk_video_format *format) { return self->format = *format, MSDK_OK; }
static msdk_result produce(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  (void)due_ns; /* the host fills it in */
  return self->host->video_frame_acquire(self->context, &self->format, 0, out);
}

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "try", .def = MSDK_STRING("nothing:")},
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_READONLY, .name = "result", .def = MSDK_STRING("")},
};
static const msdk_video_producer producer = {
  .struct_size = sizeof(msdk_video_producer), .flags = MSDK_PRODUCER_PULL, .init_capture = nothing, .release_capture = nothing,
  .start_capture = nothing, .stop_capture = nothing, .set_format = set_format, .produce_frame = produce,
};
static const msdk_class nosy = {
  .struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_PRODUCER, .flags = MSDK_CLASS_PREFERS_ISOLATION, .id = "org.mediasdk.nosy",
  .name = "nosy", .params = params, .param_count = 2, .create = create, .destroy = destroy,
  .set_param = set_param, .get_param = get_param, .video_producer = &producer};
static const msdk_class *const classes[] = {&nosy};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "MediaSDK",
                                   .version = "1", .license = "MIT", .classes = classes, .class_count = MSDK_COUNT(classes)};

MSDK_DEFINE_ENTRY(&module)
