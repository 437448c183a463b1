/* Screen shares that another process feeds: the session's door and the feeder's library, by TCP and by Unix socket. */
#include "feeding.h"
#include "ivf.h"

#include <signal.h>

static void options_are_checked(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_session *session = session_new(engine, room_new(), "alice");
  uint32_t port = 7;
  CHECK_ERROR(msdk_session_get_ingest_port(session, &port), MSDK_E_STATE, "no local ingest");
  CHECK_RESULT(msdk_session_set_ingest(NULL, NULL), MSDK_E_HANDLE);
  CHECK_OK(msdk_session_set_ingest(session, NULL));
  msdk_ingest_options good = door_options(NULL), bad = good;
  bad.port = 0;
  CHECK_ERROR(msdk_session_set_ingest(session, &bad), MSDK_E_INVALID, "socket_path");
  bad = good, bad.port = 65537;
  CHECK_ERROR(msdk_session_set_ingest(session, &bad), MSDK_E_RANGE, "65537");
  bad = good, bad.transmission_token_size = 15;
  CHECK_ERROR(msdk_session_set_ingest(session, &bad), MSDK_E_RANGE, "transmission_token_size is 15");
  bad = good, bad.reception_token_size = 256;
  CHECK_ERROR(msdk_session_set_ingest(session, &bad), MSDK_E_RANGE, "reception_token_size is 256");
  bad = good, bad.reception_token = NULL;
  CHECK_ERROR(msdk_session_set_ingest(session, &bad), MSDK_E_INVALID, "reception_token is NULL");
  bad = good, bad.reception_token_size = sizeof feeding_token;
  CHECK_ERROR(msdk_session_set_ingest(session, &bad), MSDK_E_INVALID, "the same");
  bad = good, bad.fps = 61;
  CHECK_ERROR(msdk_session_set_ingest(session, &bad), MSDK_E_RANGE, "1..60");
  bad = good, bad.codec = 1;
  CHECK_RESULT(msdk_session_set_ingest(session, &bad), MSDK_E_UNSUPPORTED);
  bad = good, bad.limits = 2;
  CHECK_RESULT(msdk_session_set_ingest(session, &bad), MSDK_E_UNSUPPORTED);
  bad = good, bad.target_bitrate = 1;
  CHECK_RESULT(msdk_session_set_ingest(session, &bad), MSDK_E_RANGE);
  char path[120];
  memset(path, 'x', sizeof path - 1);
  path[108] = 0;
  bad = good, bad.socket_path = path;
  CHECK_ERROR(msdk_session_set_ingest(session, &bad), MSDK_E_INVALID, "107");
  bad = good, bad.socket_path = "no-such-directory/door";
  CHECK_ERROR(msdk_session_set_ingest(session, &bad), MSDK_E_NOT_FOUND, "no-such-directory");
  CHECK_ERROR(msdk_session_get_ingest_port(session, &port), MSDK_E_STATE, "no local ingest");
  msdk_engine_destroy(engine);

  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  session = session_new(engine, room_new(), "alice");
  CHECK_ERROR(msdk_session_set_ingest(session, &good), MSDK_E_UNSUPPORTED, "virtual");
  msdk_engine_destroy(engine);
}

static void two_sessions_with_the_same_key(void) {
  door it = door_open(MSDK_CODEC_RAW);
  char number[16];
  snprintf(number, sizeof number, "%u", it.port);
  msdk_ingest_options options = door_options(NULL);
  options.port = it.port;
  CHECK_ERROR(msdk_session_set_ingest(it.viewer, &options), MSDK_E_EXISTS, number);
  options = door_options(it.path);
  CHECK_ERROR(msdk_session_set_ingest(it.viewer, &options), MSDK_E_EXISTS, it.path);
  uint32_t port;
  CHECK_RESULT(msdk_session_get_ingest_port(it.viewer, &port), MSDK_E_STATE);
  /* The first one has not noticed. */
  msdk_feeder *feeder = feeder_new(&it, 0);
  msdk_feeder_close(feeder);
  /* What is closed is free again, at once. */
  CHECK_OK(msdk_session_set_ingest(it.host, NULL));
  options.port = it.port;
  CHECK_OK(msdk_session_set_ingest(it.viewer, &options));
  CHECK_OK(msdk_session_set_ingest(it.viewer, NULL));
  door_close(&it);
}

