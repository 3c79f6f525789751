/* SPDX-License-Identifier: BSD-2-Clause */
/* Erlang functions, by their names. */
#ifndef ERLBPF_D_SYNTAX_PARSE_BEAM_H
#define ERLBPF_D_SYNTAX_PARSE_BEAM_H

struct parser;
struct clause;

/* For a clause with descriptions beam*:MODULE:FUNCTION:entry, which functions it means becomes a condition. */
void parse_beam_names(struct parser *parser, struct clause *clause);

#endif
