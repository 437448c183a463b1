/* Pictures and sound of one participant are on one clock: for each picture the buffer and the sample in it that were captured at the
 * same time are found with msdk_audio_frame_get_position. */
#include "picture.h"
#include "sound.h"

enum { KEPT = 40 };

typedef struct both {
  sound_call *call;
  msdk_outgoing_video *video;
  msdk_frame_sender *sender;
  msdk_incoming_video *incoming;
  msdk_audio_frame *buffer[KEPT]; /* the latest */
  int next;
} both;

static both both_open(const msdk_outgoing_audio_options *audio, uint32_t video_codec) {
  both it = {.call = sound_join(MSDK_CLOCK_VIRTUAL)};
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(video_codec, &format, 1);
  msdk_event event;
  msdk_incoming_audio_options receive = MSDK_INIT(msdk_incoming_audio_options);
  receive.queue_ms = 2000;
  msdk_incoming_video_options pictures = MSDK_INIT(msdk_incoming_video_options);
  pictures.queue_capacity = 64;
  CHECK_OK(msdk_outgoing_video_create(it.call->engine, &options, &it.video));
  CHECK_OK(msdk_session_start_video(it.call->alice, it.video));
  if (CHECK(event_wait(it.call->engine, it.call->alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event))) it.sender = event.sender;
  if (CHECK(event_wait(it.call->engine, it.call->bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event))) it.incoming = event.incoming_video;
  CHECK_OK(msdk_incoming_video_start(it.incoming, &pictures));
  CHECK(sound_offer(it.call, audio));
  CHECK_OK(msdk_incoming_audio_start(it.call->heard.stream, &receive));
  run_for(it.call->engine, 3 * MS);
  return it;
}

static void both_close(both *it) {
  for (int i = 0; i < KEPT; i++) msdk_audio_frame_unref(it->buffer[i]);
  msdk_outgoing_video_destroy(it->video);
  sound_close(it->call);
}

static void keep_buffers(both *it) {
  msdk_audio_frame *frame = NULL;
  while (msdk_incoming_audio_read(it->call->heard.stream, 0, &frame) >= 0) {
    msdk_audio_frame_unref(it->buffer[it->next]);
    it->buffer[it->next] = frame;
    it->next = (it->next + 1) % KEPT;
  }
}

/* The sample of whatever buffer that was captured at a time; NULL when it is in none. */
static const float *sample_at(const both *it, int64_t timestamp_ns, int *buffers) {
  const float *found = NULL;
  *buffers = 0;
  for (int i = 0; i < KEPT; i++) {
    int64_t sample = -1;
    if (it->buffer[i] == NULL) continue;
    CHECK_OK(msdk_audio_frame_get_position(it->buffer[i], timestamp_ns, &sample));
    if (sample < 0 || sample >= it->buffer[i]->sample_count) continue;
    found = (const float *)(const void *)it->buffer[i]->planes[0] + sample * it->buffer[i]->format->channels;
    ++*buffers;
  }
  return found;
}

/* Raw sound whose samples are their own numbers: the very sample is found. */
static void the_very_sample(void) {
  static const uint32_t cases[][2] = {{48000, 20}, {44100, 10}, {22050, 10}, {16000, 100}};
  for (int i = 0; i < 4; i++) {
    msdk_outgoing_audio_options options = sound_options(cases[i][0], 1, MSDK_SAMPLE_F32, cases[i][1]);
    both it = both_open(&options, MSDK_CODEC_RAW);
    msdk_engine *engine = it.call->engine;
    voice *speaker = &it.call->voice;
    int64_t begin = msdk_engine_now(engine), next_picture = begin;
    int checked = 0;
    speaker->begin_ns = begin;
    int64_t captured = voice_captured(speaker);
    while (msdk_engine_now(engine) - begin < 4 * SECOND) {
      int64_t now = msdk_engine_now(engine);
      if (voice_due(speaker) <= now) {
        for (uint32_t n = 0; n < speaker->samples; n++) ((float *)(void *)speaker->buffer)[n] = (float)(speaker->position + n);
        speaker->position += speaker->samples;
        CHECK_OK(msdk_outgoing_audio_send(speaker->stream, speaker->buffer, speaker->size, 0, 0, NULL, NULL));
      }
      if (next_picture <= now) {
        msdk_video_frame *frame = NULL;
        CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frame));
        picture_fill(frame, 100);
        CHECK_OK(msdk_frame_sender_send(it.sender, frame, captured + next_picture - begin, NULL, NULL)); /* as old as the sound */
        msdk_video_frame_unref(frame);
        next_picture += SECOND / 30;
      }
      run_for(engine, MS);
      keep_buffers(&it);
      /* Buffers and pictures are sent one buffer's duration after their times: the sound of a picture may come before it. */
      msdk_video_frame *picture = NULL;
      while (msdk_incoming_video_read(it.incoming, 0, &picture) >= 0) {
        int buffers = 0;
        const float *sample = sample_at(&it, picture->timestamp_ns, &buffers);
        int64_t expected = (picture->timestamp_ns - captured) * cases[i][0] / SECOND;
        CHECK_EQ(buffers, 1); /* in exactly one */
        if (sample != NULL) CHECK_RANGE(*sample, expected - 1, expected + 1); /* to within the nanosecond of the buffer's timestamp */
        checked += sample != NULL;
        msdk_video_frame_unref(picture);
      }
    }
    CHECK_RANGE(checked, 115, 121);
    both_close(&it);
  }
}

