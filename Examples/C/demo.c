/* The demonstration: two participants of one call in one process, a clip sent as VP8 and its audio as Opus, received, drawn in black and
 * white, and recorded.
 *
 *     demo --input CLIP --plugins DIR --output DIR [--sound WAV] [--codec-audio opus|raw] [--seconds N]
 *
 *     clip -> producer.file -> alice's video --VP8--> bob's video -> renderer.bw -> renderer.file  bw.png
 *                                   |                     |  |                   -> renderer.file  bw.y4m
 *                              preview (ours)       read (ours) \
 *                                   +------ PSNR ---------+      renderer.recorder  call.webm
 *                                                               /
 *     WAV  -> producer.wav  -> alice's audio --Opus-> bob's audio -> read (ours): its likeness to the file
 *
 * The clip is a Y4M file, or an IVF file with VP8. Everything but alice, bob and the comparisons is plugins; the preview is a renderer
 * class of this program's own, which is the same contract. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "likeness.h"

#define SECOND INT64_C(1000000000)
enum { IMAGE_FRAME = 60, VIDEO_FRAMES = 50 };
#define SOON_NS (SECOND / 20) /* in which both producers are attached */

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "demo: %s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

/* ------------------------------------------------------------------------------------- the luma that was sent, by timestamp */

enum { KEPT = 24 };

typedef struct kept_luma {
  pthread_mutex_t lock;
  struct { int64_t timestamp_ns; uint32_t width, height; uint8_t *luma; } kept[KEPT];
  int next;
  double squares; /* sum of the squared differences of all frames compared, and of how many pixels */
  uint64_t pixels, frames;
} kept_luma;
static kept_luma sent = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const uint8_t *row_of(const msdk_video_frame *frame, uint32_t y) {
  return frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
}

static void keep_luma(kept_luma *it, const msdk_video_frame *frame) {
  uint32_t width = frame->format->width, height = frame->format->height;
  pthread_mutex_lock(&it->lock);
  int place = it->next;
  if (it->kept[place].width != width || it->kept[place].height != height) {
    free(it->kept[place].luma);
    it->kept[place].luma = malloc((size_t)width * height);
  }
  it->kept[place].width = it->kept[place].luma != NULL ? width : 0;
  it->kept[place].height = height;
  it->kept[place].timestamp_ns = frame->timestamp_ns;
  for (uint32_t y = 0; it->kept[place].luma != NULL && y < height; y++) {
    memcpy(it->kept[place].luma + (size_t)y * width, row_of(frame, y), width);
  }
  it->next = (place + 1) % KEPT;
  pthread_mutex_unlock(&it->lock);
}

static void compare_luma(const msdk_video_frame *frame) {
  uint32_t width = frame->format->width, height = frame->format->height;
  pthread_mutex_lock(&sent.lock);
  for (int i = 0; i < KEPT; i++) {
    if (sent.kept[i].width != width || sent.kept[i].height != height || sent.kept[i].timestamp_ns != frame->timestamp_ns) continue;
    uint64_t squares = 0;
    for (uint32_t y = 0; y < height; y++) {
      const uint8_t *a = row_of(frame, y), *b = sent.kept[i].luma + (size_t)y * width;
      for (uint32_t x = 0; x < width; x++) squares += (uint64_t)((a[x] - b[x]) * (a[x] - b[x]));
    }
    sent.squares += (double)squares;
    sent.pixels += (uint64_t)width * height;
    sent.frames++;
    break;
  }
  pthread_mutex_unlock(&sent.lock);
}

/* --------------------------------------------------------------------------------------- the preview, a class of this program */

struct msdk_self {
  kept_luma *kept; /* the class's user data: where the frames go */
};

static msdk_result preview_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)host, (void)context;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->kept = type->user;
  *out = self;
  return MSDK_OK;
}

static void preview_destroy(msdk_self *self) { free(self); }