static void the_socket_is_private_and_replaced_only_if_stale(void) {
  door it = door_open(MSDK_CODEC_RAW);
  struct stat status;
  CHECK(stat(it.path, &status) == 0 && S_ISSOCK(status.st_mode));
  CHECK_EQ(status.st_mode & 0777, 0600);
  CHECK_OK(msdk_session_set_ingest(it.host, NULL));
  CHECK(access(it.path, F_OK) != 0);

  /* A socket that nobody listens on: of a process that died. */
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", it.path);
  int left = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(bind(left, (struct sockaddr *)&address, sizeof address) == 0);
  close(left);
  msdk_ingest_options options = door_options(it.path);
  CHECK_OK(msdk_session_set_ingest(it.host, &options));
  CHECK(stat(it.path, &status) == 0 && (status.st_mode & 0777) == 0600);
  CHECK_OK(msdk_session_set_ingest(it.host, NULL));

  /* A file of somebody's stays. */
  FILE *file = fopen(it.path, "w");
  fputs("mine", file);
  fclose(file);
  CHECK_ERROR(msdk_session_set_ingest(it.host, &options), MSDK_E_EXISTS, it.path);
  CHECK(stat(it.path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 4);
  unlink(it.path);
  door_close(&it);
}

/* Feeds pictures of a value that counts up until the viewer has seen `wanted` of them whole. */
static void share(int by_path, int in_slots) {
  int descriptors = process_descriptors(), frames = 12;
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *feeder = feeder_new(&it, by_path);
  NEED(feeder != NULL);
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_CONNECTED, &event));
  CHECK_STR_CONTAINS(event.text, by_path ? "unix" : "tcp");
  msdk_incoming_video *view = NULL;
  int64_t stamps[2000] = {0}, last_stamp = 0;
  int seen = 0, whole = 0, stamped = 0;
  for (int n = 0; n < 2000 && seen < frames; n++) {
    uint8_t value = (uint8_t)(n % 200);
    msdk_feeder_frame picture;
    if (in_slots) {
      picture = MSDK_INIT(msdk_feeder_frame);
      msdk_result got = msdk_feeder_acquire(feeder, MSDK_PIXEL_BGRA, 322, 200, &picture);
      if (got == MSDK_E_AGAIN) { sleep_ms(1); continue; }
      NEED(got == MSDK_OK);
      memset(picture.plane[0].data, value, picture.plane[0].size);
    } else {
      picture = picture_of(MSDK_PIXEL_BGRA, 322, 200, value);
    }
    picture.orientation = MSDK_ROTATE_90;
    picture.timestamp_ns = stamps[n] = msdk_time_monotonic();
    msdk_result sent = in_slots ? MSDK_E_AGAIN : feed(feeder, &picture);
    while (in_slots && (sent = msdk_feeder_submit(feeder, &picture)) == MSDK_E_AGAIN) sleep_ms(1);
    CHECK_OK(sent);
    if (view == NULL) view = door_view(&it, NULL);
    NEED(view != NULL);
    msdk_video_frame *frame = NULL;
    if (msdk_incoming_video_read(view, 50, &frame) < 0) continue;
    seen += 1;
    whole += frame->format->pixel_format == MSDK_PIXEL_BGRA && frame->format->width == 322 && frame->format->height == 200 &&
             is_all(frame, frame->plane[0].data[0]) && frame->orientation == MSDK_ROTATE_90;
    /* The newcomer's first is the picture that stands, which is of now. */
    CHECK(frame->timestamp_ns <= msdk_time_monotonic() && frame->timestamp_ns >= last_stamp);
    last_stamp = frame->timestamp_ns;
    for (int sent_before = 0; sent_before <= n; sent_before++) stamped += stamps[sent_before] == last_stamp;
    CHECK_OK(msdk_video_frame_unref(frame));
    sleep_ms(20); /* the rate is 60 a second */
  }
  CHECK_EQ(seen, frames);
  CHECK_EQ(whole, frames);
  CHECK(stamped > frames / 2);
  CHECK(door_event(&it, MSDK_INGEST_SHARING, &event));
  CHECK_EQ(event.format.width, 322);
  CHECK_EQ(event.kind, MSDK_VIDEO_SCREEN_SHARE);
  CHECK(event.outgoing_video != NULL);
  msdk_feeder_close(feeder);
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  CHECK_EQ(event.status, MSDK_OK);
  CHECK(event_wait(it.engine, it.viewer, MSDK_EVENT_INCOMING_VIDEO_REMOVED, &event));
  door_close(&it);
  WAIT_UNTIL(process_descriptors() == descriptors);
  CHECK_EQ(process_descriptors(), descriptors);
}

