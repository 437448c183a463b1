/* Producers of encoded frames in processes of their own, asked for frames and delivering them: frames of every length arrive as they were made, one
 * by one and in order; requests for key frames get there; and one that dies comes back with a key frame. */
#include "camera_frames.h"
#include "isolating.h"

enum { MANY = 4, BURST = 24, ROUNDS = 5 }; /* with what the rounds let go, never more than the 60 that are queued for read */
static const char *const ids[] = {"org.mediasdk.camera.pull", "org.mediasdk.camera.push"};
static uint8_t expected[16 << 20];

typedef struct scene {
  call call;
  msdk_instance *camera;
  uint32_t size;     /* of the next frames */
  camera_frame last; /* that arrived */
} scene;

static int32_t number_of(msdk_instance *instance, const char *name) {
  msdk_value value;
  return CHECK_OK(msdk_instance_get_param(instance, name, &value, NULL, 0, NULL)) ? value.u.i32 : -1;
}

static void set_number(msdk_instance *instance, const char *name, uint32_t number) {
  char text[16];
  snprintf(text, sizeof text, "%u", number);
  set(instance, name, text);
}

static void size_set(scene *it, uint32_t size) {
  it->size = size;
  set_number(it->camera, "size", size);
}

static void let_go(scene *it, uint32_t frames) { set_number(it->camera, "go", frames); }

static scene scene_open(const char *id) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, CAMERA_WIDTH, CAMERA_HEIGHT, 25);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.encoded_input = 1;
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.output = MSDK_OUTPUT_ENCODED;
  scene it = {.call = call_open(MSDK_CLOCK_SYSTEM, &options, &receive)};
  loaded_engine(it.call.engine);
  it.camera = isolated(it.call.engine, id, 30000);
  size_set(&it, CAMERA_LEAST);
  set(it.camera, "mark", mark);
  unlink(mark);
  return it;
}

static void scene_close(scene *it) {
  CHECK_EQ(number_of(it->camera, "refused"), 0);
  msdk_instance_destroy(it->camera);
  call_close(&it->call);
}

/* The next frame, of which every byte is looked at; whether it came and was right. */
static int arrives(scene *it) {
  msdk_encoded_frame *frame = NULL;
  if (!CHECK_OK(msdk_incoming_video_read_encoded(it->call.incoming, 60000, &frame))) return 0;
  int is_right = CHECK_EQ(frame->size, it->size);
  if (is_right) {
    memcpy(&it->last, frame->data + CAMERA_NUMBERS, sizeof it->last);
    camera_fill(expected, it->size, &it->last);
    is_right = CHECK(memcmp(frame->data, expected, it->size) == 0);
    CHECK_EQ((frame->flags & MSDK_ENCODED_KEY) != 0, it->last.is_key);
    CHECK_EQ(frame->codec, MSDK_CODEC_VP8);
    CHECK(frame->width == CAMERA_WIDTH && frame->height == CAMERA_HEIGHT);
    CHECK(it->last.process != (uint32_t)getpid());
  }
  CHECK_OK(msdk_encoded_frame_unref(frame));
  return is_right;
}

static int next_arrives(scene *it) {
  let_go(it, 1);
  return arrives(it);
}

/* Some before and after what a message holds, in an order that has slots grow and be larger than what is in them. */
static void every_length_arrives_in_order(void) {
  static const uint32_t sizes[] = {CAMERA_LEAST, 80 << 10, (80 << 10) + 1, 200000, 1 << 20, 81921, 40, 5 << 20, 16 << 20, 1 << 20};
  for (size_t kind = 0; kind < MSDK_COUNT(ids); kind++) {
    check_case = ids[kind];
    scene it = scene_open(ids[kind]);
    CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.camera));
    uint32_t number = 0;
    for (size_t i = 0; i < MSDK_COUNT(sizes); i++) {
      size_set(&it, sizes[i]);
      for (uint32_t n = 0; n < (sizes[i] > 1 << 20 ? 2 : MANY); n++, number++) {
        NEED(next_arrives(&it));
        CHECK_EQ(it.last.number, number);
        CHECK_EQ(it.last.is_key, number == 0);
      }
    }
    scene_close(&it);
  }
}

/* More than there are slots, of a thread that waits for nothing but the host's answer. */
static void a_burst_of_large_ones_is_complete(void) {
  scene it = scene_open(ids[1]);
  size_set(&it, 1 << 20);
  CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.camera));
  let_go(&it, BURST);
  for (uint32_t n = 0; n < BURST; n++) {
    NEED(arrives(&it));
    CHECK_EQ(it.last.number, n);
  }
  scene_close(&it);
}

