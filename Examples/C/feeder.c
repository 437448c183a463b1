/* A feeder: sends a moving test pattern into the session of another process, which has opened a listener for it: see ingest.c.
 *
 *     gcc feeder.c $(pkg-config --cflags --libs mediasdk-feeder) -o feeder && ./feeder KEY [seconds]
 *
 * KEY is the file that ingest.c made. It holds the address of the listener and both tokens. This program links only the feeder's own
 * small library. Over a Unix socket the frames are drawn in shared memory; over TCP they are copied. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/feeder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 1280, HEIGHT = 720, FPS = 15 };

/* The file has three lines: a port or a path, and each token in hexadecimal. */
static int read_key(const char *file, char where[128], uint8_t tokens[2][32]) {
  FILE *key = fopen(file, "r");
  char digits[2][65] = {{0}};
  int found = key != NULL ? fscanf(key, "%127s %64s %64s", where, digits[0], digits[1]) : 0;
  if (key != NULL) fclose(key);
  for (int t = 0; t < 2; t++) {
    for (int i = 0; i < 32; i++) {
      unsigned value = 0;
      if (sscanf(digits[t] + 2 * i, "%2x", &value) != 1) return 0;
      tokens[t][i] = (uint8_t)value;
    }
  }
  return found == 3;
}

/* A bright column that walks from left to right over grey. */
static void draw(const msdk_feeder_frame *frame, int number) {
  for (int y = 0; y < HEIGHT; y++) {
    uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
    memset(row, 64 + y % 64, WIDTH);
    memset(row + number * 16 % (WIDTH - 64), 220, 64);
  }
  memset(frame->plane[1].data, 128, (size_t)frame->plane[1].stride * (HEIGHT / 2));
}

int main(int argc, char **argv) {
  char where[128];
  uint8_t tokens[2][32];
  if (argc < 2 || !read_key(argv[1], where, tokens)) return fprintf(stderr, "usage: feeder KEY [seconds]\n"), 2;
  int frames = FPS * (argc > 2 ? atoi(argv[2]) : 10);

  /* 1. Connect; both sides prove that they know their tokens. */
  int is_path = strchr(where, '/') != NULL;
  msdk_feeder_options options = MSDK_INIT(msdk_feeder_options);
  if (is_path) options.socket_path = where;
  else options.port = (uint32_t)atoi(where);
  options.transmission_token = tokens[0];
  options.reception_token = tokens[1];
  options.transmission_token_size = options.reception_token_size = 32;
  msdk_feeder *feeder = NULL;
  if (msdk_feeder_open(&options, &feeder) < 0) return fprintf(stderr, "%s\n", msdk_feeder_last_error()), 1;

  /* 2. Frames, one each 1/15 s. A frame is dropped while the previous one is still being sent. */
  static uint8_t memory[WIDTH * HEIGHT * 3 / 2];
  int sent = 0, dropped = 0;
  msdk_result result = MSDK_OK;
  for (int n = 0; n < frames && result != MSDK_E_CLOSED; n++) {
    msdk_feeder_frame frame = MSDK_INIT(msdk_feeder_frame);
    if (is_path) {
      result = msdk_feeder_acquire(feeder, MSDK_PIXEL_NV12, WIDTH, HEIGHT, &frame);
      if (result >= 0) {
        draw(&frame, n);
        result = msdk_feeder_submit(feeder, &frame);
        if (result < 0) msdk_feeder_discard(feeder, &frame);
      }
    } else {
      frame.pixel_format = MSDK_PIXEL_NV12;
      frame.width = WIDTH;
      frame.height = HEIGHT;
      frame.plane[0] = (msdk_plane){.data = memory, .stride = WIDTH};
      frame.plane[1] = (msdk_plane){.data = memory + WIDTH * HEIGHT, .stride = WIDTH};
      draw(&frame, n);
      result = msdk_feeder_send(feeder, &frame);
    }
    sent += result >= 0;
    dropped += result < 0;
    struct timespec pause = {0, 1000000000 / FPS};
    nanosleep(&pause, NULL);
  }

  /* 3. Say goodbye; the share ends. */
  if (result == MSDK_E_CLOSED) fprintf(stderr, "%s\n", msdk_feeder_last_error());
  else msdk_feeder_flush(feeder, 1000);
  printf("sent %d frames by %s, dropped %d\n", sent, is_path ? "Unix socket" : "TCP", dropped);
  msdk_feeder_close(feeder);
  return result == MSDK_E_CLOSED;
}
