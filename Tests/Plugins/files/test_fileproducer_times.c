/* When the frames of an IVF file are shown: stamps of every kind, frames that are not shown, hosts that come early and late. */
#define _XOPEN_SOURCE 700
#include "fileproducer_play.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
enum { IVF_HEADER = 32, SHOWN = 0x10, MOST = 64 };

static uint8_t *bunny;
static size_t bunny_size;

typedef struct packet {
  int64_t stamp; /* in milliseconds */
  int hidden;
} packet;

/* The film's first frames with these stamps. */
static void write_film(const packet *packets, uint32_t count) {
  size_t from = IVF_HEADER, to = IVF_HEADER;
  memcpy(big, bunny, IVF_HEADER);
  put_u32(big + 16, 1000);
  put_u32(big + 20, 1);
  for (uint32_t i = 0; i < count; i++) {
    size_t size = 12 + u32_at(bunny + from);
    memcpy(big + to, bunny + from, size);
    put_u32(big + to + 4, (uint32_t)packets[i].stamp);
    put_u32(big + to + 8, (uint32_t)(packets[i].stamp >> 32));
    if (packets[i].hidden) big[to + 12] &= (uint8_t)~SHOWN;
    from += size;
    to += size;
  }
  write_file(host_path("t.ivf"), big, to);
}

/* Plays it as the host does, and compares the times, in milliseconds after the first; those after the last are not looked at. */
static void check_times(host_instance *instance, const int64_t *wanted, uint32_t count, int loop) {
  int64_t first = 0;
  for (uint32_t i = 0; i < count; i++) {
    msdk_video_frame *frame = NULL;
    int64_t due = play_due;
    msdk_result result = ask(instance, &frame);
    CHECK_EQ(result, MSDK_OK);
    if (result != MSDK_OK) return;
    if (i == 0) first = frame->timestamp_ns;
    CHECK_EQ(frame->timestamp_ns, due);
    CHECK_EQ(frame->timestamp_ns - first, wanted[i] * MS);
    CHECK_EQ((frame->flags & MSDK_FRAME_END) != 0, !loop && i == count - 1);
    host_unref(frame);
  }
}

static void test_times(void) {
  static const struct { packet packets[8]; uint32_t count; int64_t times[8]; uint32_t shown, warnings; } table[] = {
    {{{7, 0}, {47, 0}, {3087, 0}, {3100, 0}, {3600, 0}}, 5, {0, 40, 3080, 3093, 3593}, 5, 0},
    {{{0, 0}, {1, 1}, {40, 0}, {80, 0}, {81, 1}, {120, 0}}, 6, {0, 40, 80, 120}, 4, 0},   /* hidden ones just after those before */
    {{{0, 0}, {40, 1}, {40, 0}, {80, 0}, {120, 1}, {120, 0}}, 6, {0, 40, 80, 120}, 4, 0}, /* or with those after */
    {{{0, 0}, {9999999, 1}, {40, 0}, {80, 0}, {80, 1}}, 5, {0, 40, 80}, 3, 0},                /* anywhere, and at the end */
    {{{0, 0}, {40, 0}, {80, 0}, {80, 0}, {120, 0}}, 5, {0, 40, 80, 120, 160}, 5, 1},          /* repeats */
    {{{0, 0}, {40, 0}, {80, 0}, {20, 0}, {60, 0}}, 5, {0, 40, 80, 120, 160}, 5, 1},           /* goes back */
    {{{0, 0}, {40, 0}, {80, 0}, {36000000, 0}, {36000050, 0}}, 5, {0, 40, 80, 120, 170}, 5, 1}, /* ten hours */
    {{{-40, 0}, {0, 0}, {40, 0}, {80, 0}, {120, 0}}, 5, {0, 40, 80, 120, 160}, 5, 1},
    {{{5, 0}, {5, 0}, {5, 0}, {5, 0}}, 4, {0, 40, 80, 120}, 4, 1}, /* no times at all: 25 a second */
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    write_film(table[i].packets, table[i].count);
    host_instance instance;
    CHECK_EQ(start(&instance, host_path("t.ivf"), 0), MSDK_OK);
    check_times(&instance, table[i].times, table[i].shown, 0);
    CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, table[i].warnings), table[i].warnings);
    host_finish(&instance);
  }
}

