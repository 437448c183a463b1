/* instance.h, "pulling": producers that are read without a stream. */
#include "audio_classes.h"
#include "waiting.h"

static const char *plugins;

static msdk_engine *engine_with_classes(uint32_t clock) {
  msdk_engine *engine = engine_new(clock);
  CHECK_OK(msdk_engine_register_module(engine, &test_module));
  CHECK_OK(msdk_engine_register_module(engine, &audio_module));
  CHECK_OK(msdk_engine_add_plugin_dir(engine, plugins, NULL));
  audio_sight_clear();
  produces_only = 0;
  return engine;
}

static msdk_instance *made(msdk_engine *engine, const char *id, uint32_t isolation) {
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = isolation;
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, id, &options, &instance));
  return instance;
}

static msdk_video_pull_options pull_options(uint32_t capacity, uint32_t policy) {
  msdk_video_pull_options options = MSDK_INIT(msdk_video_pull_options);
  options.queue_capacity = capacity;
  options.queue_policy = policy;
  return options;
}

/* What was read. */
typedef struct read_frames {
  int count;
  uint64_t first, last; /* sequence */
  int64_t last_time;
  uint32_t width, height, pixel_format;
} read_frames;

/* Reads what is queued; checks that times go on at `interval` where nothing is missing. */
static void read_all(msdk_instance *producer, int64_t interval, read_frames *seen) {
  msdk_video_frame *frame = NULL;
  while (msdk_instance_read(producer, 0, &frame) >= 0) {
    CHECK((frame->flags & MSDK_FRAME_WRITABLE) == 0);
    CHECK(seen->count == 0 || frame->sequence > seen->last);
    int is_next = seen->count > 0 && frame->sequence == seen->last + 1 && frame->format->width == seen->width;
    if (is_next) CHECK_RANGE(frame->timestamp_ns - seen->last_time, interval - 2, interval + 2);
    if (seen->count++ == 0) seen->first = frame->sequence;
    (seen->last = frame->sequence, seen->last_time = frame->timestamp_ns);
    (seen->width = frame->format->width, seen->height = frame->format->height, seen->pixel_format = frame->format->pixel_format);
    CHECK_OK(msdk_video_frame_unref(frame));
  }
}

static void run_and_read(msdk_engine *engine, msdk_instance *producer, int64_t duration, int64_t interval, read_frames *seen) {
  for (int64_t passed = 0; passed < duration; passed += 10 * MS) {
    run_for(engine, 10 * MS);
    read_all(producer, interval, seen);
  }
}

/* Whether the instance's own events have this one. */
static int has_event(msdk_instance *instance, uint32_t wanted, msdk_result status) {
  int found = 0;
  msdk_instance_event event = MSDK_INIT(msdk_instance_event);
  while (msdk_instance_next_event(instance, 0, &event) >= 0) {
    if (event.event == wanted && event.status == status) found++;
    event = MSDK_INIT(msdk_instance_event);
  }
  return found == 1;
}

static void a_producer_is_asked_at_its_rate(void) {
  msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
  msdk_instance *producer = instance_of(engine, "org.mediasdk.test.pull");
  msdk_video_frame *frame = NULL;
  read_frames seen = {0};
  int32_t descriptor = -1;
  CHECK_OK(msdk_instance_get_fd(producer, &descriptor));
  CHECK_ERROR(msdk_instance_read(producer, 0, &frame), MSDK_E_STATE, "not pulled");
  CHECK_OK(msdk_instance_stop_pull(producer));
  CHECK(!is_readable(descriptor, 0));
  CHECK_OK(msdk_instance_start_pull(producer, NULL, NULL));
  CHECK_RESULT(msdk_instance_read(producer, 0, &frame), MSDK_E_AGAIN);
  CHECK_RESULT(msdk_instance_read(producer, 1, &frame), MSDK_E_TIMEOUT);
  CHECK(!is_readable(descriptor, 0));
  run_for(engine, 10 * MS);
  CHECK(is_readable(descriptor, 0));
  CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_STARTED);
  run_and_read(engine, producer, 2 * SECOND, SECOND / 30, &seen);
  CHECK_RANGE(seen.count, 60, 62);
  CHECK_EQ(seen.first, 1);
  CHECK_EQ(seen.last, seen.count); /* nothing is missing */
  CHECK(seen.width == 64 && seen.height == 48 && seen.pixel_format == MSDK_PIXEL_NV12);
  CHECK(!is_readable(descriptor, 0));
  run_for(engine, 100 * MS);
  CHECK_OK(msdk_instance_stop_pull(producer));
  CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_CREATED);
  CHECK(is_readable(descriptor, 0)); /* the end is to be read, too */
  CHECK_RESULT(msdk_instance_read(producer, 0, &frame), MSDK_E_CLOSED); /* and what was queued is gone */
  record_expect("pull", "settings formats produce", "create init set_format start stop release");
  /* Once more. */
  CHECK_OK(msdk_instance_start_pull(producer, NULL, NULL));
  CHECK(!is_readable(descriptor, 0));
  seen = (read_frames){0};
  run_and_read(engine, producer, SECOND, SECOND / 30, &seen);
  CHECK_RANGE(seen.count, 30, 31);
  CHECK_EQ(seen.first, 1);
  msdk_instance_destroy(producer);
  msdk_engine_destroy(engine);
}

