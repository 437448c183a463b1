/* Law: destroy from outside returns after running callbacks have returned, and none comes after it; here with sound, whose callbacks are
 * slow on purpose: each is inside when its end is asked for. */
#include "audio_classes.h"

enum { SLOW_MS = 120 }; /* that a callback goes on when its end is asked for */

enum slow_kind { SLOW_SOUND, SLOW_DIRECT, SLOW_MIX, SLOW_REPORT, SLOW_PACKET, SLOW_RENDER, SLOW_PRODUCE };
static const char *const kind_names[] = {"frame", "direct frame", "mixed frame", "report", "encoded", "render", "produce"};

static struct slow {
  sound_call *it;
  msdk_incoming_audio *mix;
  msdk_instance *ear, *mic;
  enum slow_kind kind;
  atomic_int entered, ending, left, calls, stop;
} slow;

static void called(enum slow_kind kind) {
  if (kind != slow.kind) return;
  atomic_fetch_add(&slow.calls, 1);
  if (atomic_exchange(&slow.entered, 1)) return;
  WAIT_UNTIL(atomic_load(&slow.ending));
  sleep_ms(SLOW_MS);
  atomic_store(&slow.left, 1);
}

static void on_slow_sound(void *user, const msdk_audio_frame *frame) {
  (void)user, (void)frame;
  called(slow.kind == SLOW_SOUND ? SLOW_SOUND : SLOW_DIRECT);
}
static void on_slow_mix(void *user, const msdk_audio_frame *frame) { (void)user, (void)frame; called(SLOW_MIX); }
static void on_slow_report(void *user, const msdk_frame_report *report) { (void)user, (void)report; called(SLOW_REPORT); }
static void on_slow_packet(void *user, const msdk_encoded_frame *frame) { (void)user, (void)frame; called(SLOW_PACKET); }
static void slow_inside(void *user) { (void)user; called(slow.kind == SLOW_RENDER ? SLOW_RENDER : SLOW_PRODUCE); }

/* Sends until it is told to stop: on its own thread, as a direct callback keeps the sender. */
static void *send_loop(void *unused) {
  static const int16_t silence[480];
  while (!atomic_load(&slow.stop)) {
    msdk_outgoing_audio_send(slow.it->voice.stream, silence, sizeof silence, 0, 0, on_slow_report, NULL);
    sleep_ms(5);
  }
  return unused;
}

typedef void (*ending)(void);
static void end_stream(void) { msdk_outgoing_audio_destroy(slow.it->voice.stream); }
static void end_stop(void) { CHECK_OK(msdk_session_stop_audio(slow.it->alice, slow.it->voice.stream)); }
static void end_alice(void) { msdk_session_destroy(slow.it->alice); }
static void end_bob(void) { msdk_session_destroy(slow.it->bob); }
static void end_engine(void) { msdk_engine_destroy(slow.it->engine); }
static void end_hearing(void) { CHECK_OK(msdk_incoming_audio_stop(slow.it->heard.stream)); }
static void end_mix(void) { CHECK_OK(msdk_incoming_audio_stop(slow.mix)); }
static void end_callback(void) { CHECK_OK(msdk_incoming_audio_set_frame_callback(slow.it->heard.stream, NULL, NULL)); }
static void end_ear(void) { msdk_instance_destroy(slow.ear); }
static void end_attachment(void) { CHECK_OK(msdk_incoming_audio_detach_renderer(slow.it->heard.stream, slow.ear)); }
static void end_mic(void) { msdk_instance_destroy(slow.mic); }
static void end_producing(void) { CHECK_OK(msdk_outgoing_audio_detach_producer(slow.it->voice.stream)); }

