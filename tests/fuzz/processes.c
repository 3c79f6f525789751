// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any memory as a node's process table: its layout, three readings of all its processes, their names, registered and
 * as of their dictionaries, all that the page of one shows, what the schedulers run and on which stacks, and who is
 * suspended.
 */
#define FUZZ_MEMORY (600u << 20) /* the table of a VM may have 2^27 places: of each, one word, which no one touches */
#include "foreign.h"
#include "node/memory/allocators.h"
#include "node/processes/arrivals.h"
#include "node/processes/busy.h"
#include "node/names/call_stack.h"
#include "node/code/jit_calls.h"
#include "node/memory/limits.h"
#include "node/names/naming.h"
#include "node/atoms/pids.h"
#include "node/processes/process_details.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "node/processes/tables.h"

#define MOST_SHOWN 64
#define MOST_OPENED 4

static const struct name_style every_style = { .is_elixir = true, .with_kin = true };

static void check_process(struct processes *processes, const struct erl_pid_layout *layout, struct process *process)
{
	char text[NAME_SIZE];

	must(process->id, "a process has a pid");
	must(pid_place(layout, process->id) == process->slot, "a process is at the place of its pid");
	must(processes_find(processes, process->id) == process, "a process is found by its pid");
	must_be_text(process_name(processes, process, text), NAME_SIZE);
	must_be_text(process_initial_call(processes, process, text), NAME_SIZE);
	must_be_text(process_registered(processes, process, text), NAME_SIZE);
	must(*process_status(process), "a process has a status");
	processes_refresh_name(processes, process);
	must_be_text(process_name(processes, process, text), NAME_SIZE);
	must_be_text(process_description(processes, process, text), NAME_SIZE);
	must_be_text(process_call(processes, process, text), NAME_SIZE);
}

static void check_details(struct processes *processes, const struct process *process)
{
	struct process_details details;
	char text[NAME_SIZE];

	if (process_details_read(processes, process, &details))
		return;
	must(details.look.process.id == process->id, "what was read is of that process");
	must(details.stack.count <= CALL_STACK_MAX, "no more functions are kept than there is room for");
	for (size_t i = 0; i < details.stack.count; i++) {
		if (naming_of_id(processes_naming(processes), details.stack.functions[i], text))
			must_be_text(text, sizeof(text));
	}
	must(details.relations.links.count < 1u << 12 && details.relations.monitors.count < 1u << 12 &&
		     details.relations.monitored_by.count < 1u << 12,
	     "a loop of links is not followed forever");
}

static void read_processes(const struct erl_pid_layout *layout)
{
	struct processes *processes = processes_new(&foreign.target, layout, every_style);
	size_t shown = 0, live;

	for (int reading = 0; processes && reading < 3; reading++) {
		bool is_read = !processes_read(processes);

		live = 0;
		for (size_t row = 0; row < processes_rows(processes); row++) {
			if (!processes_has(processes, row))
				continue;
			live++;
			if (shown++ < MOST_SHOWN)
				check_process(processes, layout, processes_row(processes, row));
			if (shown < MOST_OPENED)
				check_details(processes, processes_row(processes, row));
		}
		must(!is_read || live <= processes_live(processes), "every process that has a row was counted");
	}
	processes_free(processes);
}

static void read_schedulers(const struct erl_pid_layout *layout)
{
	struct schedulers *schedulers = schedulers_new(&foreign.target, layout);
	static uint64_t ids[SCHEDULERS_MAX];

	schedulers_normal(&foreign.target);
	if (!schedulers)
		return;
	must(schedulers_count(schedulers) <= SCHEDULERS_MAX, "there are no more schedulers than a VM may have");
	must(schedulers_sample(schedulers, ids) <= schedulers_count(schedulers), "each runs one process at most");
	for (size_t i = 0; i < schedulers_count(schedulers); i++)
		must(schedulers_hits(schedulers)[i].busy <= 1, "a scheduler is busy once in a sample");
	schedulers_run_queue(schedulers);
	schedulers_forget_hits(schedulers);
	schedulers_free(schedulers);
}

