/* A door under fire: connections that begin right and go wrong, in pieces of any size, with descriptors where none belong, and that break off
 * anywhere. The same for the same seed. Afterwards the door works, and nothing is left behind. */
#include "feeding.h"
#include "random.h"

static uint64_t state;
static uint32_t below(uint32_t limit) { return random_below(&state, limit); }

/* A right message, or nearly: its size. */
static size_t message(uint8_t *bytes) {
  size_t size = 8;
  memset(bytes, 7, 8192);
  switch (below(7)) {
    case 0: size = below(2) ? raw_hello(bytes, 2, bytes + 4096, 32) : (size_t)(raw_head(bytes, 32, 7) - bytes) + 32; break;
    case 1: case 2: raw_frame(raw_head(bytes, 64 + RAW_PAYLOAD, 2)); size = 72 + RAW_PAYLOAD; break;
    case 3: raw64(raw32(raw32(raw_head(bytes, 16, 3), below(3)), 0), 8192); size = 24; break;
    case 4: raw_frame(raw32(raw32(raw_head(bytes, 72, 4), below(3)), 0)); size = 80; break;
    case 5: raw32(raw32(raw_head(bytes, 8, 5), below(3)), 0); size = 16; break;
    default: raw_head(bytes, 0, 6); break;
  }
  if (below(3) == 0) return size;
  for (uint32_t n = 1 + below(3); n > 0; n--) {
    static const uint8_t edges[] = {0, 1, 0x7F, 0x80, 0xFF};
    uint8_t *at = &bytes[below(size < 88 ? (uint32_t)size : 88)];
    *at = below(2) ? (uint8_t)(*at ^ 1u << below(8)) : edges[below(5)];
  }
  return below(4) == 0 ? below((uint32_t)size + 1) : size;
}

/* Whether what comes next finds a feeder, if there is no other. */
static int greet(int fd, int by_path) {
  uint8_t bytes[512];
  uint32_t size = 0;
  exchange with = exchange_of(fd, by_path, 1);
  if (!raw_send(fd, bytes, raw_hello(bytes, 2, with.feeder_nonce, 32), NULL, 0) || raw_message(fd, bytes, &size) != 20) return 0;
  memcpy(with.session_nonce, bytes + 8, 32);
  return raw_send(fd, bytes, raw_proof(bytes, &with, feeding_token, sizeof feeding_token), NULL, 0);
}

static void fire(const door *it, int memfd) {
  int by_path = (int)below(2), fd = raw_connect(it, by_path);
  uint8_t bytes[8192], answer[512];
  CHECK(fd >= 0);
  size_t size = 0;
  int is_alive = below(10) == 0 || greet(fd, by_path);
  for (uint32_t n = below(8); n > 0 && is_alive; n--) {
    size = message(bytes);
    size_t cut = below(3) == 0 ? below((uint32_t)size + 1) : size;
    int passes = by_path && below(2) == 0 ? 1 + (int)(below(8) == 0) : 0, both[2] = {memfd, memfd};
    is_alive = (cut == 0 || raw_send(fd, bytes, cut, both, passes)) && (cut == size || raw_send(fd, bytes + cut, size - cut, NULL, 0));
    while (recv(fd, answer, sizeof answer, MSG_DONTWAIT) > 0) continue;
  }
  close(fd);
}

static void connections_that_go_wrong(void) {
  int before = process_descriptors(), rounds = under_tools() ? 1000 : 6000;
  state = 20;
  door it = door_open(MSDK_CODEC_RAW);
  int inside = process_descriptors(), memfd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  CHECK(ftruncate(memfd, 8192) == 0 && fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
  int64_t memory = 0;
  for (int n = 0; n < rounds; n++) {
    if (n == rounds / 4) memory = process_resident_kib();
    fire(&it, memfd);
  }
  close(memfd);
  if (!under_tools()) CHECK_RANGE(process_resident_kib() - memory, -100000, 16384);
  WAIT_UNTIL(process_descriptors() == inside); /* the last of them may be a feeder until its end was noticed, and there is one at a time */
  msdk_feeder *feeder = feeder_new(&it, 1);
  NEED(feeder != NULL);
  msdk_event event = MSDK_INIT(msdk_event);
  event_take(it.host, MSDK_EVENT_INGEST, &event);
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_BGRA, 320, 180, 3);
  CHECK_OK(feed(feeder, &picture));
  CHECK(door_event(&it, MSDK_INGEST_SHARING, &event));
  msdk_feeder_close(feeder);
  WAIT_UNTIL(process_descriptors() == inside); /* the feeder came last: no connection still waits to be let in */
  CHECK_EQ(process_descriptors(), inside);
  door_close(&it);
  WAIT_UNTIL(process_descriptors() == before);
  CHECK_EQ(process_descriptors(), before);
}

int main(int argc, char **argv) {
  (void)argv;
  RUN(connections_that_go_wrong);
  return check_finish();
}
