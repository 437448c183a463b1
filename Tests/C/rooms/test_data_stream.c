/* data_stream.h: texts and files between the members of a loopback room, on the virtual clock. */
#include "access.h"
#include "waiting.h"

enum { MOST_OPEN = 256, MOST_TOPICS = 256, CHUNK = MSDK_DATA_STREAM_CHUNK_MAX };

static msdk_data_stream_part taken;
static uint8_t buffer[CHUNK + 1], large[CHUNK + 1];

typedef struct pair {
  msdk_engine *engine;
  const char *url;
  msdk_session *alice, *bob;
} pair;

static pair pair_join(void) {
  pair it = {.engine = engine_new(MSDK_CLOCK_VIRTUAL), .url = room_new()};
  it.alice = join(it.engine, it.url, "alice");
  it.bob = join(it.engine, it.url, "bob");
  CHECK_OK(msdk_session_data_stream_accept(it.bob, NULL));
  run_for(it.engine, MS);
  return it;
}

static msdk_data_stream_options options_of(uint32_t type, const char *topic) {
  msdk_data_stream_options options = MSDK_INIT(msdk_data_stream_options);
  options.type = type;
  options.topic = topic;
  return options;
}

static uint64_t open_at(const pair *it, uint32_t type, const char *topic) {
  msdk_data_stream_options options = options_of(type, topic);
  uint64_t stream = 0;
  CHECK_OK(msdk_session_data_stream_open(it->alice, &options, &stream));
  return stream;
}

static msdk_result write_text(msdk_session *session, uint64_t stream, const char *text) {
  return msdk_session_data_stream_write(session, stream, (const uint8_t *)text, strlen(text));
}

static msdk_result take(msdk_session *session) {
  taken = MSDK_INIT(msdk_data_stream_part);
  memset(buffer, 0xA5, sizeof buffer);
  return msdk_session_data_stream_read(session, &taken, buffer, sizeof buffer);
}

static int has_come(msdk_session *session, uint32_t part, const char *chunk) {
  return CHECK_OK(take(session)) && CHECK_EQ(taken.part, part) & CHECK_EQ(taken.size, strlen(chunk)) &
                                        CHECK(memcmp(buffer, chunk, strlen(chunk)) == 0) & CHECK(buffer[taken.size] == 0xA5);
}

static int events_of(msdk_session *session, uint32_t type) {
  msdk_event event = MSDK_INIT(msdk_event);
  int count = 0;
  while (msdk_session_next_event(session, 0, &event) >= 0) count += event.type == type;
  return count;
}

