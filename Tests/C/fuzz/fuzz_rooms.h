/* Sessions, networks, doors and moderators for fuzz_calls.c. */
#ifndef FUZZ_ROOMS_H
#define FUZZ_ROOMS_H

#include "fuzz_values.h"

static void make_session(void) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = text();
  options.user_id = text();
  options.display_name = text();
  options.access_token = text();
  if (goes_wrong(6)) options.event_capacity = number();
  options.struct_size = struct_size(sizeof options);
  msdk_session *made = NULL;
  if (!goes_wrong(2)) {
    static char user[16];
    snprintf(user, sizeof user, "user-%u", below(200));
    options = (msdk_session_options){.struct_size = sizeof options, .url = "loopback:fuzz", .user_id = user,
                                    .encrypt_frames = below(6) == 0, .encrypt_data = below(6) == 0};
  }
  if (msdk_session_create(some_engine(), below(20) == 0 ? NULL : &options, &made) >= 0) {
    keep(SESSION, made);
    if (below(8) != 0) msdk_session_connect(made);
  }
}

static void script(void) {
  msdk_network_step steps[4];
  for (int i = 0; i < 4; i++) {
    steps[i] = network_step(i * SECOND, below(2) == 0 ? 0 : number());
    if (below(10) == 0) steps[i].at_ns = wide();
    steps[i].flags = below(12) == 0 ? 1 : 0;
    steps[i].delay_ns = below(8) == 0 ? wide() : below(50) * MS;
    steps[i].jitter_ns = below(8) == 0 ? wide() : below(50) * MS;
    steps[i].loss_ppm = below(8) == 0 ? number() : below(100000);
    steps[i].queue_ns = below(8) == 0 ? wide() : below(500) * MS;
  }
  msdk_network_script it = MSDK_INIT(msdk_network_script);
  it.step_count = below(3) == 0 ? below(5) : 0; /* mostly a good network */
  it.steps = below(10) == 0 ? NULL : steps;
  it.seed = random_next(&seed);
  it.user_id = text();
  it.struct_size = struct_size(sizeof it);
  msdk_room_script_network(some_engine(), below(2) == 0 ? "loopback:fuzz" : text(), &it);
}

static msdk_result decide(void *user, const msdk_access_request *request, msdk_access_grant *grant) {
  (void)user, (void)request;
  if (below(12) == 0) msdk_session_destroy(handle(SESSION));
  if (below(4) == 0) grant->permissions = number();
  if (below(4) == 0) grant->lifetime_ns = (int64_t)number() << below(32);
  if (below(4) == 0) grant->reason = text();
  return below(4) == 0 ? (msdk_result)number() : MSDK_OK;
}

static msdk_engine *real; /* of the system clock */

/* Rooms over the network, mostly at this machine; those that are served nobody joins. */
static void served_rooms(void) {
  if (real == NULL) real = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_engine *whose = goes_wrong(3) ? some_engine() : real;
  msdk_serve_options options = MSDK_INIT(msdk_serve_options);
  msdk_serve_info info = MSDK_INIT(msdk_serve_info);
  options.addresses = goes_wrong(3) ? text() : "127.0.0.1";
  options.port = goes_wrong(6) ? number() : MSDK_PORT_ANY;
  if (goes_wrong(6)) options.certificate = text();
  if (goes_wrong(6)) options.key = text();
  if (goes_wrong(6)) options.most_members = number();
  if (goes_wrong(6)) options.media_port = number();
  if (goes_wrong(6)) options.public_addresses = text();
  if (goes_wrong(6)) options.api_key = text();
  if (goes_wrong(6)) options.api_secret = text();
  options.struct_size = struct_size(sizeof options);
  info.struct_size = struct_size(sizeof info);
  const char *url = below(4) == 0 ? text() : "loopback:fuzz";
  if (below(3) == 0) msdk_room_serve(whose, url, &options, below(2) == 0 ? NULL : &info);
  msdk_room_get_serve_info(whose, url, &info);
  if (below(4) == 0) msdk_room_stop_serving(whose, url);
}

