/* Filters: alice's clip is made black and white, and bob blurs what arrives, more and more. One frame of each kind is measured.
 *
 *     gcc filter.c $(pkg-config --cflags --libs mediasdk) && ./a.out PLUGINS clip.ivf
 *
 * PLUGINS is the directory of the plugins. A loopback room lives inside the process, so the receiver, bob, is here too. */
#include <mediasdk/mediasdk.h>

#include <stdio.h>
#include <stdlib.h>

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_session *session_of(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:filters";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_SESSION_STATE || event.state != MSDK_SESSION_CONNECTED) {
    must(msdk_session_next_event(session, 5000, &event), user_id);
  }
  return session;
}

static msdk_instance *instance_of(msdk_engine *engine, const char *id) {
  msdk_instance *instance = NULL;
  must(msdk_instance_create(engine, id, NULL, &instance), id);
  return instance;
}

/* How much colour there is, and how much detail: the mean distance of chroma from grey, and of a pixel from its neighbour. */
static void measure(msdk_incoming_video *stream, const char *what) {
  msdk_video_frame *frame = NULL;
  for (int skip = 0; skip < 5; skip++) { /* frames that were in flight */
    msdk_video_frame_unref(frame);
    frame = NULL;
    must(msdk_incoming_video_read(stream, 5000, &frame), "msdk_incoming_video_read");
  }
  uint64_t colour = 0, detail = 0;
  uint32_t width = frame->format->width, height = frame->format->height;
  for (uint32_t y = 0; y < height / 2; y++) {
    const uint8_t *luma = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
    const uint8_t *chroma = frame->plane[1].data + (int64_t)y * frame->plane[1].stride;
    for (uint32_t x = 1; x < width; x++) {
      colour += (uint64_t)abs(chroma[x] - 128);
      detail += (uint64_t)abs(luma[x] - luma[x - 1]);
    }
  }
  double count = (double)(width - 1) * (height / 2);
  printf("%-28s colour %6.2f, detail %6.2f\n", what, (double)colour / count, (double)detail / count);
  msdk_video_frame_unref(frame);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s PLUGINS CLIP (y4m or ivf)\n", argv[0]);
    return 2;
  }
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), argv[1]);
  msdk_session *alice = session_of(engine, "alice"), *bob = session_of(engine, "bob");

  /* 1. A stream that a producer makes, raw, so that nothing but the filters changes it. */
  msdk_instance *producer = instance_of(engine, "org.mediasdk.producer.file");
  must(msdk_instance_set_param_text(producer, "path", argv[2]), "path");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  must(msdk_instance_format_at(producer, 0, &format), argv[2]);
  format.pixel_format = MSDK_PIXEL_NV12;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.limits = MSDK_LIMITS_EXTENDED;
  options.formats = &format;
  options.format_count = 1;
  msdk_outgoing_video *outgoing = NULL;
  must(msdk_outgoing_video_create(engine, &options, &outgoing), "msdk_outgoing_video_create");
  must(msdk_outgoing_video_attach_producer(outgoing, producer), "msdk_outgoing_video_attach_producer");
  must(msdk_session_start_video(alice, outgoing), "msdk_session_start_video");
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_INCOMING_VIDEO_ADDED) must(msdk_session_next_event(bob, 5000, &event), "bob");
  msdk_incoming_video *incoming = event.incoming_video;
  must(msdk_incoming_video_start(incoming, NULL), "msdk_incoming_video_start");
  measure(incoming, "as it is");

  /* 2. What alice sends, everybody sees so. */
  msdk_instance *bw = instance_of(engine, "org.mediasdk.filter.bw");
  must(msdk_outgoing_video_add_filter(outgoing, bw), "msdk_outgoing_video_add_filter");
  measure(incoming, "black and white");

  /* 3. A filter on an incoming stream affects only this receiver. Parameters may change while frames pass. */
  msdk_instance *blur = instance_of(engine, "org.mediasdk.filter.blur");
  must(msdk_incoming_video_add_filter(incoming, blur), "msdk_incoming_video_add_filter");
  measure(incoming, "and blurred");
  must(msdk_instance_set_param_text(blur, "radius", "32"), "radius");
  measure(incoming, "more");

  /* 4. Taken out, they are not called any more when the function returns. */
  must(msdk_outgoing_video_remove_filter(outgoing, bw), "msdk_outgoing_video_remove_filter");
  must(msdk_incoming_video_remove_filter(incoming, blur), "msdk_incoming_video_remove_filter");
  measure(incoming, "as it is, again");
  msdk_instance_destroy(bw);
  msdk_instance_destroy(blur);
  msdk_outgoing_video_destroy(outgoing);
  msdk_instance_destroy(producer);
  msdk_engine_destroy(engine);
  return 0;
}
