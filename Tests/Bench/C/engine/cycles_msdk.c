/* A whole embedding, made and ended again and again: engine, plugin, two sessions, a stream with a producer, a receiver. Says what the
 * process holds (memory, threads, descriptors, frames) after a tenth of the cycles to warm up, and again after the last one.
 *
 *   cycles_msdk PLUGIN CYCLES     PLUGIN: the test pattern's file */
#include "call.h"
#include "measure.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

static double status_line(const char *name) {
  FILE *file = fopen("/proc/self/status", "r");
  if (file == NULL) die("/proc/self/status cannot be read");
  char line[256];
  double value = -1;
  size_t length = strlen(name);
  while (value < 0 && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, name, length) == 0) sscanf(line + length, "%lf", &value);
  }
  fclose(file);
  return value;
}

static double descriptors(void) {
  DIR *directory = opendir("/proc/self/fd");
  if (directory == NULL) die("/proc/self/fd cannot be read");
  int count = 0;
  while (readdir(directory) != NULL) count++;
  closedir(directory);
  return count - 3; /* ".", ".." and this directory's own */
}

/* Threads that are on their way out are given up to two seconds. */
static void settle(void) {
  double threads = status_line("Threads:"), before = 0;
  for (int turn = 0; turn < 10 && threads != before; turn++) {
    before = threads;
    sleep_until(now_ns() + 200000000);
    threads = status_line("Threads:");
  }
}

/* Frames that somebody still has a reference to; any engine knows. */
static double frames(void) {
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_engine_stats stats = MSDK_INIT(msdk_engine_stats);
  must(msdk_engine_get_stats(engine, &stats), "msdk_engine_get_stats");
  msdk_engine_destroy(engine);
  return stats.frames;
}

static void holdings(void) {
  settle();
  report("frames", frames());
  /* The resident set also holds what malloc keeps in the arenas of threads that have ended; the bytes in use tell of leaks. */
  struct mallinfo2 heap = mallinfo2();
  report("heap_kb", (double)(heap.uordblks + heap.hblkhd) / 1024);
  report("rss_kb", status_line("VmRSS:"));
  report("threads", status_line("Threads:"));
  report("fds", descriptors());
}

/* receives: waits for a frame. tidy: destroys each thing by itself; otherwise the engine takes all with it. */
static void cycle(const char *plugin, int receives, int tidy) {
  struct call call = {0};
  must(msdk_engine_create(NULL, &call.engine), "msdk_engine_create");
  must(msdk_engine_load_plugin(call.engine, plugin), "msdk_engine_load_plugin");
  msdk_instance *producer = NULL;
  must(msdk_instance_create(call.engine, "org.mediasdk.producer.testpattern", NULL, &producer), "msdk_instance_create");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 640, 360, 30);
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.formats = &format;
  options.format_count = 1;
  must(msdk_outgoing_video_create(call.engine, &options, &call.outgoing), "msdk_outgoing_video_create");
  must(msdk_outgoing_video_attach_producer(call.outgoing, producer), "msdk_outgoing_video_attach_producer");
  call.here = session_open(call.engine, "here");
  call.there = session_open(call.engine, "there");
  must(msdk_session_start_video(call.here, call.outgoing), "msdk_session_start_video");
  call.incoming = event_of(call.there, MSDK_EVENT_INCOMING_VIDEO_ADDED).incoming_video;
  call_receive(&call, NULL);
  if (receives) {
    msdk_video_frame *frame = NULL;
    must(msdk_incoming_video_read(call.incoming, 5000, &frame), "msdk_incoming_video_read");
    msdk_video_frame_unref(frame);
  }
  if (tidy) {
    msdk_instance_destroy(producer);
    call_close(&call);
  } else {
    msdk_engine_destroy(call.engine);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: cycles_msdk PLUGIN CYCLES");
  uint64_t cycles = count_from(argv[2]), warm = cycles / 10;
  int64_t since = now_ns();
  for (uint64_t i = 0; i < cycles + warm; i++) {
    if (i == warm) holdings();
    cycle(argv[1], i % 10 == 0, i % 2 == 0);
  }
  holdings();
  report("cycle_ms", (double)(now_ns() - since) / 1e6 / (double)(cycles + warm));
  return 0;
}
