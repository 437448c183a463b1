/* The functions of sound for fuzz_calls.c. */
#ifndef FUZZ_SOUND_H
#define FUZZ_SOUND_H

#include "fuzz_video.h"

static const msdk_audio_frame *sounds[KEPT];
static uint32_t sounds_taken, sounds_gone, sounds_dropped, mixes_heard;

static uint32_t some_rate(void) {
  static const uint32_t rates[] = {16000, 22050, 24000, 32000, 44100, 48000};
  return goes_wrong(8) ? number() : rates[below(6)];
}

static const msdk_audio_frame *sound(void) { return below(12) == 0 ? handle((enum kind)below(KINDS)) : sounds[below(KEPT)]; }

static void keep_sound(const msdk_audio_frame *made) {
  if (made == NULL) return;
  uint32_t place = below(KEPT);
  msdk_audio_frame_unref(sounds[place]);
  sounds[place] = made;
}

static void on_fuzz_sound(void *user, const msdk_audio_frame *it) {
  (void)user, (void)it;
  sounds_taken++;
}
static void on_fuzz_sound_report(void *user, const msdk_frame_report *it) {
  (void)user;
  if (it->outcome == MSDK_OUTCOME_SENT || it->outcome == MSDK_OUTCOME_ENCODED) sounds_gone++;
  else sounds_dropped++;
}

static void make_sound_stream(void) {
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.sample_rate = below(3) == 0 ? some_rate() : 48000;
  options.channels = goes_wrong(10) ? number() : below(3);
  options.sample_format = goes_wrong(10) ? number() : below(3);
  options.buffer_ms = goes_wrong(10) ? number() : below(3) == 0 ? 10 * below(11) : 20;
  options.codec = goes_wrong(10) ? number() : below(2) == 0 ? MSDK_CODEC_OPUS : MSDK_CODEC_RAW;
  options.encoded_input = goes_wrong(10) ? number() : options.codec == MSDK_CODEC_OPUS && below(5) == 0;
  options.kind = goes_wrong(10) ? number() : below(3);
  if (goes_wrong(6)) options.queue_ms = number();
  if (goes_wrong(8)) options.report_capacity = number();
  if (goes_wrong(8)) options.application = number();
  if (goes_wrong(8)) options.bitrate = number();
  if (goes_wrong(8)) options.complexity = number();
  if (goes_wrong(8)) options.expected_loss = number();
  options.packet_ms = goes_wrong(8) ? number() : 20 * below(4);
  options.fec = goes_wrong(8) ? number() : below(2);
  options.dtx = goes_wrong(8) ? number() : below(2);
  options.struct_size = struct_size(sizeof options);
  msdk_outgoing_audio *made = NULL;
  if (msdk_outgoing_audio_create(some_engine(), below(8) == 0 ? NULL : &options, &made) >= 0) keep(SOUND_OUT, made);
}

static void make_sound(void) {
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  format.sample_format = goes_wrong(6) ? number() : 1 + below(2);
  format.sample_rate = goes_wrong(6) ? number() : 8000 + below(184001);
  format.channels = goes_wrong(6) ? number() : 1 + below(2);
  format.planar = goes_wrong(12) ? number() : 0;
  format.struct_size = struct_size(sizeof format);
  uint32_t count = goes_wrong(4) ? number() : 1 + below(4800);
  msdk_audio_frame *made = NULL;
  if (msdk_audio_frame_create(below(20) == 0 ? NULL : &format, count, &made) < 0) return;
  for (uint32_t i = 0; i < made->sample_count * made->format->channels && made->format->sample_format == MSDK_SAMPLE_S16; i++) {
    ((int16_t *)(void *)made->planes[0])[i] = (int16_t)random_next(&seed);
  }
  made->timestamp_ns = wide();
  keep_sound(made);
}

