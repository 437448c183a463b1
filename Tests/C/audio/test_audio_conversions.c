/* incoming_audio.h: raw sound comes as it is, or in every format that can be wanted; levels. */
#include "random.h"
#include "sound.h"

/* ---------------------------------------------------------------------------------------------------------------- bit-exact */

static void raw_sound_comes_as_it_is(void) {
  uint64_t seed = 3;
  for (int i = 0; i < 6; i++) {
    for (uint32_t channels = 1; channels <= 2; channels++) {
      for (uint32_t sample = MSDK_SAMPLE_S16; sample <= MSDK_SAMPLE_F32; sample++) {
        for (uint32_t ms = 10; ms <= 100; ms += 30) {
          msdk_outgoing_audio_options options = sound_options(sound_rates[i], channels, sample, ms);
          msdk_incoming_audio_options receive = hearing_options(0, 0, 0, 0);
          sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, &receive);
          for (uint64_t n = 0; n < 8; n++) {
            for (uint64_t at = 0; at < it->voice.size; at++) it->voice.buffer[at] = (uint8_t)random_next(&seed);
            float *samples = (float *)(void *)it->voice.buffer;
            for (uint64_t at = 0; sample == MSDK_SAMPLE_F32 && at < it->voice.size / 4; at++) {
              if (!isfinite(samples[at])) samples[at] = 0;
            }
            int64_t now = msdk_engine_now(it->engine);
            CHECK_OK(msdk_outgoing_audio_send(it->voice.stream, it->voice.buffer, it->voice.size, now, 0, NULL, NULL));
            msdk_audio_frame *frame = sound_wait(it->engine, it->heard.stream);
            NEED(frame != NULL);
            CHECK(memcmp(frame->planes[0], it->voice.buffer, it->voice.size) == 0);
            CHECK_EQ(frame->timestamp_ns, now);
            CHECK_EQ(frame->sequence, n + 1);
            CHECK_EQ(frame->sample_count, it->voice.samples);
            CHECK_EQ(frame->format->sample_rate, sound_rates[i]);
            CHECK_EQ(frame->format->channels, channels);
            CHECK_EQ(frame->format->sample_format, sample);
            CHECK_EQ(frame->flags & (MSDK_FRAME_WRITABLE | MSDK_FRAME_CORRUPT | MSDK_FRAME_DISCONTINUITY), 0);
            msdk_audio_frame_unref(frame);
            run_for(it->engine, (int64_t)ms * MS);
          }
          CHECK_EQ(heard_stats(it->heard.stream).packets_received, 8);
          CHECK_EQ(heard_stats(it->heard.stream).total_samples_received, 8 * it->voice.samples);
          sound_close(it);
        }
      }
    }
  }
}

/* ------------------------------------------------------------------------------------------------------------- conversions */

/* Two tones, one in each channel, converted; what comes out is compared with what the tones are at the times that the buffers state. */
static void convert(const msdk_outgoing_audio_options *options, const msdk_incoming_audio_options *wanted) {
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, options, wanted);
  voice *from = &it->voice;
  heard *to = &it->heard;
  static const double frequencies[2] = {440, 1234.5};
  for (int i = 0; i < 2; i++) from->frequency[i] = frequencies[i], from->amplitude[i] = 0.4;
  from->begin_ns = msdk_engine_now(it->engine);
  sound_talk(it, 600 * MS);
  uint32_t rate = wanted->sample_rate != 0 ? wanted->sample_rate : from->rate;
  uint32_t channels = wanted->channels != 0 ? wanted->channels : from->channels;
  int failed = atomic_load(&check_failed);
  CHECK_EQ(to->rate, rate);
  CHECK_EQ(to->channels, channels);
  CHECK_EQ(to->sample_format, wanted->sample_format != 0 ? wanted->sample_format : from->sample_format);
  if (wanted->buffer_ms != 0) {
    CHECK_EQ(to->shortest, rate * wanted->buffer_ms / 1000);
    CHECK_EQ(to->longest, rate * wanted->buffer_ms / 1000);
  }
  CHECK_EQ(to->broken, 0);
  CHECK_RANGE(to->worst_gap_ns, 0, 1000); /* the timestamps go with the samples */
  double first = (double)to->first_ns - (double)voice_captured(from);
  CHECK_RANGE(first, -2e6, 2e6); /* the sound begins where it began */
  for (uint32_t channel = 0; channel < channels && to->count > rate / 3; channel++) {
    tone tones[2] = {{.frequency = frequencies[0]}, {.frequency = frequencies[1]}};
    uint64_t margin = rate / 20;
    double left = tones_fit(to->samples + margin * channels + channel, to->count - 2 * margin, channels, rate, tones, 2);
    CHECK_RANGE(left, -400, -60);
    double expected[2] = {0.4, 0.4};
    if (from->channels == 1) expected[1] = 0; /* mono carries the first tone alone */
    else if (channels == 1) expected[0] = expected[1] = 0.2; /* the mean */
    else expected[1 - channel] = 0;
    for (int i = 0; i < 2; i++) {
      CHECK_RANGE(tones[i].amplitude, expected[i] - 0.004, expected[i] + 0.004);
      if (expected[i] < 0.1) continue;
      /* The phase at the first sample is the tone's at that time: to within a third of a sample of the slower side. */
      double start = first / 1e9 + (double)margin / rate;
      double late = tones_wrap(tones[i].phase - 2 * PI * frequencies[i] * start) / (2 * PI * frequencies[i]);
      CHECK_RANGE(late * (from->rate < rate ? from->rate : rate), -0.34, 0.34);
    }
  }
  if (atomic_load(&check_failed) != failed) {
    fprintf(stderr, "  of %u Hz, %u channels, format %u, %u ms -> %u Hz, %u, %u, %u ms\n", from->rate, from->channels, from->sample_format,
            options->buffer_ms, wanted->sample_rate, wanted->channels, wanted->sample_format, wanted->buffer_ms);
  }
  sound_close(it);
}

