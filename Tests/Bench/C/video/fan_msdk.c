/* One 720p VP8 sender and any number of receivers that do not decode: they take the packets from their queues. On a virtual clock, so that
 * no thread is made: all that encoding, sending and receiving cost is in the figure, and nothing else. Without a clip the sender pushes a
 * packet of 5 kB that is there already, which leaves the fan-out alone.
 *
 * With SIZES each receiver but the first prefers half the width and height of the one before: the stream is encoded in as many layers.
 *
 *   fan_msdk CLIP|- FRAMES RECEIVERS [SIZES] */
#include "call.h"
#include "clip.h"
#include "measure.h"
#include "vp8_settings.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 50, WARM_UP = 30, PACKET = 5000 };

static msdk_engine *engine;
static msdk_outgoing_video *outgoing;
static msdk_frame_sender *sender;
static msdk_incoming_video *incoming[MOST];
static msdk_video_format format;
static struct clip clip;
static msdk_encoded_frame *packet;

static msdk_session *join(const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:fan";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  must(msdk_engine_advance_clock(engine, 0), "msdk_engine_advance_clock");
  return session;
}

static void send(uint64_t i) {
  if (packet != NULL) {
    must(msdk_frame_sender_send_encoded(sender, packet, 0, NULL, NULL), "msdk_frame_sender_send_encoded");
  } else {
    size_t luma = (size_t)clip.width * clip.height;
    uint8_t *picture = clip_picture(&clip, i);
    msdk_external_frame external = MSDK_INIT(msdk_external_frame);
    external.plane_count = 2;
    external.plane[0] = (msdk_plane){.data = picture, .size = luma, .stride = (int32_t)clip.width};
    external.plane[1] = (msdk_plane){.data = picture + luma, .size = luma / 2, .stride = (int32_t)clip.width};
    external.format = &format;
    msdk_video_frame *frame = NULL;
    must(msdk_video_frame_wrap(&external, &frame), "msdk_video_frame_wrap");
    must(msdk_frame_sender_send(sender, frame, 0, NULL, NULL), "msdk_frame_sender_send");
    msdk_video_frame_unref(frame);
  }
  must(msdk_engine_advance_clock(engine, 1000000000 / VP8_FPS), "msdk_engine_advance_clock");
}

static uint64_t take(uint64_t receivers) {
  uint64_t taken = 0;
  for (uint64_t i = 0; i < receivers; i++) {
    for (msdk_encoded_frame *frame; msdk_incoming_video_read_encoded(incoming[i], 0, &frame) >= 0; taken++) msdk_encoded_frame_unref(frame);
  }
  return taken;
}

/* A key frame of 1280x720, as far as its head goes (RFC 6386, section 9.1); nobody decodes it. */
static void make_packet(void) {
  static uint8_t bytes[PACKET] = {0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0x00, 0x05, 0xD0, 0x02};
  msdk_encoded_frame wanted = MSDK_INIT(msdk_encoded_frame);
  wanted.codec = MSDK_CODEC_VP8;
  wanted.data = bytes;
  wanted.size = sizeof bytes;
  must(msdk_encoded_frame_create(&wanted, &packet), "msdk_encoded_frame_create");
}

static void open_sender(void) {
  msdk_session *session = join("sender");
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  format = format_of(MSDK_PIXEL_NV12, 1280, 720, VP8_FPS);
  options.codec = MSDK_CODEC_VP8;
  options.formats = &format;
  options.format_count = 1;
  options.preset = MSDK_PRESET_REALTIME;
  options.encoder_threads = 1;
  options.target_bitrate = VP8_BITRATE;
  options.encoded_input = packet != NULL;
  must(msdk_outgoing_video_create(engine, &options, &outgoing), "msdk_outgoing_video_create");
  must(msdk_session_start_video(session, outgoing), "msdk_session_start_video");
  must(msdk_outgoing_video_get_sender(outgoing, &sender), "msdk_outgoing_video_get_sender");
}

static void prefer(uint64_t i) {
  msdk_video_preference preference = MSDK_INIT(msdk_video_preference);
  preference.width = format.width >> i;
  preference.height = format.height >> i;
  must(msdk_incoming_video_set_preference(incoming[i], &preference), "msdk_incoming_video_set_preference");
}

static void open_receiver(uint64_t i) {
  char name[16];
  snprintf(name, sizeof name, "user-%u", (unsigned)i);
  msdk_session *session = join(name);
  msdk_incoming_video_options encoded = MSDK_INIT(msdk_incoming_video_options);
  encoded.output = MSDK_OUTPUT_ENCODED;
  incoming[i] = event_of(session, MSDK_EVENT_INCOMING_VIDEO_ADDED).incoming_video;
  must(msdk_incoming_video_start(incoming[i], &encoded), "msdk_incoming_video_start");
}

static msdk_outgoing_video_stats stats(void) {
  msdk_outgoing_video_stats now = MSDK_INIT(msdk_outgoing_video_stats);
  must(msdk_outgoing_video_get_stats(outgoing, &now), "msdk_outgoing_video_get_stats");
  return now;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 5) die("usage: fan_msdk CLIP|- FRAMES RECEIVERS [SIZES]");
  uint64_t frames = count_from(argv[2]), receivers = count_from(argv[3]), sizes = argc > 4 ? count_from(argv[4]) : 1;
  if (receivers > MOST || sizes > 3 || sizes > receivers) die("up to %d receivers and 3 sizes", MOST);
  if (strcmp(argv[1], "-") == 0) {
    make_packet();
  } else {
    clip_open(&clip, argv[1], CLIP_NV12);
  }
  msdk_engine_options options = MSDK_INIT(msdk_engine_options);
  options.clock = MSDK_CLOCK_VIRTUAL;
  must(msdk_engine_create(&options, &engine), "msdk_engine_create");
  open_sender();
  for (uint64_t i = 0; i < receivers; i++) open_receiver(i);
  for (uint64_t i = 1; i < sizes; i++) prefer(i);
  must(msdk_engine_advance_clock(engine, 1000000), "msdk_engine_advance_clock");
  for (uint64_t i = 0; i < WARM_UP; i++) send(i);
  take(receivers);
  msdk_outgoing_video_stats before = stats();
  if (packet == NULL && before.active_layers != sizes) die("%u layers are encoded, %llu were to", before.active_layers, (unsigned long long)sizes);
  double begin = cpu_seconds();
  uint64_t taken = 0;
  for (uint64_t i = 0; i < frames; i++) {
    send(WARM_UP + i);
    taken += take(receivers);
  }
  report("cpu_us", (cpu_seconds() - begin) * 1e6 / (double)frames);
  msdk_outgoing_video_stats after = stats();
  uint64_t left = after.frames_encoded + after.frames_sent - before.frames_encoded - before.frames_sent;
  report("encoded", (double)(after.frames_encoded - before.frames_encoded));
  report("bytes", (double)(after.bytes_sent - before.bytes_sent));
  /* The rate control of one size may drop a frame that others have. */
  uint64_t least = sizes == 1 ? left * receivers : left * receivers * 97 / 100;
  if (taken < least || taken > left * receivers) die("%llu packets came, %llu were to", (unsigned long long)taken, (unsigned long long)(left * receivers));
  msdk_outgoing_video_destroy(outgoing);
  msdk_engine_destroy(engine);
  msdk_encoded_frame_unref(packet);
  if (packet == NULL) clip_close(&clip);
  return 0;
}
