/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What calls has of Erlang functions, with returns (functions.c) and without (entries.c): what both are told, and the
 * text of a call that is shown.
 */
#ifndef ERLBPF_TOOLS_FUNCTIONS_PARTS_H
#define ERLBPF_TOOLS_FUNCTIONS_PARTS_H

#include "functions.h"

#include "tool.h"

/* What --entry prints: a table, and calls with --show. */
#define ENTRIES_COUNT_COLUMNS 4
#define ENTRIES_SHOW_COLUMNS 5
extern const struct column entries_count_columns[], entries_show_columns[];

/* What the command line says to the programs. 0 or -errno. */
int functions_configure(struct run *run);

#define FUNCTIONS_CALL_TEXT 16384
#define FUNCTIONS_TERM_TEXT 4096

/*
 * "shop:order(1,{a,b})", hostile, in a text of FUNCTIONS_CALL_TEXT: the function without its arity, and its arguments,
 * whose memory that is.
 */
void functions_format_call(struct run *run, const struct functions_call *call, struct term_snapshot *memory,
			   char *text);

/* "web:handle/1, web:loop/2": the newest first. What is no address of code is left out. The same room. */
void functions_format_callers(struct run *run, const struct functions_call *call, char *text);

#endif
