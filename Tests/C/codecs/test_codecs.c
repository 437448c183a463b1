/* Codecs of the program's own in calls, beside the SDK's: what they make comes through, and what they do wrong is an error of their stream. */
#include "codec_classes.h"
#include "sending.h"
#include "sound.h"

/* A call of alice and bob with a stream of that codec. */
static call toy_call(uint32_t codec, uint32_t width, uint32_t height, const msdk_incoming_video_options *receive) {
  toy_reset();
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(it.engine, &toy_module));
  /* What a member decodes is what his engine knew when he connected. */
  for (int i = 0; i < 2; i++) {
    msdk_session *session = i == 0 ? it.alice : it.bob;
    CHECK_OK(msdk_session_disconnect(session));
    CHECK_OK(msdk_session_connect(session));
    CHECK(state_wait(it.engine, session, MSDK_SESSION_CONNECTED));
  }
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, width, height, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  if (call_offer(&it, &options) && CHECK_OK(msdk_incoming_video_start(it.incoming, receive))) run_for(it.engine, 10 * MS);
  return it;
}

static void toy_end(call *it) {
  call_close(it);
  toy_check_gone();
}

static int same_picture(const msdk_video_frame *frame, uint32_t index) {
  msdk_video_frame *original = picture_new(MSDK_PIXEL_NV12, frame->format->width, frame->format->height, index);
  int is_same = picture_hash(1, frame) == picture_hash(1, original);
  msdk_video_frame_unref(original);
  return is_same;
}

static void pictures_come_through(void) {
  static const uint32_t sizes[][2] = {{64, 48}, {33, 17}, {320, 180}};
  for (int i = 0; i < 3; i++) {
    msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
    receive.pixel_format = MSDK_PIXEL_NV12;
    call it = toy_call(TOY_VIDEO, sizes[i][0], sizes[i][1], &receive);
    outcomes counted = {0};
    for (uint32_t n = 0; n < 5; n++) {
      if (n == 3) CHECK_OK(msdk_outgoing_video_request_key_frame(it.outgoing));
      CHECK_OK(send_picture(it.sender, n, 1000 + n, &counted));
      run_for(it.engine, 40 * MS);
      msdk_video_frame *frame = frame_wait(&it);
      NEED(frame != NULL);
      CHECK(same_picture(frame, n)); /* this codec loses nothing */
      CHECK_EQ(frame->timestamp_ns, 1000 + n);
      CHECK_EQ(frame->format->fps_num, 30);
      msdk_video_frame_unref(frame);
    }
    CHECK_EQ(atomic_load(&counted.key_frames), 2);
    msdk_outgoing_video_stats stats = outgoing_stats(it.outgoing);
    CHECK_EQ(stats.codec, TOY_VIDEO);
    CHECK_EQ(stats.frames_encoded, 5);
    CHECK_EQ(incoming_stats(it.incoming).frames_decoded, 5);
    CHECK_EQ(atomic_load(&toy.kind), MSDK_VIDEO_VIRTUAL);
    int before = atomic_load(&toy.rates_set);
    CHECK_OK(msdk_outgoing_video_set_bitrate(it.outgoing, 123456, 0, 0));
    CHECK_OK(send_picture(it.sender, 9, 0, NULL));
    run_for(it.engine, 40 * MS);
    CHECK_EQ(atomic_load(&toy.bitrate), 123456);
    CHECK_EQ(atomic_load(&toy.rates_set), before + 1);
    toy_end(&it);
  }
}

