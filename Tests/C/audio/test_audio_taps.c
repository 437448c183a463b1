/* outgoing_audio.h: one's own audio, read before the encoder and after it. */
#include "sound.h"
#include "waiting.h"

static msdk_audio_tap_options tap_options(uint32_t output, uint32_t queue_ms) {
  msdk_audio_tap_options options = MSDK_INIT(msdk_audio_tap_options);
  options.output = output;
  options.queue_ms = queue_ms;
  return options;
}

/* alice speaks; bob listens if `receive`. */
static sound_call *call_with(uint32_t codec, int receive) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  options.codec = codec;
  sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
  if (sound_offer(it, &options) && receive) {
    CHECK_OK(msdk_incoming_audio_start(it->heard.stream, NULL));
    run_for(it->engine, MS);
    sound_received(it);
  }
  return it;
}

static void buffers_are_read_as_they_leave(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_OPUS};
  for (int i = 0; i < 4; i++) {
    sound_call *it = call_with(codecs[i / 2], i % 2);
    msdk_outgoing_audio *stream = it->voice.stream;
    msdk_audio_frame *frame = NULL;
    int32_t descriptor = -1;
    CHECK_OK(msdk_outgoing_audio_get_fd(stream, &descriptor));
    CHECK_OK(msdk_outgoing_audio_start_tap(stream, NULL));
    CHECK_OK(msdk_outgoing_audio_set_gain(stream, 0.5));
    for (uint32_t n = 0; n < 20; n++) {
      CHECK(!is_readable(descriptor, 0));
      CHECK_OK(voice_send(&it->voice));
      run_for(it->engine, 20 * MS);
      CHECK(is_readable(descriptor, 0));
      if (!CHECK_OK(msdk_outgoing_audio_read(stream, 0, &frame))) break;
      CHECK_EQ(frame->sequence, n + 1);
      CHECK_EQ(frame->sample_count, 960);
      const int16_t *sent = (const void *)it->voice.buffer, *read = (const void *)frame->planes[0];
      int worst = 0; /* after the first, over which the gain changes */
      for (uint32_t k = 0; n > 0 && k < 960; k++) {
        int difference = abs(sent[k] / 2 - read[k]);
        if (difference > worst) worst = difference;
      }
      CHECK_RANGE(worst, 0, 1);
      CHECK_OK(msdk_audio_frame_unref(frame));
    }
    CHECK_OK(msdk_outgoing_audio_set_muted(stream, 1));
    for (int n = 0; n < 3; n++) {
      CHECK_OK(voice_send(&it->voice));
      run_for(it->engine, 20 * MS);
    }
    CHECK_OK(msdk_outgoing_audio_read(stream, 0, &frame)); /* fades out */
    CHECK_OK(msdk_audio_frame_unref(frame));
    CHECK_RESULT(msdk_outgoing_audio_read(stream, 0, &frame), MSDK_E_AGAIN);
    CHECK_OK(msdk_outgoing_audio_stop_tap(stream));
    CHECK_RESULT(msdk_outgoing_audio_read(stream, 0, &frame), MSDK_E_CLOSED);
    CHECK(is_readable(descriptor, 0));
    sound_close(it);
  }
}

typedef struct packets {
  uint64_t count, size, sum;
} packets;

static void add_packet(packets *it, const msdk_encoded_frame *packet) {
  it->count++;
  it->size += packet->size;
  for (uint64_t i = 0; i < packet->size; i++) it->sum = it->sum * 31 + packet->data[i];
}

static void on_packet(void *user, const msdk_encoded_frame *packet) { add_packet(user, packet); }

static void packets_are_read(void) {
  for (int i = 0; i < 4; i++) {
    sound_call *it = call_with(MSDK_CODEC_OPUS, i % 2);
    msdk_outgoing_audio *stream = it->voice.stream;
    sound_outcomes counted = {0};
    packets called = {0}, read = {0};
    msdk_audio_tap_options options = tap_options(i < 2 ? MSDK_OUTPUT_ENCODED : MSDK_OUTPUT_BOTH, 0);
    msdk_encoded_frame *packet = NULL;
    msdk_audio_frame *frame = NULL;
    it->voice.counted = &counted;
    if (i >= 2) CHECK_OK(msdk_outgoing_audio_set_encoded_callback(stream, on_packet, &called));
    CHECK_OK(msdk_outgoing_audio_start_tap(stream, &options));
    for (int n = 0; n < 20; n++) {
      CHECK_OK(voice_send(&it->voice));
      run_for(it->engine, 20 * MS);
    }
    int64_t last = 0;
    while (msdk_outgoing_audio_read_encoded(stream, 0, &packet) >= 0) {
      CHECK_EQ(packet->codec, MSDK_CODEC_OPUS);
      CHECK_EQ(packet->duration_ns, 20 * MS);
      CHECK(packet->timestamp_ns > last);
      last = packet->timestamp_ns;
      add_packet(&read, packet);
      CHECK_OK(msdk_encoded_frame_unref(packet));
    }
    CHECK_RANGE(read.count, 19, 21);
    CHECK_EQ(sound_stats(stream).buffers_dropped, 0); /* encoded for the tap */
    if (i >= 2) CHECK(called.count == read.count && called.size == read.size && called.sum == read.sum);
    CHECK_RESULT(msdk_outgoing_audio_read(stream, 0, &frame), i < 2 ? MSDK_E_AGAIN : MSDK_OK);
    if (frame != NULL) CHECK_OK(msdk_audio_frame_unref(frame));
    sound_close(it);
  }
}

