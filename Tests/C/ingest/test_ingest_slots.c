/* Common memory: what a feeder may hand over, what is refused, and that no descriptor and no mapping is left behind. */
#include "feeding.h"

enum { SLOT_BYTES = 8192 };

static int memfd_of(size_t size, int seals) {
  int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  CHECK(ftruncate(fd, (off_t)size) == 0);
  if (seals != 0) CHECK(fcntl(fd, F_ADD_SEALS, seals) == 0);
  return fd;
}

static int good_memfd(void) { return memfd_of(SLOT_BYTES, F_SEAL_SHRINK | F_SEAL_GROW); }

static int mappings(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  char line[512];
  int count = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL) count += strstr(line, "memfd:test") != NULL;
  if (file != NULL) fclose(file);
  return count;
}

static int send_slot(int fd, uint32_t id, uint64_t size, const int *descriptors, int count) {
  uint8_t bytes[24];
  raw64(raw32(raw32(raw_head(bytes, 16, 3), id), 0), size);
  return raw_send(fd, bytes, sizeof bytes, descriptors, count);
}

static int send_slot_frame(int fd, uint32_t id) {
  uint8_t bytes[8 + 8 + 64];
  raw_frame(raw32(raw32(raw_head(bytes, 72, 4), id), 0));
  return raw_send(fd, bytes, sizeof bytes, NULL, 0);
}

static int send_forget(int fd, uint32_t id) {
  uint8_t bytes[16];
  raw32(raw32(raw_head(bytes, 8, 5), id), 0);
  return raw_send(fd, bytes, sizeof bytes, NULL, 0);
}

/* The id of the RELEASE that comes next; 99 when something else does. */
static uint32_t released(int fd) {
  uint8_t body[512];
  uint32_t size = 0;
  return raw_message(fd, body, &size) == 18 && size == 8 ? raw_get(body) : 99;
}

/* Registers memory and expects it to be refused. */
static void refused(door *it, uint32_t id, uint64_t size, int memfd, int count, uint32_t reason) {
  int fd = raw_feeder(it, 1);
  int descriptors[20];
  for (int i = 0; i < 20; i++) descriptors[i] = memfd;
  CHECK(send_slot(fd, id, size, descriptors, count));
  CHECK_EQ(raw_reason(fd), reason);
}

static void memory_that_is_refused(void) {
  int before = process_descriptors();
  door it = door_open(MSDK_CODEC_RAW);
  int inside = process_descriptors();
  int good = good_memfd(), unsealed = memfd_of(SLOT_BYTES, 0), growing = memfd_of(SLOT_BYTES, F_SEAL_SHRINK);
  int shrinking = memfd_of(SLOT_BYTES, F_SEAL_GROW), small = memfd_of(SLOT_BYTES - 1, F_SEAL_SHRINK | F_SEAL_GROW);
  int pipes[2], file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  CHECK(pipe2(pipes, O_CLOEXEC) == 0);
  refused(&it, 0, SLOT_BYTES, unsealed, 1, MSDK_FEED_SLOT);
  refused(&it, 0, SLOT_BYTES, growing, 1, MSDK_FEED_SLOT);
  refused(&it, 0, SLOT_BYTES, shrinking, 1, MSDK_FEED_SLOT);
  refused(&it, 0, SLOT_BYTES, small, 1, MSDK_FEED_SLOT);
  refused(&it, 0, SLOT_BYTES, pipes[0], 1, MSDK_FEED_SLOT);
  refused(&it, 0, SLOT_BYTES, file, 1, MSDK_FEED_SLOT);
  refused(&it, 0, SLOT_BYTES, -1, 0, MSDK_FEED_SLOT);
  refused(&it, 0, SLOT_BYTES, good, 2, MSDK_FEED_SLOT);
  refused(&it, 0, SLOT_BYTES, good, 20, MSDK_FEED_SLOT);
  refused(&it, 16, SLOT_BYTES, good, 1, MSDK_FEED_SLOT);
  refused(&it, UINT32_MAX, SLOT_BYTES, good, 1, MSDK_FEED_SLOT);
  refused(&it, 0, 0, good, 1, MSDK_FEED_TOO_LARGE);
  refused(&it, 0, UINT64_MAX, good, 1, MSDK_FEED_TOO_LARGE);
  refused(&it, 0, UINT64_C(1) << 32, good, 1, MSDK_FEED_TOO_LARGE);
  int all[] = {good, unsealed, growing, shrinking, small, pipes[0], pipes[1], file};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) close(all[i]);
  WAIT_UNTIL(process_descriptors() == inside);
  CHECK_EQ(process_descriptors(), inside);
  CHECK_EQ(mappings(), 0);
  door_close(&it);
  WAIT_UNTIL(process_descriptors() == before);
  CHECK_EQ(process_descriptors(), before);
}