static void every_rate_to_every_rate(void) {
  uint32_t number = 0;
  for (int from = 0; from < 6; from++) {
    for (int to = 0; to < 6; to++) {
      for (uint32_t channels = 0; channels < 4; channels++, number++) {
        if (under_tools() && number % 5 != 0) continue;
        msdk_outgoing_audio_options options = sound_options(sound_rates[from], 1 + channels / 2, 1 + number % 2, 10 * (1 + number % 10));
        msdk_incoming_audio_options wanted =
          hearing_options(sound_rates[to], 1 + channels % 2, 1 + number / 2 % 2, 10 * (1 + number / 3 % 10));
        convert(&options, &wanted);
      }
    }
  }
}

static void every_format_and_length(void) {
  static const uint32_t some[][2] = {{48000, 48000}, {44100, 16000}, {22050, 22050}, {16000, 44100}};
  for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
    for (uint32_t formats = 0; formats < 4; formats++) {
      for (uint32_t ms = 10; ms <= 100; ms += under_tools() ? 40 : 10) {
        msdk_outgoing_audio_options options = sound_options(some[i][0], 2, 1 + formats / 2, 20);
        msdk_incoming_audio_options wanted = hearing_options(some[i][1], 2, 1 + formats % 2, ms);
        convert(&options, &wanted);
        options.buffer_ms = ms;
        wanted.buffer_ms = 10;
        convert(&options, &wanted);
      }
    }
  }
}

/* One thing at a time: what is not wanted stays as it comes. */
static void what_is_not_wanted_stays(void) {
  msdk_outgoing_audio_options options = sound_options(44100, 2, MSDK_SAMPLE_F32, 30);
  for (int i = 0; i < 4; i++) {
    msdk_incoming_audio_options wanted = hearing_options(i == 0 ? 16000 : 0, i == 1 ? 1 : 0, i == 2 ? MSDK_SAMPLE_S16 : 0, i == 3 ? 50 : 0);
    convert(&options, &wanted);
  }
}

/* Samples beyond full scale are limited where they become s16. */
static void beyond_full_scale(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_F32, 10);
  msdk_incoming_audio_options wanted = hearing_options(0, 0, MSDK_SAMPLE_S16, 0);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, &wanted);
  float *samples = (float *)(void *)it->voice.buffer;
  static const struct { float in; int out; } pairs[] = {
    {0, 0}, {1, 32767}, {-1, -32768}, {2, 32767}, {-2, -32768}, {1e30f, 32767}, {-1e30f, -32768}, {0.5f, 16384}, {-0.5f, -16384}};
  for (uint32_t i = 0; i < 480; i++) samples[i] = pairs[i % 9].in;
  CHECK_OK(msdk_outgoing_audio_send(it->voice.stream, samples, it->voice.size, 0, 0, NULL, NULL));
  msdk_audio_frame *frame = sound_wait(it->engine, it->heard.stream);
  NEED(frame != NULL);
  for (uint32_t i = 0; i < 480; i++) {
    int got = ((const int16_t *)(const void *)frame->planes[0])[i];
    if (!CHECK_RANGE(got, pairs[i % 9].out - 1, pairs[i % 9].out + 1)) break;
  }
  CHECK_EQ(frame->level, 1); /* of these nine six are at full scale, one is silent, two are at half */
  msdk_audio_frame_unref(frame);
  sound_close(it);
}

/* RFC 6464: -dBov of the root mean square. A sine of full scale has 3 dB less than a square wave. */
static void levels_are_told(void) {
  static const struct { double amplitude; uint32_t level; } cases[] = {{1.0, 3}, {0.5, 9}, {0.1, 23}, {0.01, 43}, {0.001, 63}, {0, 127}};
  for (uint32_t sample = MSDK_SAMPLE_S16; sample <= MSDK_SAMPLE_F32; sample++) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      msdk_outgoing_audio_options options = sound_options(48000, 2, sample, 100);
      sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
      voice_tone(&it->voice, 440, cases[i].amplitude);
      sound_talk(it, 290 * MS);
      CHECK_RANGE(it->heard.level, cases[i].level - (cases[i].level < 127), cases[i].level + (cases[i].level < 127));
      CHECK_EQ(sound_stats(it->voice.stream).level, it->heard.level);
      CHECK_EQ(heard_stats(it->heard.stream).level, it->heard.level);
      sound_close(it);
    }
  }
}

int main(int argc, char **argv) {
  RUN(raw_sound_comes_as_it_is);
  RUN(every_rate_to_every_rate);
  RUN(every_format_and_length);
  RUN(what_is_not_wanted_stays);
  RUN(beyond_full_scale);
  RUN(levels_are_told);
  return check_finish();
}
