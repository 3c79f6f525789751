/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes of an application's own code, by their names. */
#ifndef ERLBPF_D_SYNTAX_PARSE_APP_H
#define ERLBPF_D_SYNTAX_PARSE_APP_H

struct parser;
struct clause;

/* For a clause with descriptions app*:::NAME, the names become a condition of its predicate. */
void parse_app_names(struct parser *parser, struct clause *clause);

#endif
