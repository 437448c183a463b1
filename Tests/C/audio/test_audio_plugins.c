/* A program's own producers of sound: the order of calls, asking and pushing, formats, failures, calls from inside. */
#include "audio_classes.h"

static void listen_for(sound_call *it, int64_t duration_ns) {
  for (int64_t passed = 0; passed < duration_ns; passed += 5 * MS) {
    run_for(it->engine, 5 * MS);
    heard_drain(&it->heard, it->engine);
  }
}

static void classes_of_sound_are_listed(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(engine, &audio_module));
  msdk_class_info info = MSDK_INIT(msdk_class_info);
  CHECK_OK(msdk_engine_class_at(engine, 0, &info));
  CHECK_EQ(info.kinds, MSDK_KIND_AUDIO_PRODUCER);
  CHECK_OK(msdk_engine_class_at(engine, 3, &info));
  CHECK_EQ(info.kinds, MSDK_KIND_AUDIO_RENDERER);
  static const msdk_class no_table = {CLASS_BASE(mic, test_params), .kinds = MSDK_KIND_AUDIO_PRODUCER};
  static const msdk_audio_producer no_produce = {
    MIC_BASE, .flags = MSDK_PRODUCER_PULL, .start_capture = mic_start, .stop_capture = mic_stop};
  static const msdk_class asks_nobody = {CLASS_BASE(mic, test_params), .kinds = MSDK_KIND_AUDIO_PRODUCER, .audio_producer = &no_produce};
  static const msdk_audio_renderer half_codec = {EAR_BASE, .render_audio_frame = ear_frame, .accepts_codec = takes_opus};
  static const msdk_class half = {CLASS_BASE(earphone, test_params), .kinds = MSDK_KIND_AUDIO_RENDERER, .audio_renderer = &half_codec};
  static const msdk_class *const bad[] = {&no_table, &asks_nobody, &half};
  for (int i = 0; i < 3; i++) {
    const msdk_class *const list[] = {bad[i]};
    msdk_module module = audio_module;
    module.classes = list, module.class_count = MSDK_COUNT(list);
    msdk_engine *other = engine_new(MSDK_CLOCK_VIRTUAL);
    CHECK_RESULT(msdk_engine_register_module(other, &module), MSDK_E_ABI);
    msdk_engine_destroy(other);
  }
  msdk_module newer = audio_module;
  newer.min_host_minor = MSDK_ABI_MINOR + 1;
  CHECK_ERROR(msdk_engine_register_module(engine, &newer), MSDK_E_ABI, "min_host_minor");
  msdk_engine_destroy(engine);
}

/* --------------------------------------------------------------------------------------------------------------- producers */

static void a_producer_is_asked_in_real_time(void) {
  static const uint32_t lengths[] = {0, 1, 100, 480, 960, 4800, 48000};
  for (int i = 0; i < 7; i++) {
    if (under_tools() && i == 1) continue;
    msdk_outgoing_audio_options options = sound_options(48000, 2, MSDK_SAMPLE_S16, 20);
    sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
    plan.buffer_samples = lengths[i];
    msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.mic");
    CHECK_EQ(state_of(producer, MSDK_KIND_AUDIO_PRODUCER), MSDK_INSTANCE_CREATED);
    int64_t begin = msdk_engine_now(it->engine);
    CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer));
    listen_for(it, lengths[i] == 1 ? SECOND / 2 : 4 * SECOND);
    CHECK_EQ(state_of(producer, MSDK_KIND_AUDIO_PRODUCER), MSDK_INSTANCE_STARTED);
    double seconds = (double)(msdk_engine_now(it->engine) - begin) / 1e9;
    int failed = atomic_load(&check_failed);
    CHECK_RANGE((double)it->heard.count / 48000, seconds - 0.04, seconds + (lengths[i] == 48000 ? 1.02 : 0.12));
    CHECK_EQ(it->heard.shortest, 960); /* cut to the stream's buffers */
    CHECK_EQ(it->heard.longest, 960);
    CHECK_EQ(it->heard.broken, 0);
    CHECK_RANGE(it->heard.worst_gap_ns, 0, 1000);
    CHECK_RANGE(heard_tone(&it->heard, 1, 440, NULL, NULL), -400, -60);
    CHECK_RANGE(llabs(it->heard.first_ns - begin), 0, 25 * MS);
    if (atomic_load(&check_failed) != failed) fprintf(stderr, "  of buffers of %u samples\n", lengths[i]);
    CHECK_OK(msdk_outgoing_audio_detach_producer(it->voice.stream));
    CHECK(state_of(producer, MSDK_KIND_AUDIO_PRODUCER) != MSDK_INSTANCE_STARTED);
    listen_for(it, lengths[i] == 48000 ? 1200 * MS : 200 * MS); /* what was made already */
    uint64_t before = it->heard.count;
    listen_for(it, 500 * MS);
    CHECK_EQ(it->heard.count, before);
    check_sound_adds_up(it->voice.stream);
    msdk_instance_destroy(producer);
    sound_close(it);
  }
}

