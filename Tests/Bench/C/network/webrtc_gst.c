/* The same pictures through GStreamer's webrtcbin: appsrc to vp8enc to one, and another to vp8dec to appsink, for each stream two pipelines.
 *
 *   webrtc_gst CLIP WIDTHxHEIGHT STREAMS FRAMES */
#include "measure.h"
#include "rtp_meter.h"
#include "video/vp8enc.h"

#define GST_USE_UNSTABLE_API
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/webrtc/webrtc.h>

struct end {
  uint32_t index;
  GstElement *sends, *receives; /* pipelines */
  GstElement *here, *there;     /* their webrtcbin */
  GstAppSrc *source;
};

static struct rtp_meter meter;

static const char *const sending =
    "webrtcbin name=bin bundle-policy=max-bundle latency=0 appsrc name=in ! vp8enc name=encoder ! rtpvp8pay pt=96"
    " ! application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000 ! bin.";

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

static void pad_added(GstElement *bin, GstPad *pad, gpointer data) {
  struct end *end = data;
  if (GST_PAD_DIRECTION(pad) != GST_PAD_SRC) return;
  GError *error = NULL;
  GstElement *decoding = gst_parse_bin_from_description(
      "rtpvp8depay ! vp8dec threads=1 ! appsink name=out sync=false enable-last-sample=false", TRUE, &error);
  if (decoding == NULL) die("no decoder: %s", error == NULL ? "?" : error->message);
  GstElement *sink = gst_bin_get_by_name(GST_BIN(decoding), "out");
  GstAppSinkCallbacks callbacks = {.new_sample = came};
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, end, NULL);
  gst_object_unref(sink);
  gst_bin_add(GST_BIN(end->receives), decoding);
  gst_element_sync_state_with_parent(decoding);
  GstPad *into = gst_element_get_static_pad(decoding, "sink");
  if (gst_pad_link(pad, into) != GST_PAD_LINK_OK) die("the decoder cannot be linked");
  gst_object_unref(into);
  (void)bin;
}

static void candidate(GstElement *bin, guint line, gchar *text, gpointer other) {
  (void)bin;
  g_signal_emit_by_name(other, "add-ice-candidate", line, text);
}

static void wait_for(GstPromise *promise) {
  if (gst_promise_wait(promise) != GST_PROMISE_RESULT_REPLIED) die("webrtcbin did not answer");
}

static void set(GstElement *bin, const char *what, GstWebRTCSessionDescription *description) {
  GstPromise *promise = gst_promise_new();
  g_signal_emit_by_name(bin, what, description, promise);
  wait_for(promise);
  gst_promise_unref(promise);
}

static GstWebRTCSessionDescription *made(GstElement *bin, const char *what, const char *field) {
  GstWebRTCSessionDescription *description = NULL;
  GstPromise *promise = gst_promise_new();
  g_signal_emit_by_name(bin, what, NULL, promise);
  wait_for(promise);
  gst_structure_get(gst_promise_get_reply(promise), field, GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &description, NULL);
  gst_promise_unref(promise);
  if (description == NULL) die("webrtcbin made no %s", field);
  return description;
}

static void negotiate(struct end *end) {
  GstWebRTCSessionDescription *offer = made(end->here, "create-offer", "offer");
  set(end->here, "set-local-description", offer);
  set(end->there, "set-remote-description", offer);
  GstWebRTCSessionDescription *answer = made(end->there, "create-answer", "answer");
  set(end->there, "set-local-description", answer);
  set(end->here, "set-remote-description", answer);
  gst_webrtc_session_description_free(offer);
  gst_webrtc_session_description_free(answer);
}

static void wait_connected(GstElement *bin) {
  int64_t since = now_ns();
  for (;;) {
    GstWebRTCPeerConnectionState state = GST_WEBRTC_PEER_CONNECTION_STATE_NEW;
    g_object_get(bin, "connection-state", &state, NULL);
    if (state == GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED) return;
    if (now_ns() - since > 10000000000) die("webrtcbin was not connected within 10 s");
    sleep_until(now_ns() + 1000000);
  }
}

static void play(GstElement *pipeline) {
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) die("the pipeline does not play");
}

static void open_end(struct end *end, uint32_t index) {
  GError *error = NULL;
  end->index = index;
  end->receives = gst_pipeline_new(NULL);
  end->there = gst_element_factory_make("webrtcbin", NULL);
  end->sends = gst_parse_launch(sending, &error);
  if (end->there == NULL || end->sends == NULL || error != NULL) die("no pipeline: %s", error == NULL ? "no webrtcbin" : error->message);
  gst_util_set_object_arg(G_OBJECT(end->there), "bundle-policy", "max-bundle");
  g_object_set(end->there, "latency", 0, NULL);
  gst_bin_add(GST_BIN(end->receives), end->there);
  g_signal_connect(end->there, "pad-added", G_CALLBACK(pad_added), end);
  end->here = gst_bin_get_by_name(GST_BIN(end->sends), "bin");
  g_signal_connect(end->here, "on-ice-candidate", G_CALLBACK(candidate), end->there);
  g_signal_connect(end->there, "on-ice-candidate", G_CALLBACK(candidate), end->here);
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
  negotiate(end);
  wait_connected(end->here);
  wait_connected(end->there);
  meter.stream[index].user = end;
}

static void send(struct rtp_meter *unused, uint32_t stream, uint8_t *picture, uint64_t i) {
  (void)unused;
  struct end *end = meter.stream[stream].user;
  GstBuffer *buffer =
      gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, picture, meter.clip.frame_size, 0, meter.clip.frame_size, NULL, NULL);
  GST_BUFFER_PTS(buffer) = i * GST_SECOND / RTP_FPS;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / RTP_FPS;
  if (gst_app_src_push_buffer(end->source, buffer) != GST_FLOW_OK) die("push failed at frame %llu", (unsigned long long)i);
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage: webrtc_gst CLIP WIDTHxHEIGHT STREAMS FRAMES");
  gst_init(NULL, NULL);
  rtp_meter_open(&meter, argv + 1, CLIP_I420);
  struct end *ends = g_new0(struct end, meter.streams);
  for (uint32_t s = 0; s < meter.streams; s++) open_end(&ends[s], s);
  rtp_meter_run(&meter, send);
  for (uint32_t s = 0; s < meter.streams; s++) {
    gst_element_set_state(ends[s].sends, GST_STATE_NULL);
    gst_element_set_state(ends[s].receives, GST_STATE_NULL);
    gst_object_unref(ends[s].source);
    gst_object_unref(ends[s].here);
    gst_object_unref(ends[s].sends);
    gst_object_unref(ends[s].receives);
  }
  g_free(ends);
  rtp_meter_close(&meter);
  return 0;
}
