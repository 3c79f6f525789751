/* SPDX-License-Identifier: BSD-2-Clause */
/* What the names of a probe are in a clause whose probes are known by others than those of the catalogue. */
#ifndef ERLBPF_D_SYNTAX_PARSE_RENAME_H
#define ERLBPF_D_SYNTAX_PARSE_RENAME_H

struct parser;
struct clause;
struct node;

/* The text as an expression, at the place of the clause. NULL: it is none, which is said. */
struct node *parse_text_at(struct parser *parser, const char *text, const struct clause *clause);

/* Wherever the clause has the built-in variable, the expression of the text is meant, which may have it itself. */
void parse_rename(struct parser *parser, struct clause *clause, const char *variable, const char *text);

#endif