static void the_order_of_calls(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
  msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.mic");
  CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer));
  listen_for(it, 200 * MS);
  CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
  run_for(it->engine, 100 * MS);
  int produced = record_times("mic produce");
  CHECK(produced >= 18);
  run_for(it->engine, SECOND);
  CHECK_EQ(record_times("mic produce"), produced); /* none after the stop */
  CHECK_OK(msdk_session_start_audio(it->alice, it->voice.stream));
  run_for(it->engine, 200 * MS);
  msdk_instance_destroy(producer);
  char all[512];
  int released = record_times("mic release"); /* the host may or may not release between two starts */
  CHECK(released == 1 || released == 2);
  snprintf(all, sizeof all, "create init set_format start produce stop %sset_format start produce stop release destroy",
           released == 2 ? "release init " : "");
  record_expect("mic", "settings", all);
  sound_close(it);
}

static void the_end_of_the_stream_takes_the_producer_down(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
  msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.mic");
  CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer));
  run_for(it->engine, 100 * MS);
  msdk_outgoing_audio_destroy(it->voice.stream);
  CHECK_EQ(state_of(producer, MSDK_KIND_AUDIO_PRODUCER), MSDK_INSTANCE_CREATED);
  record_expect("mic", "settings", "create init set_format start produce stop release");
  msdk_engine_destroy(it->engine); /* ends the instance, too */
  CHECK_EQ(record_times("mic destroy"), 1);
  msdk_instance_destroy(producer);
  CHECK_EQ(record_times("mic destroy"), 1);
  sound_close(it);
}

/* A producer that makes something else is asked what, and the host converts. */
static void other_formats_are_converted(void) {
  static const uint32_t rates[] = {16000, 22050, 44100, 48000};
  for (int i = 0; i < 4; i++) {
    for (uint32_t channels = 1; channels <= 2; channels++) {
      msdk_outgoing_audio_options options = sound_options(rates[i], channels, 1 + (uint32_t)i % 2, 20);
      sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
      msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.odd_mic");
      CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer));
      listen_for(it, SECOND);
      CHECK_EQ(it->heard.rate, rates[i]);
      CHECK_EQ(it->heard.channels, channels);
      CHECK_RANGE(heard_tone(&it->heard, channels - 1, 440, NULL, NULL), -400, -60);
      CHECK_RANGE((double)it->heard.count / rates[i], 0.95, 1.1);
      CHECK_EQ(it->heard.broken, 0);
      int exact = rates[i] == 44100 && channels == 2 && i % 2 == 1; /* what it likes at once */
      record_expect("odd_mic", "produce", exact ? "create init set_format start" : "create init set_format settings set_format start");
      msdk_audio_format format = MSDK_INIT(msdk_audio_format);
      CHECK_OK(msdk_instance_get_audio_format(producer, &format));
      CHECK_EQ(format.sample_rate, 44100);
      CHECK_EQ(format.channels, 2);
      msdk_instance_destroy(producer);
      sound_close(it);
    }
  }
}

