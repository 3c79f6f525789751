// SPDX-License-Identifier: BSD-2-Clause
/*
 * The timers of a watch are an event loop within the agent's loop, freed together. The node is opened again for it,
 * because the agent may free its own target at any time.
 */
#include "serve/node_view/findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/io/event_loop.h"
#include "out/json_line.h"
#include "serve/node_view/node_labels.h"
#include "serve/node_view/node_view.h"
#include "why/find/hourly_growth.h"
#include "why/judge/rules.h"
#include "why/node_watch.h"

#define WATCH_NS (10 * NS_PER_S)  /* each node */
#define PERIOD_NS (20 * NS_PER_S) /* from start to start */
#define SAMPLE_NS (10 * NS_PER_MS)
#define LOOK_NS (500 * NS_PER_MS)
#define READ_NS (2 * NS_PER_S)
#define MOST_NODES 256
#define MOST_KEPT 8		/* findings of a node */
#define MANY_MORE 100		/* processes in an hour */
#define MUCH_MORE (64ULL << 20) /* bytes in an hour */

struct kept {
	const char *rule, *severity;
	char *text, *command; /* owned; NULL: out of memory */
	char process[SIGN_NAME];
};

/* A node that was watched. */
struct watched_node {
	pid_t pid;
	uint64_t start_time;
	uint64_t ended_ns; /* end of the last watch; the oldest makes room */
	struct hourly processes, memory;
	size_t count;
	struct kept kept[MOST_KEPT];
};

struct findings {
	const struct node_view *view;
	struct watched_node nodes[MOST_NODES];
	size_t node_count;
	uint64_t next_ns;
	pid_t last; /* pid of the last node; the next higher one follows */
	/* While a node is watched: */
	struct target *target;
	struct node_watch *collector;
	struct event_loop *waiting;
	uint64_t began_ns;
	struct signs signs;
	struct finding found[FINDINGS_MAX];
};

struct findings *findings_new(const struct node_view *view)
{
	struct findings *f = calloc(1, sizeof(*f));

	if (f)
		f->view = view;
	return f;
}

/* Ends a watch, finished or not. */
static void let_go(struct findings *f)
{
	if (f->waiting)
		event_loop_remove(f->view->waiting, event_loop_fd(f->waiting));
	event_loop_free(f->waiting);
	node_watch_free(f->collector);
	target_free(f->target);
	f->waiting = NULL;
	f->collector = NULL;
	f->target = NULL;
}

static void forget_kept(struct watched_node *node)
{
	for (size_t i = 0; i < node->count; i++) {
		free(node->kept[i].text);
		free(node->kept[i].command);
	}
	node->count = 0;
}

void findings_free(struct findings *f)
{
	if (!f)
		return;
	let_go(f);
	for (size_t i = 0; i < f->node_count; i++)
		forget_kept(&f->nodes[i]);
	free(f);
}

/* Watching. */

static void on_sample(void *data, uint64_t times)
{
	const struct findings *f = data;

	(void)times;
	node_watch_sample(f->collector);
}

static void on_look(void *data, uint64_t times)
{
	const struct findings *f = data;

	(void)times;
	node_watch_look(f->collector);
}

static void on_read(void *data, uint64_t times)
{
	const struct findings *f = data;

	(void)times;
	node_watch_read(f->collector);
}

static void on_ready(void *data, uint64_t times)
{
	const struct findings *f = data;

	(void)times;
	event_loop_turn(f->waiting, 0);
}

static int add_timers(struct findings *f, uint64_t now)
{
	int err = event_loop_add_random_timer(f->waiting, SAMPLE_NS, on_sample, f);

	if (!err)
		err = event_loop_add_timer(f->waiting, now, LOOK_NS, on_look, f);
	if (!err)
		err = event_loop_add_timer(f->waiting, now, READ_NS, on_read, f);
	return err ? err : event_loop_add(f->view->waiting, event_loop_fd(f->waiting), on_ready, f);
}

struct next {
	pid_t last, next, first;
};

static bool find_next(void *to, const struct target *target)
{
	struct next *n = to;
	pid_t pid = target->pid;

	n->first = !n->first || pid < n->first ? pid : n->first;
	n->next = pid > n->last && (!n->next || pid < n->next) ? pid : n->next;
	return false;
}

/* The traced node with the next higher pid than the last one, or with the lowest. 0: none. */
static pid_t next_node(const struct findings *f)
{
	struct next n = { .last = f->last };

	node_view_search(f->view, find_next, &n);
	return n.next ? n.next : n.first;
}

/* Prints nothing: tools report nodes that cannot be read. */
static void begin(struct findings *f, pid_t pid, uint64_t now)
{
	const struct name_style style = { .is_elixir = false };
	const char *why;
	int err = target_open(pid, &f->target, &why);

	/* Its executable is being read: the next tick tries again. */
	f->next_ns = err == -EAGAIN ? now : now + PERIOD_NS;
	if (err == -EAGAIN)
		return;
	f->last = pid;
	if (err)
		return;
	f->collector = node_watch_new(f->target, style);
	f->waiting = f->collector ? event_loop_new() : NULL;
	f->began_ns = now;
	if (!f->waiting || add_timers(f, now))
		let_go(f);
}

