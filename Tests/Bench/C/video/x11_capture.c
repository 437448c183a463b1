/* What capturing an X server costs: processor time of the server and of whoever captures, per frame. A painter of its own, whose time is
 * not counted, changes the picture at the same rate; what its painting costs the server is what `nothing` costs.
 *
 *   x11_capture SERVER_PID whole|part|still RATE SECONDS nothing
 *   x11_capture SERVER_PID whole|part|still RATE SECONDS plugin FILE       the plugin alone, paced
 *   x11_capture SERVER_PID whole|part|still RATE SECONDS program WORD...   any program that captures at that rate */
#include "measure.h"

#include <mediasdk/plugin.h>

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

enum { WARM_UP_S = 2, PART = 320 };

/* ------------------------------------------------------------------------------------------------------------------ painting */

/* Two pictures in turn, all of them or a part that wanders. */
static void paint(bool whole, uint64_t rate) {
  xcb_connection_t *link = xcb_connect(NULL, NULL);
  if (xcb_connection_has_error(link)) die("there is no display");
  xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(link)).data;
  uint16_t width = screen->width_in_pixels, height = screen->height_in_pixels;
  xcb_gcontext_t gc = xcb_generate_id(link);
  uint32_t values[] = {0, XCB_SUBWINDOW_MODE_INCLUDE_INFERIORS, 0};
  xcb_create_gc(link, gc, screen->root, XCB_GC_FOREGROUND | XCB_GC_SUBWINDOW_MODE | XCB_GC_GRAPHICS_EXPOSURES, values);
  xcb_pixmap_t pictures[2];
  for (uint32_t i = 0; i < 2; i++) {
    pictures[i] = xcb_generate_id(link);
    xcb_create_pixmap(link, screen->root_depth, pictures[i], screen->root, width, height);
    for (uint32_t k = 0; k < 4000; k++) {
      uint32_t colour = k * 2654435761u >> 8 ^ i;
      xcb_rectangle_t rectangle = {.x = (int16_t)(k * 7919 % width), .y = (int16_t)(k * 104729 % height), .width = 100, .height = 60};
      xcb_change_gc(link, gc, XCB_GC_FOREGROUND, &colour);
      xcb_poly_fill_rectangle(link, pictures[i], gc, 1, &rectangle);
    }
  }
  int64_t start = now_ns(), frame = 0;
  for (; !xcb_connection_has_error(link); frame++) {
    int16_t x = (int16_t)(whole ? 0 : frame * 16 % (width - PART)), y = (int16_t)(whole ? 0 : frame * 8 % (height - PART));
    xcb_copy_area(link, pictures[frame % 2], screen->root, gc, x, y, x, y, whole ? width : PART, whole ? height : PART);
    xcb_flush(link);
    sleep_until(start + (frame + 1) * 1000000000 / (int64_t)rate);
  }
  exit(0);
}

/* ----------------------------------------------------------------------------------------------------------- the plugin's host */

struct msdk_host_context {
  int unused;
};

static void say(msdk_host_context *context, int32_t level, const char *text) {
  (void)context;
  if (level >= MSDK_LOG_WARN) fprintf(stderr, "%s\n", text);
}
static void say_error(msdk_host_context *context, msdk_result result, const char *text) {
  (void)context;
  fprintf(stderr, "%d: %s\n", result, text);
}
static void ignore_event(msdk_host_context *context, uint32_t event, msdk_result result, const msdk_value *detail) {
  (void)context, (void)event, (void)result, (void)detail;
}
static msdk_video_frame wrapped;
static msdk_result wrap(msdk_host_context *context, const msdk_external_frame *external, msdk_video_frame **out) {
  (void)context;
  wrapped = MSDK_INIT(msdk_video_frame);
  wrapped.plane[0] = external->plane[0];
  *out = &wrapped;
  external->release(external->user);
  return MSDK_OK;
}

