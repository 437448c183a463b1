/* serve.h: who comes into a room over the network and who does not, urls that are wrong, and options that cannot be. */
#include "hosting.h"
#include "pem.h"

static msdk_result verify(void *user, const msdk_access_request *request, msdk_access_grant *grant) {
  (void)grant;
  CHECK(strcmp(request->room, (const char *)user) == 0);
  return strcmp(request->access_token, TOKEN) == 0 ? MSDK_OK : MSDK_E_PERMISSION;
}

static void a_token_is_shown(void) {
  house it = house_new("127.0.0.1");
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.verify = verify;
  options.user = it.room + strlen("loopback:");
  options.permissions = MSDK_MAY_RECEIVE;
  CHECK_OK(msdk_room_configure(it.host, it.room, &options));
  end bob = guest_at(it.away, it.url, "bob", TOKEN);
  CHECK(end_state(&bob, MSDK_SESSION_CONNECTED));
  CHECK_EQ(permissions_of(bob.session, "bob"), MSDK_MAY_RECEIVE);
  static const char *wrong[] = {"", "wrong", TOKEN " "};
  for (int i = 0; i < 3; i++) {
    end eve = guest_at(it.away, it.url, "eve", wrong[i]);
    CHECK_EQ(end_reason(&eve), MSDK_E_PERMISSION);
    CHECK(strstr(end_words(&eve), TOKEN) == NULL);
    CHECK_EQ(eve.count[MSDK_EVENT_PARTICIPANT_JOINED], 0);
    msdk_session_destroy(eve.session);
  }
  CHECK_EQ(end_people(&bob), 1);
  PATIENTLY(house_members(&it) == 1);
  CHECK_EQ(house_members(&it), 1);
  msdk_outgoing_audio_options sound = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound.codec = MSDK_CODEC_OPUS;
  msdk_outgoing_audio *voice = NULL;
  CHECK_OK(msdk_outgoing_audio_create(it.away, &sound, &voice));
  CHECK_ERROR(msdk_session_start_audio(bob.session, voice), MSDK_E_PERMISSION, "bob"); /* he may listen */
  msdk_outgoing_audio_destroy(voice);
  house_close(&it);
}

static msdk_result keep_token(void *user, const msdk_access_request *request, msdk_access_grant *grant) {
  (void)grant;
  snprintf(user, MSDK_ACCESS_TOKEN_MAX + 1, "%s", request->access_token);
  return MSDK_OK;
}

/* The verifier gets what the session has, to the byte, when it comes and when it renews. */
static void any_text_is_a_token(void) {
  static char longest[MSDK_ACCESS_TOKEN_MAX + 1], got[MSDK_ACCESS_TOKEN_MAX + 1];
  memset(longest, '%', MSDK_ACCESS_TOKEN_MAX);
  static const char *tokens[] = {NULL, "", " ", " before", "after ", "two  words", "a\tb", "a\nb\r\nc: d", "h\xc3\xa4", "{\"a\": 1}", "%41&b=c#?", "\x01\x7f", longest};
  house it = house_new("127.0.0.1");
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.verify = keep_token;
  options.user = got;
  CHECK_OK(msdk_room_configure(it.host, it.room, &options));
  for (size_t i = 0; i < MSDK_COUNT(tokens); i++) {
    for (int renews = 0; renews < 2; renews++) {
      end bob = guest_at(it.away, it.url, "bob", renews ? "other" : tokens[i]);
      CHECK(end_state(&bob, MSDK_SESSION_CONNECTED));
      if (renews) {
        CHECK_OK(msdk_session_set_access_token(bob.session, tokens[i]));
        CHECK(end_wait(&bob, MSDK_EVENT_ACCESS_RENEWED, 1));
        CHECK_EQ(bob.last[MSDK_EVENT_ACCESS_RENEWED].status, MSDK_OK);
      }
      if (!CHECK(strcmp(got, tokens[i] != NULL ? tokens[i] : "") == 0)) fprintf(stderr, "  %d: \"%.40s\" came as \"%.40s\"\n", renews, tokens[i], got);
      msdk_session_destroy(bob.session);
      PATIENTLY(house_members(&it) == 0);
    }
  }
  house_close(&it);
}

