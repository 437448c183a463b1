/* MSDK_CODEC_AUTO: raw while everybody is in this process, VP8 and Opus as soon as somebody is not, so that a stream reaches them all. */
#include "hosting.h"

enum { GOOD = -20 }; /* dB that what was heard lacks to be the tone */

static uint32_t codec_of(msdk_outgoing_video *stream) {
  msdk_outgoing_video_info info = MSDK_INIT(msdk_outgoing_video_info);
  CHECK_OK(msdk_outgoing_video_get_info(stream, &info));
  return info.codec;
}

static uint32_t codec_of_sound(msdk_outgoing_audio *stream) {
  msdk_outgoing_audio_info info = MSDK_INIT(msdk_outgoing_audio_info);
  CHECK_OK(msdk_outgoing_audio_get_info(stream, &info));
  return info.codec;
}

static void count_encoded(void *user, const msdk_encoded_frame *frame) {
  CHECK(frame->codec == MSDK_CODEC_VP8 || frame->codec == MSDK_CODEC_OPUS);
  atomic_fetch_add((atomic_int *)user, 1);
}

/* alice and bob are in this process; carol comes from another one, and goes again. */
static void whoever_is_elsewhere_is_reached(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice"), bob = inmate(&it, "bob");
  show film = show_start_as(it.host, MSDK_CODEC_AUTO, &alice, &bob);
  singing *song = sing_start_as(it.host, MSDK_CODEC_AUTO, &alice, &bob, 440);
  atomic_int frames = 0, packets = 0;
  CHECK_OK(msdk_outgoing_video_set_encoded_callback(film.stream, count_encoded, &frames));
  CHECK_OK(msdk_outgoing_audio_set_encoded_callback(song->voice.stream, count_encoded, &packets));
  CHECK(show_play(&film, 5));
  CHECK(sing_on(it.host, song, 300));
  CHECK_EQ(bob.last[MSDK_EVENT_INCOMING_VIDEO_ADDED].codec, MSDK_CODEC_RAW);
  CHECK_EQ(bob.last[MSDK_EVENT_INCOMING_AUDIO_ADDED].codec, MSDK_CODEC_RAW);
  CHECK_EQ(codec_of(film.stream), MSDK_CODEC_RAW);
  CHECK_EQ(codec_of_sound(song->voice.stream), MSDK_CODEC_RAW);
  CHECK(frames == 0 && packets == 0);

  end_look(&bob);
  uint32_t before = bob.count[MSDK_EVENT_INCOMING_VIDEO_ADDED], before_sound = bob.count[MSDK_EVENT_INCOMING_AUDIO_ADDED];
  end carol = guest(&it, "carol", "");
  CHECK(end_wait(&alice, MSDK_EVENT_CODEC_CHANGED, 2));
  CHECK_EQ(codec_of(film.stream), MSDK_CODEC_VP8);
  CHECK_EQ(codec_of_sound(song->voice.stream), MSDK_CODEC_OPUS);
  CHECK(end_wait(&bob, MSDK_EVENT_INCOMING_VIDEO_REMOVED, 1) && end_wait(&bob, MSDK_EVENT_INCOMING_AUDIO_REMOVED, 1));
  CHECK(end_wait(&bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, before + 1) && end_wait(&bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, before_sound + 1));
  CHECK_EQ(bob.last[MSDK_EVENT_INCOMING_VIDEO_ADDED].codec, MSDK_CODEC_VP8);
  CHECK_EQ(bob.last[MSDK_EVENT_INCOMING_AUDIO_ADDED].codec, MSDK_CODEC_OPUS);

  /* The same sender goes on, and both see and hear it. */
  show far = film;
  far.to = &carol;
  far.added = 0;
  far.incoming = film.incoming = NULL;
  CHECK(show_play(&far, 5));
  film.sent = far.sent;
  film.added = before;
  CHECK(show_play(&film, 5));
  CHECK_EQ(carol.last[MSDK_EVENT_INCOMING_VIDEO_ADDED].codec, MSDK_CODEC_VP8);
  song->to = &carol;
  heard_forget(&song->heard);
  song->heard = (heard){0};
  CHECK(sing_on(it.host, song, 600));
  CHECK_RANGE(sing_likeness(song, 440), -300, GOOD);
  CHECK(frames > 0 && packets > 0);
  end_look(&alice);
  CHECK_EQ(alice.count[MSDK_EVENT_STREAM_UNREACHABLE], 0);
  CHECK_EQ(alice.count[MSDK_EVENT_CODEC_CHANGED], 2);
  CHECK(alice.count[MSDK_EVENT_FRAME_SENDER_CHANGED] == 1);

  /* It stays encoded until it is started again. */
  msdk_session_destroy(carol.session);
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_LEFT, 1));
  CHECK_EQ(codec_of(film.stream), MSDK_CODEC_VP8);
  CHECK_OK(msdk_session_stop_video(alice.session, film.stream));
  CHECK_OK(msdk_session_stop_audio(alice.session, song->voice.stream));
  check_outcomes_add_up(film.stream);
  check_sound_adds_up(song->voice.stream);
  CHECK_OK(msdk_session_start_video(alice.session, film.stream));
  CHECK_OK(msdk_session_start_audio(alice.session, song->voice.stream));
  CHECK_EQ(codec_of(film.stream), MSDK_CODEC_RAW);
  CHECK_EQ(codec_of_sound(song->voice.stream), MSDK_CODEC_RAW);
  show_end(&film);
  sing_end(song);
  house_close(&it);
}