static void shares_by_tcp(void) { share(0, 0); }
static void shares_by_unix_socket(void) { share(1, 0); }
static void shares_common_memory(void) { share(1, 1); }

static void program_is_not_told_of_senders(void) {
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *feeder = feeder_new(&it, 0);
  NEED(feeder != NULL);
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 320, 180, 9);
  CHECK_OK(feed(feeder, &picture));
  int senders = 0, started = 0, sharing = 0;
  for (int tries = 0; tries < 12000 && !sharing; tries++) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it.host, 5, &event) < 0) continue;
    senders += event.type == MSDK_EVENT_FRAME_SENDER_CHANGED;
    started += event.type == MSDK_EVENT_OUTGOING_VIDEO_STATE && event.state == MSDK_OUTGOING_STARTED &&
               event.kind == MSDK_VIDEO_SCREEN_SHARE;
    sharing += event.type == MSDK_EVENT_INGEST && event.state == MSDK_INGEST_SHARING;
    if (sharing) {
      /* A program that stops the share keeps it so. */
      CHECK_OK(msdk_session_stop_video(it.host, event.outgoing_video));
    }
  }
  CHECK_EQ(senders, 0);
  CHECK_EQ(started, 1);
  CHECK_EQ(sharing, 1);
  for (int n = 0; n < 5; n++) CHECK_OK(feed(feeder, &picture));
  CHECK_OK(msdk_feeder_flush(feeder, 20000));
  /* Another format shares again: what came between had no stream. */
  picture = picture_of(MSDK_PIXEL_NV12, 640, 360, 9);
  CHECK_OK(feed(feeder, &picture));
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_SHARING, &event));
  CHECK_EQ(event.format.width, 640);
  msdk_feeder_close(feeder);
  door_close(&it);
}

/* Frames of another format each: every one has a stream of its own, in order, and nothing is torn. */
static void a_format_change_each_frame(void) {
  static const struct { uint32_t format, width, height; } kinds[] = {
      {MSDK_PIXEL_NV12, 320, 180}, {MSDK_PIXEL_I420, 322, 182}, {MSDK_PIXEL_BGRA, 64, 640},  {MSDK_PIXEL_RGBA, 1280, 16},
      {MSDK_PIXEL_NV12, 640, 360}, {MSDK_PIXEL_GRAY8, 33, 35},  {MSDK_PIXEL_RGB24, 101, 77}, {MSDK_PIXEL_NV12, 1920, 1080}};
  for (int way = 0; way < 2; way++) {
    door it = door_open(MSDK_CODEC_RAW);
    msdk_feeder *feeder = feeder_new(&it, way);
    NEED(feeder != NULL);
    msdk_event event;
    CHECK(door_event(&it, MSDK_INGEST_FEEDER_CONNECTED, &event));
    int rounds = 40, as_sent = 0;
    for (int n = 0; n < rounds; n++) {
      int k = n % 8;
      if (way == 0) {
        msdk_feeder_frame picture = picture_of(kinds[k].format, kinds[k].width, kinds[k].height, (uint8_t)n);
        CHECK_OK(feed(feeder, &picture));
      } else {
        msdk_feeder_frame picture = MSDK_INIT(msdk_feeder_frame);
        msdk_result got;
        while ((got = msdk_feeder_acquire(feeder, kinds[k].format, kinds[k].width, kinds[k].height, &picture)) == MSDK_E_AGAIN) sleep_ms(1);
        NEED(got == MSDK_OK);
        while ((got = msdk_feeder_submit(feeder, &picture)) == MSDK_E_AGAIN) sleep_ms(1);
        CHECK_OK(got);
      }
      CHECK(door_event(&it, MSDK_INGEST_SHARING, &event));
      as_sent += event.format.pixel_format == kinds[k].format && event.format.width == kinds[k].width &&
                 event.format.height == kinds[k].height;
    }
    CHECK_EQ(as_sent, rounds);
    /* The last stream is received as it was sent. */
    msdk_event added = MSDK_INIT(msdk_event);
    for (int n = 0; n < rounds; n++) CHECK(event_wait(it.engine, it.viewer, MSDK_EVENT_INCOMING_VIDEO_ADDED, &added));
    CHECK_EQ(added.format.width, 1920);
    CHECK_OK(msdk_incoming_video_start(added.incoming_video, NULL));
    int has_come = 0, torn = 0;
    for (int tries = 0; tries < 500 && !has_come; tries++) {
      msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 1920, 1080, 77);
      CHECK_OK(feed(feeder, &picture));
      msdk_video_frame *frame = NULL;
      if (msdk_incoming_video_read(added.incoming_video, 50, &frame) < 0) continue;
      has_come = is_all(frame, 77);
      torn += frame->format->width != 1920 || !is_all(frame, frame->plane[0].data[0]);
      msdk_video_frame_unref(frame);
    }
    CHECK(has_come);
    CHECK_EQ(torn, 0);
    msdk_feeder_close(feeder);
    door_close(&it);
  }
}

