/* What a door refuses: tokens, lengths, headers, descriptors, crowds. Each costs the connection it came by, and nothing else. */
#include "feeding.h"

/* The door still works: a feeder comes in, feeds, and goes. */
static void still_open(door *it) {
  msdk_event old = MSDK_INIT(msdk_event);
  event_take(it->host, MSDK_EVENT_INGEST, &old);
  msdk_feeder *feeder = feeder_new(it, 0);
  NEED(feeder != NULL);
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 320, 180, 3);
  CHECK_OK(feed(feeder, &picture));
  msdk_event event;
  CHECK(door_event(it, MSDK_INGEST_SHARING, &event));
  msdk_feeder_close(feeder);
  CHECK(door_event(it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  CHECK_EQ(event.status, MSDK_OK);
}

/* --------------------------------------------------------------------------------------------------------------- tokens */

/* One REFUSED, all alike, and then the end. */
static void is_not_admitted(door *it, int fd) {
  uint8_t answer[512];
  uint32_t size = 0;
  CHECK_EQ(raw_message(fd, answer, &size), 17);
  CHECK_EQ(raw_get(answer), MSDK_FEED_NOT_ADMITTED);
  CHECK_EQ(size, 8 + strlen("not admitted"));
  CHECK(memcmp(answer + 8, "not admitted", 12) == 0);
  CHECK_EQ(read(fd, answer, 1), 0);
  close(fd);
  msdk_event event;
  CHECK(door_event(it, MSDK_INGEST_FEEDER_REFUSED, &event));
  CHECK_EQ(event.status, MSDK_E_PERMISSION);
  CHECK_EQ(event.value, MSDK_FEED_NOT_ADMITTED);
}

static void wrong_tokens_are_refused(void) {
  door it = door_open(MSDK_CODEC_RAW);
  uint8_t longer[255] = {0}, last[sizeof feeding_token], first[sizeof feeding_token];
  memcpy(longer, feeding_token, sizeof feeding_token);
  memcpy(last, feeding_token, sizeof last);
  memcpy(first, feeding_token, sizeof first);
  last[sizeof last - 1] ^= 1;
  first[0] ^= 1;
  const struct { const uint8_t *token; uint32_t size; } wrong[] = {
      {last, sizeof last},       {first, sizeof first}, {feeding_token, 19}, {longer, 21}, {longer, 255},
      {feeding_answer, sizeof feeding_answer}, {feeding_token, 15}, {feeding_token, 0}};
  for (int way = 0; way < 2; way++) {
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
      uint8_t bytes[512];
      exchange with;
      int fd = raw_challenged(&it, way, &with);
      NEED(fd >= 0);
      size_t length = raw_proof(bytes, &with, wrong[i].token, wrong[i].size);
      CHECK(raw_send(fd, bytes, length, NULL, 0));
      is_not_admitted(&it, fd);
    }
  }
  msdk_feeder_options options = feeder_options(&it, 0);
  options.transmission_token = last;
  msdk_feeder *feeder = NULL;
  CHECK_RESULT(msdk_feeder_open(&options, &feeder), MSDK_E_PERMISSION);
  CHECK_STR_CONTAINS(msdk_feeder_last_error(), "not admitted");
  /* The feeder looks as closely. */
  options = feeder_options(&it, 1);
  options.reception_token = longer;
  options.reception_token_size = sizeof feeding_answer + 1;
  CHECK_RESULT(msdk_feeder_open(&options, &feeder), MSDK_E_UNTRUSTED);
  CHECK_STR_CONTAINS(msdk_feeder_last_error(), "did not prove the reception token");
  still_open(&it);
  door_close(&it);
}

