/* SPDX-License-Identifier: BSD-2-Clause */
/* The senders of a process while its page is open, from the messages in its mailbox, without a probe. */
#ifndef ERLBPF_SERVE_NODE_VIEW_PROCESS_SENDERS_H
#define ERLBPF_SERVE_NODE_VIEW_PROCESS_SENDERS_H

#include "node/atoms/pids.h"
#include "node/processes/processes.h"

struct process_senders;
struct json_object;
struct event_loop;

/* Runs in the loop of `waiting`. All arguments are borrowed. NULL: no memory. */
struct process_senders *process_senders_new(struct event_loop *waiting, const struct erl_pid_layout *pids,
					    struct processes *processes, const struct process *process);
void process_senders_free(struct process_senders *senders);

/* Whose they are. */
uint64_t process_senders_id(const struct process_senders *senders);

/* Adds lines for the page, pairs of title and text. */
void process_senders_add(struct process_senders *senders, struct json_object *lines);

#endif
