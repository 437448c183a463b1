/* One end of GStreamer at a bad link: rtpbin with AVPF, retransmission (RFC 4588) and key frames on request. Its bitrate stays as it is set, since
 * what measures the link is not among its ordinary plugins.
 *
 *   link_gst send|receive HOST PORT KBPS FILE CLIP WIDTHxHEIGHT FRAMES
 *
 * HOST: the other end. PORT and the two above it: media, RTCP, and RTCP back. */
#include "link_meter.h"
#include "measure.h"
#include "video/vp8enc.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

#define FEEDBACK "rtcp-fb-nack=true,rtcp-fb-nack-pli=true"

static struct link_meter meter;
static GstAppSrc *source;

static GstFlowReturn came(GstAppSink *sink, gpointer unused) {
  (void)unused;
  GstSample *sample = gst_app_sink_pull_sample(sink);
  GstMapInfo map;
  if (sample == NULL) return GST_FLOW_EOS;
  if (!gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ)) die("a picture cannot be read");
  link_meter_came(&meter, map.data, (ptrdiff_t)GST_ROUND_UP_4(meter.clip.width));
  gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
  gst_sample_unref(sample);
  return GST_FLOW_OK;
}

/* What rtpbin asks for with a signal: the element of retransmissions with pads of the names that it expects. */
static GstElement *make_retransmission(GstElement *unused, guint session, gpointer name) {
  (void)unused;
  GstElement *bin = gst_bin_new(NULL), *element = gst_element_factory_make(name, NULL);
  if (element == NULL) die("there is no %s", (const char *)name);
  GstStructure *types = gst_structure_new("types", "96", G_TYPE_UINT, 97, NULL);
  g_object_set(element, "payload-type-map", types, NULL);
  gst_structure_free(types);
  gst_bin_add(GST_BIN(bin), element);
  for (int i = 0; i < 2; i++) {
    gchar *outer = g_strdup_printf("%s_%u", i == 0 ? "sink" : "src", session);
    GstPad *inner = gst_element_get_static_pad(element, i == 0 ? "sink" : "src");
    gst_element_add_pad(bin, gst_ghost_pad_new(outer, inner));
    gst_object_unref(inner);
    g_free(outer);
  }
  return bin;
}

static GstElement *launch(const char *words) {
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(words, &error);
  if (pipeline == NULL || error != NULL) die("no pipeline: %s", error == NULL ? "?" : error->message);
  return pipeline;
}

static void connect_bin(GstElement *pipeline, const char *signal, const char *element) {
  GstElement *bin = gst_bin_get_by_name(GST_BIN(pipeline), "bin");
  g_signal_connect(bin, signal, G_CALLBACK(make_retransmission), (gpointer)element);
  gst_object_unref(bin);
}

/* Links with a request pad of rtpbin, which makes it: after the signals are connected. */
static void link_pads(GstElement *pipeline, const char *from, const char *from_pad, const char *to, const char *to_pad) {
  GstElement *a = gst_bin_get_by_name(GST_BIN(pipeline), from), *b = gst_bin_get_by_name(GST_BIN(pipeline), to);
  if (!gst_element_link_pads(a, from_pad, b, to_pad)) die("%s and %s cannot be linked", from, to);
  gst_object_unref(a);
  gst_object_unref(b);
}

static void added(GstElement *unused, GstPad *pad, gpointer data) {
  (void)unused;
  GstElement *depay = data;
  GstPad *sink = gst_element_get_static_pad(depay, "sink");
  if (g_str_has_prefix(GST_PAD_NAME(pad), "recv_rtp_src_") && !gst_pad_is_linked(sink)) gst_pad_link(pad, sink);
  gst_object_unref(sink);
}