static void refused(house *it, const char *url, msdk_result status, const char *word) {
  end eve = guest_at(it->away, url, "eve", NULL);
  if (!(CHECK_EQ(end_reason(&eve), status) & CHECK_STR_CONTAINS(end_words(&eve), word))) fprintf(stderr, "  %s\n", url);
  msdk_session_destroy(eve.session);
}

static void who_is_not_let_in(void) {
  house it = {.host = engine_new(MSDK_CLOCK_SYSTEM), .away = engine_new(MSDK_CLOCK_SYSTEM), .address = "127.0.0.1"};
  snprintf(it.room, sizeof it.room, "%s", room_new());
  msdk_serve_options options = serve_options("127.0.0.1");
  pem_write("cert.pem", pem_certificate);
  pem_write("key.pem", pem_key);
  options.certificate = "cert.pem";
  options.key = "key.pem";
  options.most_members = 1;
  NEED(house_open(&it, &options));
  char url[600];
  house other = it;
  other.info.fingerprint[0] = other.info.fingerprint[0] == 'A' ? 'B' : 'A';
  house_url(&other, "", url, sizeof url);
  refused(&it, url, MSDK_E_UNTRUSTED, "fingerprint");
  other = it;
  strcat(other.room, "-x");
  house_url(&other, "", url, sizeof url);
  refused(&it, url, MSDK_E_NOT_FOUND, "-x");
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* bound, and listens to nobody */
  CHECK(bind(fd, (struct sockaddr *)&address, size) == 0 && getsockname(fd, (struct sockaddr *)&address, &size) == 0);
  other = it;
  other.info.port = ntohs(address.sin_port);
  house_url(&other, "", url, sizeof url);
  refused(&it, url, MSDK_E_IO, "Connection refused");
  close(fd);
  end bob = guest(&it, "bob", "");
  refused(&it, it.url, MSDK_E_FULL, "1 members");
  msdk_session_destroy(bob.session);
  PATIENTLY(house_members(&it) == 0);
  guest(&it, "carol", ""); /* his place is free again */
  house_close(&it);
}

/* ------------------------------------------------------------------------------------------------------------------- urls */

#define PRINT "9BA49A9D87B01DAFACCEB74AF12B63201F73BF90101509FD0BD444443F092705"

typedef struct wrong {
  const char *url;
  msdk_result result;
  const char *word; /* besides "options.url" */
} wrong;

