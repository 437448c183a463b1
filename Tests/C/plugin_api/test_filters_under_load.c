/* Filters that come and go while frames pass, on the system's clock: after remove and destroy none is called, and nothing is left over. */
#include "filter_classes.h"

#include <pthread.h>

typedef struct sending {
  call *call;
  atomic_int stop;
} sending;

static void *send_on(void *argument) {
  sending *it = argument;
  for (uint32_t i = 0; !atomic_load(&it->stop); i++) {
    if (send_picture(it->call->sender, i, 0, NULL) < 0) sleep_ms(1);
    msdk_video_frame *frame = NULL;
    while (msdk_incoming_video_read(it->call->incoming, 0, &frame) >= 0) msdk_video_frame_unref(frame);
    sleep_ms(1);
  }
  return NULL;
}

static msdk_result add(call *it, int incoming, msdk_instance *filter) {
  return incoming ? msdk_incoming_video_add_filter(it->incoming, filter) : msdk_outgoing_video_add_filter(it->outgoing, filter);
}
static msdk_result take_out(call *it, int incoming, msdk_instance *filter) {
  return incoming ? msdk_incoming_video_remove_filter(it->incoming, filter) : msdk_outgoing_video_remove_filter(it->outgoing, filter);
}

static void removed_means_not_called(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 4; i++) {
    msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
    msdk_outgoing_video_options options = outgoing_options(codecs[i % 2], &format, 1);
    call it = call_open(MSDK_CLOCK_SYSTEM, &options, NULL);
    filters_begin(it.engine);
    msdk_instance *filter = filter_new(it.engine, "tint", "change", 1), *steady = filter_new(it.engine, "tint", "make", 1);
    filter_sight *sight = &filter_sights[0];
    CHECK_OK(add(&it, i / 2, steady));
    sending sending = {.call = &it};
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, send_on, &sending) == 0);
    for (int round = 0; round < (under_tools() ? 10 : 40); round++) {
      atomic_store(&sight->told, 0);
      int before = atomic_load(&sight->calls);
      CHECK_OK(add(&it, i / 2, filter));
      for (int tries = 0; tries < 60000 && atomic_load(&sight->calls) == before; tries++) sleep_ms(1);
      CHECK(atomic_load(&sight->calls) > before);
      CHECK_OK(take_out(&it, i / 2, filter));
      CHECK_EQ(atomic_load(&sight->inside), 0);
      atomic_store(&sight->told, 1);
      sleep_ms(2);
    }
    CHECK_EQ(atomic_load(&sight->after), 0);
    atomic_store(&sight->told, 0);
    CHECK_OK(add(&it, i / 2, filter));
    sleep_ms(5);
    if (i % 2) msdk_instance_destroy(filter); /* while it is there and frames pass */
    if (i / 2) CHECK_OK(msdk_incoming_video_stop(it.incoming));
    else msdk_outgoing_video_destroy(it.outgoing);
    atomic_store(&sending.stop, 1);
    pthread_join(thread, NULL);
    if (!(i % 2)) msdk_instance_destroy(filter);
    call_close(&it);
    msdk_instance_destroy(steady); /* after its stream and its engine */
    CHECK_EQ(atomic_load(&sight->inits), atomic_load(&sight->releases));
  }
}

/* From the callback that is given what passed the filters: itself, and another one in its place. */
typedef struct swapping {
  call *call;
  msdk_instance *one, *other;
  atomic_int calls;
} swapping;

static void on_swap(void *user, const msdk_video_frame *frame) {
  swapping *it = user;
  (void)frame;
  int call = atomic_fetch_add(&it->calls, 1);
  msdk_instance *here = call % 2 ? it->other : it->one, *next = call % 2 ? it->one : it->other;
  CHECK_OK(msdk_incoming_video_remove_filter(it->call->incoming, here));
  CHECK_OK(msdk_incoming_video_add_filter(it->call->incoming, next));
}

static void from_a_callback(void) {
  for (uint32_t direct = 0; direct < 2; direct++) {
    msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
    msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
    msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
    receive.delivery = direct ? MSDK_DELIVERY_DIRECT : MSDK_DELIVERY_QUEUED;
    call it = call_open(MSDK_CLOCK_VIRTUAL, &options, &receive);
    filters_begin(it.engine);
    swapping swapping = {.call = &it, .one = filter_new(it.engine, "tint", "change", 1), .other = filter_new(it.engine, "tint", "make", 1)};
    CHECK_OK(msdk_incoming_video_add_filter(it.incoming, swapping.one));
    CHECK_OK(msdk_incoming_video_set_frame_callback(it.incoming, on_swap, &swapping));
    send_film(&it, 0, 20, 40 * MS, NULL);
    CHECK_EQ(atomic_load(&swapping.calls), 20);
    CHECK_EQ(atomic_load(&filter_sights[0].calls), 10);
    CHECK_EQ(atomic_load(&filter_sights[1].calls), 10);
    call_close(&it); /* the session first, then the instances */
    msdk_instance_destroy(swapping.one);
    msdk_instance_destroy(swapping.other);
  }
}

int main(int argc, char **argv) {
  RUN(removed_means_not_called);
  RUN(from_a_callback);
  return check_finish();
}
