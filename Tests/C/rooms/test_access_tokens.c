/* access.h: what a token says, who signed it, how long it lasts, and what is refused. The claims are read by code of the test's own; that
 * the signature is HMAC-SHA-256 is checked in Python, Tests/Python/rooms/test_access_tokens.py. */
#include "check.h"

#include <pthread.h>
#include <time.h>

static const char secret[] = "a secret of thirty-two characters";

static msdk_access_token_options anna(void) {
  msdk_access_token_options options = MSDK_INIT(msdk_access_token_options);
  options.api_key = "key";
  options.api_secret = secret;
  options.room = "lobby";
  options.user_id = "anna";
  return options;
}

static msdk_result make(const msdk_access_token_options *options) {
  char token[MSDK_ACCESS_TOKEN_MAX + 1];
  return msdk_access_token_create(options, token, sizeof token, NULL);
}

/* The claims of a token, JSON: the second of three parts in base64url (RFC 4648, section 5). */
static void claims_of(const char *token, char *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const char *from = strchr(token, '.');
  uint32_t bits = 0, count = 0;
  if (from != NULL) {
    for (from++; *from != '.' && *from != '\0'; from++) {
      const char *digit = strchr(digits, *from);
      bits = bits << 6 | (uint32_t)(digit != NULL ? digit - digits : 0);
      if ((count += 6) >= 8) *out++ = (char)(bits >> (count -= 8));
    }
  }
  *out = '\0';
}

static const char *claims(const msdk_access_token_options *options) {
  static char text[MSDK_ACCESS_TOKEN_MAX + 1];
  char token[MSDK_ACCESS_TOKEN_MAX + 1] = "";
  CHECK_OK(msdk_access_token_create(options, token, sizeof token, NULL));
  claims_of(token, text);
  return text;
}

static int64_t number(const char *text, const char *name) {
  const char *found = strstr(text, name);
  return found != NULL ? strtoll(found + strlen(name), NULL, 10) : INT64_MIN;
}

static void what_it_says(void) {
  msdk_access_token_options options = anna();
  const char *said = claims(&options);
  CHECK_STR_CONTAINS(said, "\"iss\":\"key\"");
  CHECK_STR_CONTAINS(said, "\"sub\":\"anna\"");
  CHECK_STR_CONTAINS(said, "\"video\":{\"room\":\"lobby\",\"roomJoin\":true,\"canPublish\":true,\"canSubscribe\":true,\"canPublishData\":true}");
  CHECK(strstr(said, "\"name\"") == NULL && strstr(said, "\"metadata\"") == NULL && strstr(said, "\"attributes\"") == NULL);
  CHECK(strstr(said, secret) == NULL);

  const msdk_key_value attributes[] = {{"role", "host"}, {"empty", ""}};
  options.display_name = "Anna \"\xC3\x9C\"";
  options.metadata = "{}";
  options.attributes = attributes;
  options.attribute_count = MSDK_COUNT(attributes);
  said = claims(&options);
  CHECK_STR_CONTAINS(said, "\"name\":\"Anna \\\"\xC3\x9C\\\"\"");
  CHECK_STR_CONTAINS(said, "\"metadata\":\"{}\"");
  CHECK_STR_CONTAINS(said, "\"attributes\":{\"empty\":\"\",\"role\":\"host\"}");
}

/* Each bit, alone: its claim is true, and no other is. */
static void what_it_grants(void) {
  static const struct {
    uint32_t bit;
    const char *claim;
  } grants[] = {
    {MSDK_GRANT_JOIN, "roomJoin"},       {MSDK_GRANT_PUBLISH, "canPublish"},
    {MSDK_GRANT_SUBSCRIBE, "canSubscribe"}, {MSDK_GRANT_PUBLISH_DATA, "canPublishData"},
    {MSDK_GRANT_UPDATE_METADATA, "canUpdateOwnMetadata"}, {MSDK_GRANT_ADMIN, "roomAdmin"},
    {MSDK_GRANT_HIDDEN, "hidden"},
  };
  for (uint32_t i = 0; i < MSDK_COUNT(grants); i++) {
    msdk_access_token_options options = anna();
    options.grants = grants[i].bit;
    const char *said = claims(&options);
    for (uint32_t j = 0; j < MSDK_COUNT(grants); j++) {
      char claim[64];
      snprintf(claim, sizeof claim, "\"%s\":true", grants[j].claim);
      CHECK_EQ(strstr(said, claim) != NULL, i == j);
    }
  }
  static const char *const sources[] = {"\"camera\"", "\"microphone\"", "\"screen_share\"", "\"screen_share_audio\""};
  for (uint32_t mask = 0; mask < 16; mask++) {
    msdk_access_token_options options = anna();
    options.sources = mask;
    const char *said = claims(&options);
    CHECK_EQ(strstr(said, "canPublishSources") != NULL, mask != 0);
    for (uint32_t i = 0; i < 4; i++) CHECK_EQ(strstr(said, sources[i]) != NULL, mask >> i & 1);
  }
}

