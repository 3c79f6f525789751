/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the probes that its programs are wired to a tool needs. */
#ifndef ERLBPF_TRACE_REQUIRED_H
#define ERLBPF_TRACE_REQUIRED_H

#include <stdbool.h>

#include "trace/attach.h"
#include "tool.h"

/* Is the probe attached at all, as the tool was asked, to a VM of which so much is known and attached to so far? */
bool required_probe(const struct tool *tool, const struct options *options, const char *probe,
		    const struct attachment *a);

/* Does it only say more of cases that other probes find? */
bool required_for_details(const struct tool *tool, const char *probe);

/* What the tool does not show of a VM that lacks it, a sentence; NULL: nothing that matters, or it is not traced then.
 */
const char *required_missing_text(const struct tool *tool, const char *probe);

/* Would the tool's numbers mislead on a VM that lacks it? */
bool required_always(const struct tool *tool, const char *probe);

#endif