static void encoded_goes_out_and_in(void) {
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.output = MSDK_OUTPUT_ENCODED;
  call it = toy_call(TOY_VIDEO, 64, 48, &receive);
  CHECK_OK(send_picture(it.sender, 1, 500, NULL));
  run_for(it.engine, 40 * MS);
  msdk_encoded_frame *frame = NULL;
  CHECK_OK(msdk_incoming_video_read_encoded(it.incoming, 0, &frame));
  NEED(frame != NULL);
  CHECK_EQ(frame->codec, TOY_VIDEO);
  CHECK_EQ(frame->flags, MSDK_ENCODED_KEY);
  CHECK_EQ(frame->width, 64);
  CHECK_EQ(frame->timestamp_ns, 500);
  CHECK_EQ(frame->data[0], 'K');
  /* What was received is sent on, by a stream that takes it encoded. */
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame), *made = NULL;
  attributes.codec = TOY_VIDEO;
  attributes.data = frame->data;
  attributes.size = frame->size;
  CHECK_OK(msdk_encoded_frame_create(&attributes, &made));
  CHECK_EQ(made->width, 64);
  CHECK_EQ(made->flags, MSDK_ENCODED_KEY);
  msdk_encoded_frame_unref(frame);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(TOY_VIDEO, &format, 1);
  options.encoded_input = 1;
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  msdk_outgoing_video_destroy(it.outgoing);
  it.outgoing = NULL;
  call_offer(&it, &options);
  receive.output = MSDK_OUTPUT_RAW;
  CHECK_OK(msdk_incoming_video_start(it.incoming, &receive));
  run_for(it.engine, 10 * MS);
  CHECK_OK(msdk_frame_sender_send_encoded(it.sender, made, 0, NULL, NULL));
  msdk_video_frame *shown = frame_wait(&it);
  CHECK(shown != NULL && shown->format->width == 64);
  msdk_video_frame_unref(shown);
  msdk_encoded_frame_unref(made);
  /* Data that the codec's own parser refuses. */
  attributes.data = (const uint8_t *)"Xxxxxxx";
  attributes.size = 7;
  CHECK_ERROR(msdk_encoded_frame_create(&attributes, &made), MSDK_E_CORRUPT, "test.codec.video");
  attributes.data = (const uint8_t *)"K\xff\xff\xff\xff"; /* 65,535 pixels wide */
  attributes.size = 5;
  CHECK_ERROR(msdk_encoded_frame_create(&attributes, &made), MSDK_E_CORRUPT, "65535");
  toy_end(&it);
}

/* Each is a failed report, with its error; the stream goes on when the encoder is good again. */
static void encoders_faults_fail_frames(void) {
  static const struct {
    toy_fault fault;
    msdk_result status;
  } faults[] = {{TOY_FAILS, MSDK_E_IO},         {TOY_GIVES_NONE, MSDK_E_ABI}, {TOY_GIVES_DEAD, MSDK_E_HANDLE},
                {TOY_GIVES_FOREIGN, MSDK_E_HANDLE}, {TOY_NO_KEY, MSDK_E_FAIL},    {TOY_LEAVES_OUT, MSDK_E_AGAIN},
                {TOY_HOARDS, MSDK_E_NOMEM}};
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    call it = toy_call(TOY_VIDEO, 64, 48, NULL);
    atomic_store(&toy.encode, faults[i].fault);
    CHECK_OK(send_picture(it.sender, 1, 0, NULL));
    run_for(it.engine, 40 * MS);
    msdk_frame_report report = MSDK_INIT(msdk_frame_report);
    CHECK_OK(msdk_outgoing_video_read_report(it.outgoing, 0, &report));
    int ok = CHECK_EQ(report.outcome, MSDK_OUTCOME_FAILED) & CHECK_EQ(report.status, faults[i].status);
    if (faults[i].fault != TOY_HOARDS) {
      atomic_store(&toy.encode, TOY_GOOD);
      CHECK_OK(send_picture(it.sender, 2, 0, NULL));
      run_for(it.engine, 40 * MS);
      CHECK_OK(msdk_outgoing_video_read_report(it.outgoing, 0, &report));
      ok &= CHECK_EQ(report.outcome, MSDK_OUTCOME_ENCODED) & CHECK_EQ(report.key_frame, 1);
    }
    if (!ok) fprintf(stderr, "  with fault %d\n", (int)faults[i].fault);
    check_outcomes_add_up(it.outgoing);
    toy_end(&it);
  }
}

