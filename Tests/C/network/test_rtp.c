/* rtp.h: two sessions that speak to one another over the ports of this machine. What arrives is what was sent. */
#include "test_classes.h"
#include "wire.h"

#include "../../Plugins/video/stamp_reader.h"

static void call_at(const char *host, const char *more) {
  wire *it = wire_open(host, more);
  show there = show_start(it->engine, &it->alice, &it->bob), back = show_start(it->engine, &it->bob, &it->alice);
  CHECK(show_play(&there, 15));
  CHECK(show_play(&back, 15));
  singing *song = sing_start(it->engine, &it->alice, &it->bob, 440), *answer = sing_start(it->engine, &it->bob, &it->alice, 1000);
  CHECK(sing_on(it->engine, song, 1000));
  CHECK(sing_on(it->engine, answer, 1000));
  CHECK_RANGE(sing_likeness(song, 440), -300, -20);
  CHECK_RANGE(sing_likeness(answer, 1000), -300, -20);
  CHECK_RANGE(sing_likeness(song, 1000), -20, 0);
  msdk_event *added = &it->bob.last[MSDK_EVENT_INCOMING_VIDEO_ADDED];
  CHECK_EQ(added->codec, MSDK_CODEC_VP8);
  CHECK_EQ(added->kind, MSDK_VIDEO_VIRTUAL);
  CHECK_EQ(added->format.width, SHOW_WIDTH);
  CHECK_EQ(added->format.height, SHOW_HEIGHT);
  CHECK_EQ(it->bob.last[MSDK_EVENT_INCOMING_AUDIO_ADDED].codec, MSDK_CODEC_OPUS);
  /* The other end is a participant, by its address, and one alone. */
  char name[80];
  snprintf(name, sizeof name, "%s:%u", host, it->port);
  CHECK(strcmp(added->user_id, name) == 0);
  CHECK_EQ(it->bob.count[MSDK_EVENT_PARTICIPANT_JOINED], 1);
  CHECK(strcmp(it->bob.last[MSDK_EVENT_PARTICIPANT_JOINED].user_id, name) == 0);
  msdk_participant people[3];
  uint32_t count = people_of(it->bob.session, people, 3);
  CHECK_EQ(count, 2);
  CHECK(strcmp(people[1].user_id, name) == 0);
  CHECK_EQ(people[1].video_stream_count, 1);
  CHECK_EQ(people[1].audio_stream_count, 1);
  msdk_session_stats sent = session_stats(it->alice.session), received = session_stats(it->bob.session);
  CHECK(sent.packets_sent > 15 && sent.bytes_sent > 1000);
  CHECK(received.packets_received > 15 && received.bytes_received > 1000);
  CHECK_EQ(outgoing_stats(there.stream).receivers, 1);
  check_outcomes_add_up(there.stream);
  show_end(&there);
  show_end(&back);
  sing_end(song);
  sing_end(answer);
  wire_close(it);
}

static void pictures_and_sound_both_ways(void) { call_at("127.0.0.1", ""); }
/* RFC 6464: the packets themselves tell who speaks. */
static void whoever_speaks_is_told(void) {
  wire *it = wire_open("127.0.0.1", "&media=audio&level=3");
  singing *song = sing_start(it->engine, &it->alice, &it->bob, 440);
  CHECK(sing_on(it->engine, song, 600));
  CHECK(end_wait(&it->bob, MSDK_EVENT_ACTIVE_SPEAKER, 1));
  msdk_event *told = &it->bob.last[MSDK_EVENT_ACTIVE_SPEAKER];
  CHECK_EQ(told->state, MSDK_SPEAKER_ACTIVE);
  CHECK_RANGE(told->value, 3, 15); /* a sine of half the scale: -9 dB */
  CHECK(strcmp(told->user_id, it->bob.last[MSDK_EVENT_PARTICIPANT_JOINED].user_id) == 0);
  sing_end(song);
  CHECK(end_wait(&it->bob, MSDK_EVENT_ACTIVE_SPEAKER, 2));
  CHECK_EQ(told->state, MSDK_SPEAKER_SILENT);
  wire_close(it);
}

