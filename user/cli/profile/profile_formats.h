/* SPDX-License-Identifier: BSD-2-Clause */
/* How profiles are shown: the same options for all commands that have one. */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_FORMATS_H
#define ERLBPF_CLI_PROFILE_PROFILE_FORMATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/options/option.h"
#include "flame/format.h"

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

#define PROFILE_FORMAT_ROW(data, member, format_, name_, help_, manual_)                                               \
	{                                                                                                              \
		.name = name_, .help = help_, .manual = manual_, .kind = OPTION_SET,                                   \
		.to = offsetof(data, member.format), .value = format_                                                  \
	}

/* `data` and `member` are where a table has its struct profile_output; `take_min_` gives the word of --min to it. */
#define PROFILE_FORMAT_ROWS(data, member, take_min_)                                                                   \
	PROFILE_FORMAT_ROW(data, member, PROFILE_HTML, "html", "a flame graph as one page, with zoom and search",      \
			   "A flame graph as one page, which needs no network: zoom, search, a colour per kind of "    \
			   "frame, dark\nmode, keys. Of a difference, red has grown and blue has shrunk."),            \
		PROFILE_FORMAT_ROW(                                                                                    \
			data, member, PROFILE_SVG, "svg", "a flame graph as a picture",                                \
			"A flame graph as a picture, with recursion folded. Complete without its script, which "       \
			"zooms and searches."),                                                                        \
		PROFILE_FORMAT_ROW(                                                                                    \
			data, member, PROFILE_FOLDED, "folded", "a line per stack, as flamegraph.pl reads them",       \
			"A line per stack, as flamegraph.pl and other programs read them: frames with semicolons "     \
			"between,\nthe root first, and the weight. The end of a name says what kind of frame it "      \
			"is: \\_[b] a BIF\nor NIF, \\_[v] the VM, \\_[l] a library, \\_[k] the kernel, \\_[s] a "      \
			"state, \\_[g] a group; none:\nErlang."),                                                      \
		PROFILE_FORMAT_ROW(                                                                                    \
			data, member, PROFILE_PPROF, "pprof", "pprof's protobuf, compressed with gzip",                \
			"The format of pprof, compressed with gzip: for `go tool pprof`, Pyroscope, Parca and "        \
			"others."),                                                                                    \
		PROFILE_FORMAT_ROW(data, member, PROFILE_SPEEDSCOPE, "speedscope", "JSON for speedscope.app", NULL),   \
		{ .name = "json",                                                                                      \
		  .letter = 'j',                                                                                       \
		  .help = "a line of JSON per stack, and a summary",                                                   \
		  .kind = OPTION_SET,                                                                                  \
		  .to = offsetof(data, member.format),                                                                 \
		  .value = PROFILE_JSON },                                                                             \
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
		{ .name = "min",                                                                                       \
		  .argument = "PERCENT",                                                                               \
		  .help = "in text, bring stacks with less of the total together, as (other)",                         \
		  .kind = OPTION_CALL,                                                                                 \
		  .take = take_min_ },                                                                                 \
		{ .name = "fold-recursion",                                                                            \
		  .help = "fold recursion: f calls f is f; always with --svg",                                         \
		  .kind = OPTION_FLAG,                                                                                 \
		  .to = offsetof(data, member.folds_recursion) },                                                      \
	{                                                                                                              \
		.name = "lines", .help = "a frame per line of Erlang code, not per function, in all formats",          \
		.kind = OPTION_FLAG, .to = offsetof(data, member.shows_lines)                                          \
	}

#endif