static void the_format_that_is_wanted(void) {
  static const struct { uint32_t pixel_format, width, height, fps, made, count; } cases[] = {
    {MSDK_PIXEL_NV12, 128, 96, 10, 0, 10},
    {MSDK_PIXEL_BGRA, 64, 48, 30, MSDK_PIXEL_NV12, 30}, /* converted */
    {MSDK_PIXEL_NV12, 64, 48, 0, 0, 15},                /* 0/0 */
  };
  for (size_t i = 0; i < MSDK_COUNT(cases); i++) {
    msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
    msdk_instance *producer = instance_of(engine, "org.mediasdk.test.pull");
    msdk_video_format format = format_of(cases[i].pixel_format, cases[i].width, cases[i].height, cases[i].fps);
    if (cases[i].fps == 0) format.fps_den = 0;
    produces_only = cases[i].made;
    read_frames seen = {0};
    CHECK_OK(msdk_instance_start_pull(producer, &format, NULL));
    run_and_read(engine, producer, SECOND, SECOND / (int64_t)cases[i].count, &seen);
    CHECK_RANGE(seen.count, cases[i].count, cases[i].count + 1);
    CHECK_EQ(seen.last, seen.count);
    CHECK(seen.width == cases[i].width && seen.height == cases[i].height && seen.pixel_format == cases[i].pixel_format);
    msdk_instance_destroy(producer);
    msdk_engine_destroy(engine);
  }
}

