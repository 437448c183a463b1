/* room.h: requests to enter that are pulled, or answered later. */
#include "access.h"
#include "waiting.h"

#include <pthread.h>

static const msdk_access_grant *granted(uint32_t permissions) {
  static msdk_access_grant grant;
  grant = MSDK_INIT(msdk_access_grant);
  grant.permissions = permissions;
  return &grant;
}

static void requests_are_pulled(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM), *other = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  msdk_access_request request = MSDK_INIT(msdk_access_request), second = MSDK_INIT(msdk_access_request);
  CHECK_RESULT(msdk_room_next_request(engine, url, 0, &request), MSDK_E_STATE);
  options.pulled = 1;
  CHECK_OK(msdk_room_configure(engine, url, &options));
  CHECK_RESULT(msdk_room_next_request(engine, url, 0, &request), MSDK_E_AGAIN);
  CHECK_RESULT(msdk_room_next_request(other, url, 0, &request), MSDK_E_STATE);
  msdk_session *alice = session_with(engine, url, "alice", TOKEN), *bob = session_with(other, url, "bob", NULL);
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &request));
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &second));
  if (strcmp(request.user_id, "alice") != 0) { /* engines are not in step */
    msdk_access_request swap = request;
    request = second;
    second = swap;
  }
  CHECK(strcmp(request.user_id, "alice") == 0 && strcmp(request.display_name, "alice") == 0);
  CHECK(strcmp(request.access_token, TOKEN) == 0 && strcmp(second.access_token, "") == 0);
  CHECK_EQ(request.permissions, 47);
  CHECK_RESULT(msdk_room_answer(engine, url, request.id + second.id, MSDK_OK, NULL), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_room_answer(engine, url, request.id, MSDK_OK, granted(64)), MSDK_E_UNSUPPORTED, "permissions");
  CHECK_ERROR(msdk_room_answer(engine, url, request.id, MSDK_E_AGAIN, NULL), MSDK_E_INVALID, "MSDK_E_AGAIN");
  CHECK_ERROR(msdk_room_answer(engine, url, request.id, 1, NULL), MSDK_E_INVALID, "result is 1");
  CHECK_RESULT(msdk_room_answer(other, url, request.id, MSDK_OK, NULL), MSDK_E_NOT_FOUND);
  CHECK(is_state(alice, MSDK_SESSION_CONNECTING));
  CHECK_OK(msdk_room_answer(engine, url, second.id, MSDK_E_PERMISSION, NULL)); /* in any order */
  CHECK_EQ(refusal(other, bob).status, MSDK_E_PERMISSION);
  CHECK_OK(msdk_room_answer(engine, url, request.id, MSDK_OK, granted(MSDK_MAY_RECEIVE)));
  CHECK_RESULT(msdk_room_answer(engine, url, request.id, MSDK_OK, granted(MSDK_MAY_RECEIVE)), MSDK_E_NOT_FOUND); /* once */
  CHECK(state_wait(engine, alice, MSDK_SESSION_CONNECTED));
  CHECK_EQ(permissions_of(alice, "alice"), MSDK_MAY_RECEIVE);
  CHECK_OK(msdk_session_connect(bob));
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &request));
  CHECK_OK(msdk_session_disconnect(bob)); /* does not wait for it */
  CHECK_RESULT(msdk_room_answer(engine, url, request.id, MSDK_OK, granted(15)), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_session_connect(bob));
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &request));
  CHECK_OK(msdk_room_configure(engine, url, &options)); /* set anew: asked anew */
  CHECK_RESULT(msdk_room_answer(engine, url, request.id, MSDK_OK, granted(15)), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &second));
  CHECK(second.id != request.id && strcmp(second.user_id, "bob") == 0);
  CHECK_OK(msdk_room_configure(engine, url, NULL)); /* open: bob is in without an answer */
  CHECK(state_wait(other, bob, MSDK_SESSION_CONNECTED));
  msdk_engine_destroy(engine);
  msdk_engine_destroy(other);
}

