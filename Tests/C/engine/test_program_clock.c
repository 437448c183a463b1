/* The times of frames are of a clock of the program's own: they are legal from 0 on, may jump, and audio and video stay in step. */
#include "picture.h"
#include "sound.h"

enum { BUFFER_MS = 20, PICTURE_MS = 40, KEPT = 1000 };

typedef struct both {
  sound_call *call;
  msdk_outgoing_video *video;
  msdk_frame_sender *sender;
  msdk_incoming_video *incoming;
  int64_t picture[KEPT], buffer[KEPT]; /* the times that were received */
  int pictures, buffers;
} both;

static both both_open(void) {
  both it = {.call = sound_join(MSDK_CLOCK_VIRTUAL)};
  msdk_engine *engine = it.call->engine;
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 25);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  msdk_outgoing_audio_options audio = sound_options(48000, 1, MSDK_SAMPLE_S16, BUFFER_MS);
  msdk_event event;
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &it.video));
  CHECK_OK(msdk_session_start_video(it.call->alice, it.video));
  if (CHECK(event_wait(engine, it.call->alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event))) it.sender = event.sender;
  if (CHECK(event_wait(engine, it.call->bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event))) it.incoming = event.incoming_video;
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  CHECK(sound_offer(it.call, &audio));
  CHECK_OK(msdk_incoming_audio_start(it.call->heard.stream, NULL));
  run_for(engine, 100 * SECOND); /* a count from 0 is far from the engine's clock */
  return it;
}

static void both_close(both *it) {
  msdk_outgoing_video_destroy(it->video);
  sound_close(it->call);
}

static void send_buffer(both *it, int64_t timestamp_ns) {
  static const int16_t samples[48 * BUFFER_MS] = {0};
  CHECK_OK(msdk_outgoing_audio_send(it->call->voice.stream, samples, sizeof samples, timestamp_ns, 0, NULL, NULL));
}

static void send_frame(both *it, int64_t timestamp_ns) {
  msdk_video_frame *frame = NULL;
  if (!CHECK_OK(msdk_frame_sender_acquire(it->sender, 0, &frame))) return;
  picture_draw(frame, 1);
  CHECK_OK(msdk_frame_sender_send(it->sender, frame, timestamp_ns, NULL, NULL));
  msdk_video_frame_unref(frame);
}

static void receive(both *it) {
  msdk_video_frame *frame = NULL;
  msdk_audio_frame *buffer = NULL;
  while (it->pictures < KEPT && msdk_incoming_video_read(it->incoming, 0, &frame) >= 0) {
    it->picture[it->pictures++] = frame->timestamp_ns;
    msdk_video_frame_unref(frame);
  }
  while (it->buffers < KEPT && msdk_incoming_audio_read(it->call->heard.stream, 0, &buffer) >= 0) {
    it->buffer[it->buffers++] = buffer->timestamp_ns;
    msdk_audio_frame_unref(buffer);
  }
}

static int64_t given(int64_t count_ns, int64_t zero) { return count_ns == 0 ? zero : count_ns; }

/* Audio and video by one count, live, which begins anew `times` times after two seconds. */
static void play(both *it, int times, int64_t zero, int video_first) {
  msdk_engine *engine = it->call->engine;
  for (int round = 0; round < times; round++) {
    for (int64_t at = 0; at < 2000; at += BUFFER_MS) {
      if (video_first && at % PICTURE_MS == 0) send_frame(it, given(at * MS, zero));
      send_buffer(it, given(at * MS, zero));
      if (!video_first && at % PICTURE_MS == 0) send_frame(it, given(at * MS, zero));
      run_for(engine, BUFFER_MS * MS);
      receive(it);
    }
  }
}

