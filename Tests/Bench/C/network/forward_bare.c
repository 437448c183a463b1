/* The limit for a server: a plain loop of recvmmsg and sendmmsg that sends each packet of a member on to all others, as it is or, as SRTP does
 * (RFC 7714), opened with their key and sealed for each other one with theirs by OpenSSL's AES-GCM. It knows nothing of losses, order or pace.
 * The members wait for what comes, as members do: waking them is work of whoever sends.
 *
 *   forward_bare plain|gcm MEMBERS SECONDS */
#include "forward_traffic.h"
#include "measure.h"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER = 12, TAG = 16, PAYLOAD = FORWARD_PICTURE / FORWARD_PACKETS + 16, PLAIN = HEADER + PAYLOAD, BATCH = 64, SLOT = 1500 };

struct batch {
  struct mmsghdr message[BATCH];
  struct iovec part[BATCH];
  struct sockaddr_in address[BATCH];
  uint8_t bytes[BATCH][SLOT];
  unsigned count;
};

static EVP_CIPHER_CTX *opening[FORWARD_MEMBERS], *sealing[FORWARD_MEMBERS];
static struct sockaddr_in address[FORWARD_MEMBERS];
static unsigned members;
static int server_socket, seals;
static struct batch in, out;

static int open_socket(struct sockaddr_in *where) {
  socklen_t length = sizeof *where;
  int socket_ = socket(AF_INET, SOCK_DGRAM, 0), space = 4 << 20;
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &space, sizeof space);
  *where = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (socket_ < 0 || bind(socket_, (struct sockaddr *)where, sizeof *where) != 0) die("no socket");
  if (getsockname(socket_, (struct sockaddr *)where, &length) != 0) die("no address");
  return socket_;
}

static EVP_CIPHER_CTX *cipher(int encrypts) {
  static const uint8_t key[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (context == NULL || EVP_CipherInit_ex(context, EVP_aes_128_gcm(), NULL, key, NULL, encrypts) != 1) die("no AES-GCM");
  return context;
}

/* The packet's number is its initialisation vector, its header authentic and in the clear. */
static void init_vector(const uint8_t *packet, uint8_t vector[12]) {
  memset(vector, 0, 12);
  memcpy(vector + 2, packet + 8, 4);
  memcpy(vector + 10, packet + 2, 2);
}

static void seal(EVP_CIPHER_CTX *context, const uint8_t *plain, uint8_t *to) {
  uint8_t vector[12];
  int size;
  init_vector(plain, vector);
  memcpy(to, plain, HEADER);
  if (EVP_EncryptInit_ex(context, NULL, NULL, NULL, vector) != 1 || EVP_EncryptUpdate(context, NULL, &size, plain, HEADER) != 1 ||
      EVP_EncryptUpdate(context, to + HEADER, &size, plain + HEADER, PAYLOAD) != 1 ||
      EVP_EncryptFinal_ex(context, to + PLAIN, &size) != 1 || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, TAG, to + PLAIN) != 1) {
    die("sealing failed");
  }
}

static int unseal(EVP_CIPHER_CTX *context, uint8_t *packet, uint8_t *to) {
  uint8_t vector[12];
  int size;
  init_vector(packet, vector);
  memcpy(to, packet, HEADER);
  return EVP_DecryptInit_ex(context, NULL, NULL, NULL, vector) == 1 && EVP_DecryptUpdate(context, NULL, &size, packet, HEADER) == 1 &&
         EVP_DecryptUpdate(context, to + HEADER, &size, packet + HEADER, PAYLOAD) == 1 &&
         EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, TAG, packet + PLAIN) == 1 &&
         EVP_DecryptFinal_ex(context, to + PLAIN, &size) == 1;
}

static void flush_batch(void) {
  if (out.count > 0 && sendmmsg(server_socket, out.message, out.count, 0) != (int)out.count) die("not all was sent");
  out.count = 0;
}

static void forward(uint8_t *packet, size_t size) {
  uint8_t plain[SLOT];
  unsigned from = packet[11];
  if (from >= members) die("a packet of nobody");
  if (seals && (size != PLAIN + TAG || !unseal(opening[from], packet, plain))) die("a packet is not authentic");
  for (unsigned to = 0; to < members; to++) {
    if (to == from) continue;
    if (seals) {
      seal(sealing[to], plain, out.bytes[out.count]);
    } else {
      memcpy(out.bytes[out.count], packet, size);
    }
    out.part[out.count] = (struct iovec){.iov_base = out.bytes[out.count], .iov_len = size};
    out.message[out.count].msg_hdr =
        (struct msghdr){.msg_name = &address[to], .msg_namelen = sizeof address[to], .msg_iov = &out.part[out.count], .msg_iovlen = 1};
    if (++out.count == BATCH) flush_batch();
  }
}