static void urls(void) {
  static const wrong list[] = {
    {"livekit:", MSDK_E_UNSUPPORTED, "livekit+wss://HOST:PORT"},
    {"livekit+wss:lobby", MSDK_E_INVALID, "HOST"},
    {"livekit+wss://", MSDK_E_INVALID, "host"},
    {"livekit+wss://127.0.0.1:0#room=lobby&fingerprint=" PRINT, MSDK_E_RANGE, "1..65535"},
    {"livekit+wss://127.0.0.1:65536#room=lobby&fingerprint=" PRINT, MSDK_E_RANGE, "1..65535"},
    {"livekit+wss://127.0.0.1:+1#room=lobby&fingerprint=" PRINT, MSDK_E_RANGE, "1..65535"},
    {"livekit+wss://example_org:5004#room=lobby&fingerprint=" PRINT, MSDK_E_INVALID, "RFC 1123"},
    {"livekit+wss://::1:5004#room=lobby&fingerprint=" PRINT, MSDK_E_INVALID, "HOST"},
    {"livekit+wss://127.0.0.1:5004#room=lobby&fingerprint=", MSDK_E_INVALID, "fingerprint without a value"},
    {"livekit+wss://127.0.0.1:5004#room=&fingerprint=" PRINT, MSDK_E_INVALID, "room without a value"},
    {"livekit+wss://127.0.0.1:5004#room=%0A&fingerprint=" PRINT, MSDK_E_INVALID, "1..255"},
    {"livekit+wss://127.0.0.1:5004#room=lobby&fingerprint=9B:A4", MSDK_E_INVALID, "64 hexadecimal digits"},
    {"livekit+wss://127.0.0.1:5004#room=lobby&fingerprint=" PRINT "00", MSDK_E_INVALID, "64 hexadecimal digits"},
    {"livekit+wss://127.0.0.1:5004#room=lobby&room=other", MSDK_E_INVALID, "twice"},
    {"livekit+wss://127.0.0.1:5004#room=lobby&", MSDK_E_INVALID, "key=value"},
    {"livekit+wss://127.0.0.1:5004#room=lobby&color=red", MSDK_E_INVALID, "accepted: room, fingerprint"},
    {"livekit+wss://127.0.0.1:5004#room=lobby&token=hunter2", MSDK_E_INVALID, "apart from the URL"},
    {"livekit+ws://127.0.0.1:5004#room=lobby&fingerprint=" PRINT, MSDK_E_INVALID, "livekit+wss"},
    {"livekit+ws://192.0.2.7:5004#room=lobby", MSDK_E_UNTRUSTED, "not encrypted"},
    {"LIVEKIT+WSS://127.0.0.1:5004#room=lobby", MSDK_E_UNSUPPORTED, "livekit+wss://HOST:PORT"},
  };
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM), *virtual = engine_new(MSDK_CLOCK_VIRTUAL);
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    msdk_session *session = NULL;
    int ok = CHECK_RESULT(end_create(engine, list[i].url, &session), list[i].result);
    ok &= CHECK_STR_CONTAINS(msdk_last_error(), "options.url") & CHECK_STR_CONTAINS(msdk_last_error(), list[i].word);
    ok &= CHECK(strstr(msdk_last_error(), "hunter2") == NULL);
    if (!ok) fprintf(stderr, "  %s\n", list[i].url);
  }
  end good = end_new(engine, "livekit+wss://[2001:db8::1]:1#room=a%2Fb%20c&fingerprint=" PRINT);
  CHECK(end_state(&good, MSDK_SESSION_IDLE));
  msdk_session *session = NULL;
  CHECK_ERROR(end_create(virtual, "livekit+ws://127.0.0.1:1#room=a", &session), MSDK_E_UNSUPPORTED, "virtual clock");
  msdk_engine_destroy(virtual);
  msdk_engine_destroy(engine);
}

/* ---------------------------------------------------------------------------------------------------------------- options */

static msdk_engine *host;

static void wrong_options(msdk_serve_options options, msdk_result result, const char *word) {
  msdk_serve_info info = MSDK_INIT(msdk_serve_info);
  info.port = 77;
  CHECK_ERROR(msdk_room_serve(host, "loopback:options", &options, &info), result, word);
  CHECK_EQ(info.port, 77); /* not touched */
  CHECK_RESULT(msdk_room_get_serve_info(host, "loopback:options", &info), MSDK_E_NOT_FOUND);
}