static void over_one_port_with_feedback(void) { call_at("127.0.0.1", "&rtcp-mux=1&feedback=1&rtx=97&level=1"); }

static void over_ipv6(void) {
  if (has_ipv6()) call_at("[::1]", "&rtcp-mux=1");
  else printf("over_ipv6: this machine has no [::1]\n");
}

static void sound_on_a_port_of_its_own(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  uint16_t port = wire_ports(8);
  char url[256];
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=%u&audio=%u&local-audio=%u", port + 4, port, port + 6, port + 2);
  end alice = end_new(engine, url);
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=%u&audio=%u&local-audio=127.0.0.1:%u", port, port + 4, port + 2, port + 6);
  end bob = end_new(engine, url);
  NEED(end_connect(&bob) && end_connect(&alice));
  show film = show_start(engine, &alice, &bob);
  singing *song = sing_start(engine, &alice, &bob, 440);
  CHECK(show_play(&film, 5));
  CHECK(sing_on(engine, song, 600));
  CHECK_RANGE(sing_likeness(song, 440), -300, -20);
  CHECK_EQ(end_people(&bob), 2);
  show_end(&film);
  sing_end(song);
  msdk_engine_destroy(engine);
}

/* Who has no host in its url answers to whoever speaks first. */
static void whoever_speaks_first_is_answered(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  uint16_t port = wire_ports(4);
  char url[256];
  snprintf(url, sizeof url, "rtp://:%u?rtcp-mux=1", port);
  end bob = end_new(engine, url);
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?rtcp-mux=1", port); /* from a port that the system chooses */
  end alice = end_new(engine, url);
  NEED(end_connect(&bob));
  show back = show_start(engine, &bob, &alice);
  for (int i = 0; i < 5; i++) CHECK_OK(send_picture(back.sender, 0, 0, NULL)); /* to nobody */
  sleep_ms(100);
  CHECK_EQ(outgoing_stats(back.stream).receivers, 0);
  NEED(end_connect(&alice)); /* who speaks with the first report */
  show there = show_start(engine, &alice, &bob);
  CHECK(show_play(&there, 5));
  PATIENTLY(outgoing_stats(back.stream).receivers == 1);
  CHECK(show_play(&back, 5));
  show_end(&there);
  show_end(&back);
  msdk_engine_destroy(engine);
}

/* What producers make, renderers would get: the test pattern's counter can be read back from the picture. */
static void what_plugins_make(void) {
  const char *plugins = getenv("MSDK_PLUGIN_DIR");
  NEED(plugins != NULL);
  wire *it = wire_open("127.0.0.1", "");
  CHECK_OK(msdk_engine_add_plugin_dir(it->engine, plugins, NULL));
  msdk_instance *pattern = instance_of(it->engine, "org.mediasdk.producer.testpattern");
  msdk_instance *tone = instance_of(it->engine, "org.mediasdk.producer.tone");
  CHECK_OK(msdk_instance_set_param_text(pattern, "pattern", "counter"));
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 640, 360, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  msdk_outgoing_video *video = NULL;
  CHECK_OK(msdk_outgoing_video_create(it->engine, &options, &video));
  CHECK_OK(msdk_outgoing_video_attach_producer(video, pattern));
  CHECK_OK(msdk_session_start_video(it->alice.session, video));
  msdk_outgoing_audio_options sound = MSDK_INIT(msdk_outgoing_audio_options);
  sound.codec = MSDK_CODEC_OPUS;
  msdk_outgoing_audio *voice = NULL;
  CHECK_OK(msdk_outgoing_audio_create(it->engine, &sound, &voice));
  CHECK_OK(msdk_outgoing_audio_attach_producer(voice, tone));
  CHECK_OK(msdk_session_start_audio(it->alice.session, voice));
  NEED(end_wait(&it->bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, 1) && end_wait(&it->bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, 1));
  msdk_incoming_video *incoming = it->bob.last[MSDK_EVENT_INCOMING_VIDEO_ADDED].incoming_video;
  msdk_incoming_audio *listening = it->bob.last[MSDK_EVENT_INCOMING_AUDIO_ADDED].incoming_audio;
  CHECK_OK(msdk_incoming_video_start(incoming, NULL));
  CHECK_OK(msdk_incoming_audio_start(listening, NULL));
  uint64_t last = 0;
  int frames = 0, unread = 0, backward = 0;
  while (frames < 30) {
    msdk_video_frame *frame = NULL;
    if (!CHECK_OK(msdk_incoming_video_read(incoming, 20000, &frame))) break;
    stamp read = {0};
    if (!stamp_read(frame->plane[0].data, frame->plane[0].stride, 640, 360, &read)) unread++;
    else if (frames > 0 && read.counter <= last) backward++;
    else last = read.counter;
    frames++;
    msdk_video_frame_unref(frame);
  }
  CHECK_EQ(unread, 0);
  CHECK_EQ(backward, 0);
  msdk_audio_frame *frame = NULL;
  CHECK_OK(msdk_incoming_audio_read(listening, 20000, &frame));
  msdk_audio_frame_unref(frame);
  msdk_outgoing_video_destroy(video);
  msdk_outgoing_audio_destroy(voice);
  wire_close(it);
}

