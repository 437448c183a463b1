/* A session with a door and one who watches; feeders by the library, and by hand: bytes and descriptors as a test wants them. */
#ifndef FEEDING_H
#define FEEDING_H

#include "call.h"
#include "proving.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mediasdk/feeder.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

/* With NULs in it, and one that is a beginning of the other. */
static const uint8_t feeding_token[20] = {0, 1, 2, 0, 255, 5, 6, 7, 0, 9, 10, 11, 12, 13, 0, 15, 16, 17, 18, 0};
static const uint8_t feeding_answer[24] = {0, 1, 2, 0, 255, 5, 6, 7, 0, 9, 10, 11, 12, 13, 0, 15, 16, 17, 18, 0, 20, 0, 0, 0};

typedef struct door {
  msdk_engine *engine;
  msdk_session *host, *viewer;
  uint32_t port;
  char path[64];
} door;

static inline msdk_ingest_options door_options(const char *path) {
  msdk_ingest_options options = MSDK_INIT(msdk_ingest_options);
  options.port = MSDK_PORT_ANY;
  options.socket_path = path;
  options.transmission_token = feeding_token;
  options.transmission_token_size = sizeof feeding_token;
  options.reception_token = feeding_answer;
  options.reception_token_size = sizeof feeding_answer;
  options.limits = MSDK_LIMITS_EXTENDED;
  options.fps = 60;
  return options;
}

static inline door door_open(uint32_t codec) {
  static int counter;
  door it = {.engine = engine_new(MSDK_CLOCK_SYSTEM)};
  const char *room = room_new();
  it.host = join(it.engine, room, "alice");
  it.viewer = join(it.engine, room, "bob");
  snprintf(it.path, sizeof it.path, "door-%d-%d", (int)getpid(), counter++);
  msdk_ingest_options options = door_options(it.path);
  options.codec = codec;
  CHECK_OK(msdk_session_set_ingest(it.host, &options));
  CHECK_OK(msdk_session_get_ingest_port(it.host, &it.port));
  return it;
}

static inline void door_close(door *it) {
  msdk_engine_destroy(it->engine);
  CHECK(access(it->path, F_OK) != 0);
}

/* The next MSDK_EVENT_INGEST in that state. */
static inline int door_event(door *it, uint32_t state, msdk_event *out) {
  for (int tries = 0; tries < (under_tools() ? 24 : 4); tries++) {
    while (event_wait(it->engine, it->host, MSDK_EVENT_INGEST, out)) {
      if (out->state == state) return 1;
    }
  }
  return 0;
}

/* The screen share that the viewer is told of, started; NULL when none came. */
static inline msdk_incoming_video *door_view(door *it, const msdk_incoming_video_options *options) {
  msdk_event event;
  if (!CHECK(event_wait(it->engine, it->viewer, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event))) return NULL;
  CHECK_EQ(event.kind, MSDK_VIDEO_SCREEN_SHARE);
  CHECK_OK(msdk_incoming_video_start(event.incoming_video, options));
  return event.incoming_video;
}

/* --------------------------------------------------------------------------------------------------- feeders by the library */

static inline msdk_feeder_options feeder_options(const door *it, int by_path) {
  msdk_feeder_options options = MSDK_INIT(msdk_feeder_options);
  if (by_path) options.socket_path = it->path;
  else options.port = it->port;
  options.transmission_token = feeding_token;
  options.transmission_token_size = sizeof feeding_token;
  options.reception_token = feeding_answer;
  options.reception_token_size = sizeof feeding_answer;
  options.timeout_ms = 20000;
  return options;
}

static inline msdk_feeder *feeder_new(const door *it, int by_path) {
  msdk_feeder_options options = feeder_options(it, by_path);
  msdk_feeder *feeder = NULL;
  msdk_result result = msdk_feeder_open(&options, &feeder);
  if (!CHECK_OK(result)) fprintf(stderr, "  %s\n", msdk_feeder_last_error());
  return feeder;
}