static void take_eight_ms(void *user) {
  (void)user;
  sleep_ms(8);
}

/* Of its buffer's 10 ms; time spent is real, that of the stream is the virtual clock's. */
static void a_slow_producer_is_reported(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
  sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
  plan.inside = take_eight_ms;
  msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.mic");
  CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer));
  run_for(it->engine, 1500 * MS);
  int events = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it->alice, 0, &event) < 0) break;
    if (event.type != MSDK_EVENT_PLUGIN || event.instance != producer) continue;
    events++;
    CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_SLOW);
    CHECK_STR_CONTAINS(event.text, "org.mediasdk.test.mic takes ");
    CHECK_STR_CONTAINS(event.text, "10.0 ms between two frames");
  }
  CHECK_EQ(events, 1);
  CHECK_EQ(state_of(producer, MSDK_KIND_AUDIO_PRODUCER), MSDK_INSTANCE_STARTED); /* it goes on */
  plan.inside = NULL;
  msdk_instance_destroy(producer);
  sound_close(it);
}

static void a_producer_s_format(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  audio_sight_clear();
  CHECK_OK(msdk_engine_register_module(engine, &audio_module));
  msdk_instance *producer = instance_of(engine, "org.mediasdk.test.mic"), *ear = instance_of(engine, "org.mediasdk.test.earphone");
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  CHECK_OK(msdk_instance_get_audio_format(producer, &format));
  CHECK_EQ(format.sample_rate, 44100);
  CHECK_EQ(format.sample_format, MSDK_SAMPLE_F32);
  CHECK_EQ(record_times("mic init"), 1);
  CHECK_OK(msdk_instance_get_audio_format(producer, &format));
  CHECK_EQ(record_times("mic init"), 1);
  CHECK_EQ(state_of(producer, MSDK_KIND_AUDIO_PRODUCER), MSDK_INSTANCE_READY);
  CHECK_ERROR(msdk_instance_get_audio_format(producer, NULL), MSDK_E_INVALID, "out");
  CHECK(msdk_instance_get_audio_format(ear, &format) < 0); /* not a producer */
  CHECK_STR_CONTAINS(msdk_last_error(), "producer");
  uint32_t state;
  CHECK_RESULT(msdk_instance_get_state(producer, MSDK_KIND_AUDIO_RENDERER, &state), MSDK_E_UNSUPPORTED);
  CHECK_RESULT(msdk_instance_get_state(producer, MSDK_KIND_VIDEO_PRODUCER, &state), MSDK_E_UNSUPPORTED);
  msdk_video_format video = MSDK_INIT(msdk_video_format);
  CHECK(msdk_instance_format_at(producer, 0, &video) < 0);
  CHECK_OK(msdk_instance_release(producer));
  CHECK_EQ(state_of(producer, MSDK_KIND_AUDIO_PRODUCER), MSDK_INSTANCE_CREATED);
  msdk_instance_destroy(producer);
  msdk_instance_destroy(ear);
  msdk_engine_destroy(engine);
}

static void the_end_is_told(void) {
  for (int how = 0; how < 2; how++) {
    msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
    sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
    if (how == 0) plan.end_after = 51; /* 510 ms: the last buffer of the stream is half a one */
    else plan.closed_after = 51;
    msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.mic");
    CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer));
    msdk_event event = MSDK_INIT(msdk_event);
    int ended = 0;
    for (int i = 0; i < 200; i++) {
      listen_for(it, 10 * MS);
      while (msdk_session_next_event(it->alice, 0, &event) >= 0) {
        ended += event.type == MSDK_EVENT_PLUGIN && event.value == MSDK_PLUGIN_EVENT_ENDED && event.instance == producer;
        event = MSDK_INIT(msdk_event);
      }
    }
    CHECK_EQ(ended, 1);
    CHECK_RANGE(it->heard.count, 510 * 48, 520 * 48); /* all of it, and at the most some silence behind */
    CHECK_EQ(record_times("mic produce"), how == 0 ? 51 : 52);
    check_sound_adds_up(it->voice.stream);
    msdk_instance_destroy(producer);
    sound_close(it);
  }
}

