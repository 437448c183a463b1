/* Filters of pictures, on outgoing and incoming streams: their order, who writes where, formats, what is left out, what fails, and bad ones. */
#include "filter_classes.h"

enum { FIRST = 40 }; /* as picture 1 of picture_draw begins */

static call filtered_call(uint32_t codec, const msdk_incoming_video_options *receive) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, receive);
  filters_begin(it.engine);
  return it;
}

/* Sends one picture and takes what came of it; -1 when nothing did. */
static int first_byte_of_next(call *it, uint32_t *pixel_format) {
  CHECK_OK(send_picture(it->sender, 1, 0, NULL));
  run_for(it->engine, 40 * MS);
  msdk_video_frame *frame = NULL;
  if (msdk_incoming_video_read(it->incoming, 0, &frame) < 0) return -1;
  int first = row_of(frame, 0, 0)[0];
  CHECK_EQ(frame->flags & MSDK_FRAME_WRITABLE, 0);
  CHECK(frame->timestamp_ns > 0 && frame->sequence > 0);
  if (pixel_format != NULL) *pixel_format = frame->format->pixel_format;
  msdk_video_frame_unref(frame);
  return first;
}

static void they_stand_in_the_order_added(void) {
  call it = filtered_call(MSDK_CODEC_RAW, NULL);
  msdk_instance *filter[4];
  for (int i = 0; i < 4; i++) filter[i] = filter_new(it.engine, "tint", i % 2 ? "make" : "change", i + 1);
  CHECK_EQ(filter_state(filter[0], MSDK_KIND_VIDEO_FILTER), MSDK_INSTANCE_CREATED);
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, filter[0]));
  CHECK_EQ(filter_state(filter[0], MSDK_KIND_VIDEO_FILTER), MSDK_INSTANCE_READY);
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, filter[1]));
  CHECK_OK(msdk_incoming_video_add_filter(it.incoming, filter[2]));
  CHECK_OK(msdk_incoming_video_add_filter(it.incoming, filter[3]));
  int expected = FIRST;
  for (int i = 0; i < 4; i++) expected = (expected * 2 + i + 1) & 255;
  for (int i = 0; i < 3; i++) CHECK_EQ(first_byte_of_next(&it, NULL), expected);
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(atomic_load(&filter_sights[i].calls), 3);
    CHECK_EQ(atomic_load(&filter_sights[i].formats), 1);
    CHECK_EQ(filter_state(filter[i], MSDK_KIND_VIDEO_FILTER), MSDK_INSTANCE_STARTED);
  }
  CHECK(outgoing_stats(it.outgoing).total_filter_time_ns > 0 && incoming_stats(it.incoming).total_filter_time_ns > 0);
  CHECK_OK(msdk_outgoing_video_remove_filter(it.outgoing, filter[0]));
  CHECK_EQ(filter_state(filter[0], MSDK_KIND_VIDEO_FILTER), MSDK_INSTANCE_STARTED); /* as it was */
  CHECK_RESULT(msdk_outgoing_video_remove_filter(it.outgoing, filter[0]), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_instance_release(filter[0]));
  CHECK_EQ(filter_state(filter[0], MSDK_KIND_VIDEO_FILTER), MSDK_INSTANCE_CREATED);
  CHECK_EQ(atomic_load(&filter_sights[0].releases), 1);
  CHECK_OK(msdk_incoming_video_add_filter(it.incoming, filter[0])); /* elsewhere, behind the others */
  expected = FIRST;
  for (int i = 1; i < 4; i++) expected = (expected * 2 + i + 1) & 255;
  CHECK_EQ(first_byte_of_next(&it, NULL), (expected * 2 + 1) & 255);
  msdk_outgoing_video_destroy(it.outgoing);
  it.outgoing = NULL;
  CHECK_EQ(filter_state(filter[1], MSDK_KIND_VIDEO_FILTER), MSDK_INSTANCE_CREATED);
  for (int i = 0; i < 4; i++) msdk_instance_destroy(filter[i]);
  call_close(&it);
  for (int i = 0; i < 4; i++) CHECK_EQ(atomic_load(&filter_sights[i].inits), atomic_load(&filter_sights[i].releases));
}