/* By PLI with feedback; without it whoever receives can ask for nothing. */
static void a_key_frame_is_asked_for(void) {
  wire *it = wire_open("127.0.0.1", "&feedback=1");
  show film = show_start(it->engine, &it->alice, &it->bob);
  NEED(show_play(&film, 10));
  sleep_ms(1500); /* what the start asked for came by now */
  CHECK(show_play(&film, 5));
  end_look(&it->alice);
  uint32_t asked = it->alice.count[MSDK_EVENT_KEY_FRAME_REQUESTED];
  uint64_t decoded = incoming_stats(film.incoming).key_frames_decoded;
  CHECK_OK(msdk_incoming_video_request_key_frame(film.incoming));
  CHECK(end_wait(&it->alice, MSDK_EVENT_KEY_FRAME_REQUESTED, asked + 1));
  CHECK(it->alice.last[MSDK_EVENT_KEY_FRAME_REQUESTED].outgoing_video == film.stream);
  for (int i = 0; i < 300 && incoming_stats(film.incoming).key_frames_decoded == decoded; i++) show_play(&film, 1);
  CHECK(incoming_stats(film.incoming).key_frames_decoded > decoded);
  CHECK_ERROR(msdk_incoming_video_set_preference(film.incoming, NULL), MSDK_E_UNSUPPORTED, "preferences");
  show_end(&film);
  wire_close(it);
}

