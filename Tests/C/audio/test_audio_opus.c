/* Opus between members of a room: what is heard of what was said, losses made good, silence left out, packets in and out. */
#include "sound.h"

static msdk_outgoing_audio_options opus_options(uint32_t rate, uint32_t channels, uint32_t buffer_ms, uint32_t bitrate) {
  msdk_outgoing_audio_options options = sound_options(rate, channels, MSDK_SAMPLE_F32, buffer_ms);
  options.codec = MSDK_CODEC_OPUS;
  options.application = MSDK_OPUS_AUDIO;
  options.bitrate = bitrate;
  return options;
}

/* By how much the tone is late against what the timestamps say, in seconds. */
static double lateness(const sound_call *it, double frequency) {
  double phase = 0;
  heard_tone(&it->heard, 0, frequency, NULL, &phase);
  double seconds = (double)(it->heard.first_ns - voice_captured(&it->voice)) / 1e9;
  return tones_wrap(phase - 2 * PI * frequency * seconds) / (2 * PI * frequency);
}

/* -------------------------------------------------------------------------------------------------------------- round trip */

static void what_is_said_is_heard(void) {
  for (int i = 0; i < 6; i++) {
    for (uint32_t channels = 1; channels <= 2; channels++) {
      for (uint32_t application = 0; application <= 2; application++) {
        if (under_tools() && (i + channels + application) % 3 != 0) continue;
        msdk_outgoing_audio_options options = opus_options(sound_rates[i], channels, 20, 96000 * channels);
        options.application = application;
        sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
        it->voice.begin_ns = msdk_engine_now(it->engine);
        sound_talk(it, SECOND);
        int failed = atomic_load(&check_failed);
        double amplitude = 0;
        CHECK_EQ(it->heard.rate, 48000);
        CHECK_EQ(it->heard.channels, channels);
        CHECK_EQ(it->heard.sample_format, MSDK_SAMPLE_F32);
        CHECK_RANGE(heard_tone(&it->heard, channels - 1, 440, &amplitude, NULL), -200, application == MSDK_OPUS_VOIP ? -20 : -30);
        CHECK_RANGE(amplitude, 0.47, 0.53);
        CHECK_RANGE(lateness(it, 440) * 1000, -0.5, 0.5); /* the codec's delay and the resampler's are accounted for */
        CHECK_RANGE(it->heard.worst_gap_ns, 0, 1000);
        CHECK_EQ(it->heard.corrupt, 0);
        CHECK_EQ(it->heard.broken, 0);
        CHECK_RANGE((double)it->heard.count / 48000, 0.94, 1.01);
        msdk_outgoing_audio_stats stats = sound_stats(it->voice.stream);
        CHECK_EQ(stats.bitrate, 96000 * channels);
        CHECK_EQ(stats.buffers_sent, 0);
        CHECK(stats.buffers_encoded >= 48 && stats.packets_sent >= 48);
        CHECK_EQ(heard_stats(it->heard.stream).packets_received, stats.packets_sent);
        CHECK_EQ(heard_stats(it->heard.stream).bytes_received, stats.bytes_sent);
        CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream)); /* of the last buffer a part may not have been sent */
        check_sound_adds_up(it->voice.stream);
        if (atomic_load(&check_failed) != failed) {
          fprintf(stderr, "  of %u Hz, %u, application %u\n", sound_rates[i], channels, application);
        }
        sound_close(it);
      }
    }
  }
}