static void how_long_it_lasts(void) {
  static const struct {
    uint32_t asked;
    int64_t lasts;
  } times[] = {{0, 21600}, {1, 1}, {3600, 3600}, {31536000, 31536000}};
  for (uint32_t i = 0; i < MSDK_COUNT(times); i++) {
    msdk_access_token_options options = anna();
    options.lifetime_s = times[i].asked;
    int64_t before = (int64_t)time(NULL);
    const char *said = claims(&options);
    int64_t from = number(said, "\"nbf\":");
    CHECK_RANGE(from, before - 1, time(NULL) + 1); /* time() reads a coarser clock */
    CHECK_EQ(number(said, "\"exp\":") - from, times[i].lasts);
  }
  msdk_access_token_options options = anna();
  options.lifetime_s = 31536001;
  CHECK_ERROR(make(&options), MSDK_E_RANGE, "options.lifetime_s is 31536001; accepted: 1..31536000");
  options.lifetime_s = UINT32_MAX;
  CHECK_ERROR(make(&options), MSDK_E_RANGE, "options.lifetime_s is 4294967295");
}

static void buffers(void) {
  msdk_access_token_options options = anna();
  uint64_t needed = 0;
  CHECK_RESULT(msdk_access_token_create(&options, NULL, 0, &needed), MSDK_E_BUFFER_SMALL);
  CHECK_RANGE(needed, 200, MSDK_ACCESS_TOKEN_MAX + 1);
  CHECK_RESULT(msdk_access_token_create(&options, NULL, 4096, NULL), MSDK_E_BUFFER_SMALL);
  char token[MSDK_ACCESS_TOKEN_MAX + 1];
  memset(token, '#', sizeof token);
  CHECK_ERROR(msdk_access_token_create(&options, token, needed - 1, NULL), MSDK_E_BUFFER_SMALL, "bytes");
  CHECK_EQ(token[0], '#');
  CHECK_OK(msdk_access_token_create(&options, token, needed, &needed));
  CHECK_EQ(strlen(token) + 1, needed);
  CHECK_EQ(token[needed], '#');
}

static void texts_are_refused(void) {
  char longer[300];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  char metadata[4200];
  memset(metadata, 'm', sizeof metadata - 1);
  metadata[sizeof metadata - 1] = '\0';
  const struct {
    size_t member;
    const char *value, *words;
  } texts[] = {
#define TEXT(member, value, words) {offsetof(msdk_access_token_options, member), value, words}
    TEXT(api_key, NULL, "options.api_key is NULL"),
    TEXT(api_key, "", "the API key is empty"),
    TEXT(api_key, longer, "options.api_key is longer than 255"),
    TEXT(api_key, "\xFF", "options.api_key is not valid UTF-8"),
    TEXT(api_secret, NULL, "options.api_secret is NULL"),
    TEXT(api_secret, "", "the API secret has 0 bytes; accepted: at least 32"),
    TEXT(api_secret, "0123456789012345678901234567890", "the API secret has 31 bytes; accepted: at least 32"),
    TEXT(api_secret, metadata, "options.api_secret is longer than 1024"),
    TEXT(room, NULL, "options.room is NULL"),
    TEXT(room, "", "the room is empty"),
    TEXT(room, longer, "options.room is longer than 255"),
    TEXT(user_id, NULL, "the user id has 0 bytes"),
    TEXT(user_id, "", "the user id has 0 bytes"),
    TEXT(user_id, longer, "options.user_id is longer than 255"),
    TEXT(display_name, longer, "options.display_name is longer than 255"),
    TEXT(display_name, "\xC3", "options.display_name is not valid UTF-8"),
    TEXT(metadata, "\x80", "options.metadata is not valid UTF-8"),
    TEXT(metadata, metadata, "options.metadata is longer than 4095"),
    TEXT(metadata, metadata + 1000, "accepted: at most 4095"), /* in base64 */
  };
  for (uint32_t i = 0; i < MSDK_COUNT(texts); i++) {
    msdk_access_token_options options = anna();
    memcpy((char *)&options + texts[i].member, &texts[i].value, sizeof texts[i].value);
    CHECK_ERROR(make(&options), MSDK_E_INVALID, texts[i].words);
    CHECK(strstr(msdk_last_error(), "0123456789") == NULL); /* the secret is not said */
  }
  /* Who does not join needs no user id. */
  msdk_access_token_options options = anna();
  options.user_id = NULL;
  options.grants = MSDK_GRANT_ADMIN;
  CHECK_OK(make(&options));
  /* Bytes are counted, not characters. */
  options = anna();
  options.api_secret = "\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC";
  CHECK_OK(make(&options));
}