static void play(enum slow_kind kind, ending end, const char *name) {
  int failed = atomic_load(&check_failed);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
  options.codec = kind == SLOW_DIRECT || kind == SLOW_REPORT ? MSDK_CODEC_RAW : MSDK_CODEC_OPUS;
  msdk_incoming_audio_options receive = MSDK_INIT(msdk_incoming_audio_options);
  receive.delivery = kind == SLOW_DIRECT ? MSDK_DELIVERY_DIRECT : MSDK_DELIVERY_QUEUED;
  memset(&slow, 0, sizeof slow);
  slow.kind = kind;
  audio_sight_clear();
  slow.it = sound_open(MSDK_CLOCK_SYSTEM, &options, &receive);
  sound_call *it = slow.it;
  CHECK_OK(msdk_engine_register_module(it->engine, &audio_module));
  slow.ear = instance_of(it->engine, "org.mediasdk.test.earphone");
  slow.mic = instance_of(it->engine, "org.mediasdk.test.mic");
  if (kind == SLOW_RENDER || kind == SLOW_PRODUCE) plan.inside = slow_inside;
  if (kind == SLOW_RENDER) CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, slow.ear));
  if (kind == SLOW_PRODUCE) CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, slow.mic));
  if (kind == SLOW_SOUND || kind == SLOW_DIRECT) {
    CHECK_OK(msdk_incoming_audio_set_frame_callback(it->heard.stream, on_slow_sound, NULL));
  }
  if (kind == SLOW_PACKET) CHECK_OK(msdk_outgoing_audio_set_encoded_callback(it->voice.stream, on_slow_packet, NULL));
  if (kind == SLOW_MIX) {
    CHECK_OK(msdk_session_get_mixed_audio(it->bob, &slow.mix));
    CHECK_OK(msdk_incoming_audio_set_frame_callback(slow.mix, on_slow_mix, NULL));
    CHECK_OK(msdk_incoming_audio_start(slow.mix, NULL));
  }
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, send_loop, NULL), 0);
  WAIT_UNTIL(atomic_load(&slow.entered));
  CHECK_EQ(atomic_load(&slow.entered), 1);
  CHECK_EQ(atomic_load(&slow.left), 0);
  int64_t before = msdk_time_monotonic();
  atomic_store(&slow.ending, 1);
  end();
  CHECK_EQ(atomic_load(&slow.left), 1);
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 0, under_tools() ? 5000 : 1500); /* bounded */
  int calls = atomic_load(&slow.calls);
  sleep_ms(30);
  CHECK_EQ(atomic_load(&slow.calls), calls);
  atomic_store(&slow.stop, 1);
  pthread_join(thread, NULL);
  msdk_instance_destroy(slow.ear);
  msdk_instance_destroy(slow.mic);
  sound_close(it);
  if (atomic_load(&check_failed) != failed) fprintf(stderr, "  %s during the %s callback\n", name, kind_names[kind]);
}
#define PLAY(kind, end) play(kind, end, #end)

static void frames(void) {
  PLAY(SLOW_SOUND, end_hearing);
  PLAY(SLOW_SOUND, end_callback);
  PLAY(SLOW_SOUND, end_bob);
  PLAY(SLOW_SOUND, end_engine);
  PLAY(SLOW_DIRECT, end_hearing);
  PLAY(SLOW_DIRECT, end_callback);
  PLAY(SLOW_DIRECT, end_bob);
  PLAY(SLOW_DIRECT, end_engine);
}

static void the_mix(void) {
  PLAY(SLOW_MIX, end_mix);
  PLAY(SLOW_MIX, end_bob);
  PLAY(SLOW_MIX, end_engine);
}

static void reports(void) {
  PLAY(SLOW_REPORT, end_stream);
  PLAY(SLOW_REPORT, end_stop);
  PLAY(SLOW_REPORT, end_alice);
  PLAY(SLOW_REPORT, end_engine);
}

static void packets(void) {
  PLAY(SLOW_PACKET, end_stream);
  PLAY(SLOW_PACKET, end_stop);
  PLAY(SLOW_PACKET, end_alice);
  PLAY(SLOW_PACKET, end_engine);
}

static void renderers(void) {
  PLAY(SLOW_RENDER, end_ear);
  PLAY(SLOW_RENDER, end_attachment);
  PLAY(SLOW_RENDER, end_bob);
  PLAY(SLOW_RENDER, end_engine);
}

static void producers(void) {
  PLAY(SLOW_PRODUCE, end_mic);
  PLAY(SLOW_PRODUCE, end_producing);
  PLAY(SLOW_PRODUCE, end_stop);
  PLAY(SLOW_PRODUCE, end_stream);
  PLAY(SLOW_PRODUCE, end_engine);
}

int main(int argc, char **argv) {
  RUN(frames);
  RUN(the_mix);
  RUN(reports);
  RUN(packets);
  RUN(renderers);
  RUN(producers);
  return check_finish();
}
