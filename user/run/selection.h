/* SPDX-License-Identifier: BSD-2-Clause */
/* The probes that the user names: are there any, on any VM? */
#ifndef ERLBPF_RUN_SELECTION_H
#define ERLBPF_RUN_SELECTION_H

#include "run/run.h"

/*
 * The tool for what was asked for: names of an application's own probes are those of another tool, which `options`
 * becomes those of.
 */
const struct tool *selection_tool(const struct tool *tool, struct options *options);

/*
 * EXIT_OK, or EXIT_NO_TARGET: the name is nearly that of a probe of the catalogue, and not that of a probe in the code
 * of a node. Nothing is known of nodes that start later. Or another enum exit_code: a node could not be looked at. What
 * is wrong is said.
 */
int selection_name_check(const struct tool *tool, const struct options *options);

/* Of a run that is loaded. False: there are none, which is said, with what may have been meant. */
bool selection_has_probes(const struct run *run);

#endif
