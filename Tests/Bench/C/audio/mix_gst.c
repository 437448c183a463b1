/* GStreamer's mix of fifty: an appsrc each, audiomixer, appsink. The buffers wrap memory that is there already; at most four turns are on
 * the way.
 *
 *   mix_gst BUFFERS RATE      of the senders; another than 48,000 Hz goes through audioresample first */
#include "crowd.h"
#include "measure.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>

enum { AHEAD = 4 };
#define SOUND "audio/x-raw,format=F32LE,channels=2,layout=interleaved,rate="

static struct crowd crowd;
static GstElement *pipeline, *sink;
static GstAppSrc *sources[CROWD];

static void pipeline_open(void) {
  GError *error = NULL;
  pipeline = gst_parse_launch("audiomixer name=mix output-buffer-duration=20000000 ! " SOUND "48000 ! appsink name=out", &error);
  if (pipeline == NULL || error != NULL) die("no pipeline: %s", error == NULL ? "?" : error->message);
  GstElement *mixer = gst_bin_get_by_name(GST_BIN(pipeline), "mix");
  sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  g_object_set(sink, "sync", FALSE, "enable-last-sample", FALSE, NULL);
  GstCaps *caps = gst_caps_from_string(crowd.rate == CROWD_MIX_RATE ? SOUND "48000" : SOUND "44100");
  for (int who = 0; who < CROWD; who++) {
    GstElement *source = gst_element_factory_make("appsrc", NULL);
    if (source == NULL) die("no appsrc");
    g_object_set(source, "caps", caps, "format", GST_FORMAT_TIME, "max-bytes", (guint64)0, "block", FALSE, NULL);
    gst_bin_add(GST_BIN(pipeline), source);
    GstElement *last = source;
    if (crowd.rate != CROWD_MIX_RATE) {
      last = gst_element_factory_make("audioresample", NULL);
      if (last == NULL) die("no audioresample");
      gst_bin_add(GST_BIN(pipeline), last);
      if (!gst_element_link(source, last)) die("appsrc and audioresample cannot be linked");
    }
    if (!gst_element_link(last, mixer)) die("an input and audiomixer cannot be linked");
    sources[who] = GST_APP_SRC(source);
  }
  gst_caps_unref(caps);
  gst_object_unref(mixer);
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) die("the pipeline does not play");
}

static void push(uint64_t turn) {
  for (int who = 0; who < CROWD; who++) {
    GstBuffer *buffer =
      gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, crowd.buffers[who], crowd.bytes, 0, crowd.bytes, NULL, NULL);
    GST_BUFFER_PTS(buffer) = turn * CROWD_MS * GST_MSECOND;
    GST_BUFFER_DURATION(buffer) = CROWD_MS * GST_MSECOND;
    if (gst_app_src_push_buffer(sources[who], buffer) != GST_FLOW_OK) die("push failed");
  }
}

static void pull(int looks) {
  GstSample *sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 10 * GST_SECOND);
  if (sample == NULL) die("no mixed buffer within 10 s");
  GstMapInfo map;
  if (looks && gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ)) {
    if (map.size != CROWD_MIX_FLOATS * sizeof(float)) die("a mixed buffer has %zu bytes", (size_t)map.size);
    crowd_check(&crowd, (const float *)(const void *)map.data);
    gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
  }
  gst_sample_unref(sample);
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: mix_gst BUFFERS RATE");
  uint64_t count = count_from(argv[1]) + CROWD_WARM_UP;
  gst_init(NULL, NULL);
  crowd_open(&crowd, count_from(argv[2]));
  pipeline_open();
  int64_t start = 0;
  double cpu = 0;
  for (uint64_t turn = 0; turn < AHEAD; turn++) push(turn);
  for (uint64_t turn = AHEAD; turn < count + AHEAD; turn++) {
    if (turn == CROWD_WARM_UP + AHEAD) {
      start = now_ns();
      cpu = cpu_seconds();
    }
    push(turn);
    pull(turn == count + AHEAD - 1);
  }
  count -= CROWD_WARM_UP;
  report("cpu_us", (cpu_seconds() - cpu) * 1e6 / (double)count);
  report("turn_us", (double)(now_ns() - start) / 1e3 / (double)count);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  crowd_close(&crowd);
  return 0;
}
