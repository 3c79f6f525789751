/* SPDX-License-Identifier: BSD-2-Clause */
/* How profiles are shown: the same options for all commands that have one. */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_FORMATS_H
#define ERLBPF_CLI_PROFILE_PROFILE_FORMATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/options/option.h"
#include "flame/formats/profile_format.h"

struct profile_output {
	enum profile_format format;
	const char *file; /* NULL: standard output */
	FILE *to;	  /* the same when it is open */
	uint64_t rows;	  /* of text; 0: the default */
	double least;	  /* percent; of text: stacks with less are brought together */
	bool folds_recursion;
	bool shows_lines;
};

/* Before privileges are given up. An enum exit_code; what is wrong is explained. */
int profile_output_open(struct profile_output *output);
void profile_output_close(struct profile_output *output);

/* Shows the profile as is asked for, where that was opened. An enum exit_code; what is wrong is explained. */
int profile_output_write(const struct profile_output *output, const struct profile *profile);

/* Both, one after the other. */
int profile_output_show(const struct profile_output *output, const struct profile *profile);

const char *profile_output_take_min(struct profile_output *output, const char *text);

#endif
