/* SPDX-License-Identifier: BSD-2-Clause */
/* The terms that help and man pages use and that a reader may not know. */
#ifndef ERLBPF_CLI_GLOSSARY_H
#define ERLBPF_CLI_GLOSSARY_H

#include <stddef.h>
#include <stdio.h>

struct glossary_term {
	const char *name; /* also found with an "s" behind it */
	const char *meaning;
};

extern const struct glossary_term glossary[];
extern const size_t glossary_count;

/* Prints the terms that the text uses, under a heading; all if it is NULL. */
void glossary_print(FILE *to, const char *text);

#endif