static void *serve(void *unused) {
  (void)unused;
  for (;;) {
    for (unsigned i = 0; i < BATCH; i++) {
      in.part[i] = (struct iovec){.iov_base = in.bytes[i], .iov_len = SLOT};
      in.message[i].msg_hdr =
          (struct msghdr){.msg_name = &in.address[i], .msg_namelen = sizeof in.address[i], .msg_iov = &in.part[i], .msg_iovlen = 1};
    }
    int count = recvmmsg(server_socket, in.message, BATCH, MSG_WAITFORONE, NULL);
    for (int i = 0; i < count; i++) forward(in.bytes[i], in.message[i].msg_len);
    flush_batch();
  }
  return NULL;
}

static void send_picture(int socket_, const struct sockaddr_in *to, unsigned from, uint16_t *sequence) {
  static uint8_t bytes[FORWARD_PACKETS][SLOT];
  struct mmsghdr message[FORWARD_PACKETS] = {0};
  struct iovec part[FORWARD_PACKETS];
  for (int i = 0; i < FORWARD_PACKETS; i++) {
    uint8_t plain[PLAIN] = {0x80, 96};
    (*sequence)++;
    plain[2] = (uint8_t)(*sequence >> 8);
    plain[3] = (uint8_t)*sequence;
    plain[11] = (uint8_t)from;
    if (seals)
      seal(sealing[from], plain, bytes[i]);
    else
      memcpy(bytes[i], plain, PLAIN);
    part[i] = (struct iovec){.iov_base = bytes[i], .iov_len = PLAIN + (size_t)(seals ? TAG : 0)};
    message[i].msg_hdr = (struct msghdr){.msg_name = (void *)to, .msg_namelen = sizeof *to, .msg_iov = &part[i], .msg_iovlen = 1};
  }
  if (sendmmsg(socket_, message, FORWARD_PACKETS, 0) != FORWARD_PACKETS) die("not all was sent");
}

static _Atomic uint64_t came;

static void *take(void *sockets) {
  int poll = epoll_create1(0);
  for (unsigned i = 0; i < members; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = ((const int *)sockets)[i]};
    if (poll < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event) != 0) die("no epoll");
  }
  for (;;) {
    struct epoll_event ready[FORWARD_MEMBERS];
    int count = epoll_wait(poll, ready, FORWARD_MEMBERS, -1);
    for (int i = 0; i < count; i++) {
      uint8_t bytes[SLOT];
      while (recv(ready[i].data.fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0) atomic_fetch_add(&came, 1);
    }
  }
  return NULL;
}

static _Noreturn void be_members(struct forward_pipes *pipes, int *sockets, uint64_t seconds) {
  struct sockaddr_in to;
  pthread_t taker;
  if (pthread_create(&taker, NULL, take, sockets) != 0) die("no thread");
  uint16_t sequence[FORWARD_MEMBERS] = {0};
  if (read(pipes->from_server, &to, sizeof to) != sizeof to) die("the server failed");
  int64_t begin = now_ns();
  uint64_t before = 0, warm = FORWARD_SECONDS_BEFORE * FORWARD_FPS;
  for (uint64_t tick = 0; tick < (FORWARD_SECONDS_BEFORE + seconds) * FORWARD_FPS; tick++) {
    if (tick == warm) {
      before = atomic_load(&came);
      forward_warm(pipes);
    }
    for (unsigned i = 0; i < members; i++) {
      sleep_until(begin + (int64_t)((tick * members + i) * 1000000000 / FORWARD_FPS / members));
      send_picture(sockets[i], &to, i, &sequence[i]);
    }
  }
  forward_done(pipes, atomic_load(&came) - before);
}

int main(int argc, char **argv) {
  if (argc != 4) die("usage: forward_bare plain|gcm MEMBERS SECONDS");
  seals = strcmp(argv[1], "gcm") == 0;
  uint64_t wanted = count_from(argv[2]), seconds = count_from(argv[3]);
  if (wanted < 2 || wanted > FORWARD_MEMBERS) die("2 to %d members", FORWARD_MEMBERS);
  members = (unsigned)wanted;
  int sockets[FORWARD_MEMBERS];
  for (unsigned i = 0; i < members; i++) {
    sockets[i] = open_socket(&address[i]);
    opening[i] = cipher(0);
    sealing[i] = cipher(1);
  }
  struct forward_pipes pipes;
  if (forward_fork(&pipes)) be_members(&pipes, sockets, seconds);
  struct sockaddr_in where;
  server_socket = open_socket(&where);
  pthread_t thread;
  if (pthread_create(&thread, NULL, serve, NULL) != 0) die("no thread");
  if (write(pipes.to_members, &where, sizeof where) != sizeof where) die("the members are gone");
  forward_measure(&pipes, cpu_seconds);
  return 0;
}
