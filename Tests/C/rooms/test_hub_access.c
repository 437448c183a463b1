/* hub.h: who comes into a room over the network and who does not, urls that are wrong, and options that cannot be. */
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

static void refused(house *it, const char *url, msdk_result status, const char *word) {
  end eve = guest_at(it->away, url, "eve", NULL);
  if (!(CHECK_EQ(end_reason(&eve), status) & CHECK_STR_CONTAINS(end_words(&eve), word))) fprintf(stderr, "  %s\n", url);
  msdk_session_destroy(eve.session);
}

static void who_is_not_let_in(void) {
  house it = {.host = engine_new(MSDK_CLOCK_SYSTEM), .away = engine_new(MSDK_CLOCK_SYSTEM), .address = "127.0.0.1"};
  snprintf(it.room, sizeof it.room, "%s", room_new());
  msdk_hub_options options = hub_options("127.0.0.1");
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
  refused(&it, url, MSDK_E_IO, "cannot connect");
  close(fd);
  end bob = guest(&it, "bob", "");
  refused(&it, it.url, MSDK_E_FULL, "1 members");
  msdk_session_destroy(bob.session);
  PATIENTLY(house_members(&it) == 0);
  guest(&it, "carol", ""); /* his place is free again */
  house_close(&it);
}

/* A datagram of nobody's is counted. */
static void strangers_are_counted(void) {
  house it = house_new("127.0.0.1");
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  address.sin_port = htons((uint16_t)it.info.port);
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  for (int i = 0; i < 3; i++) CHECK(sendto(fd, "\x80\x60 nobody knows me", 18, 0, (struct sockaddr *)&address, sizeof address) == 18);
  close(fd);
  PATIENTLY((CHECK_OK(msdk_room_get_hub_info(it.host, it.room, &it.info)), it.info.packets_foreign >= 3));
  CHECK_EQ(it.info.packets_foreign, 3);
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
    {"hub:", MSDK_E_UNSUPPORTED, "hub://HOST:PORT/NAME"},
    {"hub:lobby", MSDK_E_UNSUPPORTED, "hub://HOST:PORT/NAME"},
    {"hub://", MSDK_E_INVALID, "no room"},
    {"hub://127.0.0.1:5004", MSDK_E_INVALID, "no room"},
    {"hub://127.0.0.1:5004/", MSDK_E_INVALID, "1..255"},
    {"hub://127.0.0.1:5004/lobby", MSDK_E_INVALID, "fingerprint"},
    {"hub://127.0.0.1/lobby?fingerprint=" PRINT, MSDK_E_INVALID, "port"},
    {"hub://127.0.0.1:0/lobby?fingerprint=" PRINT, MSDK_E_RANGE, "1..65535"},
    {"hub://127.0.0.1:65536/lobby?fingerprint=" PRINT, MSDK_E_RANGE, "1..65535"},
    {"hub://127.0.0.1:+1/lobby?fingerprint=" PRINT, MSDK_E_RANGE, "1..65535"},
    {"hub://example_org:5004/lobby?fingerprint=" PRINT, MSDK_E_INVALID, "RFC 1123"},
    {"hub://127.1:5004/lobby?fingerprint=" PRINT, MSDK_E_INVALID, "127.1"},
    {"hub://::1:5004/lobby?fingerprint=" PRINT, MSDK_E_INVALID, "brackets"},
    {"hub://[127.0.0.1]:5004/lobby?fingerprint=" PRINT, MSDK_E_INVALID, "brackets"},
    {"hub://0.0.0.0:5004/lobby?fingerprint=" PRINT, MSDK_E_INVALID, "0.0.0.0"},
    {"hub://239.1.2.3:5004/lobby?fingerprint=" PRINT, MSDK_E_INVALID, "239.1.2.3"},
    {"hub://bob@127.0.0.1:5004/lobby?fingerprint=" PRINT, MSDK_E_INVALID, "user"},
    {"hub://127.0.0.1:5004/lobby?fingerprint=", MSDK_E_INVALID, "fingerprint without a value"},
    {"hub://127.0.0.1:5004/lobby?fingerprint=9B:A4", MSDK_E_INVALID, "64 hexadecimal digits"},
    {"hub://127.0.0.1:5004/lobby?fingerprint=" PRINT "00", MSDK_E_INVALID, "64 hexadecimal digits"},
    {"hub://127.0.0.1:5004/lobby?fingerprint=" PRINT "&fingerprint=" PRINT, MSDK_E_INVALID, "twice"},
    {"hub://127.0.0.1:5004/lobby?fingerprint=" PRINT "&srtp=ROT13", MSDK_E_UNSUPPORTED, "AEAD_AES_128_GCM"},
    {"hub://127.0.0.1:5004/lobby?fingerprint=" PRINT "&", MSDK_E_INVALID, "key=value"},
    {"hub://127.0.0.1:5004/lobby?fingerprint=" PRINT "&color=red", MSDK_E_INVALID, "accepted: fingerprint, srtp"},
    {"hub://127.0.0.1:5004/lobby?fingerprint=" PRINT "&token=hunter2", MSDK_E_INVALID, "apart from the url"},
    {"HUB://127.0.0.1:5004/lobby?fingerprint=" PRINT, MSDK_E_UNSUPPORTED, "hub://HOST:PORT/NAME"},
  };
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM), *virtual = engine_new(MSDK_CLOCK_VIRTUAL);
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    msdk_session *session = NULL;
    int ok = CHECK_RESULT(end_create(engine, list[i].url, &session), list[i].result);
    ok &= CHECK_STR_CONTAINS(msdk_last_error(), "options.url") & CHECK_STR_CONTAINS(msdk_last_error(), list[i].word);
    ok &= CHECK(strstr(msdk_last_error(), "hunter2") == NULL);
    if (!ok) fprintf(stderr, "  %s\n", list[i].url);
  }
  end good = end_new(engine, "hub://[fe80::1%25lo]:1/a/b c?srtp=AEAD_AES_128_GCM&fingerprint=" PRINT);
  CHECK(end_state(&good, MSDK_SESSION_IDLE));
  msdk_session *session = NULL;
  CHECK_ERROR(end_create(virtual, "hub://127.0.0.1:1/a?fingerprint=" PRINT, &session), MSDK_E_UNSUPPORTED, "virtual clock");
  msdk_engine_destroy(virtual);
  msdk_engine_destroy(engine);
}