/* A frame that nobody else holds is written to where it lies; others are not touched. */
static void in_place_or_a_copy(void) {
  call it = filtered_call(MSDK_CODEC_RAW, NULL);
  msdk_instance *first = filter_new(it.engine, "tint", "change", 1), *second = filter_new(it.engine, "tint", "change", 1);
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, first));
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, second));
  msdk_video_frame *mine = NULL;
  CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &mine));
  NEED(mine != NULL);
  picture_draw(mine, 1);
  CHECK_OK(msdk_frame_sender_send(it.sender, mine, 0, NULL, NULL));
  CHECK_EQ(row_of(mine, 0, 0)[0], FIRST); /* held by the program: left alone */
  CHECK_EQ(atomic_load(&filter_sights[0].writable), 0);
  CHECK(atomic_load(&filter_sights[0].given) != (const void *)mine->plane[0].data);
  CHECK_EQ(atomic_load(&filter_sights[1].writable), 1); /* the copy is nobody else's */
  /* Between processes it is copied, each time. */
  if (!tests_isolated()) CHECK(atomic_load(&filter_sights[1].memory) == atomic_load(&filter_sights[0].given));
  CHECK(atomic_load(&filter_sights[1].given) == atomic_load(&filter_sights[1].memory));
  msdk_video_frame *came = frame_wait(&it);
  NEED(came != NULL);
  if (!tests_isolated()) CHECK(atomic_load(&filter_sights[1].given) == (const void *)came->plane[0].data);
  CHECK_EQ(row_of(came, 0, 0)[0], ((FIRST * 2 + 1) * 2 + 1) & 255);
  CHECK_EQ(row_of(came, 0, 1)[0], row_of(mine, 0, 1)[0]); /* the rest was copied */
  CHECK_OK(msdk_instance_set_param_text(first, "mode", "keep")); /* it keeps what it gave: nobody may write to that */
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  CHECK_EQ(atomic_load(&filter_sights[1].writable), tests_isolated()); /* a copy is nobody else's */
  CHECK(tests_isolated() || atomic_load(&filter_sights[1].given) != atomic_load(&filter_sights[0].given));
  msdk_video_frame_unref(mine);
  msdk_video_frame_unref(came);
  msdk_instance_destroy(first);
  msdk_instance_destroy(second);
  call_close(&it);

  it = filtered_call(MSDK_CODEC_VP8, NULL); /* what is decoded is the stream's own */
  first = filter_new(it.engine, "tint", "change", 1);
  CHECK_OK(msdk_incoming_video_add_filter(it.incoming, first));
  CHECK(first_byte_of_next(&it, NULL) >= 0);
  CHECK_EQ(atomic_load(&filter_sights[0].writable), 1);
  CHECK_EQ(atomic_load(&filter_sights[0].in_place), 1);
  msdk_instance_destroy(first);
  call_close(&it);
}