/* A proof is good for one connection: not for the next, not in the other direction, not for another connection at the same time. */
static void proofs_of_others_are_refused(void) {
  door it = door_open(MSDK_CODEC_RAW);
  for (int way = 0; way < 2; way++) {
    uint8_t old[64], bytes[512];
    uint32_t size = 0;
    exchange with, other;
    int fd = raw_challenged(&it, way, &with);
    NEED(fd >= 0);
    size_t length = raw_proof(old, &with, feeding_token, sizeof feeding_token);
    CHECK(raw_send(fd, old, length, NULL, 0));
    CHECK_EQ(raw_message(fd, bytes, &size), 16);
    close(fd);
    msdk_event event;
    CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
    /* Played again, after the same HELLO as then. */
    fd = raw_connect(&it, way);
    length = raw_hello(bytes, 2, with.feeder_nonce, 32);
    CHECK(raw_send(fd, bytes, length, NULL, 0) && raw_message(fd, bytes, &size) == 20);
    CHECK(memcmp(bytes + 8, with.session_nonce, 32) != 0);
    CHECK(raw_send(fd, old, 40, NULL, 0));
    is_not_admitted(&it, fd);
    /* The session's own proof, sent back. */
    fd = raw_connect(&it, way);
    length = raw_hello(bytes, 2, with.feeder_nonce, 32);
    CHECK(raw_send(fd, bytes, length, NULL, 0) && raw_message(fd, bytes, &size) == 20);
    memmove(bytes + 8, bytes + 40, 32);
    raw_head(bytes, 32, 7);
    CHECK(raw_send(fd, bytes, 40, NULL, 0));
    is_not_admitted(&it, fd);
    /* Two connections that exchange theirs. */
    fd = raw_challenged(&it, way, &with);
    int second = raw_challenged(&it, way, &other);
    NEED(fd >= 0 && second >= 0);
    raw_proof(bytes, &other, feeding_token, sizeof feeding_token);
    CHECK(raw_send(fd, bytes, 40, NULL, 0));
    is_not_admitted(&it, fd);
    raw_proof(bytes, &with, feeding_token, sizeof feeding_token);
    CHECK(raw_send(second, bytes, 40, NULL, 0));
    is_not_admitted(&it, second);
  }
  still_open(&it);
  door_close(&it);
}

/* The first version is refused in words, and nothing is said to it but them. */
static void other_versions_are_refused(void) {
  door it = door_open(MSDK_CODEC_RAW);
  for (uint32_t version = 0; version < 4; version++) {
    if (version == 2) continue;
    uint8_t bytes[512];
    char words[128];
    uint32_t size = 0;
    int fd = raw_connect(&it, (int)(version % 2));
    size_t length = raw_hello(bytes, version | sizeof feeding_token << 16, feeding_token, sizeof feeding_token);
    CHECK(raw_send(fd, bytes, length, NULL, 0));
    CHECK_EQ(raw_message(fd, bytes, &size), 17);
    CHECK_EQ(raw_get(bytes), MSDK_FEED_VERSION);
    snprintf(words, sizeof words, "the feeder uses version %u of the protocol; accepted: 2", version);
    CHECK(size == 8 + strlen(words) && memcmp(bytes + 8, words, size - 8) == 0);
    CHECK_EQ(read(fd, bytes, 1), 0);
    close(fd);
    msdk_event event;
    CHECK(door_event(&it, MSDK_INGEST_FEEDER_REFUSED, &event));
    CHECK_EQ(event.status, MSDK_E_ABI);
    CHECK_STR_CONTAINS(event.text, words);
  }
  still_open(&it);
  door_close(&it);
}

static void late_and_overlong_greetings_are_refused(void) {
  door it = door_open(MSDK_CODEC_RAW);
  uint8_t bytes[1024] = {0};
  exchange with;
  int silent = raw_connect(&it, 0), slow = raw_connect(&it, 1), overlong = raw_connect(&it, 0), endless = raw_connect(&it, 1);
  int unproven = raw_challenged(&it, 0, &with);
  size_t length = raw_proof(bytes, &with, feeding_token, sizeof feeding_token);
  CHECK(raw_send(unproven, bytes, length - 1, NULL, 0));
  length = raw_hello(bytes, 2, with.feeder_nonce, 32);
  CHECK(raw_send(slow, bytes, length - 1, NULL, 0));
  raw_head(bytes, 16 + 256, 1);
  CHECK(raw_send(overlong, bytes, 8 + 16 + 256, NULL, 0));
  raw_head(bytes, UINT32_MAX, 1);
  CHECK(raw_send(endless, bytes, sizeof bytes, NULL, 0));
  CHECK_EQ(raw_reason(overlong), MSDK_FEED_MALFORMED);
  CHECK_EQ(raw_reason(endless), MSDK_FEED_MALFORMED);
  CHECK_EQ(raw_reason(silent), MSDK_FEED_NOT_ADMITTED);
  CHECK_EQ(raw_reason(slow), MSDK_FEED_NOT_ADMITTED);
  CHECK_EQ(raw_reason(unproven), MSDK_FEED_NOT_ADMITTED);
  still_open(&it);
  door_close(&it);
}

