/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the end of a term in Erlang's external format. erl_interface trusts lengths and recurses into nested terms, so
 * its input is checked here first.
 */
#ifndef ERLBPF_DIST_EXTERNAL_H
#define ERLBPF_DIST_EXTERNAL_H

#include <stddef.h>

/* The offset after the term at `at`, or 0 if it is invalid or incomplete. */
size_t external_end(const char *bytes, size_t size, size_t at);

#endif