/* An encoder that goes on reading what it gave gets a copy written into in its place; what it left out is a dropped frame. */
static void kept_and_left_out_frames(void) {
  call it = toy_call(TOY_VIDEO, 64, 48, NULL);
  atomic_store(&toy.encode, TOY_KEEPS);
  for (uint32_t n = 0; n < 20; n++) {
    CHECK_OK(send_picture(it.sender, n, 0, NULL));
    run_for(it.engine, 40 * MS);
    msdk_video_frame *frame = frame_wait(&it);
    CHECK(frame != NULL);
    msdk_video_frame_unref(frame);
  }
  atomic_store(&toy.encode, TOY_LEAVES_OUT);
  msdk_outgoing_video_stats before = outgoing_stats(it.outgoing);
  CHECK_OK(send_picture(it.sender, 30, 0, NULL));
  run_for(it.engine, 40 * MS);
  CHECK_EQ(outgoing_stats(it.outgoing).frames_dropped, before.frames_dropped + 1);
  toy_end(&it);
}

static void an_encoder_that_does_not_open_fails_the_stream(void) {
  call it = toy_call(TOY_VIDEO, 64, 48, NULL);
  atomic_store(&toy.open, TOY_FAILS);
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  run_for(it.engine, 40 * MS);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_take(it.alice, MSDK_EVENT_OUTGOING_VIDEO_STATE, &event));
  CHECK_EQ(event.state, MSDK_OUTGOING_FAILED);
  CHECK_EQ(event.status, MSDK_E_DEVICE_LOST);
  CHECK_STR_CONTAINS(event.text, "the toy is broken");
  toy_end(&it);
}

/* A corrupt frame each, and a request for a key frame; then it goes on. */
static void decoders_faults_are_corrupt_frames(void) {
  static const toy_fault faults[] = {TOY_FAILS, TOY_GIVES_DEAD, TOY_GIVES_FOREIGN, TOY_HUGE, TOY_MARKS};
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    call it = toy_call(TOY_VIDEO, 64, 48, NULL);
    CHECK_OK(send_picture(it.sender, 0, 0, NULL));
    msdk_video_frame *frame = frame_wait(&it);
    CHECK(frame != NULL);
    msdk_video_frame_unref(frame);
    atomic_store(&toy.decode, faults[i]);
    CHECK_OK(send_picture(it.sender, 1, 0, NULL));
    run_for(it.engine, 40 * MS);
    int ok = CHECK_EQ(incoming_stats(it.incoming).frames_corrupt, 1) & CHECK_EQ(incoming_stats(it.incoming).key_frames_requested, 1);
    atomic_store(&toy.decode, TOY_GOOD);
    CHECK_OK(send_picture(it.sender, 2, 0, NULL));
    frame = frame_wait(&it);
    ok &= CHECK(frame != NULL && (frame->flags & MSDK_FRAME_DISCONTINUITY));
    msdk_video_frame_unref(frame);
    if (!ok) fprintf(stderr, "  with fault %d\n", (int)faults[i]);
    toy_end(&it);
  }
  /* A picture that is not shown is no fault. */
  call it = toy_call(TOY_VIDEO, 64, 48, NULL);
  atomic_store(&toy.decode, TOY_GIVES_NONE);
  CHECK_OK(send_picture(it.sender, 0, 0, NULL));
  run_for(it.engine, 40 * MS);
  CHECK_EQ(incoming_stats(it.incoming).frames_corrupt, 0);
  CHECK_EQ(incoming_stats(it.incoming).frames_decoded, 1);
  atomic_store(&toy.open, TOY_FAILS);
  CHECK_OK(msdk_incoming_video_stop(it.incoming));
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  run_for(it.engine, 40 * MS);
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  run_for(it.engine, 40 * MS);
  CHECK_EQ(incoming_stats(it.incoming).frames_corrupt, 1); /* a decoder that does not open decodes nothing */
  toy_end(&it);
}