static void one_feeder_at_a_time(void) {
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *first = feeder_new(&it, 0), *second = NULL;
  NEED(first != NULL);
  for (int way = 0; way < 2; way++) {
    msdk_feeder_options options = feeder_options(&it, way);
    CHECK_RESULT(msdk_feeder_open(&options, &second), MSDK_E_EXISTS);
    CHECK_STR_CONTAINS(msdk_feeder_last_error(), "another feeder");
    /* Who does not know the token does not learn that somebody is there. */
    options.transmission_token = feeding_answer;
    options.transmission_token_size = sizeof feeding_answer;
    CHECK_RESULT(msdk_feeder_open(&options, &second), MSDK_E_PERMISSION);
  }
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 320, 180, 3);
  CHECK_OK(feed(first, &picture));
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_SHARING, &event));
  msdk_feeder_close(first);
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  still_open(&it);
  door_close(&it);
}

static void ten_thousand_connections(void) {
  int before = process_descriptors(), count = under_tools() ? 1000 : 10000;
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *feeder = feeder_new(&it, 1);
  NEED(feeder != NULL);
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_CONNECTED, &event));
  int64_t memory = process_resident_kib();
  int open[256], refused = 0;
  for (int i = 0; i < 256; i++) open[i] = -1;
  for (int n = 0; n < count; n++) {
    int *fd = &open[n % 256];
    if (*fd >= 0) close(*fd);
    *fd = raw_connect(&it, n % 2);
    refused += *fd < 0;
  }
  CHECK_EQ(refused, 0);
  /* At most 32 are kept of each kind: of the last 256 the older ones have been sent away. */
  int crowded = 0;
  for (int n = count; n < count + 256; n++) {
    uint32_t reason = open[n % 256] >= 0 ? raw_reason(open[n % 256]) : MSDK_FEED_NONE;
    crowded += reason == MSDK_FEED_CROWDED || reason == MSDK_FEED_NONE;
  }
  CHECK(crowded >= 256 - 2 * 32);
  /* The feeder has not noticed, nor have the events been pushed out by it. */
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 320, 180, 3);
  CHECK_OK(feed(feeder, &picture));
  int events = 0, lost = 0, sharing = 0;
  for (int tries = 0; tries < 1000 && !sharing; tries++) {
    event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it.host, 20, &event) < 0) continue;
    events += 1;
    lost += (event.flags & MSDK_EVENT_FLAG_LOST) != 0;
    sharing += event.type == MSDK_EVENT_INGEST && event.state == MSDK_INGEST_SHARING;
  }
  CHECK_EQ(sharing, 1);
  CHECK_EQ(lost, 0);
  CHECK(events < 500);
  msdk_feeder_close(feeder);
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  if (!under_tools()) CHECK_RANGE(process_resident_kib() - memory, -100000, 8192);
  still_open(&it);
  door_close(&it);
  WAIT_UNTIL(process_descriptors() == before);
  CHECK_EQ(process_descriptors(), before);
}

typedef struct crowd {
  const door *it;
  atomic_int is_over, count;
  int says_hello, pause_ms;
} crowd;

/* Strangers who connect by TCP and stay, with HELLO or without: each time another one for the oldest of 64. */
static void *crowd_run(void *argument) {
  crowd *us = argument;
  static const uint8_t nonce[32] = {9};
  uint8_t hello[64];
  int open[64];
  size_t size = raw_hello(hello, 2, nonce, sizeof nonce);
  for (int i = 0; i < 64; i++) open[i] = -1;
  for (int n = 0; !atomic_load(&us->is_over); n++) {
    int *fd = &open[n % 64];
    if (*fd >= 0) close(*fd);
    *fd = raw_connect(us->it, 0);
    if (us->says_hello && *fd >= 0) raw_send(*fd, hello, size, NULL, 0);
    atomic_fetch_add(&us->count, 1);
    if (us->pause_ms > 0) sleep_ms(us->pause_ms);
  }
  for (int i = 0; i < 64; i++) {
    if (open[i] >= 0) close(open[i]);
  }
  return NULL;
}

