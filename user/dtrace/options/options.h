/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a D program: -x NAME=VALUE, `#pragma D option NAME=VALUE`, setopt() and DTRACE_OPT_NAME in the
 * environment. A table has one row per option, with its syntax and its member. Options apply when compiling (strsize,
 * errtags...), starting (bufsize...), or at any time (quiet, aggsortrev...). Those for starting are refused while the
 * program runs. Those about files or processes are refused in a program, because a script must not choose what runs on
 * its behalf.
 */
#ifndef ERLBPF_DTRACE_OPTIONS_OPTIONS_H
#define ERLBPF_DTRACE_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d/lang/unit.h"
#include "dtrace/print/consumer_ops.h"

/* A growing, NULL-terminated list of words, which it owns. */
struct d_words {
	char **words;
	size_t count, room;
};

/* After a prefix. False: out of memory. */
bool d_words_add(struct d_words *words, const char *prefix, const char *word);
void d_words_free(struct d_words *words);

/* How strictly the preprocessor follows the C standard, as in -x stdc. */
enum d_standard { D_STANDARD_A, D_STANDARD_C, D_STANDARD_S, D_STANDARD_T };

struct d_options {
	struct unit_options unit;
	struct consumer_options consumer;

	/* Compiling. */
	bool cpp;		    /* -C */
	char *cpp_path;		    /* NULL: the system's */
	struct d_words cpp_args;    /* "-DX=1", "-Idir", "-H"..., in order */
	struct d_words lib_folders; /* -L, in order */
	struct d_words environment; /* of the command of -c: "NAME=VALUE", or "NAME" to unset it */
	bool no_libraries;	    /* -x nolibs */
	int standard;		    /* -X: an enum d_standard */
	bool error_tags, drop_tags;
	bool is_empty_ok; /* -x empty */
	bool zero_ok;	  /* -Z: descriptions without a match are valid */
	bool default_args;
	bool unused_args_ok; /* -x argref */
	bool show_ir;	     /* -S */
	uint64_t tree;	     /* -x tree: a bit for each compiler pass whose tree is printed */
	bool debug;

	/* Running. */
	uint64_t bufsize;	/* 0: not set */
	int cpu;		/* -1: not set */
	uint64_t switchrate_ns; /* 0: not set */
	uint64_t statusrate_ns; /* 0: not set */
	bool allow_breakpoints; /* -x via=vm: breakpoints on Erlang functions are allowed */
	char *functions;	/* MODULE:FUNCTION for old descriptions without one, NULL: not set */
	char *cookie_file;	/* NULL: not set */
	uint64_t call_limit;	/* 0: not set */
	bool allow_denied;	/* allows probes that can hang or crash a VM */
	double max_overhead;	/* of probes on nodes, in percent; 0: no limit; less: the default */
	bool samples;
	bool keep_caps;	      /* keeps all privileges at run time */
	int buffer_policy;    /* as in DTrace; only D_BUFFER_SWITCH is supported */
	bool agg_per_cpu;     /* without effect */
	uint64_t agg_rate_ns; /* without effect */

	/* Members for options that are accepted for existing scripts: unused. */
	uint64_t number_unused;
	bool flag_unused;
	int choice_unused;
	char *string_unused;
};

enum { D_BUFFER_SWITCH, D_BUFFER_RING, D_BUFFER_FILL };

/* Where an option is set. */
enum d_option_place {
	D_OPTION_COMMAND, /* command line, environment */
	D_OPTION_PRAGMA,  /* in a program */
	D_OPTION_RUNNING, /* setopt() */
};

enum d_option_error {
	D_OPTION_OK,
	D_OPTION_UNKNOWN, /* unknown option */
	D_OPTION_VALUE,	  /* invalid value, missing value, or unexpected value */
	D_OPTION_PLACE,	  /* not allowed in a program */
	D_OPTION_ACTIVE,  /* not allowed at run time */
	D_OPTION_LARGE,	  /* too large */
	D_OPTION_VERSION, /* version=X.Y.Z: newer than supported */
	D_OPTION_MEMORY,
};

/* Defaults of dtrace(1). */
void d_options_init(struct d_options *options);
void d_options_free(struct d_options *options);

/* value NULL: none. */
enum d_option_error d_option_set(struct d_options *options, enum d_option_place place, const char *name,
				 const char *value);

/* The error as text, to follow a colon. */
const char *d_option_problem(enum d_option_error error);

/* For setopt() of struct session_options: `options` is a struct d_options. NULL, or the reason for an error. */
const char *d_option_set_running(void *options, const char *name, const char *value);

/* DTRACE_OPT_NAME in the environment, in upper case or as it is; invalid values are ignored, as in dtrace(1). */
void d_options_environment(struct d_options *options);

/*
 * Applies each `#pragma D option` of the unit in order, then derives the unit's own options. Errors go to the unit's
 * messages (D_PRAGMA_OPTSET). False on errors.
 */
bool d_options_pragmas(struct d_options *options, struct unit *unit);

/* The table, for help, man page and completion. */
struct d_option_help {
	const char *name;
	const char *value; /* as in a usage text, "SIZE"; "": none; alternatives are separated by blanks */
	const char *help;
	bool has_effect;
	bool can_change; /* at run time, by setopt() */
};

size_t d_option_count(void);
struct d_option_help d_option_help(size_t i);

/* "bufpolicy=switch|ring|fill". */
void d_option_spell(FILE *to, const struct d_option_help *option);

#endif
