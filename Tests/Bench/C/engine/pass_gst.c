/* GStreamer's way of handing frames over: appsrc to appsink, whose new-sample callback takes them; each buffer wraps memory that is there
 * already.
 *
 *   pass_gst sink|queue (throughput COUNT WINDOW | turns COUNT 1 | latency COUNT RATE)
 *   pass_gst idle SECONDS     one frame, then nothing: what the waiting pipeline costs */
#include "measure.h"
#include "meter.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1920, HEIGHT = 1080, BYTES = WIDTH * HEIGHT * 3 / 2 };

static struct meter meter;
static atomic_uint_fast64_t released;

static void release(gpointer unused) {
  (void)unused;
  atomic_fetch_add(&released, 1);
}

static GstFlowReturn new_sample(GstAppSink *sink, gpointer unused) {
  (void)unused;
  GstSample *sample = gst_app_sink_pull_sample(sink);
  if (sample == NULL) return GST_FLOW_EOS;
  meter_arrived(&meter, (int64_t)GST_BUFFER_PTS(gst_sample_get_buffer(sample)));
  gst_sample_unref(sample);
  return GST_FLOW_OK;
}

static GstElement *pipeline_open(bool queue, GstAppSrc **source) {
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(
    queue ? "appsrc name=in ! queue ! appsink name=out" : "appsrc name=in ! appsink name=out", &error);
  if (pipeline == NULL || error != NULL) die("no pipeline: %s", error == NULL ? "?" : error->message);
  *source = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline), "in"));
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "NV12", "width", G_TYPE_INT, WIDTH, "height", G_TYPE_INT,
                                      HEIGHT, "framerate", GST_TYPE_FRACTION, 60, 1, NULL);
  g_object_set(*source, "caps", caps, "format", GST_FORMAT_TIME, "max-bytes", (guint64)0, "block", FALSE, NULL);
  g_object_set(sink, "sync", FALSE, "max-buffers", 0, "enable-last-sample", FALSE, NULL);
  gst_caps_unref(caps);
  GstAppSinkCallbacks callbacks = {.new_sample = new_sample};
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, NULL, NULL);
  gst_object_unref(sink);
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) die("the pipeline does not play");
  return pipeline;
}

static void push(GstAppSrc *source, uint8_t *picture, int64_t at) {
  GstBuffer *buffer = gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, picture, BYTES, 0, BYTES, NULL, release);
  GST_BUFFER_PTS(buffer) = (GstClockTime)at;
  if (gst_app_src_push_buffer(source, buffer) != GST_FLOW_OK) die("push failed");
}

static void stay_idle(uint64_t seconds) {
  double before = cpu_seconds();
  int64_t since = now_ns();
  sleep_until(since + (int64_t)seconds * 1000000000);
  report("idle_percent", (cpu_seconds() - before) / ((double)(now_ns() - since) / 1e9) * 100);
}

int main(int argc, char **argv) {
  bool idle = argc == 3 && strcmp(argv[1], "idle") == 0;
  if (argc != 5 && !idle) die("usage: pass_gst sink|queue throughput|turns|latency COUNT WINDOW|RATE, or idle SECONDS");
  gst_init(NULL, NULL);
  char *one[] = {"throughput", "1", "1"};
  meter_open(&meter, idle ? one : argv + 2);
  uint8_t *picture = malloc(BYTES);
  if (picture == NULL) die("no memory");
  memset(picture, 128, BYTES);
  GstAppSrc *source;
  GstElement *pipeline = pipeline_open(strcmp(argv[1], "queue") == 0, &source);
  int64_t at;
  while (meter_next(&meter, &at)) push(source, picture, at);
  meter_close(&meter);
  if (idle) stay_idle(count_from(argv[2]));
  gst_app_src_end_of_stream(source);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(source);
  gst_object_unref(pipeline);
  if (released != meter.count) die("%llu buffers were not released", (unsigned long long)(meter.count - released));
  free(picture);
  return 0;
}