/* In place of user/node/code/jit_calls.c, which reads an executable too: any words of the code are addresses that it
 * holds.
 */
int jit_calls_find(enum arch arch, const unsigned char *code, size_t size, uint64_t address, uint64_t **calls,
		   size_t *count)
{
	(void)arch, (void)address;
	*count = size / 8;
	*calls = malloc(size);
	if (!*calls)
		return -ENOMEM;
	memcpy(*calls, code, *count * 8);
	return 0;
}

static void check_look(const struct process_look *look)
{
	struct call_stack stack;

	call_stack_read(&foreign.target, &look->fields, look->process.id & 1, &stack);
	must(stack.count <= CALL_STACK_MAX, "a stack has no more functions than it has room for");
	for (size_t i = 0; i < stack.count; i++)
		must(stack.functions[i], "what is on a stack is a function");
}

/* A mailbox at an address of the input. */
static void read_arrivals(const struct erl_pid_layout *layout)
{
	uint64_t process = layout->table & ~0x7ULL, mark = arrivals_mark(&foreign.target, process);
	struct allocator_use uses[ALLOCATORS_MAX];
	struct arrivals arrivals = {};

	must(allocators_read(&foreign.target, uses) <= ALLOCATORS_MAX, "no more allocators than there are");
	table_name(&foreign.target, layout->table | 2);
	if (!arrivals_since(&foreign.target, layout, process, mark ? mark : process, &arrivals))
		must(arrivals.count <= ARRIVALS_MOST, "no more arrive than there is room for");
}

/* What `why` reads: schedulers with their stacks, who is suspended, mailboxes, limits. */
static void read_moment(const struct erl_pid_layout *layout)
{
	static struct scheduler_look looks[SCHEDULERS_MAX];
	struct schedulers *schedulers = schedulers_new(&foreign.target, layout);
	struct processes *processes = schedulers ? processes_new(&foreign.target, layout, every_style) : NULL;
	struct busy_wait waits[8];
	struct node_limits limits;
	struct process_look look;
	size_t count;

	if (processes)
		schedulers_look(schedulers, looks);
	for (size_t i = 0; processes && i < schedulers_count(schedulers) && i < MOST_SHOWN; i++) {
		processes_look(processes, &looks[i].process, &look, 1);
		check_look(&look);
	}
	processes_free(processes);
	schedulers_free(schedulers);
	node_limits_read(&foreign.target, &limits);
	read_arrivals(layout);
	count = busy_read(&foreign.target, layout, waits, 8);
	must(count <= 8, "no more are suspended than there is room for");
	for (size_t i = 0; i < count; i++)
		must(waits[i].process && (waits[i].port || waits[i].peer), "who is suspended waits for something");
}

static void read_names(const struct erl_pid_layout *layout)
{
	struct naming *names = naming_new(&foreign.target, layout);
	struct erl_name_layout where;
	char text[NAME_SIZE] = "";
	uint64_t id;

	if (!names)
		return;
	naming_set_style(names, every_style);
	memcpy(&id, foreign.head.table + 4, sizeof(id));
	if (!naming_of_process(names, id, text))
		must_be_text(text, sizeof(text));
	if (naming_of_id(names, id, text))
		must_be_text(text, sizeof(text));
	naming_function_of(names, id);
	naming_layout(names, &where);
	if (foreign.head.table[1] & 1)
		naming_atoms(names, &where);
	naming_end(names);
	naming_of_id(names, id, text);
	naming_free(names);
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct erl_pid_layout layout;

	if (!foreign_begin(data, size) || pid_layout_read(&foreign.target, &layout))
		return;
	pid_layout_is_ready(&foreign.target);
	read_names(&layout);
	read_schedulers(&layout);
	read_processes(&layout);
	read_moment(&layout);
}
