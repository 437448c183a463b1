/* incoming_video.h: a program that asks for a queue of 1,000 encoded frames and does not read it holds what it asked for. What it reads
 * of the same session goes on, and what the queue has no room for is counted where it is dropped. */
#include "wire.h"

enum { QUEUE = 1000, WIDTH = 64, HEIGHT = 48, FPS = 60, SECONDS = 20 };

static msdk_outgoing_video_options tiny_options(const msdk_video_format *format) {
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, format, 1);
  options.limits = MSDK_LIMITS_EXTENDED;
  return options;
}

static msdk_incoming_video_options unread_options(uint32_t policy) {
  msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
  options.output = MSDK_OUTPUT_ENCODED;
  options.encoded_queue_capacity = QUEUE;
  options.queue_policy = policy;
  return options;
}

/* What is in the queue: as many as it may hold, in order, the oldest or the newest of `received`. */
static void check_queue(msdk_incoming_video *stream, uint32_t policy) {
  msdk_incoming_video_stats stats = incoming_stats(stream);
  CHECK_EQ(stats.frames_dropped, stats.frames_received - QUEUE);
  uint32_t count = 0;
  uint64_t first = 0, last = 0;
  msdk_encoded_frame *frame = NULL;
  while (msdk_incoming_video_read_encoded(stream, 0, &frame) >= 0) {
    if (count++ == 0) first = frame->sequence;
    CHECK(count == 1 || frame->sequence > last);
    last = frame->sequence;
    CHECK_OK(msdk_encoded_frame_unref(frame));
  }
  CHECK_EQ(count, QUEUE);
  CHECK((first > stats.frames_dropped) == (policy == MSDK_POLICY_DROP_OLDEST));
}

/* Twenty seconds of the virtual clock over a network that delays. */
static void over_a_scripted_network(void) {
  for (uint32_t policy = MSDK_POLICY_DROP_OLDEST; policy <= MSDK_POLICY_DROP_NEWEST; policy++) {
    msdk_video_format format = format_of(MSDK_PIXEL_I420, WIDTH, HEIGHT, FPS);
    msdk_outgoing_video_options sent = tiny_options(&format);
    msdk_incoming_video_options unread = unread_options(policy);
    sound_call *talk_of = sound_join(MSDK_CLOCK_VIRTUAL);
    call it = {.engine = talk_of->engine, .alice = talk_of->alice, .bob = talk_of->bob};
    msdk_network_step step = network_step(0, 10000000);
    step.delay_ns = 50 * MS;
    CHECK_OK(network_set(it.engine, talk_of->url, &step, 1, 14));
    NEED(call_offer(&it, &sent));
    CHECK_OK(msdk_incoming_video_start(it.incoming, &unread));
    msdk_outgoing_audio_options voice = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
    voice.codec = MSDK_CODEC_OPUS;
    NEED(sound_offer(talk_of, &voice));
    CHECK_OK(msdk_incoming_audio_start(talk_of->heard.stream, NULL));
    run_for(it.engine, 200 * MS);
    for (uint32_t number = 0; number < SECONDS * FPS; number++) {
      CHECK_OK(send_picture(it.sender, number, 0, NULL));
      sound_talk(talk_of, SECOND / FPS);
    }
    const heard *heard = &talk_of->heard;
    CHECK_RANGE(heard->count, (SECONDS * 1000 - 300) * 48, SECONDS * 1000 * 48);
    CHECK_EQ(heard->corrupt, 0);
    CHECK(heard_tone(heard, 0, 440, NULL, NULL) < -30);
    CHECK(incoming_stats(it.incoming).frames_received > SECONDS * FPS * 9 / 10);
    check_queue(it.incoming, policy);
    msdk_outgoing_video_destroy(it.outgoing);
    sound_close(talk_of);
  }
}

/* In real time, until more came than the queue holds, however long that takes. */
static void over_rtp(void) {
  wire *wire = wire_open("127.0.0.1", "");
  msdk_video_format format = format_of(MSDK_PIXEL_I420, WIDTH, HEIGHT, FPS);
  msdk_outgoing_video_options sent = tiny_options(&format);
  msdk_incoming_video_options unread = unread_options(MSDK_POLICY_DROP_OLDEST);
  msdk_outgoing_video *stream = NULL;
  msdk_incoming_video *incoming = NULL;
  CHECK_OK(msdk_outgoing_video_create(wire->engine, &sent, &stream));
  CHECK_OK(msdk_session_start_video(wire->alice.session, stream));
  NEED(end_wait(&wire->alice, MSDK_EVENT_FRAME_SENDER_CHANGED, 1));
  msdk_frame_sender *sender = wire->alice.last[MSDK_EVENT_FRAME_SENDER_CHANGED].sender;
  singing *song = sing_start(wire->engine, &wire->alice, &wire->bob, 440);
  uint64_t wanted = QUEUE + QUEUE / 10;
  uint32_t number = 0;
  for (int tries = under_tools() ? 24000 : 8000; tries > 0; tries--) {
    if (incoming != NULL && incoming_stats(incoming).frames_received >= wanted) break;
    if (send_picture(sender, number, 0, NULL) >= 0) number++;
    sleep_ms(5);
    end_look(&wire->bob);
    if (incoming == NULL && wire->bob.count[MSDK_EVENT_INCOMING_VIDEO_ADDED] > 0) {
      incoming = wire->bob.last[MSDK_EVENT_INCOMING_VIDEO_ADDED].incoming_video;
      CHECK_OK(msdk_incoming_video_start(incoming, &unread));
    }
    if (number % 8 == 0) sing_on(wire->engine, song, 1);
  }
  NEED(incoming != NULL);
  CHECK(incoming_stats(incoming).frames_received >= wanted);
  /* What is heard from now on was sent after the queue was full. */
  heard_forget(&song->heard);
  CHECK(sing_on(wire->engine, song, 1000));
  CHECK(sing_likeness(song, 440) < -20);
  check_queue(incoming, MSDK_POLICY_DROP_OLDEST);
  sing_end(song);
  msdk_outgoing_video_destroy(stream);
  wire_close(wire);
}

int main(int argc, char **argv) {
  RUN(over_a_scripted_network);
  RUN(over_rtp);
  return check_finish();
}
