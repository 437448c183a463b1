/* A session whose screen share another process feeds: see feeder.c, or Examples/Python/feeder.py.
 *
 *     gcc ingest.c $(pkg-config --cflags --libs mediasdk) -o ingest && ./ingest KEY [PATH]      then in another terminal:   ./feeder KEY
 *
 * KEY is a file of mode 0600 that this program makes. It holds the address of the listener and both tokens. With PATH the listener is a
 * Unix socket there; without, it is a free port. The program ends when the feeder has disconnected. A loopback room lives inside the
 * process, so bob, who watches, is a session of this program too. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_session *join(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), user_id);
  must(msdk_session_connect(session), user_id);
  return session;
}

/* Tokens that nobody can guess, in a file that nobody else can read. */
static void write_key(const char *file, const char *path, uint32_t port, const uint8_t tokens[2][32]) {
  unlink(file);
  int descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
  FILE *key = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  if (key == NULL) exit((perror(file), 1));
  if (path != NULL) fprintf(key, "%s", path);
  else fprintf(key, "%u", port);
  for (int t = 0; t < 2; t++) {
    fputc('\n', key);
    for (int i = 0; i < 32; i++) fprintf(key, "%02x", tokens[t][i]);
  }
  fputc('\n', key);
  fclose(key);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: ingest KEY [PATH]\n"), 2;
  const char *path = argc > 2 ? argv[2] : NULL;
  uint8_t tokens[2][32];
  FILE *random = fopen("/dev/urandom", "r");
  if (random == NULL || fread(tokens, sizeof tokens, 1, random) != 1) return perror("/dev/urandom"), 1;
  fclose(random);

  /* 1. A session that shares, and one that watches. */
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session *alice = join(engine, "alice"), *bob = join(engine, "bob");

  /* 2. The listener. Fed frames are encoded once, for all receivers. */
  msdk_ingest_options options = MSDK_INIT(msdk_ingest_options);
  options.port = path == NULL ? MSDK_PORT_ANY : 0;
  options.socket_path = path;
  options.transmission_token = tokens[0];
  options.reception_token = tokens[1];
  options.transmission_token_size = options.reception_token_size = 32;
  options.codec = MSDK_CODEC_VP8;
  must(msdk_session_set_ingest(alice, &options), "msdk_session_set_ingest");
  uint32_t port = 0;
  must(msdk_session_get_ingest_port(alice, &port), "msdk_session_get_ingest_port");
  write_key(argv[1], path, port, (const uint8_t(*)[32])tokens);
  printf("the listener is open; its key is %s\n", argv[1]);
  fflush(stdout);

  /* 3. The listener reports by events. What bob receives is an ordinary stream. */
  int frames = 0, is_over = 0;
  msdk_incoming_video *share = NULL;
  while (!is_over) {
    msdk_event event = MSDK_INIT(msdk_event);
    while (msdk_session_next_event(alice, 0, &event) >= 0) {
      if (event.type != MSDK_EVENT_INGEST) continue;
      if (event.state == MSDK_INGEST_FEEDER_CONNECTED) printf("a feeder connected over %s\n", event.text);
      if (event.state == MSDK_INGEST_FEEDER_REFUSED) printf("a feeder was refused: %s\n", event.text);
      if (event.state == MSDK_INGEST_SHARING) printf("sharing %ux%u\n", event.format.width, event.format.height);
      if (event.state == MSDK_INGEST_FEEDER_DISCONNECTED) {
        printf("the feeder is gone: %s\n", event.status == MSDK_OK ? "it said goodbye" : event.text);
        is_over = 1;
      }
      fflush(stdout);
    }
    while (msdk_session_next_event(bob, share == NULL && !is_over ? 50 : 0, &event) >= 0) {
      if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED && event.kind == MSDK_VIDEO_SCREEN_SHARE) {
        share = event.incoming_video;
        must(msdk_incoming_video_start(share, NULL), "msdk_incoming_video_start");
      }
      if (event.type == MSDK_EVENT_INCOMING_VIDEO_REMOVED && event.incoming_video == share) share = NULL;
    }
    msdk_video_frame *frame = NULL;
    if (share != NULL && msdk_incoming_video_read(share, 50, &frame) >= 0) {
      frames += 1;
      msdk_video_frame_unref(frame);
    }
  }
  printf("bob saw %d frames\n", frames);
  msdk_engine_destroy(engine);
  unlink(argv[1]);
  return 0;
}
