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

static void wrong_tokens_are_refused(void) {
  door it = door_open(MSDK_CODEC_NONE);
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
      uint8_t bytes[512], answer[512];
      uint32_t size = 0;
      int fd = raw_connect(&it, way);
      size_t length = raw_hello(bytes, 1, wrong[i].token, wrong[i].size);
      CHECK(raw_send(fd, bytes, length, NULL, 0));
      /* All alike, and nothing of the session's token. */
      CHECK_EQ(raw_message(fd, answer, &size), 17);
      CHECK_EQ(raw_get(answer), MSDK_FEED_NOT_ADMITTED);
      CHECK_EQ(size, 8 + strlen("not admitted"));
      CHECK(memcmp(answer + 8, "not admitted", 12) == 0);
      CHECK_EQ(read(fd, answer, 1), 0);
      close(fd);
      msdk_event event;
      CHECK(door_event(&it, MSDK_INGEST_FEEDER_REFUSED, &event));
      CHECK_EQ(event.status, MSDK_E_PERMISSION);
      CHECK_EQ(event.value, MSDK_FEED_NOT_ADMITTED);
    }
  }
  msdk_feeder_options options = feeder_options(&it, 0);
  options.transmission_token = last;
  msdk_feeder *feeder = NULL;
  CHECK_RESULT(msdk_feeder_open(&options, &feeder), MSDK_E_PERMISSION);
  CHECK_STR_CONTAINS(msdk_feeder_error(NULL), "not admitted");
  /* The feeder looks as closely. */
  options = feeder_options(&it, 1);
  options.reception_token = longer;
  options.reception_token_size = sizeof feeding_answer + 1;
  CHECK_RESULT(msdk_feeder_open(&options, &feeder), MSDK_E_PERMISSION);
  CHECK_STR_CONTAINS(msdk_feeder_error(NULL), "another reception token");
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  still_open(&it);
  door_close(&it);
}

static void late_and_overlong_tokens_are_refused(void) {
  door it = door_open(MSDK_CODEC_NONE);
  uint8_t bytes[1024] = {0};
  int silent = raw_connect(&it, 0), slow = raw_connect(&it, 1), overlong = raw_connect(&it, 0), endless = raw_connect(&it, 1);
  size_t length = raw_hello(bytes, 1, feeding_token, sizeof feeding_token);
  CHECK(raw_send(slow, bytes, length - 1, NULL, 0));
  raw_head(bytes, 16 + 256, 1);
  CHECK(raw_send(overlong, bytes, 8 + 16 + 256, NULL, 0));
  raw_head(bytes, UINT32_MAX, 1);
  CHECK(raw_send(endless, bytes, sizeof bytes, NULL, 0));
  CHECK_EQ(raw_reason(overlong), MSDK_FEED_NOT_ADMITTED);
  CHECK_EQ(raw_reason(endless), MSDK_FEED_NOT_ADMITTED);
  CHECK_EQ(raw_reason(silent), MSDK_FEED_NOT_ADMITTED);
  CHECK_EQ(raw_reason(slow), MSDK_FEED_NOT_ADMITTED);
  still_open(&it);
  door_close(&it);
}

