// SPDX-License-Identifier: BSD-2-Clause
#include "serve/http/privileges.h"

#include <linux/capability.h>
#include <string.h>

#include "base/log.h"
#include "base/process/privileges.h"
#include "load/kernel/capabilities.h"

void privileges_check(const struct kernel *kernel)
{
	size_t count;
	const struct capability *needed = capabilities_needed(&count);

	for (size_t i = 0; i < count; i++) {
		if (!capability_is_held(kernel, needed[i].number))
			pr_warn("the capability %s is missing: %s", needed[i].name, needed[i].without);
	}
}

static enum privileges_role role_of(enum agent_filter which)
{
	return which == FILTER_PROFILE ? ROLE_PROFILE : which == FILTER_WITH_CALLS ? ROLE_PUSHER : ROLE_AGENT;
}

uint64_t privileges_of_profiles(const struct kernel *kernel)
{
	return capabilities_to_attach(kernel) | PRIVILEGE(CAP_SYSLOG);
}

uint64_t privileges_of_users(const struct kernel *kernel)
{
	return capabilities_to_attach(kernel) & ~(PRIVILEGE(CAP_SYS_PTRACE) | PRIVILEGE(CAP_DAC_READ_SEARCH));
}

int privileges_drop(const struct kernel *kernel, enum agent_filter which)
{
	int err;

	privileges_leave_root();
	err = privileges_keep(which == FILTER_PROFILE ? privileges_of_profiles(kernel)
						      : capabilities_to_attach(kernel));

	if (err) {
		pr_err("cannot drop capabilities: %s", strerror(-err));
		return err;
	}
	if (which == FILTER_NONE)
		return 0;
	err = privileges_filter(role_of(which));
	if (err)
		pr_err("cannot filter system calls: %s; use --no-seccomp to run without the filter", strerror(-err));
	return err;
}