static void capture(const char *file, uint64_t rate) {
  void *library = dlopen(file, RTLD_NOW);
  void *symbol = library == NULL ? NULL : dlsym(library, MSDK_ENTRY_SYMBOL);
  if (symbol == NULL) die("%s is no plugin", file);
  msdk_plugin_entry_fn entry;
  memcpy(&entry, &symbol, sizeof entry);
  const msdk_class *class = entry(MSDK_ABI_MINOR)->classes[0];
  const msdk_video_producer *producer = class->video_producer;
  msdk_host host = {.struct_size = sizeof host, .abi_minor = MSDK_ABI_MINOR, .log = say, .set_error = say_error,
                    .post_event = ignore_event, .video_frame_wrap = wrap};
  msdk_host_context context = {0};
  msdk_self *self;
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  if (class->create(class, &host, &context, &self) < 0 || producer->init_capture(self) < 0) exit(1);
  if (producer->enum_formats(self, 0, &format) < 0) exit(1);
  format.fps_num = (uint32_t)rate;
  if (producer->set_format(self, &format) < 0 || producer->start_capture(self) < 0) exit(1);
  int64_t start = now_ns();
  for (int64_t frame = 0;; frame++) {
    int64_t due = start + frame * 1000000000 / (int64_t)rate;
    sleep_until(due);
    msdk_video_frame *out;
    msdk_result result = producer->produce_frame(self, due, &out);
    if (result < 0 && result != MSDK_E_AGAIN) exit(1);
  }
}

/* ---------------------------------------------------------------------------------------------------------------- measuring */

/* Nanoseconds that the threads of a process ran. */
static double used_ns(pid_t pid) {
  char path[128];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *folder = opendir(path);
  if (folder == NULL) die("process %d is gone", (int)pid);
  double sum = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/schedstat", (int)pid, entry->d_name);
    FILE *file = fopen(path, "r");
    unsigned long long ns = 0;
    if (file != NULL && fscanf(file, "%llu", &ns) == 1) sum += (double)ns;
    if (file != NULL) fclose(file);
  }
  closedir(folder);
  return sum;
}

static pid_t child(void) {
  pid_t parent = getpid(), pid = fork();
  if (pid < 0) die("no process can be made");
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) exit(1);
  return 0;
}

static void end(pid_t pid) {
  if (pid == 0) return;
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

int main(int argc, char **argv) {
  if (argc < 6) die("usage: x11_capture SERVER_PID whole|part|still RATE SECONDS nothing|plugin FILE|program WORD...");
  pid_t server = (pid_t)count_from(argv[1]), painter = 0, capturer = 0;
  uint64_t rate = count_from(argv[3]), seconds = count_from(argv[4]);
  bool is_plugin = strcmp(argv[5], "plugin") == 0 && argc == 7, is_program = strcmp(argv[5], "program") == 0 && argc > 6;
  if (strcmp(argv[2], "still") != 0 && (painter = child()) == 0) paint(strcmp(argv[2], "whole") == 0, rate);
  if ((is_plugin || is_program) && (capturer = child()) == 0) {
    if (is_plugin) capture(argv[6], rate);
    if (freopen("/dev/null", "w", stdout) == NULL) exit(1);
    execvp(argv[6], argv + 6);
    die("%s does not run", argv[6]);
  }
  int64_t start = now_ns() + WARM_UP_S * (int64_t)1000000000;
  sleep_until(start);
  double before = used_ns(server), before_capturer = capturer != 0 ? used_ns(capturer) : 0;
  sleep_until(start + (int64_t)seconds * 1000000000);
  double in_server = used_ns(server) - before, in_capturer = capturer != 0 ? used_ns(capturer) - before_capturer : 0;
  double frames = (double)(seconds * rate);
  if (capturer != 0 && waitpid(capturer, NULL, WNOHANG) != 0) die("who captures ended early");
  end(painter);
  end(capturer);
  report("server_us", in_server / frames / 1e3);
  report("capturer_us", in_capturer / frames / 1e3);
  report("both_us", (in_server + in_capturer) / frames / 1e3);
  return 0;
}