static void test_time_base_of_nothing(void) {
  static const int64_t times[] = {0, 40, 80, 120};
  for (size_t at = 16; at <= 20; at += 4) {
    write_film((const packet[]){{0, 0}, {1000, 0}, {1, 0}, {5000, 0}}, 4);
    put_u32(big + at, 0);
    size_t size = IVF_HEADER;
    for (int i = 0; i < 4; i++) size += 12 + u32_at(big + size);
    write_file(host_path("t.ivf"), big, size);
    host_instance instance;
    CHECK_EQ(start(&instance, host_path("t.ivf"), 0), MSDK_OK);
    check_times(&instance, times, 4, 0);
    host_finish(&instance);
  }
}

/* Where a unit is a frame, muxers whose stamps must rise count hidden frames. */
static void test_counted_hidden_frames(void) {
  packet packets[MOST];
  int64_t times[MOST];
  uint32_t shown = 0;
  for (uint32_t i = 0; i < 20; i++) {
    packets[i] = (packet){i, i % 7 == 1 || i == 16};
    if (!packets[i].hidden) times[shown] = shown * 40, shown++;
  }
  packets[19].stamp += 25; /* a pause stays one */
  times[shown - 1] += 25 * 40;
  write_film(packets, 20);
  size_t size = IVF_HEADER;
  for (int i = 0; i < 20; i++) size += 12 + u32_at(big + size);
  put_u32(big + 16, 25);
  write_file(host_path("t.ivf"), big, size);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("t.ivf"), 0), MSDK_OK);
  check_times(&instance, times, shown, 0);
  host_finish(&instance);
}

static void test_loop(void) {
  static const packet packets[] = {{100, 0}, {101, 1}, {140, 0}, {1180, 0}, {1220, 0}, {1220, 1}};
  int64_t times[12];
  for (int i = 0; i < 12; i++) times[i] = i / 4 * 1160 + packets[i % 4 + (i % 4 > 0)].stamp - 100;
  write_film(packets, 6);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("t.ivf"), 1), MSDK_OK);
  check_times(&instance, times, 12, 1);
  host_finish(&instance);
}

static void test_too_many_hidden_frames(void) {
  packet packets[MOST];
  for (uint32_t i = 0; i < 30; i++) packets[i] = (packet){40 * i, i > 0 && i < 29};
  write_film(packets, 30);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("t.ivf"), 0), MSDK_OK);
  tally seen = play(&instance, 100);
  CHECK_EQ(seen.good, 2);
  CHECK(seen.again >= 3); /* not all decoded in one call */
  CHECK_EQ(seen.last, MSDK_E_CLOSED);
  host_finish(&instance);

  packets[0].hidden = 1;
  write_film(packets, 29);
  check_refused(host_path("t.ivf"), MSDK_E_CORRUPT, "none of the file's first 29 frames is meant to be shown");
}

/* A file that has a time at which it begins: its frames have the times that follow from it, whenever the host begins to ask. */
static void test_start(void) {
  static const packet packets[] = {{0, 0}, {40, 0}, {80, 0}, {120, 0}};
  static const struct {
    int64_t start_ns, first_ns; /* first_ns: 0, when it is asked for */
  } table[] = {{0, 0}, {PLAY_TICK_NS - 10 * MS, PLAY_TICK_NS - 10 * MS}, {PLAY_TICK_NS + 95 * MS, PLAY_TICK_NS + 95 * MS}};
  write_film(packets, 4);
  for (size_t t = 0; t < MSDK_COUNT(table); t++) {
    for (int64_t late = 0; late <= 2 * SECOND; late += SECOND) {
      host_instance instance;
      host_create(&instance, class);
      CHECK_EQ(host_set_string(&instance, "path", host_path("t.ivf")), MSDK_OK);
      CHECK_EQ(host_set_u64(&instance, "start_ns", (uint64_t)table[t].start_ns), MSDK_OK);
      CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
      CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
      play_due = PLAY_TICK_NS + late;
      int64_t first = table[t].start_ns == 0 || play_due - table[t].start_ns > SECOND ? play_due : table[t].first_ns;
      for (int frames = 0; frames < 4;) {
        msdk_video_frame *frame = NULL;
        msdk_result result = ask(&instance, &frame);
        if (result == MSDK_E_AGAIN) continue;
        CHECK_EQ(result, MSDK_OK);
        if (result != MSDK_OK) break;
        CHECK_EQ(frame->timestamp_ns, first + 40 * MS * frames);
        frames++;
        host_unref(frame);
      }
      host_finish(&instance);
    }
  }
}

