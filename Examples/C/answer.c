/* A bot that answers: listens to one participant until they have spoken, and then plays a WAV file to them.
 *
 *     gcc answer.c $(pkg-config --cflags --libs mediasdk) -lm && ./a.out PLUGINS ANSWER.wav
 *
 * PLUGINS is the directory with wav.so. A loopback room lives inside the process, so the caller is here too, on a separate
 * thread: they send a second of a tone, and listen to the room. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 48000, SILENCE = 80 /* a buffer of this level, or above, which is softer, is silent */ };
#define SECOND INT64_C(1000000000)

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_session *join(msdk_engine *engine, const char *user_id, msdk_outgoing_audio *voice) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_start_audio(session, voice), "msdk_session_start_audio"); /* starts when the session is connected */
  must(msdk_session_connect(session), "msdk_session_connect");
  return session;
}

/* ------------------------------------------------------------------------------------------------------------------ the caller */

/* Listens to all others, mixed, until somebody has spoken and is silent again for a second; gives for how long. */
static double hear_out(msdk_engine *engine, msdk_incoming_audio *room) {
  int64_t begin = 0, last = 0, start = msdk_engine_now(engine);
  while (msdk_engine_now(engine) - start < 30 * SECOND) {
    msdk_audio_frame *frame = NULL; /* the mix never stops: a buffer comes every 20 ms, silent when nobody speaks */
    must(msdk_incoming_audio_read(room, 5000, &frame), "msdk_incoming_audio_read");
    if (frame->level < SILENCE) {
      last = frame->timestamp_ns + frame->duration_ns;
      if (begin == 0) begin = frame->timestamp_ns;
    }
    int over = begin != 0 && frame->timestamp_ns - last > SECOND;
    msdk_audio_frame_unref(frame);
    if (over) break;
  }
  return (double)(last - begin) / (double)SECOND;
}

typedef struct meeting {
  msdk_engine *engine;
  double heard; /* for how many seconds the caller heard the answer */
} meeting;

static void *caller(void *argument) {
  meeting *it = argument;
  msdk_engine *engine = it->engine;
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options); /* 48,000 Hz, mono, s16, buffers of 20 ms */
  options.codec = MSDK_CODEC_OPUS;
  msdk_outgoing_audio *voice = NULL;
  must(msdk_outgoing_audio_create(engine, &options, &voice), "the caller");
  msdk_session *session = join(engine, "caller", voice);
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_INCOMING_AUDIO_ADDED) must(msdk_session_next_event(session, 5000, &event), "the caller"); /* the bot */
  static int16_t buffer[RATE / 50];
  for (int n = 0; n < 50; n++) {
    for (int i = 0; i < RATE / 50; i++) {
      buffer[i] = (int16_t)lrint(8000 * sin(2 * 3.14159265358979 * 300 * (n * (RATE / 50) + i) / (double)RATE));
    }
    must(msdk_outgoing_audio_send(voice, buffer, sizeof buffer, 0, 1000, NULL, NULL), "the caller");
  }
  must(msdk_outgoing_audio_wait_played(voice, 5000), "the caller");
  msdk_incoming_audio *room = NULL;
  must(msdk_session_get_mixed_audio(session, &room), "msdk_session_get_mixed_audio");
  must(msdk_incoming_audio_start(room, NULL), "msdk_incoming_audio_start");
  it->heard = hear_out(engine, room);
  printf("the caller heard the answer, of %.1f s\n", it->heard);
  msdk_session_destroy(session);
  msdk_outgoing_audio_destroy(voice);
  return NULL;
}

/* --------------------------------------------------------------------------------------------------------------------- the bot */

/* Waits until the participant has spoken: the SDK reports when each participant begins and stops speaking. */
static double wait_for_speech(msdk_session *bot, const char *user_id) {
  int64_t begin = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    must(msdk_session_next_event(bot, 30000, &event), "msdk_session_next_event");
    if (event.type != MSDK_EVENT_ACTIVE_SPEAKER || strcmp(event.user_id, user_id) != 0) continue;
    if (event.state == MSDK_SPEAKER_ACTIVE) begin = event.timestamp_ns;
    else if (begin != 0) return (double)(event.timestamp_ns - begin) / (double)SECOND;
  }
}

/* Has the file played by its producer, which is asked for buffer after buffer in real time, and waits for its end. */
static void play(msdk_session *bot, msdk_outgoing_audio *voice, msdk_instance *file) {
  must(msdk_outgoing_audio_attach_producer(voice, file), "msdk_outgoing_audio_attach_producer");
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_PLUGIN || event.value != MSDK_PLUGIN_EVENT_ENDED) {
    must(msdk_session_next_event(bot, MSDK_WAIT_FOREVER, &event), "msdk_session_next_event");
    if (event.type == MSDK_EVENT_PLUGIN && event.status < 0) {
      fprintf(stderr, "%s: %s\n", msdk_status_string(event.status), event.text);
      exit(1);
    }
  }
  must(msdk_outgoing_audio_wait_played(voice, 5000), "msdk_outgoing_audio_wait_played");
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: answer PLUGINS ANSWER.wav\n");
    return 2;
  }
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), argv[1]);

  /* 1. The file, and a stream with its number of channels; the SDK converts whatever rate it has. */
  msdk_instance *file = NULL;
  must(msdk_instance_create(engine, "org.mediasdk.producer.wav", NULL, &file), "org.mediasdk.producer.wav");
  must(msdk_instance_set_param_text(file, "path", argv[2]), argv[2]);
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  must(msdk_instance_get_audio_format(file, &format), argv[2]); /* opens it */
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.channels = format.channels;
  options.codec = MSDK_CODEC_OPUS;
  msdk_outgoing_audio *voice = NULL;
  must(msdk_outgoing_audio_create(engine, &options, &voice), "msdk_outgoing_audio_create");

  /* 2. Join, and wait for a participant who sends audio. A speech recogniser would start and read their stream here, for example at
   * 16,000 Hz. This bot only needs to know when they have finished, which the SDK reports for every participant. */
  msdk_session *bot = join(engine, "bot", voice);
  meeting meeting = {.engine = engine};
  pthread_t thread;
  if (pthread_create(&thread, NULL, caller, &meeting) != 0) return 1;
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_INCOMING_AUDIO_ADDED) must(msdk_session_next_event(bot, 5000, &event), "msdk_session_next_event");
  msdk_incoming_audio_options hear = MSDK_INIT(msdk_incoming_audio_options);
  hear.sample_rate = 16000;
  hear.channels = 1;
  must(msdk_incoming_audio_start(event.incoming_audio, &hear), "msdk_incoming_audio_start");
  double spoken = wait_for_speech(bot, event.user_id);
  printf("the bot heard %s speak for %.1f s, pauses included, and answers\n", event.user_id, spoken);

  /* 3. Answer. */
  play(bot, voice, file);
  pthread_join(thread, NULL);
  msdk_engine_destroy(engine);
  return meeting.heard > 0 ? 0 : 1;
}