static void what_cannot_be_is_refused_at_once(void) {
  msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
  msdk_instance *pull = instance_of(engine, "org.mediasdk.test.pull"), *mic = instance_of(engine, "org.mediasdk.test.mic");
  msdk_instance *sink = instance_of(engine, "org.mediasdk.test.sink"), *needy = instance_of(engine, "org.mediasdk.test.needy");
  msdk_video_frame *frame = NULL;
  msdk_audio_frame *buffer = NULL;
  CHECK_ERROR(msdk_instance_start_pull(sink, NULL, NULL), MSDK_E_UNSUPPORTED, "not a video producer");
  CHECK_ERROR(msdk_instance_start_pull(mic, NULL, NULL), MSDK_E_UNSUPPORTED, "not a video producer");
  CHECK_ERROR(msdk_instance_start_pull_audio(pull, NULL, NULL), MSDK_E_UNSUPPORTED, "not an audio producer");
  CHECK(msdk_instance_start_pull(needy, NULL, NULL) < 0); /* its path is not set */
  CHECK_STR_CONTAINS(msdk_last_error(), "path");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  format.content_hint = 99;
  CHECK_ERROR(msdk_instance_start_pull(pull, &format, NULL), MSDK_E_UNSUPPORTED, "content_hint");
  format = format_of(MSDK_PIXEL_BGRA, 32, 32, 30);
  produces_only = MSDK_PIXEL_NV12;
  CHECK_RESULT(msdk_instance_start_pull(pull, &format, NULL), MSDK_E_FORMAT); /* no such size */
  produces_only = 0;
  msdk_video_pull_options options = pull_options(65, MSDK_POLICY_DROP_OLDEST);
  CHECK_ERROR(msdk_instance_start_pull(pull, NULL, &options), MSDK_E_RANGE, "queue_capacity");
  options = pull_options(1, MSDK_POLICY_WAIT);
  CHECK_ERROR(msdk_instance_start_pull(pull, NULL, &options), MSDK_E_UNSUPPORTED, "queue_policy");
  options = pull_options(1, MSDK_POLICY_DROP_OLDEST);
  options.reserved0 = 1;
  CHECK_ERROR(msdk_instance_start_pull(pull, NULL, &options), MSDK_E_UNSUPPORTED, "reserved0");
  msdk_audio_pull_options audio = MSDK_INIT(msdk_audio_pull_options);
  audio.queue_ms = 19;
  CHECK_ERROR(msdk_instance_start_pull_audio(mic, NULL, &audio), MSDK_E_RANGE, "queue_ms");
  audio = MSDK_INIT(msdk_audio_pull_options);
  audio.reserved0 = 1;
  CHECK_ERROR(msdk_instance_start_pull_audio(mic, NULL, &audio), MSDK_E_UNSUPPORTED, "reserved0");
  CHECK_ERROR(msdk_instance_read(pull, 0, NULL), MSDK_E_INVALID, "out");
  CHECK_ERROR(msdk_instance_get_fd(pull, NULL), MSDK_E_INVALID, "out");
  CHECK_RESULT(msdk_instance_read(pull, 0, &frame), MSDK_E_STATE); /* nothing was started by all this */
  CHECK_RESULT(msdk_instance_read_audio(mic, 0, &buffer), MSDK_E_STATE);
  CHECK_EQ(state_of(pull, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_CREATED);
  CHECK_EQ(state_of(mic, MSDK_KIND_AUDIO_PRODUCER), MSDK_INSTANCE_CREATED);
  CHECK_OK(msdk_instance_start_pull(pull, NULL, NULL)); /* and it can be, still */
  msdk_engine_destroy(engine);
}

static void one_attachment_at_a_time(void) {
  call it = call_with_classes(MSDK_CODEC_RAW);
  CHECK_OK(msdk_engine_register_module(it.engine, &audio_module));
  audio_sight_clear();
  msdk_instance *pull = instance_of(it.engine, "org.mediasdk.test.pull"), *mic = instance_of(it.engine, "org.mediasdk.test.mic");
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  msdk_outgoing_audio *voice = NULL;
  CHECK_OK(msdk_outgoing_audio_create(it.engine, &options, &voice));
  CHECK_OK(msdk_instance_start_pull(pull, NULL, NULL));
  CHECK_OK(msdk_instance_start_pull_audio(mic, NULL, NULL));
  CHECK_ERROR(msdk_instance_start_pull(pull, NULL, NULL), MSDK_E_STATE, "msdk_instance_start_pull");
  CHECK_ERROR(msdk_instance_start_pull_audio(mic, NULL, NULL), MSDK_E_STATE, "msdk_instance_start_pull_audio");
  CHECK_ERROR(msdk_outgoing_video_attach_producer(it.outgoing, pull), MSDK_E_STATE, "msdk_instance_start_pull");
  CHECK_ERROR(msdk_outgoing_audio_attach_producer(voice, mic), MSDK_E_STATE, "msdk_instance_start_pull_audio");
  read_frames seen = {0};
  run_and_read(it.engine, pull, SECOND / 2, SECOND / 30, &seen); /* none of this stopped it */
  CHECK_RANGE(seen.count, 15, 16);
  CHECK_OK(msdk_instance_stop_pull(pull));
  CHECK_OK(msdk_instance_stop_pull_audio(mic));
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, pull));
  CHECK_OK(msdk_outgoing_audio_attach_producer(voice, mic));
  CHECK_ERROR(msdk_instance_start_pull(pull, NULL, NULL), MSDK_E_STATE, "an outgoing stream");
  CHECK_ERROR(msdk_instance_start_pull_audio(mic, NULL, NULL), MSDK_E_STATE, "an outgoing stream");
  CHECK_OK(msdk_instance_stop_pull(pull)); /* is not pulled: the stream keeps it */
  run_for(it.engine, SECOND / 2);
  CHECK_EQ(state_of(pull, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_STARTED);
  call_close(&it);
}

