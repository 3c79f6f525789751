/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a command line: plain data, filled by cli/, read by run/ and the tools. */
#ifndef ERLBPF_OPTIONS_H
#define ERLBPF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "functions.h"
#include "out/format.h"
#include "probe/sites/source.h"
#include "target/selector.h"

#define OPTIONS_MAX_PIDS 256
#define OPTIONS_MAX_FUNCTION 63 /* characters of the name of a function */
#define TEXT_ROWS 20		/* of a table for people, if the user names no number */

enum exit_code {
	EXIT_OK,
	EXIT_FAILED,
	EXIT_USAGE,
	EXIT_NO_TARGET,	   /* or no probe */
	EXIT_NO_PRIVILEGE, /* or no kernel support */
	EXIT_LOST,	   /* data was lost, and --strict was given */
};

/* Options that only some tools take: a tool lists those that make sense for its question. */
enum option_set {
	TAKES_BY_PID = 1 << 0,
	TAKES_BY_NODE = 1 << 1,
	TAKES_VIEW = 1 << 30, /* a large table: what is shown of it */
	TAKES_PACE = 1 << 29, /* probes that may be on in turns */
	TAKES_MIN = 1 << 2,
	TAKES_ERL_PID = 1 << 3,
	TAKES_GLOB = 1 << 4, /* probes, as first argument */
	TAKES_SOURCE = 1 << 5,
	TAKES_TARGETS = 1 << 6,
	TAKES_FORMAT = 1 << 7,
	TAKES_HEAL = 1 << 18,
	TAKES_WHY = 1 << 19,
	TAKES_SHOW = 1 << 21,
	TAKES_VM_FUNCTIONS = 1 << 26, /* of the VM, as first argument */
	TAKES_TRACE = 1 << 8,	      /* all that goes with tracing: intervals, output, a command */
	TAKES_VIA = 1 << 22,	      /* Erlang functions by breakpoints of the VM */
	TAKES_BY_NAME = 1 << 9,
	TAKES_BY_MFA = 1 << 10,
	TAKES_BY_SCHEDULER = 1 << 11,
	TAKES_BY_FUNCTION = 1 << 12, /* this one and those that follow: what a case is about */
	TAKES_BY_PORT = 1 << 13,
	TAKES_BY_TABLE = 1 << 14,
	TAKES_BY_PEER = 1 << 15,
	TAKES_BY_KIND = 1 << 16,
	TAKES_BY_LOCK = 1 << 17,
	TAKES_BY_TAG = 1 << 24,
	TAKES_BY_CALLER = 1 << 23,
	TAKES_BY_ARGUMENT = 1 << 28,
	TAKES_BY_PAIR = 1 << 20,   /* sender and receiver */
	TAKES_LENGTH = 1 << 27,	   /* of queues, instead of time */
	TAKES_FUNCTIONS = 1 << 25, /* which Erlang functions, as first argument */
	TAKES_BY_PROCESS = TAKES_BY_PID | TAKES_BY_NAME | TAKES_BY_MFA | TAKES_BY_NODE,
	TAKES_BY_ANY = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_FUNCTION | TAKES_BY_PORT | TAKES_BY_TABLE |
		       TAKES_BY_PEER | TAKES_BY_KIND | TAKES_BY_LOCK | TAKES_BY_PAIR | TAKES_BY_TAG | TAKES_BY_CALLER |
		       TAKES_BY_ARGUMENT,
	TAKES_ALL_OF_TOOLS = TAKES_SOURCE | TAKES_TARGETS | TAKES_FORMAT | TAKES_TRACE,
};

/* How calls of Erlang functions are seen. */
enum via {
	VIA_PROBES, /* those that the VM has */
	VIA_VM,	    /* breakpoints of the VM, which its node is asked for */
	VIA_HW,	    /* debug registers of the processor: only their beginnings */
};

/* Calls a second, with which breakpoints stay: where each is measured, and where they are counted most of the time. */
#define OPTIONS_CALL_LIMIT 100000
#define OPTIONS_PACED_CALL_LIMIT 2000000

/* How names of Elixir are shown. */
enum name_spelling {
	SPELLING_OF_FORMAT, /* text as Elixir writes them; JSON and CSV as Erlang does */
	SPELLING_ERLANG,
	SPELLING_ELIXIR,
};

/* When probes are on. */
enum pace_mode {
	PACE_DEFAULT, /* as the tool wants: see run_pace_mode() */
	PACE_SAMPLE,  /* while they cost the nodes little, else in windows */
	PACE_BREAKER, /* until they cost the nodes too much */
	PACE_ALWAYS,
	PACE_NEVER,
};

struct options {
	pid_t pids[OPTIONS_MAX_PIDS];
	size_t pid_count;	       /* 0: every BEAM, later ones too */
	struct target_selector select; /* not with pids */
	bool no_wait;		       /* for a node that is selected, if there is none yet */
	bool wait_for_name;	       /* of nodes that have just started, for those who keep it */
	bool is_beside;		       /* another run of this process says which nodes come and go */
	char **command;		       /* of -c, NULL-terminated; NULL: none */
	uint64_t duration_ns;	       /* 0: until told to stop */
	uint64_t interval_ns;	       /* 0: print at the end only */
	uint64_t count;		       /* of intervals, 0: any */
	enum option_set by;	       /* TAKES_BY_..., 0: no key */
	uint64_t argument;	       /* which one TAKES_BY_ARGUMENT means, from 1; 0: the first */
	uint64_t erl_pid;	       /* 0: any */
	uint64_t min_ns;
	const char *sort;   /* column, NULL: the tool's first choice; '-' before it: the other way round */
	const char *filter; /* rows with this in them, NULL: all */
	uint64_t rows;	    /* at most, 0: as many as fit, or TEXT_ROWS */
	bool with_hist;	    /* beside a table by key, the histograms of its rows */
	enum pace_mode pace;
	bool has_overhead;   /* the user says how much hits may cost a node; else the tool's default holds */
	double max_overhead; /* in percent of its scheduler capacity */
	const char *glob;    /* of probes or of functions, "*" if none was given */
	struct function_request functions; /* with TAKES_VM_FUNCTIONS */
	bool time;			   /* how long they take, and not how often they are called */
	bool chose_glob;
	bool show_time;
	bool show; /* terms, too */
	enum via via;
	bool entry;			   /* only when they begin */
	const char *cookie_file;	   /* of the nodes, NULL: theirs is looked for */
	uint64_t call_limit;		   /* with VIA_VM and VIA_HW; 0: OPTIONS_CALL_LIMIT */
	struct functions_when when;	   /* calls that are meant */
	char *when_atoms[FUNCTIONS_STEPS]; /* of its steps that are for atoms; NULL: of the others */
	bool length;			   /* of queues, instead of time */
	bool milliseconds;
	enum sink_format format;
	enum name_spelling names;
	const char *output; /* NULL: stdout */
	enum source source;
	bool strict;
	bool allow_denied;
	bool keep_caps;
	bool heal;	      /* of doctor */
	unsigned int fail_on; /* of why: the least severity that makes it fail, from 1; 0: none does */
};

#endif
