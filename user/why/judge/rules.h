/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with a node: from signs to findings in plain words. Pure functions, so each can be tested by itself. */
#ifndef ERLBPF_WHY_JUDGE_RULES_H
#define ERLBPF_WHY_JUDGE_RULES_H

#include <stddef.h>

#include "why/source/signs.h"

enum severity { SEVERITY_WARNING, SEVERITY_CRITICAL, SEVERITIES };

#define FINDING_TEXT 1024
#define FINDING_EVIDENCE 4
#define FINDINGS_MAX 48

struct finding {
	const char *rule; /* its name: "mailbox-grows" */
	enum severity severity;
	double weight;				       /* among those of the same severity, the greatest is the worst */
	const struct sign_process *process;	       /* of the signs; NULL: no process of its own */
	char text[FINDING_TEXT];		       /* a sentence; hostile, as names are in it */
	char evidence[FINDING_EVIDENCE][FINDING_TEXT]; /* "": no more */
	char command[256]; /* that shows more, with PID for the process of the system: "mailbox -p PID" */
};

/* The worst first. They refer to the signs. Returns how many, at most FINDINGS_MAX. */
size_t rules_judge(const struct signs *signs, struct finding *findings);

const char *severity_name(enum severity severity);

#endif
