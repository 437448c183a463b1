#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "source.h"
#include "../file_error.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ACCEPTED "accepted: RIFF/WAVE and RF64 files"

/* The content decides, before any decoder sees it; the name means nothing. */
static msdk_result check_kind(const wav_source *source, const char *path) {
  struct stat status;
  if (fstat(source->fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    return report_fail(&source->report, MSDK_E_INVALID, "'%.300s' is not a regular file; " ACCEPTED, path);
  }
  char magic[12] = {0}, shown[5] = {0};
  ssize_t got = pread(source->fd, magic, sizeof magic, 0);
  if (got < 0) return report_fail(&source->report, MSDK_E_IO, "reading '%.300s': %s", path, strerror(errno));
  if (got < (ssize_t)sizeof magic) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "'%.300s' has %d bytes, too few for a header; " ACCEPTED, path, (int)got);
  }
  bool wave = (memcmp(magic, "RIFF", 4) == 0 || memcmp(magic, "RF64", 4) == 0) && memcmp(magic + 8, "WAVE", 4) == 0;
  if (wave) return MSDK_OK;
  for (int i = 0; i < 4; i++) shown[i] = magic[i] >= 32 && magic[i] < 127 ? magic[i] : '?';
  return report_fail(&source->report, MSDK_E_UNSUPPORTED, "'%.300s' is not a WAVE file: it begins with '%s'; " ACCEPTED, path, shown);
}

/* libsndfile goes through a LIST chunk in steps of eight bytes to the end that it claims, whether the file has that many or not: 4 GB of nothing
 * take minutes. Only RIFF's order of bytes gets here. */
static msdk_result check_lists(const wav_source *source, const char *path) {
  struct stat status;
  if (fstat(source->fd, &status) != 0) return MSDK_OK;
  uint8_t head[8];
  off_t at = 12;
  for (int chunk = 0; chunk < 65536 && pread(source->fd, head, sizeof head, at) == (ssize_t)sizeof head; chunk++) {
    uint32_t size = head[4] | (uint32_t)head[5] << 8 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 24;
    off_t left = status.st_size - at - (off_t)sizeof head;
    if (memcmp(head, "LIST", 4) == 0 && (off_t)size > left) {
      return report_fail(&source->report, MSDK_E_CORRUPT, "'%.300s' has a LIST chunk of %u bytes, of which the file has %lld", path, size, (long long)left);
    }
    at += (off_t)sizeof head + size + (size & 1);
  }
  return MSDK_OK;
}

static bool knows_encoding(int format) {
  switch (format & SF_FORMAT_SUBMASK) {
  case SF_FORMAT_PCM_U8:
  case SF_FORMAT_PCM_16:
  case SF_FORMAT_PCM_24:
  case SF_FORMAT_PCM_32:
  case SF_FORMAT_FLOAT:
  case SF_FORMAT_DOUBLE:
  case SF_FORMAT_ULAW:
  case SF_FORMAT_ALAW: return true;
  default: return false;
  }
}

static msdk_result check_sound(wav_source *source, const char *path, const SF_INFO *info) {
  const plugin_report *report = &source->report;
  if (!knows_encoding(info->format)) {
    return report_fail(report, MSDK_E_UNSUPPORTED,
                    "'%.300s' holds encoding 0x%X; accepted: PCM of 8, 16, 24 and 32 bits, float, A-law, mu-law", path,
                    (unsigned)info->format & SF_FORMAT_SUBMASK);
  }
  if (info->channels < 1 || info->channels > 2) {
    return report_fail(report, MSDK_E_UNSUPPORTED, "'%.300s' has %d channels; accepted: 1, 2", path, info->channels);
  }
  if (info->samplerate < WAV_RATE_MIN || info->samplerate > WAV_RATE_MAX) {
    return report_fail(report, MSDK_E_UNSUPPORTED, "'%.300s' has %d samples a second; accepted: %d..%d", path, info->samplerate,
                    WAV_RATE_MIN, WAV_RATE_MAX);
  }
  if (info->frames <= 0) return report_fail(report, MSDK_E_CORRUPT, "'%.300s' has no samples", path);
  source->sample_rate = (uint32_t)info->samplerate;
  source->channels = (uint32_t)info->channels;
  source->sample_format = (info->format & SF_FORMAT_SUBMASK) == SF_FORMAT_PCM_16 ? MSDK_SAMPLE_S16 : MSDK_SAMPLE_F32;
  source->length = (uint64_t)info->frames;
  source->at = 0;
  return MSDK_OK;
}

/* A first sample, so that a file without sound is told at once. */
static msdk_result check_first(wav_source *source, const char *path) {
  float first[2];
  if (wav_source_read(source, first, 1) == 1 && wav_source_rewind(source)) return MSDK_OK;
  return report_fail(&source->report, MSDK_E_CORRUPT, "'%.300s' has no readable samples: %s", path, sf_strerror(source->file));
}

msdk_result wav_source_open(wav_source *source, const char *path) {
  const plugin_report *report = &source->report;
  source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (source->fd < 0) return report_fail(report, result_of(errno), "cannot open '%.300s': %s", path, strerror(errno));
  msdk_result result = check_kind(source, path);
  if (result == MSDK_OK) result = check_lists(source, path);
  if (result == MSDK_OK) {
    SF_INFO info = {0};
    source->file = sf_open_fd(source->fd, SFM_READ, &info, SF_FALSE);
    if (source->file == NULL) {
      result = report_fail(report, MSDK_E_CORRUPT, "'%.300s' cannot be read as a WAVE file: %s", path, sf_strerror(NULL));
    } else {
      result = check_sound(source, path, &info);
    }
  }
  if (result == MSDK_OK) result = check_first(source, path);
  if (result < 0) wav_source_close(source);
  return result;
}

void wav_source_close(wav_source *source) {
  if (source->file != NULL) sf_close(source->file);
  if (source->fd >= 0) close(source->fd);
  *source = (wav_source){.report = source->report, .fd = -1};
}

/* Numbers that are none would be refused further on, and the file's other samples with them. */
static void clean(wav_source *source, float *samples, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    if (isfinite(samples[i])) continue;
    samples[i] = 0;
    if (!source->told_numbers) report_log(&source->report, MSDK_LOG_WARN, "the file has samples that are not finite numbers; they are silent");
    source->told_numbers = true;
  }
}

uint32_t wav_source_width(const wav_source *source) { return source->channels * (source->sample_format == MSDK_SAMPLE_S16 ? 2 : 4); }

uint32_t wav_source_read(wav_source *source, void *samples, uint32_t count) {
  uint64_t left = source->length - source->at;
  sf_count_t wanted = (sf_count_t)(count < left ? count : left), got = 0;
  if (wanted <= 0) return 0;
  if (source->sample_format == MSDK_SAMPLE_S16) {
    got = sf_readf_short(source->file, samples, wanted);
  } else {
    got = sf_readf_float(source->file, samples, wanted);
    if (got > 0) clean(source, samples, (uint64_t)got * source->channels);
  }
  if (got < 0) got = 0;
  if (got < wanted) source->length = source->at + (uint64_t)got; /* it has become shorter than it said */
  source->at += (uint64_t)got;
  return (uint32_t)got;
}

void wav_source_skip(wav_source *source, uint64_t count) {
  uint64_t left = source->length - source->at, to = source->at + (count < left ? count : left);
  if (sf_seek(source->file, (sf_count_t)to, SEEK_SET) == (sf_count_t)to) source->at = to;
}

bool wav_source_rewind(wav_source *source) {
  if (sf_seek(source->file, 0, SEEK_SET) != 0) return false;
  source->at = 0;
  return true;
}
