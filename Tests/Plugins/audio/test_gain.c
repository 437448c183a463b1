#define _XOPEN_SOURCE 700
#include "check.h"
#include "host.h"

#include <math.h>

static const msdk_class *class;
enum { COUNT = 480 };

/* Passes a buffer of one value; the first and the last sample that came out. */
static void pass(host_instance *instance, const msdk_audio_format *format, double value, int shared, double *first, double *last) {
  msdk_audio_frame *in = host_audio_frame(instance, format, COUNT), *out = NULL;
  uint64_t count = (uint64_t)COUNT * format->channels;
  for (uint64_t i = 0; i < count; i++) host_set_sample(in, i, value);
  if (shared) {
    in->flags = 0;
    host_audio_ref(in);
  }
  CHECK_EQ(class->audio_filter->filter_audio_frame(instance->self, in, &out), MSDK_OK);
  CHECK(out != NULL);
  CHECK_EQ(out->sample_count, COUNT);
  *first = host_sample(out, 0);
  *last = host_sample(out, count - 1);
  for (uint64_t i = format->channels; i < count; i++) { /* smooth, and alike in all channels */
    if (fabs(host_sample(out, i) - host_sample(out, i - format->channels)) > 0.02) {
      CHECK(0);
      break;
    }
  }
  if (shared) {
    CHECK(fabs(host_sample(in, count - 1) - value) < 1e-4); /* left alone */
    host_audio_unref(in);
  }
  host_audio_unref(out);
}

static void louder_and_softer(void) {
  for (uint32_t i = 0; i < 8; i++) {
    msdk_audio_format format = host_audio_format(i % 2 ? MSDK_SAMPLE_F32 : MSDK_SAMPLE_S16, 48000, 1 + i / 2 % 2);
    int shared = i / 4 % 2;
    double first, last;
    host_instance instance;
    host_create(&instance, class);
    CHECK_EQ(class->audio_filter->init_filter(instance.self), MSDK_OK);
    CHECK_EQ(class->audio_filter->set_format(instance.self, &format), MSDK_OK);
    pass(&instance, &format, 0.1, shared, &first, &last);
    CHECK(fabs(first - 0.1) < 1e-4 && fabs(last - 0.1) < 1e-4);
    CHECK_EQ(host_set_f64(&instance, "gain_db", 20 * log10(2)), MSDK_OK); /* live: over one buffer */
    pass(&instance, &format, 0.1, shared, &first, &last);
    CHECK(fabs(first - 0.1) < 1e-3 && fabs(last - 0.2) < 1e-4);
    pass(&instance, &format, 0.1, shared, &first, &last);
    CHECK(fabs(first - 0.2) < 1e-4 && fabs(last - 0.2) < 1e-4);
    pass(&instance, &format, 0.9, shared, &first, &last);
    CHECK(i % 2 ? fabs(last - 1.8) < 1e-4 : last > 0.9999 && last <= 1); /* s16 is cut off */
    CHECK_EQ(host_set_f64(&instance, "gain_db", -96), MSDK_OK);
    pass(&instance, &format, -0.1, shared, &first, &last);
    CHECK_EQ(last != 0, 0);
    CHECK_EQ(class->audio_filter->release_filter(instance.self), MSDK_OK);
    host_destroy(&instance);
  }
}

static void parameters_and_an_empty_pool(void) {
  host_instance instance;
  host_create(&instance, class);
  host_check_params(&instance);
  CHECK_EQ(host_set_f64(&instance, "gain_db", 25), MSDK_E_RANGE);
  CHECK_EQ(host_set_f64(&instance, "gain_db", NAN), MSDK_E_RANGE);
  CHECK_EQ(host_set_f64(&instance, "gain_db", 6), MSDK_OK);
  CHECK_EQ(class->audio_filter->init_filter(instance.self), MSDK_OK);
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_F32, 48000, 1);
  CHECK_EQ(class->audio_filter->set_format(instance.self, &format), MSDK_OK);
  msdk_audio_frame *in = host_audio_frame(&instance, &format, COUNT), *out = NULL;
  in->flags = 0;
  host_audio_ref(in);
  instance.context.audio_pool_limit = 1;
  CHECK_EQ(class->audio_filter->filter_audio_frame(instance.self, in, &out), MSDK_E_AGAIN);
  host_audio_unref(in);
  CHECK_EQ(class->audio_filter->release_filter(instance.self), MSDK_OK);
  host_destroy(&instance);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "gain.so", "org.mediasdk.filter.gain");
  louder_and_softer();
  parameters_and_an_empty_pool();
  return check_done();
}