static void attributes_are_refused(void) {
  char key[66], value[1026], keys[33][4];
  memset(key, 'k', sizeof key), key[64] = '\0';
  memset(value, 'v', sizeof value), value[1024] = '\0';
  const struct {
    msdk_key_value second;
    const char *words;
  } pairs[] = {
    {{NULL, "v"}, "options.attributes[1].key is NULL"},
    {{"", "v"}, "options.attributes[1].key is empty"},
    {{key, "v"}, "options.attributes[1].key is longer than 63"},
    {{"\xFF", "v"}, "options.attributes[1].key is not valid UTF-8"},
    {{"first", "v"}, "options.attributes[1].key is \"first\""},
    {{"k", NULL}, "options.attributes[1].value is NULL"},
    {{"k", value}, "options.attributes[1].value is longer than 1023"},
    {{"k", "\xFF"}, "options.attributes[1].value is not valid UTF-8"},
  };
  for (uint32_t i = 0; i < MSDK_COUNT(pairs); i++) {
    msdk_key_value both[] = {{"first", "1"}, pairs[i].second};
    msdk_access_token_options options = anna();
    options.attributes = both, options.attribute_count = 2;
    CHECK_ERROR(make(&options), MSDK_E_INVALID, pairs[i].words);
  }
  msdk_key_value most[33];
  for (int i = 0; i < 33; i++) {
    snprintf(keys[i], sizeof keys[i], "k%d", i);
    most[i] = (msdk_key_value){keys[i], "v"};
  }
  msdk_access_token_options options = anna();
  options.attributes = most, options.attribute_count = MSDK_ATTRIBUTES_MAX;
  CHECK_OK(make(&options));
  options.attribute_count++;
  CHECK_ERROR(make(&options), MSDK_E_RANGE, "options.attribute_count is 33; accepted: 0..32");
  options.attributes = NULL, options.attribute_count = 1;
  CHECK_ERROR(make(&options), MSDK_E_INVALID, "options.attributes is NULL");
  /* The longest ones that fit. */
  key[63] = '\0', value[1023] = '\0';
  msdk_key_value longest = {key, value};
  options.attributes = &longest;
  CHECK_OK(make(&options));
}

static void masks_are_refused(void) {
  CHECK_ERROR(make(NULL), MSDK_E_INVALID, "options is NULL");
  msdk_access_token_options options = anna();
  options.grants = 128;
  CHECK_ERROR(make(&options), MSDK_E_UNSUPPORTED, "options.grants is 128");
  options.grants = MSDK_GRANT_MEMBER | 0x80000000;
  CHECK_ERROR(make(&options), MSDK_E_UNSUPPORTED, "options.grants is 2147483663");
  options = anna();
  options.sources = 16;
  CHECK_ERROR(make(&options), MSDK_E_UNSUPPORTED, "options.sources is 16");
  options.sources = MSDK_SOURCE_CAMERA, options.grants = MSDK_GRANT_JOIN | MSDK_GRANT_SUBSCRIBE;
  CHECK_ERROR(make(&options), MSDK_E_INVALID, "options.sources is 1 without MSDK_GRANT_PUBLISH");
  options = anna();
  options.reserved0 = 1;
  CHECK_ERROR(make(&options), MSDK_E_UNSUPPORTED, "options.reserved0");
}

static void *many(void *wrong) {
  msdk_access_token_options options = anna();
  options.lifetime_s = 60;
  for (int i = 0; i < 500; i++) *(int *)wrong += make(&options) < 0;
  return NULL;
}

static void any_thread(void) {
  pthread_t threads[4];
  int wrong[4] = {0};
  for (int i = 0; i < 4; i++) CHECK_EQ(pthread_create(&threads[i], NULL, many, &wrong[i]), 0);
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_EQ(wrong[i], 0);
  }
}

int main(int argc, char **argv) {
  RUN(what_it_says);
  RUN(what_it_grants);
  RUN(how_long_it_lasts);
  RUN(buffers);
  RUN(texts_are_refused);
  RUN(attributes_are_refused);
  RUN(masks_are_refused);
  RUN(any_thread);
  return check_finish();
}
