// SPDX-License-Identifier: BSD-2-Clause
#include "trace/required.h"

#include <string.h>

static const struct tool_probe *exception_of(const struct tool *tool, const char *probe)
{
	for (const struct tool_probe *p = tool->not_always; p && p->name; p++) {
		if (!strcmp(p->name, probe))
			return p;
	}
	return NULL;
}

bool required_probe(const struct tool *tool, const struct options *options, const char *probe,
		    const struct attachment *a)
{
	const struct tool_probe *exception = exception_of(tool, probe);

	if (!exception || exception->need == NEEDED_NEVER)
		return true;
	if (exception->need == NEEDED_INSTEAD)
		return !attachment_has(a, exception->other);
	return exception->need == NEEDED_WITH_MIN ? options->min_ns : !a->pids.state_offset;
}

bool required_for_details(const struct tool *tool, const char *probe)
{
	const struct tool_probe *exception = exception_of(tool, probe);

	return exception && exception->need == NEEDED_WITH_MIN;
}

bool required_always(const struct tool *tool, const char *probe)
{
	const struct tool_probe *exception = exception_of(tool, probe);

	return !exception || exception->need != NEEDED_NEVER;
}

const char *required_missing_text(const struct tool *tool, const char *probe)
{
	const struct tool_probe *exception = exception_of(tool, probe);

	return exception ? exception->without : NULL;
}
