/* Two ends of a wire in one engine, alice and bob: free ports, events that come in any order, pictures and tones that are known again. In
 * real time, and patient: what takes milliseconds may take twenty seconds on a machine that is busy. */
#ifndef WIRE_H
#define WIRE_H

#include "sending.h"
#include "sound.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>

/* Waits until a condition holds. */
#define PATIENTLY(condition)                                                        \
  do {                                                                              \
    for (int tries = under_tools() ? 12000 : 4000; tries > 0 && !(condition); tries--) sleep_ms(5); \
  } while (0)

/* ---------------------------------------------------------------------------------------------------------------- sockets */

/* A socket at a port of this machine, of both families where there are both; 0: one that the kernel chooses. -1: it is taken. */
static inline int wire_bind(uint16_t *port) {
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = in6addr_any, .sin6_port = htons(*port)};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(*port)};
  int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), no = 0, is_six = fd >= 0;
  if (is_six) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  else fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct sockaddr *address = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
  socklen_t size = is_six ? sizeof six : sizeof four;
  if (bind(fd, address, size) != 0 || getsockname(fd, address, &size) != 0) {
    close(fd);
    return -1;
  }
  *port = ntohs(is_six ? six.sin6_port : four.sin_port);
  return fd;
}

/* The first of so many ports in a row, 16 at most, that nobody has. They are below those that the kernel gives to whoever asks for any port: no
 * other program gets one of them between now and their use. */
static inline uint16_t wire_ports(int count) {
  for (int tries = 0; tries < 200; tries++) {
    uint16_t random = 0, next = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random) break;
    int bound = 0, sockets[16];
    uint16_t first = (uint16_t)(10240 + random % 1280 * 16);
    for (next = first; bound < count && (sockets[bound] = wire_bind(&next)) >= 0; bound++) next++;
    for (int i = 0; i < bound; i++) close(sockets[i]);
    if (bound == count) return first;
  }
  CHECK(!"no free ports");
  return 0;
}

static inline int has_ipv6(void) {
  struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
  int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), ok = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
  if (fd >= 0) close(fd);
  return ok;
}

/* ------------------------------------------------------------------------------------------------------------------- ends */

enum { END_TYPES = 42 };

/* A session, and of each type of event how many came and the last. */
typedef struct end {
  msdk_session *session;
  /* Of sessions that somebody has to carry something for: the other end, whose events are taken with these, and who does it. */
  struct end *other;
  void (*carry)(struct end *from, const msdk_event *event);
  uint32_t count[END_TYPES];
  msdk_event last[END_TYPES];
} end;

static inline void end_take(end *it) {
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it->session, 0, &event) < 0) return;
    if (event.type >= END_TYPES) continue;
    it->count[event.type]++;
    it->last[event.type] = event;
    if (it->carry != NULL) it->carry(it, &event);
  }
}

static inline void end_look(end *it) {
  end_take(it);
  if (it->other != NULL) end_take(it->other);
}

/* Waits until so many of a type have come. */
static inline int end_wait(end *it, uint32_t type, uint32_t count) {
  PATIENTLY((end_look(it), it->count[type] >= count));
  return it->count[type] >= count;
}

static inline int end_state(end *it, uint32_t state) {
  uint32_t now = UINT32_MAX;
  PATIENTLY((it->other != NULL ? end_look(it) : (void)0, msdk_session_get_state(it->session, &now) >= 0 && now == state));
  return now == state;
}

static inline msdk_result end_create(msdk_engine *engine, const char *url, msdk_session **out) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "somebody";
  return msdk_session_create(engine, &options, out);
}

static inline end end_new(msdk_engine *engine, const char *url) {
  end it = {0};
  CHECK_OK(end_create(engine, url, &it.session));
  return it;
}

static inline int end_connect(end *it) { return CHECK_OK(msdk_session_connect(it->session)) && CHECK(end_state(it, MSDK_SESSION_CONNECTED)); }