/* Buffers of any length, packets of any length: each packet that is due leaves, each buffer has its report. */
static void buffers_and_packets_of_any_length(void) {
  static const uint32_t packets[] = {0, 10, 20, 40, 60};
  for (int i = 0; i < 5; i++) {
    for (uint32_t ms = 10; ms <= 100; ms += 10) {
      if (under_tools() && ms % 30 != 10) continue;
      sound_outcomes counted = {0};
      msdk_outgoing_audio_options options = opus_options(i % 2 == 0 ? 48000 : 22050, 1, ms, 64000);
      options.packet_ms = packets[i];
      sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
      it->voice.counted = &counted;
      it->voice.begin_ns = msdk_engine_now(it->engine);
      sound_talk(it, 1200 * MS);
      uint32_t expected = packets[i] != 0 ? packets[i] : ms == 10 ? 10 : 20;
      int failed = atomic_load(&check_failed);
      CHECK_EQ(it->heard.longest, 48 * expected);
      CHECK_RANGE(heard_tone(&it->heard, 0, 440, NULL, NULL), -200, -25);
      CHECK_RANGE(it->heard.worst_gap_ns, 0, 1000);
      CHECK_RANGE(lateness(it, 440) * 1000, -0.5, 0.5);
      CHECK_RANGE((double)it->heard.count / 48000, 1.2 - 0.101 - expected / 1000.0, 1.301);
      if (atomic_load(&check_failed) != failed) fprintf(stderr, "  of buffers of %u ms and packets of %u\n", ms, packets[i]);
      CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
      CHECK_EQ(atomic_load(&counted.calls), sound_stats(it->voice.stream).buffers_offered);
      check_sound_adds_up(it->voice.stream);
      sound_close(it);
    }
  }
}

static void converted_to_what_is_wanted(void) {
  static const uint32_t rates[] = {16000, 22050, 44100, 48000};
  for (int i = 0; i < 4; i++) {
    msdk_outgoing_audio_options options = opus_options(48000, 2, 20, 160000);
    msdk_incoming_audio_options wanted = MSDK_INIT(msdk_incoming_audio_options);
    wanted.sample_rate = rates[i];
    wanted.channels = 1;
    wanted.sample_format = MSDK_SAMPLE_S16;
    wanted.buffer_ms = 30;
    sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, &wanted);
    it->voice.begin_ns = msdk_engine_now(it->engine);
    sound_talk(it, SECOND);
    CHECK_EQ(it->heard.rate, rates[i]);
    CHECK_EQ(it->heard.channels, 1);
    CHECK_EQ(it->heard.shortest, rates[i] * 30 / 1000);
    CHECK_EQ(it->heard.longest, rates[i] * 30 / 1000);
    CHECK_RANGE(heard_tone(&it->heard, 0, 440, NULL, NULL), -200, -30);
    CHECK_RANGE(lateness(it, 440) * 1000, -0.6, 0.6);
    sound_close(it);
  }
}

/* ------------------------------------------------------------------------------------------------------------------ losses */

/* On a network path that is too long for resends. */
static msdk_incoming_audio_stats with_losses(uint32_t fec, uint32_t loss_ppm, heard *out) {
  msdk_outgoing_audio_options options = opus_options(48000, 1, 20, 24000); /* FEC is of the speech modes */
  options.application = MSDK_OPUS_VOIP;
  options.fec = fec;
  options.expected_loss = fec ? 20 : 0;
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  voice_tone(&it->voice, 300, 0.3);
  it->voice.syllables = 1;
  msdk_network_step step = network_step(0, 0);
  step.delay_ns = 250 * MS;
  CHECK_OK(network_set(it->engine, it->url, &step, 1, 7));
  sound_talk(it, 10 * SECOND);
  CHECK_EQ(heard_stats(it->heard.stream).packets_lost, 0);
  step.loss_ppm = loss_ppm;
  CHECK_OK(network_set(it->engine, it->url, &step, 1, 7));
  sound_talk(it, 20 * SECOND);
  step.loss_ppm = 0;
  CHECK_OK(network_set(it->engine, it->url, &step, 1, 7));
  sound_talk(it, SECOND);
  talk(it->engine, NULL, 0, (heard *[]){&it->heard}, 1, SECOND); /* what is under way */
  msdk_incoming_audio_stats stats = heard_stats(it->heard.stream);
  *out = it->heard;
  out->samples = NULL;
  CHECK_RANGE(stats.packets_lost, loss_ppm / 1000 * 0.6, loss_ppm / 1000 * 1.4); /* of a thousand packets */
  CHECK_EQ(stats.packets_received + stats.packets_lost, sound_stats(it->voice.stream).packets_sent);
  CHECK_EQ(stats.packets_corrupt, 0);
  CHECK_EQ(stats.total_samples_received, it->heard.count);
  sound_close(it);
  return stats;
}