static msdk_result preview_nothing(msdk_self *self) {
  (void)self; /* no window and no file to open or close */
  return MSDK_OK;
}

static int32_t preview_accepts(msdk_self *self, const msdk_video_format *format) {
  (void)self;
  return format->pixel_format == MSDK_PIXEL_NV12;
}

static msdk_result preview_render(msdk_self *self, const msdk_video_frame *frame) {
  keep_luma(self->kept, frame); /* the frame is borrowed: copied here, not kept */
  return MSDK_OK;
}

static const msdk_video_renderer preview_renderer = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = preview_nothing, .release_render = preview_nothing,
  .accepts_format = preview_accepts, .render_video_frame = preview_render};
static const msdk_class preview_class = {
  .struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_RENDERER, .id = "org.mediasdk.demo.preview", .name = "Preview",
  .user = &sent, .create = preview_create, .destroy = preview_destroy, .video_renderer = &preview_renderer};
static const msdk_class *const demo_classes[] = {&preview_class};
static const msdk_module demo_module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = demo_classes, .class_count = MSDK_COUNT(demo_classes)};

/* -------------------------------------------------------------------------------------------------------------------- set-up */

typedef struct demo {
  const char *input, *plugins, *output, *audio; /* `audio` is NULL for a silent call */
  uint32_t audio_codec;
  double seconds; /* 0: the clip once */
  char image[4096], video[4096], recording[4096];
  msdk_engine *engine;
  msdk_session *alice, *bob;
  msdk_instance *producer, *preview, *bw, *png, *y4m, *player, *recorder;
  msdk_outgoing_video *outgoing;
  msdk_incoming_video *incoming;
  msdk_outgoing_audio *voice;
  msdk_incoming_audio *heard;
  audio_kept received;
  msdk_video_format format;
  int64_t start_ns, first_ns, last_ns;
  uint64_t read;
  int ended, audio_ended;
} demo;

static msdk_instance *instance_of(demo *it, const char *class_id, const char *path) {
  msdk_instance *instance = NULL;
  must(msdk_instance_create(it->engine, class_id, NULL, &instance), class_id);
  if (path != NULL) must(msdk_instance_set_param_text(instance, "path", path), path);
  return instance;
}

static msdk_session *join(demo *it, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:demo";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(it->engine, &options, &session), user_id);
  must(msdk_session_connect(session), user_id);
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.state != MSDK_SESSION_CONNECTED) must(msdk_session_next_event(session, 10000, &event), user_id);
  return session;
}

static void make_instances(demo *it) {
  char number[16];
  must(msdk_engine_add_plugin_dir(it->engine, it->plugins, NULL), it->plugins);
  must(msdk_engine_register_module(it->engine, &demo_module), "the preview");
  it->producer = instance_of(it, "org.mediasdk.producer.file", it->input);
  if (it->seconds > 0) must(msdk_instance_set_param_text(it->producer, "loop", "true"), "loop");
  it->preview = instance_of(it, preview_class.id, NULL);
  it->bw = instance_of(it, "org.mediasdk.renderer.bw", NULL);
  it->png = instance_of(it, "org.mediasdk.renderer.file", it->image);
  it->y4m = instance_of(it, "org.mediasdk.renderer.file", it->video);
  snprintf(number, sizeof number, "%d", IMAGE_FRAME);
  must(msdk_instance_set_param_text(it->png, "frame", number), "frame");
  snprintf(number, sizeof number, "%d", VIDEO_FRAMES);
  must(msdk_instance_set_param_text(it->y4m, "max_frames", number), "max_frames");
  must(msdk_instance_attach_renderer(it->bw, it->png), "bw.png");
  must(msdk_instance_attach_renderer(it->bw, it->y4m), "bw.y4m");
  it->recorder = instance_of(it, "org.mediasdk.renderer.recorder", it->recording);
  it->format = MSDK_INIT(msdk_video_format);
  for (uint32_t i = 0; it->format.pixel_format != MSDK_PIXEL_NV12; i++) { /* the producer's own list; the size is the clip's */
    must(msdk_instance_format_at(it->producer, i, &it->format), it->input);
  }
}

