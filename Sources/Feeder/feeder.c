#include "self.h"
#include "../CLinux/signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static msdk_result check(const msdk_feeder_options *given, msdk_feeder_options *options) {
  msdk_result result = take_struct(given, options, sizeof *options, 8, "options");
  if (result < 0) return result;
  bool has_path = options->socket_path != NULL;
  if (has_path == (options->port != 0)) return fail(MSDK_E_INVALID, "options must have either a port or a socket_path");
  if (options->port > 65535) return fail(MSDK_E_RANGE, "options.port is %u; accepted: 1..65535", options->port);
  if (has_path && (strnlen(options->socket_path, 108) > 107 || options->socket_path[0] == 0)) {
    return fail(MSDK_E_INVALID, "options.socket_path is empty or longer than 107 bytes");
  }
  const uint32_t sizes[2] = {options->transmission_token_size, options->reception_token_size};
  const void *tokens[2] = {options->transmission_token, options->reception_token};
  static const char *const names[2] = {"transmission_token", "reception_token"};
  for (int i = 0; i < 2; i++) {
    if (tokens[i] == NULL) return fail(MSDK_E_INVALID, "options.%s is NULL", names[i]);
    if (sizes[i] < TOKEN_MIN || sizes[i] > TOKEN_MAX) {
      return fail(MSDK_E_RANGE, "options.%s_size is %u; accepted: 16..255", names[i], sizes[i]);
    }
  }
  if (options->slots != 0 && (options->slots < 2 || options->slots > SLOTS_MAX)) {
    return fail(MSDK_E_RANGE, "options.slots is %u; accepted: 2..16, or 0 for 4", options->slots);
  }
  return MSDK_OK;
}

static void destroy(msdk_feeder *feeder) {
  if (feeder->socket >= 0) close(feeder->socket);
  if (feeder->wake >= 0) close(feeder->wake);
  slots_free(feeder);
  pthread_mutex_destroy(&feeder->lock);
  pthread_cond_destroy(&feeder->changed);
  free(feeder->out);
  free(feeder);
}

static msdk_result start_thread(msdk_feeder *feeder) {
  feeder->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (feeder->wake < 0) return fail(MSDK_E_NOMEM, "out of file descriptors: %s", strerror(errno));
  int code = msdk_thread_create(&feeder->thread, NULL, link_run, feeder);
  return code == 0 ? MSDK_OK : fail(MSDK_E_NOMEM, "no thread can be started: %s", strerror(code));
}

static msdk_result connect_and_greet(const msdk_feeder_options *options, int64_t deadline, msdk_feeder *feeder) {
  bool was_crowded = false;
  for (;;) {
    msdk_result result = connect_to(options, deadline, feeder);
    if (result >= 0) result = greet(options, deadline, feeder);
    /* Time ran out in a later try; what kept it out is that there were too many. */
    if (result == MSDK_E_TIMEOUT && was_crowded) return fail(MSDK_E_FULL, "the session had too many connections until the timeout");
    /* A crowd of strangers took its place before its proof was read: it comes again. */
    if (result >= 0 || feeder->reason != MSDK_FEED_CROWDED || now_ns() >= deadline) return result;
    close(feeder->socket);
    feeder->socket = -1;
    feeder->reason = MSDK_FEED_NONE;
    was_crowded = true;
    struct timespec moment = {0, 5000000};
    nanosleep(&moment, NULL);
  }
}

msdk_result msdk_feeder_open(const msdk_feeder_options *given, msdk_feeder **out) {
  if (out == NULL) return fail(MSDK_E_INVALID, "out is NULL");
  msdk_feeder_options options;
  msdk_result result = check(given, &options);
  if (result < 0) return result;
  msdk_feeder *feeder = calloc(1, sizeof *feeder);
  if (feeder == NULL) return fail(MSDK_E_NOMEM, "out of memory");
  feeder->socket = feeder->wake = feeder->pass = -1;
  feeder->is_unix = options.socket_path != NULL;
  feeder->slot_count = options.slots != 0 ? options.slots : 4;
  pthread_mutex_init(&feeder->lock, NULL);
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&feeder->changed, &clock);
  pthread_condattr_destroy(&clock);
  int64_t timeout = options.timeout_ms != 0 ? options.timeout_ms : 5000;
  result = connect_and_greet(&options, now_ns() + timeout * 1000000, feeder);
  if (result >= 0) result = start_thread(feeder);
  if (result < 0) {
    destroy(feeder);
    return result;
  }
  *out = feeder;
  return MSDK_OK;
}

msdk_result msdk_feeder_take_key_frame_request(msdk_feeder *feeder, uint32_t *out) {
  if (feeder == NULL || out == NULL) return fail(MSDK_E_INVALID, "%s is NULL", feeder == NULL ? "feeder" : "out");
  pthread_mutex_lock(&feeder->lock);
  link_read(feeder);
  *out = feeder->wants_key_frame;
  feeder->wants_key_frame = false;
  pthread_mutex_unlock(&feeder->lock);
  return MSDK_OK;
}

msdk_result msdk_feeder_get_reason(msdk_feeder *feeder, uint32_t *out) {
  if (feeder == NULL || out == NULL) return fail(MSDK_E_INVALID, "%s is NULL", feeder == NULL ? "feeder" : "out");
  pthread_mutex_lock(&feeder->lock);
  link_read(feeder);
  *out = feeder->reason;
  pthread_mutex_unlock(&feeder->lock);
  return MSDK_OK;
}

msdk_result msdk_feeder_flush(msdk_feeder *feeder, uint32_t timeout_ms) {
  if (feeder == NULL) return fail(MSDK_E_INVALID, "feeder is NULL");
  int64_t deadline = now_ns() + (int64_t)timeout_ms * 1000000;
  struct timespec until = {deadline / 1000000000, deadline % 1000000000};
  pthread_mutex_lock(&feeder->lock);
  int code = 0;
  while (feeder->ended == MSDK_OK && feeder->out_sent < feeder->out_size && code == 0) {
    code = pthread_cond_timedwait(&feeder->changed, &feeder->lock, &until);
  }
  msdk_result result = MSDK_OK;
  if (feeder->ended != MSDK_OK) result = fail(MSDK_E_CLOSED, "%s", feeder->why);
  else if (feeder->out_sent < feeder->out_size && timeout_ms == 0) result = fail(MSDK_E_AGAIN, "the frame is still in flight");
  else if (feeder->out_sent < feeder->out_size) result = fail(MSDK_E_TIMEOUT, "the frame is still in flight after %u ms", timeout_ms);
  pthread_mutex_unlock(&feeder->lock);
  return result;
}

void msdk_feeder_close(msdk_feeder *feeder) {
  if (feeder == NULL) return;
  pthread_mutex_lock(&feeder->lock);
  feeder->is_stopping = true;
  pthread_mutex_unlock(&feeder->lock);
  uint64_t one = 1;
  ssize_t written = write(feeder->wake, &one, sizeof one);
  (void)written;
  pthread_join(feeder->thread, NULL);
  pthread_mutex_lock(&feeder->lock);
  link_leave(feeder, now_ns() + LEAVE_MAX);
  pthread_mutex_unlock(&feeder->lock);
  destroy(feeder);
}
