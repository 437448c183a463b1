/* A room with several people who speak and listen to the mix, on the virtual clock. */
#ifndef GATHERING_H
#define GATHERING_H

#include "sound.h"

enum { PEOPLE = 6 };

/* A room with several people; each may speak, and each may listen to the mix. */
typedef struct gathering {
  msdk_engine *engine;
  char url[64];
  msdk_session *session[PEOPLE];
  voice voice[PEOPLE];
  heard mix[PEOPLE];
  int talking[PEOPLE];
} gathering;

static inline gathering *gather(int people) {
  static const char *const names[PEOPLE] = {"alice", "bob", "carol", "dave", "erin", "frank"};
  gathering *it = calloc(1, sizeof *it);
  if (it == NULL) abort();
  snprintf(it->url, sizeof it->url, "%s", room_new());
  it->engine = engine_new(MSDK_CLOCK_VIRTUAL);
  for (int i = 0; i < people; i++) it->session[i] = join(it->engine, it->url, names[i]);
  return it;
}

static inline void disperse(gathering *it) {
  for (int i = 0; i < PEOPLE; i++) {
    msdk_outgoing_audio_destroy(it->voice[i].stream);
    msdk_session_destroy(it->session[i]);
    free(it->mix[i].samples);
  }
  msdk_engine_destroy(it->engine);
  free(it);
}

static inline void speak(gathering *it, int who, const msdk_outgoing_audio_options *options, double frequency, double amplitude) {
  if (!voice_make(&it->voice[who], it->engine, options)) return;
  voice_tone(&it->voice[who], frequency, amplitude);
  CHECK_OK(msdk_session_start_audio(it->session[who], it->voice[who].stream));
  it->talking[who] = 1;
}

static inline void listen(gathering *it, int who, const msdk_incoming_audio_options *options) {
  CHECK_OK(msdk_session_get_mixed_audio(it->session[who], &it->mix[who].stream));
  CHECK_OK(msdk_incoming_audio_start(it->mix[who].stream, options));
}

static inline void pass(gathering *it, int64_t duration_ns) {
  voice *voices[PEOPLE];
  heard *listeners[PEOPLE];
  int speaking = 0, listening = 0;
  for (int i = 0; i < PEOPLE; i++) {
    if (it->talking[i]) voices[speaking++] = &it->voice[i];
    if (it->mix[i].stream != NULL) listeners[listening++] = &it->mix[i];
  }
  talk(it->engine, voices, speaking, listeners, listening, duration_ns);
}

/* What was heard so far. */
static inline void forget(gathering *it) {
  for (int i = 0; i < PEOPLE; i++) heard_forget(&it->mix[i]);
}

/* How large a tone is in what was heard, whatever else there is. */
static inline double amplitude_of(const heard *it, uint32_t channel, double frequency) {
  tone found = {.frequency = frequency};
  tones_fit(it->samples + channel, it->count, it->channels, it->rate, &found, 1);
  return found.amplitude;
}

#endif
