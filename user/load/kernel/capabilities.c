// SPDX-License-Identifier: BSD-2-Clause
#include "load/kernel/capabilities.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process/privileges.h"

static const struct capability needed[] = {
	{ CAP_BPF, "BPF", "BPF programs cannot be loaded" },
	{ CAP_PERFMON, "PERFMON", "BPF programs cannot read the memory of the nodes" },
	{ CAP_SYS_PTRACE, "SYS_PTRACE", "nodes of other users and in containers cannot be found" },
	{ CAP_DAC_READ_SEARCH, "DAC_READ_SEARCH",
	  "the environment of nodes of other users cannot be read, so some names are unknown, such as those of "
	  "pods without logs" },
};

const struct capability *capabilities_needed(size_t *count)
{
	*count = sizeof(needed) / sizeof(*needed);
	return needed;
}

bool capability_is_held(const struct kernel *kernel, unsigned int number)
{
	return kernel_grants(kernel, number) ||
	       ((number == CAP_BPF || number == CAP_PERFMON) && kernel_grants(kernel, CAP_SYS_ADMIN));
}

uint64_t capabilities_to_attach(const struct kernel *kernel)
{
	uint64_t all = 0;

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		all |= PRIVILEGE(needed[i].number);
	/* A probe that is a perf event takes it; uprobe_multi does not. */
	if (kernel->attach == KERNEL_ATTACH_PERF || !kernel_grants(kernel, CAP_BPF) ||
	    !kernel_grants(kernel, CAP_PERFMON))
		all |= PRIVILEGE(CAP_SYS_ADMIN);
	return all & kernel->capabilities;
}

/* EBADF would say that the descriptor was looked at. */
static bool may_use_maps(void)
{
	union bpf_attr attr = { .map_fd = (uint32_t)-1 };

	return syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)) == 0 || errno != EPERM;
}

uint64_t capabilities_for_maps(const struct kernel *kernel)
{
	cap_value_t both[] = { CAP_BPF, CAP_SYS_ADMIN };
	cap_t caps = cap_get_proc(), without = caps ? cap_dup(caps) : NULL;
	bool takes_none = without && !cap_set_flag(without, CAP_EFFECTIVE, 2, both, CAP_CLEAR) &&
			  !cap_set_proc(without) && may_use_maps();

	if (caps)
		cap_set_proc(caps);
	cap_free(without);
	cap_free(caps);
	if (takes_none)
		return 0;
	return PRIVILEGE(kernel_grants(kernel, CAP_BPF) ? CAP_BPF : CAP_SYS_ADMIN) & kernel->capabilities;
}
