/* The functions of video for fuzz_calls.c: frames, streams of them out and in. */
#ifndef FUZZ_VIDEO_H
#define FUZZ_VIDEO_H

#include "fuzz_values.h"
#include "ivf.h"
#include "picture.h"

/* With the references that this program holds. */
static const msdk_video_frame *frames[KEPT];
static const msdk_encoded_frame *encoded[KEPT];
static ivf_clip clip;
static uint32_t frames_taken, frames_gone, frames_dropped; /* so that one sees that something happened */

static msdk_video_format format(void) {
  msdk_video_format made = format_of(pixel_formats[below(PIXEL_FORMATS)], 1 + below(80), 1 + below(80), 1 + below(60));
  if (below(4) != 0) made = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  if (goes_wrong(12)) made.width = number();
  if (goes_wrong(12)) made.height = number();
  if (goes_wrong(12)) made.pixel_format = number();
  if (goes_wrong(12)) made.fps_num = number();
  if (goes_wrong(12)) made.fps_den = number();
  if (goes_wrong(12)) made.color_matrix = number();
  if (goes_wrong(20)) made.expected_delay_ns = wide();
  if ((uint64_t)made.width * made.height > 4000000 && below(4) != 0) made.width = 64; /* large ones are slow; a few will do */
  made.struct_size = struct_size(sizeof made);
  return made;
}

static const msdk_video_frame *frame(void) {
  if (below(12) == 0) return handle((enum kind)below(KINDS));
  return frames[below(KEPT)];
}

static void keep_frame(const msdk_video_frame *made) {
  if (made == NULL) return;
  uint32_t place = below(KEPT);
  msdk_video_frame_unref(frames[place]);
  frames[place] = made;
}

static void keep_encoded(const msdk_encoded_frame *made) {
  if (made == NULL) return;
  uint32_t place = below(KEPT);
  msdk_encoded_frame_unref(encoded[place]);
  encoded[place] = made;
}

static void on_fuzz_frame(void *user, const msdk_video_frame *it) {
  (void)user, (void)it;
  frames_taken++;
}
static void on_fuzz_encoded(void *user, const msdk_encoded_frame *it) { (void)user, (void)it; }
static void on_fuzz_report(void *user, const msdk_frame_report *it) {
  (void)user;
  if (it->outcome == MSDK_OUTCOME_SENT || it->outcome == MSDK_OUTCOME_ENCODED) frames_gone++;
  else frames_dropped++;
}

static void make_stream(void) {
  msdk_video_format formats[3] = {format(), format(), format()};
  formats[1].struct_size = formats[2].struct_size = formats[0].struct_size = sizeof formats[0]; /* else the array is not what it says */
  msdk_outgoing_video_options options = outgoing_options(below(2) == 0 ? MSDK_CODEC_VP8 : MSDK_CODEC_RAW, formats, 1 + below(3));
  if (goes_wrong(10)) options.kind = number();
  if (goes_wrong(10)) options.limits = number();
  if (goes_wrong(10)) options.codec = number();
  if (goes_wrong(10)) options.preset = number();
  options.queue_policy = below(2);
  if (goes_wrong(10)) options.queue_capacity = number();
  options.encoded_input = options.codec == MSDK_CODEC_VP8 && below(6) == 0;
  if (goes_wrong(10)) options.encoder_threads = number();
  if (goes_wrong(10)) options.most_layers = number();
  options.carries_metadata = goes_wrong(10) ? number() : below(2);
  if (goes_wrong(10)) options.target_bitrate = random_next(&seed);
  if (goes_wrong(10)) options.max_bitrate = number();
  if (goes_wrong(10)) options.key_frame_interval_ms = number();
  if (goes_wrong(10)) options.report_capacity = number();
  options.struct_size = struct_size(sizeof options);
  msdk_outgoing_video *made = NULL;
  if (msdk_outgoing_video_create(some_engine(), &options, &made) >= 0) keep(OUTGOING, made);
}

static void make_frame(void) {
  msdk_video_format wanted = format();
  msdk_video_frame *made = NULL;
  if ((uint64_t)wanted.width * wanted.height > 40000000) wanted.width = wanted.height = 16;
  if (msdk_video_frame_create(&wanted, &made) >= 0) {
    picture_fill(made, (int)below(256));
    keep_frame(made);
  }
}

static void wrap_frame(void) {
  static uint8_t memory[65536];
  msdk_video_format wanted = format();
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.format = below(10) == 0 ? NULL : &wanted;
  external.plane_count = below(6) == 0 ? number() : planes_of(wanted.pixel_format);
  for (int i = 0; i < 4; i++) {
    uint32_t offset = below(40000);
    external.plane[i].data = below(12) == 0 ? NULL : memory + offset;
    external.plane[i].size = below(8) == 0 ? 0 : sizeof memory - offset; /* never more than there is */
    external.plane[i].stride = below(6) == 0 ? (int32_t)number() : 320;
    external.plane[i].reserved0 = below(20) == 0 ? number() : 0;
  }
  if (below(8) == 0) external.orientation = number();
  external.timestamp_ns = wide();
  external.struct_size = struct_size(sizeof external);
  msdk_video_frame *made = NULL;
  if (msdk_video_frame_wrap(&external, &made) >= 0) keep_frame(made);
}