static void make_packet(void) {
  uint8_t bytes[64];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)random_next(&seed);
  if (below(2) == 0) bytes[0] &= 0xFC; /* one frame in it */
  msdk_encoded_frame wanted = MSDK_INIT(msdk_encoded_frame);
  wanted.codec = MSDK_CODEC_OPUS;
  wanted.data = bytes;
  wanted.size = below(sizeof bytes);
  wanted.timestamp_ns = below(3) == 0 ? wide() : 0;
  wanted.level = number();
  wanted.struct_size = struct_size(sizeof wanted);
  msdk_encoded_frame *made = NULL;
  if (msdk_encoded_frame_create(&wanted, &made) >= 0) keep_encoded(made);
}

static void send_sound(void) {
  static uint8_t memory[40000];
  void *stream = handle(SOUND_OUT);
  uint64_t size = 0;
  if (msdk_outgoing_audio_get_buffer_size(stream, &size) >= 0 && size <= sizeof memory) {
    for (uint64_t i = 0; i < size; i += 1 + below(40)) memory[i] = (uint8_t)random_next(&seed);
    for (uint32_t i = 1 + below(3); i > 0; i--) {
      msdk_outgoing_audio_send(stream, below(30) == 0 ? NULL : memory, goes_wrong(6) ? below(sizeof memory) : size,
                               goes_wrong(4) ? wide() : 0, 0, below(2) ? on_fuzz_sound_report : NULL, NULL);
    }
  }
  msdk_outgoing_audio_send_encoded(stream, below(8) == 0 ? handle(SOUND_OUT) : encoded[below(KEPT)], goes_wrong(2) ? wide() : 0, 0,
                                   below(2) ? on_fuzz_sound_report : NULL, NULL);
}

static void hear(void) {
  msdk_incoming_audio_options options = MSDK_INIT(msdk_incoming_audio_options);
  if (below(2) == 0) options.sample_rate = some_rate();
  options.channels = goes_wrong(10) ? number() : below(3);
  options.sample_format = goes_wrong(10) ? number() : below(3);
  options.buffer_ms = goes_wrong(10) ? number() : 10 * below(11);
  options.delivery = goes_wrong(10) ? number() : below(2);
  options.output = goes_wrong(10) ? number() : below(3);
  options.queue_ms = goes_wrong(6) ? number() : 0;
  options.queue_policy = goes_wrong(6) ? number() : below(2);
  options.struct_size = struct_size(sizeof options);
  msdk_incoming_audio_start(handle(SOUND_IN), below(4) == 0 ? NULL : &options);
}

static void ask_for_the_mix(void) {
  msdk_incoming_audio *mix = NULL;
  if (msdk_session_get_mixed_audio(handle(SESSION), below(30) == 0 ? NULL : &mix) < 0) return;
  keep(SOUND_IN, mix);
  if (below(2) == 0 && mix != NULL && msdk_incoming_audio_start(mix, NULL) >= 0) mixes_heard++;
}

static void take_sounds(void) {
  msdk_audio_frame *frame = NULL;
  msdk_encoded_frame *packet = NULL;
  void *stream = handle(SOUND_IN);
  for (int i = 0; i < 4 && msdk_incoming_audio_read(stream, 0, &frame) >= 0; i++) {
    sounds_taken++;
    keep_sound(frame);
  }
  if (msdk_incoming_audio_read_encoded(stream, 0, &packet) >= 0) keep_encoded(packet);
}

/* Every pointer out has room for the struct, whatever its struct_size says beyond. */
static void ask_about_sound(void) {
  static union {
    uint32_t size;
    uint8_t bytes[2048];
  } room;
  uint32_t state;
  int32_t descriptor;
  int64_t position;
  uint64_t size;
  memset(&room, 0, sizeof room);
  room.size = below(4) == 0 ? below(sizeof room + 1) : 400;
  void *out = below(12) == 0 ? NULL : &room;
  switch (below(9)) {
  case 0: msdk_outgoing_audio_get_stats(handle(SOUND_OUT), out); break;
  case 1: msdk_incoming_audio_get_stats(handle(SOUND_IN), out); break;
  case 2: msdk_outgoing_audio_get_info(handle(SOUND_OUT), out); break;
  case 3: msdk_instance_get_audio_format(handle(INSTANCE), out); break;
  case 4: msdk_outgoing_audio_read_report(handle(SOUND_OUT), 0, out); break;
  case 5: msdk_outgoing_audio_get_state(handle(SOUND_OUT), &state); msdk_incoming_audio_get_state(handle(SOUND_IN), &state); break;
  case 6: msdk_incoming_audio_get_fd(handle(SOUND_IN), &descriptor); break;
  case 7: msdk_audio_frame_get_position(sound(), wide(), &position); break;
  default:
    msdk_outgoing_audio_get_queued(handle(SOUND_OUT), &position);
    msdk_outgoing_audio_get_buffer_size(handle(SOUND_OUT), &size);
    break;
  }
}