static void losses_are_made_good(void) {
  heard without, with;
  msdk_incoming_audio_stats plain = with_losses(0, 100000, &without), fec = with_losses(1, 100000, &with);
  CHECK_EQ(plain.fec_packets_recovered, 0);
  CHECK(fec.fec_packets_recovered > fec.packets_lost / 2);
  CHECK(fec.fec_packets_recovered <= fec.packets_lost);
  CHECK(plain.concealed_samples >= plain.packets_lost * 960 * 9 / 10); /* concealment for every one */
  CHECK_RANGE(without.corrupt, plain.packets_lost * 9 / 10, plain.packets_lost);
  CHECK(fec.concealed_samples < plain.concealed_samples / 2);
  CHECK(with.corrupt < without.corrupt);
  CHECK_EQ(fec.concealed_samples, (uint64_t)with.corrupt * 960);
  CHECK_RANGE(without.worst_gap_ns, 0, 1000); /* no hole in time */
  CHECK_RANGE(with.worst_gap_ns, 0, 1000);
  CHECK_EQ(without.broken + with.broken, 0);
  printf("of %" PRIu64 " lost packets FEC gave back %" PRIu64 "; without, %" PRIu64 " of %" PRIu64 " were concealed\n", fec.packets_lost,
         fec.fec_packets_recovered, plain.concealed_samples / 960, plain.packets_lost);
}

/* Concealment is for 100 ms; behind that there is a gap, and it is told. */
static void long_losses_leave_a_gap(void) {
  msdk_outgoing_audio_options options = opus_options(48000, 1, 20, 64000);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  sound_talk(it, SECOND);
  heard_forget(&it->heard);
  msdk_network_step step = network_step(0, 0);
  step.loss_ppm = 1000000;
  CHECK_OK(network_set(it->engine, it->url, &step, 1, 7));
  sound_talk(it, 500 * MS);
  CHECK_OK(network_set(it->engine, it->url, NULL, 0, 7));
  sound_talk(it, 500 * MS);
  CHECK_EQ(it->heard.broken, 1);
  CHECK_RANGE(it->heard.worst_gap_ns / MS, 350, 550);
  CHECK_RANGE(it->heard.corrupt, 0, 6);
  CHECK_RANGE(heard_stats(it->heard.stream).concealed_samples, 0, 4800 + 960);
  CHECK_RANGE(heard_stats(it->heard.stream).packets_lost, 24, 26);
  CHECK_RANGE((double)it->heard.count / 48000, 0.45, 0.65);
  sound_close(it);
}

/* --------------------------------------------------------------------------------------------------------------------- DTX */