static void encodes_what_it_is_fed(void) {
  door it = door_open(MSDK_CODEC_VP8);
  msdk_feeder *feeder = feeder_new(&it, 0);
  NEED(feeder != NULL);
  msdk_incoming_video *view = NULL;
  int seen = 0;
  for (int n = 0; n < 1000 && seen < 5; n++) {
    /* BGRA is converted, so that it and NV12 share a stream. */
    msdk_feeder_frame picture = picture_of(n % 2 ? MSDK_PIXEL_BGRA : MSDK_PIXEL_NV12, 640, 360, 128);
    CHECK_OK(feed(feeder, &picture));
    if (view == NULL) view = door_view(&it, NULL);
    NEED(view != NULL);
    msdk_video_frame *frame = NULL;
    if (msdk_incoming_video_read(view, 100, &frame) < 0) continue;
    seen += 1;
    CHECK_EQ(frame->format->width, 640);
    CHECK_RANGE(frame->plane[0].data[0], 115, 135);
    msdk_video_frame_unref(frame);
    sleep_ms(20);
  }
  CHECK_EQ(seen, 5);
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_SHARING, &event));
  CHECK_EQ(event.codec, MSDK_CODEC_VP8);
  CHECK(!event_take(it.host, MSDK_EVENT_INGEST, &event));
  msdk_feeder_close(feeder);
  door_close(&it);
}

/* VP8 of the feeder's passes as it is; a receiver's wish for a key frame reaches the feeder. */
static void passes_encoded_frames(void) {
  ivf_clip clip;
  NEED(ivf_open(&clip));
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *feeder = feeder_new(&it, 0);
  NEED(feeder != NULL);
  msdk_encoded_frame unit = MSDK_INIT(msdk_encoded_frame);
  unit.codec = MSDK_CODEC_VP8;
  unit.width = clip.width;
  unit.height = clip.height;
  msdk_incoming_video *view = NULL;
  int seen = 0, asked = 0;
  uint32_t n = 0;
  for (int tries = 0; tries < 4000 && (seen < 20 || !asked); tries++) {
    if (feeder_wants_key_frame(feeder)) {
      asked += view != NULL;
      n = 0;
    }
    unit.data = clip.frame[n % clip.count].data;
    unit.size = clip.frame[n % clip.count].size;
    unit.flags = n % clip.count == 0 ? MSDK_ENCODED_KEY : 0;
    msdk_result sent = msdk_feeder_send_encoded(feeder, &unit);
    if (sent == MSDK_OK) n += 1;
    else CHECK_RESULT(sent, MSDK_E_AGAIN);
    if (view == NULL) view = door_view(&it, NULL);
    NEED(view != NULL);
    msdk_video_frame *frame = NULL;
    if (msdk_incoming_video_read(view, 5, &frame) < 0) continue;
    seen += frame->format->width == clip.width;
    msdk_video_frame_unref(frame);
    if (seen == 10) CHECK_OK(msdk_incoming_video_request_key_frame(view));
  }
  CHECK(seen >= 20);
  CHECK(asked > 0);
  msdk_feeder_close(feeder);
  ivf_close(&clip);
  door_close(&it);
}