static uint64_t bitrate_for(const msdk_video_format *format) {
  uint64_t bitrate = UINT64_C(2000000) * format->width * format->height / (1280 * 720);
  return bitrate < 100000 ? 100000 : bitrate > 20000000 ? 20000000 : bitrate;
}

/* A stream takes 16,000 to 48,000 Hz; the SDK converts what a file of another rate has. */
static uint32_t rate_for(uint32_t rate) {
  static const uint32_t rates[] = {16000, 22050, 24000, 32000, 44100, 48000};
  for (int i = 0; i < 6; i++) {
    if (rates[i] == rate) return rate;
  }
  return 48000;
}

static void start_voice(demo *it) {
  it->player = instance_of(it, "org.mediasdk.producer.wav", it->audio);
  if (it->seconds > 0) must(msdk_instance_set_param_text(it->player, "loop", "true"), "loop");
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  must(msdk_instance_get_audio_format(it->player, &format), it->audio);
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.sample_rate = rate_for(format.sample_rate);
  options.channels = format.channels;
  options.codec = it->audio_codec;
  options.application = MSDK_OPUS_AUDIO;
  must(msdk_outgoing_audio_create(it->engine, &options, &it->voice), "msdk_outgoing_audio_create");
  must(msdk_session_start_audio(it->alice, it->voice), "msdk_session_start_audio");
}

/* bob receives what is offered: the video is drawn and recorded, the audio is recorded, and this program reads both. */
static void start_receiving(demo *it) {
  while (it->incoming == NULL || (it->audio != NULL && it->heard == NULL)) {
    msdk_event event = MSDK_INIT(msdk_event);
    must(msdk_session_next_event(it->bob, 10000, &event), "bob");
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED) it->incoming = event.incoming_video;
    if (event.type == MSDK_EVENT_INCOMING_AUDIO_ADDED) it->heard = event.incoming_audio;
  }
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.queue_capacity = 16;
  msdk_incoming_audio_options hear = MSDK_INIT(msdk_incoming_audio_options);
  hear.queue_ms = 2000;
  must(msdk_incoming_video_attach_renderer(it->incoming, it->bw, NULL), "org.mediasdk.renderer.bw");
  must(msdk_incoming_video_attach_renderer(it->incoming, it->recorder, NULL), it->recording);
  if (it->heard != NULL) must(msdk_incoming_audio_attach_renderer(it->heard, it->recorder), it->recording);
  must(msdk_incoming_video_start(it->incoming, &receive), "msdk_incoming_video_start");
  if (it->heard != NULL) must(msdk_incoming_audio_start(it->heard, &hear), "msdk_incoming_audio_start");
}

static void start_call(demo *it) {
  it->alice = join(it, "alice");
  it->bob = join(it, "bob");
  it->start_ns = msdk_engine_now(it->engine);
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.limits = MSDK_LIMITS_EXTENDED; /* any size that a file may have */
  options.codec = MSDK_CODEC_VP8;
  options.formats = &it->format;
  options.format_count = 1;
  options.target_bitrate = bitrate_for(&it->format);
  options.queue_capacity = 4; /* a busy machine makes the encoder late now and then; better late than replaced */
  must(msdk_outgoing_video_create(it->engine, &options, &it->outgoing), "msdk_outgoing_video_create");
  must(msdk_outgoing_video_attach_renderer(it->outgoing, it->preview, NULL), "the preview");
  must(msdk_session_start_video(it->alice, it->outgoing), "msdk_session_start_video");
  if (it->audio != NULL) start_voice(it);
  start_receiving(it);
  /* Only now does the clip begin: what nobody receives is not sent. Both producers are given the same time, so that the audio keeps its place. */
  char soon[24];
  snprintf(soon, sizeof soon, "%lld", (long long)msdk_engine_now(it->engine) + SOON_NS);
  must(msdk_instance_set_param_text(it->producer, "start_ns", soon), "start_ns");
  if (it->voice != NULL) must(msdk_instance_set_param_text(it->player, "start_ns", soon), "start_ns");
  must(msdk_outgoing_video_attach_producer(it->outgoing, it->producer), it->input);
  if (it->voice != NULL) must(msdk_outgoing_audio_attach_producer(it->voice, it->player), it->audio);
}

