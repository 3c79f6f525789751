/* SPDX-License-Identifier: BSD-2-Clause */
/* Floats and bignums as Erlang prints them. */
#ifndef ERLBPF_TERM_NUMBER_H
#define ERLBPF_TERM_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "term/write.h"

#define NUMBER_MAX_WORDS 64

/* Like float_to_list(F, [short]). */
void write_float(struct writer *w, double value);

/* Least significant word first; at most NUMBER_MAX_WORDS. */
void write_bignum(struct writer *w, const uint64_t *words, size_t count, bool is_negative);

#endif
