/* The calls of libusrsctp, with what they take and give as plain values. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <usrsctp.h>

#include "context.h"

static cusrsctp_output send_packet;

static int output(void *address, void *packet, size_t size, uint8_t service, uint8_t is_whole) {
  (void)address;
  (void)service;
  (void)is_whole;
  if (cusrsctp_current) send_packet(cusrsctp_current->owner, packet, size);
  return 0;
}

void cusrsctp_start(cusrsctp_output given_output, cusrsctp_random random) {
  send_packet = given_output;
  cusrsctp_fill = random;
  usrsctp_init_nothreads(0, output, NULL);
  /* Nothing that data channels do not need (RFC 8831, section 5): less for a stranger to play with. */
  usrsctp_sysctl_set_sctp_ecn_enable(0);
  usrsctp_sysctl_set_sctp_auth_enable(0);
  usrsctp_sysctl_set_sctp_asconf_enable(0);
  usrsctp_sysctl_set_sctp_auto_asconf(0);
  usrsctp_sysctl_set_sctp_nrsack_enable(0);
  usrsctp_sysctl_set_sctp_pktdrop_enable(0);
  usrsctp_sysctl_set_sctp_mobility_base(0);
  usrsctp_sysctl_set_sctp_pr_enable(1);
  usrsctp_sysctl_set_sctp_reconfig_enable(1);
  /* Packets that belong to nothing are not answered. */
  usrsctp_sysctl_set_sctp_blackhole(2);
  /* An end that has no room may take its time: what is sent again in vain counts as long as nothing comes back (RFC 9260, section 6.1). */
  usrsctp_sysctl_set_sctp_max_retran_chunk(0);
  /* Tags need not rest: below DTLS no old packet comes back. */
  usrsctp_sysctl_set_sctp_vtag_time_wait(0);
}

static struct sockaddr_conn name(uint32_t address, uint16_t port) {
  struct sockaddr_conn name;
  memset(&name, 0, sizeof name);
  name.sconn_family = AF_CONN;
  name.sconn_port = htons(port);
  name.sconn_addr = (void *)(uintptr_t)address;
  return name;
}

void cusrsctp_register_address(uint32_t address) { usrsctp_register_address((void *)(uintptr_t)address); }

static int set(struct socket *association, int option, const void *value, size_t size) {
  return usrsctp_setsockopt(association, IPPROTO_SCTP, option, value, (socklen_t)size);
}

