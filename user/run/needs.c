// SPDX-License-Identifier: BSD-2-Clause
#include "run/needs.h"

#include <string.h>

static const struct tool_probe *exception_of(const struct tool *tool, const char *probe)
{
	for (const struct tool_probe *p = tool->not_always; p && p->name; p++) {
		if (!strcmp(p->name, probe))
			return p;
	}
	return NULL;
}

bool needs_probe(const struct tool *tool, const struct options *options, const char *probe, bool knows_states)
{
	const struct tool_probe *exception = exception_of(tool, probe);

	if (!exception || exception->need == NEEDED_NEVER)
		return true;
	return exception->need == NEEDED_WITH_MIN ? options->min_ns : !knows_states;
}

bool needs_always(const struct tool *tool, const char *probe)
{
	const struct tool_probe *exception = exception_of(tool, probe);

	return !exception || exception->need != NEEDED_NEVER;
}