/* The producer makes as many as if all were read, though it has but eight. */
static void nobody_who_keeps_frames_slows_the_producer(void) {
  enum { HELD = 3 + 32 };
  static const uint32_t policies[] = {MSDK_POLICY_DROP_OLDEST, MSDK_POLICY_DROP_NEWEST};
  for (int i = 0; i < 2; i++) {
    msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
    msdk_instance *producer = instance_of(engine, "org.mediasdk.test.pull");
    msdk_video_pull_options options = pull_options(3, policies[i]);
    msdk_video_frame *held[HELD] = {NULL}, *frame = NULL, *same = NULL;
    read_frames seen = {0};
    CHECK_OK(msdk_instance_start_pull(producer, NULL, &options));
    record_clear();
    run_for(engine, 2 * SECOND); /* nobody reads */
    int made = record_times("pull produce");
    CHECK_RANGE(made, 60, 62);
    read_all(producer, SECOND / 30, &seen);
    CHECK_EQ(seen.count, 3);
    CHECK_EQ(seen.last, policies[i] == MSDK_POLICY_DROP_OLDEST ? made : 3);
    int count = 0;
    while (count < HELD - 3 && made < 1000) { /* what is read is kept */
      run_for(engine, 10 * MS);
      if (msdk_instance_read(producer, 0, &frame) >= 0) held[count++] = frame;
      made = record_times("pull produce");
    }
    CHECK_EQ(count, HELD - 3);
    same = picture_new(MSDK_PIXEL_NV12, 64, 48, 0);
    for (int n = 0; n < count; n++) { /* copies and all show what was made */
      picture_draw(same, (uint32_t)held[n]->sequence - 1);
      CHECK_RANGE(picture_psnr(same, held[n]), 99, 100);
    }
    run_for(engine, SECOND); /* three are queued, all others are dropped */
    CHECK_RANGE(record_times("pull produce"), made + 29, made + 31);
    CHECK(!has_event(producer, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_AGAIN));
    for (int n = 0; n < count; n++) CHECK_OK(msdk_video_frame_unref(held[n]));
    seen = (read_frames){0};
    read_all(producer, SECOND / 30, &seen);
    CHECK_EQ(seen.count, 3);
    run_and_read(engine, producer, SECOND, SECOND / 30, &seen); /* goes on */
    CHECK_RANGE(seen.count, 32, 35);
    CHECK_OK(msdk_video_frame_unref(same));
    msdk_instance_destroy(producer);
    msdk_engine_destroy(engine);
  }
}

static void a_push_producer_delivers(void) {
  msdk_engine *engine = engine_with_classes(MSDK_CLOCK_SYSTEM);
  msdk_instance *camera = instance_of(engine, "org.mediasdk.test.push"), *mic = instance_of(engine, "org.mediasdk.test.push_mic");
  msdk_video_frame *frame = NULL;
  msdk_audio_frame *buffer = NULL;
  uint64_t last = 0;
  sight_push = (class_sight){0};
  CHECK_OK(msdk_instance_start_pull(camera, NULL, NULL));
  CHECK_OK(msdk_instance_start_pull_audio(mic, NULL, NULL));
  for (int i = 0; i < 10; i++) {
    if (!CHECK_OK(msdk_instance_read(camera, 60000, &frame))) break;
    CHECK(frame->sequence > last && frame->timestamp_ns > 0);
    last = frame->sequence;
    CHECK_OK(msdk_video_frame_unref(frame));
    if (!CHECK_OK(msdk_instance_read_audio(mic, 60000, &buffer))) break;
    CHECK_OK(msdk_audio_frame_unref(buffer));
  }
  CHECK_OK(msdk_instance_stop_pull(camera));
  CHECK_OK(msdk_instance_stop_pull_audio(mic));
  CHECK(atomic_load(&sight_push.closed) == 1); /* its thread is gone */
  CHECK_EQ(atomic_load(&sight_push.other), 0);
  CHECK_EQ(state_of(camera, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_CREATED);
  CHECK_EQ(state_of(mic, MSDK_KIND_AUDIO_PRODUCER), MSDK_INSTANCE_CREATED);
  msdk_engine_destroy(engine);
}

/* What fails before the call returns is its error, what fails later an event; both end the pull. */
static void failures_surface(void) {
  static const struct { const char *function; int is_later; } cases[] = {{"init", 0}, {"set_format", 0}, {"start", 1}, {"produce", 1}};
  for (size_t i = 0; i < MSDK_COUNT(cases); i++) {
    msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
    msdk_instance *producer = instance_of(engine, "org.mediasdk.test.pull");
    msdk_video_frame *frame = NULL;
    CHECK_OK(msdk_instance_set_param_text(producer, "fail", cases[i].function));
    msdk_result result = msdk_instance_start_pull(producer, NULL, NULL);
    CHECK_EQ(result, cases[i].is_later ? MSDK_OK : MSDK_E_DEVICE_LOST);
    if (result < 0) CHECK_STR_CONTAINS(msdk_last_error(), cases[i].function);
    run_for(engine, 100 * MS);
    if (cases[i].is_later) CHECK(has_event(producer, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_DEVICE_LOST));
    CHECK_RESULT(msdk_instance_read(producer, 0, &frame), cases[i].is_later ? MSDK_E_CLOSED : MSDK_E_STATE);
    CHECK_OK(msdk_instance_stop_pull(producer));
    CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_CREATED);
    msdk_instance_destroy(producer);
    msdk_engine_destroy(engine);
  }
}

