/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints and semaphores left behind in a node: reported by `erlbpf doctor`, removed with --heal. */
#ifndef ERLBPF_CLI_LEFTOVER_REPORT_H
#define ERLBPF_CLI_LEFTOVER_REPORT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "trace/heal.h"

#define LEFTOVER_FUNCTIONS 5

struct leftover_report {
	struct leftovers left; /* after healing, if that was wanted */
	struct healed healed;
	bool was_healed;
	const struct image_symbol *functions[LEFTOVER_FUNCTIONS]; /* the first few that are changed */
	size_t function_count;					  /* at most one more than fit here */
	const char *why; /* it could not be looked at, or not be mended; NULL: it could */
};

/* `refusal`: why nothing may be attached, NULL if it may. */
void leftover_report_make(const struct target *target, const struct kernel *kernel, bool heals, const char *refusal,
			  struct leftover_report *report);
void leftover_report_free(struct leftover_report *report);

/* Calls `print` with a title and a line, hostile, for each thing that there is to say. */
void leftover_report_print(const struct leftover_report *report, void (*print)(const char *title, const char *text));

struct json_object *leftover_report_json(const struct leftover_report *report);

#endif