static GstElement *open_sender(const char *host, unsigned port, unsigned kbps) {
  gchar *words = g_strdup_printf(
      "rtpbin name=bin rtp-profile=avpf appsrc name=in ! vp8enc name=encoder"
      " ! rtpvp8pay name=pay pt=96 mtu=1200 picture-id-mode=15-bit ! capsfilter name=caps caps=application/x-rtp," FEEDBACK
      " udpsink name=media host=%s port=%u sync=false async=false udpsink name=control host=%s port=%u sync=false async=false"
      " udpsrc name=back port=%u",
      host, port, host, port + 1, port + 2);
  GstElement *pipeline = launch(words);
  g_free(words);
  connect_bin(pipeline, "request-aux-sender", "rtprtxsend");
  link_pads(pipeline, "caps", "src", "bin", "send_rtp_sink_0");
  link_pads(pipeline, "bin", "send_rtp_src_0", "media", "sink");
  link_pads(pipeline, "bin", "send_rtcp_src_0", "control", "sink");
  link_pads(pipeline, "back", "src", "bin", "recv_rtcp_sink_0");
  GstElement *encoder = gst_bin_get_by_name(GST_BIN(pipeline), "encoder");
  vp8enc_set(encoder, &vp8_ours);
  g_object_set(encoder, "target-bitrate", (gint)kbps * 1000, "keyframe-max-dist", 60 * LINK_FPS, NULL);
  gst_object_unref(encoder);
  source = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline), "in"));
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "I420", "width", G_TYPE_INT, (gint)meter.clip.width, "height",
                                      G_TYPE_INT, (gint)meter.clip.height, "framerate", GST_TYPE_FRACTION, LINK_FPS, 1, NULL);
  g_object_set(source, "caps", caps, "format", GST_FORMAT_TIME, "is-live", TRUE, NULL);
  gst_caps_unref(caps);
  return pipeline;
}

static GstElement *open_receiver(const char *host, unsigned port) {
  gchar *words = g_strdup_printf(
      "rtpbin name=bin rtp-profile=avpf do-retransmission=true udpsrc name=media port=%u"
      " caps=application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96," FEEDBACK
      " rtpvp8depay name=depay wait-for-keyframe=true request-keyframe=true ! vp8dec threads=1 ! appsink name=out"
      " udpsrc name=control port=%u udpsink name=back host=%s port=%u sync=false async=false",
      port, port + 1, host, port + 2);
  GstElement *pipeline = launch(words);
  g_free(words);
  connect_bin(pipeline, "request-aux-receiver", "rtprtxreceive");
  GstElement *bin = gst_bin_get_by_name(GST_BIN(pipeline), "bin"), *depay = gst_bin_get_by_name(GST_BIN(pipeline), "depay");
  g_signal_connect(bin, "pad-added", G_CALLBACK(added), depay);
  gst_object_unref(bin);
  link_pads(pipeline, "media", "src", "bin", "recv_rtp_sink_0");
  link_pads(pipeline, "control", "src", "bin", "recv_rtcp_sink_0");
  link_pads(pipeline, "bin", "send_rtcp_src_0", "back", "sink");
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  g_object_set(sink, "sync", FALSE, "enable-last-sample", FALSE, NULL);
  GstAppSinkCallbacks callbacks = {.new_sample = came};
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, NULL, NULL);
  gst_object_unref(sink);
  return pipeline;
}

static void send(struct link_meter *unused, uint8_t *picture, uint64_t i, int64_t at) {
  (void)unused, (void)at;
  GstBuffer *buffer =
      gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, picture, meter.clip.frame_size, 0, meter.clip.frame_size, NULL, NULL);
  GST_BUFFER_PTS(buffer) = i * GST_SECOND / LINK_FPS;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / LINK_FPS;
  if (gst_app_src_push_buffer(source, buffer) != GST_FLOW_OK) die("push failed at frame %llu", (unsigned long long)i);
}

int main(int argc, char **argv) {
  if (argc != 9) die("usage: link_gst send|receive HOST PORT KBPS FILE CLIP WIDTHxHEIGHT FRAMES");
  int sends = strcmp(argv[1], "send") == 0;
  unsigned port = (unsigned)count_from(argv[3]), kbps = (unsigned)count_from(argv[4]);
  gst_init(NULL, NULL);
  link_meter_open(&meter, argv + 5, CLIP_I420);
  GstElement *pipeline = sends ? open_sender(argv[2], port, kbps) : open_receiver(argv[2], port);
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) die("the pipeline does not play");
  if (sends) {
    link_meter_send(&meter, send);
  } else {
    link_meter_wait();
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  clip_close(&meter.clip);
  return 0;
}
