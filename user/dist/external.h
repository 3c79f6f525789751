/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a term ends that a node has sent, in Erlang's external format. erl_interface believes the lengths that are in
 * it, and goes as deep as terms are nested: what it decodes has been checked here before.
 */
#ifndef ERLBPF_DIST_EXTERNAL_H
#define ERLBPF_DIST_EXTERNAL_H

#include <stddef.h>

/* Behind the term at `at`, all of which is there; 0: it is none, or not all of it. */
size_t external_end(const char *bytes, size_t size, size_t at);

#endif
