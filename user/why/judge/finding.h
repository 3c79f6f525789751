/* SPDX-License-Identifier: BSD-2-Clause */
/* How the rules write findings. */
#ifndef ERLBPF_WHY_JUDGE_FINDING_H
#define ERLBPF_WHY_JUDGE_FINDING_H

#include "base/duration.h"
#include "why/judge/rules.h"

#define MIB (1ULL << 20)
#define MANY_MORE 20 /* new processes, ports or tables while watched */
#define MOST_OF 0.9
#define NEAR_LIMIT 0.8 /* of its limit */

enum rule {
#define RULE(id, ...) id,
#include "why/judge/rules.def"
#undef RULE
	RULES,
};

struct judgement {
	const struct signs *signs;
	struct finding *findings;
	size_t count;
};

/* Adds a finding with the weight and the command of its rule. */
struct finding *finding_add(struct judgement *j, enum rule rule, bool is_critical);

/* The weight of another rule instead of its own. */
void finding_weigh(struct finding *f, enum rule rule);

/* The sentence, one more line of evidence, another command than that of the rule. */
__attribute__((format(printf, 2, 3))) void finding_say(struct finding *f, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_show(struct finding *f, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_more(struct finding *f, const char *format, ...);
/* Puts the pid of the process into the command. */
void finding_finish(struct finding *f);

const char *rule_name(enum rule rule);

void finding_show_stack(struct finding *f, const struct sign_process *process);

#define PROCESS_TEXT (SIGN_NAME + 48)

/* "name pid". Returns text. */
const char *process_text(const struct sign_process *process, char text[PROCESS_TEXT]);

static inline double percent(double share)
{
	return share * 100;
}

static inline double seconds_of(const struct signs *s)
{
	return s->elapsed_ns ? (double)s->elapsed_ns / (double)NS_PER_S : 1;
}

void judge_host(struct judgement *j);
void judge_memory(struct judgement *j);
void judge_resources(struct judgement *j);
void judge_waits(struct judgement *j);
void judge_work(struct judgement *j);
void judge_storms(struct judgement *j);

/* Do schedulers mostly look up large objects? */
bool is_lookup_large(const struct signs *s);

/* Processes that wait to send, if no busy port was found. */
void judge_send(struct judgement *j);

#endif
