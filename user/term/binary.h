/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_TERM_BINARY_H
#define ERLBPF_TERM_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "term/write.h"

/* Does io_lib print such characters of a string unescaped? */
bool is_printable(uint64_t code);

/* The first `bits` of a binary, most significant bit first. `more`: "...", or "" if the binary is complete. */
void write_binary(struct writer *w, const uint8_t *bytes, size_t bits, const char *more);

#endif
