/// The C projects whose matter is sound, and the filter.
extension Template {
  private static func beginning(_ what: String, _ members: String) -> String {
    """
    /* @NAME@.c - \(what)
     *
     * The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them. */
    #include <mediasdk/plugin.h>

    #include <stdlib.h>
    #include <string.h>

    struct msdk_self {
      const msdk_host *host;      /* what the host does for us */
      msdk_host_context *context; /* the first argument of its functions */
    \(members)};


    """ + beginningC
  }

  static let audioProducerC =
    beginning(
      "an audio producer: a tone of 441 Hz that swells and fades.",
      "  msdk_audio_format format;   /* the one agreed on */\n  uint64_t position;          /* in samples */\n") + #"""
      static msdk_result nothing_to_do(msdk_self *self) {
        (void)self;
        return MSDK_OK;
      }

      static msdk_result capture_settings(msdk_self *self, msdk_audio_format *out) {
        (void)self;
        *out = MSDK_INIT(msdk_audio_format);
        out->sample_format = MSDK_SAMPLE_S16;
        out->sample_rate = 48000;
        out->channels = 1;
        return MSDK_OK;
      }

      /* The host converts what is refused here: it asks for capture_settings next. */
      static msdk_result set_format(msdk_self *self, const msdk_audio_format *format) {
        if (format->sample_format != MSDK_SAMPLE_S16) return fail(self, MSDK_E_FORMAT, "accepted: s16");
        memcpy(&self->format, format, sizeof self->format); /* P6: a later host's struct is longer; the members we know come first */
        self->format.struct_size = sizeof self->format;
        return MSDK_OK;
      }

      /* A triangle: no libm is needed for it. */
      static int16_t sample_at(uint64_t position, uint32_t rate) {
        int64_t phase = (int64_t)(position * 441 % rate * 4000 / rate); /* 0..3999 */
        int64_t wave = phase < 2000 ? phase - 1000 : 3000 - phase;      /* -1000..1000 */
        int64_t swell = (int64_t)(position % rate * 2000 / rate);
        return (int16_t)(wave * (swell < 1000 ? swell : 2000 - swell) / 125);
      }

