/* SPDX-License-Identifier: BSD-2-Clause */
/* What calls becomes with --via vm. */
#ifndef ERLBPF_TOOLS_FUNCTIONS_TOOL_H
#define ERLBPF_TOOLS_FUNCTIONS_TOOL_H

#include "tool.h"

extern const struct tool tool_functions;
extern const struct tool_other_columns functions_columns[];

#endif
