// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/records/consumer.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "dtrace/records/json_record.h"

static const char *fault_text(uint64_t fault)
{
	static const char *const texts[] = {
		[D_FAULT_BADADDR] = "invalid address",
		[D_FAULT_BADALIGN] = "invalid alignment",
		[D_FAULT_ILLOP] = "illegal operation",
		[D_FAULT_DIVZERO] = "divide-by-zero",
		[D_FAULT_NOSCRATCH] = "out of scratch space",
		[D_FAULT_KPRIV] = "invalid kernel access",
		[D_FAULT_UPRIV] = "invalid user access",
		[D_FAULT_TUPOFLOW] = "tuple stack overflow",
		[D_FAULT_BADSTACK] = "bad stack",
		[D_FAULT_BADSIZE] = "invalid size",
		[D_FAULT_BADINDEX] = "index out of bounds",
		[D_FAULT_LIBRARY] = "library-level fault",
	};

	return fault < sizeof(texts) / sizeof(*texts) && texts[fault] ? texts[fault] : "unknown fault";
}

void fault_print(struct consumer *consumer, const struct d_record *head, const char *what)
{
	const struct probe_names *probe = consumer->ops->probe(consumer->data, head->probe, head->function,
							       head->os_id);
	struct print print = { .is_terminal = true };
	_cleanup_free_ char *text = NULL, *clean = NULL;

	consumer->faults++;
	if (consumer->options->mute)
		return;
	if (asprintf(&text, "%s: error in dt_clause_%u for probe ID %u (%s:%s:%s:%s): %s",
		     consumer->options->program ? consumer->options->program : "erlbpf", head->clause - 1, probe->id,
		     probe->provider, probe->module, probe->function, probe->name, what) < 0) {
		text = NULL;
		return;
	}
	clean = print_clean(&print, text, strlen(text));
	if (clean)
		fprintf(consumer->options->to ? consumer->options->to : stderr, "%s\n", clean);
	if (consumer->options->json)
		json_error(consumer, head, probe, what);
}

void fault_record(struct consumer *consumer, const struct d_fault_record *record)
{
	char what[128];
	int length = snprintf(what, sizeof(what), "%s", fault_text(record->fault));

	switch (record->fault) {
	case D_FAULT_BADADDR:
	case D_FAULT_BADALIGN:
	case D_FAULT_BADSTACK:
	case D_FAULT_BADSIZE:
		if (record->fault != D_FAULT_BADADDR || record->value != UINT64_MAX)
			snprintf(what + length, sizeof(what) - (size_t)length, " (0x%llx)", record->value);
		break;
	case D_FAULT_BADINDEX: snprintf(what + length, sizeof(what) - (size_t)length, " (%lld)", record->value); break;
	default: break;
	}
	fault_print(consumer, &record->head, what);
}
