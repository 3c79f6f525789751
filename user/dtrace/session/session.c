// SPDX-License-Identifier: BSD-2-Clause
/* Creating a session, and queries. lifecycle.c has its phases. */
#include "dtrace/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "dtrace/print/print.h"
#include "dtrace/symbols/symbols.h"
#include "dtrace/session/drops.h"
#include "dtrace/session/feed.h"
#include "dtrace/attach/hooks.h"
#include "dtrace/session/session_parts.h"
#include "load/load.h"
#include "budget/cost.h"
#include "target/target.h"

struct session *session_new(struct unit *unit, struct probes *probes, const struct session_options *options,
			    const struct consumer_options *consumer_options)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->unit = unit;
	s->probes = probes;
	s->options = options;
	s->has_reader = true;
	s->shortages = print_shortages();
	if (options->kernel)
		s->kernel = *options->kernel;
	s->state = s->names = -1;
	if (options->child)
		probes_set_child(probes, options->child);
	s->waiting = event_loop_new();
	s->binding = binding_new(unit, probes);
	s->consumer = consumer_new(unit, consumer_options, &session_answers, s);
	if (s->waiting && s->binding && s->consumer)
		return s;
	session_free(s);
	errno = ENOMEM;
	return NULL;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	kernel_cool(s->warmth);
	loaded_free(s->loaded);
	hooks_free(s->hooks);
	pace_free(&s->pace);
	follow_free(s->follow);
	feed_free(s->feed);
	drops_free(s->drops);
	loader_free(s->loader);
	symbols_free(s->symbols);
	consumer_free(s->consumer);
	binding_free(s->binding);
	event_loop_free(s->waiting);
	for (size_t i = 0; i < s->awaited_count; i++)
		close(s->awaited[i].fd);
	free(s->awaited);
	free(s->ticks);
	functions_free(s);
	stacks_free(s);
	free(s);
}

/*
 * Since 6.13, the tracepoint at a system call calls a function that calls the programs; before, it jumped to that
 * function.
 */
static unsigned int count_syscall_frames(void)
{
	struct kernel kernel = {};

	kernel_read_version(&kernel);
	return kernel_is_at_least(&kernel, 6, 13);
}

bool session_build(struct session *s)
{
	const struct d_program *programs;
	size_t count;

	if (!binding_make(s->binding, s->options->zero_ok,
			  s->options->child || s->options->waits_for_nodes || s->options->may_come))
		return false;
	programs = binding_programs(s->binding, &count);
	s->unit->options.syscall_frames = count_syscall_frames();
	return d_build(s->unit, programs, count, &s->object);
}

size_t session_matched(const struct session *s, unsigned int first, unsigned int last)
{
	return binding_matched(s->binding, first, last);
}

void session_dump(const struct session *s, FILE *to)
{
	size_t count;
	const struct d_program *programs = binding_programs(s->binding, &count);

	d_build_dump(to, s->unit, programs, count);
}

/* Queries. */

void session_forget_reader(struct session *s)
{
	s->has_reader = false;
}

int session_show_aggregations(struct session *s)
{
	return consumer_end(s->consumer);
}

const struct aggregates *session_aggregates(const struct session *s)
{
	return &s->consumer->aggregates;
}

struct print session_print(const struct session *s)
{
	return consumer_print(s->consumer, NULL);
}

struct d_drops session_losses(const struct session *s)
{
	return drops_total(s->drops);
}

uint64_t session_faults(const struct session *s)
{
	return s->consumer->faults;
}

uint64_t session_muted(const struct session *s)
{
	return s->consumer->muted;
}

const struct target *session_target(const struct session *s, pid_t pid)
{
	for (size_t i = s->follow ? follow_count(s->follow) : 0; i-- > 0;) {
		if (follow_get(s->follow, i)->target->pid == pid)
			return follow_get(s->follow, i)->target;
	}
	return NULL;
}

void session_each_target(const struct session *s, void (*visit)(void *data, const struct target *target), void *data)
{
	for (size_t i = 0; s->follow && i < follow_count(s->follow); i++) {
		if (!follow_is_over(s->follow, i))
			visit(data, follow_get(s->follow, i)->target);
	}
}

void session_cost(const struct session *s, bool is_measured, struct cost *cost)
{
	*cost = (struct cost){};
	if (!is_measured) {
		cost_estimate(s->feed ? feed_firings(s->feed) : 0, cost);
		return;
	}
	cost_add_programs(s->loader, s->follow, cost);
	if (s->hooks)
		hooks_each_own(s->hooks, cost_add_program, cost);
}
