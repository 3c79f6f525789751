/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue of probes by name and number, from probes/NAME.d. Numbers are dense, stable within one build, and below
 * ERL_PROBES. Names are unique over all providers.
 */
#ifndef ERLBPF_PROBE_CATALOGUE_H
#define ERLBPF_PROBE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"

#define PROBE_NAME_SIZE 64
#define PROBE_DIGITS 10 /* maximum digits of a number in a name */

struct probe_arg {
	const char *name;
	const char *type; /* its C type */
	const char *kind; /* its meaning: see probes/erlang.d */
};

/* A row of the catalogue: one probe, or a numbered range of them (`last` >= 0). */
struct probe_def {
	const char *provider; /* "erlang" for SDT notes of OTP, or "vm" for probes that erlbpf adds */
	const char *name;     /* spelled as in D, "message-send" */
	uint32_t id;	      /* of the first probe of the row */
	int first, last;
	const char *doc;
	const char *wrong;
	const char *deny_always, *deny_jit, *never, *emu_only, *note_only; /* reasons, or NULL */
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

/* Same for a range of numbered probes, "user_trace-n0..n950"; buf of 2 * PROBE_NAME_SIZE. */
const char *probe_range_name(uint32_t first, uint32_t last, char *buf);

/* A word and a number, as in "erlang1234", into `buf` of PROBE_NAME_SIZE; returns buf. */
const char *probe_numbered(const char *word, unsigned int number, char *buf);

/* The probe of that name; provider NULL: any; "__" equals "-", as in SDT notes. -1: not found. */
int64_t probe_find(const char *provider, const char *name);

/*
 * Does the glob match the probe's name? "PROVIDER:GLOB" means probes of one provider, "*:GLOB" those of all. A plain
 * name is of any provider; a plain pattern is of the provider erlang.
 */
bool probe_matches(uint32_t id, const char *glob);

/* Same for a "PROVIDER:NAME" for which a tool has a program; without a provider, the glob means all. */
bool probe_is_chosen(const char *full, const char *glob);

/*
 * A suggestion for a glob that matches no probe for which `is_one` holds (NULL: any probe): "gc*" for "gc". Into `buf`
 * of PROBE_GLOB_SIZE; "" if nothing is similar. Returns buf.
 */
#define PROBE_GLOB_SIZE (2 * PROBE_NAME_SIZE)
const char *probe_nearest(const char *glob, bool (*is_one)(const void *data, uint32_t id), const void *data, char *buf);

/*
 * The name (or prefix and "*") of an application's own probe (package erlbpf) in a glob: the part after "app:", or a
 * word that is not similar to any probe of the catalogue. NULL: the glob means a probe of the catalogue.
 */
const char *probe_app_name(const char *glob);

/* Why wildcards skip the probe on such a VM, or NULL. */
const char *probe_denied(const struct probe_def *def, bool is_jit);

/* Is the argument text in the VM, not a number? */
bool probe_arg_is_text(const struct probe_arg *arg);

/* Is it an Erlang term, one word? */
bool probe_arg_is_term(const struct probe_arg *arg);

/* Does it identify a process or a port? Then it is a short text. */
bool probe_arg_is_id(const struct probe_arg *arg);

#endif