/* -------------------------------------------------------------------------------------------------------------- processes */

/* The feeder of the next test: another process, which sends until it is killed. */
static int feed_for_ever(int port, const char *path) {
  door it = {.port = (uint32_t)port};
  if (path != NULL) snprintf(it.path, sizeof it.path, "%s", path);
  msdk_feeder *feeder = feeder_new(&it, path != NULL);
  if (feeder == NULL) return 1;
  for (;;) {
    msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 1920, 1080, 50);
    msdk_result sent;
    if (path != NULL) {
      picture = MSDK_INIT(msdk_feeder_frame);
      sent = msdk_feeder_acquire(feeder, MSDK_PIXEL_NV12, 1920, 1080, &picture);
      if (sent == MSDK_OK) {
        memset(picture.plane[0].data, 50, 1920 * 1080 * 3 / 2);
        while ((sent = msdk_feeder_submit(feeder, &picture)) == MSDK_E_AGAIN) sleep_ms(1);
      }
    } else {
      sent = msdk_feeder_send(feeder, &picture);
    }
    if (sent != MSDK_OK && sent != MSDK_E_AGAIN) return 0;
    sleep_ms(1);
  }
}

static void a_feeder_is_killed_in_the_middle(void) {
  int before = process_descriptors();
  for (int way = 0; way < 2; way++) {
    door it = door_open(MSDK_CODEC_RAW);
    for (int round = 0; round < 5; round++) {
      char port[16];
      snprintf(port, sizeof port, "%u", it.port);
      pid_t child = fork();
      if (child == 0) {
        execl("/proc/self/exe", "feeder", "--feed", port, way ? it.path : (char *)NULL, (char *)NULL);
        _exit(127);
      }
      NEED(child > 0);
      msdk_event event;
      CHECK(door_event(&it, MSDK_INGEST_SHARING, &event));
      msdk_incoming_video *view = door_view(&it, NULL);
      msdk_video_frame *frame = NULL;
      for (int tries = 0; tries < 100 && frame == NULL; tries++) msdk_incoming_video_read(view, 200, &frame);
      CHECK(frame != NULL);
      kill(child, SIGKILL);
      waitpid(child, NULL, 0);
      CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
      CHECK_EQ(event.status, MSDK_E_IO);
      CHECK_EQ(event.value, MSDK_FEED_NONE);
      CHECK(event_wait(it.engine, it.viewer, MSDK_EVENT_INCOMING_VIDEO_REMOVED, &event));
      /* Its memory outlives it: the frame is as it was. */
      if (frame != NULL) CHECK(is_all(frame, 50));
      msdk_video_frame_unref(frame);
    }
    door_close(&it);
  }
  WAIT_UNTIL(process_descriptors() == before);
  CHECK_EQ(process_descriptors(), before);
}

/* -------------------------------------------------------------------------------------------------------------- closing it */

static void close_door_in_callback(void *user, const msdk_video_frame *frame) {
  (void)frame;
  msdk_session_set_ingest(user, NULL);
}

