/* network.h: what both ends of a wire count of a stream fits together, and agrees with the streams' own figures. */
#include "wire.h"

static msdk_outbound_stats out_of(msdk_outgoing_video *stream) {
  msdk_outbound_stats it = MSDK_INIT(msdk_outbound_stats);
  CHECK_OK(msdk_outgoing_video_get_network_stats(stream, &it));
  return it;
}

static msdk_inbound_stats into(msdk_incoming_video *stream) {
  msdk_inbound_stats it = MSDK_INIT(msdk_inbound_stats);
  CHECK_OK(msdk_incoming_video_get_network_stats(stream, &it));
  return it;
}

static int has_emitted_all(msdk_incoming_video *stream) {
  msdk_inbound_stats it = into(stream);
  return it.jitter_buffer_emitted_count + it.frames_dropped == it.frames_received;
}

static void pictures(void) {
  wire *it = wire_open("127.0.0.1", "&rtcp-mux=1&feedback=1&rtx=97");
  show film = show_start(it->engine, &it->alice, &it->bob);
  CHECK(show_play(&film, 30));
  CHECK_OK(msdk_incoming_video_request_key_frame(film.incoming));
  CHECK(end_wait(&it->alice, MSDK_EVENT_KEY_FRAME_REQUESTED, 1));
  CHECK(show_play(&film, 15));
  PATIENTLY(out_of(film.stream).reported_at_ns != 0 && out_of(film.stream).round_trip_time_measurements > 0);
  check_outcomes_add_up(film.stream); /* none is still in the encoder */
  msdk_outbound_stats sent = out_of(film.stream);
  msdk_inbound_stats received = into(film.incoming);
  msdk_outgoing_video_stats made = outgoing_stats(film.stream);
  CHECK(sent.ssrc != 0);
  CHECK_EQ(sent.ssrc, received.ssrc);
  CHECK_EQ(sent.frames_sent, made.frames_encoded);
  CHECK_EQ(sent.key_frames_sent, made.key_frames_encoded);
  CHECK(sent.key_frames_sent >= 2 && received.key_frames_received >= 2);
  CHECK(received.frames_received >= 45 && received.frames_received <= sent.frames_sent);
  CHECK_EQ(received.frame_width, SHOW_WIDTH);
  CHECK_EQ(received.frame_height, SHOW_HEIGHT);
  CHECK(sent.packets_sent >= sent.frames_sent && received.packets_received + 2 >= received.frames_received);
  CHECK(sent.bytes_sent >= made.bytes_sent);
  CHECK(received.packets_received <= sent.packets_sent && received.bytes_received <= sent.bytes_sent);
  CHECK(received.bytes_received > made.bytes_sent / 2);
  CHECK(sent.header_bytes_sent >= 12 * sent.packets_sent);
  CHECK(sent.pli_count >= 1 && received.pli_count >= sent.pli_count);
  CHECK_EQ(sent.target_bitrate, made.target_bitrate);
  CHECK(sent.target_bitrate > 0 && sent.available_outgoing_bitrate > 0);
  CHECK(sent.reported_at_ns > 0 && sent.reported_at_ns <= msdk_engine_now(it->engine));
  CHECK(sent.round_trip_time_ns > 0 && sent.total_round_trip_time_ns >= sent.round_trip_time_ns);
  CHECK(sent.fraction_lost >= 0 && sent.fraction_lost <= 1);
  /* Where the machine was busy one may be held back still. */
  PATIENTLY(has_emitted_all(film.incoming));
  CHECK(has_emitted_all(film.incoming));
  CHECK_EQ(received.total_samples_received, 0);
  CHECK(received.last_packet_received_ns > 0 && received.last_packet_received_ns <= msdk_engine_now(it->engine));
  show_end(&film);
  wire_close(it);
}

