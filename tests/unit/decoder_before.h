/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder that Zydis replaces, to be compared with it. */
#ifndef ERLBPF_TESTS_DECODER_BEFORE_H
#define ERLBPF_TESTS_DECODER_BEFORE_H

#include "probe/entry.h"

size_t before_size(const unsigned char *code, size_t left);
bool before_find_cheap_in(const unsigned char *code, size_t size, struct entry_place *place);

#endif
