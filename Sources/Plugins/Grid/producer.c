/* The producer's side: a thread that composes when something has changed, at most so many times a second, and passes the frame on. */
#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../../CLinux/signals.h"
#include "../formats.h"
#include "../module.h"
#include "../monotonic.h"

#define SECOND INT64_C(1000000000)

msdk_video_format grid_format(const grid_output *output) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = output->pixel_format;
  format.width = output->width;
  format.height = output->height;
  format.fps_num = output->fps_num;
  format.fps_den = output->fps_den;
  return format;
}

grid_output grid_output_of_params(const msdk_self *self) {
  return (grid_output){.pixel_format = MSDK_PIXEL_I420, .width = self->width, .height = self->height, .fps_num = self->fps, .fps_den = 1};
}

/* What became of a frame. */
typedef struct passing {
  msdk_result result;
  uint64_t version; /* what it showed */
  int64_t timestamp_ns;
} passing;

/* A frame of what there is now, handed over. Holds no lock while the host has it. */
static passing pass_on(msdk_self *self, const grid_output *output, int64_t age_ns, int64_t last_ns) {
  passing it = {.timestamp_ns = self->report.host->now_ns(self->report.context) - age_ns};
  if (it.timestamp_ns <= last_ns) it.timestamp_ns = last_ns + 1;
  msdk_video_format format = grid_format(output);
  msdk_video_frame *frame = NULL;
  it.result = self->report.host->video_frame_acquire(self->report.context, &format, 0, &frame);
  if (it.result < 0) return it;
  if (!grid_draw(self, frame, &it.version)) {
    self->report.host->video_frame_unref(frame);
    it.result = MSDK_E_NOMEM;
    return it;
  }
  frame->timestamp_ns = it.timestamp_ns;
  it.result = self->report.host->consume_video_frame(self->report.context, frame);
  return it;
}

/* Under the lock, until something is to be passed on and its time has come; false when it is time to end. */
static bool await_change(msdk_self *self, uint64_t shown, int64_t next_ns) {
  for (;;) {
    if (self->stopping) return false;
    int64_t now_ns = monotonic_ns();
    if (self->version != shown && now_ns >= next_ns) return true;
    if (self->version == shown) {
      pthread_cond_wait(&self->changed, &self->lock);
    } else {
      struct timespec until = monotonic_at(next_ns);
      pthread_cond_timedwait(&self->changed, &self->lock, &until);
    }
  }
}

static void *run(void *argument) {
  msdk_self *self = argument;
  bool orphaned = false, told = false;
  pthread_mutex_lock(&self->lock);
  self->orphaned = &orphaned;
  grid_output output = self->output;
  /* What was there before is passed on at once; an empty room is not. */
  uint64_t shown = self->inputs.count > 0 ? UINT64_MAX : self->version;
  int64_t interval_ns = SECOND * output.fps_den / output.fps_num, next_ns = 0, last_ns = INT64_MIN;
  while (await_change(self, shown, next_ns)) {
    int64_t age_ns = self->age_ns, now_ns = monotonic_ns();
    /* On the beat, so that being late once does not lower the rate. */
    next_ns = (next_ns + interval_ns > now_ns ? next_ns : now_ns) + interval_ns;
    pthread_mutex_unlock(&self->lock);
    passing it = pass_on(self, &output, age_ns, last_ns);
    if (orphaned) return NULL; /* `self` may be gone */
    if (it.result < 0 && it.result != MSDK_E_AGAIN && it.result != MSDK_E_CLOSED && !told) {
      report_log(&self->report, MSDK_LOG_WARN, "a frame was not accepted: result %d", it.result);
      told = true;
    }
    pthread_mutex_lock(&self->lock);
    if (it.result == MSDK_E_CLOSED) break;
    /* What was not taken is composed again at its next time, with what has come until then. */
    if (it.result >= 0) {
      shown = it.version;
      last_ns = it.timestamp_ns;
    }
  }
  self->orphaned = NULL;
  pthread_mutex_unlock(&self->lock);
  return NULL;
}

static msdk_result release_capture(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  self->output = grid_output_of_params(self);
  pthread_mutex_unlock(&self->lock);
  return MSDK_OK;
}

static msdk_result start_capture(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  self->stopping = false;
  int failed = msdk_thread_create(&self->thread, NULL, run, self);
  self->started = failed == 0;
  pthread_mutex_unlock(&self->lock);
  return failed == 0 ? MSDK_OK : report_fail(&self->report, MSDK_E_NOMEM, "no thread could be started: error %d", failed);
}

/* Rule P2. From inside its own delivery the thread cannot be waited for; it is told to touch nothing any more. */
static msdk_result stop_capture(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  bool started = self->started, own = started && pthread_equal(self->thread, pthread_self());
  self->started = false;
  self->stopping = true;
  if (own && self->orphaned != NULL) *self->orphaned = true;
  if (own) self->orphaned = NULL;
  pthread_cond_signal(&self->changed);
  pthread_mutex_unlock(&self->lock);
  if (own) pthread_detach(self->thread);
  else if (started) pthread_join(self->thread, NULL);
  return MSDK_OK;
}

static int32_t is_capture_started(const msdk_self *constant) {
  msdk_self *self = (msdk_self *)(uintptr_t)constant; /* the lock must be taken to look */
  pthread_mutex_lock(&self->lock);
  int32_t started = self->started;
  pthread_mutex_unlock(&self->lock);
  return started;
}

static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  pthread_mutex_lock(&self->lock);
  *out = grid_format(&self->output);
  pthread_mutex_unlock(&self->lock);
  return MSDK_OK;
}

static const uint32_t accepted[] = {MSDK_PIXEL_I420, MSDK_PIXEL_NV12, 0};

static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  if (index >= MSDK_COUNT(accepted) || accepted[index] == 0) return MSDK_E_NOT_FOUND;
  grid_output output = grid_output_of_params(self);
  output.pixel_format = accepted[index];
  *out = grid_format(&output);
  return MSDK_OK;
}

/* Of an outgoing stream: composed at the stream's size and rate, whatever the parameters say. */
static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  if (format == NULL) return report_fail(&self->report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  msdk_result result = format_check_pixels(&self->report, accepted, format->pixel_format);
  if (result == MSDK_OK) result = format_check_size(&self->report, format, GRID_SIDE_MIN, GRID_SIDE_MAX);
  if (result < 0) return result;
  bool known = format->fps_num != 0 && format->fps_den != 0;
  pthread_mutex_lock(&self->lock);
  self->output = (grid_output){.pixel_format = format->pixel_format, .width = format->width, .height = format->height,
                               .fps_num = known ? format->fps_num : self->fps, .fps_den = known ? format->fps_den : 1};
  pthread_mutex_unlock(&self->lock);
  return MSDK_OK;
}

const msdk_video_producer grid_producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_LIVE,
  .init_capture = nothing_to_do,
  .release_capture = release_capture,
  .start_capture = start_capture,
  .stop_capture = stop_capture,
  .is_capture_started = is_capture_started,
  .capture_settings = capture_settings,
  .enum_formats = enum_formats,
  .set_format = set_format,
};