static void one_feeder_at_a_time(void) {
  door it = door_open(MSDK_CODEC_NONE);
  msdk_feeder *first = feeder_new(&it, 0), *second = NULL;
  NEED(first != NULL);
  for (int way = 0; way < 2; way++) {
    msdk_feeder_options options = feeder_options(&it, way);
    CHECK_RESULT(msdk_feeder_open(&options, &second), MSDK_E_EXISTS);
    CHECK_STR_CONTAINS(msdk_feeder_error(NULL), "another feeder");
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
  door it = door_open(MSDK_CODEC_NONE);
  msdk_feeder *feeder = feeder_new(&it, 1);
  NEED(feeder != NULL);
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_CONNECTED, &event));
  int64_t memory = process_resident_kib();
  int open[64], refused = 0;
  for (int i = 0; i < 64; i++) open[i] = -1;
  for (int n = 0; n < count; n++) {
    int *fd = &open[n % 64];
    if (*fd >= 0) close(*fd);
    *fd = raw_connect(&it, n % 2);
    refused += *fd < 0;
  }
  CHECK_EQ(refused, 0);
  /* At most eight are kept: of the last 64 the older ones have been sent away. */
  int crowded = 0;
  for (int n = count; n < count + 64; n++) {
    uint32_t reason = open[n % 64] >= 0 ? raw_reason(open[n % 64]) : MSDK_FEED_NONE;
    crowded += reason == MSDK_FEED_CROWDED || reason == MSDK_FEED_NONE;
  }
  CHECK(crowded >= 64 - 8);
  /* The feeder has not noticed, nor have the events been pushed out by it. */
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 320, 180, 3);
  CHECK_OK(feed(feeder, &picture));
  int events = 0, lost = 0, sharing = 0;
  for (int tries = 0; tries < 1000 && !sharing; tries++) {
    event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it.host, 20, &event) < 0) continue;
    events += 1;
    lost += (event.flags & MSDK_EVENT_LOST) != 0;
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

/* ----------------------------------------------------------------------------------------------------- lengths and headers */

static void half_a_frame_and_hang(void) {
  door it = door_open(MSDK_CODEC_NONE);
  uint8_t bytes[4096] = {0};
  for (int half = 0; half < 3; half++) {
    int fd = raw_feeder(&it, half % 2);
    NEED(fd >= 0);
    /* Of the head, of the header, of the payload. */
    raw_frame(raw_head(bytes, 64 + RAW_PAYLOAD, 2));
    CHECK(raw_send(fd, bytes, half == 0 ? 5 : half == 1 ? 40 : 72 + 1000, NULL, 0));
    CHECK_EQ(raw_reason(fd), MSDK_FEED_STALLED);
    msdk_event event;
    CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
    CHECK_EQ(event.status, MSDK_E_TIMEOUT);
  }
  still_open(&it);
  door_close(&it);
}

static void lengths_of_4_gb(void) {
  door it = door_open(MSDK_CODEC_NONE);
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
  door it = door_open(MSDK_CODEC_NONE);
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
  door it = door_open(MSDK_CODEC_NONE);
  uint8_t bytes[512] = {0};
  /* Before the token nothing is taken but HELLO. */
  for (uint32_t type = 0; type < 24; type++) {
    if (type == 1) continue;
    int fd = raw_connect(&it, 1);
    raw_head(bytes, 8, type);
    CHECK(raw_send(fd, bytes, 16, NULL, 0));
    CHECK_EQ(raw_reason(fd), MSDK_FEED_MALFORMED);
  }
  int fd = raw_connect(&it, 0);
  size_t length = raw_hello(bytes, 2, feeding_token, sizeof feeding_token);
  CHECK(raw_send(fd, bytes, length, NULL, 0));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_VERSION);
  fd = raw_connect(&it, 0);
  length = raw_hello(bytes, 1, feeding_token, sizeof feeding_token);
  bytes[8] = 'm';
  CHECK(raw_send(fd, bytes, length, NULL, 0));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_MALFORMED);
  /* The inner length of the token is not the outer one's. */
  fd = raw_connect(&it, 0);
  length = raw_hello(bytes, 1, feeding_token, sizeof feeding_token);
  bytes[18] += 1;
  CHECK(raw_send(fd, bytes, length, NULL, 0));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_NOT_ADMITTED);
  /* HELLO twice; slots by TCP. */
  fd = raw_feeder(&it, 0);
  length = raw_hello(bytes, 1, feeding_token, sizeof feeding_token);
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
  door it = door_open(MSDK_CODEC_NONE);
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
  RUN(late_and_overlong_tokens_are_refused);
  RUN(one_feeder_at_a_time);
  RUN(ten_thousand_connections);
  RUN(half_a_frame_and_hang);
  RUN(lengths_of_4_gb);
  RUN(headers_that_are_wrong);
  RUN(messages_out_of_place);
  RUN(vp8_that_is_wrong);
  return check_finish();
}
