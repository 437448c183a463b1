/* MediaSDK's mix of 50 participants: 51 sessions in a room on a virtual clock, on one thread. Fifty send, the last one reads the mix. Timed
 * apart: the 50 sends of a turn, and the 20 ms of the clock with the read of the mix.
 *
 *   mix_msdk BUFFERS RATE     of the senders; the mix is of 48,000 Hz */
#include "crowd.h"
#include "measure.h"
#include "sound.h"

#include <stdio.h>

static msdk_engine *engine;
static msdk_session *sessions[CROWD + 1];
static msdk_outgoing_audio *streams[CROWD];

static msdk_incoming_audio *room_open(uint64_t rate) {
  engine = sound_engine(MSDK_CLOCK_VIRTUAL);
  msdk_outgoing_audio_options options = sound_options(2);
  options.sample_rate = (uint32_t)rate;
  for (int who = 0; who < CROWD; who++) {
    char name[16];
    snprintf(name, sizeof name, "user-%d", who);
    sessions[who] = sound_join(engine, name);
    streams[who] = sound_start(engine, sessions[who], &options);
  }
  sessions[CROWD] = sound_join(engine, "listener");
  msdk_incoming_audio *mix = NULL;
  must(msdk_session_get_mixed_audio(sessions[CROWD], &mix), "msdk_session_get_mixed_audio");
  must(msdk_incoming_audio_start(mix, NULL), "msdk_incoming_audio_start");
  return mix;
}

static void room_close(void) {
  for (int who = 0; who < CROWD; who++) msdk_outgoing_audio_destroy(streams[who]);
  for (int who = 0; who <= CROWD; who++) msdk_session_destroy(sessions[who]);
  msdk_engine_destroy(engine);
}

static void completed(void *unused, const msdk_frame_report *buffer) {
  (void)unused;
  if (buffer->outcome != MSDK_OUTCOME_SENT) die("a buffer was not sent: outcome %u, reason %u", buffer->outcome, buffer->reason);
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: mix_msdk BUFFERS RATE");
  uint64_t count = count_from(argv[1]);
  struct crowd crowd;
  crowd_open(&crowd, count_from(argv[2]));
  msdk_incoming_audio *mix = room_open(crowd.rate);
  int64_t read = 0, begin = 0;
  double sending = 0, mixing = 0;
  for (uint64_t turn = 0; turn < count + CROWD_WARM_UP; turn++) {
    if (turn == CROWD_WARM_UP) {
      sending = mixing = 0;
      read = 0;
      begin = now_ns();
    }
    double start = cpu_seconds();
    for (int who = 0; who < CROWD; who++) {
      must(msdk_outgoing_audio_send(streams[who], crowd.buffers[who], crowd.bytes, 0, 0, completed, NULL), "msdk_outgoing_audio_send");
    }
    double sent = cpu_seconds();
    must(msdk_engine_advance_clock(engine, CROWD_MS * 1000000), "msdk_engine_advance_clock");
    for (msdk_audio_frame *frame; msdk_incoming_audio_read(mix, 0, &frame) >= 0; read++) {
      if (turn == count + CROWD_WARM_UP - 1) crowd_check(&crowd, (const float *)(const void *)frame->planes[0]);
      msdk_audio_frame_unref(frame);
    }
    sending += sent - start;
    mixing += cpu_seconds() - sent;
  }
  crowd_report((int64_t)count, sending, mixing, now_ns() - begin);
  msdk_incoming_audio_stats stats = MSDK_INIT(msdk_incoming_audio_stats);
  must(msdk_incoming_audio_get_stats(mix, &stats), "msdk_incoming_audio_get_stats");
  if (stats.sources != CROWD) die("%u of %d participants are in the mix", stats.sources, CROWD);
  if (read != (int64_t)count) die("%lld of %llu buffers came", (long long)read, (unsigned long long)count);
  if (stats.underruns != 0 || stats.late_samples != 0) die("the mix had gaps");
  room_close();
  crowd_close(&crowd);
  return 0;
}