      /* P7: 10 ms at a time, when the host asks for them, and never waiting for that time ourselves. */
      static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_audio_frame **out) {
        msdk_audio_frame *frame = NULL;
        uint32_t count = self->format.sample_rate / 100;
        msdk_result result = self->host->audio_frame_acquire(self->context, &self->format, count, &frame);
        if (result < 0) return result; /* P4: MSDK_E_AGAIN when all are in use */
        for (uint32_t i = 0; i < count; i++) {
          int16_t sample = sample_at(self->position++, self->format.sample_rate);
          for (uint32_t channel = 0; channel < self->format.channels; channel++) {
            memcpy(frame->planes[0] + (i * self->format.channels + channel) * sizeof sample, &sample, sizeof sample);
          }
        }
        frame->timestamp_ns = due_ns;
        *out = frame; /* our reference is the host's now */
        return MSDK_OK;
      }

      static const msdk_audio_producer producer = {
        .struct_size = sizeof(msdk_audio_producer),
        .flags = MSDK_PRODUCER_PULL,
        .init_capture = nothing_to_do,
        .release_capture = nothing_to_do,
        .start_capture = nothing_to_do,
        .stop_capture = nothing_to_do,
        .capture_settings = capture_settings,
        .set_format = set_format,
        .produce_frame = produce_frame,
      };

      static const msdk_class the_class = {
        .struct_size = sizeof(msdk_class),
        .kinds = MSDK_KIND_AUDIO_PRODUCER,
        .id = "@ID@",
        .name = "@NAME@",
        .summary = "a tone that swells and fades",
        .create = create,
        .destroy = destroy,
        .audio_producer = &producer,
      };
      """# + tailC

  static let audioRendererC =
    beginning("an audio renderer: it reports the loudest sample.", "  uint32_t peak;              /* 0..32768 */\n")
      + #"""
      static msdk_result init_render(msdk_self *self) {
        self->peak = 0;
        return MSDK_OK;
      }

      static msdk_result release_render(msdk_self *self) {
        (void)self;
        return MSDK_OK;
      }

      /* The host converts to this: *out holds the format that arrives, and we accept the members that we leave unchanged. */
      static msdk_result render_settings(msdk_self *self, msdk_audio_format *out) {
        (void)self;
        out->sample_format = MSDK_SAMPLE_S16;
        return MSDK_OK;
      }

      static msdk_result render_audio_frame(msdk_self *self, const msdk_audio_frame *frame) {
        for (uint64_t i = 0; i < (uint64_t)frame->sample_count * frame->format->channels; i++) {
          int16_t sample;
          memcpy(&sample, frame->planes[0] + i * sizeof sample, sizeof sample);
          uint32_t loudness = (uint32_t)(sample < 0 ? -(int32_t)sample : sample);
          if (loudness > self->peak) self->peak = loudness;
        }
        return MSDK_OK;
      }

      /* A read-only parameter. */
      static msdk_result get_param(msdk_self *self, const char *name, msdk_value *out) {
        if (strcmp(name, "peak") != 0) return fail(self, MSDK_E_NOT_FOUND, "accepted: peak");
        out->type = MSDK_T_F64;
        out->u.f64 = self->peak / 32768.0;
        return MSDK_OK;
      }

      static const msdk_param params[] = {{
        .struct_size = sizeof(msdk_param),
        .flags = MSDK_PARAM_READONLY,
        .name = "peak",
        .summary = "the loudest sample so far, 0 to 1",
        .def = {.type = MSDK_T_F64},
      }};

      static const msdk_audio_renderer renderer = {
        .struct_size = sizeof(msdk_audio_renderer),
        .init_render = init_render,
        .release_render = release_render,
        .render_settings = render_settings,
        .render_audio_frame = render_audio_frame,
      };

      static const msdk_class the_class = {
        .struct_size = sizeof(msdk_class),
        .kinds = MSDK_KIND_AUDIO_RENDERER,
        .id = "@ID@",
        .name = "@NAME@",
        .summary = "how loud it was",
        .params = params,
        .param_count = MSDK_COUNT(params),
        .create = create,
        .destroy = destroy,
        .get_param = get_param,
        .audio_renderer = &renderer,
      };
      """# + tailC

  static let filterC =
    beginning("a filter: it inverts frames.", "  msdk_video_format format;   /* the one agreed on */\n") + #"""
      static msdk_result nothing_to_do(msdk_self *self) {
        (void)self;
        return MSDK_OK;
      }

      /* The host converts what is refused here, NV12 first. *out holds `in`: neither size nor pixel format changes. */
      static msdk_result set_format(msdk_self *self, const msdk_video_format *in, msdk_video_format *out) {
        (void)out;
        if (in->pixel_format != MSDK_PIXEL_NV12) return fail(self, MSDK_E_FORMAT, "accepted: NV12");
        memcpy(&self->format, in, sizeof self->format); /* P6: a later host's struct is longer; the members we know come first */
        return MSDK_OK;
      }

      /* P3: others may hold this frame. make_writable returns it if only we hold it, else a copy, and takes our reference unless it fails. */
      static msdk_result filter_video_frame(msdk_self *self, msdk_video_frame *in, msdk_video_frame **out) {
        msdk_video_frame *frame = NULL;
        msdk_result result = self->host->video_frame_make_writable(self->context, in, &frame);
        if (result < 0) { /* P4: MSDK_E_AGAIN when there is no memory for the copy; this frame is dropped */
          self->host->video_frame_unref(in);
          return result;
        }
        for (uint32_t y = 0; y < self->format.height; y++) {
          uint8_t *row = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride;
          for (uint32_t x = 0; x < self->format.width; x++) row[x] = (uint8_t)(255 - row[x]);
        }
        *out = frame;
        return MSDK_OK;
      }

      static const msdk_video_filter filter = {
        .struct_size = sizeof(msdk_video_filter),
        .init_filter = nothing_to_do,
        .release_filter = nothing_to_do,
        .set_format = set_format,
        .filter_video_frame = filter_video_frame,
      };

      static const msdk_class the_class = {
        .struct_size = sizeof(msdk_class),
        .kinds = MSDK_KIND_VIDEO_FILTER,
        .id = "@ID@",
        .name = "@NAME@",
        .summary = "the negative",
        .create = create,
        .destroy = destroy,
        .video_filter = &filter,
      };
      """# + tailC
}
