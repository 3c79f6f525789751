// SPDX-License-Identifier: BSD-2-Clause
#include "run/refusals.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"

#define MOST_TOLD 10

/* "a@host (process 1)" or, of one without a name or for a list, the half that there is. */
static char *name_of(const struct target *target, bool is_long)
{
	bool has_name = target->node[0];
	char *name = NULL;

	if (has_name && !is_long)
		return strdup(target->node);
	return asprintf(&name, has_name ? "%s (process %d)" : "%sprocess %d", target->node, target->pid) < 0 ? NULL
													     : name;
}

/* Messages keep control characters of a node's name from the terminal: see base/log.h. */
static void tell(const struct attachment *a, const char *tool)
{
	_cleanup_free_ char *node = name_of(a->target, true), *reason = attachment_refusal(a);
	const char *advice = attachment_reason(a) ? "; `erlbpf doctor` says what to do" : "";

	pr_err("%s is not traced, because it has not all probes that %s needs: %s%s", node ? node : "a node", tool,
	       reason ? reason : "memory is short", advice);
}

void refusals_tell(const struct follow *follow, const char *tool)
{
	size_t told = 0, more = 0;

	for (size_t i = 0; i < follow_count(follow); i++) {
		const struct attachment *a = follow_get(follow, i);

		if (a->site_count)
			continue;
		if (told == MOST_TOLD)
			more++;
		else
			tell(a, tool);
		told += told < MOST_TOLD;
	}
	if (more)
		pr_err("and %zu more nodes are not traced", more);
}

char *refusals_list(const struct follow *follow)
{
	char *text = NULL;
	size_t size, told = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (size_t i = 0; i < follow_count(follow); i++) {
		const struct attachment *a = follow_get(follow, i);
		_cleanup_free_ char *node = name_of(a->target, false), *reason = attachment_refusal(a);

		if (a->site_count || told > MOST_TOLD || !node || !reason)
			continue;
		if (told++ == MOST_TOLD)
			fputs(", ...", to);
		else
			fprintf(to, "%s%s (%s)", told == 1 ? ", not on " : ", ", node, reason);
	}
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}