/* MSDK_E_AGAIN: nothing this time. Time goes on without that buffer. */
static void nothing_this_time_is_silence(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
  sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
  plan.silent_every = 5;
  msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.mic");
  CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer));
  listen_for(it, 2 * SECOND);
  CHECK_RANGE(record_times("mic produce"), 190, 215);
  CHECK_RANGE((double)(it->heard.next_ns - it->heard.first_ns) / 1e9, 1.9, 2.1);
  CHECK_EQ(times_told(it->alice, MSDK_E_AGAIN, ""), 0);
  msdk_instance_destroy(producer);
  sound_close(it);
}

static void failures_surface(void) {
  static const struct { const char *function, *calls; } cases[] = {
    {"init", "create set_fail init destroy"},
    {"start", "create set_fail init set_format start release destroy"},
    {"set_format", "create set_fail init set_format release destroy"},
    {"produce", "create set_fail init set_format start produce stop release destroy"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
    sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
    msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.mic");
    CHECK_OK(msdk_instance_set_param_text(producer, "fail", cases[i].function));
    char words[64];
    snprintf(words, sizeof words, "the test lets %s fail", cases[i].function);
    msdk_result result = msdk_outgoing_audio_attach_producer(it->voice.stream, producer);
    if (result < 0) { /* said at once */
      CHECK_EQ(result, MSDK_E_DEVICE_LOST);
      CHECK_STR_CONTAINS(msdk_last_error(), words);
    } else {
      run_for(it->engine, 200 * MS);
      if (!CHECK(times_told(it->alice, MSDK_E_DEVICE_LOST, words) > 0)) fprintf(stderr, "  no event with \"%s\"\n", words);
    }
    CHECK_OK(voice_send(&it->voice)); /* the stream itself goes on */
    msdk_instance_destroy(producer);
    record_expect("mic", "settings", cases[i].calls);
    sound_close(it);
  }
}

static void who_may_be_attached(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = call_with_module(MSDK_CLOCK_VIRTUAL, &options);
  CHECK_OK(msdk_engine_register_module(it->engine, &test_module));
  msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.mic"), *ear = instance_of(it->engine, "org.mediasdk.test.earphone");
  msdk_instance *camera = instance_of(it->engine, "org.mediasdk.test.pull"), *screen = instance_of(it->engine, "org.mediasdk.test.sink");
  msdk_outgoing_audio *second = NULL, *packets = NULL;
  CHECK_OK(msdk_outgoing_audio_create(it->engine, &options, &second));
  options.codec = MSDK_CODEC_OPUS;
  options.encoded_input = 1;
  CHECK_OK(msdk_outgoing_audio_create(it->engine, &options, &packets));
  CHECK(msdk_outgoing_audio_attach_producer(it->voice.stream, ear) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "producer");
  CHECK(msdk_outgoing_audio_attach_producer(it->voice.stream, camera) < 0); /* of pictures */
  CHECK(msdk_incoming_audio_attach_renderer(it->heard.stream, producer) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "renderer");
  CHECK(msdk_incoming_audio_attach_renderer(it->heard.stream, screen) < 0);
  CHECK(msdk_outgoing_audio_attach_producer(packets, producer) < 0);
  CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer));
  CHECK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer) < 0); /* a second time */
  CHECK(msdk_outgoing_audio_attach_producer(second, producer) < 0);           /* at two streams at once */
  CHECK_OK(msdk_outgoing_audio_detach_producer(it->voice.stream));
  CHECK_OK(msdk_outgoing_audio_detach_producer(it->voice.stream));
  CHECK_OK(msdk_outgoing_audio_attach_producer(second, producer));
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, ear));
  CHECK(msdk_incoming_audio_attach_renderer(it->heard.stream, ear) < 0);
  msdk_outgoing_audio_destroy(second);
  msdk_outgoing_audio_destroy(packets);
  msdk_instance_destroy(camera);
  msdk_instance_destroy(screen);
  msdk_instance_destroy(ear);
  msdk_instance_destroy(producer);
  sound_close(it);
}

