/* SPDX-License-Identifier: BSD-2-Clause */
/* How profiles are shown: the same options for all commands that have one. */
#ifndef ERLBPF_CLI_PROFILE_FORMATS_H
#define ERLBPF_CLI_PROFILE_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/option.h"
#include "flame/profile.h"

enum profile_format {
	PROFILE_TEXT,
	PROFILE_FOLDED,
};

struct profile_output {
	enum profile_format format;
	const char *file; /* NULL: standard output */
	uint64_t rows;	  /* of text; 0: the default */
	bool folds_recursion;
	bool shows_lines;
};

/* Shows the profile as is asked for. An enum exit_code; what is wrong is explained. */
int profile_output_write(const struct profile_output *output, const struct profile *profile);

/* `data` and `member` are where a table has its struct profile_output. */
#define PROFILE_FORMAT_ROWS(data, member)                                                                              \
	{ .name = "folded",                                                                                            \
	  .help = "a line per stack, as flamegraph.pl reads them",                                                     \
	  .manual = "A line per stack, as flamegraph.pl and other programs read them: frames with semicolons "         \
		    "between,\nthe root first, and the weight. The end of a name says what kind of frame it is: "      \
		    "\\_[b] a BIF or NIF,\n\\_[v] the VM, \\_[l] a library, \\_[k] the kernel, \\_[s] a state, "       \
		    "\\_[g] a group; none: Erlang.",                                                                   \
	  .kind = OPTION_SET,                                                                                          \
	  .to = offsetof(data, member.format),                                                                         \
	  .value = PROFILE_FOLDED },                                                                                   \
		{ .name = "output",                                                                                    \
		  .letter = 'o',                                                                                       \
		  .argument = "FILE",                                                                                  \
		  .help = "write to this file",                                                                        \
		  .kind = OPTION_TEXT,                                                                                 \
		  .to = offsetof(data, member.file),                                                                   \
		  .offer = OFFER_FILES },                                                                              \
		{ .name = "rows",                                                                                      \
		  .argument = "N",                                                                                     \
		  .help = "functions and stacks in text (default: 20)",                                                \
		  .kind = OPTION_NUMBER,                                                                               \
		  .to = offsetof(data, member.rows),                                                                   \
		  .least = 1,                                                                                          \
		  .most = 1000000 },                                                                                   \
		{ .name = "fold-recursion",                                                                            \
		  .help = "show functions once that call themselves, or each other in turn",                           \
		  .kind = OPTION_FLAG,                                                                                 \
		  .to = offsetof(data, member.folds_recursion) },                                                      \
	{                                                                                                              \
		.name = "lines", .help = "tell the lines of a function apart, where the format shows them",            \
		.kind = OPTION_FLAG, .to = offsetof(data, member.shows_lines)                                          \
	}

#endif
