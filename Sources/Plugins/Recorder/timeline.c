#include "timeline.h"

#include <errno.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000000)
#define DAY_NS (24 * 3600 * SECOND)
#define TIME_MAX_NS (INT64_MAX / 4)
#define WAIT_NS (2 * SECOND)
#define HELD_NS (3 * SECOND)
#define HELD_VIDEO_NS (30 * SECOND) /* frames without a key frame among them cannot be given up in part */
enum { HELD_BYTES = 64 << 20 };

static const char *const names[REC_TRACKS] = {"video", "audio"};

msdk_result rec_timeline_check(const rec_timeline *timeline, int64_t timestamp_ns, int64_t before_ns) {
  bool sane = timestamp_ns > -TIME_MAX_NS && timestamp_ns < TIME_MAX_NS;
  if (sane && timestamp_ns - before_ns < DAY_NS) return MSDK_OK;
  return report_fail(&timeline->report, MSDK_E_INVALID, "the timestamp is %lld ns, after one of %lld ns", (long long)timestamp_ns,
                  (long long)before_ns);
}

bool rec_timeline_wants(rec_timeline *timeline, int track) {
  if (!timeline->begun || timeline->file.muxer == NULL || timeline->file.streams[track] != NULL) return true;
  if (!timeline->tracks[track].told) {
    report_log(&timeline->report, MSDK_LOG_WARN, "%s arrived after the file was begun without it, and is dropped", names[track]);
  }
  timeline->tracks[track].told = true;
  return false;
}

void rec_timeline_announce(rec_timeline *timeline, int track, AVCodecParameters *parameters, int64_t first_ns) {
  rec_track *to = &timeline->tracks[track];
  avcodec_parameters_free(&to->parameters);
  to->parameters = parameters;
  to->first_ns = to->latest_ns = first_ns;
}

static bool has_come(const rec_timeline *timeline, int track) { return timeline->tracks[track].parameters != NULL; }

static bool is_time(const rec_timeline *timeline) {
  bool all = true;
  int64_t waited = 0;
  for (int i = 0; i < REC_TRACKS; i++) {
    const rec_track *track = &timeline->tracks[i];
    all = all && (has_come(timeline, i) || !(track->attached || timeline->needs_both));
    if (has_come(timeline, i) && track->latest_ns - track->first_ns > waited) waited = track->latest_ns - track->first_ns;
  }
  return all || (!timeline->needs_both && waited >= WAIT_NS);
}

msdk_result rec_timeline_begin(rec_timeline *timeline) {
  if (timeline->begun || !(has_come(timeline, REC_VIDEO) || has_come(timeline, REC_AUDIO))) return MSDK_OK;
  timeline->begun = true;
  AVCodecParameters *parameters[REC_TRACKS];
  int64_t base_ns = INT64_MAX;
  for (int i = 0; i < REC_TRACKS; i++) {
    const rec_track *track = &timeline->tracks[i];
    parameters[i] = track->parameters;
    if (track->parameters != NULL && track->first_ns < base_ns) base_ns = track->first_ns;
    if (track->parameters == NULL && (track->attached || timeline->needs_both)) {
      report_log(&timeline->report, MSDK_LOG_WARN, "the file begins without %s: none arrived", names[i]);
    }
  }
  msdk_result result = rec_file_begin(&timeline->file, timeline->container, parameters, base_ns);
  for (uint32_t i = 0; i < timeline->held_count; i++) {
    AVPacket *packet = timeline->held[i];
    if (result >= 0) result = rec_file_write(&timeline->file, packet);
    else av_packet_free(&packet);
  }
  if (result < 0 && timeline->file.output.error == 0) timeline->file.output.error = EIO; /* nothing can be written any more */
  timeline->held_count = 0;
  timeline->held_bytes = 0;
  return result;
}

msdk_result rec_timeline_seen(rec_timeline *timeline, int track, int64_t timestamp_ns) {
  if (timeline->begun) return timeline->file.output.error != 0 ? rec_output_failed(&timeline->file.output) : MSDK_OK;
  rec_track *seen = &timeline->tracks[track];
  if (timestamp_ns > seen->latest_ns) seen->latest_ns = timestamp_ns;
  return is_time(timeline) ? rec_timeline_begin(timeline) : MSDK_OK;
}

/* ----------------------------------------------------------------------------------------------------------- what is held */

/* Gives up the packets of a track up to, not with, index `end`. */
static void give_up(rec_timeline *timeline, int track, uint32_t end) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < timeline->held_count; i++) {
    AVPacket *packet = timeline->held[i];
    if (i < end && packet->stream_index == track) {
      timeline->held_bytes -= (uint64_t)packet->size;
      av_packet_free(&packet);
    } else {
      timeline->held[kept++] = packet;
    }
  }
  timeline->held_count = kept;
}

/* The first packet of the track at or after `from` that the track can begin with; held_count when there is none. */
static uint32_t next_start(const rec_timeline *timeline, int track, uint32_t from) {
  uint32_t i = from;
  while (i < timeline->held_count &&
         !(timeline->held[i]->stream_index == track && (timeline->held[i]->flags & AV_PKT_FLAG_KEY) != 0)) i++;
  return i;
}

static void bound_held(rec_timeline *timeline, int track) {
  rec_track *of = &timeline->tracks[track];
  uint32_t first = next_start(timeline, track, 0);
  while (first < timeline->held_count && of->latest_ns - of->first_ns > HELD_NS) {
    uint32_t next = next_start(timeline, track, first + 1);
    if (next == timeline->held_count) break;
    of->first_ns = timeline->held[next]->pts;
    give_up(timeline, track, next);
    first = next_start(timeline, track, 0);
  }
  if (of->latest_ns - of->first_ns <= HELD_VIDEO_NS && timeline->held_bytes <= HELD_BYTES) return;
  give_up(timeline, track, timeline->held_count);
  avcodec_parameters_free(&of->parameters); /* as if nothing had come */
  of->lost = true;
}

msdk_result rec_timeline_put(rec_timeline *timeline, AVPacket *packet) {
  if (timeline->begun) return rec_file_write(&timeline->file, packet);
  if (timeline->held_count == timeline->held_capacity) {
    uint32_t capacity = timeline->held_capacity == 0 ? 256 : 2 * timeline->held_capacity;
    AVPacket **grown = realloc(timeline->held, capacity * sizeof *grown);
    if (grown == NULL) {
      av_packet_free(&packet);
      return report_fail(&timeline->report, MSDK_E_NOMEM, "no memory for a queued packet");
    }
    timeline->held = grown;
    timeline->held_capacity = capacity;
  }
  timeline->held[timeline->held_count++] = packet;
  timeline->held_bytes += (uint64_t)packet->size;
  bound_held(timeline, packet->stream_index);
  return MSDK_OK;
}

msdk_result rec_timeline_finish(rec_timeline *timeline) {
  bool told = timeline->file.output.error != 0;
  msdk_result begun = rec_timeline_begin(timeline), result = rec_file_finish(&timeline->file);
  for (int i = 0; i < REC_TRACKS; i++) {
    give_up(timeline, i, timeline->held_count);
    avcodec_parameters_free(&timeline->tracks[i].parameters);
    timeline->tracks[i] = (rec_track){.attached = timeline->tracks[i].attached};
  }
  free(timeline->held);
  timeline->held = NULL;
  timeline->held_capacity = 0;
  timeline->begun = false;
  if (told) return MSDK_OK;
  return begun < 0 ? begun : result;
}
