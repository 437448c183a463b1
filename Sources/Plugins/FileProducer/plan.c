#include "plan.h"

static void look(fp_plan *plan) {
  uint64_t stamp;
  plan->follows = fp_source_look(plan->source, &plan->cursor, &stamp);
  if (plan->follows == MSDK_E_CLOSED && plan->loop) {
    plan->cursor = (fp_cursor){.next = plan->source->first};
    fp_schedule_rewind(&plan->schedule);
    plan->follows = fp_source_look(plan->source, &plan->cursor, &stamp);
  }
  if (plan->follows < 0) {
    plan->follows_ns = plan->next_ns + plan->schedule.interval_ns;
    return;
  }
  uint64_t broken = plan->schedule.broken;
  plan->follows_ns = fp_schedule_next(&plan->schedule, stamp);
  if (broken == 0 && plan->schedule.broken > 0) {
    report_log(&plan->source->report, MSDK_LOG_WARN,
           "the timestamp of frame %llu is %llu, which is not after the previous one, or is more than ten minutes after it; such frames follow at "
           "the usual rate",
           (unsigned long long)plan->cursor.index, (unsigned long long)stamp);
  }
}

/* Whether a frame of the agreed rate begins while the next one of the file is shown. At the file's own rate its stamps decide alone. */
static bool is_wanted(const fp_plan *plan) {
  const fp_source *source = plan->source;
  if ((uint64_t)plan->fps_num * source->fps_den >= (uint64_t)source->fps_num * plan->fps_den) return true;
  return fp_ticks_before(plan->follows_ns, plan->fps_num, plan->fps_den) > fp_ticks_before(plan->next_ns, plan->fps_num, plan->fps_den);
}

/* From the one that follows on. */
static void choose(fp_plan *plan) {
  plan->to_skip = 0;
  for (;;) {
    if (plan->follows == MSDK_E_CLOSED && plan->loop) look(plan); /* it was not to loop when this was looked at */
    plan->next_ns = plan->follows_ns;
    plan->over = plan->follows == MSDK_E_CLOSED;
    if (plan->follows < 0) return;
    look(plan);
    if (plan->to_skip == FP_SKIP_MAX || is_wanted(plan)) return;
    plan->to_skip++;
  }
}

void fp_plan_begin(fp_plan *plan, fp_source *source, bool loop) {
  plan->source = source;
  plan->loop = loop;
  uint64_t interval = (uint64_t)FP_SECOND_NS * source->fps_den / source->fps_num, longest = (uint64_t)FP_PAUSE_MAX_NS;
  plan->schedule = (fp_schedule){.unit = source->unit, .interval_ns = (int64_t)(interval < longest ? interval : longest)};
  plan->cursor = (fp_cursor){.next = source->first};
  plan->next_ns = 0;
  look(plan);
  choose(plan);
}

void fp_plan_advance(fp_plan *plan) { choose(plan); }
