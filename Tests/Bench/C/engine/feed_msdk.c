/* The same through the feeder's library and a session's door, to a receiver's direct callback. The session shows 60 frames a second at
 * most; what is fed faster is taken all the same, and left out then.
 *
 *   feed_msdk tcp|unix|memfd throughput|latency COUNT RATE */
#include "call.h"
#include "feed.h"
#include "measure.h"

#include <mediasdk/feeder.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct feed feed;
static atomic_int is_measuring;

static void received(void *unused, const msdk_video_frame *frame) {
  (void)unused;
  if (atomic_load(&is_measuring)) feed_arrived(&feed, frame->timestamp_ns);
}

/* One frame, as soon as the one before was taken. */
static void give(msdk_feeder *feeder, bool in_slots) {
  msdk_feeder_frame frame = MSDK_INIT(msdk_feeder_frame);
  int64_t at = now_ns();
  msdk_result result;
  do {
    if (in_slots) {
      while ((result = msdk_feeder_acquire(feeder, MSDK_PIXEL_NV12, FEED_WIDTH, FEED_HEIGHT, &frame)) == MSDK_E_AGAIN) sched_yield();
      frame.timestamp_ns = at;
      while (result >= 0 && (result = msdk_feeder_submit(feeder, &frame)) == MSDK_E_AGAIN) sched_yield();
    } else {
      frame.pixel_format = MSDK_PIXEL_NV12;
      frame.width = FEED_WIDTH;
      frame.height = FEED_HEIGHT;
      frame.timestamp_ns = at;
      frame.plane[0] = (msdk_plane){.data = feed.picture, .stride = FEED_WIDTH};
      frame.plane[1] = (msdk_plane){.data = feed.picture + FEED_WIDTH * FEED_HEIGHT, .stride = FEED_WIDTH};
      result = msdk_feeder_send(feeder, &frame);
      if (result == MSDK_E_AGAIN) sched_yield();
    }
  } while (result == MSDK_E_AGAIN);
  if (result < 0) die("%s", msdk_feeder_last_error());
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage: feed_msdk tcp|unix|memfd throughput|latency COUNT RATE");
  feed_open(&feed, argv[2], argv[3], argv[4]);
  bool is_tcp = strcmp(argv[1], "tcp") == 0, in_slots = strcmp(argv[1], "memfd") == 0;
  static const uint8_t tokens[2][16] = {{1}, {2}};
  char path[64];
  snprintf(path, sizeof path, "/tmp/feed-bench-%d", (int)getpid());
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session *host = session_open(engine, "host"), *viewer = session_open(engine, "viewer");
  msdk_ingest_options door = MSDK_INIT(msdk_ingest_options);
  door.port = MSDK_PORT_ANY;
  door.socket_path = path;
  door.transmission_token = tokens[0];
  door.reception_token = tokens[1];
  door.transmission_token_size = door.reception_token_size = 16;
  door.limits = MSDK_LIMITS_EXTENDED;
  door.fps = 60;
  uint32_t port = 0;
  must(msdk_session_set_ingest(host, &door), "msdk_session_set_ingest");
  must(msdk_session_get_ingest_port(host, &port), "msdk_session_get_ingest_port");
  msdk_feeder_options options = MSDK_INIT(msdk_feeder_options);
  if (is_tcp) options.port = port;
  else options.socket_path = path;
  options.transmission_token = tokens[0];
  options.reception_token = tokens[1];
  options.transmission_token_size = options.reception_token_size = 16;
  msdk_feeder *feeder = NULL;
  if (msdk_feeder_open(&options, &feeder) < 0) die("%s", msdk_feeder_last_error());

  give(feeder, in_slots);
  msdk_event event = event_of(viewer, MSDK_EVENT_INCOMING_VIDEO_ADDED);
  msdk_incoming_video_options direct = MSDK_INIT(msdk_incoming_video_options);
  direct.delivery = MSDK_DELIVERY_DIRECT;
  must(msdk_incoming_video_set_frame_callback(event.incoming_video, received, NULL), "msdk_incoming_video_set_frame_callback");
  must(msdk_incoming_video_start(event.incoming_video, &direct), "msdk_incoming_video_start");
  for (int n = 0; n < 8; n++) give(feeder, in_slots); /* every slot is registered, every pool is filled */
  sleep_until(now_ns() + 200000000);
  atomic_store(&is_measuring, 1);
  while (feed_next(&feed)) give(feeder, in_slots);
  msdk_feeder_flush(feeder, 5000);
  if (feed.latency) sleep_until(now_ns() + 200000000);
  feed_report(&feed);
  msdk_feeder_close(feeder);
  msdk_engine_destroy(engine);
  return 0;
}
