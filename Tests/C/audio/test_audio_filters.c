/* Filters of sound: before gain, in the sample format they take, what is left out, what fails, and bad ones; of a participant and of the mix. */
#include "sound.h"
#include "filter_classes.h"

static sound_call *filtered_sound(uint32_t sample_format, uint32_t codec) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, sample_format, 20);
  options.codec = codec;
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  voice_tone(&it->voice, 440, 0.1);
  filters_begin(it->engine);
  return it;
}

/* The loudest sample of all that was heard since the last call. */
static double loudest(sound_call *it) {
  double peak = 0;
  for (uint64_t i = 0; i < it->heard.count * it->heard.channels; i++) peak = fmax(peak, fabs(it->heard.samples[i]));
  heard_forget(&it->heard);
  return peak;
}

static void they_double_what_passes(void) {
  static const uint32_t formats[] = {MSDK_SAMPLE_S16, MSDK_SAMPLE_F32};
  static const char *const takes[] = {"any", "f32", "s16"};
  for (int i = 0; i < 6; i++) {
    sound_call *it = filtered_sound(formats[i % 2], MSDK_CODEC_RAW);
    msdk_instance *out = filter_new(it->engine, "louder", "change", 0), *in = filter_new(it->engine, "louder", "make", 0);
    CHECK_OK(msdk_instance_set_param_text(out, "takes", takes[i / 2]));
    CHECK_OK(msdk_outgoing_audio_add_filter(it->voice.stream, out));
    CHECK_EQ(filter_state(out, MSDK_KIND_AUDIO_FILTER), MSDK_INSTANCE_READY);
    sound_talk(it, 200 * MS);
    CHECK_EQ(filter_state(out, MSDK_KIND_AUDIO_FILTER), MSDK_INSTANCE_STARTED);
    CHECK_EQ(it->heard.sample_format, formats[i % 2]); /* the stream's stays */
    CHECK_EQ(it->heard.worst_gap_ns, 0);
    CHECK_RANGE(loudest(it), 0.198, 0.202);
    CHECK_EQ(atomic_load(&filter_sights[0].sample_format), i < 2 ? formats[i % 2] : i < 4 ? MSDK_SAMPLE_F32 : MSDK_SAMPLE_S16);
    CHECK_EQ(atomic_load(&filter_sights[0].in_place), 1); /* what was sent is the stream's own */
    CHECK_EQ(atomic_load(&filter_sights[0].sample_count), 960);
    CHECK_OK(msdk_incoming_audio_add_filter(it->heard.stream, in));
    CHECK_OK(msdk_incoming_audio_set_gain(it->heard.stream, 0.5));
    sound_talk(it, 100 * MS);
    heard_forget(&it->heard);
    sound_talk(it, 200 * MS);
    CHECK_RANGE(loudest(it), 0.198, 0.202);
    CHECK(sound_stats(it->voice.stream).total_filter_time_ns > 0 && heard_stats(it->heard.stream).total_filter_time_ns > 0);
    CHECK_OK(msdk_outgoing_audio_remove_filter(it->voice.stream, out));
    CHECK_RESULT(msdk_outgoing_audio_remove_filter(it->voice.stream, out), MSDK_E_NOT_FOUND);
    sound_talk(it, 100 * MS);
    CHECK_RANGE(loudest(it), 0.098, 0.102);
    check_sound_adds_up(it->voice.stream);
    msdk_instance_destroy(in);
    sound_close(it);
    CHECK_EQ(atomic_load(&filter_sights[1].inits), atomic_load(&filter_sights[1].releases));
  }
}

static void of_encoded_sound_and_of_the_mix(void) {
  sound_call *it = filtered_sound(MSDK_SAMPLE_S16, MSDK_CODEC_OPUS);
  msdk_instance *out = filter_new(it->engine, "louder", "change", 0), *mix = filter_new(it->engine, "louder", "change", 0);
  CHECK_OK(msdk_outgoing_audio_add_filter(it->voice.stream, out));
  sound_talk(it, 500 * MS);
  CHECK_RANGE(loudest(it), 0.15, 0.25);
  msdk_incoming_audio *whole = NULL;
  CHECK_OK(msdk_session_get_mixed_audio(it->bob, &whole));
  CHECK_OK(msdk_incoming_audio_add_filter(whole, mix));
  CHECK_OK(msdk_incoming_audio_start(whole, NULL));
  heard heard = {.stream = whole};
  talk(it->engine, (voice *[]){&it->voice}, 1, (struct heard *[]){&heard}, 1, SECOND);
  double peak = 0;
  for (uint64_t i = heard.count; i < heard.count * heard.channels; i++) peak = fmax(peak, fabs(heard.samples[i]));
  CHECK_RANGE(peak, 0.3, 0.5);
  CHECK(atomic_load(&filter_sights[1].calls) > 40);
  CHECK_OK(msdk_incoming_audio_remove_filter(whole, mix));
  free(heard.samples);
  msdk_instance_destroy(mix);
  msdk_instance_destroy(out);
  sound_close(it);
}