/* By the Unix socket nobody else takes a place, however fast they come by TCP; by TCP it takes more than 200 a second. */
static void a_crowd_keeps_nobody_out(void) {
  door it = door_open(MSDK_CODEC_RAW);
  for (int kind = 0; kind < 4; kind++) {
    int by_path = kind / 2;
    crowd us = {.it = &it, .says_hello = kind % 2, .pause_ms = by_path ? 0 : 5};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, crowd_run, &us) == 0);
    WAIT_UNTIL(atomic_load(&us.count) > 100);
    for (int n = 0; n < 25; n++) {
      msdk_feeder *feeder = feeder_new(&it, by_path);
      if (feeder == NULL) continue;
      msdk_event event;
      CHECK(door_event(&it, MSDK_INGEST_FEEDER_CONNECTED, &event));
      msdk_feeder_close(feeder);
      CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
    }
    atomic_store(&us.is_over, 1);
    pthread_join(thread, NULL);
  }
  still_open(&it);
  door_close(&it);
}

/* ----------------------------------------------------------------------------------------------------- lengths and headers */

/* On the system's clock once; each part of a frame, to the millisecond, in IngestServerTests. */
static void half_a_frame_and_hang(void) {
  door it = door_open(MSDK_CODEC_RAW);
  uint8_t bytes[4096] = {0};
  int fd = raw_feeder(&it, 1);
  NEED(fd >= 0);
  raw_frame(raw_head(bytes, 64 + RAW_PAYLOAD, 2));
  CHECK(raw_send(fd, bytes, 72 + 1000, NULL, 0));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_STALLED);
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  CHECK_EQ(event.status, MSDK_E_TIMEOUT);
  still_open(&it);
  door_close(&it);
}

static void lengths_of_4_gb(void) {
  door it = door_open(MSDK_CODEC_RAW);
  int64_t memory = process_resident_kib();
  static const uint32_t lengths[] = {UINT32_MAX, UINT32_MAX - 63, 0x80000000, 0x7FFFFFFF, 64 << 20};
  for (uint32_t type = 1; type <= 19; type++) {
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
      int fd = raw_feeder(&it, (int)(i % 2));
      NEED(fd >= 0);
      uint8_t bytes[8 + 64] = {0};
      raw_frame(raw_head(bytes, lengths[i], type));
      CHECK(raw_send(fd, bytes, sizeof bytes, NULL, 0));
      uint32_t reason = raw_reason(fd);
      CHECK(type == 2 ? reason == MSDK_FEED_TOO_LARGE : reason == MSDK_FEED_TOO_LARGE || reason == MSDK_FEED_MALFORMED);
    }
  }
  /* In the header of a frame that is small itself. */
  int fd = raw_feeder(&it, 0);
  uint8_t bytes[8 + 64] = {0};
  raw64(raw_frame(raw_head(bytes, 64 + RAW_PAYLOAD, 2)) - 8, UINT64_MAX);
  CHECK(raw_send(fd, bytes, sizeof bytes, NULL, 0));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_TOO_LARGE);
  if (!under_tools()) CHECK_RANGE(process_resident_kib() - memory, -100000, 8192);
  still_open(&it);
  door_close(&it);
}