/* A lost frame is mended by a key frame, as with the SDK's own codec. */
static void losses_are_mended(void) {
  call it = toy_call(TOY_VIDEO, 64, 48, NULL);
  msdk_network_step step = network_step(0, 0);
  step.loss_ppm = 80000;
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 4));
  int received = 0, discontinuities = 0;
  for (uint32_t n = 0; n < 150; n++) {
    CHECK_OK(send_picture(it.sender, n % 20, 0, NULL));
    run_for(it.engine, 33 * MS);
    msdk_video_frame *frame = NULL;
    while (msdk_incoming_video_read(it.incoming, 0, &frame) >= 0) {
      received++;
      discontinuities += (frame->flags & MSDK_FRAME_DISCONTINUITY) != 0;
      msdk_video_frame_unref(frame);
    }
  }
  CHECK(received > 30 && received < 150);
  CHECK(discontinuities > 0);
  CHECK_EQ(incoming_stats(it.incoming).frames_corrupt, 0);
  toy_end(&it);
}

/* --------------------------------------------------------------------------------------------------------------------- choice */

static void unknown_codecs_are_refused(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video *stream = NULL;
  msdk_outgoing_video_options options = outgoing_options(TOY_VIDEO, &format, 1);
  CHECK_ERROR(msdk_outgoing_video_create(engine, &options, &stream), MSDK_E_UNSUPPORTED, "VP8");
  uint32_t codecs[] = {MSDK_CODEC_OPUS, TOY_VIDEO, 0};
  options = outgoing_options(0, &format, 1);
  options.codecs = codecs;
  options.codec_count = 2;
  CHECK_ERROR(msdk_outgoing_video_create(engine, &options, &stream), MSDK_E_UNSUPPORTED, "VP8");
  options.codec_count = 3;
  CHECK_ERROR(msdk_outgoing_video_create(engine, &options, &stream), MSDK_E_INVALID, "codecs");
  options.codec_count = 17;
  CHECK_ERROR(msdk_outgoing_video_create(engine, &options, &stream), MSDK_E_RANGE, "codec_count");
  options.codec_count = 2;
  options.codecs = NULL;
  CHECK_ERROR(msdk_outgoing_video_create(engine, &options, &stream), MSDK_E_INVALID, "codecs");
  options.codecs = codecs;
  options.codec = MSDK_CODEC_VP8;
  CHECK_ERROR(msdk_outgoing_video_create(engine, &options, &stream), MSDK_E_INVALID, "accepted: one of them");
  options.codec = 0;
  options.encoded_input = 1;
  CHECK_ERROR(msdk_outgoing_video_create(engine, &options, &stream), MSDK_E_INVALID, "encoded_input");
  /* Every one must take every format: any pixel format, which is converted, and not any size. */
  CHECK_OK(msdk_engine_register_module(engine, &toy_module));
  format.pixel_format = MSDK_PIXEL_I420;
  options = outgoing_options(0, &format, 1);
  uint32_t both[] = {MSDK_CODEC_VP8, TOY_VIDEO};
  options.codecs = both;
  options.codec_count = 2;
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &stream));
  msdk_outgoing_video_destroy(stream);
  format = format_of(MSDK_PIXEL_NV12, 640, 480, 30);
  CHECK_ERROR(msdk_outgoing_video_create(engine, &options, &stream), MSDK_E_LIMIT, "512x512");
  msdk_outgoing_audio_options sound = sound_options(48000, 1, MSDK_SAMPLE_F32, 20);
  msdk_outgoing_audio *audio = NULL;
  sound.codec = MSDK_CODEC_VP8;
  CHECK_ERROR(msdk_outgoing_audio_create(engine, &sound, &audio), MSDK_E_UNSUPPORTED, "Opus");
  msdk_engine_destroy(engine);
}