static inline uint32_t feeder_reason(msdk_feeder *feeder) {
  uint32_t reason = UINT32_MAX;
  CHECK_OK(msdk_feeder_get_reason(feeder, &reason));
  return reason;
}

static inline uint32_t feeder_wants_key_frame(msdk_feeder *feeder) {
  uint32_t wants = UINT32_MAX;
  CHECK_OK(msdk_feeder_take_key_frame_request(feeder, &wants));
  return wants;
}

/* A picture in memory of this process, all of one value; data is allocated once for the largest. */
static inline msdk_feeder_frame picture_of(uint32_t pixel_format, uint32_t width, uint32_t height, uint8_t value) {
  static uint8_t *memory;
  if (memory == NULL) memory = malloc(4 * 1920 * 1080 + 65536);
  msdk_feeder_frame frame = MSDK_INIT(msdk_feeder_frame);
  frame.pixel_format = pixel_format;
  frame.width = width;
  frame.height = height;
  msdk_frame_layout layout = MSDK_INIT(msdk_frame_layout);
  CHECK_OK(msdk_frame_get_layout(pixel_format, width, height, 1, &layout));
  for (uint32_t p = 0; p < layout.plane_count; p++) {
    frame.plane[p].data = memory + layout.offset[p];
    frame.plane[p].stride = (int32_t)layout.stride[p];
  }
  memset(memory, value, layout.size);
  return frame;
}

/* Sends until it is taken: one that is on its way is no fault. */
static inline msdk_result feed(msdk_feeder *feeder, const msdk_feeder_frame *frame) {
  msdk_result result = MSDK_E_AGAIN;
  for (int tries = 0; tries < 20000 && result == MSDK_E_AGAIN; tries++) {
    result = msdk_feeder_send(feeder, frame);
    if (result == MSDK_E_AGAIN) sleep_ms(1);
  }
  return result;
}

/* Whether every pixel of the frame has that value. */
static inline int is_all(const msdk_video_frame *frame, uint8_t value) {
  msdk_frame_layout layout = MSDK_INIT(msdk_frame_layout);
  CHECK_OK(msdk_frame_get_layout(frame->format->pixel_format, frame->format->width, frame->format->height, 1, &layout));
  for (uint32_t p = 0; p < frame->plane_count; p++) {
    for (uint32_t y = 0; y < layout.rows[p]; y++) {
      const uint8_t *row = frame->plane[p].data + (int64_t)y * frame->plane[p].stride;
      for (uint32_t x = 0; x < layout.row_bytes[p]; x++) {
        if (row[x] != value) return 0;
      }
    }
  }
  return 1;
}

/* ------------------------------------------------------------------------------------------------------- feeders by hand */

