#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../../CLinux/signals.h"
#include "../monotonic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { RETRY_MS = 500, ANSWER_MS = 5000, CONNECT_MS = 10000 };

/* --------------------------------------------------------------------------------------------------------------- the thread */

/* Answers the control call that waits; false when none does. */
static bool answer(pulse_link *link, bool about_stream, msdk_result result, const char *words) {
  pthread_mutex_lock(&link->lock);
  bool waits = link->asked && (result < 0 || link->asked_stream == about_stream);
  if (waits) {
    link->asked = false;
    link->answer = result;
    snprintf(link->words, sizeof link->words, "%s", words);
    pthread_cond_broadcast(&link->changed);
  }
  pthread_mutex_unlock(&link->lock);
  return waits;
}

static void drop_stream(pulse_link *link) {
  if (link->stream == NULL) return;
  if (PA_STREAM_IS_GOOD(pa_stream_get_state(link->stream))) pa_stream_disconnect(link->stream);
  pa_stream_unref(link->stream);
  link->stream = NULL;
}

static void drop_context(pulse_link *link) {
  drop_stream(link);
  if (link->context == NULL) return;
  pa_context_disconnect(link->context);
  pa_context_unref(link->context);
  link->context = NULL;
}

static void tell_lost(msdk_self *self, const char *words) {
  pulse_link *link = &self->link;
  if (!pulse_link_wanted(link) || link->lost) return;
  link->lost = true;
  report_log(&self->report, MSDK_LOG_WARN, "%s; it is tried again every %d ms", words, RETRY_MS);
  report_event(&self->report, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_DEVICE_LOST, words);
}

static void failed(msdk_self *self, msdk_result result, const char *words) {
  self->link.retry_ns = monotonic_ns() + (int64_t)RETRY_MS * 1000000;
  if (!answer(&self->link, true, result, words)) tell_lost(self, words);
}

static void server_failed(msdk_self *self, int error) {
  char words[256];
  pthread_mutex_lock(&self->link.lock);
  const char *server = self->link.server;
  bool named = server[0] != 0;
  snprintf(words, sizeof words, "no connection to the sound server%s%.150s%s: %s", named ? " '" : "", server, named ? "'" : "",
           pa_strerror(error));
  pthread_mutex_unlock(&self->link.lock);
  drop_context(&self->link);
  failed(self, MSDK_E_IO, words);
}

static void stream_failed(msdk_self *self) {
  pulse_link *link = &self->link;
  char words[256];
  int error = pa_context_errno(link->context);
  pthread_mutex_lock(&link->lock);
  bool named = link->device[0] != 0;
  snprintf(words, sizeof words, "the sound server's %s%s%.150s%s failed: %s", link->kind->device, named ? " '" : "", link->device,
           named ? "'" : "", error != PA_OK ? pa_strerror(error) : "it was removed");
  pthread_mutex_unlock(&link->lock);
  drop_stream(link);
  failed(self, error == PA_ERR_NOENTITY ? MSDK_E_NOT_FOUND : error == PA_ERR_ACCESS ? MSDK_E_PERMISSION : MSDK_E_IO, words);
}

static void connect_context(msdk_self *self) {
  pulse_link *link = &self->link;
  pthread_mutex_lock(&link->lock);
  link->context = pa_context_new(pa_mainloop_get_api(link->loop), link->app_name);
  int result = link->context == NULL ? -1
    : pa_context_connect(link->context, link->server[0] != 0 ? link->server : NULL, PA_CONTEXT_NOAUTOSPAWN, NULL);
  pthread_mutex_unlock(&link->lock);
  link->connected_by_ns = monotonic_ns() + (int64_t)CONNECT_MS * 1000000;
  if (result < 0) server_failed(self, link->context != NULL ? pa_context_errno(link->context) : PA_ERR_INTERNAL);
}

