/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which calls of Erlang functions are meant (--when): "arg(1) == ok && !(element(1, result()) == error)". Terms are
 * compared with an atom, an integer or [].
 */
#ifndef ERLBPF_CLI_OPTIONS_WHEN_H
#define ERLBPF_CLI_OPTIONS_WHEN_H

#include "functions.h"

/*
 * Into steps; atoms that are compared are in `atoms`, without quotes, which live as long as the process. NULL, or what
 * is wrong with it, to stand behind a colon.
 */
const char *when_parse(const char *text, struct functions_when *when, char *atoms[FUNCTIONS_STEPS]);

#endif