/* ---------------------------------------------------------------------------------------------------------------- options */

static msdk_engine *host;

static void wrong_options(msdk_hub_options options, msdk_result result, const char *word) {
  msdk_hub_info info = MSDK_INIT(msdk_hub_info);
  info.port = 77;
  CHECK_ERROR(msdk_room_open_hub(host, "loopback:options", &options, &info), result, word);
  CHECK_EQ(info.port, 77); /* not touched */
  CHECK_RESULT(msdk_room_get_hub_info(host, "loopback:options", &info), MSDK_E_NOT_FOUND);
}

static void options_that_cannot_be(void) {
  host = engine_new(MSDK_CLOCK_SYSTEM);
  static const char *addresses[] = {"", ",", "127.0.0.1,", "127.0.0.1, ::1", "localhost", "[::1]", "239.1.2.3", "ff15::1", "127.0.0.1:80"};
  for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
    wrong_options(hub_options(addresses[i]), MSDK_E_INVALID, "options.addresses");
  }
  wrong_options(hub_options("1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1"), MSDK_E_INVALID, "1..8");
  wrong_options(hub_options("\xff"), MSDK_E_INVALID, "options.addresses");
  wrong_options(hub_options("192.0.2.7"), MSDK_E_IO, "192.0.2.7"); /* of documentation (RFC 5737) */
  wrong_options(hub_options("127.0.0.1,127.0.0.1"), MSDK_E_EXISTS, "127.0.0.1");
  msdk_hub_options options = hub_options("127.0.0.1");
  options.port = 65537;
  wrong_options(options, MSDK_E_RANGE, "1..65535, MSDK_PORT_ANY");
  options.port = 0; /* is not a way to ask for a free one */
  wrong_options(options, MSDK_E_INVALID, "options.port is 0; accepted: 1..65535, MSDK_PORT_ANY");
  options = hub_options("127.0.0.1");
  options.most_members = 1001;
  wrong_options(options, MSDK_E_RANGE, "1..1000");
  options.most_members = UINT32_MAX;
  wrong_options(options, MSDK_E_RANGE, "options.most_members");
  options = hub_options("127.0.0.1");
  options.web_port = 65537;
  wrong_options(options, MSDK_E_RANGE, "options.web_port is 65537; accepted: 1..65535, MSDK_PORT_ANY, or 0");
  options = hub_options("127.0.0.1");
  options.web_port = MSDK_PORT_ANY;
  options.api_key = "key";
  wrong_options(options, MSDK_E_INVALID, "only one of api_key and api_secret; accepted: both, or neither");
  options.api_secret = "thirty-one bytes are not enough";
  wrong_options(options, MSDK_E_INVALID, "options.api_secret has 31 bytes; accepted: at least 32");
  options.api_secret = "a secret of thirty-two characters";
  options.api_key = "";
  wrong_options(options, MSDK_E_INVALID, "options.api_key is empty");
  options.api_key = "key";
  options.web_port = 0;
  wrong_options(options, MSDK_E_INVALID, "web_port is 0");
  options = hub_options("127.0.0.1");
  options.struct_size = 7;
  wrong_options(options, MSDK_E_INVALID, "options.struct_size");
  uint16_t taken = 0;
  int fd = wire_bind(&taken);
  options = hub_options("127.0.0.1");
  options.port = taken;
  wrong_options(options, MSDK_E_EXISTS, "127.0.0.1");
  close(fd);
  msdk_hub_info small = {.struct_size = 3};
  CHECK_ERROR(msdk_room_open_hub(host, "loopback:options", &options, &small), MSDK_E_INVALID, "out");
  CHECK_ERROR(msdk_room_open_hub(host, "loopback:options", NULL, NULL), MSDK_E_INVALID, "options is NULL");
  CHECK_RESULT(msdk_room_close_hub(host, "loopback:options"), MSDK_E_NOT_FOUND); /* no door was left open */
  msdk_engine_destroy(host);
}