/* What was found. */

static struct watched_node *node_for(struct findings *f, const struct target *target)
{
	struct watched_node *oldest = &f->nodes[0];

	for (size_t i = 0; i < f->node_count; i++) {
		if (f->nodes[i].pid == target->pid)
			return &f->nodes[i];
		if (f->nodes[i].ended_ns < oldest->ended_ns)
			oldest = &f->nodes[i];
	}
	return f->node_count < MOST_NODES ? &f->nodes[f->node_count++] : oldest;
}

/* Trends over an hour. */
static void look_at_hour(struct watched_node *node, uint64_t now, struct signs *signs)
{
	hourly_add(&node->processes, now, signs->processes);
	if (!hourly_grows(&node->processes, MANY_MORE, &signs->hourly.processes_before, &signs->hourly.processes_now))
		signs->hourly.processes_before = 0;
	/* 0: not known. */
	if (signs->allocators.blocks)
		hourly_add(&node->memory, now, signs->allocators.blocks);
	if (!hourly_grows(&node->memory, MUCH_MORE, &signs->hourly.bytes_before, &signs->hourly.bytes_now))
		signs->hourly.bytes_before = 0;
}

static void finish(struct findings *f, uint64_t now)
{
	struct watched_node *node = node_for(f, f->target);
	size_t count;

	node_watch_finish(f->collector, &f->signs);
	forget_kept(node);
	if (node->pid != f->target->pid || node->start_time != f->target->start_time)
		*node = (struct watched_node){ .pid = f->target->pid, .start_time = f->target->start_time };
	node->ended_ns = now;
	look_at_hour(node, now, &f->signs);
	count = rules_judge(&f->signs, f->found);
	for (size_t i = 0; i < count && node->count < MOST_KEPT; i++) {
		struct kept *kept = &node->kept[node->count++];

		kept->rule = f->found[i].rule;
		kept->severity = severity_name(f->found[i].severity);
		kept->text = strdup(f->found[i].text);
		kept->command = strdup(f->found[i].command);
		snprintf(kept->process, sizeof(kept->process), "%s",
			 f->found[i].process ? f->found[i].process->name : "");
	}
}

void findings_tick(struct findings *f)
{
	uint64_t now = duration_now();

	if (f->collector && now - f->began_ns >= WATCH_NS) {
		finish(f, now);
		let_go(f);
	} else if (!f->collector && now >= f->next_ns) {
		pid_t pid = next_node(f);

		if (pid)
			begin(f, pid, now);
	}
}

static const struct target *target_of(const struct findings *f, const struct watched_node *node)
{
	return node_view_find(f->view, node->pid, node->start_time);
}

static void report_node(struct findings *f, struct metric_family *family, const struct watched_node *node)
{
	const struct target *target = target_of(f, node);
	struct metric_label labels[METRICS_LABELS];
	size_t count = target ? node_labels_fill(f->view->labels, target, labels) : 0;

	for (size_t i = 0; target && i < node->count; i++) {
		labels[count] = (struct metric_label){ "rule", node->kept[i].rule };
		labels[count + 1] = (struct metric_label){ "severity", node->kept[i].severity };
		labels[count + 2] = (struct metric_label){ "process", node->kept[i].process };
		metrics_set(f->view->metrics, family, labels, count + 3, 1);
	}
}

void findings_report(struct findings *f)
{
	struct metric_family *family = metrics_family(
		f->view->metrics, "erlbpf_finding",
		"1 for each thing that is wrong with a node: see docs/why.md for the rules.", METRIC_GAUGE, UNIT_NONE,
		1);

	for (size_t i = 0; family && i < f->node_count; i++)
		report_node(f, family, &f->nodes[i]);
}

static struct json_object *node_json(const struct watched_node *node, const struct target *target)
{
	struct json_object *object = json_new(), *list = json_new_list();

	json_add(object, "os_pid", json_signed(node->pid));
	json_add_text(object, "node", target->node);
	json_add(object, "age_s", json_real((double)(duration_now() - node->ended_ns) / NS_PER_S));
	for (size_t i = 0; i < node->count; i++) {
		const struct kept *kept = &node->kept[i];
		struct json_object *one = json_new();

		json_add_text(one, "rule", kept->rule);
		json_add_text(one, "severity", kept->severity);
		json_add_text(one, "process", kept->process);
		json_add_text(one, "text", kept->text);
		json_add_text(one, "command", kept->command);
		json_push(list, one);
	}
	json_add(object, "findings", list);
	return object;
}

struct json_object *findings_json(struct findings *f)
{
	struct json_object *object = json_new(), *nodes = json_new_list();

	json_add(object, "watches", json_truth(f));
	for (size_t i = 0; f && i < f->node_count; i++) {
		const struct target *target = target_of(f, &f->nodes[i]);

		if (target)
			json_push(nodes, node_json(&f->nodes[i], target));
	}
	json_add(object, "nodes", nodes);
	return object;
}
