/* What an instance tells the program, attached or not: pulled, or by callback. */
#include "device_class.h"
#include "waiting.h"

#include <pthread.h>
#include <unistd.h>

static msdk_instance_event next(msdk_instance *instance) {
  msdk_instance_event event = MSDK_INIT(msdk_instance_event);
  CHECK_OK(msdk_instance_next_event(instance, 0, &event));
  return event;
}

static void post(uint32_t what, msdk_result result, const char *text) {
  last_self->host->post_event(last_self->context, what, result, &(msdk_value){.type = MSDK_T_STRING, .u.str = text});
}

static void expect_event(msdk_instance *instance, uint32_t what, msdk_result status, const char *text) {
  msdk_instance_event event = next(instance);
  CHECK_EQ(event.event, what);
  CHECK_EQ(event.status, status);
  CHECK(event.instance == instance);
  if (!CHECK(strcmp(event.text, text) == 0)) fprintf(stderr, "  \"%s\"\n", event.text);
}

static void changes_are_told(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_instance *instance = device_new(engine);
  msdk_instance_event event = MSDK_INIT(msdk_instance_event);
  CHECK_RESULT(msdk_instance_next_event(instance, 0, &event), MSDK_E_AGAIN);
  CHECK_OK(msdk_instance_set_param_text(instance, "level", "4"));
  CHECK_RESULT(msdk_instance_set_param_text(instance, "level", "40"), MSDK_E_RANGE); /* told by the result, and by nothing else */
  last_self->level = 5;
  post(MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, "level");
  post(MSDK_PLUGIN_EVENT_USER + 7, MSDK_E_DEVICE_LOST, "gone");
  post(MSDK_PLUGIN_EVENT_CHOICES_CHANGED, MSDK_OK, "device");
  post(MSDK_PLUGIN_EVENT_CHOICES_CHANGED, MSDK_OK, "level"); /* has no choices */
  post(MSDK_PLUGIN_EVENT_CHOICES_CHANGED, MSDK_OK, "nonsense");
  post(MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, "nonsense");
  expect_event(instance, MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, "level");
  expect_event(instance, MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, "level");
  msdk_value value = {0};
  CHECK_OK(msdk_instance_get_param(instance, "level", &value, NULL, 0, NULL));
  CHECK_EQ(value.u.i32, 5);
  expect_event(instance, MSDK_PLUGIN_EVENT_USER + 7, MSDK_E_DEVICE_LOST, "gone");
  expect_event(instance, MSDK_PLUGIN_EVENT_CHOICES_CHANGED, MSDK_OK, "device");
  CHECK_RESULT(msdk_instance_next_event(instance, 0, &event), MSDK_E_AGAIN);
  CHECK_ERROR(msdk_instance_next_event(instance, 0, NULL), MSDK_E_INVALID, "out");
  event.struct_size = 4;
  post(MSDK_PLUGIN_EVENT_ENDED, MSDK_OK, "");
  CHECK_ERROR(msdk_instance_next_event(instance, 0, &event), MSDK_E_INVALID, "struct_size");
  CHECK_RESULT(msdk_instance_next_event((msdk_instance *)engine, 0, &event), MSDK_E_HANDLE);
  msdk_instance_destroy(instance);
  CHECK_RESULT(msdk_instance_next_event(instance, 0, &event), MSDK_E_HANDLE);
  msdk_engine_destroy(engine);
}

static void the_last_64_are_kept(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_instance *instance = device_new(engine);
  for (uint32_t i = 0; i < 100; i++) post(MSDK_PLUGIN_EVENT_USER + i, MSDK_OK, "");
  msdk_instance_event event = next(instance);
  CHECK_EQ(event.event, MSDK_PLUGIN_EVENT_USER + 36);
  CHECK_EQ(event.flags, MSDK_EVENT_FLAG_LOST);
  for (uint32_t i = 37; i < 100; i++) {
    event = next(instance);
    CHECK(event.event == MSDK_PLUGIN_EVENT_USER + i && event.flags == 0);
  }
  CHECK_RESULT(msdk_instance_next_event(instance, 0, &event), MSDK_E_AGAIN);
  char longest[2000];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  post(MSDK_PLUGIN_EVENT_USER, MSDK_OK, longest);
  CHECK_EQ(strlen(next(instance).text), 511);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
}

