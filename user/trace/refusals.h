/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes that were found and are not traced, since they have not the probes that are needed: who they are, and why. */
#ifndef ERLBPF_TRACE_REFUSALS_H
#define ERLBPF_TRACE_REFUSALS_H

#include <stdbool.h>

#include "trace/follow.h"
#include "tool.h"

/* Each with its reason, and what to do, as errors; of what an option needs. */
void refusals_tell(const struct follow *follow, const struct tool *tool);
void refusals_tell_option(const struct follow *follow, const char *option);

/* ", not on a@host (reason), b@host (reason)" behind those that are; the caller's. "" if there are none, or NULL. */
char *refusals_list(const struct follow *follow);

/* Is there something that the tool does not show of a node that it traces, because it lacks a probe for it? */
bool refusals_are_parts(const struct follow *follow, const struct tool *tool);

/* What the tool does not show of nodes that it traces, because they lack a probe for it: each with the reason, as
 * warnings. */
void refusals_tell_parts(const struct follow *follow, const struct tool *tool);

#endif