/* The one that everybody decodes; whoever comes later and decodes less makes the stream go over. */
static void members_decide(void) {
  toy_reset();
  msdk_engine *rich = engine_new(MSDK_CLOCK_SYSTEM), *poor = engine_new(MSDK_CLOCK_SYSTEM);
  CHECK_OK(msdk_engine_register_module(rich, &toy_module));
  const char *url = room_new();
  call it = {.engine = rich, .alice = join(rich, url, "alice"), .bob = join(rich, url, "bob")};
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  uint32_t codecs[] = {MSDK_CODEC_OPUS, TOY_VIDEO, MSDK_CODEC_VP8};
  msdk_outgoing_video_options options = outgoing_options(0, &format, 1);
  options.codecs = codecs;
  options.codec_count = 3;
  NEED(call_offer(&it, &options));
  CHECK_EQ(outgoing_stats(it.outgoing).codec, TOY_VIDEO);
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  for (int i = 0; i < 1000 && outgoing_stats(it.outgoing).receivers == 0; i++) sleep_ms(5);
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  msdk_video_frame *frame = frame_wait(&it);
  CHECK(frame != NULL);
  msdk_video_frame_unref(frame);

  msdk_session *carol = join(poor, url, "carol");
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_wait(rich, it.bob, MSDK_EVENT_INCOMING_VIDEO_REMOVED, &event));
  CHECK(event_wait(rich, it.bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  CHECK_EQ(event.codec, MSDK_CODEC_VP8);
  it.incoming = event.incoming_video;
  CHECK_EQ(outgoing_stats(it.outgoing).codec, MSDK_CODEC_VP8);
  uint32_t state = 0;
  CHECK_OK(msdk_outgoing_video_get_state(it.outgoing, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STARTED);
  CHECK(event_wait(rich, it.alice, MSDK_EVENT_CODEC_CHANGED, &event));
  CHECK(event.outgoing_video == it.outgoing);
  CHECK_EQ(event.codec, MSDK_CODEC_VP8);
  CHECK_EQ(event.kind, MSDK_VIDEO_VIRTUAL);
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  for (int i = 0; i < 1000 && outgoing_stats(it.outgoing).receivers == 0; i++) sleep_ms(5);
  CHECK_OK(send_picture(it.sender, 2, 0, NULL)); /* the sender is the same */
  frame = frame_wait(&it);
  CHECK(frame != NULL);
  msdk_video_frame_unref(frame);

  /* It does not go back by itself; a new start chooses anew, and carol has left. */
  msdk_session_destroy(carol);
  CHECK(event_wait(rich, it.alice, MSDK_EVENT_PARTICIPANT_LEFT, &event));
  CHECK_EQ(outgoing_stats(it.outgoing).codec, MSDK_CODEC_VP8);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  CHECK_OK(msdk_session_start_video(it.alice, it.outgoing));
  CHECK_EQ(outgoing_stats(it.outgoing).codec, TOY_VIDEO);
  call_close(&it);
  msdk_engine_destroy(poor);
  toy_check_gone();
}

/* Of a stream that has one codec only, whoever cannot decode it can take it as it is. */
static void who_cannot_decode_takes_it_encoded(void) {
  toy_reset();
  msdk_engine *rich = engine_new(MSDK_CLOCK_SYSTEM), *poor = engine_new(MSDK_CLOCK_SYSTEM);
  CHECK_OK(msdk_engine_register_module(rich, &toy_module));
  const char *url = room_new();
  call it = {.engine = rich, .alice = join(rich, url, "alice"), .bob = join(poor, url, "bob")};
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(TOY_VIDEO, &format, 1);
  NEED(call_offer(&it, &options));
  CHECK_ERROR(msdk_incoming_video_start(it.incoming, NULL), MSDK_E_UNSUPPORTED, "MSDK_OUTPUT_ENCODED");
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.output = MSDK_OUTPUT_ENCODED;
  CHECK_OK(msdk_incoming_video_start(it.incoming, &receive));
  for (int i = 0; i < 1000 && outgoing_stats(it.outgoing).receivers == 0; i++) sleep_ms(5);
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  msdk_encoded_frame *packet = NULL;
  CHECK_OK(msdk_incoming_video_read_encoded(it.incoming, 5000, &packet));
  CHECK(packet != NULL && packet->codec == TOY_VIDEO);
  msdk_encoded_frame_unref(packet);
  call_close(&it);
  msdk_engine_destroy(poor);
  toy_check_gone();
}

/* ---------------------------------------------------------------------------------------------------------------------- sound */

static sound_call *toy_sound(uint32_t rate, uint32_t channels) {
  toy_reset();
  sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(it->engine, &toy_module));
  msdk_outgoing_audio_options options = sound_options(rate, channels, MSDK_SAMPLE_F32, 20);
  options.codec = TOY_AUDIO;
  if (sound_offer(it, &options)) CHECK_OK(msdk_incoming_audio_start(it->heard.stream, NULL));
  return it;
}

static void sound_comes_through(void) {
  for (uint32_t channels = 1; channels <= 2; channels++) {
    sound_call *it = toy_sound(channels == 1 ? 48000 : 24000, channels);
    it->voice.begin_ns = msdk_engine_now(it->engine);
    sound_talk(it, SECOND);
    double amplitude = 0;
    heard_tone(&it->heard, channels - 1, 440, &amplitude, NULL);
    CHECK_RANGE(amplitude, 0.45, 0.55);
    CHECK_EQ(it->heard.rate, 48000);
    CHECK_EQ(atomic_load(&toy.sample_rate), 24000); /* the highest that it takes */
    CHECK_EQ(atomic_load(&toy.channels), channels);
    CHECK_EQ(heard_stats(it->heard.stream).packets_corrupt, 0);
    CHECK_OK(msdk_outgoing_audio_set_bitrate(it->voice.stream, 20000));
    sound_talk(it, 100 * MS);
    CHECK_EQ(atomic_load(&toy.bitrate), 20000);
    sound_close(it);
    toy_check_gone();
  }
}

static void faults_of_sound(void) {
  static const toy_fault faults[] = {TOY_FAILS, TOY_GIVES_NONE, TOY_TOO_MANY, TOY_NOT_A_NUMBER};
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    sound_call *it = toy_sound(48000, 1);
    sound_talk(it, 200 * MS);
    atomic_store(&toy.decode, faults[i]);
    sound_talk(it, 200 * MS);
    if (!CHECK(heard_stats(it->heard.stream).packets_corrupt >= 5)) fprintf(stderr, "  with fault %d\n", (int)faults[i]);
    sound_close(it);
    toy_check_gone();
  }
  static const toy_fault encoding[] = {TOY_FAILS, TOY_GIVES_NONE, TOY_GIVES_DEAD, TOY_GIVES_FOREIGN};
  for (size_t i = 0; i < sizeof encoding / sizeof encoding[0]; i++) {
    sound_call *it = toy_sound(48000, 1);
    atomic_store(&toy.encode, encoding[i]);
    sound_talk(it, 200 * MS);
    if (!CHECK(sound_stats(it->voice.stream).buffers_failed >= 5)) fprintf(stderr, "  with fault %d\n", (int)encoding[i]);
    CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
    check_sound_adds_up(it->voice.stream);
    sound_close(it);
    toy_check_gone();
  }
}

