/* The same pictures through GStreamer: appsrc to vp8enc to rtpbin to udpsink, and udpsrc to rtpbin to vp8dec to appsink, for each stream two
 * pipelines with RTCP both ways. Nothing waits for a clock at the end, so the jitter buffer passes what is in order at once.
 *
 *   rtp_gst CLIP WIDTHxHEIGHT STREAMS FRAMES */
#include "measure.h"
#include "rtp_meter.h"
#include "video/vp8enc.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

struct end {
  uint32_t index;
  GstElement *sends, *receives;
  GstAppSrc *source;
};

static struct rtp_meter meter;

static const char *const sending =
    "rtpbin name=bin appsrc name=in ! vp8enc name=encoder ! rtpvp8pay pt=96 ! bin.send_rtp_sink_0"
    " bin.send_rtp_src_0 ! udpsink name=media host=127.0.0.1 port=%u sync=false async=false"
    " bin.send_rtcp_src_0 ! udpsink host=127.0.0.1 port=%u sync=false async=false udpsrc address=127.0.0.1 port=%u ! bin.recv_rtcp_sink_0";
static const char *const receiving =
    "rtpbin name=bin udpsrc address=127.0.0.1 port=%u caps=application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96"
    " ! bin.recv_rtp_sink_0 bin. ! rtpvp8depay ! vp8dec threads=1 ! appsink name=out"
    " udpsrc address=127.0.0.1 port=%u ! bin.recv_rtcp_sink_0 bin.send_rtcp_src_0 ! udpsink host=127.0.0.1 port=%u sync=false async=false";

static GstFlowReturn came(GstAppSink *sink, gpointer data) {
  struct end *end = data;
  GstSample *sample = gst_app_sink_pull_sample(sink);
  GstMapInfo map;
  if (sample == NULL) return GST_FLOW_EOS;
  GstBuffer *buffer = gst_sample_get_buffer(sample);
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) die("a picture cannot be read");
  rtp_meter_arrived(&meter, end->index, map.data, (ptrdiff_t)GST_ROUND_UP_4(meter.clip.width));
  gst_buffer_unmap(buffer, &map);
  gst_sample_unref(sample);
  return GST_FLOW_OK;
}

static GstElement *launch(const char *format, unsigned a, unsigned b, unsigned c) {
  GError *error = NULL;
  gchar *words = g_strdup_printf(format, a, b, c);
  GstElement *pipeline = gst_parse_launch(words, &error);
  if (pipeline == NULL || error != NULL) die("no pipeline: %s", error == NULL ? "?" : error->message);
  g_free(words);
  return pipeline;
}

static void play(GstElement *pipeline) {
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) die("a pipeline does not play");
}

static void open_end(struct end *end, uint32_t index) {
  unsigned port = rtp_free_port(), back = rtp_free_port();
  end->index = index;
  end->receives = launch(receiving, port, port + 1, back);
  GstElement *sink = gst_bin_get_by_name(GST_BIN(end->receives), "out");
  g_object_set(sink, "sync", FALSE, "enable-last-sample", FALSE, NULL);
  GstAppSinkCallbacks callbacks = {.new_sample = came};
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, end, NULL);
  gst_object_unref(sink);
  end->sends = launch(sending, port, port + 1, back);
  GstElement *encoder = gst_bin_get_by_name(GST_BIN(end->sends), "encoder");
  vp8enc_set(encoder, &vp8_ours);
  gst_object_unref(encoder);
  end->source = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(end->sends), "in"));
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "I420", "width", G_TYPE_INT, (gint)meter.clip.width, "height",
                                      G_TYPE_INT, (gint)meter.clip.height, "framerate", GST_TYPE_FRACTION, RTP_FPS, 1, NULL);
  g_object_set(end->source, "caps", caps, "format", GST_FORMAT_TIME, "is-live", TRUE, "max-bytes", (guint64)meter.clip.frame_size * 2,
               NULL);
  gst_caps_unref(caps);
  play(end->receives);
  play(end->sends);
  meter.stream[index].user = end;
}

static void count_bytes(struct end *end) {
  guint64 bytes = 0;
  GstElement *media = gst_bin_get_by_name(GST_BIN(end->sends), "media");
  g_object_get(media, "bytes-served", &bytes, NULL);
  gst_object_unref(media);
  atomic_store(&meter.stream[end->index].bytes, bytes);
}

static void send(struct rtp_meter *unused, uint32_t stream, uint8_t *picture, uint64_t i) {
  (void)unused;
  struct end *end = meter.stream[stream].user;
  GstBuffer *buffer =
      gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, picture, meter.clip.frame_size, 0, meter.clip.frame_size, NULL, NULL);
  GST_BUFFER_PTS(buffer) = i * GST_SECOND / RTP_FPS;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / RTP_FPS;
  if (gst_app_src_push_buffer(end->source, buffer) != GST_FLOW_OK) die("push failed at frame %llu", (unsigned long long)i);
  if (i + 1 == meter.count) count_bytes(end);
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage: rtp_gst CLIP WIDTHxHEIGHT STREAMS FRAMES");
  gst_init(NULL, NULL);
  rtp_meter_open(&meter, argv + 1, CLIP_I420);
  struct end *ends = g_new0(struct end, meter.streams);
  for (uint32_t s = 0; s < meter.streams; s++) open_end(&ends[s], s);
  rtp_meter_run(&meter, send);
  for (uint32_t s = 0; s < meter.streams; s++) {
    gst_element_set_state(ends[s].sends, GST_STATE_NULL);
    gst_element_set_state(ends[s].receives, GST_STATE_NULL);
    gst_object_unref(ends[s].source);
    gst_object_unref(ends[s].sends);
    gst_object_unref(ends[s].receives);
  }
  g_free(ends);
  rtp_meter_close(&meter);
  return 0;
}
