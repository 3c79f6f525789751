/* SPDX-License-Identifier: BSD-2-Clause */
/* Erlang functions by pattern: MODULE:FUNCTION/ARITY, or a prefix of it and "*". */
#ifndef ERLBPF_PROBE_SITES_ERLANG_FUNCTIONS_H
#define ERLBPF_PROBE_SITES_ERLANG_FUNCTIONS_H

#include <stdbool.h>

#include "target/target.h"

/* Quotes of atoms are ignored. */
bool erlang_function_matches(const char *pattern, const char *function);

#define ERLANG_FUNCTIONS_WHY 512

/*
 * Does the pattern match no measurable function in this node? Then `why` of ERLANG_FUNCTIONS_WHY has the reason,
 * hostile text. False if it matches one, or if that is unknown.
 */
bool erlang_functions_are_none(const struct target *target, const char *pattern, char *why);

/*
 * Same, but only if it matches loaded Erlang code: for a pattern that may also mean a C function, which has no module.
 */
bool erlang_functions_are_code(const struct target *target, const char *pattern, char *why);

#endif