static void a_text_arrives_as_it_was_written(void) {
  pair it = pair_join();
  events_of(it.bob, 0);
  const msdk_key_value attributes[] = {{"lk.segment", "7"}, {"final", ""}};
  msdk_data_stream_options options = options_of(MSDK_DATA_STREAM_TEXT, "lk.chat");
  options.attributes = attributes;
  options.attribute_count = 2;
  uint64_t stream = 0;
  CHECK_OK(msdk_session_data_stream_open(it.alice, &options, &stream));
  CHECK_OK(write_text(it.alice, stream, "gr\xc3\xbc\xc3\x9f"));
  CHECK_OK(write_text(it.alice, stream, " dich"));
  CHECK_EQ(msdk_session_data_stream_write(it.alice, stream, (const uint8_t *)"\xc3", 1), MSDK_E_INVALID); /* half a character */
  CHECK_OK(msdk_session_data_stream_close(it.alice, stream, NULL));
  CHECK_EQ(msdk_session_data_stream_close(it.alice, stream, NULL), MSDK_E_NOT_FOUND);
  CHECK_EQ(write_text(it.alice, stream, "more"), MSDK_E_NOT_FOUND);
  run_for(it.engine, MS);
  CHECK_EQ(events_of(it.bob, MSDK_EVENT_DATA_STREAM_AVAILABLE), 1);
  CHECK(has_come(it.bob, MSDK_DATA_PART_BEGAN, ""));
  CHECK(taken.type == MSDK_DATA_STREAM_TEXT && strcmp(taken.user_id, "alice") == 0 && strcmp(taken.topic, "lk.chat") == 0);
  CHECK(strcmp(taken.mime_type, "text/plain") == 0 && taken.name[0] == 0 && taken.text[0] == 0 && taken.began_ms > 0);
  CHECK(taken.total_size == 0 && taken.missed == 0 && taken.attribute_count == 2);
  msdk_attribute one = MSDK_INIT(msdk_attribute);
  CHECK_OK(msdk_session_data_stream_attribute_at(it.bob, taken.stream, 0, &one));
  CHECK(strcmp(one.key, "final") == 0 && one.value[0] == 0);
  CHECK_OK(msdk_session_data_stream_attribute_at(it.bob, taken.stream, 1, &one));
  CHECK(strcmp(one.key, "lk.segment") == 0 && strcmp(one.value, "7") == 0);
  CHECK_EQ(msdk_session_data_stream_attribute_at(it.bob, taken.stream, 2, &one), MSDK_E_NOT_FOUND);
  CHECK_EQ(msdk_session_data_stream_attribute_at(it.bob, taken.stream + 1, 0, &one), MSDK_E_NOT_FOUND);
  CHECK(has_come(it.bob, MSDK_DATA_PART_CHUNK, "gr\xc3\xbc\xc3\x9f") && has_come(it.bob, MSDK_DATA_PART_CHUNK, " dich"));
  CHECK(has_come(it.bob, MSDK_DATA_PART_ENDED, "") && taken.attribute_count == 2 && strcmp(taken.topic, "lk.chat") == 0);
  CHECK_EQ(take(it.bob), MSDK_E_AGAIN);
  CHECK_EQ(take(it.alice), MSDK_E_AGAIN); /* who sends it does not get it */
  msdk_engine_destroy(it.engine);
}

static void a_text_names_what_it_responds_to_and_its_files(void) {
  pair it = pair_join();
  const char *files[] = {"file 1", "file 2"};
  msdk_data_stream_options options = options_of(MSDK_DATA_STREAM_TEXT, "lk.chat");
  options.id = "second";
  options.reply_to = "first";
  options.attachments = files;
  options.attachment_count = 2;
  uint64_t text = 0, file = 0;
  CHECK_OK(msdk_session_data_stream_open(it.alice, &options, &text));
  CHECK_EQ(msdk_session_data_stream_open(it.alice, &options, &file), MSDK_E_EXISTS);
  CHECK_STR_CONTAINS(msdk_last_error(), "\"second\"");
  options = options_of(MSDK_DATA_STREAM_BYTES, NULL);
  options.id = files[0];
  CHECK_OK(msdk_session_data_stream_open(it.alice, &options, &file));
  CHECK_OK(msdk_session_data_stream_close(it.alice, file, NULL));
  CHECK_OK(msdk_session_data_stream_close(it.alice, text, NULL));
  run_for(it.engine, MS);
  CHECK(has_come(it.bob, MSDK_DATA_PART_BEGAN, "") && strcmp(taken.id, "second") == 0 && strcmp(taken.reply_to, "first") == 0);
  CHECK_EQ(taken.attachment_count, 2);
  uint64_t came = taken.stream;
  msdk_data_stream_attachment one = MSDK_INIT(msdk_data_stream_attachment);
  for (uint32_t i = 0; i < 2; i++) {
    CHECK_OK(msdk_session_data_stream_attachment_at(it.bob, came, i, &one));
    CHECK(strcmp(one.id, files[i]) == 0);
  }
  CHECK_EQ(msdk_session_data_stream_attachment_at(it.bob, came, 2, &one), MSDK_E_NOT_FOUND);
  CHECK_EQ(msdk_session_data_stream_attachment_at(it.bob, came + 9, 0, &one), MSDK_E_NOT_FOUND);
  CHECK(has_come(it.bob, MSDK_DATA_PART_BEGAN, "") && strcmp(taken.id, "file 1") == 0 && taken.reply_to[0] == 0);
  CHECK(taken.attachment_count == 0 && taken.type == MSDK_DATA_STREAM_BYTES);
  msdk_engine_destroy(it.engine);
}