static void options_that_cannot_be(void) {
  host = engine_new(MSDK_CLOCK_SYSTEM);
  static const char *addresses[] = {"", ",", "127.0.0.1,", "127.0.0.1, ::1", "localhost", "[::1]", "239.1.2.3", "ff15::1", "127.0.0.1:80"};
  for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
    wrong_options(serve_options(addresses[i]), MSDK_E_INVALID, "options.addresses");
  }
  wrong_options(serve_options("1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1"), MSDK_E_INVALID, "1..8");
  wrong_options(serve_options("\xff"), MSDK_E_INVALID, "options.addresses");
  wrong_options(serve_options("192.0.2.7"), MSDK_E_IO, "192.0.2.7"); /* of documentation (RFC 5737) */
  wrong_options(serve_options("127.0.0.1,127.0.0.1"), MSDK_E_EXISTS, "127.0.0.1");
  msdk_serve_options options = serve_options("127.0.0.1");
  options.port = 65537;
  wrong_options(options, MSDK_E_RANGE, "1..65535, MSDK_PORT_ANY");
  options.port = 0; /* is not a way to ask for a free one */
  wrong_options(options, MSDK_E_INVALID, "options.port is 0; accepted: 1..65535, MSDK_PORT_ANY");
  options = serve_options("127.0.0.1");
  options.most_members = 1001;
  wrong_options(options, MSDK_E_RANGE, "1..1000");
  options.most_members = UINT32_MAX;
  wrong_options(options, MSDK_E_RANGE, "options.most_members");
  options = serve_options("127.0.0.1");
  options.media_port = 65537;
  wrong_options(options, MSDK_E_RANGE, "options.media_port");
  options = serve_options("127.0.0.1");
  options.public_addresses = "192.0.2.7,";
  wrong_options(options, MSDK_E_INVALID, "options.public_addresses has \"\"; accepted: an address of IPv4, one of IPv6, or both");
  options.public_addresses = "room.example.org";
  wrong_options(options, MSDK_E_INVALID, "room.example.org");
  options.public_addresses = "0.0.0.0";
  wrong_options(options, MSDK_E_INVALID, "0.0.0.0");
  options.public_addresses = "192.0.2.7,2001:db8::7,192.0.2.8";
  wrong_options(options, MSDK_E_INVALID, "192.0.2.7,2001:db8::7,192.0.2.8");
  options = serve_options("127.0.0.1");
  options.api_key = "key";
  wrong_options(options, MSDK_E_INVALID, "only one of api_key and api_secret; accepted: both, or neither");
  options.api_secret = "thirty-one bytes are not enough";
  wrong_options(options, MSDK_E_INVALID, "options.api_secret has 31 bytes; accepted: at least 32");
  options.api_secret = "a secret of thirty-two characters";
  options.api_key = "";
  wrong_options(options, MSDK_E_INVALID, "options.api_key is empty");
  options = serve_options("127.0.0.1");
  options.struct_size = 7;
  wrong_options(options, MSDK_E_INVALID, "options.struct_size");
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, 1) == 0 && getsockname(fd, (struct sockaddr *)&address, &size) == 0);
  options = serve_options("127.0.0.1");
  options.port = ntohs(address.sin_port);
  wrong_options(options, MSDK_E_EXISTS, "127.0.0.1");
  close(fd);
  msdk_serve_info small = {.struct_size = 3};
  CHECK_ERROR(msdk_room_serve(host, "loopback:options", &options, &small), MSDK_E_INVALID, "out");
  CHECK_ERROR(msdk_room_serve(host, "loopback:options", NULL, NULL), MSDK_E_INVALID, "options is NULL");
  CHECK_RESULT(msdk_room_stop_serving(host, "loopback:options"), MSDK_E_NOT_FOUND); /* no door was left open */
  msdk_engine_destroy(host);
}

static void a_room_has_a_page(void) {
  host = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_serve_options options = serve_options("127.0.0.1");
  msdk_serve_info info = MSDK_INIT(msdk_serve_info);
  CHECK_OK(msdk_room_serve(host, "loopback:a page?", &options, &info));
  char url[512];
  snprintf(url, sizeof url, "http://127.0.0.1:%" PRIu32 "/a%%20page%%3F", info.port);
  CHECK(info.port > 0 && strcmp(info.page_url, url) == 0);
  snprintf(url, sizeof url, "livekit+ws://127.0.0.1:%" PRIu32 "#room=a%%20page%%3F", info.port);
  CHECK(strcmp(info.url, url) == 0 && info.fingerprint[0] == '\0');
  end bob = guest_at(host, info.url, "bob", NULL);
  CHECK(end_state(&bob, MSDK_SESSION_CONNECTED));
  options.port = info.port;
  CHECK_ERROR(msdk_room_serve(host, "loopback:another", &options, NULL), MSDK_E_EXISTS, "127.0.0.1");
  CHECK_RESULT(msdk_room_get_serve_info(host, "loopback:another", &info), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_room_stop_serving(host, "loopback:a page?"));
  CHECK_EQ(end_reason(&bob), MSDK_E_CLOSED);
  /* The port is free; with a certificate it is over TLS. */
  pem_write("cert.pem", pem_certificate);
  pem_write("key.pem", pem_key);
  options.certificate = "cert.pem";
  options.key = "key.pem";
  CHECK_OK(msdk_room_serve(host, "loopback:secure", &options, &info));
  CHECK(strncmp(info.page_url, "https://127.0.0.1:", 18) == 0 && strlen(info.fingerprint) == 95);
  CHECK(strncmp(info.url, "livekit+wss://127.0.0.1:", 24) == 0);
  msdk_engine_destroy(host);
  unlink("cert.pem");
  unlink("key.pem");
}