/* What is lost the decoder makes up; of what it leaves out there is silence. */
static void lost_sound_is_made_up(void) {
  sound_call *it = toy_sound(48000, 1);
  msdk_network_step step = network_step(0, 0);
  step.loss_ppm = 200000;
  CHECK_OK(network_set(it->engine, it->url, &step, 1, 5));
  sound_talk(it, 2 * SECOND);
  CHECK(atomic_load(&toy.concealed) > 0);
  CHECK(heard_stats(it->heard.stream).concealed_samples > 0);
  sound_close(it);
  toy_check_gone();
}

/* -------------------------------------------------------------------------------------------------------------------- tables */

static const msdk_class *one_class[1];
static msdk_module one_module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = one_class, .class_count = MSDK_COUNT(one_class)};

static void bad_tables_are_refused(void) {
  static const uint32_t none[] = {0}, strange[] = {0x12345678, 0}, odd_rates[] = {44101};
  static msdk_video_encoder video[6];
  static msdk_audio_encoder audio[3];
  static msdk_video_decoder decoder[2];
  static msdk_class bad[11];
  for (int i = 0; i < 6; i++) video[i] = toy_video_encoder;
  video[0].codec = 0;
  video[1].encode = NULL;
  video[2].pixel_formats = NULL, video[2].pixel_format_count = 1;
  video[3].pixel_formats = none, video[3].pixel_format_count = MSDK_COUNT(none);
  video[4].pixel_formats = strange, video[4].pixel_format_count = MSDK_COUNT(strange);
  video[5].struct_size = offsetof(msdk_video_encoder, encode); /* without the members after it, which are optional */
  for (int i = 0; i < 3; i++) audio[i] = toy_audio_encoder;
  audio[0].sample_rate_count = 0;
  audio[1].sample_rates = odd_rates;
  audio[1].sample_rate_count = 1;
  audio[2].set_rate = NULL;
  decoder[0] = decoder[1] = toy_video_decoder;
  decoder[0].parse_header = NULL;
  decoder[1].codec = 0;
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  for (int i = 0; i < 11; i++) {
    bad[i] = i < 6 || i > 8 ? toy_video_class : toy_audio_class;
    if (i < 6) bad[i].video_encoder = &video[i];
    else if (i < 9) bad[i].audio_encoder = &audio[i - 6];
    else bad[i].video_decoder = &decoder[i - 9];
    one_class[0] = &bad[i];
    if (!CHECK_RESULT(msdk_engine_register_module(engine, &one_module), MSDK_E_ABI)) fprintf(stderr, "  table %d\n", i);
    CHECK_STR_CONTAINS(msdk_last_error(), "test.codec");
  }
  bad[0] = toy_video_class;
  bad[0].video_encoder = NULL;
  one_class[0] = &bad[0];
  CHECK_ERROR(msdk_engine_register_module(engine, &one_module), MSDK_E_ABI, "video_encoder is NULL");
  msdk_engine_destroy(engine);
}

