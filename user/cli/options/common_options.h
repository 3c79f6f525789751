/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that several commands take, and those of tools. Their texts are in options.txt. */
#ifndef ERLBPF_CLI_OPTIONS_COMMON_OPTIONS_H
#define ERLBPF_CLI_OPTIONS_COMMON_OPTIONS_H

#include "cli/options/option.h"
#include "options.h"

extern const struct option_part common_options;

/* Adds the process numbers in `text`. NULL, or the error. */
const char *common_options_pids(struct options *options, const char *text);

/* NULL, or the error. */
const char *common_options_overhead(struct options *options, const char *text);

/* The value of ERLBPF_NAMES; SPELLING_OF_FORMAT if it is not set or not valid. */
enum name_spelling common_options_names(void);

#endif