/* Descriptors with messages that take none: with HELLO, PROOF, a frame, its payload, FORGET; and two in a row. */
static void descriptors_out_of_place(void) {
  door it = door_open(MSDK_CODEC_RAW);
  int before = process_descriptors(), good = good_memfd();
  uint8_t bytes[8 + 64 + RAW_PAYLOAD] = {0};
  exchange with = {0};
  int fd = raw_connect(&it, 1);
  size_t length = raw_hello(bytes, 2, with.feeder_nonce, 32);
  CHECK(raw_send(fd, bytes, length, &good, 1));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_SLOT);
  fd = raw_challenged(&it, 1, &with);
  length = raw_proof(bytes, &with, feeding_token, sizeof feeding_token);
  CHECK(raw_send(fd, bytes, length, &good, 1));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_SLOT);
  for (int part = 0; part < 3; part++) {
    static const size_t cuts[] = {0, 8, 8 + 64 + 100};
    fd = raw_feeder(&it, 1);
    raw_frame(raw_head(bytes, 64 + RAW_PAYLOAD, 2));
    if (cuts[part] > 0) CHECK(raw_send(fd, bytes, cuts[part], NULL, 0));
    CHECK(raw_send(fd, bytes + cuts[part], sizeof bytes - cuts[part], &good, 1));
    CHECK_EQ(raw_reason(fd), MSDK_FEED_SLOT);
  }
  fd = raw_feeder(&it, 1);
  raw64(raw32(raw32(raw_head(bytes, 16, 3), 0), 0), SLOT_BYTES);
  CHECK(raw_send(fd, bytes, 8, &good, 1) && raw_send(fd, bytes + 8, 16, &good, 1));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_SLOT);
  /* Half a SLOT, then nothing more. */
  fd = raw_feeder(&it, 1);
  CHECK(raw_send(fd, bytes, 8, &good, 1));
  close(fd);
  close(good);
  WAIT_UNTIL(process_descriptors() == before);
  CHECK_EQ(process_descriptors(), before);
  door_close(&it);
}

static void slots_change_hands_one_at_a_time(void) {
  door it = door_open(MSDK_CODEC_RAW);
  int good = good_memfd(), other = memfd_of(2 * SLOT_BYTES, F_SEAL_SHRINK | F_SEAL_GROW);
  /* A slot that was never registered, and one whose memory is too small for the frame. */
  int fd = raw_feeder(&it, 1);
  CHECK(send_slot_frame(fd, 3));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_SLOT);
  fd = raw_feeder(&it, 1);
  CHECK(send_slot(fd, 3, RAW_PAYLOAD - 1, &good, 1) && send_slot_frame(fd, 3));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_SLOT);
  fd = raw_feeder(&it, 1);
  CHECK(send_slot(fd, 3, SLOT_BYTES, &good, 1) && send_slot(fd, 3, SLOT_BYTES, &good, 1));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_SLOT);
  fd = raw_feeder(&it, 1);
  CHECK(send_forget(fd, 3));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_SLOT);

  /* In order: registered, sent, released when the next one stands in its place, sent again, forgotten, registered anew. */
  fd = raw_feeder(&it, 1);
  CHECK(send_slot(fd, 3, SLOT_BYTES, &good, 1) && send_slot(fd, 4, SLOT_BYTES, &good, 1) && send_slot_frame(fd, 4));
  for (int n = 0; n < 50; n++) {
    CHECK(send_slot_frame(fd, n % 2 ? 4 : 3));
    CHECK_EQ(released(fd), n % 2 ? 3 : 4);
  }
  CHECK(send_forget(fd, 3) && send_slot(fd, 3, 2 * SLOT_BYTES, &other, 1) && send_slot_frame(fd, 3));
  CHECK_EQ(released(fd), 4);

  /* A receiver keeps the frame: the slot stays the session's, and whoever uses it nevertheless is sent away. */
  msdk_incoming_video *view = door_view(&it, NULL);
  NEED(view != NULL);
  msdk_video_frame *kept = NULL;
  uint8_t *memory = mmap(NULL, 2 * SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);
  memset(memory, 42, 2 * SLOT_BYTES);
  for (int tries = 0; tries < 200; tries++) {
    if (msdk_incoming_video_read(view, 500, &kept) >= 0 && kept->plane[0].data[0] == 42) break;
    if (kept != NULL) msdk_video_frame_unref(kept);
    kept = NULL;
    CHECK(send_slot_frame(fd, tries % 2 ? 3 : 4));
    CHECK_EQ(released(fd), tries % 2 ? 4 : 3);
  }
  NEED(kept != NULL);
  CHECK(is_all(kept, 42));
  CHECK(kept->plane[0].stride == 64 && (kept->flags & MSDK_FRAME_WRITABLE) == 0);
  CHECK(send_slot_frame(fd, 3));
  CHECK_EQ(raw_reason(fd), MSDK_FEED_SLOT);
  /* The connection is gone, its memory is not. */
  CHECK(is_all(kept, 42));
  WAIT_UNTIL(mappings() == 2);
  CHECK_EQ(mappings(), 2);
  munmap(memory, 2 * SLOT_BYTES);
  CHECK(ftruncate(other, 0) != 0);
  CHECK_OK(msdk_video_frame_unref(kept));
  while (msdk_incoming_video_read(view, 0, &kept) >= 0) CHECK_OK(msdk_video_frame_unref(kept)); /* what nobody read holds memory, too */
  WAIT_UNTIL(mappings() == 0);
  CHECK_EQ(mappings(), 0);
  close(good);
  close(other);
  door_close(&it);
}