static void formats_are_agreed_on_and_converted(void) {
  uint32_t pixel_format = 0;
  call it = filtered_call(MSDK_CODEC_RAW, NULL);
  msdk_instance *bgra = filter_new(it.engine, "tint", "pass", 0), *gray = filter_new(it.engine, "tint", "pass", 0);
  CHECK_OK(msdk_instance_set_param_text(bgra, "takes", "bgra"));
  CHECK_OK(msdk_instance_set_param_text(gray, "takes", "gray8"));
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, bgra));
  CHECK_RANGE(first_byte_of_next(&it, &pixel_format), FIRST - 3, FIRST + 3);
  CHECK_EQ(pixel_format, MSDK_PIXEL_NV12); /* back again */
  CHECK_EQ(atomic_load(&filter_sights[0].pixel_format), MSDK_PIXEL_BGRA);
  CHECK_EQ(atomic_load(&filter_sights[0].writable), 1);
  CHECK_EQ(atomic_load(&filter_sights[0].formats), 3); /* NV12, I420, BGRA */
  CHECK_OK(msdk_incoming_video_add_filter(it.incoming, gray));
  CHECK(first_byte_of_next(&it, &pixel_format) >= 0);
  CHECK_EQ(atomic_load(&filter_sights[1].pixel_format), MSDK_PIXEL_GRAY8);
  CHECK_EQ(pixel_format, MSDK_PIXEL_GRAY8); /* what the last one gives is what came */
  msdk_instance_destroy(bgra);
  msdk_instance_destroy(gray);
  call_close(&it);

  msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
  options.pixel_format = MSDK_PIXEL_RGBA;
  it = filtered_call(MSDK_CODEC_RAW, &options); /* unless another format is wanted */
  msdk_instance *other = filter_new(it.engine, "tint", "other", 0), *none = filter_new(it.engine, "tint", "pass", 0);
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, other)); /* makes BGRA of it: converted back */
  CHECK(first_byte_of_next(&it, &pixel_format) >= 0);
  CHECK_EQ(pixel_format, MSDK_PIXEL_RGBA);
  CHECK_EQ(incoming_stats(it.incoming).width, 64);
  CHECK_OK(msdk_instance_set_param_text(none, "takes", "none"));
  CHECK_OK(msdk_incoming_video_add_filter(it.incoming, none));
  CHECK(first_byte_of_next(&it, NULL) >= 0); /* passes as it is */
  msdk_event event = MSDK_INIT(msdk_event);
  NEED(event_take(it.bob, MSDK_EVENT_PLUGIN, &event));
  CHECK(event.instance == none);
  CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_ERROR);
  CHECK_EQ(event.status, MSDK_E_FORMAT);
  CHECK_STR_CONTAINS(event.text, "64x48");
  CHECK_EQ(atomic_load(&filter_sights[1].formats), PIXEL_FORMATS);
  CHECK_RESULT(msdk_incoming_video_remove_filter(it.incoming, none), MSDK_E_NOT_FOUND);
  msdk_instance_destroy(other);
  msdk_instance_destroy(none);
  call_close(&it);
}

/* On an incoming stream a filter may make another size; on an outgoing one it must not. */
static void a_size_of_its_own(void) {
  call it = filtered_call(MSDK_CODEC_RAW, NULL);
  msdk_instance *small = filter_new(it.engine, "tint", "small", 3), *bad = filter_new(it.engine, "tint", "small", 3);
  CHECK_OK(msdk_incoming_video_add_filter(it.incoming, small));
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  run_for(it.engine, 40 * MS);
  msdk_video_frame *frame = frame_wait(&it);
  NEED(frame != NULL);
  CHECK_EQ(frame->format->width, 32);
  CHECK_EQ(row_of(frame, 0, 0)[0], FIRST * 2 + 3);
  msdk_video_frame_unref(frame);
  msdk_instance_destroy(small);
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, bad));
  CHECK_EQ(first_byte_of_next(&it, NULL), FIRST);
  msdk_event event = MSDK_INIT(msdk_event);
  NEED(event_take(it.alice, MSDK_EVENT_PLUGIN, &event));
  CHECK_EQ(event.status, MSDK_E_FORMAT);
  CHECK_STR_CONTAINS(event.text, "32x48");
  CHECK_STR_CONTAINS(event.text, "64x48");
  msdk_instance_destroy(bad);
  call_close(&it);
}

static void what_is_left_out_is_reported(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 2; i++) {
    call it = filtered_call(codecs[i], NULL);
    outcomes counted = {0};
    msdk_instance *filter = filter_new(it.engine, "tint", "again", 0);
    CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, filter));
    send_film(&it, 1, 5, 40 * MS, &counted);
    CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_FILTER]), 5);
    CHECK_OK(msdk_instance_set_param_text(filter, "mode", "pass"));
    send_film(&it, 1, 5, 40 * MS, &counted);
    CHECK_EQ(atomic_load(&counted.by_outcome[codecs[i] != MSDK_CODEC_RAW ? MSDK_OUTCOME_ENCODED : MSDK_OUTCOME_SENT]), 5);
    CHECK_EQ(outgoing_stats(it.outgoing).frames_dropped, 5);
    check_outcomes_add_up(it.outgoing);
    CHECK_OK(msdk_outgoing_video_remove_filter(it.outgoing, filter));
    CHECK_OK(msdk_instance_set_param_text(filter, "mode", "again"));
    CHECK_OK(msdk_incoming_video_add_filter(it.incoming, filter));
    uint64_t dropped = incoming_stats(it.incoming).frames_dropped;
    send_film(&it, 1, 5, 40 * MS, &counted);
    CHECK_EQ(incoming_stats(it.incoming).frames_dropped, dropped + 5);
    msdk_instance_destroy(filter);
    call_close(&it);
  }
}

