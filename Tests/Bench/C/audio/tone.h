/* How clean a tone is: what is left of samples when the tone, its amplitude and phase fitted by least squares, has been taken away. */
#ifndef BENCH_TONE_H
#define BENCH_TONE_H

struct tone_fit {
  double amplitude;
  double snr; /* decibels by which the rest is below the tone */
};

/* Of `count` samples taken at times given in seconds, but for the first `skip`. */
struct tone_fit tone_fit(const float *samples, const double *times, int count, int skip, double frequency);

/* Half of full scale, sample `index` at that rate. */
float tone_sample(double frequency, int rate, int index);

#endif
