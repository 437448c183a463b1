/* A program's own renderers of sound: the order of calls, feeding and pulling, packets, formats, failures. */
#include "audio_classes.h"

static void a_renderer_gets_what_it_asks_for(void) {
  static const uint32_t rates[] = {0, 8000, 16000, 44100, 48000, 96000, 192000};
  for (int i = 0; i < 7; i++) {
    for (uint32_t buffer = 0; buffer <= 1000; buffer += 500) {
      msdk_outgoing_audio_options options = sound_options(44100, 2, MSDK_SAMPLE_F32, 20);
      sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
      plan.render = audio_format_of(MSDK_SAMPLE_S16, rates[i], 1);
      plan.render_buffer = buffer;
      msdk_instance *ear = instance_of(it->engine, "org.mediasdk.test.earphone");
      CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, ear));
      sound_talk(it, 600 * MS);
      uint32_t rate = rates[i] != 0 ? rates[i] : 44100;
      int failed = atomic_load(&check_failed);
      CHECK_EQ(atomic_load(&sight_earphone.rate), rate);
      CHECK_EQ(atomic_load(&sight_earphone.channels), rates[i] != 0 ? 1 : 2);
      CHECK_EQ(atomic_load(&sight_earphone.sample_format), rates[i] != 0 ? MSDK_SAMPLE_S16 : MSDK_SAMPLE_F32);
      if (buffer != 0) CHECK_EQ(atomic_load(&sight_earphone.shortest), buffer);
      if (buffer != 0) CHECK_EQ(atomic_load(&sight_earphone.longest), buffer);
      int64_t count = atomic_load(&sight_earphone.samples);
      CHECK_RANGE((double)count / rate, 0.6 - 0.03 - (double)buffer / rate, 0.63);
      tone found = {.frequency = 440};
      uint64_t margin = rate / 20, from = margin < EARPHONE_SAMPLES ? margin : 0;
      CHECK_RANGE(tones_fit(earphone_heard + from, (uint64_t)count - 2 * margin, 1, rate, &found, 1), -400, -60);
      CHECK_RANGE(found.amplitude, 0.49, 0.51);
      CHECK_EQ(it->heard.rate, 44100); /* the reader is not concerned */
      if (atomic_load(&check_failed) != failed) fprintf(stderr, "  at %u Hz, buffers of %u\n", rates[i], buffer);
      msdk_instance_destroy(ear);
      sound_close(it);
    }
  }
}

static void the_order_of_a_renderer_s_calls(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
  msdk_instance *ear = instance_of(it->engine, "org.mediasdk.test.earphone");
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, ear));
  sound_talk(it, 100 * MS);
  CHECK_EQ(state_of(ear, MSDK_KIND_AUDIO_RENDERER), MSDK_INSTANCE_STARTED);
  CHECK_OK(msdk_incoming_audio_detach_renderer(it->heard.stream, ear));
  int rendered = record_times("earphone render");
  CHECK(rendered >= 4);
  sound_talk(it, 100 * MS);
  CHECK_EQ(record_times("earphone render"), rendered);
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, ear));
  sound_talk(it, 100 * MS);
  CHECK_OK(msdk_instance_release(ear)); /* while it is attached: detached, stopped, released */
  CHECK_EQ(state_of(ear, MSDK_KIND_AUDIO_RENDERER), MSDK_INSTANCE_CREATED);
  sound_talk(it, 100 * MS);
  msdk_instance_destroy(ear);
  /* Detached it stays as it was, for somebody else to attach it. */
  record_expect("earphone", "", "create init settings start render stop release destroy");
  sound_close(it);
}