/* FORGET of a slot that the session has, and a feeder that never reads its RELEASEs. */
static void releases_that_are_not_read(void) {
  door it = door_open(MSDK_CODEC_RAW);
  int good = good_memfd();
  int fd = raw_feeder(&it, 1);
  CHECK(send_slot(fd, 0, SLOT_BYTES, &good, 1));
  int alive = 1;
  for (int n = 0; n < 200000 && alive; n++) {
    /* Whether it was released is not to be guessed. */
    alive = send_slot_frame(fd, 0);
    if (n % 100 == 0) sleep_ms(1);
  }
  CHECK(!alive);
  uint32_t reason = raw_reason(fd);
  CHECK(reason == MSDK_FEED_SLOT || reason == MSDK_FEED_STALLED || reason == MSDK_FEED_NONE);
  close(good);
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  CHECK(event.value == MSDK_FEED_SLOT || event.value == MSDK_FEED_STALLED);
  msdk_feeder *feeder = feeder_new(&it, 1);
  msdk_feeder_close(feeder);
  door_close(&it);
}

/* The library's own rules. */
static void the_feeder_checks_too(void) {
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *feeder = feeder_new(&it, 0);
  msdk_feeder_frame frame = MSDK_INIT(msdk_feeder_frame);
  CHECK_RESULT(msdk_feeder_acquire(feeder, MSDK_PIXEL_NV12, 320, 180, &frame), MSDK_E_STATE);
  CHECK_RESULT(msdk_feeder_send(feeder, &frame), MSDK_E_RANGE);
  frame = picture_of(MSDK_PIXEL_NV12, 320, 180, 0);
  frame.plane[1].stride = 319;
  CHECK_RESULT(msdk_feeder_send(feeder, &frame), MSDK_E_INVALID);
  CHECK_STR_CONTAINS(msdk_feeder_last_error(), "plane[1]");
  frame.pixel_format = 1;
  CHECK_RESULT(msdk_feeder_send(feeder, &frame), MSDK_E_UNSUPPORTED);
  frame = picture_of(MSDK_PIXEL_NV12, 320, 180, 0);
  frame.width = frame.height = 16384;
  frame.plane[0].stride = frame.plane[1].stride = 16384;
  CHECK_RESULT(msdk_feeder_send(feeder, &frame), MSDK_E_RANGE);
  CHECK_RESULT(msdk_feeder_send(NULL, &frame), MSDK_E_INVALID);
  msdk_feeder_close(feeder);
  msdk_feeder_close(NULL);
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));

  feeder = feeder_new(&it, 1);
  msdk_feeder_frame held[4];
  for (int i = 0; i < 4; i++) {
    held[i] = MSDK_INIT(msdk_feeder_frame);
    CHECK_RESULT(msdk_feeder_acquire(feeder, MSDK_PIXEL_BGRA, 100, 50, &held[i]), MSDK_OK);
    CHECK(held[i].plane[0].stride == 448 && held[i].plane[0].size == 448 * 50);
  }
  frame = MSDK_INIT(msdk_feeder_frame);
  CHECK_RESULT(msdk_feeder_acquire(feeder, MSDK_PIXEL_BGRA, 100, 50, &frame), MSDK_E_AGAIN);
  CHECK_RESULT(msdk_feeder_discard(feeder, &held[2]), MSDK_OK);
  CHECK_RESULT(msdk_feeder_discard(feeder, &held[2]), MSDK_E_INVALID);
  CHECK_RESULT(msdk_feeder_submit(feeder, &held[2]), MSDK_E_INVALID);
  held[0].slot = 4000000;
  CHECK_RESULT(msdk_feeder_submit(feeder, &held[0]), MSDK_E_INVALID);
  held[1].width = 4000;
  CHECK_RESULT(msdk_feeder_submit(feeder, &held[1]), MSDK_E_INVALID);
  held[1].width = 100;
  CHECK_RESULT(msdk_feeder_submit(feeder, &held[1]), MSDK_OK);
  CHECK_RESULT(msdk_feeder_submit(feeder, &held[1]), MSDK_E_INVALID);
  msdk_feeder_close(feeder);
  door_close(&it);
}