static void silence_is_not_sent(void) {
  sound_outcomes counted = {0};
  msdk_outgoing_audio_options options = opus_options(48000, 1, 20, 32000);
  options.application = MSDK_OPUS_VOIP;
  options.dtx = 1;
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  it->voice.counted = &counted;
  voice_tone(&it->voice, 300, 0.3);
  sound_talk(it, 2 * SECOND);
  uint64_t packets = sound_stats(it->voice.stream).packets_sent;
  CHECK_RANGE(packets, 98, 101);
  voice_tone(&it->voice, 300, 0);
  sound_talk(it, 2 * SECOND); /* Opus takes a while to be sure */
  msdk_outgoing_audio_stats before = sound_stats(it->voice.stream);
  sound_talk(it, 20 * SECOND);
  msdk_outgoing_audio_stats after = sound_stats(it->voice.stream);
  CHECK_RANGE(after.packets_sent - before.packets_sent, 40, 110); /* of a thousand: one every 400 ms, or a few more */
  CHECK_RANGE(after.bytes_sent - before.bytes_sent, 0, 2000);
  CHECK(atomic_load(&counted.by_reason[MSDK_DROP_ENCODER]) > 850);
  CHECK_EQ(after.buffers_offered - before.buffers_offered, 1000);
  printf("20 s of silence: %" PRIu64 " packets, %" PRIu64 " bytes\n", after.packets_sent - before.packets_sent,
         after.bytes_sent - before.bytes_sent);
  CHECK_EQ(heard_stats(it->heard.stream).packets_lost, 0); /* left out is not lost */
  CHECK_EQ(heard_stats(it->heard.stream).concealed_samples, 0);
  voice_tone(&it->voice, 300, 0.3);
  heard_forget(&it->heard);
  sound_talk(it, SECOND); /* and speech is heard at once */
  CHECK_RANGE(it->heard.count, 48000 * 9 / 10, 48000 * 11 / 10);
  double amplitude = 0;
  heard_tone(&it->heard, 0, 300, &amplitude, NULL);
  CHECK_RANGE(amplitude, 0.25, 0.35);
  check_sound_adds_up(it->voice.stream);
  sound_close(it);
}

/* ----------------------------------------------------------------------------------------------------------------- packets */

enum { PACKETS = 60 };
typedef struct taken_packets {
  const msdk_encoded_frame *frame[PACKETS];
  int count;
} taken_packets;

static void on_packet(void *user, const msdk_encoded_frame *frame) {
  taken_packets *it = user;
  if (it->count < PACKETS && CHECK_OK(msdk_encoded_frame_ref(frame))) it->frame[it->count++] = frame;
}

static void packets_give_up(taken_packets *it) {
  for (int i = 0; i < it->count; i++) msdk_encoded_frame_unref(it->frame[i]);
  it->count = 0;
}

static void packets_out_and_in(void) {
  taken_packets made = {0};
  msdk_outgoing_audio_options options = opus_options(48000, 2, 20, 96000);
  msdk_incoming_audio_options receive = MSDK_INIT(msdk_incoming_audio_options);
  receive.output = MSDK_OUTPUT_BOTH;
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, &receive);
  CHECK_OK(msdk_outgoing_audio_set_encoded_callback(it->voice.stream, on_packet, &made));
  it->voice.begin_ns = msdk_engine_now(it->engine);
  int64_t begin = voice_captured(&it->voice);
  int got = 0;
  for (int i = 0; i < 10; i++) { /* both queues are filled */
    sound_talk(it, 100 * MS);
    msdk_encoded_frame *packet = NULL;
    while (msdk_incoming_audio_read_encoded(it->heard.stream, 0, &packet) >= 0) {
      NEED(got < made.count);
      const msdk_encoded_frame *same = made.frame[got++];
      CHECK(packet->size == same->size && memcmp(packet->data, same->data, same->size) == 0);
      CHECK_EQ(packet->timestamp_ns, same->timestamp_ns);
      CHECK_EQ(packet->sequence, got);
      CHECK_EQ(packet->codec, MSDK_CODEC_OPUS);
      CHECK_EQ(packet->duration_ns, 20 * MS);
      CHECK_EQ(packet->sample_rate, 48000);
      CHECK_RANGE(packet->channels, 1, 2);
      CHECK_RANGE(packet->level, 7, 11); /* a sine at half of full scale */
      /* The first sample that comes out of a packet was captured before the first that went in: by the encoder's look-ahead. */
      CHECK_EQ(packet->timestamp_ns, begin + (got - 1) * 20 * MS - 6500000);
      msdk_encoded_frame_unref(packet);
    }
  }
  CHECK_RANGE(got, 49, 51);
  CHECK_RANGE(it->heard.frames, 49, 51);
  CHECK_RANGE(made.count, 49, 51);
  CHECK_OK(msdk_outgoing_audio_set_encoded_callback(it->voice.stream, NULL, NULL));
  sound_close(it);
  /* The packets, sent again as they are, give the same tone. */
  options = (msdk_outgoing_audio_options){.struct_size = sizeof options, .codec = MSDK_CODEC_OPUS, .encoded_input = 1, .channels = 2};
  it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  sound_outcomes counted = {0};
  int64_t shift = msdk_engine_now(it->engine);
  for (int i = 0; i < made.count; i++) {
    CHECK_OK(msdk_outgoing_audio_send_encoded(it->voice.stream, made.frame[i], shift + i * 20 * MS, 0, on_sound_report, &counted));
    run_for(it->engine, 20 * MS);
    heard_drain(&it->heard, it->engine);
  }
  CHECK_RANGE(heard_tone(&it->heard, 1, 440, NULL, NULL), -200, -30);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), made.count);
  CHECK_EQ(sound_stats(it->voice.stream).packets_sent, made.count);
  CHECK_RANGE(it->heard.count, (made.count - 1) * 960, made.count * 960);
  CHECK_RESULT(msdk_outgoing_audio_send(it->voice.stream, it->voice.buffer, it->voice.size, 0, 0, NULL, NULL), MSDK_E_STATE);
  CHECK_RESULT(msdk_outgoing_audio_send_encoded(it->voice.stream, NULL, 0, 0, NULL, NULL), MSDK_E_HANDLE);
  int64_t end = it->heard.next_ns;
  heard_forget(&it->heard);
  CHECK_OK(msdk_outgoing_audio_send_encoded(it->voice.stream, made.frame[0], shift, 0, NULL, NULL)); /* jumps back, and goes on */
  run_for(it->engine, 20 * MS);
  heard_drain(&it->heard, it->engine);
  CHECK_EQ(it->heard.first_ns, end);
  check_sound_adds_up(it->voice.stream);
  packets_give_up(&made);
  sound_close(it);
}

