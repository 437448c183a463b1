/* The limit for Opus there and back: a plain loop around libopus, set as the library's encoder is (constrained VBR is libopus' default).
 *
 *   opus_bare speech|WAV COMPLEXITY PACKETS */
#include "measure.h"
#include "opus_input.h"

#include <opus.h>

int main(int argc, char **argv) {
  if (argc != 4) die("usage: opus_bare speech|WAV COMPLEXITY PACKETS");
  struct opus_input input;
  opus_input_open(&input, argv + 1);
  int error = OPUS_OK, channels = (int)input.channels, application = input.is_speech ? OPUS_APPLICATION_VOIP : OPUS_APPLICATION_AUDIO;
  OpusEncoder *encoder = opus_encoder_create(OPUS_INPUT_RATE, channels, application, &error);
  if (encoder == NULL || opus_encoder_ctl(encoder, OPUS_SET_BITRATE((opus_int32)input.bitrate)) != OPUS_OK ||
      opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY((opus_int32)input.complexity)) != OPUS_OK) {
    die("no encoder: %s", opus_strerror(error));
  }
  OpusDecoder *decoder = opus_decoder_create(OPUS_INPUT_RATE, channels, &error);
  if (decoder == NULL) die("no decoder: %s", opus_strerror(error));

  static unsigned char packet[4000];
  static float decoded[OPUS_INPUT_SAMPLES * 2];
  double cpu = 0;
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < input.count + OPUS_INPUT_WARM_UP; i++) {
    if (i == OPUS_INPUT_WARM_UP) {
      bytes = 0;
      cpu = cpu_seconds();
    }
    opus_int32 size = opus_encode_float(encoder, opus_input_f32(&input, i), OPUS_INPUT_SAMPLES, packet, sizeof packet);
    if (size < 0) die("packet %llu: %s", (unsigned long long)i, opus_strerror(size));
    bytes += (uint64_t)size;
    int samples = opus_decode_float(decoder, packet, size, decoded, OPUS_INPUT_SAMPLES, 0);
    if (samples != OPUS_INPUT_SAMPLES) die("packet %llu: %d samples were decoded", (unsigned long long)i, samples);
  }
  opus_input_report(&input, cpu_seconds() - cpu, bytes);
  opus_encoder_destroy(encoder);
  opus_decoder_destroy(decoder);
  opus_input_close(&input);
  return 0;
}