static double some_gain(void) {
  static const double edges[] = {0, 1, 8, 8.1, -1, 1e300, 0.5, 1e-300};
  union { uint64_t bits; double value; } any = {.bits = random_next(&seed)};
  return below(3) == 0 ? any.value : edges[below(8)];
}

static void steer_sound(void) {
  switch (below(14)) {
  case 0: msdk_outgoing_audio_set_muted(handle(SOUND_OUT), goes_wrong(3) ? number() : below(2)); break;
  case 1: msdk_outgoing_audio_set_gain(handle(SOUND_OUT), some_gain()); break;
  case 2: msdk_outgoing_audio_set_bitrate(handle(SOUND_OUT), goes_wrong(2) ? number() : 6000 + below(100000)); break;
  case 3: msdk_outgoing_audio_set_expected_loss(handle(SOUND_OUT), goes_wrong(2) ? number() : below(101)); break;
  case 4: msdk_outgoing_audio_flush(handle(SOUND_OUT)); break;
  case 5: msdk_outgoing_audio_wait_played(handle(SOUND_OUT), 0); break;
  case 6: msdk_incoming_audio_set_gain(handle(SOUND_IN), some_gain()); break;
  case 7: msdk_outgoing_audio_attach_producer(handle(SOUND_OUT), below(3) == 0 ? NULL : handle(INSTANCE)); break;
  case 8: msdk_incoming_audio_attach_renderer(handle(SOUND_IN), handle(INSTANCE)); break;
  case 9: msdk_incoming_audio_detach_renderer(handle(SOUND_IN), handle(INSTANCE)); break;
  case 10: msdk_instance_render_audio(handle(INSTANCE), sound()); break;
  case 11: msdk_incoming_audio_set_frame_callback(handle(SOUND_IN), below(3) == 0 ? on_fuzz_sound : NULL, NULL); break;
  case 12: msdk_outgoing_audio_set_encoded_callback(handle(SOUND_OUT), below(3) == 0 ? on_fuzz_encoded : NULL, NULL); break;
  default: {
    const msdk_audio_frame *it = sounds[below(KEPT)];
    if (it != NULL && msdk_audio_frame_ref(it) >= 0) msdk_audio_frame_unref(it);
    audio_references(sound());
    msdk_audio_frame_unref(below(2) == 0 ? NULL : (const msdk_audio_frame *)(uintptr_t)(random_next(&seed) | 1));
    break;
  }
  }
}

static void one_sound_step(void) {
  switch (below(24)) {
  case 0: case 1: make_sound_stream(); break;
  case 2: make_sound(); break;
  case 3: make_packet(); break;
  case 4: case 5: case 6: case 7: send_sound(); break;
  case 8: case 9: hear(); break;
  case 10: ask_for_the_mix(); break;
  case 11: case 12: take_sounds(); break;
  case 13: case 14: ask_about_sound(); break;
  case 15: case 16: steer_sound(); break;
  case 17: case 18: case 19: case 20: msdk_session_start_audio(handle(SESSION), handle(SOUND_OUT)); break;
  case 21: if (below(4) == 0) msdk_session_stop_audio(handle(SESSION), handle(SOUND_OUT)); break;
  case 22: if (below(3) == 0) msdk_incoming_audio_stop(handle(SOUND_IN)); break;
  default: if (below(3) == 0) msdk_outgoing_audio_destroy(handle(SOUND_OUT)); break;
  }
}

#endif
