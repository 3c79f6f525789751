// SPDX-License-Identifier: BSD-2-Clause
#include "run/unprivileged.h"

#include <linux/capability.h>
#include <string.h>

#include "base/log.h"
#include "base/process/privileges.h"
#include "load/kernel/capabilities.h"

static uint64_t capabilities_wanted(const struct unprivileged *how)
{
	uint64_t wanted = how->more | capabilities_for_maps(how->kernel);

	return how->attaches ? wanted | capabilities_to_attach(how->kernel) : wanted;
}

void unprivileged_look(uint64_t more)
{
	privileges_leave_root();
	privileges_keep(PRIVILEGE(CAP_SYS_PTRACE) | PRIVILEGE(CAP_DAC_READ_SEARCH) | more);
}

int unprivileged_begin(const struct unprivileged *how)
{
	int err;

	privileges_leave_root();
	err = privileges_keep(capabilities_wanted(how));
	if (!err)
		err = privileges_filter(how->attaches ? ROLE_FOLLOWER : ROLE_COMMAND);
	if (err)
		pr_err("cannot give up privileges: %s; use --keep-caps (in D: -x keepcaps) to keep them",
		       strerror(-err));
	return err;
}