/* types.h: what this version does not know is refused, by this library as by the other. */
static void the_feeder_refuses_what_it_does_not_know(void) {
  door it = door_open(MSDK_CODEC_RAW);
  msdk_feeder *feeder = NULL;
  struct { msdk_feeder_options options; uint64_t more[2]; } options = {.options = feeder_options(&it, 1)};
  options.options.struct_size = sizeof options;
  CHECK_RESULT(msdk_feeder_open(&options.options, &feeder), MSDK_OK);
  msdk_feeder_close(feeder);
  options.more[1] = 1;
  CHECK_RESULT(msdk_feeder_open(&options.options, &feeder), MSDK_E_UNSUPPORTED);
  CHECK_STR_CONTAINS(msdk_feeder_last_error(), "options has a member at byte");
  msdk_event event;
  CHECK(door_event(&it, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  feeder = feeder_new(&it, 1);
  struct { msdk_feeder_frame frame; uint64_t more[2]; } longer = {.frame = picture_of(MSDK_PIXEL_NV12, 320, 180, 1)};
  const msdk_feeder_frame good = longer.frame;
  longer.frame.struct_size = sizeof longer;
  longer.more[0] = 1;
  CHECK_RESULT(msdk_feeder_send(feeder, &longer.frame), MSDK_E_UNSUPPORTED);
  CHECK_STR_CONTAINS(msdk_feeder_last_error(), "frame has a member at byte");
  msdk_feeder_frame bad = good;
  bad.orientation = 8;
  CHECK_RESULT(msdk_feeder_send(feeder, &bad), MSDK_E_UNSUPPORTED);
  bad = good, bad.color_full_range = 2;
  CHECK_RESULT(msdk_feeder_send(feeder, &bad), MSDK_E_UNSUPPORTED);
  bad = good, bad.plane[0].reserved0 = 1;
  CHECK_RESULT(msdk_feeder_send(feeder, &bad), MSDK_E_UNSUPPORTED);
  bad = good, bad.plane[3].reserved1 = 1;
  CHECK_RESULT(msdk_feeder_send(feeder, &bad), MSDK_E_UNSUPPORTED);
  /* What acquire fills, it fills as far as it knows, and says so. */
  memset(&longer, 0xFF, sizeof longer);
  longer.frame.struct_size = sizeof longer;
  CHECK_RESULT(msdk_feeder_acquire(feeder, MSDK_PIXEL_NV12, 320, 180, &longer.frame), MSDK_OK);
  CHECK_EQ(longer.frame.struct_size, sizeof longer.frame);
  CHECK(longer.more[0] == 0 && longer.more[1] == 0);
  bad = longer.frame, bad.orientation = 8;
  CHECK_RESULT(msdk_feeder_submit(feeder, &bad), MSDK_E_UNSUPPORTED);
  bad = longer.frame, bad.color_full_range = 2;
  CHECK_RESULT(msdk_feeder_submit(feeder, &bad), MSDK_E_UNSUPPORTED);
  CHECK_RESULT(msdk_feeder_submit(feeder, &longer.frame), MSDK_OK);
  CHECK_RESULT(msdk_feeder_flush(feeder, 20000), MSDK_OK);
  const uint8_t byte = 0;
  msdk_encoded_frame vp8 = MSDK_INIT(msdk_encoded_frame), wrong;
  vp8.codec = MSDK_CODEC_VP8, vp8.data = &byte, vp8.size = 1, vp8.width = 320, vp8.height = 180;
  wrong = vp8, wrong.flags = 0x100;
  CHECK_RESULT(msdk_feeder_send_encoded(feeder, &wrong), MSDK_E_UNSUPPORTED);
  wrong = vp8, wrong.orientation = 8;
  CHECK_RESULT(msdk_feeder_send_encoded(feeder, &wrong), MSDK_E_UNSUPPORTED);
  wrong = vp8, wrong.color_full_range = 2;
  CHECK_RESULT(msdk_feeder_send_encoded(feeder, &wrong), MSDK_E_UNSUPPORTED);
  wrong = vp8, wrong.reserved0 = 1;
  CHECK_RESULT(msdk_feeder_send_encoded(feeder, &wrong), MSDK_E_UNSUPPORTED);
  uint32_t reason = 99;
  CHECK_RESULT(msdk_feeder_get_reason(feeder, &reason), MSDK_OK);
  CHECK_EQ(reason, MSDK_FEED_NONE); /* nothing of all this was sent */
  CHECK_RESULT(msdk_feeder_get_reason(feeder, NULL), MSDK_E_INVALID);
  CHECK_RESULT(msdk_feeder_get_reason(NULL, &reason), MSDK_E_INVALID);
  CHECK_RESULT(msdk_feeder_take_key_frame_request(feeder, NULL), MSDK_E_INVALID);
  CHECK_RESULT(msdk_feeder_take_key_frame_request(NULL, &reason), MSDK_E_INVALID);
  msdk_feeder_close(feeder);
  door_close(&it);
}

static void feeder_options_are_checked(void) {
  msdk_feeder *feeder = NULL;
  door none = {.port = 1, .path = "nobody-here"};
  msdk_feeder_options good = feeder_options(&none, 1), bad = good;
  CHECK_RESULT(msdk_feeder_open(NULL, &feeder), MSDK_E_INVALID);
  CHECK_RESULT(msdk_feeder_open(&good, NULL), MSDK_E_INVALID);
  CHECK_RESULT(msdk_feeder_open(&good, &feeder), MSDK_E_NOT_FOUND);
  CHECK_STR_CONTAINS(msdk_feeder_last_error(), "nobody-here");
  bad.port = 5;
  CHECK_RESULT(msdk_feeder_open(&bad, &feeder), MSDK_E_INVALID);
  bad = good, bad.socket_path = NULL;
  CHECK_RESULT(msdk_feeder_open(&bad, &feeder), MSDK_E_INVALID);
  bad = good, bad.reception_token_size = 300;
  CHECK_RESULT(msdk_feeder_open(&bad, &feeder), MSDK_E_RANGE);
  bad = good, bad.slots = 17;
  CHECK_RESULT(msdk_feeder_open(&bad, &feeder), MSDK_E_RANGE);
  bad = good, bad.struct_size = 4;
  CHECK_RESULT(msdk_feeder_open(&bad, &feeder), MSDK_E_INVALID);
  /* Somebody listens and says nothing. */
  int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  CHECK(bind(silent, (struct sockaddr *)&address, size) == 0 && listen(silent, 1) == 0);
  CHECK(getsockname(silent, (struct sockaddr *)&address, &size) == 0);
  none.port = ntohs(address.sin_port);
  bad = feeder_options(&none, 0);
  bad.timeout_ms = 100;
  CHECK_RESULT(msdk_feeder_open(&bad, &feeder), MSDK_E_TIMEOUT);
  close(silent);
  CHECK_RESULT(msdk_feeder_open(&bad, &feeder), MSDK_E_NOT_FOUND);
  CHECK(feeder == NULL);
}

int main(int argc, char **argv) {
  (void)argv;
  RUN(memory_that_is_refused);
  RUN(descriptors_out_of_place);
  RUN(slots_change_hands_one_at_a_time);
  RUN(releases_that_are_not_read);
  RUN(the_feeder_checks_too);
  RUN(the_feeder_refuses_what_it_does_not_know);
  RUN(feeder_options_are_checked);
  return check_finish();
}
