/* The same clip through GStreamer's vp8enc: appsrc to vp8enc to appsink. vp8enc takes I420 only, so it is given I420: no conversion is
 * charged.
 *
 *   encode_gst CLIP FRAMES */
#include "clip.h"
#include "encode_meter.h"
#include "measure.h"
#include "vp8enc.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <stdbool.h>

static struct encode_meter meter;
static GMutex mutex;
static GCond ended;
static bool at_end;

static GstFlowReturn new_sample(GstAppSink *sink, gpointer unused) {
  (void)unused;
  GstSample *sample = gst_app_sink_pull_sample(sink);
  if (sample == NULL) return GST_FLOW_EOS;
  encode_add(&meter, gst_buffer_get_size(gst_sample_get_buffer(sample)));
  gst_sample_unref(sample);
  return GST_FLOW_OK;
}

static void end_of_stream(GstAppSink *sink, gpointer unused) {
  (void)sink, (void)unused;
  g_mutex_lock(&mutex);
  at_end = true;
  g_cond_signal(&ended);
  g_mutex_unlock(&mutex);
}

static GstElement *pipeline_open(const struct clip *clip, GstAppSrc **source) {
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch("appsrc name=in ! vp8enc name=encoder ! appsink name=out", &error);
  if (pipeline == NULL || error != NULL) die("no pipeline: %s", error == NULL ? "?" : error->message);
  GstElement *encoder = gst_bin_get_by_name(GST_BIN(pipeline), "encoder");
  vp8enc_set(encoder, &vp8_ours);
  gst_object_unref(encoder);
  *source = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline), "in"));
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "I420", "width", G_TYPE_INT, (gint)clip->width, "height",
                                      G_TYPE_INT, (gint)clip->height, "framerate", GST_TYPE_FRACTION, VP8_FPS, 1, NULL);
  g_object_set(*source, "caps", caps, "format", GST_FORMAT_TIME, "block", TRUE, "max-bytes", (guint64)clip->frame_size * 2, NULL);
  g_object_set(sink, "sync", FALSE, NULL);
  gst_caps_unref(caps);
  GstAppSinkCallbacks callbacks = {.new_sample = new_sample, .eos = end_of_stream};
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, NULL, NULL);
  gst_object_unref(sink);
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) die("the pipeline does not play");
  return pipeline;
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: encode_gst CLIP FRAMES");
  uint64_t frames = count_from(argv[2]);
  gst_init(NULL, NULL);
  struct clip clip;
  clip_open(&clip, argv[1], CLIP_I420);
  GstAppSrc *source;
  GstElement *pipeline = pipeline_open(&clip, &source);
  encode_begin(&meter);
  for (uint64_t i = 0; i < frames; i++) {
    gpointer picture = clip_picture(&clip, i);
    GstBuffer *buffer = gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, picture, clip.frame_size, 0, clip.frame_size, NULL, NULL);
    GST_BUFFER_PTS(buffer) = i * GST_SECOND / VP8_FPS;
    GST_BUFFER_DURATION(buffer) = GST_SECOND / VP8_FPS;
    if (gst_app_src_push_buffer(source, buffer) != GST_FLOW_OK) die("push failed at frame %llu", (unsigned long long)i);
  }
  gst_app_src_end_of_stream(source);
  g_mutex_lock(&mutex);
  while (!at_end) g_cond_wait(&ended, &mutex);
  g_mutex_unlock(&mutex);
  encode_report(&meter, frames);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(source);
  gst_object_unref(pipeline);
  clip_close(&clip);
  return 0;
}