static void certificates_of_files(void) {
  host = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_serve_options options = serve_options("127.0.0.1");
  pem_write("cert.pem", pem_certificate);
  pem_write("key.pem", pem_key);
  pem_write("other.pem", pem_other_key);
  pem_write("locked.pem", pem_locked_key);
  options.certificate = "cert.pem";
  wrong_options(options, MSDK_E_INVALID, "both, or neither");
  options.certificate = NULL;
  options.key = "key.pem";
  wrong_options(options, MSDK_E_INVALID, "both, or neither");
  options.certificate = "nothing.pem";
  wrong_options(options, MSDK_E_NOT_FOUND, "nothing.pem");
  options.certificate = "key.pem";
  wrong_options(options, MSDK_E_INVALID, "holds no certificate");
  options.certificate = "cert.pem";
  options.key = "cert.pem";
  wrong_options(options, MSDK_E_INVALID, "holds no key");
  options.key = "other.pem";
  wrong_options(options, MSDK_E_INVALID, "does not match the certificate");
  options.key = "locked.pem";
  wrong_options(options, MSDK_E_INVALID, "without a password");
  options.key = "/";
  wrong_options(options, MSDK_E_INVALID, "holds no key");
  options.key = "key.pem";
  house it = {.host = host, .away = engine_new(MSDK_CLOCK_SYSTEM), .address = "127.0.0.1"};
  snprintf(it.room, sizeof it.room, "%s", room_new());
  NEED(house_open(&it, &options));
  CHECK_STR_CONTAINS(it.info.fingerprint,
                     "9B:A4:9A:9D:87:B0:1D:AF:AC:CE:B7:4A:F1:2B:63:20:1F:73:BF:90:10:15:09:FD:0B:D4:44:44:3F:09:27:05");
  char url[600];
  strcpy(it.info.fingerprint, PRINT); /* without colons */
  house_url(&it, "", url, sizeof url);
  end bob = guest_at(it.away, url, "bob", NULL);
  CHECK(end_state(&bob, MSDK_SESSION_CONNECTED));
  house_close(&it);
}

static void rooms_and_engines(void) {
  msdk_engine *virtual = engine_new(MSDK_CLOCK_VIRTUAL);
  host = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_serve_info info = MSDK_INIT(msdk_serve_info);
  const msdk_serve_options any = serve_options(NULL); /* address of IPv4, a free port */
  CHECK_RESULT(msdk_room_serve(NULL, "loopback:a", &any, &info), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_room_get_serve_info(NULL, "loopback:a", &info), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_room_stop_serving(NULL, "loopback:a"), MSDK_E_HANDLE);
  CHECK_ERROR(msdk_room_serve(virtual, "loopback:a", &any, &info), MSDK_E_UNSUPPORTED, "virtual");
  CHECK_ERROR(msdk_room_serve(host, "rtp://127.0.0.1:1", &any, &info), MSDK_E_UNSUPPORTED, "loopback:NAME");
  CHECK_ERROR(msdk_room_serve(host, NULL, &any, &info), MSDK_E_INVALID, "room_url");
  CHECK_ERROR(msdk_room_serve(host, "loopback:", &any, &info), MSDK_E_INVALID, "1..255");
  CHECK_ERROR(msdk_room_get_serve_info(host, "loopback:a", &info), MSDK_E_NOT_FOUND, "\"a\"");
  CHECK_ERROR(msdk_room_stop_serving(host, "loopback:a"), MSDK_E_NOT_FOUND, "\"a\"");
  CHECK_OK(msdk_room_serve(host, "loopback:a", &any, NULL));
  CHECK_ERROR(msdk_room_serve(host, "loopback:a", &any, &info), MSDK_E_EXISTS, "\"a\"");
  CHECK_ERROR(msdk_room_get_serve_info(host, "loopback:a", NULL), MSDK_E_INVALID, "out");
  CHECK_OK(msdk_room_get_serve_info(host, "loopback:a", &info));
  CHECK(info.port > 0 && strlen(info.fingerprint) == 95);
  CHECK_OK(msdk_room_serve(host, "loopback:b", &any, &info)); /* another room, another port */
  CHECK_OK(msdk_room_stop_serving(host, "loopback:a"));
  CHECK_RESULT(msdk_room_stop_serving(host, "loopback:a"), MSDK_E_NOT_FOUND);
  msdk_engine_destroy(host);
  CHECK_RESULT(msdk_room_get_serve_info(host, "loopback:b", &info), MSDK_E_HANDLE);
  msdk_engine_destroy(virtual);
}

