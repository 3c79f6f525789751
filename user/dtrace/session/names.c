// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/session/session_parts.h"

#include <bpf/bpf.h>
#include <stdio.h>

/* For probeprov, probename and so on, in programs that use them. */
void session_publish_names(const struct session *s, const struct d_probe *probe, uint32_t os_id)
{
	struct d_probe_name name = { .id = probe->names.id };
	uint64_t key = erl_cookie(os_id, probe->function, probe->number);
	const char *const names[] = {
		probe->names.provider,
		probe->names.module,
		probe->names.function,
		probe->names.name,
	};

	if (s->names < 0)
		return;
	for (int i = 0; i < 4; i++)
		snprintf(name.fields[i], sizeof(name.fields[i]), "%s", names[i]);
	bpf_map_update_elem(s->names, &key, &name, BPF_ANY);
}