/* The same frame given again, whose reference the host had with the first one and has passed on. */
static void one_that_gives_a_frame_twice(void) {
  for (int incoming = 0; incoming < 2; incoming++) {
    call it = filtered_call(MSDK_CODEC_RAW, NULL);
    msdk_instance *filter = filter_new(it.engine, "tint", "twice", 1);
    if (incoming) CHECK_OK(msdk_incoming_video_add_filter(it.incoming, filter));
    else CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, filter));
    CHECK_OK(send_picture(it.sender, 1, 0, NULL));
    msdk_video_frame *held = frame_wait(&it); /* the first is good */
    NEED(held != NULL);
    CHECK_EQ(row_of(held, 0, 0)[0], FIRST * 2 + 1);
    CHECK_EQ(first_byte_of_next(&it, NULL), FIRST);
    msdk_event event = MSDK_INIT(msdk_event);
    NEED(event_take(incoming ? it.bob : it.alice, MSDK_EVENT_PLUGIN, &event));
    /* In a process of its own nothing else holds it. */
    CHECK_EQ(event.status, tests_isolated() ? MSDK_E_HANDLE : MSDK_E_INVALID);
    CHECK_STR_CONTAINS(event.text, tests_isolated() ? "not live" : "it had returned before");
    CHECK_EQ(video_references(held), 1); /* nobody's reference was taken */
    CHECK_EQ(first_byte_of_next(&it, NULL), FIRST);
    msdk_video_frame_unref(held);
    msdk_instance_destroy(filter);
    call_close(&it);
  }
}

/* Each is reported once, in words, and taken out; the picture passes as it was. */
static void bad_filters(void) {
  static const struct { const char *mode, *words; msdk_result status; } cases[] = {
    {"fail", "the test lets it fail", MSDK_E_DEVICE_LOST}, {"null", "no frame", MSDK_E_INVALID},
    {"dead", "not live", MSDK_E_HANDLE},                   {"garbage", "not live", MSDK_E_HANDLE},
    {"nan", "agreed", MSDK_E_FORMAT},                      {"broken", "set_format", MSDK_E_RANGE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int incoming = 0; incoming < 2; incoming++) {
      call it = filtered_call(MSDK_CODEC_RAW, NULL);
      msdk_instance *filter = filter_new(it.engine, "tint", cases[i].mode, 1);
      if (incoming) CHECK_OK(msdk_incoming_video_add_filter(it.incoming, filter));
      else CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, filter));
      int events = 0;
      for (int n = 0; n < 6; n++) {
        CHECK_EQ(first_byte_of_next(&it, NULL), FIRST);
        msdk_event event = MSDK_INIT(msdk_event);
        if (!event_take(incoming ? it.bob : it.alice, MSDK_EVENT_PLUGIN, &event)) continue;
        events++;
        CHECK(event.instance == filter && event.value == MSDK_PLUGIN_EVENT_ERROR && event.status < 0);
        CHECK_EQ(event.status, cases[i].status);
        CHECK_STR_CONTAINS(event.text, cases[i].words);
        CHECK_STR_CONTAINS(event.text, "org.mediasdk.test.tint");
      }
      CHECK_EQ(events, 1);
      CHECK_EQ(filter_state(filter, MSDK_KIND_VIDEO_FILTER), MSDK_INSTANCE_STARTED - (strcmp(cases[i].mode, "broken") == 0));
      msdk_instance_destroy(filter);
      call_close(&it);
    }
  }
  /* One that gives back what it gave away is found out where the frame was its alone. */
  call it = filtered_call(MSDK_CODEC_VP8, NULL);
  msdk_instance *filter = filter_new(it.engine, "tint", "gone", 1);
  CHECK_OK(msdk_incoming_video_add_filter(it.incoming, filter));
  CHECK(first_byte_of_next(&it, NULL) >= 0);
  msdk_event event = MSDK_INIT(msdk_event);
  NEED(event_take(it.bob, MSDK_EVENT_PLUGIN, &event));
  CHECK_EQ(event.status, MSDK_E_HANDLE);
  CHECK(first_byte_of_next(&it, NULL) >= 0);
  msdk_instance_destroy(filter);
  call_close(&it);
}