/* A right frame of which one number is changed: where, to what, and why it is refused. */
static void headers_that_are_wrong(void) {
  static const struct { int at, bytes; uint64_t value; uint32_t reason; } spoilt[] = {
      {4, 2, 0, MSDK_FEED_MALFORMED},          {4, 2, 99, MSDK_FEED_MALFORMED},          {4, 2, 16, MSDK_FEED_MALFORMED},
      {6, 2, 1, MSDK_FEED_MALFORMED},          {0, 4, 63, MSDK_FEED_MALFORMED},          {0, 4, 64, MSDK_FEED_MALFORMED},
      {0, 4, 0, MSDK_FEED_MALFORMED},          {0, 4, 65 + RAW_PAYLOAD, MSDK_FEED_MALFORMED},
      {8, 4, 0, MSDK_FEED_FORMAT},             {8, 4, 0x12345678, MSDK_FEED_FORMAT},     {8, 4, MSDK_PIXEL_I420, MSDK_FEED_MALFORMED},
      {8, 4, MSDK_CODEC_VP8, MSDK_FEED_MALFORMED}, {8, 4, MSDK_CODEC_OPUS, MSDK_FEED_FORMAT},
      {12, 4, 0, MSDK_FEED_FORMAT},            {12, 4, 3841, MSDK_FEED_FORMAT},          {12, 4, UINT32_MAX, MSDK_FEED_FORMAT},
      {12, 4, 66, MSDK_FEED_MALFORMED},        {16, 4, 0, MSDK_FEED_FORMAT},             {16, 4, 34, MSDK_FEED_MALFORMED},
      {16, 4, UINT32_MAX, MSDK_FEED_FORMAT},   {20, 4, 1, MSDK_FEED_MALFORMED},          {20, 4, 0x80000000, MSDK_FEED_MALFORMED},
      {32, 4, 8, MSDK_FEED_MALFORMED},         {36, 4, 0, MSDK_FEED_MALFORMED},          {36, 4, 3, MSDK_FEED_MALFORMED},
      {36, 4, UINT32_MAX, MSDK_FEED_MALFORMED}, {40, 4, 63, MSDK_FEED_MALFORMED},        {40, 4, 64 + 4097, MSDK_FEED_MALFORMED},
      {40, 4, UINT32_MAX, MSDK_FEED_MALFORMED}, {44, 4, 0, MSDK_FEED_MALFORMED},         {48, 4, 1, MSDK_FEED_MALFORMED},
      {52, 4, 64, MSDK_FEED_MALFORMED},        {60, 4, 2, MSDK_FEED_MALFORMED},          {64, 8, 0, MSDK_FEED_MALFORMED},
      {64, 8, RAW_PAYLOAD - 1, MSDK_FEED_MALFORMED}, {64, 8, RAW_PAYLOAD + 1, MSDK_FEED_MALFORMED}};
  door it = door_open(MSDK_CODEC_RAW);
  for (size_t i = 0; i < sizeof spoilt / sizeof spoilt[0]; i++) {
    int fd = raw_feeder(&it, (int)(i % 2));
    NEED(fd >= 0);
    uint8_t bytes[8 + 64 + RAW_PAYLOAD] = {0};
    raw_frame(raw_head(bytes, 64 + RAW_PAYLOAD, 2));
    for (int b = 0; b < spoilt[i].bytes; b++) bytes[spoilt[i].at + b] = (uint8_t)(spoilt[i].value >> 8 * b);
    CHECK(raw_send(fd, bytes, sizeof bytes, NULL, 0));
    uint32_t reason = raw_reason(fd);
    if (!CHECK_EQ(reason, spoilt[i].reason)) fprintf(stderr, "  spoilt[%zu]\n", i);
  }
  /* Timestamps are not refused, whatever they are, but read as now. */
  msdk_incoming_video *view = NULL;
  int fd = raw_feeder(&it, 0);
  static const uint64_t stamps[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN};
  for (int n = 0; n < 200; n++) {
    uint8_t bytes[8 + 64 + RAW_PAYLOAD] = {0};
    raw_frame(raw_head(bytes, 64 + RAW_PAYLOAD, 2));
    raw64(bytes + 24, stamps[n % 5]);
    CHECK(raw_send(fd, bytes, sizeof bytes, NULL, 0));
    msdk_event event;
    while (view == NULL && event_wait(it.engine, it.viewer, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event)) {
      if (event.format.width == 64 && event.format.height == 32) view = event.incoming_video;
      if (view != NULL) CHECK_OK(msdk_incoming_video_start(view, NULL));
    }
    msdk_video_frame *frame = NULL;
    if (msdk_incoming_video_read(view, 50, &frame) < 0) continue;
    int64_t now = msdk_time_monotonic();
    CHECK(frame->timestamp_ns <= now && frame->timestamp_ns > now - 60 * SECOND);
    msdk_video_frame_unref(frame);
    if (n > 20) break;
  }
  close(fd);
  msdk_event event = {0};
  while (event.status != MSDK_E_IO && CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event))) continue;
  still_open(&it);
  door_close(&it);
}

