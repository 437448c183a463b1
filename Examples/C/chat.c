/* A chat: what is typed goes to everybody in a room, or to one of them, and what the others write is printed.
 *
 *     gcc chat.c $(pkg-config --cflags --libs mediasdk) -o chat && ./chat URL USER_ID
 *
 *     hello                 to everybody else
 *     @bob are you there?   to bob alone
 *
 * The room is one that several programs can join, such as livekit+wss://media.example.org; USER_ID is then the identity of the token, which
 * is in the environment variable TOKEN. The chat ends with the input, or by Ctrl-C. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define TOPIC "chat" /* by which other programs in the room distinguish this data from theirs */

static volatile sig_atomic_t is_interrupted;
static void interrupt(int number) { is_interrupted = number; }

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

typedef struct chat {
  msdk_session *session;
  int is_connected, is_over, is_open, is_full; /* the session is connected, has ended; there is more input, and no room for what was read */
  char line[MSDK_DATA_MAX + 1];                /* that was read. A longer one is sent in parts */
} chat;

static void say(chat *it) { /* sends the line, if there is room */
  msdk_data_options options = MSDK_INIT(msdk_data_options);
  char user_id[256];
  const char *text = it->line, *recipients[] = {user_id};
  options.topic = TOPIC;
  if (sscanf(text, "@%255[^ ]", user_id) == 1) {
    options.recipients = recipients;
    options.recipient_count = 1;
    text += 1 + strlen(user_id);
    text += *text == ' ';
  }
  msdk_result result = msdk_session_send_data(it->session, &options, (const uint8_t *)text, strlen(text));
  it->is_full = result == MSDK_E_AGAIN;
  if (result < 0 && !it->is_full) fprintf(stderr, "not sent: %s\n", msdk_last_error());
}

static void read_line(chat *it) {
  it->is_open = fgets(it->line, sizeof it->line, stdin) != NULL;
  if (ferror(stdin) && !is_interrupted) perror("standard input");
  it->line[strcspn(it->line, "\n")] = 0;
  if (it->is_open) say(it);
}

static void print(const char *text, uint64_t size, const char *after) { /* what others wrote may hold what controls a terminal */
  for (uint64_t i = 0; i < size; i++) putchar((unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i]);
  fputs(after, stdout);
}

static void read_data(msdk_session *session) {
  static uint8_t data[65536];
  msdk_data_message message = MSDK_INIT(msdk_data_message);
  msdk_result result;
  while ((result = msdk_session_read_data(session, &message, data, sizeof data)) >= 0) {
    if (message.missed > 0) printf("(%" PRIu64 " messages were missed)\n", message.missed);
    if (strcmp(message.topic, TOPIC) != 0) continue;
    print(message.user_id, strlen(message.user_id), ": ");
    print((const char *)data, message.size, "\n");
  }
  if (result != MSDK_E_AGAIN) must(result, "msdk_session_read_data");
}

static void look(chat *it) {
  for (msdk_event event = MSDK_INIT(msdk_event); msdk_session_next_event(it->session, 0, &event) >= 0; event = MSDK_INIT(msdk_event)) {
    if (event.type == MSDK_EVENT_PARTICIPANT_JOINED) print(event.user_id, strlen(event.user_id), " is here\n");
    if (event.type == MSDK_EVENT_PARTICIPANT_LEFT) print(event.user_id, strlen(event.user_id), " left\n");
    if (event.type == MSDK_EVENT_DATA_AVAILABLE) read_data(it->session);
    if (event.type == MSDK_EVENT_DATA_WRITABLE && it->is_full) say(it); /* again */
    if (event.type != MSDK_EVENT_SESSION_STATE) continue;
    it->is_connected |= event.state == MSDK_SESSION_CONNECTED;
    it->is_over = event.state == MSDK_SESSION_DISCONNECTED;
    if (it->is_over) fprintf(stderr, "disconnected: %s: %s\n", msdk_status_string(event.status), event.text);
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: %s URL USER_ID\n", argv[0]), 2;
  static chat it = {.is_open = 1};
  msdk_engine *engine = NULL;
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = argv[1];
  options.user_id = argv[2];
  options.access_token = getenv("TOKEN"); /* or NULL: none */
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_session_create(engine, &options, &it.session), argv[1]);
  must(msdk_session_connect(it.session), argv[1]);
  struct pollfd waiting[] = {{.events = POLLIN}, {.events = POLLIN}};
  must(msdk_session_get_event_fd(it.session, &waiting[0].fd), "msdk_session_get_event_fd");
  struct sigaction action = {.sa_handler = interrupt}; /* and the calls that wait return */
  if (sigaction(SIGINT, &action, NULL) != 0 || setvbuf(stdin, NULL, _IONBF, 0) != 0) return perror(argv[0]), 1; /* poll sees all input */
  while (!is_interrupted && !it.is_over && (it.is_open || it.is_full)) {
    waiting[1].fd = it.is_connected && it.is_open && !it.is_full ? STDIN_FILENO : -1; /* poll ignores what is negative */
    int ready = poll(waiting, 2, 1000); /* not for ever: a signal may have come just before */
    if (ready < 0 && errno != EINTR) return perror("poll"), 1;
    if (ready > 0 && waiting[1].revents != 0) read_line(&it);
    if (ready > 0 && waiting[0].revents != 0) look(&it);
  }
  look(&it);
  msdk_engine_destroy(engine); /* which leaves the room, when what was sent has arrived at its server */
  return it.is_over;
}
