// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks of Erlang processes: programs that walk them in probes of nodes need the process that each scheduler thread
 * runs, and its stack.
 */
#include "dtrace/session/session_parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "load/load.h"
#include "erlang/layout.h"
#include "target/target.h"

/* A new node still starts scheduler threads, most of them early: read it again when its age has grown by half. */
#define YOUNG_S 10
#define OLDER 1.5

/* A node known to the programs. */
struct known_node {
	pid_t pid;
	uint64_t start_time;
	double age_s; /* at the last update */
	struct layout layout;
};

void stacks_free(struct session *s)
{
	for (size_t i = 0; i < s->known_count; i++)
		layout_free(&s->known_nodes[i].layout);
	free(s->known_nodes);
}

int stacks_shape(const struct session *s)
{
	int err;

	if (!s->unit->walks_processes) {
		loader_without(s->loader, "profile_");
		return 0;
	}
	err = loader_shape(s->loader, "profile_nodes", 0, 0, 0);
	return err ? err : loader_shape(s->loader, "profile_threads", 0, 0, 0);
}

/* NULL: out of memory. */
static struct known_node *find_or_add(struct session *s, const struct target *target)
{
	for (size_t i = 0; i < s->known_count; i++) {
		if (s->known_nodes[i].pid == target->pid && s->known_nodes[i].start_time == target->start_time)
			return &s->known_nodes[i];
	}
	if (!array_has_room(s->known_nodes, s->known_count))
		return NULL;
	s->known_nodes[s->known_count] = (struct known_node){ target->pid, target->start_time, -1, {} };
	return &s->known_nodes[s->known_count++];
}

static bool is_current(const struct known_node *node, double age_s)
{
	return node->age_s > YOUNG_S || (node->age_s >= 0 && age_s < node->age_s * OLDER);
}

/* If a node is unreadable, C stacks are shown instead of Erlang's. */
static void tell(struct session *s, const struct target *target)
{
	struct known_node *node = find_or_add(s, target);
	double age_s = target_age_s(target);

	if (!node || is_current(node, age_s))
		return;
	node->age_s = age_s;
	layout_free(&node->layout);
	if (!layout_read(target, 0, &node->layout) && !layout_publish_threads(&node->layout, s->loader))
		layout_publish(&node->layout, target, s->loader);
}

static bool is_there(const struct session *s, const struct known_node *node)
{
	for (size_t i = 0; i < follow_count(s->follow); i++) {
		const struct target *target = follow_get(s->follow, i)->target;

		if (target->pid == node->pid && target->start_time == node->start_time)
			return !follow_is_over(s->follow, i);
	}
	return false;
}

static void forget_ended(struct session *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->known_count; i++) {
		if (is_there(s, &s->known_nodes[i])) {
			s->known_nodes[kept++] = s->known_nodes[i];
			continue;
		}
		layout_forget(&s->known_nodes[i].layout, s->known_nodes[i].pid, s->loader);
		layout_free(&s->known_nodes[i].layout);
	}
	s->known_count = kept;
}

void stacks_publish(struct session *s)
{
	forget_ended(s);
	for (size_t i = 0; s->unit->walks_processes && i < follow_count(s->follow); i++) {
		const struct attachment *a = follow_get(s->follow, i);

		if (!a->is_refused && !follow_is_over(s->follow, i))
			tell(s, a->target);
	}
}
