/* A room that MediaSDK serves, which forwards the pictures of all its members to all others, over WebRTC.
 *
 *   forward_msdk MEMBERS SECONDS */
#include "call.h"
#include "forward_traffic.h"
#include "measure.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct member {
  msdk_session *session;
  msdk_outgoing_video *outgoing;
  msdk_frame_sender *sender;
  msdk_incoming_video *incoming[FORWARD_MEMBERS];
  unsigned count;
};

static struct member member[FORWARD_MEMBERS];
static msdk_encoded_frame *packet;

/* A key frame of 1280x720, as far as its head goes (RFC 6386, section 9.1); nobody decodes it. */
static void make_packet(void) {
  static uint8_t bytes[FORWARD_PICTURE] = {0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0x00, 0x05, 0xD0, 0x02};
  msdk_encoded_frame wanted = MSDK_INIT(msdk_encoded_frame);
  wanted.codec = MSDK_CODEC_VP8;
  wanted.data = bytes;
  wanted.size = sizeof bytes;
  must(msdk_encoded_frame_create(&wanted, &packet), "msdk_encoded_frame_create");
}

static void join(msdk_engine *engine, struct member *one, unsigned index, const char *url) {
  char name[16];
  snprintf(name, sizeof name, "user-%u", index);
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = name;
  must(msdk_session_create(engine, &options, &one->session), url);
  must(msdk_session_connect(one->session), url);
  msdk_event event;
  do {
    event = event_of(one->session, MSDK_EVENT_SESSION_STATE);
    if (event.state == MSDK_SESSION_DISCONNECTED) die("the session was not connected: %s", event.text);
  } while (event.state != MSDK_SESSION_CONNECTED);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 1280, 720, FORWARD_FPS);
  msdk_outgoing_video_options video = MSDK_INIT(msdk_outgoing_video_options);
  video.codec = MSDK_CODEC_VP8;
  video.formats = &format;
  video.format_count = 1;
  video.encoded_input = 1;
  must(msdk_outgoing_video_create(engine, &video, &one->outgoing), "msdk_outgoing_video_create");
  must(msdk_session_start_video(one->session, one->outgoing), "msdk_session_start_video");
}

static void hear(struct member *one) {
  msdk_incoming_video_options encoded = MSDK_INIT(msdk_incoming_video_options);
  encoded.output = MSDK_OUTPUT_ENCODED;
  for (msdk_event event = MSDK_INIT(msdk_event); msdk_session_next_event(one->session, 0, &event) >= 0;) {
    if (event.type == MSDK_EVENT_FRAME_SENDER_CHANGED) one->sender = event.sender;
    if (event.type != MSDK_EVENT_INCOMING_VIDEO_ADDED) continue;
    if (one->count == FORWARD_MEMBERS) die("more streams than members");
    one->incoming[one->count++] = event.incoming_video;
    must(msdk_incoming_video_start(event.incoming_video, &encoded), "msdk_incoming_video_start");
  }
}

static uint64_t take(struct member *one) {
  uint64_t taken = 0;
  hear(one);
  for (unsigned i = 0; i < one->count; i++) {
    for (msdk_encoded_frame *frame; msdk_incoming_video_read_encoded(one->incoming[i], 0, &frame) >= 0; taken++)
      msdk_encoded_frame_unref(frame);
  }
  return taken;
}

static _Noreturn void be_members(struct forward_pipes *pipes, unsigned members, uint64_t seconds) {
  char url[sizeof((msdk_serve_info *)NULL)->url];
  ssize_t size = read(pipes->from_server, url, sizeof url - 1);
  if (size <= 0) die("the server failed");
  url[size] = '\0';
  msdk_engine *engine;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  make_packet();
  for (unsigned i = 0; i < members; i++) join(engine, &member[i], i, url);
  int64_t begin = now_ns();
  uint64_t taken = 0, warm = FORWARD_SECONDS_BEFORE * FORWARD_FPS;
  for (uint64_t tick = 0; tick < (FORWARD_SECONDS_BEFORE + seconds) * FORWARD_FPS; tick++) {
    if (tick == warm) {
      for (unsigned i = 0; i < members; i++) {
        if (member[i].count != members - 1) die("member %u hears %u others", i, member[i].count);
      }
      forward_warm(pipes);
    }
    for (unsigned i = 0; i < members; i++) {
      sleep_until(begin + (int64_t)((tick * members + i) * 1000000000 / FORWARD_FPS / members));
      /* A member's video is there for the others as soon as some of it has come. */
      if (member[i].sender != NULL) msdk_frame_sender_send_encoded(member[i].sender, packet, 0, NULL, NULL);
      uint64_t here = take(&member[i]);
      if (tick >= warm) taken += here;
    }
  }
  forward_done(pipes, taken * FORWARD_PACKETS);
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: forward_msdk MEMBERS SECONDS");
  uint64_t members = count_from(argv[1]), seconds = count_from(argv[2]);
  if (members < 2 || members > FORWARD_MEMBERS) die("2 to %d members", FORWARD_MEMBERS);
  struct forward_pipes pipes;
  if (forward_fork(&pipes)) be_members(&pipes, (unsigned)members, seconds);
  msdk_engine *engine;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_serve_options options = MSDK_INIT(msdk_serve_options);
  options.addresses = "127.0.0.1";
  options.port = MSDK_PORT_ANY;
  msdk_serve_info info = MSDK_INIT(msdk_serve_info);
  must(msdk_room_serve(engine, "loopback:bench", &options, &info), "msdk_room_serve");
  if (write(pipes.to_members, info.url, strlen(info.url)) != (ssize_t)strlen(info.url)) die("the members are gone");
  forward_measure(&pipes, cpu_seconds);
  msdk_engine_destroy(engine);
  return 0;
}