static void a_failing_renderer_is_detached(void) {
  static const char *const functions[] = {"render", "init", "start"};
  for (int i = 0; i < 3; i++) {
    msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
    sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
    msdk_instance *ear = instance_of(it->engine, "org.mediasdk.test.earphone");
    msdk_instance *other = instance_of(it->engine, "org.mediasdk.test.packets");
    CHECK_OK(msdk_instance_set_param_text(ear, "fail", functions[i]));
    char words[64];
    snprintf(words, sizeof words, "the test lets %s fail", functions[i]);
    msdk_result result = msdk_incoming_audio_attach_renderer(it->heard.stream, ear);
    CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, other));
    if (result < 0) CHECK_STR_CONTAINS(words, functions[i]);
    sound_talk(it, SECOND);
    if (result >= 0) CHECK_EQ(times_told(it->bob, MSDK_E_DEVICE_LOST, words), 1); /* once */
    if (i == 0) CHECK_EQ(record_times("earphone render"), 1);
    CHECK_EQ(it->heard.frames, 50);
    CHECK(atomic_load(&sight_packets.frames) >= 49);
    CHECK(msdk_incoming_audio_detach_renderer(it->heard.stream, ear) < 0);
    msdk_instance_destroy(ear);
    msdk_instance_destroy(other);
    sound_close(it);
  }
}

static void a_renderer_that_takes_packets(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  options.codec = MSDK_CODEC_OPUS;
  sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
  msdk_instance *taker = instance_of(it->engine, "org.mediasdk.test.packets");
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, taker));
  sound_talk(it, SECOND);
  CHECK_RANGE(atomic_load(&sight_packets.encoded), 48, 50);
  CHECK_EQ(atomic_load(&sight_packets.frames), 0); /* in place of samples */
  CHECK_EQ(atomic_load(&sight_packets.codec), MSDK_CODEC_OPUS);
  CHECK_EQ(atomic_load(&sight_packets.rate), 48000);
  CHECK_RANGE(it->heard.frames, 48, 50); /* and the reader has samples */
  msdk_instance_destroy(taker);
  sound_close(it);
  options.codec = MSDK_CODEC_RAW; /* of a raw stream, samples */
  it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
  taker = instance_of(it->engine, "org.mediasdk.test.packets");
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, taker));
  sound_talk(it, SECOND);
  CHECK_EQ(atomic_load(&sight_packets.encoded), 0);
  CHECK_RANGE(atomic_load(&sight_packets.frames), 49, 50);
  msdk_instance_destroy(taker);
  sound_close(it);
}

static void a_renderer_of_the_mix(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
  msdk_incoming_audio *mix = NULL;
  CHECK_OK(msdk_session_get_mixed_audio(it->bob, &mix));
  msdk_instance *ear = instance_of(it->engine, "org.mediasdk.test.earphone");
  CHECK_OK(msdk_incoming_audio_attach_renderer(mix, ear));
  CHECK_OK(msdk_incoming_audio_start(mix, NULL));
  sound_talk(it, SECOND);
  CHECK_RANGE(atomic_load(&sight_earphone.frames), 49, 51);
  CHECK_EQ(atomic_load(&sight_earphone.rate), 48000);
  CHECK_EQ(atomic_load(&sight_earphone.channels), 2);
  CHECK(samples_peak(earphone_heard + 24000, 20000, 1) > 0.49);
  msdk_instance_destroy(ear);
  sound_close(it);
}