/* Whoever goes says goodbye, and is gone at the other end at once, not after the silence of 30 s. */
static void goodbye(void) {
  wire *it = wire_open("127.0.0.1", "");
  show film = show_start(it->engine, &it->alice, &it->bob);
  singing *song = sing_start(it->engine, &it->alice, &it->bob, 440);
  NEED(show_play(&film, 3) && sing_on(it->engine, song, 100));
  int64_t before = msdk_engine_now(it->engine);
  CHECK_OK(msdk_session_disconnect(it->alice.session));
  CHECK(end_wait(&it->bob, MSDK_EVENT_PARTICIPANT_LEFT, 1));
  CHECK_RANGE((msdk_engine_now(it->engine) - before) / SECOND, 0, 20);
  CHECK_EQ(it->bob.count[MSDK_EVENT_INCOMING_VIDEO_REMOVED], 1);
  CHECK_EQ(it->bob.count[MSDK_EVENT_INCOMING_AUDIO_REMOVED], 1);
  CHECK_EQ(end_people(&it->bob), 1);
  uint32_t state = 0;
  CHECK_OK(msdk_incoming_video_get_state(film.incoming, &state));
  CHECK_EQ(state, MSDK_INCOMING_NOT_AVAILABLE);
  CHECK_OK(msdk_outgoing_video_get_state(film.stream, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STOPPED);
  CHECK(end_state(&it->alice, MSDK_SESSION_DISCONNECTED));
  CHECK(end_state(&it->bob, MSDK_SESSION_CONNECTED));
  show_end(&film);
  sing_end(song);
  wire_close(it);
}

/* A stream that stops is removed alone: its sender is still there by the other. */
static void a_stream_stops(void) {
  wire *it = wire_open("127.0.0.1", "");
  show film = show_start(it->engine, &it->alice, &it->bob);
  singing *song = sing_start(it->engine, &it->alice, &it->bob, 440);
  NEED(show_play(&film, 3) && sing_on(it->engine, song, 100));
  CHECK_OK(msdk_session_stop_video(it->alice.session, film.stream));
  CHECK(end_wait(&it->bob, MSDK_EVENT_INCOMING_VIDEO_REMOVED, 1));
  CHECK(sing_on(it->engine, song, 300));
  CHECK_EQ(end_people(&it->bob), 2);
  CHECK_EQ(it->bob.count[MSDK_EVENT_PARTICIPANT_LEFT], 0);
  show_end(&film);
  film = show_start(it->engine, &it->alice, &it->bob); /* and again */
  CHECK(show_play(&film, 5));
  show_end(&film);
  sing_end(song);
  wire_close(it);
}

static void connecting_again_on_the_same_ports(void) {
  wire *it = wire_open("127.0.0.1", "");
  for (int round = 0; round < 3; round++) {
    show film = show_start(it->engine, &it->alice, &it->bob);
    CHECK(show_play(&film, 3));
    end *who = round == 1 ? &it->bob : &it->alice;
    uint32_t left = it->bob.count[MSDK_EVENT_PARTICIPANT_LEFT];
    CHECK_OK(msdk_session_disconnect(who->session));
    CHECK(end_state(who, MSDK_SESSION_DISCONNECTED));
    if (who == &it->alice) CHECK(end_wait(&it->bob, MSDK_EVENT_PARTICIPANT_LEFT, left + 1));
    show_end(&film);
    CHECK_OK(msdk_session_connect(who->session));
    CHECK(end_state(who, MSDK_SESSION_CONNECTED));
    if (who == &it->bob) sleep_ms(50);
  }
  wire_close(it);
}

static void a_port_that_is_taken(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  for (uint16_t which = 0; which < 2; which++) { /* of media, of RTCP */
    uint16_t first = wire_ports(4), port = (uint16_t)(first + which);
    int taken = wire_bind(&port);
    NEED(taken >= 0);
    char url[128], text[16];
    snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=%u", first + 2, first);
    snprintf(text, sizeof text, "%u", port);
    end it = end_new(engine, url);
    CHECK_ERROR(msdk_session_connect(it.session), MSDK_E_EXISTS, text);
    CHECK(end_state(&it, MSDK_SESSION_IDLE));
    CHECK_ERROR(msdk_session_get_local_sdp(it.session, NULL, 0, NULL), MSDK_E_EXISTS, text);
    close(taken);
    CHECK(end_connect(&it));
    msdk_session_destroy(it.session);
    CHECK((taken = wire_bind(&port)) >= 0); /* free again */
    close(taken);
  }
  msdk_engine_destroy(engine);
}

static void what_is_refused(void) {
  msdk_session *session = NULL;
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_ERROR(end_create(engine, "rtp://127.0.0.1:5004", &session), MSDK_E_UNSUPPORTED, "virtual clock");
  CHECK_ERROR(end_create(engine, "rtp:", &session), MSDK_E_UNSUPPORTED, "virtual clock");
  msdk_engine_destroy(engine);
  wire *it = wire_open("127.0.0.1", "&direction=sendonly&media=video");
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 160, 120, 30);
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_AV1};
  for (int i = 0; i < 2; i++) {
    msdk_outgoing_video_options options = outgoing_options(codecs[i], &format, 1);
    msdk_outgoing_video *video = NULL;
    if (msdk_outgoing_video_create(it->engine, &options, &video) < 0) continue; /* no plugin for AV1 */
    CHECK_ERROR(msdk_session_start_video(it->alice.session, video), MSDK_E_UNSUPPORTED, "MSDK_CODEC_VP8");
    msdk_outgoing_video_destroy(video);
  }
  msdk_outgoing_audio_options sound = MSDK_INIT(msdk_outgoing_audio_options);
  for (int i = 0; i < 2; i++) { /* raw; and Opus where only pictures go */
    sound.codec = i == 0 ? MSDK_CODEC_RAW : MSDK_CODEC_OPUS;
    msdk_outgoing_audio *voice = NULL;
    CHECK_OK(msdk_outgoing_audio_create(it->engine, &sound, &voice));
    CHECK_ERROR(msdk_session_start_audio(it->alice.session, voice), MSDK_E_UNSUPPORTED, i == 0 ? "MSDK_CODEC_OPUS" : "audio");
    msdk_outgoing_audio_destroy(voice);
  }
  CHECK_ERROR(msdk_session_remove_participant(it->alice.session, "127.0.0.1:1", NULL), MSDK_E_UNSUPPORTED, "room");
  CHECK_ERROR(msdk_session_mute_participant(it->alice.session, "127.0.0.1:1", 1), MSDK_E_UNSUPPORTED, "room");
  wire_close(it);
  it = wire_open("127.0.0.1", "&direction=recvonly");
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  msdk_outgoing_video *video = NULL;
  CHECK_OK(msdk_outgoing_video_create(it->engine, &options, &video));
  CHECK_ERROR(msdk_session_start_video(it->alice.session, video), MSDK_E_UNSUPPORTED, "sends no video");
  msdk_outgoing_video_destroy(video);
  wire_close(it);
}

