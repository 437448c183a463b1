/* A call over the network without another server: one process serves a room, others join it by the url that it prints, browsers by the page.
 * Each sends a test pattern and a tone, and prints what arrived from the others.
 *
 *     gcc serve.c $(pkg-config --cflags --libs mediasdk) -o serve
 *     ./serve PLUGINS SECONDS TOKEN [ADDRESS]              serves: ADDRESS is of this machine, 127.0.0.1 without it
 *     ./serve PLUGINS SECONDS TOKEN 'livekit+ws://...'     joins; livekit+wss: if ADDRESS is another one
 *
 * PLUGINS is the directory of the plugins. SECONDS begin with the first received frame, for which each process waits a minute. A process
 * without the TOKEN is refused. */
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM "loopback:lobby"
#define SECOND INT64_C(1000000000)
#define LIFETIME (600 * SECOND) /* of a member's access, which is renewed before it ends */

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

/* ------------------------------------------------------------------------------------------------------------------- the host */

/* Decides who comes in, and who stays, on a thread of the room's own. Members may do all but moderate. */
static msdk_result verify(void *user, const msdk_access_request *request, msdk_access_grant *grant) {
  int is_right = strcmp(request->access_token, (const char *)user) == 0;
  const char *wish = request->flags & MSDK_ACCESS_RENEWAL ? "stay" : "come in";
  grant->lifetime_ns = LIFETIME;
  if (!is_right) grant->reason = "the token is another one";
  printf("%s wants to %s, and %s\n", request->user_id, wish, is_right ? "may" : "does not know the token");
  return is_right ? MSDK_OK : MSDK_E_PERMISSION;
}

static void open_listener(msdk_engine *engine, const char *address, char *token) {
  msdk_room_options access = MSDK_INIT(msdk_room_options);
  access.verify = verify;
  access.user = token;
  must(msdk_room_configure(engine, ROOM, &access), "msdk_room_configure");
  msdk_serve_options options = MSDK_INIT(msdk_serve_options);
  msdk_serve_info info = MSDK_INIT(msdk_serve_info);
  options.addresses = address;
  options.port = MSDK_PORT_ANY;
  must(msdk_room_serve(engine, ROOM, &options, &info), "msdk_room_serve");
  printf("%s\npage: %s\n", info.url, info.page_url);
  fflush(stdout);
}

/* ----------------------------------------------------------------------------------------------------------------- any member */

static msdk_session *join(msdk_engine *engine, const char *url, const char *user_id, const char *token) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = user_id;
  options.access_token = token;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.state != MSDK_SESSION_CONNECTED) {
    must(msdk_session_next_event(session, 20000, &event), "msdk_session_next_event");
    if (event.type == MSDK_EVENT_SESSION_STATE && event.state == MSDK_SESSION_DISCONNECTED) {
      fprintf(stderr, "%s is not let in: %s\n", user_id, event.text);
      exit(1);
    }
  }
  return session;
}

static msdk_instance *instance_of(msdk_engine *engine, const char *class_id) {
  msdk_instance *instance = NULL;
  must(msdk_instance_create(engine, class_id, NULL, &instance), class_id);
  return instance;
}

/* VP8 and Opus, which a served room passes on as they are. */
static void send_pattern_and_tone(msdk_engine *engine, msdk_session *session) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = 640;
  format.height = 360;
  format.fps_num = 30;
  format.fps_den = 1;
  msdk_outgoing_video_options video = MSDK_INIT(msdk_outgoing_video_options);
  video.codec = MSDK_CODEC_VP8;
  video.formats = &format;
  video.format_count = 1;
  msdk_outgoing_video *film = NULL;
  must(msdk_outgoing_video_create(engine, &video, &film), "msdk_outgoing_video_create");
  must(msdk_outgoing_video_attach_producer(film, instance_of(engine, "org.mediasdk.producer.testpattern")), "test pattern");
  must(msdk_session_start_video(session, film), "msdk_session_start_video");
  msdk_outgoing_audio_options audio = MSDK_INIT(msdk_outgoing_audio_options);
  audio.codec = MSDK_CODEC_OPUS;
  msdk_outgoing_audio *voice = NULL;
  must(msdk_outgoing_audio_create(engine, &audio, &voice), "msdk_outgoing_audio_create");
  must(msdk_outgoing_audio_attach_producer(voice, instance_of(engine, "org.mediasdk.producer.tone")), "tone");
  must(msdk_session_start_audio(session, voice), "msdk_session_start_audio");
}

