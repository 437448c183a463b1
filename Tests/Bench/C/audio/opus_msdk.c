/* Opus there and back through MediaSDK: a stream with an encoder, a receiver with a decoder, on a virtual clock, on one thread.
 *
 *   opus_msdk speech|WAV COMPLEXITY PACKETS */
#include "measure.h"
#include "opus_input.h"
#include "sound.h"

static uint64_t samples;

static void called_back(void *unused, const msdk_audio_frame *frame) {
  (void)unused;
  samples += frame->sample_count;
}

static uint64_t bytes_sent(const struct sound *sound) {
  msdk_outgoing_audio_stats stats = MSDK_INIT(msdk_outgoing_audio_stats);
  must(msdk_outgoing_audio_get_stats(sound->outgoing, &stats), "msdk_outgoing_audio_get_stats");
  return stats.bytes_sent;
}

int main(int argc, char **argv) {
  if (argc != 4) die("usage: opus_msdk speech|WAV COMPLEXITY PACKETS");
  struct opus_input input;
  opus_input_open(&input, argv + 1);
  msdk_outgoing_audio_options options = sound_options(input.channels);
  options.codec = MSDK_CODEC_OPUS;
  options.application = input.is_speech ? MSDK_OPUS_VOIP : MSDK_OPUS_AUDIO;
  options.complexity = input.complexity;
  options.bitrate = input.bitrate;
  struct sound sound;
  sound_open(&sound, MSDK_CLOCK_VIRTUAL, &options);
  must(msdk_incoming_audio_set_frame_callback(sound.incoming, called_back, NULL), "setting the frame callback");
  sound_receive(&sound, NULL);

  double cpu = 0;
  uint64_t before = 0, size = OPUS_INPUT_SAMPLES * input.channels * sizeof(float);
  for (uint64_t i = 0; i < input.count + OPUS_INPUT_WARM_UP; i++) {
    if (i == OPUS_INPUT_WARM_UP) {
      before = bytes_sent(&sound);
      cpu = cpu_seconds();
    }
    must(msdk_outgoing_audio_send(sound.outgoing, opus_input_f32(&input, i), size, 0, 0, NULL, NULL), "msdk_outgoing_audio_send");
    must(msdk_engine_advance_clock(sound.engine, 20000000), "msdk_engine_advance_clock");
  }
  opus_input_report(&input, cpu_seconds() - cpu, bytes_sent(&sound) - before);
  uint64_t wanted = (input.count + OPUS_INPUT_WARM_UP) * OPUS_INPUT_SAMPLES;
  if (samples != wanted) die("%llu of %llu samples were decoded", (unsigned long long)samples, (unsigned long long)wanted);
  sound_close(&sound);
  opus_input_close(&input);
  return 0;
}