enum { FILM = 5 };
static void write_film(void) {
  FILE *file = fopen("film.y4m", "wb");
  if (!CHECK(file != NULL)) return;
  fprintf(file, "YUV4MPEG2 W16 H16 F25:1 C420\n");
  for (int i = 0; i < FILM; i++) {
    fprintf(file, "FRAME\n");
    for (int n = 0; n < 16 * 16 * 3 / 2; n++) fputc(40 + 20 * i, file);
  }
  fclose(file);
}

/* Files and tones end: what was made can be read, then it is closed, and may begin anew. */
static void what_ends_is_read_to_its_end(uint32_t isolation) {
  msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
  msdk_instance *film = made(engine, "org.mediasdk.producer.file", isolation), *tone = made(engine, "org.mediasdk.producer.tone", isolation);
  msdk_video_pull_options options = pull_options(64, 0);
  msdk_audio_pull_options audio = MSDK_INIT(msdk_audio_pull_options);
  audio.queue_ms = 1000;
  msdk_video_frame *frame = NULL;
  msdk_audio_frame *buffer = NULL;
  int32_t video_fd = -1, audio_fd = -1;
  write_film();
  CHECK_OK(msdk_instance_set_param_text(film, "path", "film.y4m"));
  CHECK_OK(msdk_instance_set_param_text(tone, "duration_ms", "200"));
  CHECK_OK(msdk_instance_get_fd(film, &video_fd));
  CHECK_OK(msdk_instance_get_fd_audio(tone, &audio_fd));
  for (int round = 0; round < 2; round++) {
    CHECK_OK(msdk_instance_start_pull(film, NULL, &options));
    CHECK_OK(msdk_instance_start_pull_audio(tone, NULL, &audio));
    run_for(engine, SECOND);
    CHECK(has_event(film, MSDK_PLUGIN_EVENT_ENDED, MSDK_OK));
    CHECK(has_event(tone, MSDK_PLUGIN_EVENT_ENDED, MSDK_OK));
    CHECK(is_readable(video_fd, 0) && is_readable(audio_fd, 0));
    read_frames seen = {0};
    read_all(film, SECOND / 25, &seen);
    CHECK_EQ(seen.count, FILM);
    CHECK_EQ(seen.last, FILM);
    uint64_t samples = 0, number = 0;
    while (msdk_instance_read_audio(tone, 0, &buffer) >= 0) {
      CHECK_EQ(buffer->sequence, ++number);
      samples += buffer->sample_count;
      CHECK_OK(msdk_audio_frame_unref(buffer));
    }
    CHECK_EQ(samples, 48000 / 5);
    CHECK_RESULT(msdk_instance_read(film, 1000, &frame), MSDK_E_CLOSED); /* without a wait */
    CHECK_RESULT(msdk_instance_read_audio(tone, 1000, &buffer), MSDK_E_CLOSED);
    CHECK(is_readable(video_fd, 0) && is_readable(audio_fd, 0));
    CHECK_RESULT(msdk_instance_start_pull(film, NULL, &options), MSDK_E_STATE); /* is attached until it is stopped */
    CHECK_OK(msdk_instance_stop_pull(film));
    CHECK_OK(msdk_instance_stop_pull_audio(tone));
  }
  msdk_engine_destroy(engine);
}

static void of_a_file_and_a_tone(void) { what_ends_is_read_to_its_end(MSDK_ISOLATION_NONE); }
static void of_isolated_ones(void) { what_ends_is_read_to_its_end(MSDK_ISOLATION_PROCESS); }