static void connect_stream(msdk_self *self) {
  pulse_link *link = &self->link;
  pa_sample_spec spec = {.format = self->format.sample_format == MSDK_SAMPLE_S16 ? PA_SAMPLE_S16NE : PA_SAMPLE_FLOAT32NE,
                         .rate = self->format.sample_rate,
                         .channels = (uint8_t)self->format.channels};
  pthread_mutex_lock(&link->lock);
  link->stream = pa_stream_new(link->context, link->app_name, &spec, NULL);
  int result = link->stream == NULL ? -1 : link->kind->connect(self, link->stream, link->device[0] != 0 ? link->device : NULL);
  pthread_mutex_unlock(&link->lock);
  if (result < 0) stream_failed(self);
}

static void run_stream(msdk_self *self) {
  pulse_link *link = &self->link;
  pa_stream_state_t state = pa_stream_get_state(link->stream);
  if (!PA_STREAM_IS_GOOD(state)) stream_failed(self);
  if (state != PA_STREAM_READY) return;
  answer(link, true, MSDK_OK, "");
  if (pa_stream_is_suspended(link->stream) > 0) {
    tell_lost(self, "the sound device is suspended");
  } else if (link->lost) {
    link->lost = false;
    report_log(&self->report, MSDK_LOG_INFO, "audio is available again");
    report_event(&self->report, PULSE_EVENT_BACK, MSDK_OK, "back");
  }
  link->kind->pump(self, link->stream);
}

/* Looks at everything once. All that libpulse tells is read from its objects' states, so that none of its callbacks is needed. */
static void look(msdk_self *self, bool wanted) {
  pulse_link *link = &self->link;
  int64_t now_ns = monotonic_ns();
  if (link->context == NULL) {
    if (now_ns >= link->retry_ns) connect_context(self);
    return;
  }
  pa_context_state_t state = pa_context_get_state(link->context);
  if (!PA_CONTEXT_IS_GOOD(state)) {
    server_failed(self, pa_context_errno(link->context));
  } else if (state != PA_CONTEXT_READY) {
    if (now_ns >= link->connected_by_ns) server_failed(self, PA_ERR_TIMEOUT);
  } else {
    answer(link, false, MSDK_OK, "");
    if (wanted && link->stream == NULL && now_ns >= link->retry_ns) connect_stream(self);
    if (wanted && link->stream != NULL) run_stream(self);
  }
}

/* In microseconds; -1: until something happens. */
static int patience(const pulse_link *link, bool wanted) {
  bool retries = link->context == NULL || (wanted && link->stream == NULL);
  bool connects = link->context != NULL && pa_context_get_state(link->context) != PA_CONTEXT_READY;
  if (!retries && !connects) return -1;
  int64_t left_us = ((connects ? link->connected_by_ns : link->retry_ns) - monotonic_ns()) / 1000 + 1000;
  return left_us < 0 ? 0 : left_us > RETRY_MS * 1000 ? RETRY_MS * 1000 : (int)left_us;
}

static void woken(pa_mainloop_api *api, pa_io_event *event, int fd, pa_io_event_flags_t flags, void *unused) {
  (void)api;
  (void)event;
  (void)flags;
  (void)unused;
  uint64_t count;
  if (read(fd, &count, sizeof count) < 0) return;
}

static void *run(void *pointer) {
  msdk_self *self = pointer;
  pulse_link *link = &self->link;
  for (;;) {
    pthread_mutex_lock(&link->lock);
    bool quit = link->quit, wanted = link->wanted && !quit;
    if (wanted) link->streaming = true;
    pthread_mutex_unlock(&link->lock);
    if (!wanted) {
      drop_stream(link);
      pthread_mutex_lock(&link->lock);
      link->streaming = false;
      pthread_cond_broadcast(&link->changed);
      pthread_mutex_unlock(&link->lock);
    }
    if (quit) break;
    look(self, wanted);
    if (pa_mainloop_prepare(link->loop, patience(link, wanted)) < 0 || pa_mainloop_poll(link->loop) < 0) continue;
    pa_mainloop_dispatch(link->loop);
  }
  drop_context(link);
  return NULL;
}

/* ------------------------------------------------------------------------------------------------------------ control calls */

