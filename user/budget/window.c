// SPDX-License-Identifier: BSD-2-Clause
#include "budget/window.h"

#include <bpf/bpf.h>

void window_set(const struct loader *loader, const struct erl_window *window)
{
	int map = loader_map(loader, "erl_windows");
	uint32_t zero = 0;

	if (map >= 0)
		bpf_map_update_elem(map, &zero, window, BPF_ANY);
}
