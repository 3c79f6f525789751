/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of a trace: find targets, load, attach, follow, print, detach. */
#ifndef ERLBPF_RUN_LOOP_H
#define ERLBPF_RUN_LOOP_H

#include "options.h"
#include "tool.h"

/* Runs the tool until it is told to stop. An enum exit_code. */
int run_tool(const struct tool *tool, const struct options *options);

#endif
