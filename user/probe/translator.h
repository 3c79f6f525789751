/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translators: the functions of a VM that stand for probes, and where the probes' arguments are there. They are the
 * rows of probes/translators.def.
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
	const char *bif; /* its Erlang name, or NULL */
	bool at_return;
	const char *args[ERL_MAX_ARGS];
	const char *state;
	const char *term;
	const char *details;
	const char *copied_by;
	bool mfa[ERL_MAX_ARGS];
	bool callers; /* depends on the caller of the function */
	bool text[ERL_MAX_ARGS];
	bool iodata[ERL_MAX_ARGS]; /* a term whose bytes are the text */
	bool local_id[ERL_MAX_ARGS];
	const char *save[ERL_SAVED_ARGS]; /* saved at the entry; NULL: the function's argument */
	bool timed;
	struct guard_row guards[ERL_MAX_GUARDS];
	const char *missing;
	const char *accuracy;
	const char *instead;
	bool beside; /* used in addition to the note */
	bool repairs;
	bool numbered;			/* all probes with this name, see ERL_CONFIG_NUMBERED */
	bool own_node;			/* the first argument is the VM's own node */
	const char *word[ERL_MAX_ARGS]; /* a text of up to eight characters, for D */
	uint64_t adds;			/* flags of the configuration for D: see erl.h */
};

extern const struct translator translators[];
extern const size_t translator_count;

bool translator_is_for(const struct translator *translator, const struct vm *vm);

/*
 * The first row of the probe whose function is missing or hidden, so that the other rows only see a part of the hits.
 * NULL: none.
 */
const struct translator *translator_hidden(const char *probe, const struct vm *vm);

/* The number of functions in rows for this VM, and how many of them were found by name or comparison. */
void translator_functions_of(const struct vm *vm, size_t *found, size_t *wanted);

/* Is this release tested? For others, translators follow from reading the sources. */
bool translator_is_checked(int otp);

/* For listings. */
const char *translator_function(const struct translator *translator);
const char *translator_accuracy(const struct translator *translator);
const char *translator_missing(const struct translator *translator); /* NULL: nothing */
const char *translator_instead(const struct translator *translator);

/* A row of the translators, for the generated references. */
struct translator_row {
	const char *probe;
	const char *function;
	bool at_return;
	const int *otp; /* releases, tested or not */
	size_t otp_count;
	enum flavor flavor; /* FLAVOR_UNKNOWN: both */
	unsigned int args;  /* a bit for each argument that it provides */
	const char *accuracy;
	const char *missing; /* why arguments are missing, NULL: none are */
	const char *instead; /* why it replaces the note under the JIT; NULL: used only without notes */
};

void translator_each(void (*visit)(void *data, const struct translator_row *row), void *data);

#endif