/* ------------------------------------------------------------------------------------------------------------- from inside */

static struct inside {
  sound_call *call;
  msdk_instance *instance;
  int action;
  atomic_int left;
} inside;

/* Once, inside produce_frame or render_audio_frame. Whatever the calls return is fine, but for a hang or a crash. */
static void do_inside(void *user) {
  struct inside *it = user;
  if (atomic_fetch_sub(&it->left, 1) != 1) return;
  msdk_audio_frame *frame = NULL;
  switch (it->action) {
  case 0: msdk_session_stop_audio(it->call->alice, it->call->voice.stream); break;
  case 1: msdk_outgoing_audio_destroy(it->call->voice.stream); break;
  case 2: msdk_incoming_audio_stop(it->call->heard.stream); break;
  case 3: msdk_session_destroy(it->call->bob); break;
  case 4: msdk_session_destroy(it->call->alice); break;
  case 5: msdk_instance_destroy(it->instance); break;
  case 6: msdk_engine_destroy(it->call->engine); break;
  case 7: if (msdk_incoming_audio_read(it->call->heard.stream, 0, &frame) >= 0) msdk_audio_frame_unref(frame); break;
  case 8: msdk_outgoing_audio_set_muted(it->call->voice.stream, 1); break;
  case 9: msdk_instance_release(it->instance); break;
  case 10: msdk_outgoing_audio_detach_producer(it->call->voice.stream); break;
  case 11: msdk_incoming_audio_detach_renderer(it->call->heard.stream, it->instance); break;
  case 12: CHECK(msdk_engine_advance_clock(it->call->engine, MS) < 0); break;
  default: CHECK_OK(msdk_outgoing_audio_flush(it->call->voice.stream)); break;
  }
}

static void calls_from_inside(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int clock = 0; clock < 2; clock++) {
    for (int renderer = 0; renderer < 2; renderer++) {
      for (int action = 0; action < 14; action++) {
        int threads = process_threads();
        msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
        sound_call *it = call_with_module(clocks[clock], &options);
        inside.call = it;
        inside.action = action;
        atomic_store(&inside.left, 5);
        plan.inside = do_inside;
        plan.user = &inside;
        int failed = atomic_load(&check_failed);
        if (renderer) {
          inside.instance = instance_of(it->engine, "org.mediasdk.test.earphone");
          CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, inside.instance));
        } else {
          inside.instance = instance_of(it->engine, "org.mediasdk.test.mic");
          CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, inside.instance));
        }
        for (int i = 0; i < 20 || (i < 500 && atomic_load(&inside.left) > 0); i++) {
          if (renderer) voice_send(&it->voice);
          run_for(it->engine, 10 * MS);
        }
        CHECK(atomic_load(&inside.left) <= 0);
        msdk_instance_destroy(inside.instance);
        msdk_engine_destroy(it->engine);
        const char *who = renderer ? "earphone destroy" : "mic destroy";
        WAIT_UNTIL(record_times(who) == 1); /* inside its own call, when that is over */
        CHECK_EQ(record_times(who), 1);
        sound_close(it);
        CHECK_COMES_BACK(process_threads(), threads);
        if (atomic_load(&check_failed) != failed) {
          fprintf(stderr, "  in %s: action %d, clock %d\n", renderer ? "render_audio_frame" : "produce_frame", action, clock);
        }
      }
    }
  }
}

int main(int argc, char **argv) {
  RUN(classes_of_sound_are_listed);
  RUN(a_producer_is_asked_in_real_time);
  RUN(a_slow_producer_is_reported);
  RUN(the_order_of_calls);
  RUN(the_end_of_the_stream_takes_the_producer_down);
  RUN(other_formats_are_converted);
  RUN(a_producer_s_format);
  RUN(the_end_is_told);
  RUN(nothing_this_time_is_silence);
  RUN(failures_surface);
  RUN(who_may_be_attached);
  RUN(calls_from_inside);
  return check_finish();
}
