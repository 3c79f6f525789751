/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings of JSON that is written as it comes, not built first: a profile has many. */
#ifndef ERLBPF_FLAME_FORMATS_JSON_STRING_H
#define ERLBPF_FLAME_FORMATS_JSON_STRING_H

#include <stdio.h>

/*
 * In quotes. The text is hostile and becomes what text_for_terminal() makes of it; without a "<", it cannot end the
 * <script> that it may be in. 0 or -ENOMEM.
 */
int json_string_put(FILE *to, const char *text);

#endif