/* Encoded on both ways and delayed by a network: a click and a flash that were captured at the same time belong together at the other
 * end, to within half a millisecond. */
static void a_flash_and_a_click(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_F32, 20);
  options.codec = MSDK_CODEC_OPUS;
  options.bitrate = 128000;
  options.application = MSDK_OPUS_AUDIO;
  both it = both_open(&options, MSDK_CODEC_VP8);
  msdk_engine *engine = it.call->engine;
  msdk_network_step step = network_step(0, 0);
  step.delay_ns = 80 * MS;
  step.jitter_ns = 15 * MS;
  CHECK_OK(network_set(engine, it.call->url, &step, 1, 5));
  int64_t begin = msdk_engine_now(engine), next_picture = begin;
  uint64_t buffers = 0, pictures = 0;
  int flashes = 0;
  int64_t flash[8] = {0};
  while (msdk_engine_now(engine) - begin < 5 * SECOND) {
    int64_t now = msdk_engine_now(engine);
    if (begin + (int64_t)buffers * 20 * MS <= now) {
      static float samples[960];
      memset(samples, 0, sizeof samples);
      /* With the first sample of every fiftieth buffer, half a second after each second's begin, a tone begins that lasts 20 ms. */
      for (uint32_t n = 0; n < 960 && buffers % 50 == 25; n++) samples[n] = 0.5f * (float)cos(2 * PI * 1000 * n / 48000.0);
      CHECK_OK(msdk_outgoing_audio_send(it.call->voice.stream, samples, sizeof samples, 0, 0, NULL, NULL));
      buffers++;
    }
    if (next_picture <= now) {
      msdk_video_frame *frame = NULL;
      if (msdk_frame_sender_acquire(it.sender, 0, &frame) >= 0) {
        picture_fill(frame, pictures % 30 == 15 ? 235 : 16); /* likewise, and as old as the sound */
        msdk_frame_sender_send(it.sender, frame, begin - 20 * MS + (int64_t)pictures * SECOND / 30, NULL, NULL);
        msdk_video_frame_unref(frame);
      }
      pictures++;
      next_picture = begin + (int64_t)pictures * SECOND / 30;
    }
    run_for(engine, MS);
    heard_drain(&it.call->heard, engine);
    msdk_video_frame *picture = NULL;
    while (msdk_incoming_video_read(it.incoming, 0, &picture) >= 0) {
      if (row_of(picture, 0, 24)[32] > 128 && flashes < 8) flash[flashes++] = picture->timestamp_ns;
      msdk_video_frame_unref(picture);
    }
  }
  CHECK_RANGE(flashes, 4, 5);
  const heard *heard = &it.call->heard;
  CHECK_RANGE(heard->worst_gap_ns, 0, 1000);
  for (int i = 0; i < flashes; i++) {
    int64_t at = (flash[i] - heard->first_ns) * 48 / 1000000; /* where the tone should begin */
    if (at < 480 || at + 960 > (int64_t)heard->count) continue;
    int64_t from = at - 480, onset = from;
    while (onset < at + 480 && fabs((double)heard->samples[onset]) < 0.2) onset++;
    CHECK_RANGE((double)(onset - at) / 48, -0.75, 0.75);
    if (i == 0) printf("a click is heard %.2f ms after its flash is seen\n", (double)(onset - at) / 48);
  }
  both_close(&it);
}

int main(int argc, char **argv) {
  RUN(the_very_sample);
  RUN(a_flash_and_a_click);
  return check_finish();
}