static void only_packets_of_sound_are_taken(void) {
  msdk_outgoing_audio_options options = {.struct_size = sizeof options, .codec = MSDK_CODEC_OPUS, .encoded_input = 1};
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  static const uint8_t key_frame[30] = {0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 16, 0, 16, 0};
  msdk_encoded_frame source = MSDK_INIT(msdk_encoded_frame), *picture = NULL;
  source.codec = MSDK_CODEC_VP8;
  source.data = key_frame;
  source.size = sizeof key_frame;
  if (CHECK_OK(msdk_encoded_frame_create(&source, &picture))) {
    CHECK(msdk_outgoing_audio_send_encoded(it->voice.stream, picture, 0, 0, NULL, NULL) < 0);
    CHECK_STR_CONTAINS(msdk_last_error(), "codec");
    msdk_encoded_frame_unref(picture);
  }
  CHECK_EQ(sound_stats(it->voice.stream).buffers_offered, 0);
  sound_close(it);
}

/* Pushed faster than they play, packets wait like raw sound does. */
static void packets_wait_too(void) {
  taken_packets made = {0};
  msdk_outgoing_audio_options options = opus_options(48000, 1, 20, 32000);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_OK(msdk_outgoing_audio_set_encoded_callback(it->voice.stream, on_packet, &made));
  sound_talk(it, SECOND);
  sound_close(it);
  options.encoded_input = 1;
  options.queue_ms = 200;
  it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  int accepted = 0;
  for (int i = 0; i < made.count; i++) {
    msdk_result result = msdk_outgoing_audio_send_encoded(it->voice.stream, made.frame[i], 0, 0, NULL, NULL);
    int64_t queued = -1;
    CHECK_OK(msdk_outgoing_audio_get_queued(it->voice.stream, &queued));
    CHECK_RANGE(queued, 0, 200 * MS);
    accepted += result >= 0;
    if (result < 0) CHECK_RESULT(result, MSDK_E_AGAIN);
  }
  CHECK_RANGE(accepted, 10, 13);
  run_for(it->engine, SECOND);
  heard_drain(&it->heard, it->engine);
  CHECK_RANGE(it->heard.count, (accepted - 1) * 960, accepted * 960);
  CHECK_RANGE(it->heard.worst_gap_ns, 0, 1000);
  check_sound_adds_up(it->voice.stream);
  packets_give_up(&made);
  sound_close(it);
}