void pulse_link_free(pulse_link *link) {
  pthread_cond_destroy(&link->changed);
  pthread_mutex_destroy(&link->lock);
  free(link->server);
  free(link->device);
  free(link->app_name);
}

void pulse_link_wake(pulse_link *link) {
  uint64_t one = 1;
  if (write(link->wake_fd, &one, sizeof one) < 0) return; /* it is full: the thread is already called */
}

bool pulse_link_wanted(pulse_link *link) {
  pthread_mutex_lock(&link->lock);
  bool wanted = link->wanted;
  pthread_mutex_unlock(&link->lock);
  return wanted;
}

/* Waits for the thread's answer to what was asked. Called with the lock held. */
static msdk_result await(pulse_link *link) {
  struct timespec until = monotonic_at(monotonic_ns() + (int64_t)ANSWER_MS * 1000000);
  while (link->asked && pthread_cond_timedwait(&link->changed, &link->lock, &until) == 0) {}
  if (!link->asked) return link->answer;
  link->asked = false;
  snprintf(link->words, sizeof link->words, "the sound server did not answer within %d s", ANSWER_MS / 1000);
  return link->answer = MSDK_E_IO;
}

static void ask(pulse_link *link, bool stream) {
  link->asked = true;
  link->asked_stream = stream;
}

static void free_loop(pulse_link *link) {
  if (link->loop != NULL) pa_mainloop_free(link->loop); /* and the events in it */
  link->loop = NULL;
  close(link->wake_fd);
}

msdk_result pulse_link_open(msdk_self *self, const pulse_kind *kind) {
  pulse_link *link = &self->link;
  link->kind = kind;
  link->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (link->wake_fd < 0) return report_fail(&self->report, MSDK_E_NOMEM, "out of file descriptors: %s", strerror(errno));
  link->loop = pa_mainloop_new();
  pa_mainloop_api *api = link->loop != NULL ? pa_mainloop_get_api(link->loop) : NULL;
  if (api == NULL || api->io_new(api, link->wake_fd, PA_IO_EVENT_INPUT, woken, NULL) == NULL) {
    free_loop(link);
    return report_fail(&self->report, MSDK_E_NOMEM, "no memory for a main loop");
  }
  link->quit = link->wanted = link->streaming = link->lost = false;
  link->retry_ns = 0;
  ask(link, false);

  int error = msdk_thread_create(&link->thread, NULL, run, self);
  if (error != 0) {
    free_loop(link);
    return report_fail(&self->report, MSDK_E_NOMEM, "no thread can be started: %s", strerror(error));
  }
  pthread_mutex_lock(&link->lock);
  msdk_result result = await(link);
  pthread_mutex_unlock(&link->lock);
  if (result == MSDK_OK) return MSDK_OK;
  pulse_link_close(self);
  return report_fail(&self->report, result, "%s", link->words);
}

msdk_result pulse_link_start(msdk_self *self) {
  pulse_link *link = &self->link;
  pthread_mutex_lock(&link->lock);
  link->wanted = true;
  link->lost = false;
  ask(link, true);
  pulse_link_wake(link);
  msdk_result result = await(link);
  pthread_mutex_unlock(&link->lock);
  if (result == MSDK_OK) return MSDK_OK;
  pulse_link_stop(self);
  return report_fail(&self->report, result, "%s", link->words);
}

void pulse_link_stop(msdk_self *self) {
  pulse_link *link = &self->link;
  pthread_mutex_lock(&link->lock);
  link->wanted = false;
  pulse_link_wake(link);
  while (link->streaming) pthread_cond_wait(&link->changed, &link->lock);
  pthread_mutex_unlock(&link->lock);
}

void pulse_link_close(msdk_self *self) {
  pulse_link *link = &self->link;
  if (link->loop == NULL) return;
  pthread_mutex_lock(&link->lock);
  link->quit = true;
  pthread_mutex_unlock(&link->lock);
  pulse_link_wake(link);
  pthread_join(link->thread, NULL);
  free_loop(link);
}
