/* What the program itself sends, and what the SDK says: a tap returns the frames and the encoded frames of one's own stream, and the log is
 * pulled. The room has no other member.
 *
 *     gcc tap.c $(pkg-config --cflags --libs mediasdk) && ./a.out [seconds] */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

/* Prints the records that are queued. A program with a poll() of its own waits for msdk_engine_get_log_fd. */
static int print_log(msdk_engine *engine) {
  static const char *const levels[] = {"debug", "info", "warning", "error"};
  msdk_log_record record = MSDK_INIT(msdk_log_record);
  int count = 0;
  for (; msdk_engine_next_log_record(engine, 0, &record) >= 0; count++) {
    printf("%.3f s %s [%s] %s\n", (double)record.timestamp_ns / 1e9, levels[record.level & 3], record.category, record.text);
    if (record.dropped > 0) printf("%" PRIu64 " records before it were dropped\n", record.dropped);
  }
  return count;
}

static msdk_session *join(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  return session;
}

static msdk_outgoing_video *stream_of(msdk_engine *engine) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_I420;
  format.width = 320;
  format.height = 240;
  format.fps_num = 15; /* the limit of this size: outgoing_video.h */
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.formats = &format;
  options.format_count = 1;
  options.codec = MSDK_CODEC_VP8; /* MSDK_CODEC_AUTO has no encoder as long as all members are in this process */
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");
  return stream;
}

static void send_grey(msdk_frame_sender *sender, int luma) {
  msdk_video_frame *frame = NULL;
  must(msdk_frame_sender_acquire(sender, 1000, &frame), "msdk_frame_sender_acquire");
  for (uint32_t i = 0; i < frame->plane_count; i++) memset(frame->plane[i].data, i == 0 ? luma : 128, frame->plane[i].size);
  must(msdk_frame_sender_send(sender, frame, 0, NULL, NULL), "msdk_frame_sender_send");
  msdk_video_frame_unref(frame);
}

typedef struct tapped {
  int frames, encoded, key_frames, records;
  uint64_t bytes;
} tapped;

/* Takes what is queued: the frames before the encoder, and what the encoder made of them. */
static void take(msdk_outgoing_video *stream, tapped *it) {
  msdk_video_frame *frame = NULL;
  for (; msdk_outgoing_video_read(stream, 0, &frame) >= 0; it->frames++) msdk_video_frame_unref(frame);
  msdk_encoded_frame *encoded = NULL;
  for (; msdk_outgoing_video_read_encoded(stream, 0, &encoded) >= 0; it->encoded++) {
    it->bytes += encoded->size;
    it->key_frames += (encoded->flags & MSDK_ENCODED_KEY) != 0;
    msdk_encoded_frame_unref(encoded);
  }
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 2;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_set_log_level(engine, MSDK_LOG_DEBUG), "msdk_engine_set_log_level"); /* by default there are no records */
  msdk_session *session = join(engine, "alice");
  msdk_outgoing_video *stream = stream_of(engine);
  msdk_video_tap_options options = MSDK_INIT(msdk_video_tap_options);
  options.output = MSDK_OUTPUT_BOTH;
  options.queue_capacity = 30; /* this thread takes them often enough */
  must(msdk_outgoing_video_start_tap(stream, &options), "msdk_outgoing_video_start_tap");
  must(msdk_session_start_video(session, stream), "msdk_session_start_video");
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_FRAME_SENDER_CHANGED) must(msdk_session_next_event(session, 5000, &event), "msdk_session_next_event");
  tapped all = {0};
  for (int i = 0; i < seconds * 15; i++) {
    send_grey(event.sender, 16 + i % 200);
    nanosleep(&(struct timespec){0, 1000000000 / 15}, NULL);
    take(stream, &all);
    all.records += print_log(engine);
  }
  must(msdk_outgoing_video_stop_tap(stream), "msdk_outgoing_video_stop_tap");
  must(msdk_session_stop_video(session, stream), "msdk_session_stop_video");
  all.records += print_log(engine);
  printf("tapped %d frames; %d encoded frames, %d of them key frames, %" PRIu64 " bytes; %d log records\n", all.frames, all.encoded, all.key_frames,
         all.bytes, all.records);
  msdk_engine_destroy(engine);
  return all.frames > 0 && all.key_frames > 0 ? 0 : 1;
}
