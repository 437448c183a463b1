/* The same pictures through MediaSDK: for each stream a session that sends and one that receives, of two engines, as two machines have them.
 *
 *   rtp_msdk CLIP WIDTHxHEIGHT STREAMS FRAMES [rtp|webrtc [KEY=VALUE&...]]     over what, and further words for the urls of both */
#include "call.h"
#include "measure.h"
#include "rtp_meter.h"
#include "webrtc_pair.h"
#include "video/vp8_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct end {
  uint32_t index;
  struct webrtc_end sends, receives; /* over RTP, what carries descriptions has nothing to do */
  msdk_outgoing_video *outgoing;
  msdk_frame_sender *sender;
};

static struct rtp_meter meter;
static msdk_video_format format;
static msdk_engine *here, *there;


static void came(void *data, const msdk_video_frame *frame) {
  struct end *end = data;
  rtp_meter_arrived(&meter, end->index, frame->plane[0].data, frame->plane[0].stride);
}

/* The other end's pictures are taken as soon as they are announced, and further events read, so that none is kept. */
static void receive_soon(struct end *end) {
  webrtc_carry(&end->sends, &end->receives);
  msdk_incoming_video *incoming = end->receives.incoming;
  if (incoming == NULL) return;
  end->receives.incoming = NULL;
  must(msdk_incoming_video_set_frame_callback(incoming, came, end), "setting the frame callback");
  must(msdk_incoming_video_start(incoming, NULL), "msdk_incoming_video_start");
}

static void hand_in(struct rtp_meter *unused, uint32_t stream, uint8_t *picture, uint64_t i) {
  (void)unused;
  struct end *end = meter.stream[stream].user;
  size_t luma = (size_t)meter.clip.width * meter.clip.height;
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.plane_count = 2;
  external.plane[0] = (msdk_plane){.data = picture, .size = luma, .stride = (int32_t)meter.clip.width};
  external.plane[1] = (msdk_plane){.data = picture + luma, .size = luma / 2, .stride = (int32_t)meter.clip.width};
  external.format = &format;
  msdk_video_frame *frame = NULL;
  must(msdk_video_frame_wrap(&external, &frame), "msdk_video_frame_wrap");
  must(msdk_frame_sender_send(end->sender, frame, meter.begin + (int64_t)(i * 1000000000 / RTP_FPS), NULL, NULL), "msdk_frame_sender_send");
  msdk_video_frame_unref(frame);
  if (i < meter.warm_up) receive_soon(end);
}

static void make_stream(struct end *end) {
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.codec = MSDK_CODEC_VP8;
  options.formats = &format;
  options.format_count = 1;
  options.preset = MSDK_PRESET_REALTIME;
  options.encoder_threads = 1;
  options.target_bitrate = VP8_BITRATE;
  must(msdk_outgoing_video_create(here, &options, &end->outgoing), "msdk_outgoing_video_create");
}

static void open_end(struct end *end, uint32_t index, int over_webrtc, const char *words) {
  char url[256];
  end->index = index;
  make_stream(end);
  if (over_webrtc) {
    snprintf(url, sizeof url, "webrtc:?%s", words);
    webrtc_open(&end->receives, there, url, NULL);
    webrtc_open(&end->sends, here, url, end->outgoing);
  } else {
    uint16_t port = rtp_free_port();
    const char *common = "media=video&rtcp-mux=1";
    snprintf(url, sizeof url, "rtp://:%u?%s&direction=recvonly%s%s", port, common, *words == 0 ? "" : "&", words);
    webrtc_open(&end->receives, there, url, NULL);
    snprintf(url, sizeof url, "rtp://127.0.0.1:%u?%s&direction=sendonly%s%s", port, common, *words == 0 ? "" : "&", words);
    webrtc_open(&end->sends, here, url, end->outgoing);
  }
  webrtc_connect(&end->sends, &end->receives);
  end->sender = end->sends.sender != NULL ? end->sends.sender : event_of(end->sends.session, MSDK_EVENT_FRAME_SENDER_CHANGED).sender;
  meter.stream[index].user = end;
}

static void count_bytes(struct end *end) {
  msdk_outgoing_video_stats stats = MSDK_INIT(msdk_outgoing_video_stats);
  must(msdk_outgoing_video_get_stats(end->outgoing, &stats), "msdk_outgoing_video_get_stats");
  atomic_store(&meter.stream[end->index].bytes, stats.bytes_sent);
}

static void send(struct rtp_meter *meter_, uint32_t stream, uint8_t *picture, uint64_t i) {
  hand_in(meter_, stream, picture, i);
  if (i + 1 == meter.count) count_bytes(meter.stream[stream].user);
}

int main(int argc, char **argv) {
  if (argc < 5 || argc > 7) die("usage: rtp_msdk CLIP WIDTHxHEIGHT STREAMS FRAMES [rtp|webrtc [KEY=VALUE&...]]");
  rtp_meter_open(&meter, argv + 1, CLIP_NV12);
  format = format_of(MSDK_PIXEL_NV12, meter.clip.width, meter.clip.height, RTP_FPS);
  must(msdk_engine_create(NULL, &here), "msdk_engine_create");
  must(msdk_engine_create(NULL, &there), "msdk_engine_create");
  struct end *ends = calloc(meter.streams, sizeof *ends);
  if (ends == NULL) die("no memory");
  int over_webrtc = argc > 5 && strcmp(argv[5], "webrtc") == 0;
  for (uint32_t s = 0; s < meter.streams; s++) open_end(&ends[s], s, over_webrtc, argc > 6 ? argv[6] : "");
  rtp_meter_run(&meter, send);
  for (uint32_t s = 0; s < meter.streams; s++) msdk_outgoing_video_destroy(ends[s].outgoing);
  msdk_engine_destroy(here);
  msdk_engine_destroy(there);
  free(ends);
  rtp_meter_close(&meter);
  return 0;
}
