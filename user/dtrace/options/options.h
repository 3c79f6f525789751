/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a D program: -x NAME=VALUE, `#pragma D option NAME=VALUE`, setopt() and DTRACE_OPT_NAME in the
 * environment all end here. One row of the table per option says how its value is written and where it goes.
 *
 * Three moments matter: compiling (strsize, errtags...), starting (bufsize...), and any time (quiet, aggsortrev...).
 * An option of the second kind is refused while the program runs, and one about files or processes is refused
 * within a program, since a script must not choose what is run on behalf of it.
 */
#ifndef ERLBPF_DTRACE_OPTIONS_OPTIONS_H
#define ERLBPF_DTRACE_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d/lang/unit.h"
#include "dtrace/print/consumer_ops.h"

/* A list of words that grows, NULL-terminated; it owns them. */
struct d_words {
	char **words;
	size_t count, room;
};

/* Behind a prefix. False: memory is short. */
bool d_words_add(struct d_words *words, const char *prefix, const char *word);
void d_words_free(struct d_words *words);

/* How strictly the preprocessor follows the standard of C, as -x stdc has them. */
enum d_standard { D_STANDARD_A, D_STANDARD_C, D_STANDARD_S, D_STANDARD_T };

struct d_options {
	struct unit_options unit;
	struct consumer_options consumer;

	/* Compiling. */
	bool cpp;		    /* -C */
	char *cpp_path;		    /* NULL: the system's */
	struct d_words cpp_args;    /* "-DX=1", "-Idir", "-H"... in the order given */
	struct d_words lib_folders; /* -L, in the order given */
	struct d_words environment; /* of the command of -c: "NAME=VALUE", or "NAME", which it does not have then */
	bool no_libraries;	    /* -x nolibs */
	int standard;		    /* -X: an enum d_standard */
	bool error_tags, drop_tags;
	bool is_empty_ok; /* -x empty */
	bool zero_ok;	  /* -Z: descriptions that match nothing are no error */
	bool default_args;
	bool unused_args_ok; /* -x argref */
	bool show_ir;	     /* -S */
	uint64_t tree;	     /* -x tree: a bit for each pass of the compiler whose tree is shown */
	bool debug;

	/* Running. */
	uint64_t bufsize;	/* 0: not set */
	int cpu;		/* -1: not set */
	uint64_t switchrate_ns; /* 0: not set */
	uint64_t statusrate_ns; /* 0: not set */
	bool allow_breakpoints; /* -x via=vm: nodes may be changed, for Erlang functions */
	char *functions;	/* MODULE:FUNCTION of old descriptions that name none, NULL: not set */
	char *cookie_file;	/* NULL: not set */
	uint64_t call_limit;	/* 0: not set */
	bool allow_denied;	/* probes that can hang or crash a VM */
	double max_overhead;	/* of probes of nodes, in percent; 0: no limit; less: the default */
	bool samples;
	bool keep_caps;	      /* all privileges, while it runs */
	int buffer_policy;    /* what it is called in DTrace: only that of D_BUFFER_SWITCH is had */
	bool agg_per_cpu;     /* asked for, and not had */
	uint64_t agg_rate_ns; /* the same */

	/* Where options go that are taken for the sake of scripts: nothing depends on them. */
	uint64_t number_unused;
	bool flag_unused;
	int choice_unused;
	char *string_unused;
};

enum { D_BUFFER_SWITCH, D_BUFFER_RING, D_BUFFER_FILL };

/* Where an option is set. */
enum d_option_place {
	D_OPTION_COMMAND, /* on the command line, in the environment */
	D_OPTION_PRAGMA,  /* in a program */
	D_OPTION_RUNNING, /* setopt() */
};

enum d_option_error {
	D_OPTION_OK,
	D_OPTION_UNKNOWN, /* no option of that name */
	D_OPTION_VALUE,	  /* not a value of it, or none was given, or one was */
	D_OPTION_PLACE,	  /* not within a program */
	D_OPTION_ACTIVE,  /* not while it runs */
	D_OPTION_LARGE,	  /* larger than can be */
	D_OPTION_VERSION, /* version=X.Y.Z: newer than what there is */
	D_OPTION_MEMORY,
};

/* What dtrace(1) does without options. */
void d_options_init(struct d_options *options);
void d_options_free(struct d_options *options);

/* value NULL: none was given. */
enum d_option_error d_option_set(struct d_options *options, enum d_option_place place, const char *name,
				 const char *value);

/* In words, for behind a colon. */
const char *d_option_problem(enum d_option_error error);

/* For setopt() of struct session_options: `options` is a struct d_options. NULL, or why the option is not set. */
const char *d_option_set_running(void *options, const char *name, const char *value);

/* DTRACE_OPT_NAME of the environment, in capitals or as it is; a value that is none is passed over, as in dtrace(1). */
void d_options_environment(struct d_options *options);

/*
 * All `#pragma D option` of the unit, in order, and then the unit's own options from these. What is wrong goes to
 * the unit's messages (D_PRAGMA_OPTSET). False if anything was.
 */
bool d_options_pragmas(struct d_options *options, struct unit *unit);

/* The table, for help, man page and completion. */
struct d_option_help {
	const char *name;
	const char *value; /* as in a usage, "SIZE"; "": takes none; words to choose from have blanks between */
	const char *help;
	bool has_effect;
	bool can_change; /* while the program runs, by setopt() */
};

size_t d_option_count(void);
struct d_option_help d_option_help(size_t i);

/* "bufpolicy=switch|ring|fill". */
void d_option_spell(FILE *to, const struct d_option_help *option);

#endif