/* Doors, and moderators. Mostly open ones, as a call needs people. */
static void doors(void) {
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.capacity = goes_wrong(8) ? number() : below(4) == 0 ? 1 + below(8) : 0;
  options.duplicates = goes_wrong(8) ? number() : below(2);
  options.permissions = goes_wrong(8) ? number() : 31;
  options.pulled = goes_wrong(8) ? number() : below(8) == 0;
  if (below(4) == 0) options.verify = decide;
  options.struct_size = struct_size(sizeof options);
  const char *url = below(8) == 0 ? text() : "loopback:fuzz";
  if (below(8) == 0) msdk_room_configure(some_engine(), url, below(2) == 0 ? NULL : &options);
  msdk_access_request request = MSDK_INIT(msdk_access_request);
  request.struct_size = struct_size(sizeof request);
  msdk_room_next_request(some_engine(), url, 0, &request);
  msdk_access_grant grant = {.struct_size = struct_size(sizeof grant), .permissions = below(40), .lifetime_ns = below(2) * INT64_C(1000000000)};
  if (below(4) == 0) grant.reason = text();
  msdk_room_answer(some_engine(), url, below(2) == 0 ? request.id : number(), below(3) == 0 ? (msdk_result)number() : MSDK_OK,
                   below(4) == 0 ? NULL : &grant);
  msdk_key_value pairs[2] = {{"a", "1"}, {text(), text()}};
  msdk_access_token_options token = MSDK_INIT(msdk_access_token_options);
  token.grants = goes_wrong(8) ? number() : below(128);
  token.sources = goes_wrong(8) ? number() : 0;
  token.lifetime_s = goes_wrong(8) ? number() : below(100);
  token.api_key = goes_wrong(8) ? text() : "key", token.api_secret = goes_wrong(8) ? text() : "a secret of thirty-two characters";
  token.room = text(), token.user_id = text(), token.display_name = text(), token.metadata = text();
  token.attributes = pairs, token.attribute_count = goes_wrong(16) ? 33 + below(1000) : below(3);
  token.struct_size = struct_size(sizeof token);
  char made[1024];
  msdk_access_token_create(&token, made, below(sizeof made + 1), NULL);
  char user[16];
  snprintf(user, sizeof user, "user-%u", below(200));
  msdk_session *someone = handle(SESSION);
  char key[3] = {(char)('a' + below(6)), (char)('a' + below(6)), 0}, value[64];
  msdk_attribute attribute = {.struct_size = struct_size(sizeof attribute)};
  msdk_session_set_attribute(someone, below(8) == 0 ? text() : key, below(3) == 0 ? NULL : text());
  msdk_session_get_participant_attribute(someone, below(8) == 0 ? text() : user, key, value, below(sizeof value + 1), NULL);
  msdk_session_participant_attribute_at(someone, user, below(40), &attribute);
  msdk_data_options data = {.struct_size = struct_size(sizeof data), .flags = goes_wrong(8) ? number() : below(2)};
  const char *recipients[2] = {below(8) == 0 ? text() : user, text()};
  data.topic = below(2) == 0 ? NULL : text();
  data.recipients = below(2) == 0 ? NULL : recipients;
  data.recipient_count = goes_wrong(16) ? below(3) : data.recipients == NULL ? 0 : 1 + below(2);
  uint8_t bytes[64] = {0};
  msdk_session_send_data(someone, below(3) == 0 ? NULL : &data, bytes, below(sizeof bytes + 1));
  msdk_data_message message = {.struct_size = struct_size(sizeof message)};
  msdk_session_read_data(handle(SESSION), &message, bytes, below(sizeof bytes + 1));
  msdk_rpc_message call = {.struct_size = struct_size(sizeof call)};
  if (below(4) == 0) msdk_session_rpc_register(someone, below(8) == 0 ? text() : key);
  if (below(8) == 0) msdk_session_rpc_unregister(someone, below(8) == 0 ? text() : key);
  msdk_session_rpc_call(someone, below(8) == 0 ? text() : user, below(8) == 0 ? text() : key, below(3) == 0 ? NULL : text(), below(3) == 0 ? number() : 0,
                        below(8) == 0 ? NULL : &call.call);
  msdk_session_rpc_read(handle(SESSION), &call, (char *)bytes, below(sizeof bytes + 1));
  if (below(2) == 0) msdk_session_rpc_respond(handle(SESSION), call.call, below(3) == 0 ? NULL : text());
  if (below(2) == 0) msdk_session_rpc_fail(handle(SESSION), call.call, number(), below(3) == 0 ? NULL : text(), below(3) == 0 ? NULL : text());
  msdk_data_stream_options stream = {.struct_size = struct_size(sizeof stream), .type = goes_wrong(8) ? number() : 0xB00 + below(2)};
  stream.topic = data.topic;
  stream.name = below(4) == 0 ? text() : NULL;
  stream.mime_type = below(4) == 0 ? text() : NULL;
  stream.total_size = below(2) == 0 ? number() : 0;
  stream.recipients = data.recipients;
  stream.recipient_count = data.recipient_count;
  msdk_key_value entries[2] = {{key, text()}, {text(), text()}};
  stream.attributes = below(2) == 0 ? NULL : entries;
  stream.attribute_count = goes_wrong(16) ? below(3) : stream.attributes != NULL;
  stream.id = below(4) == 0 ? text() : NULL;
  stream.reply_to = below(2) == 0 ? text() : NULL;
  const char *attachments[2] = {text(), text()};
  stream.attachments = below(2) == 0 ? NULL : attachments;
  stream.attachment_count = goes_wrong(16) ? below(3) : stream.attachments != NULL;
  static uint64_t opened;
  msdk_data_stream_attachment attachment = {.struct_size = struct_size(sizeof attachment)};
  msdk_data_stream_part part = {.struct_size = struct_size(sizeof part)};
  if (below(8) == 0) msdk_session_data_stream_accept(handle(SESSION), below(2) == 0 ? NULL : text());
  msdk_session_data_stream_open(someone, below(8) == 0 ? NULL : &stream, below(8) == 0 ? NULL : &opened);
  msdk_session_data_stream_write(someone, below(4) == 0 ? number() : opened, bytes, below(sizeof bytes + 1));
  if (below(2) == 0) msdk_session_data_stream_close(someone, opened, below(2) == 0 ? NULL : text());
  msdk_session_data_stream_read(handle(SESSION), &part, bytes, below(sizeof bytes + 1));
  msdk_session_data_stream_attribute_at(handle(SESSION), part.stream, below(3), &attribute);
  msdk_session_data_stream_attachment_at(handle(SESSION), part.stream, below(3), &attachment);
  if (below(16) == 0) msdk_session_set_frame_key(someone, below(2) == 0 ? NULL : user, wild ? number() : below(16), bytes, below(sizeof bytes + 1));
  msdk_session_select_frame_key(someone, wild ? number() : below(16));
  if (below(16) == 0) msdk_session_ratchet_frame_key(someone, below(2) == 0 ? NULL : user, below(16));
  msdk_session_set_access_token(handle(SESSION), below(4) == 0 ? NULL : text());
  if (below(4) == 0) msdk_session_remove_participant(handle(SESSION), below(8) == 0 ? text() : user, text());
  msdk_session_mute_participant(handle(SESSION), below(8) == 0 ? text() : user, wild ? number() : below(2));
}

#endif