static void what_is_left_out_or_muted(void) {
  sound_call *it = filtered_sound(MSDK_SAMPLE_S16, MSDK_CODEC_RAW);
  sound_outcomes counted = {0};
  it->voice.counted = &counted;
  msdk_instance *filter = filter_new(it->engine, "louder", "again", 0);
  CHECK_OK(msdk_outgoing_audio_add_filter(it->voice.stream, filter));
  sound_talk(it, 100 * MS);
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_FILTER]), 5);
  CHECK_EQ(it->heard.frames, 0);
  CHECK_OK(msdk_instance_set_param_text(filter, "mode", "pass"));
  sound_talk(it, 100 * MS);
  CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 1));
  sound_talk(it, 200 * MS);
  int calls = atomic_load(&filter_sights[0].calls);
  sound_talk(it, 200 * MS);
  CHECK_EQ(atomic_load(&filter_sights[0].calls), calls); /* nothing passes */
  int flushes = atomic_load(&filter_sights[0].flushes);
  CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 0));
  sound_talk(it, 100 * MS);
  CHECK_EQ(atomic_load(&filter_sights[0].flushes), flushes + 1); /* a gap */
  check_sound_adds_up(it->voice.stream);
  msdk_instance_destroy(filter);
  sound_close(it);
}

static void what_comes_out_is_older(void) {
  sound_call *it = filtered_sound(MSDK_SAMPLE_S16, MSDK_CODEC_RAW);
  sound_talk(it, 100 * MS);
  int64_t age = it->heard.oldest_ns;
  msdk_instance *filter = filter_new(it->engine, "louder", "keep", 0); /* says that it delays by 5 ms */
  CHECK_OK(msdk_outgoing_audio_add_filter(it->voice.stream, filter));
  heard_forget(&it->heard);
  sound_talk(it, 100 * MS);
  CHECK_EQ(it->heard.oldest_ns - age, 5 * MS);
  msdk_instance_destroy(filter);
  sound_close(it);
}

/* Reported once, in words, and taken out; the sound passes as it was, written to or not. */
static void bad_filters(void) {
  static const struct { const char *mode, *words; msdk_result status; } cases[] = {
    {"fail", "filter_audio_frame", MSDK_E_DEVICE_LOST}, {"null", "no buffer", MSDK_E_INVALID}, {"dead", "not live", MSDK_E_HANDLE},
    {"garbage", "not live", MSDK_E_HANDLE},             {"gone", "it had released", MSDK_E_HANDLE}, {"small", "agreed", MSDK_E_FORMAT},
    {"nan", "sample 0", MSDK_E_INVALID}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sound_call *it = filtered_sound(MSDK_SAMPLE_F32, MSDK_CODEC_RAW);
    msdk_instance *filter = filter_new(it->engine, "louder", cases[i].mode, 0);
    CHECK_OK(msdk_outgoing_audio_add_filter(it->voice.stream, filter));
    sound_talk(it, 200 * MS);
    CHECK_EQ(it->heard.frames, 10);
    CHECK_RANGE(loudest(it), 0.098, 0.102);
    CHECK_EQ(atomic_load(&filter_sights[0].calls), 1);
    msdk_event event = MSDK_INIT(msdk_event);
    if (CHECK(event_take(it->alice, MSDK_EVENT_PLUGIN, &event))) {
      CHECK(event.instance == filter && event.value == MSDK_PLUGIN_EVENT_ERROR);
      CHECK_EQ(event.status, cases[i].status);
      CHECK_STR_CONTAINS(event.text, cases[i].words);
    }
    msdk_instance_destroy(filter);
    sound_close(it);
  }
}

static void refusals(void) {
  sound_call *it = filtered_sound(MSDK_SAMPLE_S16, MSDK_CODEC_RAW);
  msdk_instance *picture = filter_new(it->engine, "tint", "pass", 0), *filter = filter_new(it->engine, "louder", "pass", 0);
  CHECK_ERROR(msdk_outgoing_audio_add_filter(it->voice.stream, picture), MSDK_E_UNSUPPORTED, "not an audio filter");
  CHECK_ERROR(msdk_incoming_audio_add_filter(it->heard.stream, picture), MSDK_E_UNSUPPORTED, "not an audio filter");
  CHECK_RESULT(msdk_outgoing_audio_add_filter(it->voice.stream, NULL), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_incoming_audio_remove_filter(it->heard.stream, filter), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_outgoing_audio_add_filter(it->voice.stream, filter));
  CHECK_ERROR(msdk_incoming_audio_add_filter(it->heard.stream, filter), MSDK_E_STATE, "attached");
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  options.codec = MSDK_CODEC_OPUS;
  options.encoded_input = 1;
  msdk_outgoing_audio *packets = NULL;
  CHECK_OK(msdk_outgoing_audio_create(it->engine, &options, &packets));
  CHECK_OK(msdk_outgoing_audio_remove_filter(it->voice.stream, filter));
  CHECK_ERROR(msdk_outgoing_audio_add_filter(packets, filter), MSDK_E_UNSUPPORTED, "encoded_input");
  msdk_outgoing_audio_destroy(packets);
  msdk_instance_destroy(picture);
  msdk_instance_destroy(filter);
  sound_close(it);
}

int main(int argc, char **argv) {
  RUN(they_double_what_passes);
  RUN(of_encoded_sound_and_of_the_mix);
  RUN(what_is_left_out_or_muted);
  RUN(what_comes_out_is_older);
  RUN(bad_filters);
  RUN(refusals);
  return check_finish();
}