/* ------------------------------------------------------------------------------------------------------------------- running */

/* What plugins have to say: that the clip is at its end, or that something failed. */
static void hear(demo *it, msdk_session *session) {
  msdk_event event = MSDK_INIT(msdk_event);
  while (msdk_session_next_event(session, 0, &event) >= 0) {
    if (event.status < 0) fprintf(stderr, "demo: %s: %s\n", msdk_status_string(event.status), event.text);
    int over = event.type == MSDK_EVENT_PLUGIN && (event.value == MSDK_PLUGIN_EVENT_ENDED || event.status < 0);
    if (over && event.instance == it->producer) it->ended = 1;
    if (over && it->player != NULL && event.instance == it->player) it->audio_ended = 1;
    event = MSDK_INIT(msdk_event);
  }
}

static void read_frame(demo *it) {
  msdk_video_frame *frame = NULL;
  if (msdk_incoming_video_read(it->incoming, 20, &frame) < 0) return; /* none just now: time to look at the events again */
  it->last_ns = msdk_engine_now(it->engine);
  if (it->read++ == 0) it->first_ns = it->last_ns;
  compare_luma(frame);
  msdk_video_frame_unref(frame);
}

static void read_audio(demo *it) {
  msdk_audio_frame *frame = NULL;
  while (it->heard != NULL && msdk_incoming_audio_read(it->heard, 0, &frame) >= 0) {
    audio_keep(&it->received, frame);
    msdk_audio_frame_unref(frame);
  }
}

static msdk_outgoing_video_stats outgoing_stats(const demo *it) {
  msdk_outgoing_video_stats stats = MSDK_INIT(msdk_outgoing_video_stats);
  must(msdk_outgoing_video_get_stats(it->outgoing, &stats), "msdk_outgoing_video_get_stats");
  return stats;
}

static msdk_incoming_video_stats incoming_stats(const demo *it) {
  msdk_incoming_video_stats stats = MSDK_INIT(msdk_incoming_video_stats);
  must(msdk_incoming_video_get_stats(it->incoming, &stats), "msdk_incoming_video_get_stats");
  return stats;
}

static void run(demo *it) {
  int terminal = isatty(STDOUT_FILENO), open_line = 0;
  int64_t begin = msdk_engine_now(it->engine), next_line = begin + SECOND, give_up = INT64_MAX;
  for (;;) {
    hear(it, it->alice);
    hear(it, it->bob);
    read_audio(it);
    read_frame(it);
    int64_t now = msdk_engine_now(it->engine);
    if (now >= next_line) {
      next_line += SECOND;
      open_line = terminal;
      printf("sent %" PRIu64 ", received %" PRIu64 "%s", outgoing_stats(it).frames_offered, it->read, terminal ? "\r" : "\n");
      fflush(stdout);
    }
    if (it->seconds > 0 && !it->ended && (double)(now - begin) / (double)SECOND >= it->seconds) {
      must(msdk_outgoing_video_detach_producer(it->outgoing), "msdk_outgoing_video_detach_producer");
      if (it->voice != NULL) must(msdk_outgoing_audio_detach_producer(it->voice), "msdk_outgoing_audio_detach_producer");
      it->ended = it->audio_ended = 1;
    }
    if (!it->ended || (it->voice != NULL && !it->audio_ended)) continue;
    /* The last frames may still be in flight; they have five seconds. */
    if (give_up == INT64_MAX) give_up = now + 5 * SECOND;
    msdk_outgoing_video_stats out = outgoing_stats(it);
    uint64_t done = out.frames_encoded + out.frames_sent + out.frames_replaced + out.frames_dropped + out.frames_failed;
    msdk_incoming_video_stats in = incoming_stats(it);
    if ((done >= out.frames_offered && it->read + in.frames_dropped >= out.frames_encoded) || now > give_up) break;
  }
  if (open_line) printf("\n");
  if (it->voice == NULL) return;
  must(msdk_outgoing_audio_wait_played(it->voice, 5000), "msdk_outgoing_audio_wait_played");
  nanosleep(&(struct timespec){0, 100000000}, NULL); /* for the last audio to be decoded */
  read_audio(it);
}