static void a_frame_of_other_memory(void) {
  call it = filtered_call(MSDK_CODEC_RAW, NULL);
  msdk_instance *wrap = filter_new(it.engine, "tint", "wrap", 2), *change = filter_new(it.engine, "tint", "change", 0);
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, wrap));
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, change));
  for (int i = 0; i < 200; i++) CHECK_EQ(first_byte_of_next(&it, NULL), ((FIRST * 2 + 2) * 2) & 255); /* more than any pool holds */
  CHECK_EQ(atomic_load(&filter_sights[1].writable), tests_isolated()); /* it is not ours to write to; a copy is */
  msdk_instance_destroy(wrap);
  msdk_instance_destroy(change);
  call_close(&it);
}

static void refusals(void) {
  call it = filtered_call(MSDK_CODEC_RAW, NULL);
  msdk_instance *filter[9], *sound = filter_new(it.engine, "louder", "pass", 0);
  for (int i = 0; i < 9; i++) filter[i] = filter_new(it.engine, "tint", "pass", 0);
  CHECK_ERROR(msdk_outgoing_video_add_filter(it.outgoing, sound), MSDK_E_UNSUPPORTED, "not a video filter");
  CHECK_ERROR(msdk_incoming_video_add_filter(it.incoming, sound), MSDK_E_UNSUPPORTED, "org.mediasdk.test.louder");
  CHECK_RESULT(msdk_outgoing_video_add_filter(it.outgoing, NULL), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_outgoing_video_add_filter(NULL, filter[0]), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_incoming_video_add_filter((msdk_incoming_video *)it.outgoing, filter[0]), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_incoming_video_remove_filter(it.incoming, filter[0]), MSDK_E_NOT_FOUND);
  for (int i = 0; i < 8; i++) CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, filter[i]));
  CHECK_ERROR(msdk_outgoing_video_add_filter(it.outgoing, filter[8]), MSDK_E_FULL, "8");
  CHECK_ERROR(msdk_incoming_video_add_filter(it.incoming, filter[0]), MSDK_E_STATE, "attached"); /* one place at a time */
  CHECK_OK(msdk_incoming_video_add_filter(it.incoming, filter[8])); /* the refusal left it free */
  CHECK_EQ(first_byte_of_next(&it, NULL), FIRST);
  uint32_t state = 0;
  CHECK_RESULT(msdk_instance_get_state(filter[0], MSDK_KIND_VIDEO_RENDERER, &state), MSDK_E_UNSUPPORTED);
  for (int i = 0; i < 9; i++) msdk_instance_destroy(filter[i]); /* while they are there */
  CHECK_EQ(first_byte_of_next(&it, NULL), FIRST);
  msdk_instance *fails = filter_new(it.engine, "tint", "pass", 0);
  CHECK_OK(msdk_instance_set_param_text(fails, "fail", "init"));
  CHECK_ERROR(msdk_outgoing_video_add_filter(it.outgoing, fails), MSDK_E_DEVICE_LOST, "the test lets it fail");
  CHECK_OK(msdk_instance_set_param_text(fails, "fail", ""));
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, fails));
  msdk_instance_destroy(fails);
  msdk_instance_destroy(sound);

  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.encoded_input = 1;
  msdk_outgoing_video *encoded = NULL;
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &encoded));
  msdk_instance *last = filter_new(it.engine, "tint", "pass", 0);
  CHECK_ERROR(msdk_outgoing_video_add_filter(encoded, last), MSDK_E_UNSUPPORTED, "encoded_input");
  msdk_outgoing_video_destroy(encoded);
  CHECK_RESULT(msdk_outgoing_video_add_filter(encoded, last), MSDK_E_HANDLE);
  msdk_instance_destroy(last);
  call_close(&it);
}