static void the_descriptor_announces_them(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  msdk_access_request request = MSDK_INIT(msdk_access_request);
  int32_t descriptor = -1;
  CHECK_ERROR(msdk_room_get_request_fd(engine, url, &descriptor), MSDK_E_STATE, "room_url");
  options.pulled = 1;
  CHECK_OK(msdk_room_configure(engine, url, &options));
  CHECK_OK(msdk_room_get_request_fd(engine, url, &descriptor));
  CHECK_ERROR(msdk_room_get_request_fd(engine, url, NULL), MSDK_E_INVALID, "out");
  CHECK_ERROR(msdk_room_get_request_fd(engine, NULL, &descriptor), MSDK_E_INVALID, "room_url");
  CHECK(!is_readable(descriptor, 0));
  msdk_session *alice = session_with(engine, url, "alice", NULL), *bob = session_with(engine, url, "bob", NULL);
  run_for(engine, 10 * MS);
  CHECK(is_readable(descriptor, 0));
  CHECK_OK(msdk_room_next_request(engine, url, 0, &request));
  CHECK(is_readable(descriptor, 0)); /* bob's */
  CHECK_OK(msdk_session_disconnect(bob)); /* who does not wait for it */
  CHECK(!is_readable(descriptor, 0));
  CHECK_OK(msdk_room_answer(engine, url, request.id, MSDK_OK, NULL));
  CHECK(state_wait(engine, alice, MSDK_SESSION_CONNECTED));
  msdk_engine_destroy(engine);
}

typedef struct waiter {
  msdk_engine *engine;
  const char *url;
  atomic_int is_waiting, result;
} waiter;

static void *wait_for_request(void *argument) {
  waiter *it = argument;
  msdk_access_request request = MSDK_INIT(msdk_access_request);
  atomic_store(&it->is_waiting, 1);
  atomic_store(&it->result, msdk_room_next_request(it->engine, it->url, MSDK_WAIT_FOREVER, &request));
  return NULL;
}

static void whoever_waits_for_requests_is_told_of_the_end(void) {
  for (int destroys = 0; destroys < 2; destroys++) {
    waiter it = {.url = room_new(), .engine = engine_new(MSDK_CLOCK_SYSTEM), .result = 1};
    msdk_room_options options = MSDK_INIT(msdk_room_options);
    options.pulled = 1;
    CHECK_OK(msdk_room_configure(it.engine, it.url, &options));
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_request, &it);
    WAIT_UNTIL(atomic_load(&it.is_waiting) == 1);
    sleep_ms(20);
    if (destroys) {
      msdk_engine_destroy(it.engine);
    } else {
      CHECK_OK(msdk_room_configure(it.engine, it.url, NULL));
    }
    pthread_join(thread, NULL);
    int result = atomic_load(&it.result); /* a thread that was late finds no engine, or no such room */
    CHECK(result == MSDK_E_CLOSED || result == MSDK_E_HANDLE || result == MSDK_E_STATE);
    if (!destroys) msdk_engine_destroy(it.engine);
  }
}

static msdk_result verify_later(void *user, const msdk_access_request *request, msdk_access_grant *grant) {
  (void)grant;
  atomic_store((atomic_ullong *)user, request->id);
  return MSDK_E_AGAIN;
}

static void a_verifier_that_answers_later(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  atomic_ullong id = 0;
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.verify = verify_later;
  options.user = &id;
  CHECK_OK(msdk_room_configure(engine, url, &options));
  msdk_session *alice = session_with(engine, url, "alice", TOKEN);
  run_for(engine, SECOND);
  CHECK(is_state(alice, MSDK_SESSION_CONNECTING));
  msdk_access_request request = MSDK_INIT(msdk_access_request);
  CHECK_RESULT(msdk_room_next_request(engine, url, 0, &request), MSDK_E_STATE); /* not pulled */
  CHECK_OK(msdk_room_answer(engine, url, atomic_load(&id), MSDK_OK, granted(63)));
  run_for(engine, MS);
  CHECK_EQ(permissions_of(alice, "alice"), 63);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(requests_are_pulled);
  RUN(the_descriptor_announces_them);
  RUN(whoever_waits_for_requests_is_told_of_the_end);
  RUN(a_verifier_that_answers_later);
  return check_finish();
}