static void messages_out_of_place(void) {
  door it = door_open(MSDK_CODEC_RAW);
  uint8_t bytes[512] = {0};
  /* Before the token nothing is taken but HELLO. */
  for (uint32_t type = 0; type < 24; type++) {
    if (type == 1) continue;
    int fd = raw_connect(&it, 1);
    raw_head(bytes, 8, type);
    CHECK(raw_send(fd, bytes, 16, NULL, 0));
    CHECK_EQ(raw_reason(fd), MSDK_FEED_MALFORMED);
  }
  /* Between HELLO and PROOF nothing but PROOF. */
  static const uint8_t nonce[32] = {1};
  for (uint32_t type = 0; type < 24; type++) {
    if (type == 7) continue;
    exchange with;
    int fd = raw_challenged(&it, 1, &with);
    raw_head(bytes, 32, type);
    CHECK(raw_send(fd, bytes, 40, NULL, 0));
    CHECK_EQ(raw_reason(fd), MSDK_FEED_MALFORMED);
  }
  /* In the magic bytes, and where zeros must be. */
  static const int places[] = {8, 15, 18, 20, 23};
  int fd = -1;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    fd = raw_connect(&it, 0);
    size_t length = raw_hello(bytes, 2, nonce, sizeof nonce);
    bytes[places[i]] += 1;
    CHECK(raw_send(fd, bytes, length, NULL, 0));
    CHECK_EQ(raw_reason(fd), MSDK_FEED_MALFORMED);
  }
  /* HELLO twice; slots by TCP. */
  fd = raw_feeder(&it, 0);
  size_t length = raw_hello(bytes, 2, nonce, sizeof nonce);
  CHECK(raw_send(fd, bytes, length, NULL, 0));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_MALFORMED);
  for (uint32_t type = 3; type <= 5; type++) {
    fd = raw_feeder(&it, 0);
    raw_head(bytes, type == 3 ? 16 : type == 4 ? 72 : 8, type);
    CHECK(raw_send(fd, bytes, 80, NULL, 0));
    CHECK_EQ(raw_reason(fd), MSDK_FEED_MALFORMED);
  }
  still_open(&it);
  door_close(&it);
}

/* VP8 that is none, or of another size than its header says. */
static void vp8_that_is_wrong(void) {
  door it = door_open(MSDK_CODEC_RAW);
  for (int kind = 0; kind < 3; kind++) {
    int fd = raw_feeder(&it, 0);
    uint8_t bytes[8 + 64 + 16] = {0};
    uint8_t *end = raw32(raw32(raw32(raw32(raw_head(bytes, 64 + 16, 2), MSDK_CODEC_VP8), 64), 32), 1);
    end = raw64(raw32(raw32(raw64(end, 0), 0), 0), 0);
    raw64(raw64(raw64(end, 0), 0), 16);
    static const uint8_t pictures[3][16] = {
        {0}, {0xFF, 0xFF, 0xFF, 0xFF}, {0x10, 0, 0, 0x9D, 0x01, 0x2A, 66, 0, 32, 0}};
    memcpy(bytes + 72, pictures[kind], 16);
    CHECK(raw_send(fd, bytes, sizeof bytes, NULL, 0));
    CHECK_EQ(raw_reason(fd), MSDK_FEED_MALFORMED);
  }
  still_open(&it);
  door_close(&it);
}

int main(int argc, char **argv) {
  (void)argv;
  RUN(wrong_tokens_are_refused);
  RUN(proofs_of_others_are_refused);
  RUN(other_versions_are_refused);
  RUN(late_and_overlong_greetings_are_refused);
  RUN(one_feeder_at_a_time);
  RUN(ten_thousand_connections);
  RUN(a_crowd_keeps_nobody_out);
  RUN(half_a_frame_and_hang);
  RUN(lengths_of_4_gb);
  RUN(headers_that_are_wrong);
  RUN(messages_out_of_place);
  RUN(vp8_that_is_wrong);
  return check_finish();
}
