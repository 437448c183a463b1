#include "rtp_meter.h"

#include "measure.h"
#include "video/painted.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PERIOD_NS = 1000000000 / RTP_FPS, SETTLE_NS = 300000000, PATIENCE_NS = 1000000000 };

struct pacing {
  struct rtp_meter *meter;
  rtp_send_fn send;
  uint32_t stream;
  double cpu; /* the process's, when the warm-up was over */
};

void rtp_meter_open(struct rtp_meter *meter, char *const arguments[4], enum clip_layout layout) {
  memset(meter, 0, sizeof *meter);
  unsigned width, height;
  if (sscanf(arguments[1], "%ux%u", &width, &height) != 2) die("'%s' is no size such as 1280x720", arguments[1]);
  uint64_t streams = count_from(arguments[2]);
  if (streams > RTP_STREAMS) die("up to %d streams", RTP_STREAMS);
  meter->streams = (uint32_t)streams;
  meter->warm_up = 3 * RTP_FPS; /* until rates and delays have settled */
  meter->count = count_from(arguments[3]) + meter->warm_up;
  clip_open(&meter->clip, arguments[0], layout);
  clip_cut(&meter->clip, width, height, layout);
  for (uint32_t s = 0; s < meter->streams; s++) {
    meter->stream[s].at = calloc(meter->count, sizeof *meter->stream[s].at);
    meter->stream[s].taken = calloc(meter->count, sizeof *meter->stream[s].taken);
    if (meter->stream[s].at == NULL || meter->stream[s].taken == NULL) die("no memory");
  }
}

void rtp_meter_arrived(struct rtp_meter *meter, uint32_t stream, const uint8_t *luma, ptrdiff_t stride) {
  int64_t now = now_ns();
  uint64_t number = painted_read(luma, stride);
  if (number >= meter->count || atomic_load(&meter->stream[stream].at[number]) == 0)
    die("picture %llu was not sent", (unsigned long long)number);
  atomic_store(&meter->stream[stream].taken[number], now - atomic_load(&meter->stream[stream].at[number]));
}

static void *pace(void *data) {
  struct pacing *pacing = data;
  struct rtp_meter *meter = pacing->meter;
  int64_t begin = meter->begin + (int64_t)PERIOD_NS * pacing->stream / meter->streams;
  for (uint64_t i = 0; i < meter->count; i++) {
    sleep_until(begin + (int64_t)(i * 1000000000 / RTP_FPS));
    if (i == meter->warm_up) pacing->cpu = cpu_seconds();
    uint8_t *picture = clip_picture(&meter->clip, i);
    /* All streams paint the same into the same picture, within the time of one; it is painted again when the clip is over. */
    painted_write(picture, meter->clip.width, i);
    atomic_store(&meter->stream[pacing->stream].at[i], now_ns());
    pacing->send(meter, pacing->stream, picture, i);
  }
  return NULL;
}

/* Encoders leave out pictures, so that it is not known which will be the last. */
static void wait_for_last(const struct rtp_meter *meter) {
  int64_t since = now_ns();
  for (uint32_t s = 0; s < meter->streams; s++) {
    while (atomic_load(&meter->stream[s].taken[meter->count - 1]) == 0 && now_ns() - since < SETTLE_NS) sleep_until(now_ns() + 1000000);
  }
}

static void tell(const struct rtp_meter *meter, double cpu) {
  uint64_t wanted = meter->count - meter->warm_up, here = 0, bytes = 0;
  int64_t *all = calloc(wanted * meter->streams, sizeof *all);
  if (all == NULL) die("no memory");
  for (uint32_t s = 0; s < meter->streams; s++) {
    bytes += atomic_load(&meter->stream[s].bytes);
    for (uint64_t i = meter->warm_up; i < meter->count; i++) {
      int64_t taken = atomic_load(&meter->stream[s].taken[i]);
      if (taken != 0) all[here++] = taken;
    }
  }
  report_quantiles("latency", all, here);
  double pictures = (double)wanted * meter->streams;
  report("cpu_percent", cpu / pictures * RTP_FPS * 100);
  report("delivered_percent", (double)here / pictures * 100);
  report("kbps", (double)bytes * 8 / 1000 * RTP_FPS / (double)meter->count / meter->streams);
  free(all);
}

void rtp_meter_run(struct rtp_meter *meter, rtp_send_fn send) {
  pthread_t thread[RTP_STREAMS];
  struct pacing pacing[RTP_STREAMS];
  meter->begin = now_ns() + PERIOD_NS;
  for (uint32_t s = 0; s < meter->streams; s++) {
    pacing[s] = (struct pacing){.meter = meter, .send = send, .stream = s};
    if (pthread_create(&thread[s], NULL, pace, &pacing[s]) != 0) die("no thread");
  }
  for (uint32_t s = 0; s < meter->streams; s++) pthread_join(thread[s], NULL);
  wait_for_last(meter);
  tell(meter, cpu_seconds() - pacing[0].cpu);
}

void rtp_meter_close(struct rtp_meter *meter) {
  for (uint32_t s = 0; s < meter->streams; s++) {
    free(meter->stream[s].at);
    free(meter->stream[s].taken);
  }
  clip_close(&meter->clip);
}

static int bound(uint16_t port, struct sockaddr_in *address) {
  socklen_t length = sizeof *address;
  int socket_ = socket(AF_INET, SOCK_DGRAM, 0);
  *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (socket_ < 0) die("no socket");
  if (bind(socket_, (struct sockaddr *)address, sizeof *address) == 0 && getsockname(socket_, (struct sockaddr *)address, &length) == 0) {
    return socket_;
  }
  close(socket_);
  return -1;
}

uint16_t rtp_free_port(void) {
  static uint16_t next = 0;
  struct sockaddr_in address;
  if (next == 0) {
    int any = bound(0, &address);
    if (any < 0) die("no port");
    close(any);
    next = (uint16_t)(ntohs(address.sin_port) % 20000 + 20000) & 0xFFFE;
  }
  for (int turn = 0; turn < 1000; turn++, next += 2) {
    int even = bound(next, &address), odd = bound((uint16_t)(next + 1), &address), both = even >= 0 && odd >= 0;
    if (even >= 0) close(even);
    if (odd >= 0) close(odd);
    if (!both) continue;
    next += 2;
    return (uint16_t)(next - 2);
  }
  die("no port is free");
}