/* A page of a shared screen whose key frame takes six seconds of the path: made so small that it leaves in two, by the encoder, or by a
 * lower rate where that has no function for it. */
static void long_frames_of_a_screen(int is_bounded) {
  static msdk_video_encoder encoder;
  static msdk_class class;
  encoder = toy_video_encoder;
  if (is_bounded) encoder.set_bytes_max = toy_set_bytes_max;
  class = toy_video_class;
  class.video_encoder = &encoder;
  one_class[0] = &class;
  toy_reset();
  call it = {.engine = engine_new(MSDK_CLOCK_VIRTUAL)};
  CHECK_OK(msdk_engine_register_module(it.engine, &one_module));
  snprintf(it.url, sizeof it.url, "%s", room_new());
  msdk_network_step step = network_step(0, 500000);
  step.delay_ns = 20 * MS;
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 7));
  it.alice = join(it.engine, it.url, "alice");
  it.bob = join(it.engine, it.url, "bob");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  msdk_outgoing_video_options options = outgoing_options(TOY_VIDEO, &format, 1);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  options.target_bitrate = options.max_bitrate = 400000;
  NEED(call_offer(&it, &options));
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.pixel_format = MSDK_PIXEL_NV12;
  CHECK_OK(msdk_incoming_video_start(it.incoming, &receive));
  run_for(it.engine, 500 * MS);
  atomic_store(&toy.padding_ms, 6000);
  outcomes counted = {0};
  CHECK_OK(send_picture(it.sender, 1, 0, &counted));
  run_for(it.engine, 3 * SECOND);
  msdk_video_frame *frame = frame_wait(&it);
  NEED(frame != NULL);
  CHECK(same_picture(frame, 1));
  msdk_video_frame_unref(frame);
  CHECK_EQ(atomic_load(&counted.key_frames), 1);
  CHECK_EQ(incoming_stats(it.incoming).key_frames_decoded, 1);
  CHECK(outgoing_stats(it.outgoing).bytes_sent < 3 * 500000 / 8); /* with the repetitions */
  CHECK(outgoing_stats(it.outgoing).frames_repeated > 0); /* as it was coarse */
  CHECK_EQ(atomic_load(&toy.encoded), (is_bounded ? 1 : 2) + outgoing_stats(it.outgoing).frames_repeated);
  CHECK_EQ(atomic_load(&toy.bitrate), 400000); /* again */
  if (is_bounded) {
    CHECK_RANGE(atomic_load(&toy.bytes_max), 1, 2 * 500000 / 8);
    CHECK(atomic_load(&toy.largest) <= 2 * 500000 / 8);
    CHECK(atomic_load(&toy.smallest_rate) >= 400000);
  } else {
    CHECK_EQ(atomic_load(&toy.bytes_max), 0);
    CHECK_RANGE(atomic_load(&toy.smallest_rate), 1000, 200000);
  }
  call_close(&it);
}