/* A member elsewhere needs nothing but the url of the info, wherever the room is open. */
static void urls_of_the_info(void) {
  static const char *addresses[] = {"127.0.0.1", "0.0.0.0", "::1", "::"};
  for (size_t i = 0; i < (has_ipv6() ? 4 : 2); i++) {
    house it = {.host = engine_new(MSDK_CLOCK_SYSTEM), .away = engine_new(MSDK_CLOCK_SYSTEM), .address = addresses[i]};
    snprintf(it.room, sizeof it.room, "%s", room_new());
    msdk_serve_options options = serve_options(addresses[i]);
    NEED(house_open(&it, &options));
    msdk_serve_info later = MSDK_INIT(msdk_serve_info);
    CHECK_OK(msdk_room_get_serve_info(it.host, it.room, &later));
    CHECK(strcmp(later.url, it.info.url) == 0);
    CHECK_STR_CONTAINS(later.url, strchr(addresses[i], ':') != NULL ? "://[" : "livekit+ws");
    CHECK_EQ(strncmp(later.url, "livekit+wss:", 12) == 0, i % 2); /* at addresses of others, too */
    CHECK(strstr(later.url, "//0.0.0.0") == NULL && strstr(later.url, "[::]") == NULL);
    end bob = guest_at(it.away, later.url, "bob", NULL);
    CHECK(end_state(&bob, MSDK_SESSION_CONNECTED));
    house_close(&it);
  }
}

/* One port at all of them. */
static void several_addresses(void) {
  if (!has_ipv6()) {
    printf("several_addresses: this machine has no [::1]\n");
    return;
  }
  house it = {.host = engine_new(MSDK_CLOCK_SYSTEM), .away = engine_new(MSDK_CLOCK_SYSTEM), .address = "127.0.0.1"};
  snprintf(it.room, sizeof it.room, "%s", room_new());
  msdk_serve_options options = serve_options("127.0.0.1,::1,127.0.0.2");
  NEED(house_open(&it, &options));
  end bob = guest(&it, "bob", "");
  it.address = "[::1]";
  end carol = guest(&it, "carol", "");
  it.address = "127.0.0.2";
  guest(&it, "dave", "");
  CHECK(end_wait(&bob, MSDK_EVENT_PARTICIPANT_JOINED, 2));
  show film = show_start(it.away, &carol, &bob);
  CHECK(show_play(&film, 3));
  show_end(&film);
  house_close(&it);
}

int main(int argc, char **argv) {
  RUN(a_token_is_shown);
  RUN(any_text_is_a_token);
  RUN(who_is_not_let_in);
  RUN(urls);
  RUN(options_that_cannot_be);
  RUN(a_room_has_a_page);
  RUN(certificates_of_files);
  RUN(rooms_and_engines);
  RUN(urls_of_the_info);
  RUN(several_addresses);
  return check_finish();
}
