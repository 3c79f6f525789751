/* SPDX-License-Identifier: BSD-2-Clause */
/* erlbpf profile --top: the functions that use processor time now, again and again. */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_TOP_H
#define ERLBPF_CLI_PROFILE_PROFILE_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/live.h"

struct profile_top_request {
	struct live_request live;
	uint64_t interval_ns, duration_ns; /* duration: 0, until it is told to stop */
	uint64_t rows;			   /* at most; 0: as many as fit, or a default */
	bool is_json;
	bool keep_caps; /* all privileges */
};

/* On the terminal as a screen, else a table each time. An enum exit_code, explained. */
int profile_top(const struct profile_top_request *request);

#endif