static void audio_in_the_format_that_is_wanted(void) {
  static const struct { uint32_t format, rate, channels, samples; } cases[] = {
    {MSDK_SAMPLE_F32, 48000, 2, 0}, {MSDK_SAMPLE_S16, 16000, 1, 320}, {MSDK_SAMPLE_S16, 44100, 2, 441}};
  for (size_t i = 0; i < MSDK_COUNT(cases); i++) {
    msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
    msdk_instance *tone = instance_of(engine, "org.mediasdk.producer.tone");
    msdk_audio_format format = audio_format_of(cases[i].format, cases[i].rate, cases[i].channels);
    format.frames_per_buffer = cases[i].samples;
    msdk_audio_frame *buffer = NULL;
    uint64_t samples = 0, number = 0;
    int64_t next = 0;
    CHECK_OK(msdk_instance_start_pull_audio(tone, &format, NULL));
    for (int passed = 0; passed < 200; passed++) {
      run_for(engine, 10 * MS);
      while (msdk_instance_read_audio(tone, 0, &buffer) >= 0) {
        CHECK_EQ(buffer->sequence, ++number);
        CHECK_EQ(buffer->format->sample_rate, cases[i].rate);
        CHECK_EQ(buffer->format->channels, cases[i].channels);
        CHECK_EQ(buffer->format->sample_format, cases[i].format);
        if (cases[i].samples != 0) CHECK_EQ(buffer->sample_count, cases[i].samples);
        if (next != 0) CHECK_RANGE(buffer->timestamp_ns - next, -30000, 30000);
        CHECK(buffer->level < 127 || number == 1); /* it can be heard */
        next = buffer->timestamp_ns + buffer->duration_ns;
        samples += buffer->sample_count;
        CHECK_OK(msdk_audio_frame_unref(buffer));
      }
    }
    CHECK_RANGE((double)samples / cases[i].rate, 1.95, 2.12);
    msdk_instance_destroy(tone);
    msdk_engine_destroy(engine);
  }
}

/* By time, and the newest stay; the producer's pool is one of 16. */
static void audio_that_nobody_reads(void) {
  msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
  msdk_instance *mic = instance_of(engine, "org.mediasdk.test.mic");
  msdk_audio_frame *buffer = NULL, *kept[200];
  int64_t duration = 0;
  uint64_t last = 0;
  int count = 0;
  CHECK_OK(msdk_instance_start_pull_audio(mic, NULL, NULL));
  run_for(engine, 3 * SECOND);
  while (count < 200 && msdk_instance_read_audio(mic, 0, &buffer) >= 0) {
    CHECK(last == 0 || buffer->sequence == last + 1);
    last = buffer->sequence;
    duration += buffer->duration_ns;
    kept[count++] = buffer;
  }
  CHECK_RANGE(duration, 490 * MS, 500 * MS);
  CHECK_RANGE(last, 300, 301);
  run_for(engine, SECOND / 2); /* with all of them kept */
  CHECK_OK(msdk_instance_read_audio(mic, 0, &buffer));
  CHECK_EQ(buffer->sequence, last + 1);
  CHECK_OK(msdk_audio_frame_unref(buffer));
  for (int i = 0; i < count; i++) CHECK_OK(msdk_audio_frame_unref(kept[i]));
  msdk_engine_destroy(engine);
}

/* A phone: its settings are those of how it is held, and it makes what it is set to. */
static msdk_self *phone;
static uint32_t phone_width, phone_height;
static msdk_result phone_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_result result = self_create("phone", host, context, out);
  phone = result >= 0 ? *out : NULL;
  return result;
}
static msdk_result phone_settings(msdk_self *self, msdk_video_format *out) {
  *out = self_format(self, 0);
  (out->width = phone_width, out->height = phone_height);
  return MSDK_OK;
}
static const msdk_video_producer phone_table = {
  .struct_size = sizeof(msdk_video_producer), .flags = MSDK_PRODUCER_PULL, .init_capture = capture_init, .release_capture = capture_release,
  .capture_settings = phone_settings, .set_format = capture_set_format, .start_capture = capture_start, .stop_capture = capture_stop,
  .produce_frame = capture_produce};
