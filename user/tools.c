// SPDX-License-Identifier: BSD-2-Clause
/* The list of tools. */
#include "tool.h"

#define TOOL(name) extern const struct tool tool_##name;
#include "tools.def"
#undef TOOL

const struct tool *const tools[] = {
#define TOOL(name) &tool_##name,
#include "tools.def"
#undef TOOL
};

const size_t tools_count = sizeof(tools) / sizeof(*tools);
