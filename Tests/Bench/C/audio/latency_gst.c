/* The same buffers through GStreamer: appsrc to appsink, whose new-sample callback takes them; nothing waits for a clock. A buffer is made
 * and filled for each, as a program does whose own memory is used again.
 *
 *   latency_gst sink|queue BUFFERS */
#include "measure.h"
#include "sound_pace.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <string.h>

#define CAPS "caps=audio/x-raw,format=F32LE,rate=48000,channels=1,layout=interleaved format=time"

static struct sound_pace pace;

static GstFlowReturn new_sample(GstAppSink *sink, gpointer unused) {
  (void)unused;
  GstSample *sample = gst_app_sink_pull_sample(sink);
  if (sample == NULL) return GST_FLOW_EOS;
  sound_pace_arrived(&pace, GST_BUFFER_OFFSET(gst_sample_get_buffer(sample)));
  gst_sample_unref(sample);
  return GST_FLOW_OK;
}

static GstElement *pipeline_open(bool queue, GstAppSrc **source) {
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(
    queue ? "appsrc name=in " CAPS " ! queue ! appsink name=out" : "appsrc name=in " CAPS " ! appsink name=out", &error);
  if (pipeline == NULL || error != NULL) die("no pipeline: %s", error == NULL ? "?" : error->message);
  *source = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline), "in"));
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  g_object_set(sink, "sync", FALSE, "enable-last-sample", FALSE, NULL);
  GstAppSinkCallbacks callbacks = {.new_sample = new_sample};
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, NULL, NULL);
  gst_object_unref(sink);
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) die("the pipeline does not play");
  return pipeline;
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: latency_gst sink|queue BUFFERS");
  gst_init(NULL, NULL);
  sound_pace_open(&pace, count_from(argv[2]));
  GstAppSrc *source;
  GstElement *pipeline = pipeline_open(strcmp(argv[1], "queue") == 0, &source);
  while (sound_pace_next(&pace)) {
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, sizeof pace.buffer, NULL);
    gst_buffer_fill(buffer, 0, pace.buffer, sizeof pace.buffer);
    GST_BUFFER_PTS(buffer) = (pace.sent - 1) * 20 * GST_MSECOND;
    GST_BUFFER_OFFSET(buffer) = pace.sent - 1;
    if (gst_app_src_push_buffer(source, buffer) != GST_FLOW_OK) die("push failed");
  }
  sound_pace_close(&pace);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(source);
  gst_object_unref(pipeline);
  return 0;
}
