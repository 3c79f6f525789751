/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translators: which function of a VM stands for a probe, and where the probe's arguments are when it is
 * called. They are the rows of probes/translators.def.
 */
#ifndef ERLBPF_PROBE_TRANSLATOR_H
#define ERLBPF_PROBE_TRANSLATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "target/target.h"

#define MAX_RELEASES 6

struct guard_row {
	const char *left;
	uint64_t mask;
	enum erl_compare compare;
	const char *right;
};

struct translator {
	const char *probe;
	int otp[MAX_RELEASES];
	enum flavor flavor; /* FLAVOR_UNKNOWN: both */
	const char *function;
	bool each_bif;
	const char *bif; /* its name in Erlang, if it has one */
	bool at_return;
	const char *args[ERL_MAX_ARGS];
	const char *state;
	const char *term;
	const char *details;
	const char *copied_by;
	bool mfa[ERL_MAX_ARGS];
	bool callers; /* it matters who calls the function */
	bool text[ERL_MAX_ARGS];
	bool iodata[ERL_MAX_ARGS]; /* a term whose bytes are the text */
	bool local_id[ERL_MAX_ARGS];
	const char *save[ERL_SAVED_ARGS]; /* at the entry; NULL: the function's argument */
	bool timed;
	struct guard_row guards[ERL_MAX_GUARDS];
	const char *missing;
	const char *accuracy;
	const char *instead;
	bool beside; /* taken beside the note */
	bool repairs;
	bool numbered;			/* all probes of the name, see ERL_CONFIG_NUMBERED */
	bool own_node;			/* the first argument is the VM's own node */
	const char *word[ERL_MAX_ARGS]; /* a text of up to eight characters, for D */
	uint64_t adds;			/* flags of the configuration, for D: see erl.h */
};

extern const struct translator translators[];
extern const size_t translator_count;

bool translator_is_for(const struct translator *translator, const struct vm *vm);

/* The first row of the probe whose function the VM has not, or hides: the others answer for a part. NULL: none. */
const struct translator *translator_hidden(const char *probe, const struct vm *vm);

/* Of the functions that rows for this VM name, how many it shows, or were found by comparison. */
void translator_functions_of(const struct vm *vm, size_t *found, size_t *wanted);

/* Do tests run on this release? Of others the translators are presumed to be right, from their sources. */
bool translator_is_checked(int otp);

/* A translator, for listings. */
const char *translator_function(const struct translator *translator);
const char *translator_accuracy(const struct translator *translator);
const char *translator_missing(const struct translator *translator); /* NULL: nothing */
const char *translator_instead(const struct translator *translator);

/* A row of the translators, for the generated references. */
struct translator_row {
	const char *probe;
	const char *function;
	bool at_return;
	const int *otp; /* releases that it is for, checked or presumed */
	size_t otp_count;
	enum flavor flavor; /* FLAVOR_UNKNOWN: both */
	unsigned int args;  /* arguments that it gives, a bit for each */
	const char *accuracy;
	const char *missing; /* why it gives no more, NULL: there is no more */
	const char *instead; /* of the note under the JIT, and why; NULL: only without notes */
};

void translator_each(void (*visit)(void *data, const struct translator_row *row), void *data);

#endif