static void a_room_has_a_page(void) {
  host = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_hub_options options = hub_options("127.0.0.1");
  msdk_hub_info info = MSDK_INIT(msdk_hub_info);
  CHECK_OK(msdk_room_open_hub(host, "loopback:no page", &options, &info));
  CHECK(info.web_port == 0 && info.web_url[0] == '\0');
  options.web_port = MSDK_PORT_ANY;
  CHECK_OK(msdk_room_open_hub(host, "loopback:a page", &options, &info));
  CHECK(info.web_port > 0 && info.web_port != info.port);
  char url[512];
  snprintf(url, sizeof url, "http://127.0.0.1:%" PRIu32 "/a%%20page", info.web_port);
  CHECK(strcmp(info.web_url, url) == 0);
  options.web_port = info.web_port;
  CHECK_ERROR(msdk_room_open_hub(host, "loopback:another", &options, NULL), MSDK_E_EXISTS, "127.0.0.1");
  CHECK_RESULT(msdk_room_get_hub_info(host, "loopback:another", &info), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_room_close_hub(host, "loopback:a page"));
  /* The port is free; with a certificate it is over TLS. */
  pem_write("cert.pem", pem_certificate);
  pem_write("key.pem", pem_key);
  options.certificate = "cert.pem";
  options.key = "key.pem";
  CHECK_OK(msdk_room_open_hub(host, "loopback:secure", &options, &info));
  CHECK(strncmp(info.web_url, "https://127.0.0.1:", 18) == 0);
  msdk_engine_destroy(host);
  unlink("cert.pem");
  unlink("key.pem");
}

