/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What probes of nodes may cost: as of tools (budget/pace.h), they are taken away for a time if their hits cost more. D
 * has no way to scale what a program counts, so that is said.
 */
#ifndef ERLBPF_DTRACE_SESSION_BUDGET_H
#define ERLBPF_DTRACE_SESSION_BUDGET_H

struct session;

/* When the probes are in place. 0 or -errno. */
int budget_begin(struct session *s);

/*
 * While the session waits for who reads what it prints, also without a budget: they come and go, and stay away once
 * the user wants it to end.
 */
void budget_meanwhile(struct session *s);

/* Before they are taken away; and when all is printed, whether they were there all the time. */
void budget_end(struct session *s);
void budget_tell(struct session *s);

#endif
