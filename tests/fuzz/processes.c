// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any memory as a node's process table: its layout, three readings of all its processes, their names, registered and
 * as of their dictionaries, and what the schedulers run.
 */
#define FUZZ_MEMORY (600u << 20) /* the table of a VM may have 2^27 places: of each, one word, which no one touches */
#include "foreign.h"
#include "node/naming.h"
#include "node/pids.h"
#include "node/processes.h"
#include "node/schedulers.h"

#define MOST_SHOWN 64

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
	schedulers_free(schedulers);
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
}