/* The text names the class and both times; once in five seconds. Time spent is real, time between frames the virtual clock's. */
static void a_slow_one_is_reported_with_its_time(void) {
  call it = filtered_call(MSDK_CODEC_RAW, NULL);
  msdk_instance *slow = filter_new(it.engine, "tint", "slow", 0), *quick = filter_new(it.engine, "tint", "pass", 0);
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, quick));
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, slow));
  send_film(&it, 1, 30 * 4, SECOND / 30, NULL);
  int events = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it.alice, 0, &event) < 0) break;
    if (event.type != MSDK_EVENT_PLUGIN || event.instance != slow) continue;
    events++;
    CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_SLOW);
    CHECK_EQ(event.status, MSDK_OK);
    CHECK_STR_CONTAINS(event.text, "org.mediasdk.test.tint takes ");
    CHECK_STR_CONTAINS(event.text, "33.3 ms between two frames");
  }
  CHECK_EQ(events, 1);
  CHECK(outgoing_stats(it.outgoing).total_filter_time_ns > 100 * 29 * MS);
  CHECK_OK(msdk_outgoing_video_remove_filter(it.outgoing, slow)); /* not taken out because of it */
  msdk_instance_destroy(slow);
  msdk_instance_destroy(quick);
  call_close(&it);
}

/* What stands on a shared screen is filtered once, however often it is sent again; and looks as the filters make it now. */
static void a_standing_picture(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 10);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  filters_begin(it.engine);
  msdk_instance *filter = filter_new(it.engine, "tint", "change", 1);
  CHECK_OK(msdk_outgoing_video_add_filter(it.outgoing, filter));
  CHECK_EQ(first_byte_of_next(&it, NULL), FIRST * 2 + 1);
  for (int i = 0; i < 3; i++) {
    CHECK_OK(msdk_outgoing_video_request_key_frame(it.outgoing)); /* the picture again */
    run_for(it.engine, 300 * MS);
    msdk_video_frame *frame = frame_wait(&it);
    NEED(frame != NULL);
    CHECK_EQ(row_of(frame, 0, 0)[0], FIRST * 2 + 1);
    msdk_video_frame_unref(frame);
  }
  CHECK_OK(msdk_outgoing_video_remove_filter(it.outgoing, filter));
  run_for(it.engine, 300 * MS);
  msdk_video_frame *frame = frame_wait(&it); /* shown again, as nothing else will come */
  NEED(frame != NULL);
  CHECK_EQ(row_of(frame, 0, 0)[0], FIRST);
  msdk_video_frame_unref(frame);
  msdk_instance_destroy(filter);
  call_close(&it);
}

/* Previews, callbacks and renderers see what the filters made; stopping is a gap, of which they are told. */
static _Atomic(int) seen_directly;
static void on_direct(void *user, const msdk_video_frame *frame) {
  (void)user;
  atomic_store(&seen_directly, row_of(frame, 0, 0)[0]);
}

static void everybody_sees_what_they_make(void) {
  static const uint32_t deliveries[] = {MSDK_DELIVERY_QUEUED, MSDK_DELIVERY_DIRECT};
  for (int i = 0; i < 2; i++) {
    msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
    options.delivery = deliveries[i];
    call it = filtered_call(MSDK_CODEC_RAW, &options);
    msdk_instance *filter = filter_new(it.engine, "tint", "change", 1);
    CHECK_OK(msdk_incoming_video_set_frame_callback(it.incoming, on_direct, NULL));
    CHECK_OK(msdk_incoming_video_add_filter(it.incoming, filter));
    atomic_store(&seen_directly, -1);
    send_film(&it, 1, 1, 40 * MS, NULL);
    CHECK_EQ(atomic_load(&seen_directly), FIRST * 2 + 1);
    CHECK_OK(msdk_incoming_video_stop(it.incoming));
    CHECK_OK(msdk_incoming_video_start(it.incoming, &options));
    run_for(it.engine, 40 * MS);
    send_film(&it, 1, 2, 40 * MS, NULL);
    CHECK_EQ(atomic_load(&filter_sights[0].flushes), 1);
    CHECK_EQ(atomic_load(&filter_sights[0].formats), 1);
    CHECK_EQ(atomic_load(&filter_sights[0].calls), 3);
    msdk_instance_destroy(filter);
    call_close(&it);
  }
}

int main(int argc, char **argv) {
  RUN(they_stand_in_the_order_added);
  RUN(in_place_or_a_copy);
  RUN(formats_are_agreed_on_and_converted);
  RUN(a_size_of_its_own);
  RUN(what_is_left_out_is_reported);
  RUN(bad_filters);
  RUN(one_that_gives_a_frame_twice);
  RUN(a_frame_of_other_memory);
  RUN(refusals);
  RUN(a_slow_one_is_reported_with_its_time);
  RUN(a_standing_picture);
  RUN(everybody_sees_what_they_make);
  return check_finish();
}
