// SPDX-License-Identifier: BSD-2-Clause
#include "trace/refusals.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "probe/catalogue.h"
#include "trace/required.h"

#define MOST_TOLD 10
#define NODE_TEXT (sizeof(((struct target *)NULL)->node) + 32)

/* "a@host (process 1)" or, of one without a name or for a list, the half that there is. */
static const char *name_of(const struct target *target, bool is_long, char buf[NODE_TEXT])
{
	if (target->node[0] && !is_long)
		return target->node;
	snprintf(buf, NODE_TEXT, target->node[0] ? "%s (process %d)" : "%sprocess %d", target->node, target->pid);
	return buf;
}

/* What the tool does not show for want of this probe; NULL: nothing that matters. */
static const char *without(const struct missing *missing, const struct tool *tool)
{
	const struct probe_def *def = probe_def(missing->probe);
	char probe[2 * PROBE_NAME_SIZE];

	snprintf(probe, sizeof(probe), "%s:%s", def->provider, def->name);
	return missing->whole ? required_missing_text(tool, probe) : NULL;
}

/* A required probe; else one that the tool lacks more than others: it says what it does not show without it. */
static const struct missing *reason_of(const struct attachment *a, const struct tool *tool)
{
	for (size_t i = 0; tool && !a->is_refused && i < a->missing_count; i++) {
		if (without(&a->missing[i], tool))
			return &a->missing[i];
	}
	return attachment_reason(a);
}

/* Who needs the probes, and the tool; NULL: it is none. */
struct needer {
	const char *name;
	const struct tool *tool;
};

static void tell_missing(const char *name, const struct attachment *a, const struct needer *needer)
{
	static const char text[] = "is not traced, because it has not all probes that";
	const struct missing *missing = reason_of(a, needer->tool);
	_cleanup_free_ char *other = missing ? NULL : attachment_refusal(a);
	char probe[2 * PROBE_NAME_SIZE];

	if (missing)
		pr_err("%s %s %s needs: %s: %s; `erlbpf doctor` says what to do", name, text, needer->name,
		       probe_range_name(missing->probe, missing->last, probe), missing->why);
	else
		pr_err("%s %s %s needs: %s", name, text, needer->name, other ? other : "memory is short");
}

/* Messages keep control characters of a node's name from the terminal: see base/log.h. */
static void tell(const struct attachment *a, const struct needer *needer)
{
	char buf[NODE_TEXT];
	const char *name = name_of(a->target, true, buf);

	if (a->absent)
		pr_err("%s is not traced: %s; %s", name, a->absent, a->absent_advice);
	else
		tell_missing(name, a, needer);
}

static void tell_all(const struct follow *follow, const struct needer *needer)
{
	size_t refused = 0;

	for (size_t i = 0; i < follow_count(follow); i++) {
		const struct attachment *a = follow_get(follow, i);

		if (!a->site_count && refused++ < MOST_TOLD)
			tell(a, needer);
	}
	if (refused > MOST_TOLD)
		pr_err("and %zu more nodes are not traced", refused - MOST_TOLD);
}

void refusals_tell(const struct follow *follow, const struct tool *tool)
{
	tell_all(follow, &(struct needer){ tool->name, tool });
}

void refusals_tell_option(const struct follow *follow, const char *option)
{
	tell_all(follow, &(struct needer){ option, NULL });
}

char *refusals_list(const struct follow *follow)
{
	char *text = NULL, name[NODE_TEXT];
	size_t size, listed = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (size_t i = 0; i < follow_count(follow) && listed <= MOST_TOLD; i++) {
		const struct attachment *a = follow_get(follow, i);
		_cleanup_free_ char *reason = attachment_refusal(a);

		if (!reason)
			continue;
		if (listed == MOST_TOLD)
			fputs(", ...", to);
		else
			fprintf(to, "%s%s (%s)", listed ? ", " : ", not on ", name_of(a->target, false, name), reason);
		listed++;
	}
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static size_t count_parts(const struct attachment *a, const struct tool *tool)
{
	size_t count = 0;

	for (size_t i = 0; a->site_count && i < a->missing_count; i++)
		count += without(&a->missing[i], tool) != NULL;
	return count;
}

bool refusals_are_parts(const struct follow *follow, const struct tool *tool)
{
	for (size_t i = 0; i < follow_count(follow); i++) {
		if (count_parts(follow_get(follow, i), tool))
			return true;
	}
	return false;
}

static void tell_parts(const struct attachment *a, const struct tool *tool)
{
	char node[NODE_TEXT], probe[2 * PROBE_NAME_SIZE];

	for (size_t i = 0; i < a->missing_count; i++) {
		const struct missing *missing = &a->missing[i];
		const char *part = without(missing, tool);

		if (part)
			pr_warn("%s: %s: %s: %s; `erlbpf doctor` says what to do", name_of(a->target, true, node), part,
				probe_range_name(missing->probe, missing->last, probe), missing->why);
	}
}

void refusals_tell_parts(const struct follow *follow, const struct tool *tool)
{
	size_t told = 0;

	for (size_t i = 0; i < follow_count(follow) && told < MOST_TOLD; i++) {
		const struct attachment *a = follow_get(follow, i);

		if (!count_parts(a, tool))
			continue;
		told++;
		tell_parts(a, tool);
	}
}