/* A class of both media, a recorder say: attached once for each, taken down as a whole. */
static void one_instance_for_pictures_and_sound(void) {
  static const msdk_class both_class = {CLASS_BASE(earphone, test_params), .kinds = MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_RENDERER,
                                        .audio_renderer = &earphone_table, .video_renderer = &sink_table};
  static const msdk_class *const list[] = {&both_class};
  msdk_module both_module = audio_module;
  both_module.classes = list, both_module.class_count = MSDK_COUNT(list);
  audio_sight_clear();
  memset(&sight_sink, 0, sizeof sight_sink);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_OK(msdk_engine_register_module(it->engine, &both_module));
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options pictures = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  msdk_outgoing_video *video = NULL;
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_OK(msdk_outgoing_video_create(it->engine, &pictures, &video));
  CHECK_OK(msdk_session_start_video(it->alice, video));
  NEED(event_wait(it->engine, it->alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event));
  msdk_frame_sender *sender = event.sender;
  NEED(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  msdk_incoming_video *incoming = event.incoming_video;
  msdk_instance *both = instance_of(it->engine, "org.mediasdk.test.earphone");
  CHECK_OK(msdk_incoming_video_attach_renderer(incoming, both, NULL));
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, both));
  CHECK(msdk_incoming_audio_attach_renderer(it->heard.stream, both) < 0); /* once for each */
  CHECK_OK(msdk_incoming_video_start(incoming, NULL));
  run_for(it->engine, 10 * MS);
  for (uint32_t i = 0; i < 15; i++) {
    msdk_video_frame *frame = NULL;
    if (CHECK_OK(msdk_frame_sender_acquire(sender, 0, &frame))) {
      picture_draw(frame, i);
      CHECK_OK(msdk_frame_sender_send(sender, frame, 0, NULL, NULL));
      msdk_video_frame_unref(frame);
    }
    sound_talk(it, 40 * MS);
    msdk_video_frame *taken = NULL;
    while (msdk_incoming_video_read(incoming, 0, &taken) >= 0) msdk_video_frame_unref(taken);
  }
  CHECK_EQ(atomic_load(&sight_sink.frames), 15);
  CHECK_EQ(atomic_load(&sight_earphone.frames), 30);
  CHECK_EQ(state_of(both, MSDK_KIND_AUDIO_RENDERER), MSDK_INSTANCE_STARTED);
  CHECK(state_of(both, MSDK_KIND_VIDEO_RENDERER) != MSDK_INSTANCE_CREATED);
  CHECK_OK(msdk_incoming_audio_detach_renderer(it->heard.stream, both)); /* the pictures go on */
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_frame_sender_acquire(sender, 0, &frame));
  picture_draw(frame, 0);
  CHECK_OK(msdk_frame_sender_send(sender, frame, 0, NULL, NULL));
  msdk_video_frame_unref(frame);
  sound_talk(it, 100 * MS);
  CHECK_EQ(atomic_load(&sight_sink.frames), 16);
  CHECK_EQ(atomic_load(&sight_earphone.frames), 30);
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, both));
  CHECK_OK(msdk_instance_release(both)); /* of both */
  CHECK_EQ(state_of(both, MSDK_KIND_AUDIO_RENDERER), MSDK_INSTANCE_CREATED);
  CHECK_EQ(state_of(both, MSDK_KIND_VIDEO_RENDERER), MSDK_INSTANCE_CREATED);
  CHECK(msdk_incoming_video_detach_renderer(incoming, both) < 0);
  msdk_instance_destroy(both);
  CHECK_EQ(record_times("earphone destroy"), 1);
  msdk_outgoing_video_destroy(video);
  sound_close(it);
}

static void handed_over_directly(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  audio_sight_clear();
  CHECK_OK(msdk_engine_register_module(engine, &audio_module));
  msdk_audio_format format = audio_format_of(MSDK_SAMPLE_F32, 48000, 2);
  plan.render = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  msdk_instance *ear = instance_of(engine, "org.mediasdk.test.earphone"), *producer = instance_of(engine, "org.mediasdk.test.mic");
  for (int i = 0; i < 5; i++) {
    msdk_audio_frame *frame = NULL;
    CHECK_OK(msdk_audio_frame_create(&format, 960, &frame));
    frame->timestamp_ns = SECOND + i * 20 * MS;
    CHECK_OK(msdk_instance_render_audio(ear, frame));
    CHECK(msdk_instance_render_audio(producer, frame) < 0);
    msdk_audio_frame_unref(frame);
  }
  CHECK_EQ(atomic_load(&sight_earphone.samples), 4800);
  CHECK_EQ(atomic_load(&sight_earphone.channels), 1);
  CHECK_EQ(atomic_load(&sight_earphone.last_timestamp), SECOND + 80 * MS);
  CHECK_OK(msdk_instance_release(ear));
  CHECK_EQ(record_times("earphone release"), 1);
  CHECK_RESULT(msdk_instance_render_audio(ear, NULL), MSDK_E_HANDLE);
  CHECK_EQ(engine_stats(engine).audio_frames, 0);
  msdk_instance_destroy(ear);
  msdk_instance_destroy(producer);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(a_renderer_gets_what_it_asks_for);
  RUN(the_order_of_a_renderer_s_calls);
  RUN(a_failing_renderer_is_detached);
  RUN(a_renderer_that_takes_packets);
  RUN(a_renderer_of_the_mix);
  RUN(one_instance_for_pictures_and_sound);
  RUN(handed_over_directly);
  return check_finish();
}
