/* Texts and files of any length, between the participants of a room.
 *
 *     gcc files.c $(pkg-config --cflags --libs mediasdk) -o files
 *     ./files URL USER_ID                     writes the files that others send to this directory, and prints their chat, until Ctrl-C
 *     ./files URL USER_ID OTHER FILE TEXT     sends FILE to OTHER when they are here, and TEXT to the chat
 *
 * The room is one that several programs can join, such as livekit+wss://media.example.org; USER_ID is then the identity of the token, which
 * is in the environment variable TOKEN. SDKs of LiveKit can be the other one: files are byte streams of the topic "files", and the chat is
 * that of their components, text streams of the topic "lk.chat". */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t is_interrupted;
static void interrupt(int number) { is_interrupted = number; }

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_event next_event(msdk_session *session) {
  msdk_event event = MSDK_INIT(msdk_event);
  msdk_result result = msdk_session_next_event(session, 1000, &event);
  if (result != MSDK_E_TIMEOUT) must(result, "msdk_session_next_event");
  if (event.type == MSDK_EVENT_SESSION_STATE && event.state == MSDK_SESSION_DISCONNECTED) {
    fprintf(stderr, "disconnected: %s: %s\n", msdk_status_string(event.status), event.text);
    exit(1);
  }
  return event;
}

/* ------------------------------------------------------------------------------------------------------------- receiving */

typedef struct received {
  uint64_t stream; /* 0: this place is free */
  FILE *file;
} received;

static received *find(received *all, int count, uint64_t stream) {
  for (int i = 0; i < count; i++) {
    if (all[i].stream == stream) return &all[i];
  }
  return NULL;
}

/* The name is the other end's: a path, or a file that exists, is not accepted. */
static FILE *create(const char *name) { return name[0] == 0 || name[0] == '.' || strchr(name, '/') != NULL ? NULL : fopen(name, "wbx"); }

static void take_file(const msdk_data_stream_part *part, const uint8_t *chunk) {
  static received all[64]; /* so many of one participant come at a time */
  received *it = find(all, 64, part->part == MSDK_DATA_PART_BEGAN ? 0 : part->stream);
  if (it == NULL) return;
  if (part->part == MSDK_DATA_PART_BEGAN) {
    it->file = create(part->name);
    if (it->file == NULL) fprintf(stderr, "%s sends \"%s\", which is not written\n", part->user_id, part->name);
    it->stream = it->file != NULL ? part->stream : 0;
  } else if (part->part == MSDK_DATA_PART_CHUNK) {
    if (fwrite(chunk, 1, part->size, it->file) != part->size) perror(part->name);
  } else {
    if (fclose(it->file) != 0) perror(part->name);
    it->stream = 0;
    printf("%s: %s%s%s\n", part->user_id, part->name, part->text[0] != 0 ? " is not complete: " : "", part->text);
  }
}

static void take_text(const msdk_data_stream_part *part, const uint8_t *chunk) {
  if (part->part == MSDK_DATA_PART_BEGAN) printf("%s: ", part->user_id);
  if (part->part == MSDK_DATA_PART_CHUNK) printf("%.*s", (int)part->size, (const char *)chunk);
  if (part->part == MSDK_DATA_PART_ENDED || part->part == MSDK_DATA_PART_ABORTED) printf("\n");
}

static void receive(msdk_session *session) {
  static uint8_t chunk[65536];
  msdk_data_stream_part part = MSDK_INIT(msdk_data_stream_part);
  while (!is_interrupted) {
    if (next_event(session).type != MSDK_EVENT_DATA_STREAM_AVAILABLE) continue;
    msdk_result result;
    while ((result = msdk_session_data_stream_read(session, &part, chunk, sizeof chunk)) >= 0) {
      if (part.type == MSDK_DATA_STREAM_TEXT) take_text(&part, chunk);
      else take_file(&part, chunk);
    }
    if (result != MSDK_E_AGAIN) must(result, "msdk_session_data_stream_read");
    fflush(stdout);
  }
}

/* --------------------------------------------------------------------------------------------------------------- sending */

/* Whether it was sent. Otherwise there is room again. */
static int is_sent(msdk_session *session, msdk_result result) {
  if (result != MSDK_E_AGAIN) return must(result, "stream of data"), 1;
  while (!is_interrupted && next_event(session).type != MSDK_EVENT_DATA_WRITABLE) {}
  return is_interrupted;
}

static void send_file(msdk_session *session, const char *other, const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) perror(path), exit(1);
  msdk_data_stream_options options = MSDK_INIT(msdk_data_stream_options);
  options.type = MSDK_DATA_STREAM_BYTES;
  options.topic = "files";
  options.name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
  options.recipients = &other;
  options.recipient_count = 1;
  uint64_t stream = 0;
  while (!is_sent(session, msdk_session_data_stream_open(session, &options, &stream))) {}
  uint8_t chunk[MSDK_DATA_STREAM_CHUNK_MAX];
  size_t size;
  while ((size = fread(chunk, 1, sizeof chunk, file)) > 0 && !is_interrupted) {
    while (!is_sent(session, msdk_session_data_stream_write(session, stream, chunk, size))) {}
  }
  const char *reason = is_interrupted ? "interrupted" : ferror(file) ? "the file cannot be read" : NULL;
  while (!is_sent(session, msdk_session_data_stream_close(session, stream, reason))) {}
  fclose(file);
}

static void send_text(msdk_session *session, const char *text) {
  msdk_data_stream_options options = MSDK_INIT(msdk_data_stream_options);
  options.type = MSDK_DATA_STREAM_TEXT;
  options.topic = "lk.chat";
  uint64_t stream = 0;
  while (!is_sent(session, msdk_session_data_stream_open(session, &options, &stream))) {}
  while (!is_sent(session, msdk_session_data_stream_write(session, stream, (const uint8_t *)text, strlen(text)))) {}
  while (!is_sent(session, msdk_session_data_stream_close(session, stream, NULL))) {}
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 6) return fprintf(stderr, "usage: %s URL USER_ID [OTHER FILE TEXT]\n", argv[0]), 2;
  msdk_engine *engine = NULL;
  msdk_session *session = NULL;
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = argv[1];
  options.user_id = argv[2];
  options.access_token = getenv("TOKEN"); /* or NULL: none */
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_session_create(engine, &options, &session), argv[1]);
  if (argc == 3) {
    must(msdk_session_data_stream_accept(session, "files"), "msdk_session_data_stream_accept");
    must(msdk_session_data_stream_accept(session, "lk.chat"), "msdk_session_data_stream_accept");
  }
  must(msdk_session_connect(session), argv[1]);
  struct sigaction action = {.sa_handler = interrupt};
  if (sigaction(SIGINT, &action, NULL) != 0) return perror(argv[0]), 1;
  if (argc == 3) {
    receive(session);
  } else {
    for (int is_here = 0; !is_here && !is_interrupted;) {
      msdk_event event = next_event(session);
      is_here = event.type == MSDK_EVENT_PARTICIPANT_JOINED && strcmp(event.user_id, argv[3]) == 0;
    }
    if (!is_interrupted) send_file(session, argv[3], argv[4]);
    if (!is_interrupted) send_text(session, argv[5]);
  }
  msdk_engine_destroy(engine); /* which leaves the room, when what was sent has arrived at its server */
  return is_interrupted && argc == 6;
}
