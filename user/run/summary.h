/* SPDX-License-Identifier: BSD-2-Clause */
/* The last word of every trace: what was counted and lost, on which targets, what was missing there. */
#ifndef ERLBPF_RUN_SUMMARY_H
#define ERLBPF_RUN_SUMMARY_H

#include <stdint.h>

#include "erl.h"
#include "measure.h"
#include "trace/follow.h"
#include "budget/pace.h"
#include "tool.h"

struct summary_input {
	const struct tool *tool;
	const struct follow *follow;
	const struct erl_count *counts; /* by probe */
	uint64_t began_ns;		/* since 1970 */
	uint64_t live_ns;		/* for so long there were probes */
	const struct pace *pace;
};

#define SUMMARY_MAX_NOTES (TOOL_MAX_NOTES + MEASURE_ACCOUNTS)

/* The accounts that are no probe's; without a run, what they are. Returns how many. */
size_t summary_notes(const struct tool *tool, struct run *run, struct sink_note notes[SUMMARY_MAX_NOTES]);

/* Hands the summary to the sink. 0 and what was lost in all, or -ENOMEM. */
int summary_show(const struct summary_input *in, struct sink *sink, struct run *run, uint64_t *lost);

#endif
