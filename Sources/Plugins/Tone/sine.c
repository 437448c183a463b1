#include "self.h"

/* Taylor's series for the quarter turn around 0, to which the rest is folded back: no library is needed. */
double tone_sine(double turns) {
  double folded = turns < 0.25 ? turns : turns < 0.75 ? 0.5 - turns : turns - 1;
  double x = folded * 6.283185307179586, square = x * x, sum = 0;
  for (int power = 17; power > 1; power -= 2) sum = (1 - sum) * square / (power * (power - 1));
  return x * (1 - sum);
}
