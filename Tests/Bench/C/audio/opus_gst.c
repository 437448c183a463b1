/* Opus there and back through GStreamer: appsrc, opusenc, opusdec, appsink. opusenc takes s16 only, so it is given s16: no conversion is
 * charged. At most four packets are on the way.
 *
 *   opus_gst speech|WAV COMPLEXITY PACKETS */
#include "measure.h"
#include "opus_input.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <stdatomic.h>

enum { AHEAD = 4 };

static atomic_uint_fast64_t packets, bytes, counted;

/* Counts the bytes of those packets that are timed. */
static GstPadProbeReturn encoded(GstPad *pad, GstPadProbeInfo *info, gpointer unused) {
  (void)pad, (void)unused;
  uint64_t index = atomic_fetch_add(&packets, 1);
  if (index >= OPUS_INPUT_WARM_UP && index < counted) atomic_fetch_add(&bytes, gst_buffer_get_size(GST_PAD_PROBE_INFO_BUFFER(info)));
  return GST_PAD_PROBE_OK;
}

static GstElement *pipeline_open(const struct opus_input *input, GstAppSrc **source, GstAppSink **sink) {
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(
    "appsrc name=in format=time max-bytes=0 ! opusenc name=encoder bandwidth=auto bitrate-type=constrained-vbr frame-size=20 !"
    " opusdec ! appsink name=out sync=false enable-last-sample=false", &error);
  if (pipeline == NULL || error != NULL) die("no pipeline: %s", error == NULL ? "?" : error->message);
  GstElement *encoder = gst_bin_get_by_name(GST_BIN(pipeline), "encoder");
  g_object_set(encoder, "bitrate", (gint)input->bitrate, "complexity", (gint)input->complexity, NULL);
  gst_util_set_object_arg(G_OBJECT(encoder), "audio-type", input->is_speech ? "voice" : "generic");
  GstPad *pad = gst_element_get_static_pad(encoder, "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, encoded, NULL, NULL);
  gst_object_unref(pad);
  gst_object_unref(encoder);
  *source = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline), "in"));
  *sink = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(pipeline), "out"));
  GstCaps *caps = gst_caps_new_simple("audio/x-raw", "format", G_TYPE_STRING, "S16LE", "layout", G_TYPE_STRING, "interleaved", "rate",
                                      G_TYPE_INT, OPUS_INPUT_RATE, "channels", G_TYPE_INT, (gint)input->channels, NULL);
  gst_app_src_set_caps(*source, caps);
  gst_caps_unref(caps);
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) die("the pipeline does not play");
  return pipeline;
}

static void push(GstAppSrc *source, const struct opus_input *input, uint64_t i) {
  gsize size = OPUS_INPUT_SAMPLES * input->channels * sizeof(int16_t);
  GstBuffer *buffer =
    gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, opus_input_s16(input, i), size, 0, size, NULL, NULL);
  GST_BUFFER_PTS(buffer) = i * 20 * GST_MSECOND;
  GST_BUFFER_DURATION(buffer) = 20 * GST_MSECOND;
  if (gst_app_src_push_buffer(source, buffer) != GST_FLOW_OK) die("push failed at packet %llu", (unsigned long long)i);
}

int main(int argc, char **argv) {
  gst_init(NULL, NULL);
  if (argc != 4) die("usage: opus_gst speech|WAV COMPLEXITY PACKETS");
  struct opus_input input;
  opus_input_open(&input, argv + 1);
  uint64_t count = input.count + OPUS_INPUT_WARM_UP;
  counted = count;
  GstAppSrc *source;
  GstAppSink *sink;
  GstElement *pipeline = pipeline_open(&input, &source, &sink);
  for (uint64_t i = 0; i < AHEAD; i++) push(source, &input, i);
  double cpu = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (i == OPUS_INPUT_WARM_UP) cpu = cpu_seconds();
    push(source, &input, i + AHEAD);
    GstSample *sample = gst_app_sink_try_pull_sample(sink, 10 * GST_SECOND);
    if (sample == NULL) die("packet %llu was not decoded within 10 s", (unsigned long long)i);
    gst_sample_unref(sample);
  }
  cpu = cpu_seconds() - cpu;
  opus_input_report(&input, cpu, bytes);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(source);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  opus_input_close(&input);
  return 0;
}