/* Who is there first, or comes over a network, gets or sends them encoded from the start. */
static void over_a_network_from_the_start(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", "");
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 1));
  for (int turn = 0; turn < 2; turn++) {
    end *from = turn == 0 ? &alice : &bob, *to = turn == 0 ? &bob : &alice;
    msdk_engine *engine = turn == 0 ? it.host : it.away;
    show film = show_start_as(engine, MSDK_CODEC_AUTO, from, to);
    CHECK_EQ(from->last[MSDK_EVENT_FRAME_SENDER_CHANGED].codec, MSDK_CODEC_VP8);
    CHECK(show_play(&film, 5));
    singing *song = sing_start_as(engine, MSDK_CODEC_AUTO, from, to, 440);
    CHECK_EQ(codec_of_sound(song->voice.stream), MSDK_CODEC_OPUS);
    CHECK(sing_on(engine, song, 600));
    CHECK_RANGE(sing_likeness(song, 440), -300, GOOD);
    CHECK_EQ(from->count[MSDK_EVENT_CODEC_CHANGED], 0);
    CHECK_EQ(from->count[MSDK_EVENT_STREAM_UNREACHABLE], 0);
    show_end(&film);
    sing_end(song);
  }
  house_close(&it);
}

static void over_rtp(void) {
  wire *it = wire_open("127.0.0.1", "");
  show film = show_start_as(it->engine, MSDK_CODEC_AUTO, &it->alice, &it->bob);
  CHECK(show_play(&film, 5));
  singing *song = sing_start_as(it->engine, MSDK_CODEC_AUTO, &it->alice, &it->bob, 440);
  CHECK(sing_on(it->engine, song, 600));
  CHECK_RANGE(sing_likeness(song, 440), -300, GOOD);
  show_end(&film);
  sing_end(song);
  wire_close(it);
}

/* A shared screen that does not change is shown to whoever comes from elsewhere, without another frame. */
static void a_screen_that_stands(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice"), bob = inmate(&it, "bob");
  msdk_video_format format = format_of(MSDK_PIXEL_BGRA, SHOW_WIDTH, SHOW_HEIGHT, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_AUTO, &format, 1);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  msdk_outgoing_video *screen = NULL;
  CHECK_OK(msdk_outgoing_video_create(it.host, &options, &screen));
  CHECK_OK(msdk_session_start_video(alice.session, screen));
  NEED(end_wait(&alice, MSDK_EVENT_FRAME_SENDER_CHANGED, 1));
  CHECK_OK(send_picture(alice.last[MSDK_EVENT_FRAME_SENDER_CHANGED].sender, 7, 0, NULL));
  NEED(end_wait(&bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, 1));
  CHECK_EQ(bob.last[MSDK_EVENT_INCOMING_VIDEO_ADDED].format.pixel_format, MSDK_PIXEL_BGRA);
  end carol = guest(&it, "carol", "");
  NEED(end_wait(&carol, MSDK_EVENT_INCOMING_VIDEO_ADDED, 1));
  msdk_incoming_video *shown = carol.last[MSDK_EVENT_INCOMING_VIDEO_ADDED].incoming_video;
  CHECK_OK(msdk_incoming_video_start(shown, NULL));
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_incoming_video_read(shown, under_tools() ? 60000 : 20000, &frame));
  CHECK_EQ(frame->format->width, SHOW_WIDTH);
  CHECK_EQ(frame->format->height, SHOW_HEIGHT);
  msdk_video_frame_unref(frame);
  CHECK_EQ(alice.count[MSDK_EVENT_STREAM_UNREACHABLE], 0);
  CHECK_EQ(outgoing_stats(screen).frames_offered, 1);
  msdk_outgoing_video_destroy(screen);
  house_close(&it);
}

static void what_comes_encoded_has_a_codec(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_AUTO, &format, 1);
  msdk_outgoing_audio_options sound = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  options.encoded_input = sound.encoded_input = 1;
  for (int turn = 0; turn < 2; turn++) {
    msdk_outgoing_video *video = NULL;
    msdk_outgoing_audio *audio = NULL;
    CHECK_ERROR(msdk_outgoing_video_create(it.engine, &options, &video), MSDK_E_INVALID, "encoded_input");
    CHECK_ERROR(msdk_outgoing_audio_create(it.engine, &sound, &audio), MSDK_E_INVALID, "encoded_input");
    options.codec = sound.codec = MSDK_CODEC_RAW;
  }
  options.encoded_input = 0;
  uint32_t codecs[] = {MSDK_CODEC_VP8, MSDK_CODEC_RAW};
  options.codec = MSDK_CODEC_AUTO;
  options.codecs = codecs;
  options.codec_count = 2;
  msdk_outgoing_video *video = NULL;
  CHECK_ERROR(msdk_outgoing_video_create(it.engine, &options, &video), MSDK_E_INVALID, "_RAW");
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(whoever_is_elsewhere_is_reached);
  RUN(over_a_network_from_the_start);
  RUN(over_rtp);
  RUN(a_screen_that_stands);
  RUN(what_comes_encoded_has_a_codec);
  return check_finish();
}
