// SPDX-License-Identifier: BSD-2-Clause
/* Waiting for selected nodes, and the message if none runs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "target/target.h"
#include "trace/nodes.h"
#include "trace/stop.h"

#define SCAN_NS (250 * NS_PER_MS) /* while a node is waited for */
#define NAMED_NODES 5		  /* of those that there are */

bool command_may_wait(const struct options *options)
{
	return target_selector_is_set(&options->select) && !options->no_wait;
}

struct search {
	const struct options *options;
	struct target_list *targets;
	struct event_loop *waiting;
	int code;
};

static void on_stop(void *data, uint64_t times)
{
	struct search *search = data;
	char text[SELECTOR_TEXT];

	(void)times;
	pr_err("no node%s has started", target_selector_text(&search->options->select, text));
	search->code = EXIT_NO_TARGET;
	event_loop_stop(search->waiting);
}

static void on_scan(void *data, uint64_t times)
{
	struct search *search = data;

	(void)times;
	target_list_free(search->targets);
	*search->targets = (struct target_list){};
	search->code = nodes_find(search->options, search->targets);
	if (search->code != EXIT_OK || search->targets->count)
		event_loop_stop(search->waiting);
}

/* Whoever reads that we wait may end it. */
static int search_until_found(struct search *search)
{
	int stop = stop_open(NULL), err = stop < 0 ? stop : event_loop_add(search->waiting, stop, on_stop, search);
	char text[SELECTOR_TEXT];

	pr_info("Waiting for a node%s. Ctrl-C ends it; --no-wait does not wait.",
		target_selector_text(&search->options->select, text));
	if (!err)
		err = event_loop_add_timer(search->waiting, duration_now() + SCAN_NS, SCAN_NS, on_scan, search);
	while (!err && !event_loop_is_stopped(search->waiting)) {
		int turn = event_loop_turn(search->waiting, -1);

		if (turn < 0 && turn != -EINTR)
			err = turn;
	}
	return err;
}

int command_wait(const struct options *options, struct target_list *list)
{
	struct search search = { .options = options, .targets = list, .waiting = event_loop_new() };
	int err = search.waiting ? search_until_found(&search) : -ENOMEM;

	event_loop_free(search.waiting);
	if (!err)
		return search.code;
	pr_err("cannot wait for a node: %s", strerror(-err));
	return EXIT_FAILED;
}

/* "a@host, b@host and 3 more"; "" if there are none. */
static void list_nodes(char *text, size_t size)
{
	struct target_list list = {};
	size_t used = 0;

	text[0] = '\0';
	target_list_scan(&list);
	for (size_t i = 0; i < list.count && i < NAMED_NODES && used < size; i++) {
		_cleanup_free_ char *safe = text_for_terminal(list.targets[i]->node);

		used += (size_t)snprintf(text + used, size - used, "%s%.80s%sprocess %d", i ? ", " : "",
					 safe ? safe : "", safe && *safe ? " of " : "", (int)list.targets[i]->pid);
	}
	if (list.count > NAMED_NODES && used < size)
		snprintf(text + used, size - used, " and %zu more", list.count - NAMED_NODES);
	target_list_free(&list);
}

const char *command_no_nodes(const struct options *options, char text[NO_NODES_SIZE])
{
	char selected[SELECTOR_TEXT], nodes[NO_NODES_SIZE / 2];

	list_nodes(nodes, sizeof(nodes));
	target_selector_text(&options->select, selected);
	if (target_selector_is_set(&options->select) && *nodes)
		snprintf(text, NO_NODES_SIZE, "no node%s is found; there are %s", selected, nodes);
	else
		snprintf(text, NO_NODES_SIZE,
			 "no node%s is found; start one, or run erlbpf with sudo to see nodes of other users",
			 selected);
	return text;
}
