/* A room for agents: serves it to SDKs of LiveKit, is in it, and prints who comes and who speaks.
 *
 *     gcc room.c $(pkg-config --cflags --libs mediasdk) -o room
 *     export MSDK_API_KEY=devkey MSDK_API_SECRET=$(head -c 32 /dev/urandom | base64)
 *     ./room SECONDS
 *
 * The first line is the url that an agent needs (agent.py), with the same key and secret. */
#include <mediasdk/mediasdk.h>

#include <stdio.h>
#include <stdlib.h>

#define ROOM "loopback:lobby"

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

/* By access tokens that are signed with the key, agents and people come in. */
static void serve(msdk_engine *engine) {
  msdk_serve_options options = MSDK_INIT(msdk_serve_options);
  msdk_serve_info info = MSDK_INIT(msdk_serve_info);
  options.addresses = "127.0.0.1";
  options.port = MSDK_PORT_ANY;
  options.api_key = getenv("MSDK_API_KEY");
  options.api_secret = getenv("MSDK_API_SECRET");
  if (options.api_key == NULL || options.api_secret == NULL) {
    fprintf(stderr, "MSDK_API_KEY or MSDK_API_SECRET is not set\n");
    exit(2);
  }
  must(msdk_room_serve(engine, ROOM, &options, &info), "msdk_room_serve");
  printf("ws://127.0.0.1:%u\n", (unsigned)info.port);
}

int main(int argc, char **argv) {
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  serve(engine);
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = ROOM;
  options.user_id = "host";
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  int64_t end = msdk_engine_now(engine) + (int64_t)((argc > 1 ? atof(argv[1]) : 60) * 1e9);
  while (msdk_engine_now(engine) < end) {
    fflush(stdout);
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(session, 100, &event) < 0) continue;
    switch (event.type) {
    case MSDK_EVENT_PARTICIPANT_JOINED: printf("%s is here\n", event.user_id); break;
    case MSDK_EVENT_PARTICIPANT_LEFT: printf("%s left\n", event.user_id); break;
    case MSDK_EVENT_ACTIVE_SPEAKER: printf("%s %s\n", event.user_id, event.state == MSDK_SPEAKER_ACTIVE ? "speaks" : "is silent"); break;
    default: break;
    }
  }
  msdk_engine_destroy(engine);
  return 0;
}
