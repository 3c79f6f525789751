// SPDX-License-Identifier: BSD-2-Clause
#include "why/judge/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	enum severity severity;
	double weight;
	const char *command;
} rules[] = {
#define RULE(id, name, severity, weight, command) [id] = { name, SEVERITY_##severity, weight, command },
#include "why/judge/rules.def"
#undef RULE
};

const char *rule_name(enum rule rule)
{
	return rules[rule].name;
}

struct finding *finding_add(struct judgement *j, enum rule rule, bool is_critical)
{
	struct finding *f = &j->findings[j->count < FINDINGS_MAX ? j->count++ : FINDINGS_MAX - 1];

	*f = (struct finding){
		.rule = rules[rule].name,
		.severity = is_critical ? SEVERITY_CRITICAL : rules[rule].severity,
		.weight = rules[rule].weight,
	};
	finding_more(f, "%s", rules[rule].command);
	return f;
}

void finding_weigh(struct finding *f, enum rule rule)
{
	f->weight = rules[rule].weight;
}

void finding_say(struct finding *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
}

void finding_show(struct finding *f, const char *format, ...)
{
	va_list args;
	int i = 0;

	while (i < FINDING_EVIDENCE && f->evidence[i][0])
		i++;
	if (i == FINDING_EVIDENCE)
		return;
	va_start(args, format);
	vsnprintf(f->evidence[i], sizeof(f->evidence[i]), format, args);
	va_end(args);
}

void finding_more(struct finding *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(f->command, sizeof(f->command), format, args);
	va_end(args);
}

void finding_finish(struct finding *f)
{
	const char *at = strstr(f->command, "%s");
	char pid[sizeof(f->process->pid)], rest[sizeof(f->command)];

	if (!at)
		return;
	snprintf(pid, sizeof(pid), "%s", f->process ? f->process->pid : "");
	snprintf(rest, sizeof(rest), "%s", at + 2);
	snprintf(f->command + (at - f->command), sizeof(f->command) - (size_t)(at - f->command), "%s%s", pid, rest);
}

const char *process_text(const struct sign_process *sign, char text[PROCESS_TEXT])
{
	snprintf(text, PROCESS_TEXT, "%s%s%s", sign->name[0] ? sign->name : "process", sign->pid[0] ? " " : "",
		 sign->pid);
	return text;
}

void finding_show_stack(struct finding *f, const struct sign_process *process)
{
	if (process->stack[0])
		finding_show(f, "stack, newest first: %s", process->stack);
}
