/* Remote procedure calls: a participant that has the method "sum", and one that calls a method of another.
 *
 *     gcc rpc.c $(pkg-config --cflags --libs mediasdk) -o rpc
 *     ./rpc URL USER_ID                          others may call "sum", until Ctrl-C
 *     ./rpc URL USER_ID OTHER METHOD PAYLOAD     calls a method of OTHER when they are here, for example sum "1 2 3.5"
 *
 * The room is one that several programs can join, such as livekit+wss://media.example.org; USER_ID is then the identity of the token, which
 * is in the environment variable TOKEN. SDKs of LiveKit can be the other one. */
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

static void respond(msdk_session *session, const msdk_rpc_message *request, const char *payload) {
  char result[64], *end;
  double sum = 0;
  for (; *payload != 0; payload = end) {
    sum += strtod(payload, &end);
    while (*end == ' ') end++;
    if (end == payload) { /* no number */
      msdk_result sent = msdk_session_rpc_fail(session, request->call, 1, "numbers with spaces between them are accepted", payload);
      if (sent < 0) fprintf(stderr, "not sent: %s\n", msdk_last_error()); /* perhaps the caller has left */
      return;
    }
  }
  snprintf(result, sizeof result, "%g", sum);
  if (msdk_session_rpc_respond(session, request->call, result) < 0) fprintf(stderr, "not sent: %s\n", msdk_last_error());
}

static int look(msdk_session *session) { /* whether the result of the own call has come: 1, or 2 for a failure */
  static char payload[65537];
  msdk_rpc_message message = MSDK_INIT(msdk_rpc_message);
  msdk_result result;
  while ((result = msdk_session_rpc_read(session, &message, payload, sizeof payload)) >= 0) {
    if (message.kind == MSDK_RPC_REQUEST) respond(session, &message, payload);
    if (message.kind == MSDK_RPC_RESPONSE) return printf("%s: %s\n", message.user_id, payload), 1;
    if (message.kind == MSDK_RPC_FAILURE) return printf("%s: failure %u: %s\n", message.user_id, message.code, message.text), 2;
  }
  if (result != MSDK_E_AGAIN) must(result, "msdk_session_rpc_read");
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 6) return fprintf(stderr, "usage: %s URL USER_ID [OTHER METHOD PAYLOAD]\n", argv[0]), 2;
  msdk_engine *engine = NULL;
  msdk_session *session = NULL;
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = argv[1];
  options.user_id = argv[2];
  options.access_token = getenv("TOKEN"); /* or NULL: none */
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_session_create(engine, &options, &session), argv[1]);
  if (argc == 3) must(msdk_session_rpc_register(session, "sum"), "msdk_session_rpc_register");
  must(msdk_session_connect(session), argv[1]);
  struct sigaction action = {.sa_handler = interrupt};
  if (sigaction(SIGINT, &action, NULL) != 0) return perror(argv[0]), 1;
  uint64_t call = 0;
  int code = 0;
  while (!is_interrupted && code == 0) {
    msdk_event event = MSDK_INIT(msdk_event);
    msdk_result result = msdk_session_next_event(session, 1000, &event);
    if (result == MSDK_E_TIMEOUT) continue;
    must(result, "msdk_session_next_event");
    if (event.type == MSDK_EVENT_PARTICIPANT_JOINED && argc == 6 && call == 0 && strcmp(event.user_id, argv[3]) == 0) {
      must(msdk_session_rpc_call(session, argv[3], argv[4], argv[5], 0, &call), "msdk_session_rpc_call");
    }
    if (event.type == MSDK_EVENT_RPC_AVAILABLE) code = look(session);
    if (event.type == MSDK_EVENT_SESSION_STATE && event.state == MSDK_SESSION_DISCONNECTED) {
      fprintf(stderr, "disconnected: %s: %s\n", msdk_status_string(event.status), event.text);
      code = 2;
    }
  }
  msdk_engine_destroy(engine); /* which leaves the room, when what was sent has arrived at its server */
  return code == 2;
}
