/* The limit for video over a network: a plain loop around libvpx and a socket of UDP. The thread that paces encodes, cuts and sends; another one
 * receives, puts together and decodes. RTP and VP8's descriptor as short as they may be (RFC 3550, RFC 7741): no RTCP, no order, no loss.
 *
 *   rtp_bare CLIP WIDTHxHEIGHT STREAMS FRAMES */
#include "measure.h"
#include "rtp_meter.h"
#include "video/vpx_encoder.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>

enum { HEADER = 12, DESCRIPTOR = 1, PAYLOAD = 1187, PACKETS = 64, PICTURE = 1 << 20, DATAGRAM = 1500 };

struct sender {
  vpx_codec_ctx_t encoder;
  vpx_image_t image;
  int socket_;
  uint16_t sequence;
  uint8_t header[PACKETS][HEADER + DESCRIPTOR];
};

struct receiver {
  struct rtp_meter *meter;
  uint32_t stream;
  int socket_;
};

static struct rtp_meter meter;

static void write_header(struct sender *sender, uint8_t *to, uint32_t stamp, int is_first, int is_last) {
  uint16_t sequence = sender->sequence++;
  uint8_t header[HEADER + DESCRIPTOR] = {0x80,
                                         (uint8_t)(is_last << 7 | 96),
                                         (uint8_t)(sequence >> 8),
                                         (uint8_t)sequence,
                                         (uint8_t)(stamp >> 24),
                                         (uint8_t)(stamp >> 16),
                                         (uint8_t)(stamp >> 8),
                                         (uint8_t)stamp,
                                         0,
                                         0,
                                         0,
                                         1,
                                         (uint8_t)(is_first << 4)};
  memcpy(to, header, sizeof header);
}

static void send_picture(struct sender *sender, const uint8_t *bytes, size_t size, uint32_t stamp) {
  for (size_t at = 0; at < size;) {
    struct iovec part[PACKETS][2];
    struct mmsghdr message[PACKETS] = {0};
    unsigned count = 0;
    for (; count < PACKETS && at < size; count++) {
      size_t length = size - at < PAYLOAD ? size - at : PAYLOAD;
      write_header(sender, sender->header[count], stamp, at == 0, at + length == size);
      part[count][0] = (struct iovec){.iov_base = sender->header[count], .iov_len = sizeof sender->header[count]};
      part[count][1] = (struct iovec){.iov_base = (void *)(bytes + at), .iov_len = length};
      message[count].msg_hdr = (struct msghdr){.msg_iov = part[count], .msg_iovlen = 2};
      at += length;
    }
    if (sendmmsg(sender->socket_, message, count, 0) != (int)count) die("not all was sent");
  }
}

static void encode(struct rtp_meter *unused, uint32_t stream, uint8_t *picture, uint64_t i) {
  (void)unused;
  struct sender *sender = meter.stream[stream].user;
  vpx_nv12_planes(&sender->image, picture);
  vpx_codec_pts_t at = (vpx_codec_pts_t)(i * VPX_TICKS / RTP_FPS);
  if (vpx_codec_encode(&sender->encoder, &sender->image, at, VPX_TICKS / RTP_FPS, 0, VPX_DL_REALTIME) != VPX_CODEC_OK) {
    die("frame %llu: %s", (unsigned long long)i, vpx_codec_error(&sender->encoder));
  }
  vpx_codec_iter_t iterator = NULL;
  for (const vpx_codec_cx_pkt_t *packet; (packet = vpx_codec_get_cx_data(&sender->encoder, &iterator)) != NULL;) {
    if (packet->kind != VPX_CODEC_CX_FRAME_PKT) continue;
    atomic_fetch_add(&meter.stream[stream].bytes, packet->data.frame.sz);
    send_picture(sender, packet->data.frame.buf, packet->data.frame.sz, (uint32_t)(i * 90000 / RTP_FPS));
  }
}

static void decode(struct receiver *receiver, vpx_codec_ctx_t *decoder, const uint8_t *bytes, size_t size) {
  if (vpx_codec_decode(decoder, bytes, (unsigned)size, NULL, 0) != VPX_CODEC_OK) die("what came cannot be decoded");
  vpx_codec_iter_t iterator = NULL;
  const vpx_image_t *image = vpx_codec_get_frame(decoder, &iterator);
  if (image != NULL) rtp_meter_arrived(receiver->meter, receiver->stream, image->planes[VPX_PLANE_Y], image->stride[VPX_PLANE_Y]);
}

static void *receive(void *data) {
  struct receiver *receiver = data;
  vpx_codec_ctx_t decoder;
  if (vpx_codec_dec_init(&decoder, vpx_codec_vp8_dx(), NULL, 0) != VPX_CODEC_OK) die("no VP8 decoder");
  uint8_t datagram[DATAGRAM], *picture = malloc(PICTURE);
  if (picture == NULL) die("no memory");
  size_t size = 0;
  for (ssize_t count; (count = recv(receiver->socket_, datagram, sizeof datagram, 0)) > 0;) {
    if (count <= HEADER + DESCRIPTOR) break; /* the end */
    size_t length = (size_t)count - HEADER - DESCRIPTOR;
    if (length > PICTURE - size) die("a picture of more than %d bytes", PICTURE);
    memcpy(picture + size, datagram + HEADER + DESCRIPTOR, length);
    size += length;
    if (datagram[1] >> 7 == 0) continue;
    decode(receiver, &decoder, picture, size);
    size = 0;
  }
  vpx_codec_destroy(&decoder);
  free(picture);
  return NULL;
}

static int open_socket(struct sockaddr_in *address, int connects) {
  int socket_ = socket(AF_INET, SOCK_DGRAM, 0), space = 4 << 20;
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &space, sizeof space);
  int result =
      connects ? connect(socket_, (struct sockaddr *)address, sizeof *address) : bind(socket_, (struct sockaddr *)address, sizeof *address);
  if (socket_ < 0 || result != 0) die("no socket");
  return socket_;
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage: rtp_bare CLIP WIDTHxHEIGHT STREAMS FRAMES");
  rtp_meter_open(&meter, argv + 1, CLIP_NV12);
  struct sender *senders = calloc(meter.streams, sizeof *senders);
  struct receiver *receivers = calloc(meter.streams, sizeof *receivers);
  if (senders == NULL || receivers == NULL) die("no memory");
  pthread_t thread[RTP_STREAMS];
  for (uint32_t s = 0; s < meter.streams; s++) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(rtp_free_port()), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    receivers[s] = (struct receiver){.meter = &meter, .stream = s, .socket_ = open_socket(&address, 0)};
    senders[s].socket_ = open_socket(&address, 1);
    senders[s].image = vpx_nv12_image(meter.clip.width, meter.clip.height);
    vpx_encoder_open(&senders[s].encoder, meter.clip.width, meter.clip.height, &vp8_ours);
    meter.stream[s].user = &senders[s];
    if (pthread_create(&thread[s], NULL, receive, &receivers[s]) != 0) die("no thread");
  }
  rtp_meter_run(&meter, encode);
  for (uint32_t s = 0; s < meter.streams; s++) {
    if (write(senders[s].socket_, "end", 3) != 3) die("the end was not sent");
    pthread_join(thread[s], NULL);
    vpx_codec_destroy(&senders[s].encoder);
    close(senders[s].socket_);
    close(receivers[s].socket_);
  }
  free(senders);
  free(receivers);
  rtp_meter_close(&meter);
  return 0;
}