/* A packet that the decoder refuses is counted and does no harm. */
static void broken_packets(void) {
  msdk_outgoing_audio_options options = {.struct_size = sizeof options, .codec = MSDK_CODEC_OPUS, .encoded_input = 1, .queue_ms = 5000};
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  uint64_t seed = 1;
  int sent = 0;
  for (int i = 0; i < 300; i++) {
    uint8_t data[200];
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    for (size_t at = 0; at < sizeof data; at++) data[at] = (uint8_t)((seed >> (at % 48)) * (at + 1) >> 5);
    data[0] = (uint8_t)((i % 32) << 3); /* one frame in it, of every mode in turn */
    msdk_encoded_frame source = MSDK_INIT(msdk_encoded_frame), *packet = NULL;
    source.codec = MSDK_CODEC_OPUS;
    source.data = data;
    source.size = 2 + (uint64_t)i % 190;
    if (msdk_encoded_frame_create(&source, &packet) < 0) continue;
    sent += msdk_outgoing_audio_send_encoded(it->voice.stream, packet, 0, 0, NULL, NULL) >= 0;
    msdk_encoded_frame_unref(packet);
    run_for(it->engine, 60 * MS);
    msdk_audio_frame *frame = NULL;
    while (msdk_incoming_audio_read(it->heard.stream, 0, &frame) >= 0) {
      CHECK(frame->sample_count > 0 && frame->format->sample_rate == 48000);
      const float *samples = (const float *)(const void *)frame->planes[0];
      for (uint32_t at = 0; at < frame->sample_count * frame->format->channels; at++) {
        if (!CHECK(isfinite(samples[at]))) break;
      }
      msdk_audio_frame_unref(frame);
    }
  }
  CHECK_EQ(sent, 300);
  CHECK_EQ(heard_stats(it->heard.stream).packets_received, 300);
  sound_close(it);
}

/* -------------------------------------------------------------------------------------------------------------------- rate */

static void the_bitrate_can_be_changed(void) {
  msdk_outgoing_audio_options options = opus_options(48000, 2, 20, 0);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  it->voice.frequency[1] = 701;
  static const uint32_t bitrates[] = {0, 16000, 128000, 256000, 24000};
  for (int i = 0; i < 5; i++) {
    CHECK_OK(msdk_outgoing_audio_set_bitrate(it->voice.stream, bitrates[i]));
    sound_talk(it, SECOND);
    uint64_t before = sound_stats(it->voice.stream).bytes_sent;
    sound_talk(it, 5 * SECOND);
    double made = (double)(sound_stats(it->voice.stream).bytes_sent - before) * 8 / 5;
    uint32_t expected = bitrates[i] == 0 ? 64000 : bitrates[i]; /* 32,000 a channel */
    CHECK_RANGE(made, expected * 0.5, expected * 1.25); /* a tone may need less */
    CHECK_EQ(sound_stats(it->voice.stream).bitrate, expected);
  }
  CHECK_RANGE(it->heard.worst_gap_ns, 0, 1000);
  CHECK_EQ(it->heard.broken, 0);
  sound_close(it);
}

int main(int argc, char **argv) {
  RUN(what_is_said_is_heard);
  RUN(buffers_and_packets_of_any_length);
  RUN(converted_to_what_is_wanted);
  RUN(losses_are_made_good);
  RUN(long_losses_leave_a_gap);
  RUN(silence_is_not_sent);
  RUN(packets_out_and_in);
  RUN(only_packets_of_sound_are_taken);
  RUN(packets_wait_too);
  RUN(broken_packets);
  RUN(the_bitrate_can_be_changed);
  return check_finish();
}