static inline int raw_connect(const door *it, int by_path) {
  struct sockaddr_in inside = {.sin_family = AF_INET, .sin_port = htons((uint16_t)it->port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_un path = {.sun_family = AF_UNIX};
  snprintf(path.sun_path, sizeof path.sun_path, "%s", it->path);
  int fd = socket(by_path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int failed = by_path ? connect(fd, (struct sockaddr *)&path, sizeof path) : connect(fd, (struct sockaddr *)&inside, sizeof inside);
  if (fd >= 0 && failed) {
    close(fd);
    return -1;
  }
  return fd;
}

/* Sends bytes, with descriptors in the first of them. */
static inline int raw_send(int fd, const void *bytes, size_t size, const int *descriptors, int count) {
  union { char bytes[CMSG_SPACE(32 * sizeof(int))]; struct cmsghdr align; } control;
  struct iovec vector = {(void *)(uintptr_t)bytes, size};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  if (count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN((size_t)count * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), descriptors, (size_t)count * sizeof(int));
  }
  return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

static inline int raw_read(int fd, uint8_t *bytes, size_t size) {
  for (size_t got = 0; got < size;) {
    struct pollfd one = {fd, POLLIN, 0};
    if (poll(&one, 1, under_tools() ? 60000 : 15000) <= 0) return 0;
    ssize_t some = read(fd, bytes + got, size - got);
    if (some <= 0) return 0;
    got += (size_t)some;
  }
  return 1;
}

/* The next message: its type, its body in `body` (512 bytes), its size in *size; 0 at the end. */
static inline uint32_t raw_message(int fd, uint8_t *body, uint32_t *size) {
  uint8_t head[8];
  if (!raw_read(fd, head, 8)) return 0;
  *size = raw_get(head);
  if (*size > 512 || !raw_read(fd, body, *size)) return 0;
  return raw_get(head + 4);
}

/* The reason of the REFUSED that ends the connection, which it closes; MSDK_FEED_NONE when there came none. */
static inline uint32_t raw_reason(int fd) {
  uint8_t body[512];
  uint32_t size = 0, type, reason = MSDK_FEED_NONE;
  while ((type = raw_message(fd, body, &size)) != 0) {
    if (type == 17 && size >= 8) reason = raw_get(body);
  }
  close(fd);
  return reason;
}

/* A connection that has said HELLO and has its CHALLENGE, whose proof is right; -1 when it has not. */
static inline int raw_challenged(const door *it, int by_path, exchange *with) {
  uint8_t bytes[512], proof[32];
  uint32_t size = 0;
  int fd = raw_connect(it, by_path);
  *with = exchange_of(fd, by_path, 1);
  size_t length = raw_hello(bytes, 2, with->feeder_nonce, 32);
  if (!CHECK(fd >= 0 && raw_send(fd, bytes, length, NULL, 0))) return -1;
  if (!CHECK_EQ(raw_message(fd, bytes, &size), 20)) {
    close(fd);
    return -1;
  }
  CHECK_EQ(size, 8 + 32 + 32);
  CHECK_EQ(raw_get(bytes), 2);
  memcpy(with->session_nonce, bytes + 8, 32);
  exchange_prove(with, "MSDKFEED session", feeding_answer, sizeof feeding_answer, proof);
  CHECK(memcmp(bytes + 40, proof, 32) == 0);
  return fd;
}

/* A PROOF of that token. */
static inline size_t raw_proof(uint8_t *at, const exchange *with, const void *token, uint32_t size) {
  exchange_prove(with, "MSDKFEED feeder", token, size, raw_head(at, 32, 7));
  return 8 + 32;
}

/* A connection that has been welcomed; -1 when it was not. */
static inline int raw_feeder(const door *it, int by_path) {
  uint8_t bytes[512];
  uint32_t size = 0;
  exchange with;
  int fd = raw_challenged(it, by_path, &with);
  size_t length = raw_proof(bytes, &with, feeding_token, sizeof feeding_token);
  if (fd < 0 || !CHECK(raw_send(fd, bytes, length, NULL, 0))) return -1;
  if (!CHECK_EQ(raw_message(fd, bytes, &size), 16)) {
    close(fd);
    return -1;
  }
  CHECK_EQ(size, 16);
  CHECK_EQ(raw_get(bytes), 2);
  CHECK_EQ(raw_get(bytes + 4), by_path ? 16 : 0);
  return fd;
}

/* A right header of a tight 64x32 NV12 frame; tests spoil it. */
enum { RAW_PAYLOAD = 64 * 32 * 3 / 2 };
static inline uint8_t *raw_frame(uint8_t *at) {
  uint8_t *end = raw32(raw32(raw32(raw32(at, MSDK_PIXEL_NV12), 64), 32), 0);
  end = raw32(raw32(raw64(end, 0), 0), 2);
  end = raw32(raw32(raw32(raw32(end, 64), 64), 0), 0);
  return raw64(raw32(raw32(end, 0), 0), RAW_PAYLOAD);
}

#endif