/* Taking the filter and the files down one by one makes what they write complete. */
static void finish(demo *it) {
  must(msdk_incoming_video_detach_renderer(it->incoming, it->bw), "org.mediasdk.renderer.bw");
  must(msdk_instance_release(it->bw), "org.mediasdk.renderer.bw");
  must(msdk_instance_release(it->png), it->image);
  must(msdk_instance_release(it->y4m), it->video);
  must(msdk_instance_release(it->recorder), it->recording); /* which detaches it from both streams */
}

static int written(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && status.st_size > 0;
}

/* Prints the lines about the audio. Returns whether there was any. */
static int print_audio(demo *it) {
  msdk_outgoing_audio_stats out = MSDK_INIT(msdk_outgoing_audio_stats);
  msdk_incoming_audio_stats in = MSDK_INIT(msdk_incoming_audio_stats);
  msdk_outgoing_audio_info info = MSDK_INIT(msdk_outgoing_audio_info);
  must(msdk_outgoing_audio_get_stats(it->voice, &out), "msdk_outgoing_audio_get_stats");
  must(msdk_incoming_audio_get_stats(it->heard, &in), "msdk_incoming_audio_get_stats");
  must(msdk_outgoing_audio_get_info(it->voice, &info), "msdk_outgoing_audio_get_info");
  char level[32], known_level[32], likeness[96];
  audio_kept known = wav_read(it->audio);
  audio_level(&it->received, level, sizeof level);
  audio_level(&known, known_level, sizeof known_level);
  audio_likeness(&known, &it->received, likeness, sizeof likeness);
  free(known.samples);
  double seconds = it->received.rate > 0 ? (double)in.total_samples_received / it->received.rate : 0;
  printf("audio: %s\n", it->audio);
  printf("audio format: %s %" PRIu32 " Hz %" PRIu32 " channels\n", info.format.sample_format == MSDK_SAMPLE_S16 ? "S16" : "F32",
         info.format.sample_rate, info.format.channels);
  printf("audio codec: %s\n", it->audio_codec == MSDK_CODEC_OPUS ? "OPUS" : "RAW");
  printf("buffers sent: %" PRIu64 "\n", out.buffers_offered);
  printf("buffers encoded: %" PRIu64 "\n", out.buffers_encoded);
  printf("buffers received: %" PRIu64 "\n", in.buffers_delivered);
  if (seconds > 0) printf("audio bitrate: %.0f kbit/s\n", (double)out.bytes_sent * 8 / seconds / 1000);
  else printf("audio bitrate: unknown\n");
  printf("level: %s (file %s)\n", level, known_level);
  printf("correlation: %s\n", likeness);
  return in.buffers_delivered > 0;
}