static void the_descriptor_announces_them(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_instance *instance = device_new(engine);
  int32_t descriptor = -1;
  CHECK_OK(msdk_instance_get_event_fd(instance, &descriptor));
  CHECK_ERROR(msdk_instance_get_event_fd(instance, NULL), MSDK_E_INVALID, "out");
  CHECK(!is_readable(descriptor, 0));
  post(MSDK_PLUGIN_EVENT_USER, MSDK_OK, "one");
  post(MSDK_PLUGIN_EVENT_USER, MSDK_OK, "two");
  CHECK(is_readable(descriptor, 0));
  expect_event(instance, MSDK_PLUGIN_EVENT_USER, MSDK_OK, "one");
  CHECK(is_readable(descriptor, 0));
  expect_event(instance, MSDK_PLUGIN_EVENT_USER, MSDK_OK, "two");
  CHECK(!is_readable(descriptor, 0));
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
}

static void an_attached_one_tells_its_session_too(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_instance *instance = device_new(it.engine);
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, instance));
  CHECK_OK(msdk_instance_set_param_text(instance, "level", "7"));
  run_for(it.engine, 10 * MS);
  msdk_event event;
  CHECK(event_take(it.alice, MSDK_EVENT_PLUGIN, &event));
  CHECK(event.instance == instance);
  CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_PARAM_CHANGED);
  CHECK(strcmp(event.text, "level") == 0);
  expect_event(instance, MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, "level");
  CHECK_OK(msdk_outgoing_video_detach_producer(it.outgoing));
  msdk_instance_destroy(instance);
  call_close(&it);
}

typedef struct witness {
  msdk_instance *instance;
  atomic_int count, inside, hold;
  atomic_int let_go;
  pthread_t thread;
  int destroys, sets, replaces;
  char text[512];
} witness;

static void on_event(void *user, const msdk_instance_event *event) {
  witness *it = user;
  CHECK_EQ(atomic_fetch_add(&it->inside, 1), 0);
  CHECK_EQ(event->struct_size, sizeof *event);
  it->thread = pthread_self();
  snprintf(it->text, sizeof it->text, "%s", event->text);
  atomic_fetch_add(&it->count, 1);
  while (atomic_load(&it->hold) && !atomic_load(&it->let_go)) usleep(1000);
  if (it->sets-- > 0) CHECK_OK(msdk_instance_set_param_text(event->instance, "level", "1"));
  if (it->replaces-- > 0) CHECK_OK(msdk_instance_set_event_callback(event->instance, NULL, NULL));
  if (it->destroys) msdk_instance_destroy(event->instance);
  atomic_fetch_sub(&it->inside, 1);
}

static void with_a_virtual_clock_inside_advance(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_instance *instance = device_new(engine);
  witness it = {.sets = 1};
  post(MSDK_PLUGIN_EVENT_USER, MSDK_OK, "before");
  CHECK_OK(msdk_instance_set_event_callback(instance, on_event, &it));
  CHECK_EQ(atomic_load(&it.count), 0);
  CHECK_OK(msdk_engine_advance_clock(engine, MS)); /* what waited, and what the callback itself brought about */
  CHECK_EQ(atomic_load(&it.count), 2);
  CHECK(strcmp(it.text, "level") == 0);
  CHECK(pthread_equal(it.thread, pthread_self()));
  msdk_instance_event event = MSDK_INIT(msdk_instance_event);
  CHECK_ERROR(msdk_instance_next_event(instance, 0, &event), MSDK_E_STATE, "callback");
  CHECK_OK(msdk_instance_set_event_callback(instance, NULL, NULL));
  post(MSDK_PLUGIN_EVENT_USER, MSDK_OK, "after");
  CHECK_OK(msdk_engine_advance_clock(engine, MS));
  CHECK_EQ(atomic_load(&it.count), 2);
  expect_event(instance, MSDK_PLUGIN_EVENT_USER, MSDK_OK, "after");
  it.replaces = 1;
  CHECK_OK(msdk_instance_set_event_callback(instance, on_event, &it));
  post(MSDK_PLUGIN_EVENT_USER, MSDK_OK, "one");
  post(MSDK_PLUGIN_EVENT_USER, MSDK_OK, "two");
  CHECK_OK(msdk_engine_advance_clock(engine, MS));
  CHECK_EQ(atomic_load(&it.count), 3);
  expect_event(instance, MSDK_PLUGIN_EVENT_USER, MSDK_OK, "two");
  CHECK_RESULT(msdk_instance_set_event_callback(NULL, on_event, &it), MSDK_E_HANDLE);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
}

