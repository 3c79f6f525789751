/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of dtrace(1)'s command line: words become a struct dtrace_command (dtrace_parse.c,
 * dtrace_program.c), its programs a unit
 * (dtrace_compile.c), which is listed (dtrace_list.c) or run (dtrace.c).
 */
#ifndef ERLBPF_CLI_DTRACE_DTRACE_COMMAND_H
#define ERLBPF_CLI_DTRACE_DTRACE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "d/lang/unit.h"
#include "cli/options/parse.h"
#include "dtrace/options/options.h"

struct probes;

enum dtrace_status { DTRACE_OK, DTRACE_ERROR, DTRACE_USAGE };

enum dtrace_mode { DTRACE_RUN, DTRACE_LIST, DTRACE_VERSION, DTRACE_HELP };

/* By which part of a probe's name a program's descriptions are read, if they have fewer than four. */
enum dtrace_by {
	DTRACE_BY_SCRIPT,
	DTRACE_BY_PROVIDER,
	DTRACE_BY_MODULE,
	DTRACE_BY_FUNCTION,
	DTRACE_BY_NAME,
	DTRACE_BY_ID
};

/* One -s, -n, -P, -m, -f or -i. */
struct dtrace_program {
	enum dtrace_by by;
	const char *word;	  /* the file, or the D itself */
	char *name;		  /* for messages: the file, or the D up to its predicate or action */
	unsigned int first, last; /* ids of its clauses, when compiled; first > last: it has none */
};

struct dtrace_command {
	struct parsed common; /* first: which nodes are selected, whether to wait for them */
	const char *called;   /* name before messages, "erlbpf" or "dtrace" */
	enum dtrace_mode mode;
	bool compile_only;  /* -e */
	int verbosity;	    /* -v */
	const char *output; /* -o */
	char *run;	    /* -c */
	pid_t *pids;	    /* -p */
	size_t pid_count;
	bool names_target;		 /* a program has $target in it */
	struct dtrace_program *programs; /* in the order given */
	size_t program_count;
	char **argv; /* $0, $1...; NULL-terminated */
	int argc;
	struct d_options options;
};

/*
 * Words to a command. DTRACE_OK, or the status to exit with; why is on `errors`. The caller frees the command
 * either way, and keeps the words.
 */
enum dtrace_status dtrace_parse(struct dtrace_command *command, int argc, char **argv, FILE *errors);
void dtrace_command_free(struct dtrace_command *command);

/*
 * The D of -P, -m, -f and -n as a program: what they name gets its place among the four parts of a name, so
 * "-m beam.smp { ... }" is ":beam.smp::  { ... }". NULL: no memory. The caller frees it.
 */
char *dtrace_expand(enum dtrace_by by, const char *text);

/* Has a description of -P, -m or -f more parts than the option names? */
bool dtrace_is_overspecified(enum dtrace_by by, const char *text);

/* How much of a program are its descriptions: they end at the predicate, the action, or the end. */
size_t dtrace_descriptions_size(const char *text);

/* The -i's number, 0 if it begins with none; *rest is what follows. */
unsigned int dtrace_id(const char *text, const char **rest);

/* -h with a script: the header of the providers that it declares (dtrace_header.c). */
bool dtrace_is_header(const struct dtrace_command *command);
enum dtrace_status dtrace_write_header(const struct dtrace_command *command, const struct unit *unit);

/* --- dtrace_compile.c -------------------------------------------------------------------------------- */

/*
 * All programs into the unit, options in them, the checker. False if anything is wrong, and that is printed. The
 * probes are for -i only.
 */
bool dtrace_compile(struct dtrace_command *command, struct unit *unit, struct probes *probes, pid_t target);

/* Prints the unit's messages, one per line, and removes them. */
void dtrace_print_messages(const struct dtrace_command *command, struct unit *unit, FILE *to);

/* --- dtrace_libraries.c ------------------------------------------------------------------------------ */

/* Adds the libraries of -L to the unit, before any program. False: the error is printed, or in the unit's messages. */
bool dtrace_add_libraries(const struct dtrace_command *command, struct unit *unit);

/* --- dtrace_list.c ------------------------------------------------------------------------------------ */

/* -l. A status. */
enum dtrace_status dtrace_list(const struct dtrace_command *command, const struct unit *unit, struct probes *probes);

/* -v without -l: how stable is what the program uses. With -e also each of its probes. */
void dtrace_print_stability(const struct dtrace_command *command, const struct dtrace_program *program,
			    const struct unit *unit, struct probes *probes, FILE *to);

#endif