static int set_up(struct socket *association, const cusrsctp_settings *settings) {
  if (usrsctp_set_non_blocking(association, 1) != 0) return -1;
  /* Closing sends an ABORT, and waits for nothing. */
  struct linger linger = {1, 0};
  if (usrsctp_setsockopt(association, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) != 0) return -1;
  int room = (int)settings->send_buffer;
  if (usrsctp_setsockopt(association, SOL_SOCKET, SO_SNDBUF, &room, sizeof room) != 0) return -1;
  room = (int)settings->receive_buffer;
  if (usrsctp_setsockopt(association, SOL_SOCKET, SO_RCVBUF, &room, sizeof room) != 0) return -1;
  int on = 1;
  if (set(association, SCTP_NODELAY, &on, sizeof on) != 0) return -1;
  if (set(association, SCTP_RECVRCVINFO, &on, sizeof on) != 0) return -1;
  struct sctp_assoc_value resets = {SCTP_ALL_ASSOC, SCTP_ENABLE_RESET_STREAM_REQ};
  if (set(association, SCTP_ENABLE_STREAM_RESET, &resets, sizeof resets) != 0) return -1;
  static const uint16_t events[] = {
    SCTP_ASSOC_CHANGE, SCTP_SHUTDOWN_EVENT, SCTP_PARTIAL_DELIVERY_EVENT, SCTP_STREAM_RESET_EVENT,
  };
  for (size_t i = 0; i < sizeof events / sizeof *events; ++i) {
    struct sctp_event event = {SCTP_ALL_ASSOC, events[i], 1};
    if (set(association, SCTP_EVENT, &event, sizeof event) != 0) return -1;
  }
  struct sctp_initmsg init = {settings->streams, settings->streams, settings->most_retransmissions, (uint16_t)settings->longest_timeout};
  if (set(association, SCTP_INITMSG, &init, sizeof init) != 0) return -1;
  struct sctp_rtoinfo timeouts = {0, settings->first_timeout, settings->longest_timeout, settings->least_timeout};
  if (set(association, SCTP_RTOINFO, &timeouts, sizeof timeouts) != 0) return -1;
  struct sctp_sack_info acknowledgements = {0, settings->acknowledgement_delay, 2};
  if (set(association, SCTP_DELAYED_SACK, &acknowledgements, sizeof acknowledgements) != 0) return -1;
  struct sctp_paddrparams path;
  memset(&path, 0, sizeof path);
  path.spp_flags = SPP_PMTUD_DISABLE | SPP_HB_ENABLE;
  path.spp_pathmtu = settings->packet_size - (uint32_t)sizeof(struct sctp_common_header);
  path.spp_hbinterval = settings->heartbeat_interval;
  path.spp_pathmaxrxt = settings->most_retransmissions;
  if (set(association, SCTP_PEER_ADDR_PARAMS, &path, sizeof path) != 0) return -1;
  struct sctp_assocparams limits;
  memset(&limits, 0, sizeof limits);
  limits.sasoc_asocmaxrxt = settings->most_retransmissions;
  return set(association, SCTP_ASSOCINFO, &limits, sizeof limits);
}

cusrsctp_socket *cusrsctp_open(uint32_t address, const cusrsctp_settings *settings, int *error) {
  struct socket *association = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  struct sockaddr_conn own = name(address, settings->own_port);
  if (association && set_up(association, settings) == 0 && usrsctp_bind(association, (struct sockaddr *)&own, sizeof own) == 0)
    return association;
  *error = errno;
  usrsctp_close(association);
  return NULL;
}

int cusrsctp_connect(cusrsctp_socket *association, uint32_t address, uint16_t peer_port) {
  struct sockaddr_conn peer = name(address, peer_port);
  if (usrsctp_connect(association, (struct sockaddr *)&peer, sizeof peer) == 0 || errno == EINPROGRESS) return 0;
  return errno;
}

void cusrsctp_input(uint32_t address, const void *packet, size_t size) { usrsctp_conninput((void *)(uintptr_t)address, packet, size, 0); }

void cusrsctp_close(cusrsctp_socket *association) { usrsctp_close(association); }

int cusrsctp_send(
  cusrsctp_socket *association, const void *bytes, size_t size, uint16_t stream, uint32_t protocol, int is_unordered, int policy,
  uint32_t value) {
  static const uint16_t policies[] = {SCTP_PR_SCTP_NONE, SCTP_PR_SCTP_RTX, SCTP_PR_SCTP_TTL};
  struct sctp_sendv_spa how;
  memset(&how, 0, sizeof how);
  how.sendv_flags = SCTP_SEND_SNDINFO_VALID | SCTP_SEND_PRINFO_VALID;
  how.sendv_sndinfo.snd_sid = stream;
  how.sendv_sndinfo.snd_flags = is_unordered ? SCTP_UNORDERED : 0;
  how.sendv_sndinfo.snd_ppid = htonl(protocol);
  how.sendv_prinfo.pr_policy = policies[policy];
  how.sendv_prinfo.pr_value = value;
  ssize_t count = usrsctp_sendv(association, bytes, size, NULL, 0, &how, sizeof how, SCTP_SENDV_SPA, 0);
  if (count == (ssize_t)size) return 0;
  return count < 0 ? errno : EIO;
}

