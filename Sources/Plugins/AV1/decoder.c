/* dav1d, without a frame of delay. Pictures are shown in dav1d's own memory, which the next call gives back. */
#include "self.h"

#include <dav1d/dav1d.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct av1_decoder {
  Dav1dContext *context;
  Dav1dPicture picture; /* that the host has; no data when there is none */
  bool needs_key_frame;
};

static void drop_picture(av1_decoder *decoder) {
  if (decoder->picture.data[0] != NULL) dav1d_picture_unref(&decoder->picture);
  memset(&decoder->picture, 0, sizeof decoder->picture);
}

static msdk_result open_decoder(msdk_self *self, const msdk_video_decoder_settings *settings) {
  if (!MSDK_HAS(settings, msdk_video_decoder_settings, pixels_max))
    return report_fail(&self->report, MSDK_E_INVALID, "settings is NULL or its struct_size is too small");
  if (settings->threads < 1 || settings->threads > 8) {
    return report_fail(&self->report, MSDK_E_RANGE, "threads is %u; accepted: 1..8", settings->threads);
  }
  av1_decoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return MSDK_E_NOMEM;
  Dav1dSettings own;
  dav1d_default_settings(&own);
  own.n_threads = (int)settings->threads;
  own.max_frame_delay = 1;
  own.all_layers = 0;
  own.frame_size_limit = settings->pixels_max > UINT32_MAX ? UINT32_MAX : (unsigned)settings->pixels_max;
  own.logger.callback = NULL; /* it would write to stderr for every damaged frame */
  int status = dav1d_open(&decoder->context, &own);
  if (status < 0) {
    free(decoder);
    return report_fail(&self->report, status == DAV1D_ERR(ENOMEM) ? MSDK_E_NOMEM : MSDK_E_FAIL, "making an AV1 decoder: dav1d returned %d",
                       status);
  }
  decoder->needs_key_frame = true;
  self->decoder = decoder;
  return MSDK_OK;
}

static msdk_result close_decoder(msdk_self *self) {
  if (self->decoder == NULL) return MSDK_OK;
  drop_picture(self->decoder);
  dav1d_close(&self->decoder->context);
  free(self->decoder);
  self->decoder = NULL;
  return MSDK_OK;
}

/* What was decoded is of no use for what follows. */
static msdk_result give_up(const msdk_self *self, msdk_result result, const char *words, int status) {
  dav1d_flush(self->decoder->context);
  self->decoder->needs_key_frame = true;
  return report_fail(&self->report, result, "%s: dav1d returned %d", words, status);
}

static msdk_result show(const msdk_self *self, const Dav1dPicture *picture, msdk_video_frame **out) {
  if (picture->p.layout != DAV1D_PIXEL_LAYOUT_I420 || picture->p.bpc != 8) {
    return report_fail(&self->report, MSDK_E_UNSUPPORTED, "a frame of layout %d with %d bits; accepted: 4:2:0 with 8 bits",
                       (int)picture->p.layout, picture->p.bpc);
  }
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_I420;
  format.width = (uint32_t)picture->p.w;
  format.height = (uint32_t)picture->p.h;
  format.color_primaries = (uint32_t)picture->seq_hdr->pri;
  format.color_transfer = (uint32_t)picture->seq_hdr->trc;
  format.color_matrix = (uint32_t)picture->seq_hdr->mtrx;
  format.color_full_range = picture->seq_hdr->color_range != 0;
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.plane_count = 3;
  external.format = &format;
  for (int i = 0; i < 3; i++) {
    uint32_t width = i == 0 ? format.width : (format.width + 1) / 2, height = i == 0 ? format.height : (format.height + 1) / 2;
    ptrdiff_t stride = picture->stride[i == 0 ? 0 : 1];
    if (stride < (ptrdiff_t)width || stride > INT32_MAX) {
      return report_fail(&self->report, MSDK_E_UNSUPPORTED, "a frame with a stride of %td", stride);
    }
    external.plane[i].data = picture->data[i];
    external.plane[i].stride = (int32_t)stride;
    external.plane[i].size = (uint64_t)stride * (height - 1) + width;
  }
  return self->report.host->video_frame_wrap(self->report.context, &external, out);
}

static msdk_result decode(msdk_self *self, const msdk_encoded_frame *frame, msdk_video_frame **out) {
  av1_decoder *decoder = self->decoder;
  if (decoder == NULL) return MSDK_E_STATE;
  *out = NULL;
  drop_picture(decoder);
  msdk_encoded_header header = MSDK_INIT(msdk_encoded_header);
  msdk_result result = av1_parse_header(frame->data, frame->size, &header);
  if (result < 0) return give_up(self, result, "data that does not begin with a temporal unit", 0);
  if (decoder->needs_key_frame && !(header.flags & MSDK_ENCODED_KEY)) {
    return report_fail(&self->report, MSDK_E_STATE, "a frame that refers to earlier frames; the decoder needs a key frame first");
  }
  Dav1dData data = {0};
  uint8_t *memory = dav1d_data_create(&data, frame->size);
  if (memory == NULL) return give_up(self, MSDK_E_NOMEM, "memory for a frame", 0);
  memcpy(memory, frame->data, frame->size);
  /* A temporal unit may hold several frames, of which one is shown. */
  Dav1dPicture next;
  for (;;) {
    int sent = data.sz > 0 ? dav1d_send_data(decoder->context, &data) : 0;
    if (sent < 0 && sent != DAV1D_ERR(EAGAIN)) {
      dav1d_data_unref(&data);
      drop_picture(decoder);
      return give_up(self, sent == DAV1D_ERR(ENOMEM) ? MSDK_E_NOMEM : MSDK_E_CORRUPT, "decoding", sent);
    }
    memset(&next, 0, sizeof next);
    int got = dav1d_get_picture(decoder->context, &next);
    if (got == 0) {
      drop_picture(decoder);
      decoder->picture = next;
    } else if (got != DAV1D_ERR(EAGAIN)) {
      dav1d_data_unref(&data);
      drop_picture(decoder);
      return give_up(self, got == DAV1D_ERR(ENOMEM) ? MSDK_E_NOMEM : MSDK_E_CORRUPT, "decoding", got);
    } else if (data.sz == 0) {
      break;
    } else if (sent < 0) {
      dav1d_data_unref(&data);
      return give_up(self, MSDK_E_FAIL, "dav1d accepts no data and returns no frame", sent);
    }
  }
  decoder->needs_key_frame = false;
  return decoder->picture.data[0] == NULL ? MSDK_OK : show(self, &decoder->picture, out);
}

const msdk_video_decoder av1_decoder_table = {
  .struct_size = sizeof(msdk_video_decoder),
  .codec = MSDK_CODEC_AV1,
  .open_decoder = open_decoder,
  .close_decoder = close_decoder,
  .decode = decode,
  .parse_header = av1_parse_header,
};