static int print_result(demo *it) {
  msdk_outgoing_video_stats out = outgoing_stats(it);
  msdk_incoming_video_stats in = incoming_stats(it);
  /* From the first frame to the last, and as long as one frame lasts. */
  double seconds = it->read > 1 ? (double)(it->last_ns - it->first_ns) / (double)SECOND * (double)it->read / (double)(it->read - 1) : 0;
  printf("input: %s\n", it->input);
  printf("format: NV12 %" PRIu32 "x%" PRIu32 " %g fps\n", it->format.width, it->format.height,
         it->format.fps_den > 0 ? (double)it->format.fps_num / it->format.fps_den : 0);
  printf("codec: VP8\n");
  printf("frames sent: %" PRIu64 "\n", out.frames_offered);
  printf("frames encoded: %" PRIu64 "\n", out.frames_encoded);
  printf("frames received: %" PRIu64 "\n", in.frames_received);
  printf("frames rendered: %" PRIu64 "\n", in.frames_rendered);
  if (seconds > 0) printf("fps: %.2f\n", (double)it->read / seconds);
  else printf("fps: unknown\n");
  if (seconds > 0) printf("bitrate: %.0f kbit/s\n", (double)out.bytes_sent * 8 / seconds / 1000);
  else printf("bitrate: unknown\n");
  double mean = sent.pixels > 0 ? sent.squares / (double)sent.pixels : 0;
  if (sent.pixels == 0) printf("psnr: unknown (luma, 0 frames)\n");
  else if (mean == 0) printf("psnr: infinite (luma, %" PRIu64 " frames)\n", sent.frames);
  else printf("psnr: %.2f dB (luma, %" PRIu64 " frames)\n", 10 * log10(255.0 * 255.0 / mean), sent.frames);
  if (it->read > 0) printf("first frame: %.1f ms\n", (double)(it->first_ns - it->start_ns) / 1e6);
  else printf("first frame: never\n");
  printf("image: %s\nvideo: %s\n", it->image, it->video);
  int heard = it->audio == NULL || print_audio(it);
  printf("recording: %s\n", it->recording);
  return it->read > 0 && heard && written(it->image) && written(it->video) && written(it->recording) ? 0 : 1;
}

static int usage(void) {
  fprintf(stderr, "usage: demo --input CLIP --plugins DIR --output DIR [--sound WAV] [--codec-audio opus|raw] [--seconds N]\n");
  return 2;
}

static int codec_of(demo *it, const char *name) {
  it->audio_codec = strcmp(name, "opus") == 0 ? MSDK_CODEC_OPUS : MSDK_CODEC_RAW;
  return it->audio_codec != MSDK_CODEC_RAW || strcmp(name, "raw") == 0;
}

int main(int argc, char **argv) {
  static demo it = {.audio_codec = MSDK_CODEC_OPUS};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--input") == 0) it.input = argv[i + 1];
    else if (strcmp(argv[i], "--plugins") == 0) it.plugins = argv[i + 1];
    else if (strcmp(argv[i], "--output") == 0) it.output = argv[i + 1];
    else if (strcmp(argv[i], "--sound") == 0) it.audio = argv[i + 1];
    else if (strcmp(argv[i], "--codec-audio") == 0 && codec_of(&it, argv[i + 1])) continue;
    else if (strcmp(argv[i], "--seconds") == 0) it.seconds = atof(argv[i + 1]);
    else return usage();
  }
  if (argc % 2 == 0 || it.input == NULL || it.plugins == NULL || it.output == NULL || it.seconds < 0) return usage();
  snprintf(it.image, sizeof it.image, "%s/bw.png", it.output);
  snprintf(it.video, sizeof it.video, "%s/bw.y4m", it.output);
  snprintf(it.recording, sizeof it.recording, "%s/call.webm", it.output);
  mkdir(it.output, 0777); /* if it fails for another reason than being there, the files will say so */
  must(msdk_engine_create(NULL, &it.engine), "msdk_engine_create");
  make_instances(&it);
  start_call(&it);
  run(&it);
  finish(&it);
  int code = print_result(&it);
  msdk_engine_destroy(it.engine);
  for (int i = 0; i < KEPT; i++) free(sent.kept[i].luma);
  free(it.received.samples);
  return code;
}