static const msdk_class phone_class = {
  .struct_size = sizeof(msdk_class), .id = "org.mediasdk.test.phone", .name = "phone", .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .create = phone_create, .destroy = self_destroy, .video_producer = &phone_table};
static const msdk_class *const phone_classes[] = {&phone_class};
static const msdk_module phone_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests", .classes = phone_classes, .class_count = 1};

/* The frames follow where no format was asked for, and stay as they are where one was. */
static void a_size_that_changes(void) {
  for (int is_asked = 0; is_asked < 2; is_asked++) {
    msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
    CHECK_OK(msdk_engine_register_module(engine, &phone_module));
    (phone_width = 128, phone_height = 64);
    msdk_video_format format = format_of(MSDK_PIXEL_NV12, 128, 64, 30);
    msdk_instance *producer = instance_of(engine, "org.mediasdk.test.phone");
    read_frames seen = {0};
    CHECK_OK(msdk_instance_start_pull(producer, is_asked ? &format : NULL, NULL));
    run_and_read(engine, producer, SECOND, SECOND / 30, &seen);
    CHECK(seen.width == 128 && seen.height == 64);
    for (int turn = 0; turn < 2; turn++) {
      (phone_width = turn == 0 ? 64 : 128, phone_height = turn == 0 ? 128 : 64);
      phone->host->post_event(phone->context, MSDK_PLUGIN_EVENT_FORMAT_CHANGED, MSDK_OK, NULL);
      run_and_read(engine, producer, SECOND, SECOND / 30, &seen);
      CHECK(seen.width == (is_asked ? 128 : phone_width) && seen.height == (is_asked ? 64 : phone_height));
    }
    CHECK_RANGE(seen.count, 85, 95);
    msdk_engine_destroy(engine);
  }
}

static atomic_int reader_result;
static void *read_until_closed(void *producer) {
  msdk_video_frame *frame = NULL;
  atomic_store(&reader_result, msdk_instance_read(producer, 60000, &frame));
  return NULL;
}

/* Whoever waits in read is notified. Nothing comes before: the clock stands. */
static void the_end_of_the_instance_closes_it(void) {
  for (int i = 0; i < 4; i++) {
    msdk_engine *engine = engine_with_classes(MSDK_CLOCK_VIRTUAL);
    msdk_instance *producer = instance_of(engine, "org.mediasdk.test.pull");
    pthread_t reader;
    atomic_store(&reader_result, 1);
    CHECK_OK(msdk_instance_start_pull(producer, NULL, NULL));
    CHECK(pthread_create(&reader, NULL, read_until_closed, producer) == 0);
    sleep_ms(20);
    if (i == 0) CHECK_OK(msdk_instance_stop_pull(producer));
    if (i == 1) CHECK_OK(msdk_instance_release(producer));
    if (i == 2) msdk_instance_destroy(producer);
    if (i == 3) msdk_engine_destroy(engine);
    pthread_join(reader, NULL);
    /* One that came too late finds no instance. */
    CHECK(atomic_load(&reader_result) == MSDK_E_CLOSED || (i >= 2 && atomic_load(&reader_result) == MSDK_E_HANDLE));
    if (i < 2) CHECK_EQ(state_of(producer, MSDK_KIND_VIDEO_PRODUCER), MSDK_INSTANCE_CREATED);
    if (i < 2) CHECK_OK(msdk_instance_start_pull(producer, NULL, NULL));
    msdk_engine_destroy(engine);
    CHECK_EQ(record_times("pull destroy"), 1);
  }
}

int main(int argc, char **argv) {
  plugins = getenv("MSDK_PLUGIN_DIR");
  RUN(a_producer_is_asked_at_its_rate);
  RUN(the_format_that_is_wanted);
  RUN(a_size_that_changes);
  RUN(what_cannot_be_is_refused_at_once);
  RUN(one_attachment_at_a_time);
  RUN(nobody_who_keeps_frames_slows_the_producer);
  RUN(a_push_producer_delivers);
  RUN(failures_surface);
  RUN(of_a_file_and_a_tone);
  if (getenv("MSDK_TEST_PLUGIN_HOST") == NULL) RUN(of_isolated_ones); /* a sanitizer's library with a host of none */
  RUN(audio_in_the_format_that_is_wanted);
  RUN(audio_that_nobody_reads);
  RUN(the_end_of_the_instance_closes_it);
  return check_finish();
}