/* What nobody reads is bounded by the tap's own queue, and is heard by the others. */
static void a_lazy_reader_costs_others_nothing(void) {
  for (int i = 0; i < 2; i++) {
    sound_call *it = call_with(MSDK_CODEC_OPUS, 1);
    msdk_audio_tap_options options = tap_options(MSDK_OUTPUT_BOTH, 100);
    msdk_audio_frame *frame = NULL;
    options.queue_policy = i ? MSDK_POLICY_DROP_NEWEST : MSDK_POLICY_DROP_OLDEST;
    CHECK_OK(msdk_outgoing_audio_start_tap(it->voice.stream, &options));
    sound_talk(it, 2 * SECOND);
    CHECK_RANGE(it->heard.frames, 98, 101);
    uint64_t sent = sound_stats(it->voice.stream).buffers_offered, packets = sound_stats(it->voice.stream).packets_sent;
    CHECK_EQ(sound_stats(it->voice.stream).tap_buffers_dropped, sent - 5 + packets - 5);
    CHECK_OK(msdk_outgoing_audio_read(it->voice.stream, 0, &frame));
    CHECK_EQ(frame->sequence, i ? 1 : sent - 4);
    CHECK_OK(msdk_audio_frame_unref(frame));
    sound_close(it);
  }
}

static void bad_taps_are_refused(void) {
  sound_call *it = call_with(MSDK_CODEC_RAW, 0);
  msdk_outgoing_audio *stream = it->voice.stream, *packets = NULL;
  msdk_audio_tap_options options = tap_options(MSDK_OUTPUT_RAW, 19);
  msdk_audio_frame *frame = NULL;
  msdk_encoded_frame *packet = NULL;
  CHECK_ERROR(msdk_outgoing_audio_read(stream, 0, &frame), MSDK_E_STATE, "not started");
  CHECK_ERROR(msdk_outgoing_audio_read_encoded(stream, 0, &packet), MSDK_E_STATE, "not started");
  CHECK_ERROR(msdk_outgoing_audio_start_tap(stream, &options), MSDK_E_RANGE, "queue_ms is 19");
  options = tap_options(3, 0);
  CHECK_ERROR(msdk_outgoing_audio_start_tap(stream, &options), MSDK_E_UNSUPPORTED, "output is 3");
  options = tap_options(MSDK_OUTPUT_RAW, 0);
  options.queue_policy = MSDK_POLICY_WAIT;
  CHECK_ERROR(msdk_outgoing_audio_start_tap(stream, &options), MSDK_E_UNSUPPORTED, "queue_policy");
  options = tap_options(MSDK_OUTPUT_BOTH, 0);
  CHECK_ERROR(msdk_outgoing_audio_start_tap(stream, &options), MSDK_E_UNSUPPORTED, "no encoder");
  CHECK_OK(msdk_outgoing_audio_start_tap(stream, NULL));
  CHECK_ERROR(msdk_outgoing_audio_start_tap(stream, NULL), MSDK_E_STATE, "started already");
  CHECK_ERROR(msdk_outgoing_audio_read(stream, 0, NULL), MSDK_E_INVALID, "out");
  msdk_outgoing_audio_options pushed = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  pushed.codec = MSDK_CODEC_OPUS;
  pushed.encoded_input = 1;
  CHECK_OK(msdk_outgoing_audio_create(it->engine, &pushed, &packets));
  CHECK_ERROR(msdk_outgoing_audio_start_tap(packets, NULL), MSDK_E_UNSUPPORTED, "encoded_input");
  options = tap_options(MSDK_OUTPUT_ENCODED, 0);
  CHECK_ERROR(msdk_outgoing_audio_start_tap(packets, &options), MSDK_E_UNSUPPORTED, "encoded_input");
  sound_close(it);
}

int main(int argc, char **argv) {
  RUN(buffers_are_read_as_they_leave);
  RUN(packets_are_read);
  RUN(a_lazy_reader_costs_others_nothing);
  RUN(bad_taps_are_refused);
  return check_finish();
}