static void wait_for(atomic_int *value, int least) {
  for (int tries = 0; tries < 20000 && atomic_load(value) < least; tries++) usleep(1000);
  CHECK(atomic_load(value) >= least);
}

static void *let_go_soon(void *argument) {
  witness *it = argument;
  usleep(50000);
  atomic_store(&it->let_go, 1);
  return NULL;
}

/* After destroy, and after a callback was taken away, none is running. */
static void the_end_waits_for_a_running_callback(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  for (int destroys = 0; destroys < 2; destroys++) {
    msdk_instance *instance = NULL;
    if (destroys) CHECK_OK(msdk_instance_create(engine, "org.mediasdk.test.device", NULL, &instance));
    if (!destroys) instance = device_new(engine);
    witness it = {.hold = 1};
    pthread_t helper;
    CHECK_OK(msdk_instance_set_event_callback(instance, on_event, &it));
    post(MSDK_PLUGIN_EVENT_USER, MSDK_OK, "");
    post(MSDK_PLUGIN_EVENT_USER, MSDK_OK, "");
    wait_for(&it.count, 1);
    CHECK(!pthread_equal(it.thread, pthread_self()));
    NEED(pthread_create(&helper, NULL, let_go_soon, &it) == 0);
    if (destroys) {
      msdk_instance_destroy(instance);
    } else {
      CHECK_OK(msdk_instance_set_event_callback(instance, NULL, NULL));
    }
    CHECK_EQ(atomic_load(&it.inside), 0);
    int count = atomic_load(&it.count);
    usleep(20000);
    CHECK_EQ(atomic_load(&it.count), count);
    pthread_join(helper, NULL);
    if (!destroys) msdk_instance_destroy(instance);
  }
  msdk_engine_destroy(engine);
}

static void destroyed_inside_its_own_callback(void) {
  for (uint32_t clock = MSDK_CLOCK_SYSTEM; clock <= MSDK_CLOCK_VIRTUAL; clock++) {
    msdk_engine *engine = engine_new(clock);
    msdk_instance *instance = device_new(engine);
    witness it = {.destroys = 1};
    CHECK_OK(msdk_instance_set_event_callback(instance, on_event, &it));
    CHECK_OK(msdk_instance_set_param_text(instance, "level", "2"));
    if (clock == MSDK_CLOCK_VIRTUAL) CHECK_OK(msdk_engine_advance_clock(engine, MS));
    wait_for(&it.count, 1);
    msdk_engine_destroy(engine);
    for (int tries = 0; tries < 20000 && atomic_load(&it.inside) > 0; tries++) usleep(1000);
    CHECK_EQ(atomic_load(&it.count), 1);
    CHECK_EQ(atomic_load(&it.inside), 0);
  }
}

static void *wait_for_an_event(void *argument) {
  msdk_instance_event event = MSDK_INIT(msdk_instance_event);
  return (void *)(intptr_t)msdk_instance_next_event(argument, 20000, &event);
}

static void the_end_wakes_those_who_wait(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_instance *instance = device_new(engine);
  pthread_t waiter;
  void *result = NULL;
  NEED(pthread_create(&waiter, NULL, wait_for_an_event, instance) == 0);
  usleep(50000);
  msdk_instance_destroy(instance);
  pthread_join(waiter, &result);
  CHECK((intptr_t)result == MSDK_E_CLOSED || (intptr_t)result == MSDK_E_HANDLE);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(changes_are_told);
  RUN(the_last_64_are_kept);
  RUN(the_descriptor_announces_them);
  RUN(an_attached_one_tells_its_session_too);
  RUN(with_a_virtual_clock_inside_advance);
  RUN(the_end_waits_for_a_running_callback);
  RUN(destroyed_inside_its_own_callback);
  RUN(the_end_wakes_those_who_wait);
  return check_finish();
}