static void certificates_of_files(void) {
  host = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_hub_options options = hub_options("127.0.0.1");
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
  msdk_hub_info info = MSDK_INIT(msdk_hub_info);
  const msdk_hub_options any = hub_options(NULL); /* address of IPv4, a free port */
  CHECK_RESULT(msdk_room_open_hub(NULL, "loopback:a", &any, &info), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_room_get_hub_info(NULL, "loopback:a", &info), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_room_close_hub(NULL, "loopback:a"), MSDK_E_HANDLE);
  CHECK_ERROR(msdk_room_open_hub(virtual, "loopback:a", &any, &info), MSDK_E_UNSUPPORTED, "virtual");
  CHECK_ERROR(msdk_room_open_hub(host, "rtp://127.0.0.1:1", &any, &info), MSDK_E_UNSUPPORTED, "loopback:NAME");
  CHECK_ERROR(msdk_room_open_hub(host, NULL, &any, &info), MSDK_E_INVALID, "room_url");
  CHECK_ERROR(msdk_room_open_hub(host, "loopback:", &any, &info), MSDK_E_INVALID, "1..255");
  CHECK_ERROR(msdk_room_open_hub(host, "loopback:what?", &any, &info), MSDK_E_INVALID, "without");
  CHECK_ERROR(msdk_room_get_hub_info(host, "loopback:a", &info), MSDK_E_NOT_FOUND, "\"a\"");
  CHECK_ERROR(msdk_room_close_hub(host, "loopback:a"), MSDK_E_NOT_FOUND, "\"a\"");
  CHECK_OK(msdk_room_open_hub(host, "loopback:a", &any, NULL));
  CHECK_ERROR(msdk_room_open_hub(host, "loopback:a", &any, &info), MSDK_E_EXISTS, "\"a\"");
  CHECK_ERROR(msdk_room_get_hub_info(host, "loopback:a", NULL), MSDK_E_INVALID, "out");
  CHECK_OK(msdk_room_get_hub_info(host, "loopback:a", &info));
  CHECK(info.port > 0 && strlen(info.fingerprint) == 95);
  CHECK_OK(msdk_room_open_hub(host, "loopback:b", &any, &info)); /* another room, another port */
  CHECK_OK(msdk_room_close_hub(host, "loopback:a"));
  CHECK_RESULT(msdk_room_close_hub(host, "loopback:a"), MSDK_E_NOT_FOUND);
  msdk_engine_destroy(host);
  CHECK_RESULT(msdk_room_get_hub_info(host, "loopback:b", &info), MSDK_E_HANDLE);
  msdk_engine_destroy(virtual);
}

/* A member elsewhere needs nothing but the url of the info, wherever the room is open. */
static void urls_of_the_info(void) {
  static const char *addresses[] = {"127.0.0.1", "0.0.0.0", "::1", "::"};
  for (size_t i = 0; i < (has_ipv6() ? 4 : 2); i++) {
    house it = {.host = engine_new(MSDK_CLOCK_SYSTEM), .away = engine_new(MSDK_CLOCK_SYSTEM), .address = addresses[i]};
    snprintf(it.room, sizeof it.room, "%s", room_new());
    msdk_hub_options options = hub_options(addresses[i]);
    NEED(house_open(&it, &options));
    msdk_hub_info later = MSDK_INIT(msdk_hub_info);
    CHECK_OK(msdk_room_get_hub_info(it.host, it.room, &later));
    CHECK(strcmp(later.url, it.info.url) == 0);
    CHECK_STR_CONTAINS(later.url, strchr(addresses[i], ':') != NULL ? "hub://[" : "hub://");
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
  msdk_hub_options options = hub_options("127.0.0.1,::1,127.0.0.2");
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
  RUN(who_is_not_let_in);
  RUN(strangers_are_counted);
  RUN(urls);
  RUN(options_that_cannot_be);
  RUN(a_room_has_a_page);
  RUN(certificates_of_files);
  RUN(rooms_and_engines);
  RUN(urls_of_the_info);
  RUN(several_addresses);
  return check_finish();
}
