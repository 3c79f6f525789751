// SPDX-License-Identifier: BSD-2-Clause
#include "why/source/sign_process.h"

#include <stdio.h>
#include <string.h>

#include "node/memory/erlid.h"

void sign_function(struct processes *processes, uint64_t function, char text[SIGN_NAME])
{
	text[0] = '\0';
	if (function && !naming_of_id(processes_naming(processes), function, text))
		text[0] = '\0';
}

static void write_stack(struct processes *processes, const struct call_stack *frames, char stack[SIGN_STACK])
{
	char text[SIGN_NAME];
	size_t used = 0;

	stack[0] = '\0';
	for (size_t i = 0; i < frames->count; i++) {
		sign_function(processes, frames->functions[i], text);
		if (!text[0] || used + strlen(text) + 4 > SIGN_STACK)
			continue;
		used += (size_t)snprintf(stack + used, SIGN_STACK - used, "%s%s", used ? " < " : "", text);
	}
}

static void read_frames(struct processes *processes, const struct process *process, struct call_stack *frames)
{
	struct process_look look;

	processes_look(processes, &process->address, &look, 1);
	if (look.process.id == process->id)
		call_stack_read(processes_target(processes), &look.fields,
				strcmp(process_status(&look.process), "waiting") != 0, frames);
}

void sign_process_fill(struct processes *processes, uint64_t id, const struct call_stack *frames,
		       struct sign_process *sign)
{
	struct process *process = id ? processes_find(processes, id) : NULL;
	struct call_stack own = {};
	double busy = sign->busy;

	*sign = (struct sign_process){ .id = id, .busy = busy };
	erlid_format(id, sign->pid);
	if (process) {
		processes_refresh_name(processes, process);
		process_description(processes, process, sign->name);
		sign->is_waiting = !strcmp(process_status(process), "waiting");
	}
	if (frames && frames->count)
		own = *frames;
	else if (process)
		read_frames(processes, process, &own);
	if (own.count)
		sign_function(processes, own.functions[0], sign->function);
	write_stack(processes, &own, sign->stack);
}