static void sound(void) {
  wire *it = wire_open("127.0.0.1", "&rtcp-mux=1");
  singing *song = sing_start(it->engine, &it->alice, &it->bob, 440);
  CHECK(sing_on(it->engine, song, 1000));
  msdk_outbound_stats sent = MSDK_INIT(msdk_outbound_stats);
  msdk_inbound_stats received = MSDK_INIT(msdk_inbound_stats);
  CHECK_OK(msdk_outgoing_audio_get_network_stats(song->voice.stream, &sent));
  CHECK_OK(msdk_incoming_audio_get_network_stats(song->heard.stream, &received));
  msdk_outgoing_audio_stats made = MSDK_INIT(msdk_outgoing_audio_stats);
  CHECK_OK(msdk_outgoing_audio_get_stats(song->voice.stream, &made));
  CHECK_EQ(sent.ssrc, received.ssrc);
  CHECK(sent.packets_sent >= 40 && received.packets_received >= 40 && received.packets_received <= made.packets_sent);
  CHECK_EQ(sent.frames_sent, 0);
  CHECK_EQ(received.frames_received, 0);
  CHECK(sent.target_bitrate > 0);
  CHECK_EQ(sent.target_bitrate, made.bitrate);
  CHECK(received.total_samples_received >= 40 * 960 && received.concealed_samples <= received.total_samples_received);
  CHECK(received.jitter_buffer_emitted_count > 0);
  sing_end(song);
  wire_close(it);
}

/* MSDK_E_STATE with words where there is no network, no receiver, or no stream any more. */
static void where_there_is_none(void) {
  msdk_outbound_stats sent = MSDK_INIT(msdk_outbound_stats);
  msdk_inbound_stats received = MSDK_INIT(msdk_inbound_stats);
  wire *it = wire_open("127.0.0.1", "&rtcp-mux=1");
  show film = show_start(it->engine, &it->alice, &it->bob);
  CHECK(show_play(&film, 3));
  CHECK_OK(msdk_outgoing_video_get_network_stats(film.stream, &sent));
  CHECK_OK(msdk_session_stop_video(it->alice.session, film.stream));
  CHECK_EQ(msdk_outgoing_video_get_network_stats(film.stream, &sent), MSDK_E_STATE);
  CHECK(strstr(msdk_last_error(), "not started") != NULL);
  CHECK(end_wait(&it->bob, MSDK_EVENT_INCOMING_VIDEO_REMOVED, 1));
  CHECK_EQ(msdk_incoming_video_get_network_stats(film.incoming, &received), MSDK_E_STATE);
  msdk_incoming_audio *mix = NULL;
  CHECK_OK(msdk_session_get_mixed_audio(it->alice.session, &mix));
  CHECK_EQ(msdk_incoming_audio_get_network_stats(mix, &received), MSDK_E_STATE);
  CHECK(strstr(msdk_last_error(), "mix") != NULL);
  CHECK_EQ(msdk_outgoing_video_get_network_stats(film.stream, NULL), MSDK_E_STATE);
  show_end(&film);
  wire_close(it);

  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  end alice = end_new(engine, "loopback:nonetwork");
  NEED(end_connect(&alice));
  show alone = show_start(engine, &alice, &alice);
  CHECK_EQ(msdk_outgoing_video_get_network_stats(alone.stream, &sent), MSDK_E_STATE);
  CHECK(strstr(msdk_last_error(), "loopback") != NULL);
  show_end(&alone);
  msdk_engine_destroy(engine);
}

/* Structs of another size, as of another version of the library, and none at all. */
static void structs(void) {
  wire *it = wire_open("127.0.0.1", "&rtcp-mux=1");
  show film = show_start(it->engine, &it->alice, &it->bob);
  CHECK(show_play(&film, 3));
  CHECK_EQ(msdk_outgoing_video_get_network_stats(film.stream, NULL), MSDK_E_INVALID);
  CHECK_EQ(msdk_incoming_video_get_network_stats(film.incoming, NULL), MSDK_E_INVALID);
  msdk_inbound_stats small = {.struct_size = 2};
  CHECK(msdk_incoming_video_get_network_stats(film.incoming, &small) < 0);
  CHECK_EQ(small.packets_received, 0);
  small.struct_size = offsetof(msdk_inbound_stats, bytes_received);
  CHECK_OK(msdk_incoming_video_get_network_stats(film.incoming, &small));
  CHECK(small.packets_received > 0);
  CHECK_EQ(small.bytes_received, 0);
  show_end(&film);
  wire_close(it);
}

int main(int argc, char **argv) {
  RUN(pictures);
  RUN(sound);
  RUN(where_there_is_none);
  RUN(structs);
  return check_finish();
}