/* Hosts that ask at the frame rate only, and such as come late. */
static void test_hosts(void) {
  packet packets[MOST];
  for (uint32_t i = 0; i < MOST; i++) packets[i] = (packet){40 * i + (i >= 10 ? 1000 : 0), 0};
  write_film(packets, MOST);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("t.ivf"), 0), MSDK_OK);
  msdk_video_frame *frame = NULL;
  uint32_t shown = 0;
  for (int64_t tick = 0; tick < 45; tick++) { /* 10 frames, a second and 10 more */
    int64_t due = 5 * SECOND + tick * 40 * MS;
    msdk_result result = producer->produce_frame(instance.self, due, &frame);
    CHECK_EQ(result, tick < 10 || tick >= 35 ? MSDK_OK : MSDK_E_AGAIN);
    if (result != MSDK_OK) continue;
    CHECK_EQ(frame->timestamp_ns, due);
    host_unref(frame);
    shown++;
  }
  CHECK_EQ(shown, 20);

  /* Half a second late: the frames are late, not their times, and the host is to make up for it. */
  int64_t late = 5 * SECOND + 45 * 40 * MS;
  CHECK_EQ(producer->produce_frame(instance.self, late + 500 * MS, &frame), MSDK_OK);
  CHECK_EQ(frame->timestamp_ns, late);
  CHECK_EQ(frame->duration_ns, 1);
  host_unref(frame);
  CHECK_EQ(producer->produce_frame(instance.self, late + 501 * MS, &frame), MSDK_OK);
  CHECK_EQ(frame->timestamp_ns, late + 40 * MS);
  host_unref(frame);

  /* Over a second late: the film goes on from there. */
  int64_t anew = late + 80 * MS + 1001 * MS;
  CHECK_EQ(producer->produce_frame(instance.self, anew, &frame), MSDK_OK);
  CHECK_EQ(frame->timestamp_ns, anew);
  CHECK_EQ(frame->duration_ns, 40 * MS);
  host_unref(frame);
  CHECK_EQ(producer->produce_frame(instance.self, anew + 39 * MS, &frame), MSDK_E_AGAIN);

  /* So it does after a stop. */
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->produce_frame(instance.self, anew + 39 * MS, &frame), MSDK_OK);
  CHECK_EQ(frame->timestamp_ns, anew + 39 * MS);
  host_unref(frame);
  host_finish(&instance);
}

/* Of a film of 25 and then 5 a second at 10: every 2.5th frame, and then all. */
static void test_thinned_out(void) {
  packet packets[20];
  for (uint32_t i = 0; i < 20; i++) packets[i] = (packet){i < 15 ? 40 * i : 600 + 200 * (i - 15), 0};
  write_film(packets, 20);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("t.ivf"), 0), MSDK_OK);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 1280, 720);
  format.fps_num = 10;
  format.fps_den = 1;
  CHECK_EQ(producer->set_format(instance.self, &format), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  static const int64_t times[] = {0, 80, 200, 280, 400, 480, 600, 800, 1000, 1200, 1400};
  check_times(&instance, times, 11, 0);
  host_finish(&instance);
}

int main(int argc, char **argv) {
  load_producer(argc, argv);
  bunny = read_file(media_path("bunny-720p25.ivf"), &bunny_size);
  test_times();
  test_time_base_of_nothing();
  test_counted_hidden_frames();
  test_loop();
  test_too_many_hidden_frames();
  test_start();
  test_hosts();
  test_thinned_out();
  free(bunny);
  return check_done();
}