/* The callback runs on the door's own thread: raw frames are handed over directly. */
static void the_door_is_closed_from_inside(void) {
  int before = process_descriptors();
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *feeder = feeder_new(&it, 0);
  NEED(feeder != NULL);
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 320, 180, 1);
  CHECK_OK(feed(feeder, &picture));
  msdk_incoming_video_options direct = MSDK_INIT(msdk_incoming_video_options);
  direct.delivery = MSDK_DELIVERY_DIRECT;
  msdk_event event;
  CHECK(event_wait(it.engine, it.viewer, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  CHECK_OK(msdk_incoming_video_set_frame_callback(event.incoming_video, close_door_in_callback, it.host));
  CHECK_OK(msdk_incoming_video_start(event.incoming_video, &direct));
  msdk_result sent = MSDK_OK;
  for (int tries = 0; tries < 3000 && (sent == MSDK_OK || sent == MSDK_E_AGAIN); tries++) {
    sent = msdk_feeder_send(feeder, &picture);
    sleep_ms(20);
  }
  CHECK_EQ(sent, MSDK_E_CLOSED);
  CHECK_EQ(feeder_reason(feeder), MSDK_FEED_CLOSED);
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  CHECK_EQ(event.value, MSDK_FEED_CLOSED);
  msdk_feeder_close(feeder);
  /* A door that is replaced sends its feeder away; the next one comes in by the new one. */
  msdk_ingest_options options = door_options(it.path);
  for (int round = 0; round < 10; round++) {
    CHECK_OK(msdk_session_set_ingest(it.host, &options));
    CHECK_OK(msdk_session_get_ingest_port(it.host, &it.port));
    feeder = feeder_new(&it, round % 2);
    CHECK_OK(feed(feeder, &picture));
    if (round % 3 == 0) CHECK_OK(msdk_session_set_ingest(it.host, NULL));
    msdk_feeder_close(feeder);
  }
  door_close(&it);
  WAIT_UNTIL(process_descriptors() == before);
  CHECK_EQ(process_descriptors(), before);
}

/* What comes while the session is not in its room is left out, and the share goes on when it is. */
static void the_session_leaves_and_returns(void) {
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *feeder = feeder_new(&it, 0);
  NEED(feeder != NULL);
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 320, 180, 1);
  msdk_event event;
  for (int round = 0; round < 3; round++) {
    CHECK_OK(feed(feeder, &picture));
    CHECK(door_event(&it, MSDK_INGEST_SHARING, &event));
    CHECK_OK(msdk_session_disconnect(it.host));
    CHECK(state_wait(it.engine, it.host, MSDK_SESSION_DISCONNECTED));
    for (int n = 0; n < 3; n++) CHECK_OK(feed(feeder, &picture));
    CHECK_OK(msdk_session_connect(it.host));
    CHECK(state_wait(it.engine, it.host, MSDK_SESSION_CONNECTED));
  }
  CHECK_EQ(feeder_reason(feeder), MSDK_FEED_NONE);
  msdk_session_destroy(it.host);
  WAIT_UNTIL(feeder_reason(feeder) != MSDK_FEED_NONE);
  CHECK_EQ(feeder_reason(feeder), MSDK_FEED_CLOSED);
  CHECK_RESULT(msdk_feeder_send(feeder, &picture), MSDK_E_CLOSED);
  CHECK_STR_CONTAINS(msdk_feeder_last_error(), "closed its local ingest");
  msdk_feeder_close(feeder);
  door_close(&it);
}

/* session.h: an event that is read late still says which stream that was; ingest.h says nothing else. */
static void events_that_are_read_after_the_share(void) {
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *feeder = feeder_new(&it, 0);
  NEED(feeder != NULL);
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 320, 180, 1);
  CHECK_OK(feed(feeder, &picture));
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_wait(it.engine, it.viewer, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  msdk_feeder_close(feeder);
  CHECK(event_wait(it.engine, it.viewer, MSDK_EVENT_INCOMING_VIDEO_REMOVED, &event));
  msdk_outgoing_video *none = NULL;
  WAIT_UNTIL(msdk_session_outgoing_video_at(it.host, 0, &none) == MSDK_E_NOT_FOUND);
  CHECK(door_event(&it, MSDK_INGEST_SHARING, &event));
  CHECK(event.outgoing_video != NULL);
  uint32_t state = 0;
  CHECK_RESULT(msdk_outgoing_video_get_state(event.outgoing_video, &state), MSDK_E_HANDLE);
  door_close(&it);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "--feed") == 0) return feed_for_ever(atoi(argv[2]), argc > 3 ? argv[3] : NULL);
  RUN(options_are_checked);
  RUN(two_sessions_with_the_same_key);
  RUN(the_socket_is_private_and_replaced_only_if_stale);
  RUN(shares_by_tcp);
  RUN(shares_by_unix_socket);
  RUN(shares_common_memory);
  RUN(program_is_not_told_of_senders);
  RUN(a_format_change_each_frame);
  RUN(encodes_what_it_is_fed);
  RUN(passes_encoded_frames);
  RUN(a_feeder_is_killed_in_the_middle);
  RUN(the_door_is_closed_from_inside);
  RUN(events_that_are_read_after_the_share);
  RUN(the_session_leaves_and_returns);
  return check_finish();
}
