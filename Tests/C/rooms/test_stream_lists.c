/* session.h: the streams of a session, listed; what each is, for who lost the events that said so. */
#include "sound.h"

/* A room in which alice has a camera and a voice, and dave lost all that was said of them. */
typedef struct late {
  msdk_engine *engine;
  msdk_session *alice, *dave;
  msdk_outgoing_video *camera;
  msdk_outgoing_audio *voice;
} late;

static late late_open(void) {
  late it = {.engine = engine_new(MSDK_CLOCK_VIRTUAL)};
  const char *url = room_new();
  it.alice = join(it.engine, url, "alice");
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "dave";
  options.event_capacity = 16;
  CHECK_OK(msdk_session_create(it.engine, &options, &it.dave));
  CHECK_OK(msdk_session_connect(it.dave));
  run_for(it.engine, MS);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  format.color_matrix = MSDK_MATRIX_BT709;
  msdk_outgoing_video_options video = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  CHECK_OK(msdk_outgoing_video_create(it.engine, &video, &it.camera));
  msdk_outgoing_audio_options sound = sound_options(16000, 1, MSDK_SAMPLE_S16, 20);
  CHECK_OK(msdk_outgoing_audio_create(it.engine, &sound, &it.voice));
  CHECK_OK(msdk_session_start_video(it.alice, it.camera));
  CHECK_OK(msdk_session_start_audio(it.alice, it.voice));
  run_for(it.engine, MS);
  for (int i = 0; i < 10; i++) {
    msdk_session_destroy(join(it.engine, url, "passing"));
    run_for(it.engine, MS);
  }
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(msdk_session_next_event(it.dave, 0, &event) == MSDK_OK && (event.flags & MSDK_EVENT_FLAG_LOST) != 0);
  do {
    CHECK(event.type == MSDK_EVENT_PARTICIPANT_JOINED || event.type == MSDK_EVENT_PARTICIPANT_LEFT);
  } while (msdk_session_next_event(it.dave, 0, &event) == MSDK_OK);
  return it;
}

static void late_close(late *it) {
  msdk_session_destroy(it->dave);
  msdk_session_destroy(it->alice);
  msdk_outgoing_video_destroy(it->camera);
  msdk_outgoing_audio_destroy(it->voice);
  msdk_engine_destroy(it->engine);
}

static void who_lost_the_events_finds_the_streams(void) {
  late it = late_open();
  msdk_incoming_video *video = NULL, *again = NULL;
  CHECK_OK(msdk_session_incoming_video_at(it.dave, 0, &video));
  CHECK_OK(msdk_session_incoming_video_at(it.dave, 0, &again));
  CHECK(video == again);
  CHECK_ERROR(msdk_session_incoming_video_at(it.dave, 1, &again), MSDK_E_NOT_FOUND, "index is 1; there are 1 incoming video streams");
  CHECK_RESULT(msdk_session_incoming_video_at(it.alice, 0, &again), MSDK_E_NOT_FOUND);
  CHECK_RESULT(msdk_session_incoming_video_at(it.dave, 0, NULL), MSDK_E_INVALID);
  msdk_incoming_video_info info = MSDK_INIT(msdk_incoming_video_info);
  CHECK_OK(msdk_incoming_video_get_info(video, &info));
  CHECK(strcmp(info.user_id, "alice") == 0);
  CHECK_EQ(info.state, MSDK_INCOMING_AVAILABLE);
  CHECK_EQ(info.kind, MSDK_VIDEO_VIRTUAL);
  CHECK_EQ(info.codec, MSDK_CODEC_VP8);
  CHECK_EQ(info.format.width, 320);
  CHECK_EQ(info.format.color_matrix, MSDK_MATRIX_BT709);
  CHECK_EQ(info.format.struct_size, sizeof info.format);
  CHECK_OK(msdk_incoming_video_start(video, NULL));
  CHECK_OK(msdk_incoming_video_get_info(video, &info));
  CHECK_EQ(info.state, MSDK_INCOMING_STARTED);

  msdk_incoming_audio *sound = NULL;
  CHECK_OK(msdk_session_incoming_audio_at(it.dave, 0, &sound));
  CHECK_RESULT(msdk_session_incoming_audio_at(it.dave, 1, &sound), MSDK_E_NOT_FOUND);
  msdk_incoming_audio_info heard = MSDK_INIT(msdk_incoming_audio_info);
  CHECK_OK(msdk_incoming_audio_get_info(sound, &heard));
  CHECK(strcmp(heard.user_id, "alice") == 0);
  CHECK_EQ(heard.kind, MSDK_AUDIO_MICROPHONE);
  CHECK_EQ(heard.format.sample_rate, 16000);
  CHECK_EQ(heard.is_muted, 0);
  CHECK_OK(msdk_outgoing_audio_set_muted(it.voice, 1));
  run_for(it.engine, MS);
  CHECK_OK(msdk_incoming_audio_get_info(sound, &heard));
  CHECK_EQ(heard.is_muted, 1);

  CHECK_OK(msdk_session_stop_video(it.alice, it.camera));
  run_for(it.engine, MS);
  CHECK_RESULT(msdk_session_incoming_video_at(it.dave, 0, &again), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_incoming_video_get_info(video, &info)); /* remembered for a while */
  CHECK_EQ(info.state, MSDK_INCOMING_NOT_AVAILABLE);
  late_close(&it);
}