static void what_names_nothing_is_refused(void) {
  pair it = pair_join();
  static const char *many[MSDK_DATA_STREAM_ATTACHMENTS_MAX + 1];
  for (uint32_t i = 0; i <= MSDK_DATA_STREAM_ATTACHMENTS_MAX; i++) many[i] = "a file";
  char longest[MSDK_DATA_STREAM_ID_MAX + 2] = "";
  memset(longest, 'x', MSDK_DATA_STREAM_ID_MAX + 1);
  const struct {
    uint32_t type;
    const char *id, *reply_to, *const *attachments;
    uint32_t count;
    msdk_result result;
    const char *text;
  } wrong[] = {
    {MSDK_DATA_STREAM_TEXT, "", NULL, NULL, 0, MSDK_E_INVALID, "id has 0 bytes; accepted: 1..128"},
    {MSDK_DATA_STREAM_TEXT, longest, NULL, NULL, 0, MSDK_E_INVALID, "options.id"},
    {MSDK_DATA_STREAM_TEXT, NULL, longest, NULL, 0, MSDK_E_INVALID, "options.reply_to"},
    {MSDK_DATA_STREAM_TEXT, NULL, NULL, NULL, 1, MSDK_E_INVALID, "options.attachments"},
    {MSDK_DATA_STREAM_TEXT, NULL, NULL, many, MSDK_DATA_STREAM_ATTACHMENTS_MAX + 1, MSDK_E_RANGE, "options.attachment_count is 33"},
    {MSDK_DATA_STREAM_TEXT, NULL, NULL, &(const char *){""}, 1, MSDK_E_INVALID, "an attachment has 0 bytes"},
    {MSDK_DATA_STREAM_TEXT, NULL, NULL, &(const char *){NULL}, 1, MSDK_E_INVALID, "options.attachments[0]"},
    {MSDK_DATA_STREAM_BYTES, NULL, "first", NULL, 0, MSDK_E_INVALID, "accepted: those of a text"},
    {MSDK_DATA_STREAM_BYTES, NULL, NULL, many, 1, MSDK_E_INVALID, "accepted: those of a text"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    msdk_data_stream_options options = options_of(wrong[i].type, NULL);
    options.id = wrong[i].id;
    options.reply_to = wrong[i].reply_to;
    options.attachments = wrong[i].attachments;
    options.attachment_count = wrong[i].count;
    uint64_t stream = 0;
    CHECK_EQ(msdk_session_data_stream_open(it.alice, &options, &stream), wrong[i].result);
    CHECK_STR_CONTAINS(msdk_last_error(), wrong[i].text);
  }
  longest[MSDK_DATA_STREAM_ID_MAX] = 0;
  msdk_data_stream_options options = options_of(MSDK_DATA_STREAM_TEXT, NULL);
  options.id = options.reply_to = longest;
  options.attachments = many;
  options.attachment_count = MSDK_DATA_STREAM_ATTACHMENTS_MAX;
  uint64_t stream = 0;
  CHECK_OK(msdk_session_data_stream_open(it.alice, &options, &stream));
  run_for(it.engine, MS);
  CHECK(has_come(it.bob, MSDK_DATA_PART_BEGAN, "") && strcmp(taken.id, longest) == 0 && strcmp(taken.reply_to, longest) == 0);
  CHECK_EQ(taken.attachment_count, MSDK_DATA_STREAM_ATTACHMENTS_MAX);
  msdk_engine_destroy(it.engine);
}

static void a_file_is_sent_when_there_is_room(void) {
  enum { SIZE = 5000000 };
  pair it = pair_join();
  msdk_data_stream_options options = options_of(MSDK_DATA_STREAM_BYTES, NULL);
  options.name = "clip.ivf";
  options.mime_type = "video/x-ivf";
  options.total_size = SIZE;
  uint64_t stream = 0, sent = 0, received = 0;
  int refused = 0;
  CHECK_OK(msdk_session_data_stream_open(it.alice, &options, &stream));
  for (uint32_t i = 0; i < CHUNK; i++) large[i] = (uint8_t)(i * 7);
  while (received < SIZE) {
    while (sent < SIZE) {
      uint64_t size = SIZE - sent < CHUNK ? SIZE - sent : CHUNK;
      msdk_result result = msdk_session_data_stream_write(it.alice, stream, large, size);
      if (result == MSDK_E_AGAIN) break;
      if (!CHECK_OK(result)) return;
      sent += size;
    }
    refused += sent < SIZE;
    run_for(it.engine, MS);
    while (take(it.bob) >= 0) {
      if (taken.part == MSDK_DATA_PART_CHUNK) CHECK(memcmp(buffer, large, taken.size) == 0);
      received += taken.size;
    }
  }
  CHECK(refused > 0 && events_of(it.alice, MSDK_EVENT_DATA_WRITABLE) == refused);
  CHECK_EQ(msdk_session_data_stream_write(it.alice, stream, large, 1), MSDK_E_RANGE); /* longer than it began with */
  CHECK_OK(msdk_session_data_stream_close(it.alice, stream, NULL));
  run_for(it.engine, MS);
  CHECK(has_come(it.bob, MSDK_DATA_PART_ENDED, "") && taken.type == MSDK_DATA_STREAM_BYTES && taken.total_size == SIZE);
  CHECK(strcmp(taken.name, "clip.ivf") == 0 && strcmp(taken.mime_type, "video/x-ivf") == 0);
  msdk_engine_destroy(it.engine);
}

static void a_stream_that_is_not_complete_says_why(void) {
  pair it = pair_join();
  msdk_data_stream_options options = options_of(MSDK_DATA_STREAM_TEXT, "x");
  options.total_size = 2;
  uint64_t stream = 0;
  CHECK_OK(msdk_session_data_stream_open(it.alice, &options, &stream));
  CHECK_OK(write_text(it.alice, stream, "a"));
  CHECK_EQ(msdk_session_data_stream_close(it.alice, stream, ""), MSDK_E_STATE);
  CHECK_OK(msdk_session_data_stream_close(it.alice, stream, "out of ideas"));
  uint64_t second = open_at(&it, MSDK_DATA_STREAM_TEXT, "y");
  run_for(it.engine, MS);
  CHECK(has_come(it.bob, MSDK_DATA_PART_BEGAN, "") && has_come(it.bob, MSDK_DATA_PART_CHUNK, "a"));
  CHECK(has_come(it.bob, MSDK_DATA_PART_ABORTED, "") && strcmp(taken.text, "out of ideas") == 0);
  CHECK(has_come(it.bob, MSDK_DATA_PART_BEGAN, ""));
  CHECK_OK(msdk_session_disconnect(it.alice));
  run_for(it.engine, MS);
  CHECK(has_come(it.bob, MSDK_DATA_PART_ABORTED, "") && strcmp(taken.text, "the participant has left the room") == 0);
  CHECK_EQ(write_text(it.alice, second, "b"), MSDK_E_NOT_FOUND);
  msdk_engine_destroy(it.engine);
}

static void it_is_for_some(void) {
  pair it = pair_join();
  msdk_session *carol = join(it.engine, it.url, "carol");
  CHECK_OK(msdk_session_data_stream_accept(carol, "mine"));
  run_for(it.engine, MS);
  const char *names[] = {"carol", "nobody"};
  msdk_data_stream_options options = options_of(MSDK_DATA_STREAM_TEXT, "mine");
  options.recipients = names;
  options.recipient_count = 2;
  uint64_t stream = 0;
  CHECK_EQ(msdk_session_data_stream_open(it.alice, &options, &stream), MSDK_E_NOT_FOUND);
  options.recipient_count = 1;
  CHECK_OK(msdk_session_data_stream_open(it.alice, &options, &stream));
  open_at(&it, MSDK_DATA_STREAM_TEXT, "another");
  run_for(it.engine, MS);
  CHECK(has_come(carol, MSDK_DATA_PART_BEGAN, "") && take(carol) == MSDK_E_AGAIN); /* who accepts that topic alone */
  CHECK(has_come(it.bob, MSDK_DATA_PART_BEGAN, "") && strcmp(taken.topic, "another") == 0 && take(it.bob) == MSDK_E_AGAIN);
  msdk_session_destroy(carol);
  run_for(it.engine, MS);
  CHECK_EQ(write_text(it.alice, stream, "are you there"), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_session_data_stream_close(it.alice, stream, NULL), MSDK_E_NOT_FOUND, "recipient");
  CHECK_ERROR(msdk_session_data_stream_close(it.alice, stream, NULL), MSDK_E_NOT_FOUND, "closed");
  msdk_engine_destroy(it.engine);
}

static void what_is_wrong_is_said(void) {
  pair it = pair_join();
  uint64_t stream = 0;
  char name[300];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  const msdk_key_value twice[] = {{"k", "1"}, {"k", "2"}};
  const struct {
    msdk_data_stream_options options;
    msdk_result expected;
    const char *word;
  } cases[] = {
    {{.type = 7}, MSDK_E_UNSUPPORTED, "options.type"},
    {{.type = MSDK_DATA_STREAM_TEXT, .name = "x"}, MSDK_E_INVALID, "name"},
    {{.type = MSDK_DATA_STREAM_BYTES, .name = name}, MSDK_E_INVALID, "options.name"},
    {{.type = MSDK_DATA_STREAM_BYTES, .topic = name}, MSDK_E_INVALID, "options.topic"},
    {{.type = MSDK_DATA_STREAM_BYTES, .mime_type = name}, MSDK_E_INVALID, "options.mime_type"},
    {{.type = MSDK_DATA_STREAM_TEXT, .attributes = twice, .attribute_count = 2}, MSDK_E_INVALID, "attributes[1]"},
    {{.type = MSDK_DATA_STREAM_TEXT, .attribute_count = 1}, MSDK_E_INVALID, "options.attributes"},
    {{.type = MSDK_DATA_STREAM_TEXT, .attribute_count = 33}, MSDK_E_RANGE, "attribute_count"},
    {{.type = MSDK_DATA_STREAM_TEXT, .recipient_count = 1}, MSDK_E_INVALID, "recipient"},
  };
  for (uint32_t i = 0; i < MSDK_COUNT(cases); i++) {
    msdk_data_stream_options options = cases[i].options;
    options.struct_size = sizeof options;
    CHECK_ERROR(msdk_session_data_stream_open(it.alice, &options, &stream), cases[i].expected, cases[i].word);
  }
  msdk_data_stream_options options = options_of(MSDK_DATA_STREAM_TEXT, NULL);
  CHECK_EQ(msdk_session_data_stream_open(it.alice, NULL, &stream), MSDK_E_INVALID);
  CHECK_EQ(msdk_session_data_stream_open(it.alice, &options, NULL), MSDK_E_INVALID);
  stream = open_at(&it, MSDK_DATA_STREAM_BYTES, NULL);
  CHECK_EQ(msdk_session_data_stream_write(it.alice, stream, large, CHUNK + 1), MSDK_E_RANGE);
  CHECK_EQ(msdk_session_data_stream_write(it.alice, stream, NULL, 1), MSDK_E_INVALID);
  CHECK_OK(msdk_session_data_stream_write(it.alice, stream, NULL, 0));
  for (int i = 1; i < MOST_OPEN; i++) open_at(&it, MSDK_DATA_STREAM_TEXT, NULL);
  CHECK_EQ(msdk_session_data_stream_open(it.alice, &options, &stream), MSDK_E_FULL);
  CHECK_EQ(msdk_session_data_stream_accept(it.bob, "chat"), MSDK_E_EXISTS); /* all are */
  for (int i = 0; i < MOST_TOPICS; i++) {
    snprintf(name, sizeof name, "%d", i);
    CHECK_OK(msdk_session_data_stream_accept(it.alice, name));
  }
  CHECK_EQ(msdk_session_data_stream_accept(it.alice, "one more"), MSDK_E_LIMIT);
  CHECK_EQ(msdk_session_data_stream_accept(it.alice, "0"), MSDK_E_EXISTS);
  run_for(it.engine, MS);
  uint32_t count = 0;
  uint64_t missed = 0;
  while (take(it.bob) >= 0) count++, missed += taken.missed;
  CHECK(count == 65 && missed == MOST_OPEN - 64); /* 64 of one participant, and the empty chunk */
  msdk_engine_destroy(it.engine);
}

static void a_chunk_that_does_not_fit_can_be_read_later(void) {
  pair it = pair_join();
  CHECK_OK(write_text(it.alice, open_at(&it, MSDK_DATA_STREAM_TEXT, NULL), "abc"));
  run_for(it.engine, MS);
  CHECK(has_come(it.bob, MSDK_DATA_PART_BEGAN, ""));
  taken = MSDK_INIT(msdk_data_stream_part);
  CHECK_EQ(msdk_session_data_stream_read(it.bob, &taken, buffer, 2), MSDK_E_BUFFER_SMALL);
  CHECK(taken.size == 3 && taken.part == MSDK_DATA_PART_CHUNK);
  CHECK_EQ(msdk_session_data_stream_read(it.bob, &taken, NULL, 0), MSDK_E_BUFFER_SMALL);
  CHECK(has_come(it.bob, MSDK_DATA_PART_CHUNK, "abc"));
  msdk_engine_destroy(it.engine);
}

static void without_a_room_nothing_is_sent(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *alone = session_new(engine, room_new(), "alone");
  msdk_data_stream_options options = options_of(MSDK_DATA_STREAM_TEXT, NULL);
  uint64_t stream = 0;
  CHECK_EQ(msdk_session_data_stream_open(alone, &options, &stream), MSDK_E_STATE);
  CHECK_OK(msdk_session_data_stream_accept(alone, "early"));
  msdk_engine_destroy(engine);
  msdk_engine *real = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_session *plain = session_new(real, "rtp://127.0.0.1:9?local=127.0.0.1:0", "plain");
  CHECK_EQ(msdk_session_data_stream_open(plain, &options, &stream), MSDK_E_UNSUPPORTED);
  CHECK_EQ(msdk_session_data_stream_accept(plain, "early"), MSDK_E_UNSUPPORTED);
  CHECK_EQ(take(plain), MSDK_E_UNSUPPORTED);
  msdk_engine_destroy(real);
}

int main(int argc, char **argv) {
  RUN(a_text_arrives_as_it_was_written);
  RUN(a_text_names_what_it_responds_to_and_its_files);
  RUN(what_names_nothing_is_refused);
  RUN(a_file_is_sent_when_there_is_room);
  RUN(a_stream_that_is_not_complete_says_why);
  RUN(it_is_for_some);
  RUN(what_is_wrong_is_said);
  RUN(a_chunk_that_does_not_fit_can_be_read_later);
  RUN(without_a_room_nothing_is_sent);
  return check_finish();
}