/* How many are there, oneself too. */
static inline uint32_t end_people(end *it) {
  return people_of(it->session, NULL, 0);
}

typedef struct wire {
  msdk_engine *engine;
  end alice, bob;
  uint16_t port; /* alice has this and the next three, bob the four behind them */
} wire;

/* Two sessions that know one another's ports; `more` is behind both urls, "&rtcp-mux=1" say. */
static inline wire *wire_new(const char *host, const char *more) {
  wire *it = calloc(1, sizeof *it);
  if (it == NULL) abort();
  char url[512];
  it->engine = engine_new(MSDK_CLOCK_SYSTEM);
  it->port = wire_ports(8);
  snprintf(url, sizeof url, "rtp://%s:%u?local=%s:%u%s", host, it->port + 4, host, it->port, more);
  it->alice = end_new(it->engine, url);
  snprintf(url, sizeof url, "rtp://%s:%u?local=%s:%u%s", host, it->port, host, it->port + 4, more);
  it->bob = end_new(it->engine, url);
  return it;
}

static inline wire *wire_open(const char *host, const char *more) {
  wire *it = wire_new(host, more);
  end_connect(&it->bob);
  end_connect(&it->alice);
  return it;
}

static inline void wire_close(wire *it) {
  msdk_session_destroy(it->alice.session);
  msdk_session_destroy(it->bob.session);
  msdk_engine_destroy(it->engine);
  free(it);
}

/* -------------------------------------------------------------------------------------------------------------- pictures */

enum { SHOW_WIDTH = 160, SHOW_HEIGHT = 120, SHOW_BACK = 60 };

/* A stream from one end to the other: pictures that move, and which of them came out. */
typedef struct show {
  end *from, *to;
  msdk_outgoing_video *stream;
  msdk_frame_sender *sender;
  msdk_incoming_video *incoming;
  uint32_t sent, received, strange, backward; /* strange: like none of those that were sent */
  uint32_t last;
  uint32_t added; /* events before it was started */
} show;

static inline show show_start_of(msdk_engine *engine, uint32_t codec, uint32_t kind, end *from, end *to) {
  show it = {.from = from, .to = to};
  msdk_video_format format = format_of(MSDK_PIXEL_I420, SHOW_WIDTH, SHOW_HEIGHT, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  options.kind = kind;
  end_look(to);
  end_look(from);
  it.added = to->count[MSDK_EVENT_INCOMING_VIDEO_ADDED];
  uint32_t senders = from->count[MSDK_EVENT_FRAME_SENDER_CHANGED];
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &it.stream));
  CHECK_OK(msdk_session_start_video(from->session, it.stream));
  if (CHECK(end_wait(from, MSDK_EVENT_FRAME_SENDER_CHANGED, senders + 1))) it.sender = from->last[MSDK_EVENT_FRAME_SENDER_CHANGED].sender;
  return it;
}

static inline show show_start_as(msdk_engine *engine, uint32_t codec, end *from, end *to) {
  return show_start_of(engine, codec, MSDK_VIDEO_VIRTUAL, from, to);
}

static inline show show_start(msdk_engine *engine, end *from, end *to) { return show_start_as(engine, MSDK_CODEC_VP8, from, to); }

/* Which of the pictures that were sent lately it is; UINT32_MAX: none. */
static inline uint32_t show_number(const show *it, const msdk_video_frame *frame) {
  uint32_t first = it->sent > SHOW_BACK ? it->sent - SHOW_BACK : 0, best = UINT32_MAX;
  double most = 24; /* dB: by VP8 at any bitrate that is used here */
  for (uint32_t number = first; number < it->sent; number++) {
    msdk_video_frame *original = picture_new(MSDK_PIXEL_I420, SHOW_WIDTH, SHOW_HEIGHT, number);
    double psnr = original != NULL ? picture_psnr(original, frame) : 0;
    if (psnr > most) {
      most = psnr;
      best = number;
    }
    msdk_video_frame_unref(original);
  }
  return best;
}