/* What arrived: the video of the first participant who sends any, and the audio of all, mixed. */
typedef struct arrivals {
  msdk_incoming_video *video;
  char sender[256];
  uint32_t width, height, frames;
  uint32_t loudest; /* 0 is the loudest there is, 127 silence */
} arrivals;

/* Whether the call goes on. */
static int look(msdk_session *session, const char *token, arrivals *it) {
  msdk_event event = MSDK_INIT(msdk_event);
  if (msdk_session_next_event(session, 10, &event) < 0) return 1;
  switch (event.type) {
  case MSDK_EVENT_PARTICIPANT_JOINED: printf("%s is here\n", event.user_id); break;
  case MSDK_EVENT_ACCESS_EXPIRING: /* a program of its own would ask for a new token here */
    must(msdk_session_set_access_token(session, token), "msdk_session_set_access_token");
    break;
  case MSDK_EVENT_PARTICIPANT_LEFT: printf("%s left\n", event.user_id); break;
  case MSDK_EVENT_INCOMING_VIDEO_ADDED:
    if (it->video != NULL) break;
    it->video = event.incoming_video;
    snprintf(it->sender, sizeof it->sender, "%s", event.user_id);
    must(msdk_incoming_video_start(it->video, NULL), "msdk_incoming_video_start");
    break;
  case MSDK_EVENT_SESSION_STATE:
    if (event.state == MSDK_SESSION_DISCONNECTED) printf("the call is over: %s\n", event.text);
    return event.state != MSDK_SESSION_DISCONNECTED;
  default: break;
  }
  return 1;
}

static arrivals take_part(msdk_engine *engine, msdk_session *session, const char *token, double seconds) {
  arrivals it = {.loudest = 127};
  msdk_incoming_audio *mix = NULL;
  must(msdk_session_get_mixed_audio(session, &mix), "msdk_session_get_mixed_audio");
  must(msdk_incoming_audio_start(mix, NULL), "msdk_incoming_audio_start");
  int64_t end = msdk_engine_now(engine) + 60 * SECOND;
  for (int has_begun = 0; msdk_engine_now(engine) < end && look(session, token, &it);) {
    msdk_video_frame *frame = NULL;
    while (it.video != NULL && msdk_incoming_video_read(it.video, 0, &frame) >= 0) {
      it.frames++;
      it.width = frame->format->width;
      it.height = frame->format->height;
      msdk_video_frame_unref(frame);
    }
    if (it.frames > 0 && !has_begun) {
      has_begun = 1;
      end = msdk_engine_now(engine) + (int64_t)(seconds * 1e9);
    }
    msdk_audio_frame *buffer = NULL;
    while (msdk_incoming_audio_read(mix, 0, &buffer) >= 0) {
      if (buffer->level < it.loudest) it.loudest = buffer->level;
      msdk_audio_frame_unref(buffer);
    }
  }
  return it;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s PLUGINS SECONDS TOKEN [ADDRESS | 'livekit+ws...']\n", argv[0]);
    return 2;
  }
  const char *place = argc > 4 ? argv[4] : "127.0.0.1";
  int is_guest = strncmp(place, "livekit+ws", 10) == 0;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), "msdk_engine_add_plugin_dir");
  if (!is_guest) open_listener(engine, place, argv[3]);
  /* The host is a member of its own room, without a network in between. */
  msdk_session *session = join(engine, is_guest ? place : ROOM, is_guest ? "guest" : "host", argv[3]);
  send_pattern_and_tone(engine, session);
  arrivals came = take_part(engine, session, argv[3], atof(argv[2]));
  msdk_engine_destroy(engine); /* which leaves the call, or ends it for all */
  if (came.frames == 0) fprintf(stderr, "no frame was received\n");
  else printf("%s sent %" PRIu32 " frames of %" PRIu32 "x%" PRIu32, came.sender, came.frames, came.width, came.height);
  if (came.frames > 0) printf(", and the loudest audio was %" PRIu32 " dB below full scale\n", came.loudest);
  return came.frames > 0 && came.loudest < 127 ? 0 : 1;
}
