/* The same clip through MediaSDK: wrapped NV12 frames, a VP8 stream without receivers, an encoded callback that takes what comes out.
 *
 *   encode_msdk CLIP FRAMES */
#include "call.h"
#include "clip.h"
#include "encode_meter.h"
#include "measure.h"
#include "vp8_settings.h"

#include <semaphore.h>
#include <stdatomic.h>

static struct encode_meter meter;
static atomic_uint_fast64_t reported;
static uint64_t frames;
static sem_t done;

static void encoded(void *unused, const msdk_encoded_frame *frame) {
  (void)unused;
  encode_add(&meter, frame->size);
}

static void completed(void *unused, const msdk_frame_report *frame) {
  (void)unused;
  int left_out = frame->outcome == MSDK_OUTCOME_DROPPED && frame->reason == MSDK_DROP_ENCODER;
  if (frame->outcome != MSDK_OUTCOME_ENCODED && !left_out) {
    die("frame %llu: outcome %u, reason %u", (unsigned long long)frame->sequence, frame->outcome, frame->reason);
  }
  if (atomic_fetch_add(&reported, 1) + 1 == frames) sem_post(&done);
}

static void send(struct call *call, const struct clip *clip, const msdk_video_format *format, uint64_t i, int64_t at) {
  size_t luma = (size_t)clip->width * clip->height;
  uint8_t *picture = clip_picture(clip, i);
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.plane_count = 2;
  external.plane[0] = (msdk_plane){.data = picture, .size = luma, .stride = (int32_t)clip->width};
  external.plane[1] = (msdk_plane){.data = picture + luma, .size = luma / 2, .stride = (int32_t)clip->width};
  external.format = format;
  msdk_video_frame *frame = NULL;
  must(msdk_video_frame_wrap(&external, &frame), "msdk_video_frame_wrap");
  must(msdk_frame_sender_send(call->sender, frame, at, completed, NULL), "msdk_frame_sender_send");
  msdk_video_frame_unref(frame);
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: encode_msdk CLIP FRAMES");
  frames = count_from(argv[2]);
  sem_init(&done, 0, 0);
  struct clip clip;
  clip_open(&clip, argv[1], CLIP_NV12);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, clip.width, clip.height, VP8_FPS);
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.codec = MSDK_CODEC_VP8;
  options.formats = &format;
  options.format_count = 1;
  options.preset = MSDK_PRESET_REALTIME;
  options.queue_policy = MSDK_POLICY_WAIT; /* not paced either */
  options.encoder_threads = 1;
  options.target_bitrate = VP8_BITRATE;
  struct call call;
  call_open(&call, &options, 0);
  must(msdk_outgoing_video_set_encoded_callback(call.outgoing, encoded, NULL), "setting the encoded callback");
  int64_t start = msdk_engine_now(call.engine);
  encode_begin(&meter);
  for (uint64_t i = 0; i < frames; i++) send(&call, &clip, &format, i, start + (int64_t)i * 1000000000 / VP8_FPS);
  while (sem_wait(&done) != 0) continue;
  encode_report(&meter, frames);
  call_close(&call);
  clip_close(&clip);
  return 0;
}
