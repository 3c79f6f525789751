/* SPDX-License-Identifier: BSD-2-Clause */
/* Which Erlang functions a pattern names: MODULE:FUNCTION/ARITY, or the beginning of that and "*". */
#ifndef ERLBPF_PROBE_SITES_ERLANG_FUNCTIONS_H
#define ERLBPF_PROBE_SITES_ERLANG_FUNCTIONS_H

#include <stdbool.h>

#include "target/target.h"

/* Quotes of atoms do not matter. */
bool erlang_function_matches(const char *pattern, const char *function);

#define ERLANG_FUNCTIONS_WHY 512

/*
 * Does the pattern match nothing in this node whose calls can be measured? Then `why` of ERLANG_FUNCTIONS_WHY says so,
 * hostile. False where it matches something, or where that cannot be known.
 */
bool erlang_functions_are_none(const struct target *target, const char *pattern, char *why);

/*
 * The same, but only if it matches Erlang code that is loaded: for who may mean a function of C, too, which has no
 * module.
 */
bool erlang_functions_are_code(const struct target *target, const char *pattern, char *why);

#endif
