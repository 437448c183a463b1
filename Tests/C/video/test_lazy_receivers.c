/* incoming_video.h: who does not read, or keeps what it reads, takes nothing from the sender or from the other receivers. */
#include "sending.h"
#include "ivf.h"

enum { FILM = 45, LAZY = 4, IN_HAND = 32 };

typedef struct audience {
  call it; /* alice sends; bob reads every frame */
  msdk_session *session[LAZY];
  msdk_incoming_video *stream[LAZY];
  int count;
} audience;

static msdk_incoming_video_options queue_of(uint32_t capacity, uint32_t policy) {
  msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
  options.queue_capacity = capacity > 64 ? 64 : capacity;
  options.encoded_queue_capacity = capacity;
  options.queue_policy = policy;
  return options;
}

/* Somebody else who receives alice's stream. */
static void join_lazy(audience *all, const msdk_incoming_video_options *options) {
  static const char *const names[LAZY] = {"carol", "dave", "erin", "frank"};
  int i = all->count++;
  msdk_event event;
  all->session[i] = join(all->it.engine, all->it.url, names[i]);
  NEED(event_wait(all->it.engine, all->session[i], MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  all->stream[i] = event.incoming_video;
  CHECK_OK(msdk_incoming_video_start(all->stream[i], options));
  run_for(all->it.engine, 10 * MS);
}

static audience audience_of(const msdk_incoming_video_options *options, int count) {
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 64, 48, 30);
  msdk_outgoing_video_options sent = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  audience all = {.it = call_open(MSDK_CLOCK_VIRTUAL, &sent, NULL)};
  for (int i = 0; i < count; i++) join_lazy(&all, options);
  return all;
}

static void audience_close(audience *all) {
  for (int i = 0; i < all->count; i++) msdk_session_destroy(all->session[i]);
  call_close(&all->it);
}

/* Sends pictures without waiting for a free frame, as a live source does; how many bob, who reads each at once, got. */
static int film_for_bob(audience *all, int pictures) {
  int got = 0;
  for (int i = 0; i < pictures; i++) {
    msdk_video_frame *frame = NULL, *seen = NULL;
    if (msdk_frame_sender_acquire(all->it.sender, 0, &frame) >= 0) {
      picture_fill(frame, i);
      CHECK_OK(msdk_frame_sender_send(all->it.sender, frame, 0, NULL, NULL));
      CHECK_OK(msdk_video_frame_unref(frame));
    }
    run_for(all->it.engine, 33 * MS);
    while (msdk_incoming_video_read(all->it.incoming, 0, &seen) >= 0) {
      got += seen->plane[0].data[0] == (uint8_t)i;
      CHECK_OK(msdk_video_frame_unref(seen));
    }
  }
  return got;
}

static void who_does_not_read_holds_no_frame_of_the_sender_s(void) {
  for (uint32_t policy = MSDK_POLICY_DROP_OLDEST; policy <= MSDK_POLICY_DROP_NEWEST; policy++) {
    for (int lazy = 1; lazy <= LAZY; lazy++) {
      msdk_incoming_video_options options = queue_of(16, policy);
      audience all = audience_of(&options, lazy);
      CHECK_EQ(film_for_bob(&all, FILM), FILM);
      CHECK_EQ(outgoing_stats(all.it.outgoing).frames_sent, FILM);
      for (int i = 0; i < lazy; i++) {
        CHECK_EQ(incoming_stats(all.stream[i]).frames_received, FILM);
        CHECK_EQ(incoming_stats(all.stream[i]).frames_dropped, FILM - 16);
        msdk_video_frame *frame = NULL;
        CHECK_OK(msdk_incoming_video_read(all.stream[i], 0, &frame));
        NEED(frame != NULL);
        CHECK_EQ(frame->plane[0].data[0], policy == MSDK_POLICY_DROP_OLDEST ? FILM - 16 : 0);
        CHECK_OK(msdk_video_frame_unref(frame));
      }
      audience_close(&all);
    }
  }
}

/* A receiver whose queue is as long as it may be, and whose program keeps all that it reads. */
static void who_keeps_what_it_reads_loses_only_its_own(void) {
  msdk_incoming_video_options options = queue_of(3, MSDK_POLICY_DROP_OLDEST);
  audience all = audience_of(&options, 1);
  msdk_video_frame *kept[200] = {NULL};
  int count = 0, got = 0;
  for (int i = 0; i < 200; i++) {
    got += film_for_bob(&all, 1);
    if (msdk_incoming_video_read(all.stream[0], 0, &kept[count]) >= 0) count++;
  }
  CHECK_EQ(got, 200);
  CHECK_RANGE(count, IN_HAND, IN_HAND + 6); /* beside those that may wait */
  CHECK_EQ(incoming_stats(all.stream[0]).frames_dropped, 200 - count);
  for (int i = 0; i < count; i++) CHECK_OK(msdk_video_frame_unref(kept[i]));
  /* It has let go, and is served again. */
  CHECK_EQ(film_for_bob(&all, 1), 1);
  CHECK_OK(msdk_incoming_video_read(all.stream[0], 0, &kept[0]));
  CHECK_OK(msdk_video_frame_unref(kept[0]));
  audience_close(&all);
}

static void keep_frame(void *user, const msdk_video_frame *frame) {
  const msdk_video_frame ***next = user;
  CHECK_OK(msdk_video_frame_ref(frame));
  *(*next)++ = frame;
}

static void who_keeps_what_a_callback_shows_loses_only_its_own(void) {
  for (uint32_t delivery = MSDK_DELIVERY_QUEUED; delivery <= MSDK_DELIVERY_DIRECT; delivery++) {
    msdk_incoming_video_options options = queue_of(0, MSDK_POLICY_DROP_OLDEST);
    options.delivery = delivery;
    audience all = audience_of(&options, 1);
    const msdk_video_frame *kept[100], **next = kept;
    CHECK_OK(msdk_incoming_video_set_frame_callback(all.stream[0], keep_frame, &next));
    CHECK_EQ(film_for_bob(&all, 100), 100);
    CHECK_RANGE(next - kept, IN_HAND, IN_HAND + 6);
    CHECK_EQ(incoming_stats(all.stream[0]).frames_dropped, 100 - (next - kept));
    while (next > kept) CHECK_OK(msdk_video_frame_unref(*--next));
    audience_close(&all);
  }
}

/* A program's own memory is its own again soon, too, though it is few frames. */
static void who_does_not_read_holds_little_memory_of_the_program_s(void) {
  msdk_incoming_video_options options = queue_of(16, MSDK_POLICY_DROP_NEWEST);
  audience all = audience_of(&options, LAZY);
  owned_picture pictures[FILM] = {{0}};
  for (int i = 0; i < FILM; i++) {
    msdk_video_frame *frame = wrap_picture(&pictures[i], &all.it.format, (uint32_t)i), *seen = NULL;
    NEED(frame != NULL);
    CHECK_OK(msdk_frame_sender_send(all.it.sender, frame, 0, NULL, NULL));
    CHECK_OK(msdk_video_frame_unref(frame));
    run_for(all.it.engine, 33 * MS);
    CHECK_OK(msdk_incoming_video_read(all.it.incoming, 0, &seen));
    msdk_video_frame *same = picture_new(MSDK_PIXEL_I420, 64, 48, (uint32_t)i);
    CHECK_RANGE(picture_psnr(same, seen), 99, 100);
    CHECK_OK(msdk_video_frame_unref(same));
    CHECK_OK(msdk_video_frame_unref(seen));
    int held = 0;
    for (int j = 0; j <= i; j++) held += !atomic_load(&pictures[j].released);
    CHECK_RANGE(held, 0, 2);
  }
  for (int i = 0; i < LAZY; i++) CHECK_EQ(incoming_stats(all.stream[i]).frames_dropped, FILM - 16);
  audience_close(&all);
  for (int i = 0; i < FILM; i++) CHECK_EQ(atomic_load(&pictures[i].released), 1);
}

/* What an encoder makes comes from a pool of its own. */
static void who_does_not_read_packets_does_not_stop_the_encoder(void) {
  enum { PICTURES = 600 };
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 64, 48, 30);
  msdk_outgoing_video_options sent = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  audience all = {.it = call_open(MSDK_CLOCK_VIRTUAL, &sent, NULL)};
  msdk_incoming_video_options options = queue_of(1024, MSDK_POLICY_DROP_NEWEST);
  options.output = MSDK_OUTPUT_ENCODED;
  join_lazy(&all, &options);
  outcomes counted = {0};
  for (uint32_t i = 0; i < PICTURES; i++) {
    msdk_video_frame *frame = NULL;
    CHECK_OK(send_picture(all.it.sender, i, 0, &counted));
    run_for(all.it.engine, 33 * MS);
    while (msdk_incoming_video_read(all.it.incoming, 0, &frame) >= 0) msdk_video_frame_unref(frame);
  }
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_FAILED]), 0);
  CHECK_EQ(incoming_stats(all.it.incoming).frames_decoded, atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]));
  audience_close(&all);
}

int main(int argc, char **argv) {
  RUN(who_does_not_read_holds_no_frame_of_the_sender_s);
  RUN(who_keeps_what_it_reads_loses_only_its_own);
  RUN(who_keeps_what_a_callback_shows_loses_only_its_own);
  RUN(who_does_not_read_holds_little_memory_of_the_program_s);
  RUN(who_does_not_read_packets_does_not_stop_the_encoder);
  return check_finish();
}