/* Of the receiver, and of the program that sends; between small frames and between large ones. */
static void requests_reach_it(void) {
  for (size_t kind = 0; kind < MSDK_COUNT(ids); kind++) {
    check_case = ids[kind];
    scene it = scene_open(ids[kind]);
    CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.camera));
    NEED(next_arrives(&it) && next_arrives(&it));
    CHECK_EQ(it.last.requests, 0); /* it begins with one by itself */
    for (int32_t request = 1; request <= 4; request++) {
      size_set(&it, request % 2 ? 1 << 20 : CAMERA_LEAST);
      NEED(next_arrives(&it));
      CHECK_EQ(it.last.is_key, 0);
      if (request <= 2) CHECK_OK(msdk_incoming_video_request_key_frame(it.call.incoming));
      else CHECK_OK(msdk_outgoing_video_request_key_frame(it.call.outgoing));
      for (int tries = 0; tries < 12000 && number_of(it.camera, "requests") < request; tries++) sleep_ms(5);
      NEED(next_arrives(&it));
      CHECK_EQ(it.last.requests, (uint32_t)request);
      CHECK_EQ(it.last.is_key, 1);
      NEED(next_arrives(&it));
      CHECK_EQ(it.last.is_key, 0);
    }
    scene_close(&it);
  }
}

/* It dies with a frame in its hands, which is lost; what was let go then is made by its next life. */
static void what_comes_back_begins_with_a_key_frame(void) {
  static const uint32_t sizes[] = {1000, 1 << 20};
  for (size_t n = 0; n < MSDK_COUNT(ids) * MSDK_COUNT(sizes); n++) {
    check_case = ids[n / MSDK_COUNT(sizes)];
    scene it = scene_open(ids[n / MSDK_COUNT(sizes)]);
    size_set(&it, sizes[n % MSDK_COUNT(sizes)]);
    set_number(it.camera, "crash_at", 5);
    CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.camera));
    for (uint32_t i = 0; i < 5; i++) NEED(next_arrives(&it));
    uint32_t before = it.last.process;
    CHECK_EQ(it.last.number, 4);
    let_go(&it, 1);
    CHECK(told(&it.call, MSDK_PLUGIN_EVENT_DIED, "SIGSEGV"));
    CHECK(told(&it.call, MSDK_PLUGIN_EVENT_RESTARTED, NULL));
    NEED(arrives(&it)); /* its parameters are set again, "go" among them */
    CHECK(it.last.process != before);
    CHECK_EQ(it.last.number, 0);
    CHECK_EQ(it.last.is_key, 1);
    for (uint32_t i = 1; i < 10; i++) {
      NEED(next_arrives(&it));
      CHECK_EQ(it.last.number, i);
      CHECK_EQ(it.last.is_key, 0);
    }
    scene_close(&it);
  }
}

/* Stopped while its thread is delivering; then it is as good as new. What was let go and not made is made then. */
static void stopped_in_the_middle_it_starts_again(void) {
  for (size_t kind = 0; kind < MSDK_COUNT(ids); kind++) {
    check_case = ids[kind];
    scene it = scene_open(ids[kind]);
    size_set(&it, 1 << 20);
    uint32_t process = 0;
    for (int round = 0; round < ROUNDS; round++) {
      CHECK_OK(msdk_outgoing_video_attach_producer(it.call.outgoing, it.camera));
      let_go(&it, 50 / ROUNDS);
      do NEED(arrives(&it)); while (it.last.number != 0); /* what waited of the round before */
      CHECK_EQ(it.last.is_key, 1);
      if (round == 0) process = it.last.process;
      CHECK_EQ(it.last.process, process);
      NEED(arrives(&it) && it.last.number == 1);
      CHECK_OK(msdk_outgoing_video_detach_producer(it.call.outgoing));
    }
    scene_close(&it);
  }
}

int main(int argc, char **argv) {
  isolating_begin();
  const char *built = getenv("MSDK_TEST_ISOLATED");
  snprintf(plugin, sizeof plugin, "%s/camera.so", built != NULL ? built : ".");
  RUN(every_length_arrives_in_order);
  RUN(a_burst_of_large_ones_is_complete);
  RUN(requests_reach_it);
  RUN(stopped_in_the_middle_it_starts_again);
  RUN(what_comes_back_begins_with_a_key_frame);
  unlink(mark);
  return check_finish();
}
