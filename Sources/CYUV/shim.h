/* The parts of libyuv that are used, and its colour matrices, of which one function picks. */
#ifndef CYUV_SHIM_H
#define CYUV_SHIM_H

#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from.h>
#include <libyuv/convert_from_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/rotate.h>
#include <libyuv/rotate_argb.h>
#include <libyuv/row.h>
#include <libyuv/scale.h>
#include <libyuv/scale_argb.h>

enum cyuv_matrix { CYUV_BT601, CYUV_BT709, CYUV_BT2020 };

#if defined(__x86_64__) || defined(__i386__)
/* libyuv's own constants for limited range hold the weight of U in blue down to 128 of 64, where BT.709 has 135 and BT.2020 137: the
 * bluest pixel comes out as 243 instead of 255. Its loops for Intel multiply unsigned bytes and add with saturation, so they carry the
 * right weight as well, and these are the same tables with it. Weights are in 64ths, the luma's in 64ths of 65,536/257; the loops want
 * 32-byte alignment. */
#define CYUV_8(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define CYUV_16(...) CYUV_8(__VA_ARGS__), CYUV_8(__VA_ARGS__)
#define CYUV_LIMITED(luma, first_to_blue, first_to_green, second_to_green, second_to_red) \
  {{CYUV_16(first_to_blue, 0)}, \
   {CYUV_16(first_to_green, second_to_green)}, \
   {CYUV_16(0, second_to_red)}, \
   {CYUV_16(luma)}, \
   {CYUV_16(-1160)}}

static const struct YuvConstants cyuv_limited[3][2] __attribute__((aligned(32), unused)) = {
    {CYUV_LIMITED(18997, 129, 25, 52, 102), CYUV_LIMITED(18997, 102, 52, 25, 129)},
    {CYUV_LIMITED(18997, 135, 14, 34, 115), CYUV_LIMITED(18997, 115, 34, 14, 135)},
    {CYUV_LIMITED(19003, 137, 12, 42, 107), CYUV_LIMITED(19003, 107, 42, 12, 137)}};
#endif

/* The constants for turning YUV into RGB; with `swapped` those for U and V changed over, which gives blue in the place of red. */
static inline const struct YuvConstants *cyuv_constants(enum cyuv_matrix matrix, int full_range, int swapped) {
#if defined(__x86_64__) || defined(__i386__)
  if (!full_range) return &cyuv_limited[matrix][swapped != 0];
#endif
  switch (matrix) {
    case CYUV_BT709:
      if (full_range) return swapped ? &kYvuF709Constants : &kYuvF709Constants;
      return swapped ? &kYvuH709Constants : &kYuvH709Constants;
    case CYUV_BT2020:
      if (full_range) return swapped ? &kYvuV2020Constants : &kYuvV2020Constants;
      return swapped ? &kYvu2020Constants : &kYuv2020Constants;
    case CYUV_BT601:
    default:
      if (full_range) return swapped ? &kYvuJPEGConstants : &kYuvJPEGConstants;
      return swapped ? &kYvuI601Constants : &kYuvI601Constants;
  }
}

#endif
