/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `erlbpf profile` and of `profile show` and `profile diff`. Their texts are in options.txt. */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_OPTIONS_H
#define ERLBPF_CLI_PROFILE_PROFILE_OPTIONS_H

#include "cli/options/option.h"
#include "cli/options/parse.h"
#include "cli/profile/profile_events.h"
#include "cli/profile/profile_formats.h"
#include "profile/profiling.h"

struct profile_request {
	struct parsed parsed; /* first: common options */
	struct profile_output output;

	/* Options of `erlbpf profile`. */
	struct stack_merge_request join;
	enum profiling_mode mode;
	struct profile_events events;
	struct profiling_events made; /* of the events */
	uint64_t frequency;
	double overhead; /* percent; 0: no limit */
	bool is_top;
	uint64_t interval_ns; /* of --top */
	bool is_exact;

	/* Options of show and diff. */
	const char *files[2]; /* "-" is standard input */
	size_t file_count, wanted;
	bool is_absolute;
};

extern const struct option_table profile_run_options;
extern const struct option_table profile_files_options;
extern const struct option_table profile_files_own_options; /* those that only show and diff take */

void profile_help(void);
void profile_files_help(void); /* of show and diff */

#endif
