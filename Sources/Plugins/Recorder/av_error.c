#include "av_error.h"

#include <errno.h>
#include <libavutil/error.h>

msdk_result rec_fail_av(const plugin_report *report, int error, const char *what) {
  char why[AV_ERROR_MAX_STRING_SIZE] = "";
  av_strerror(error, why, sizeof why);
  return report_fail(report, error == AVERROR(ENOMEM) ? MSDK_E_NOMEM : MSDK_E_FAIL, "%s: %s", what, why);
}