static void ones_own_streams_are_listed(void) {
  late it = late_open();
  msdk_outgoing_video *video = NULL;
  CHECK_OK(msdk_session_outgoing_video_at(it.alice, 0, &video));
  CHECK(video == it.camera);
  CHECK_RESULT(msdk_session_outgoing_video_at(it.alice, 1, &video), MSDK_E_NOT_FOUND);
  msdk_outgoing_video_info info = MSDK_INIT(msdk_outgoing_video_info);
  CHECK_OK(msdk_outgoing_video_get_info(it.camera, &info));
  CHECK_EQ(info.state, MSDK_OUTGOING_STARTED);
  CHECK_EQ(info.kind, MSDK_VIDEO_VIRTUAL);
  CHECK_EQ(info.limits, MSDK_LIMITS_EXTENDED);
  CHECK_EQ(info.codec, MSDK_CODEC_VP8);
  CHECK_EQ(info.encoded_input, 0);
  CHECK_EQ(info.format.height, 240);
  CHECK_OK(msdk_session_stop_video(it.alice, it.camera));
  CHECK_OK(msdk_outgoing_video_get_info(it.camera, &info));
  CHECK_EQ(info.state, MSDK_OUTGOING_STOPPED);
  CHECK_EQ(info.format.struct_size, 0); /* no sender */
  CHECK_RESULT(msdk_session_outgoing_video_at(it.alice, 0, &video), MSDK_E_NOT_FOUND);

  msdk_outgoing_audio *sound = NULL;
  CHECK_OK(msdk_session_outgoing_audio_at(it.alice, 0, &sound));
  CHECK(sound == it.voice);
  msdk_outgoing_audio_info voice = MSDK_INIT(msdk_outgoing_audio_info);
  CHECK_OK(msdk_outgoing_audio_get_info(it.voice, &voice));
  CHECK_EQ(voice.state, MSDK_OUTGOING_STARTED);
  CHECK_EQ(voice.format.sample_rate, 16000);
  CHECK_EQ(voice.is_muted, 0);
  CHECK_OK(msdk_session_disconnect(it.alice)); /* it stays attached */
  run_for(it.engine, MS);
  CHECK_RESULT(msdk_session_participant_at(it.alice, 0, &(msdk_participant){.struct_size = sizeof(msdk_participant)}), MSDK_E_NOT_FOUND);
  late_close(&it);
}

static void the_mix_says_what_it_is(void) {
  late it = late_open();
  msdk_incoming_audio *mix = NULL;
  CHECK_OK(msdk_session_get_mixed_audio(it.dave, &mix));
  msdk_incoming_audio_info info = MSDK_INIT(msdk_incoming_audio_info);
  CHECK_OK(msdk_incoming_audio_get_info(mix, &info));
  CHECK(strcmp(info.user_id, "") == 0);
  CHECK_EQ(info.kind, 0);
  CHECK_EQ(info.format.sample_rate, 48000);
  CHECK_EQ(info.format.channels, 2);
  late_close(&it);
}

int main(int argc, char **argv) {
  RUN(who_lost_the_events_finds_the_streams);
  RUN(ones_own_streams_are_listed);
  RUN(the_mix_says_what_it_is);
  return check_finish();
}
