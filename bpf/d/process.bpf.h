/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Who descends from whom: by struct task_struct, see d_ppid(). */
#ifndef ERLBPF_BPF_D_PROCESS_BPF_H
#define ERLBPF_BPF_D_PROCESS_BPF_H

#include "d/system.bpf.h"

#define D_GENERATIONS 32

/* progenyof(pid): is this process that one, or does it descend from it? */
D_FUNCTION d_progenyof(struct d_frame *f, u64 pid)
{
	u64 task = bpf_get_current_task(), is_it = d_opaque(f, 0);
	u64 *word = &f->spare[1];

	for (u64 i = 0; i < D_GENERATIONS; i++) {
		d_keep(i);
		*word = 0;
		bpf_probe_read_kernel(word, 4, (const void *)(task + d_task_tgid));
		is_it |= d_differs(*(volatile u64 *)word, (u32)pid) ^ 1;
		*word = 0;
		bpf_probe_read_kernel(word, 8, (const void *)(task + d_task_parent));
		task = *(volatile u64 *)word;
	}
	return is_it;
}

#endif