/* Starts what was added, and takes what has come. */
static inline void show_look(show *it) {
  end_look(it->to);
  if (it->incoming == NULL && it->to->count[MSDK_EVENT_INCOMING_VIDEO_ADDED] > it->added) {
    it->incoming = it->to->last[MSDK_EVENT_INCOMING_VIDEO_ADDED].incoming_video;
    CHECK_OK(msdk_incoming_video_start(it->incoming, NULL));
  }
  msdk_video_frame *frame = NULL;
  while (it->incoming != NULL && msdk_incoming_video_read(it->incoming, 0, &frame) >= 0) {
    uint32_t number = show_number(it, frame);
    if (number == UINT32_MAX) it->strange++;
    else if (it->received > 0 && number < it->last) it->backward++;
    else it->last = number;
    it->received++;
    msdk_video_frame_unref(frame);
  }
}

/* Sends picture after picture until so many more were received. */
static inline int show_play(show *it, uint32_t count) {
  uint32_t wanted = it->received + count;
  for (int tries = under_tools() ? 3000 : 900; tries > 0 && it->received < wanted && it->sender != NULL; tries--) {
    if (send_picture(it->sender, it->sent, 0, NULL) >= 0) it->sent++;
    sleep_ms(25);
    show_look(it);
  }
  return CHECK(it->received >= wanted) & CHECK_EQ(it->strange, 0) & CHECK_EQ(it->backward, 0);
}

static inline void show_end(show *it) { msdk_outgoing_video_destroy(it->stream); }

/* ----------------------------------------------------------------------------------------------------------------- sounds */

/* A tone from one end to the other. */
typedef struct singing {
  end *to;
  voice voice;
  heard heard;
} singing;

static inline singing *sing_start_as(msdk_engine *engine, uint32_t codec, end *from, end *to, double frequency) {
  singing *it = calloc(1, sizeof *it);
  if (it == NULL) abort();
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  options.codec = codec;
  it->to = to;
  CHECK(voice_make(&it->voice, engine, &options));
  voice_tone(&it->voice, frequency, 0.5);
  CHECK_OK(msdk_session_start_audio(from->session, it->voice.stream));
  return it;
}

static inline singing *sing_start(msdk_engine *engine, end *from, end *to, double frequency) {
  return sing_start_as(engine, MSDK_CODEC_OPUS, from, to, frequency);
}

/* The best fifth of a second of what was heard: what it lacks to be the tone, in dB. */
static inline double sing_likeness(const singing *it, double frequency) {
  const heard *heard = &it->heard;
  uint64_t window = heard->rate / 5;
  double best = 0;
  for (uint64_t first = 0; window > 0 && first + window <= heard->count; first += window / 2) {
    tone found = {.frequency = frequency};
    double left = tones_fit(heard->samples + first * heard->channels, window, heard->channels, heard->rate, &found, 1);
    if (found.amplitude > 0.25 && left < best) best = left;
  }
  return best;
}

/* Sings until so many milliseconds were heard. */
static inline int sing_on(msdk_engine *engine, singing *it, uint32_t milliseconds) {
  uint64_t wanted = it->heard.count + milliseconds * 48;
  for (int tries = under_tools() ? 6000 : 2000; tries > 0 && it->heard.count < wanted; tries--) {
    while (voice_send(&it->voice) >= 0) continue;
    end_look(it->to);
    if (it->heard.stream == NULL && it->to->count[MSDK_EVENT_INCOMING_AUDIO_ADDED] > 0) {
      it->heard.stream = it->to->last[MSDK_EVENT_INCOMING_AUDIO_ADDED].incoming_audio;
      CHECK_OK(msdk_incoming_audio_start(it->heard.stream, NULL));
    }
    heard_drain(&it->heard, engine);
    sleep_ms(10);
  }
  return CHECK(it->heard.count >= wanted);
}

static inline void sing_end(singing *it) {
  msdk_outgoing_audio_destroy(it->voice.stream);
  heard_forget(&it->heard);
  free(it);
}

#endif
