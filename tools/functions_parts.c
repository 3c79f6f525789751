// SPDX-License-Identifier: BSD-2-Clause
#include "functions_parts.h"

#include <stdio.h>
#include <string.h>

#include "node/code/code.h"

int functions_configure(struct run *run)
{
	const struct options *options = run_options(run);
	struct functions_config config = {
		.show = options->show,
		.key = options->by == TAKES_BY_CALLER	  ? FUNCTIONS_BY_CALLER
		       : options->by == TAKES_BY_ARGUMENT ? FUNCTIONS_BY_ARGUMENT
							  : FUNCTIONS_BY_FUNCTION,
		.argument = options->argument ? (__u32)options->argument - 1 : 0,
	};
	int err = run_set(run, "functions_when", &options->when, sizeof(options->when));

	return err ? err : run_set(run, "functions_config", &config, sizeof(config));
}

static void add(char *text, size_t *used, const char *more)
{
	int n = snprintf(text + *used, FUNCTIONS_CALL_TEXT - *used, "%s", more);

	*used += (size_t)n < FUNCTIONS_CALL_TEXT - *used ? (size_t)n : FUNCTIONS_CALL_TEXT - 1 - *used;
}

void functions_format_call(struct run *run, const struct functions_call *call, struct term_snapshot *memory, char *text)
{
	const char *function = run_id(run, (int)call->os_id, call->what), *slash = strrchr(function, '/');
	char term[FUNCTIONS_TERM_TEXT];
	size_t used = 0;

	snprintf(text, FUNCTIONS_CALL_TEXT, "%.*s(", slash ? (int)(slash - function) : (int)strlen(function), function);
	used = strlen(text);
	for (uint32_t i = 0; i < call->arity && i < FUNCTIONS_ARGS; i++) {
		memory->term = call->args[i];
		add(text, &used, i ? "," : "");
		add(text, &used, run_term(run, (int)call->os_id, memory, term, sizeof(term)));
	}
	add(text, &used, call->arity > FUNCTIONS_ARGS ? ",...)" : ")");
}

void functions_format_callers(struct run *run, const struct functions_call *call, char *text)
{
	uint32_t from = 0; /* words before it are of the VM */
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < call->callers_count && i < FUNCTIONS_CALLERS; i++) {
		uint64_t code = FUNCTIONS_CALLER_CODE(call->callers[i]);
		uint32_t at = FUNCTIONS_CALLER_AT(call->callers[i]);
		const char *function = at < from ? "" : run_id(run, (int)call->os_id, erl_id_of(ERL_ID_CODE, code));

		/* Frames of breakpoints, and the end of the stack. */
		if (code_is_of_jit(function)) {
			from = at + call->frame_words;
		} else if (*function) {
			add(text, &used, used ? ", " : "");
			add(text, &used, function);
		}
	}
}