uint32_t cusrsctp_unacknowledged(cusrsctp_socket *association) {
  /* Not in usrsctp.h: SCTP_GET_SNDBUF_USE of sctp.h. */
  struct {
    sctp_assoc_t association;
    uint32_t sent, received;
  } use = {0, 0, 0};
  socklen_t size = sizeof use;
  return usrsctp_getsockopt(association, IPPROTO_SCTP, 0x1101, &use, &size) == 0 ? use.sent : 0;
}

int cusrsctp_reset(cusrsctp_socket *association, uint16_t stream) {
  union {
    struct sctp_reset_streams request;
    uint16_t words[sizeof(struct sctp_reset_streams) / 2 + 1];
  } memory;
  memset(&memory, 0, sizeof memory);
  memory.request.srs_flags = SCTP_STREAM_RESET_OUTGOING;
  memory.request.srs_number_streams = 1;
  memory.words[sizeof(struct sctp_reset_streams) / 2] = stream;
  return set(association, SCTP_RESET_STREAMS, &memory, sizeof memory) == 0 ? 0 : errno;
}

static cusrsctp_news change(const struct sctp_assoc_change *change, size_t size) {
  cusrsctp_news news = {.kind = CUSRSCTP_OTHER};
  if (size < sizeof *change) return news;
  news.error = change->sac_error;
  switch (change->sac_state) {
    case SCTP_COMM_UP:
      news.kind = CUSRSCTP_UP;
      news.outgoing = change->sac_outbound_streams;
      news.incoming = change->sac_inbound_streams;
      break;
    case SCTP_RESTART: news.kind = CUSRSCTP_RESTART; break;
    case SCTP_SHUTDOWN_COMP: news.kind = CUSRSCTP_SHUTDOWN; break;
    case SCTP_COMM_LOST:
    case SCTP_CANT_STR_ASSOC: news.kind = CUSRSCTP_LOST; break;
    default: break;
  }
  return news;
}

static cusrsctp_news resets(void *memory, size_t size) {
  const struct sctp_stream_reset_event *event = memory;
  cusrsctp_news news = {.kind = CUSRSCTP_OTHER};
  if (size < sizeof *event) return news;
  news.kind = CUSRSCTP_RESET;
  news.flags = event->strreset_flags;
  news.size = size - sizeof *event;
  memmove(memory, event->strreset_stream_list, news.size);
  return news;
}

static cusrsctp_news notification(void *memory, size_t size) {
  const union sctp_notification *told = memory;
  cusrsctp_news news = {.kind = CUSRSCTP_OTHER};
  if (size < sizeof told->sn_header || told->sn_header.sn_length > size) return news;
  switch (told->sn_header.sn_type) {
    case SCTP_ASSOC_CHANGE: return change(&told->sn_assoc_change, size);
    case SCTP_STREAM_RESET_EVENT: return resets(memory, told->sn_header.sn_length);
    case SCTP_SHUTDOWN_EVENT: news.kind = CUSRSCTP_SHUTDOWN; break;
    case SCTP_PARTIAL_DELIVERY_EVENT:
      if (size < sizeof told->sn_pdapi_event) break;
      news.kind = CUSRSCTP_CUT;
      news.stream = (uint16_t)told->sn_pdapi_event.pdapi_stream;
      break;
    default: break;
  }
  return news;
}

cusrsctp_news cusrsctp_read(cusrsctp_socket *association, void *memory, size_t size) {
  struct sctp_rcvinfo info;
  socklen_t length = sizeof info;
  unsigned int type = 0;
  int flags = 0;
  memset(&info, 0, sizeof info);
  cusrsctp_news news = {.kind = CUSRSCTP_NOTHING};
  ssize_t count = usrsctp_recvv(association, memory, size, NULL, NULL, &info, &length, &type, &flags);
  if (count <= 0) return news;
  if (flags & MSG_NOTIFICATION) return notification(memory, (size_t)count);
  news.kind = CUSRSCTP_DATA;
  news.size = (size_t)count;
  news.protocol = ntohl(info.rcv_ppid);
  news.stream = info.rcv_sid;
  news.is_end = (flags & MSG_EOR) != 0;
  return news;
}
