// SPDX-License-Identifier: BSD-2-Clause
/*
 * The timer is an event loop within the agent's loop, freed together. See why/processes/mailbox_senders.h for how
 * senders are read, and the maximum cost.
 */
#include "serve/node_view/process_senders.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/io/event_loop.h"
#include "out/json_line.h"
#include "why/processes/mailbox_senders.h"

#define LOOK_NS (5 * NS_PER_MS)

struct process_senders {
	struct event_loop *outer, *waiting;
	struct mailbox_senders *inflow;
	uint64_t id;
	struct signs signs; /* only the mailbox is used */
};

static void on_look(void *data, uint64_t times)
{
	const struct process_senders *senders = data;

	(void)times;
	mailbox_senders_look(senders->inflow);
}

static void on_ready(void *data, uint64_t times)
{
	const struct process_senders *senders = data;

	(void)times;
	event_loop_turn(senders->waiting, 0);
}

struct process_senders *process_senders_new(struct event_loop *waiting, const struct erl_pid_layout *pids,
					    struct processes *processes, const struct process *process)
{
	struct process_senders *senders = calloc(1, sizeof(*senders));

	if (!senders)
		return NULL;
	senders->outer = waiting;
	senders->id = process->id;
	senders->waiting = event_loop_new();
	senders->inflow = mailbox_senders_new(processes_target(processes), pids, processes);
	if (senders->waiting && senders->inflow &&
	    !event_loop_add_random_timer(senders->waiting, LOOK_NS, on_look, senders) &&
	    !event_loop_add(waiting, event_loop_fd(senders->waiting), on_ready, senders)) {
		mailbox_senders_choose(senders->inflow, &process, 1);
		return senders;
	}
	process_senders_free(senders);
	return NULL;
}

void process_senders_free(struct process_senders *senders)
{
	if (!senders)
		return;
	if (senders->waiting)
		event_loop_remove(senders->outer, event_loop_fd(senders->waiting));
	event_loop_free(senders->waiting);
	mailbox_senders_free(senders->inflow);
	free(senders);
}

uint64_t process_senders_id(const struct process_senders *senders)
{
	return senders ? senders->id : 0;
}

static void add_line(struct json_object *lines, const char *title, const char *text)
{
	struct json_object *line = json_new_list();

	json_push(line, json_text(title));
	json_push(line, json_text(text));
	json_push(lines, line);
}

static void add_sender(struct json_object *lines, const struct sign_sender *sender)
{
	char text[SIGN_NAME + 96], many[48] = "";

	if (sender->processes > 1)
		snprintf(many, sizeof(many), " (%zu processes)", sender->processes);
	snprintf(text, sizeof(text), "%.0f %% %s%s%s%s", sender->share * 100, sender->name,
		 !many[0] && sender->pid[0] ? " " : "", many[0] ? "" : sender->pid, many);
	add_line(lines, "", text);
}

void process_senders_add(struct process_senders *senders, struct json_object *lines)
{
	struct sign_mailbox *mailbox = &senders->signs.mailboxes.worst[0];
	char text[64];

	*mailbox = (struct sign_mailbox){ .process = { .id = senders->id } };
	senders->signs.mailboxes.count = 1;
	mailbox_senders_finish(senders->inflow, &senders->signs);
	if (!mailbox->sender_count)
		snprintf(text, sizeof(text), "no message seen yet");
	else if (mailbox->arrivals_per_s > 0)
		snprintf(text, sizeof(text), "%.0f messages per second", mailbox->arrivals_per_s);
	else
		snprintf(text, sizeof(text), "by share of the messages seen");
	add_line(lines, "senders", text);
	for (size_t i = 0; i < mailbox->sender_count; i++)
		add_sender(lines, &mailbox->senders[i]);
}
