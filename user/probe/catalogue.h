/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every probe by name and number, from probes/NAME.d. Numbers are dense, stable within one build, and
 * below ERL_PROBES. Names are unique over all providers.
 */
#ifndef ERLBPF_PROBE_CATALOGUE_H
#define ERLBPF_PROBE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"

#define PROBE_NAME_SIZE 64
#define PROBE_DIGITS 10 /* of a number behind a name, at most */

struct probe_arg {
	const char *name;
	const char *type; /* in C */
	const char *kind; /* what it means: see probes/erlang.d */
};

/* A row of the catalogue: one probe, or a numbered range of them (`last` >= 0). */
struct probe_def {
	const char *provider; /* "erlang", which SDT notes have; or "vm", which is ours */
	const char *name;     /* as D spells it, "message-send" */
	uint32_t id;	      /* of the first probe of the row */
	int first, last;
	const char *doc;
	const char *wrong;
	const char *deny_always, *deny_jit, *never, *emu_only, *note_only; /* reasons, NULL where it is not so */
	int argc;
	struct probe_arg args[ERL_MAX_ARGS];
};

extern const struct probe_def probe_defs[];
extern const size_t probe_def_count;

uint32_t probe_count(void);

/* The row of a probe, never NULL for an id below probe_count(). */
const struct probe_def *probe_def(uint32_t id);

/* The probe's full name into `buf` of PROBE_NAME_SIZE; returns buf. */
const char *probe_name(uint32_t id, char *buf);

/* The same for a range of numbered probes, "user_trace-n0..n950"; buf of 2 * PROBE_NAME_SIZE. */
const char *probe_range_name(uint32_t first, uint32_t last, char *buf);

/* A word and a number, as in "erlang1234": into `buf` of PROBE_NAME_SIZE; returns buf. */
const char *probe_numbered(const char *word, unsigned int number, char *buf);

/* The probe of that name, NULL: of any provider; "__" counts as "-", as in SDT notes. -1: there is none. */
int64_t probe_find(const char *provider, const char *name);

/*
 * Does the glob match the probe's name? "PROVIDER:GLOB" is for the probes of one provider, or of all with
 * "*:GLOB". A name alone is of any provider; with wildcards it is of the provider erlang.
 */
bool probe_matches(uint32_t id, const char *glob);

/* The same of a "PROVIDER:NAME" that a tool has a program for: without a provider, the glob is for all. */
bool probe_is_chosen(const char *full, const char *glob);

/*
 * What a glob that matches none of the probes for which `is_one` holds (NULL: of all) may have been meant as: "gc*" for
 * "gc". Into `buf` of PROBE_GLOB_SIZE; "" if none is near. Returns buf.
 */
#define PROBE_GLOB_SIZE (2 * PROBE_NAME_SIZE)
const char *probe_nearest(const char *glob, bool (*is_one)(const void *data, uint32_t id), const void *data, char *buf);

/*
 * The name of an application's own probe (package erlbpf) that is meant, or its beginning and "*": what is behind
 * "app:", or a word that is the name of no probe of the catalogue and not nearly one. NULL: another is meant.
 */
const char *probe_app_name(const char *glob);

/* Why no wildcard may enable the probe on such a VM, NULL if it may. */
const char *probe_denied(const struct probe_def *def, bool is_jit);

/* Is this kind of argument a text in the VM, as against a number? */
bool probe_arg_is_text(const struct probe_arg *arg);

/* Is it an Erlang term, one word? */
bool probe_arg_is_term(const struct probe_arg *arg);

/* Does it name a process or a port, which makes it a short text? */
bool probe_arg_is_id(const struct probe_arg *arg);

#endif