static void encoders_bound_long_frames(void) { long_frames_of_a_screen(1); }
static void long_frames_are_encoded_again(void) { long_frames_of_a_screen(0); }

/* Ours are the first that are looked at, and the last that are listed: no class of somebody else's takes the place of VP8. */
static void own_codecs_come_first(void) {
  static msdk_video_encoder encoder;
  static msdk_class class;
  encoder = toy_video_encoder;
  encoder.codec = MSDK_CODEC_VP8;
  class = toy_video_class;
  class.kinds = MSDK_KIND_VIDEO_ENCODER;
  class.video_encoder = &encoder;
  class.id = "test.codec.usurper";
  one_class[0] = &class;
  toy_reset();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(engine, &one_module));
  msdk_class_info info = MSDK_INIT(msdk_class_info);
  CHECK_OK(msdk_engine_class_at(engine, 0, &info));
  CHECK_STR_CONTAINS(info.id, "test.codec.usurper");
  CHECK_OK(msdk_engine_class_at(engine, 1, &info));
  CHECK_STR_CONTAINS(info.id, "org.mediasdk.vp8");
  CHECK_EQ(info.kinds, MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_VIDEO_DECODER);
  CHECK_OK(msdk_engine_class_at(engine, 2, &info));
  CHECK_STR_CONTAINS(info.id, "org.mediasdk.opus");
  msdk_engine_destroy(engine);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(it.engine, &one_module));
  NEED(call_offer(&it, &options));
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  run_for(it.engine, 10 * MS);
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  msdk_video_frame *frame = frame_wait(&it);
  CHECK(frame != NULL);
  msdk_video_frame_unref(frame);
  CHECK_EQ(atomic_load(&toy.created), 0);
  /* An instance that the program makes has nothing to do. */
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(it.engine, "org.mediasdk.vp8", NULL, &instance));
  uint32_t state = 9;
  CHECK_OK(msdk_instance_get_state(instance, MSDK_KIND_VIDEO_ENCODER, &state));
  CHECK_EQ(state, MSDK_INSTANCE_CREATED);
  msdk_instance_destroy(instance);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(pictures_come_through);
  RUN(encoded_goes_out_and_in);
  RUN(encoders_faults_fail_frames);
  RUN(kept_and_left_out_frames);
  RUN(an_encoder_that_does_not_open_fails_the_stream);
  RUN(decoders_faults_are_corrupt_frames);
  RUN(losses_are_mended);
  RUN(unknown_codecs_are_refused);
  RUN(members_decide);
  RUN(who_cannot_decode_takes_it_encoded);
  RUN(sound_comes_through);
  RUN(faults_of_sound);
  RUN(lost_sound_is_made_up);
  RUN(bad_tables_are_refused);
  RUN(own_codecs_come_first);
  RUN(encoders_bound_long_frames);
  RUN(long_frames_are_encoded_again);
  return check_finish();
}