/* Every frame that begins with a buffer of its count has its time, from the frame `first` of each round on; time goes forward, near now. */
static void check_in_step(const both *it, int64_t begin, int first) {
  enum { PICTURES = 2000 / PICTURE_MS };
  CHECK_EQ(it->buffers, it->pictures * (PICTURE_MS / BUFFER_MS));
  CHECK(it->pictures > 0 && it->pictures % PICTURES == 0);
  for (int i = 0; i < it->pictures; i++) {
    if (i % PICTURES >= first) CHECK_EQ(it->picture[i], it->buffer[i * PICTURE_MS / BUFFER_MS]);
    if (i > 0) CHECK(it->picture[i] > it->picture[i - 1]);
    CHECK_RANGE(it->picture[i] - begin - i * PICTURE_MS * MS, -PICTURE_MS * MS, PICTURE_MS * MS);
  }
  for (int i = 1; i < it->buffers; i++) CHECK_RANGE(it->buffer[i] - it->buffer[i - 1], 1, 2 * BUFFER_MS * MS);
}

static void a_count_from_zero(void) {
  for (int video_first = 0; video_first < 2; video_first++) {
    both it = both_open();
    int64_t begin = msdk_engine_now(it.call->engine);
    play(&it, 1, MSDK_TIME_ZERO, video_first);
    CHECK_EQ(it.pictures, 50);
    check_in_step(&it, begin, 0);
    for (int i = 1; i < it.buffers; i++) CHECK_EQ(it.buffer[i] - it.buffer[i - 1], BUFFER_MS * MS);
    both_close(&it);
  }
}

/* 0 itself is no time: the first frames have that of the call, and those that follow are in step. */
static void a_count_from_no_time(void) {
  for (int video_first = 0; video_first < 2; video_first++) {
    both it = both_open();
    int64_t begin = msdk_engine_now(it.call->engine);
    play(&it, 1, 0, video_first);
    CHECK_EQ(it.pictures, 50);
    check_in_step(&it, begin, 1);
    both_close(&it);
  }
}

static void a_count_that_begins_anew(void) {
  for (int i = 0; i < 4; i++) {
    both it = both_open();
    int64_t begin = msdk_engine_now(it.call->engine);
    play(&it, 4, i % 2 == 0 ? MSDK_TIME_ZERO : 0, i / 2);
    CHECK_EQ(it.pictures, 200);
    check_in_step(&it, begin, i % 2);
    both_close(&it);
  }
}

/* The engine's own times pass as they are, ten seconds old or a minute ahead; what is farther is now. */
static void times_of_the_engine(void) {
  both it = both_open();
  int64_t now = msdk_engine_now(it.call->engine);
  const int64_t video[] = {now - 10 * SECOND, now - SECOND, now, now + 60 * SECOND};
  for (int i = 0; i < 4; i++) send_frame(&it, video[i]);
  send_buffer(&it, now - 10 * SECOND);
  run_for(it.call->engine, BUFFER_MS * MS);
  receive(&it);
  CHECK_EQ(it.buffer[0], now - 10 * SECOND);
  CHECK(it.pictures >= 3); /* of the queue of three */
  for (int i = 0; i < it.pictures; i++) CHECK_EQ(it.picture[i], video[4 - it.pictures + i]);
  both_close(&it);
}

static void times_beyond_reason(void) {
  static const int64_t wild[] = {INT64_MAX, INT64_MIN, INT64_MIN + 1, -1, 1, INT64_MAX / 2, INT64_MAX, INT64_MIN, INT64_MAX};
  both it = both_open();
  for (size_t i = 0; i < MSDK_COUNT(wild); i++) {
    int64_t now = msdk_engine_now(it.call->engine);
    it.pictures = it.buffers = 0;
    send_frame(&it, wild[i]);
    send_buffer(&it, wild[i]);
    run_for(it.call->engine, PICTURE_MS * MS);
    receive(&it);
    if (!CHECK(it.pictures == 1 && it.buffers == 1)) break;
    CHECK_RANGE(it.picture[0] - now, -SECOND, SECOND);
    CHECK_RANGE(it.buffer[0] - now, -SECOND, SECOND);
  }
  both_close(&it);
}

int main(int argc, char **argv) {
  RUN(a_count_from_zero);
  RUN(a_count_from_no_time);
  RUN(a_count_that_begins_anew);
  RUN(times_of_the_engine);
  RUN(times_beyond_reason);
  return check_finish();
}
