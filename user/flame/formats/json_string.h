/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON strings that are written directly, because a profile has many. */
#ifndef ERLBPF_FLAME_FORMATS_JSON_STRING_H
#define ERLBPF_FLAME_FORMATS_JSON_STRING_H

#include <stdio.h>

/*
 * Writes the text in quotes, made safe with text_for_terminal(). "<" is escaped, so the text cannot end a <script>. 0
 * or -ENOMEM.
 */
int json_string_put(FILE *to, const char *text);

#endif