static void make_encoded(void) {
  static uint8_t copy[65536];
  const ivf_frame *source = &clip.frame[1 + below(clip.count - 1)];
  uint32_t size = source->size < sizeof copy ? source->size : sizeof copy;
  memcpy(copy, source->data, size);
  for (uint32_t i = below(6); i > 0; i--) copy[below(size)] = (uint8_t)below(256);
  if (below(3) == 0) { /* a key frame of 64x48 that promises more than it has */
    static const uint8_t head[10] = {0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 64, 0, 48, 0};
    memcpy(copy, head, 10);
  }
  msdk_encoded_frame wanted = MSDK_INIT(msdk_encoded_frame);
  wanted.codec = below(10) == 0 ? number() : MSDK_CODEC_VP8;
  wanted.data = below(12) == 0 ? NULL : copy;
  wanted.size = below(4) == 0 ? below(size) : size;
  wanted.timestamp_ns = wide();
  wanted.flags = number();
  wanted.struct_size = struct_size(sizeof wanted);
  msdk_encoded_frame *made = NULL;
  if (msdk_encoded_frame_create(&wanted, &made) >= 0) keep_encoded(made);
}

static void send_one(void) {
  void *stream = handle(OUTGOING);
  msdk_frame_sender *sender = NULL;
  msdk_video_frame *picture = NULL;
  if (msdk_outgoing_video_get_sender(stream, &sender) >= 0) keep(SENDER, sender);
  if (below(8) == 0) sender = handle(SENDER);
  if (msdk_frame_sender_acquire(sender, 0, &picture) >= 0) {
    picture_fill(picture, (int)below(256));
    msdk_frame_sender_send(sender, picture, below(4) == 0 ? wide() : 0, below(2) ? on_fuzz_report : NULL, NULL);
    msdk_video_frame_unref(picture);
  }
  msdk_frame_sender_send(sender, frame(), wide(), below(2) ? on_fuzz_report : NULL, NULL);
  msdk_frame_sender_send_encoded(sender, below(8) == 0 ? handle(OUTGOING) : encoded[below(KEPT)], wide(), below(2) ? on_fuzz_report : NULL,
                                 NULL);
}

static void receive(void) {
  msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
  if (goes_wrong(2)) options.pixel_format = pixel_formats[below(PIXEL_FORMATS)];
  if (goes_wrong(3)) options.width = options.height = below(12) == 0 ? number() % 20000 : 1 + below(100);
  options.delivery = goes_wrong(10) ? number() : below(2);
  options.output = goes_wrong(10) ? number() : below(3);
  options.queue_capacity = goes_wrong(4) ? number() : 0;
  options.encoded_queue_capacity = goes_wrong(4) ? number() : 0;
  options.queue_policy = goes_wrong(4) ? number() : below(2);
  options.struct_size = struct_size(sizeof options);
  if (options.width > 2000) options.width = options.height = 2000; /* 16384 squared a frame would only be slow */
  msdk_incoming_video_start(handle(INCOMING), below(4) == 0 ? NULL : &options);
}

static void take_frames(void) {
  msdk_video_frame *picture = NULL;
  msdk_encoded_frame *bits = NULL;
  if (msdk_incoming_video_read(handle(INCOMING), 0, &picture) >= 0) {
    frames_taken++;
    keep_frame(picture);
  }
  if (msdk_incoming_video_read_encoded(handle(INCOMING), 0, &bits) >= 0) keep_encoded(bits);
}

static void convert(void) {
  msdk_video_format wanted = format();
  if (wanted.width > 2000) wanted.width = 100;
  if (wanted.height > 2000) wanted.height = 100;
  msdk_video_frame *made = NULL;
  if (msdk_video_frame_convert(frame(), &wanted, &made) >= 0) keep_frame(made);
  msdk_video_frame_convert_into(frame(), (msdk_video_frame *)(uintptr_t)frame());
}

static void metadata(void) {
  msdk_frame_metadata metadata = MSDK_INIT(msdk_frame_metadata);
  for (uint32_t i = 0; i < MSDK_FRAME_USER_DATA_MAX; i++) metadata.user_data[i] = (uint8_t)below(256);
  metadata.user_data_size = goes_wrong(10) ? number() : below(260);
  if (below(2) == 0) metadata.frame_id = number();
  if (below(2) == 0) metadata.user_timestamp_us = random_next(&seed);
  if (goes_wrong(10)) metadata.reserved0 = number();
  metadata.struct_size = struct_size(sizeof metadata);
  msdk_encoded_frame *bits = (msdk_encoded_frame *)(uintptr_t)encoded[below(KEPT)];
  msdk_video_frame_set_metadata((msdk_video_frame *)(uintptr_t)frame(), below(8) == 0 ? NULL : &metadata);
  msdk_encoded_frame_set_metadata(bits, &metadata);
  msdk_video_frame_get_metadata(frame(), &metadata);
  msdk_encoded_frame_get_metadata(bits, &metadata);
}

static void references(void) {
  const msdk_video_frame *it = frames[below(KEPT)];
  if (it != NULL && msdk_video_frame_ref(it) >= 0) msdk_video_frame_unref(it);
  video_references(frame());
  msdk_video_frame_unref(below(2) == 0 ? NULL : (const msdk_video_frame *)(uintptr_t)(random_next(&seed) | 1));
  uint32_t place = below(KEPT);
  msdk_video_frame_unref(frames[place]);
  frames[place] = NULL;
}

#endif