static void a_packet(const char *from, uint16_t port, uint8_t payload_type, uint8_t number) {
  uint8_t bytes[15] = {0x80, payload_type, 0, number, 0, 0, 0, 1, 0, 0, 0, 9, 0xF8, 0xFF, 0xFE};
  struct sockaddr_in own = {.sin_family = AF_INET}, theirs = {.sin_family = AF_INET, .sin_port = htons(port)};
  theirs.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  inet_pton(AF_INET, from, &own.sin_addr);
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  CHECK_EQ(bind(fd, (struct sockaddr *)&own, sizeof own), 0);
  CHECK_EQ(sendto(fd, bytes, sizeof bytes, 0, (struct sockaddr *)&theirs, sizeof theirs), (int)sizeof bytes);
  close(fd);
}

/* What is not of the other end, or of no stream that was agreed on, makes nobody a participant, and is counted. */
static void what_is_not_taken_is_counted(void) {
  wire *it = wire_open("127.0.0.1", "");
  a_packet("127.0.0.2", (uint16_t)(it->port + 4), 111, 1); /* another host */
  PATIENTLY(session_stats(it->bob.session).packets_foreign == 1);
  CHECK_EQ(session_stats(it->bob.session).packets_foreign, 1);
  a_packet("127.0.0.1", (uint16_t)(it->port + 4), 50, 1); /* a payload type that nobody gave a meaning */
  PATIENTLY(session_stats(it->bob.session).packets_refused == 1);
  CHECK_EQ(session_stats(it->bob.session).packets_refused, 1);
  CHECK_EQ(end_people(&it->bob), 1);
  a_packet("127.0.0.1", (uint16_t)(it->port + 4), 111, 1); /* one alone may be anybody's */
  a_packet("127.0.0.1", (uint16_t)(it->port + 4), 111, 2);
  CHECK(end_wait(&it->bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, 1));
  CHECK_EQ(end_people(&it->bob), 2);
  CHECK_EQ(session_stats(it->bob.session).packets_foreign, 1);
  CHECK_EQ(session_stats(it->bob.session).packets_refused, 1);
  wire_close(it);
}

int main(int argc, char **argv) {
  RUN(pictures_and_sound_both_ways);
  RUN(over_one_port_with_feedback);
  RUN(whoever_speaks_is_told);
  RUN(over_ipv6);
  RUN(sound_on_a_port_of_its_own);
  RUN(whoever_speaks_first_is_answered);
  RUN(what_plugins_make);
  RUN(a_key_frame_is_asked_for);
  RUN(goodbye);
  RUN(a_stream_stops);
  RUN(connecting_again_on_the_same_ports);
  RUN(a_port_that_is_taken);
  RUN(what_is_refused);
  RUN(what_is_not_taken_is_counted);
  return check_finish();
}
