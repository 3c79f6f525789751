// SPDX-License-Identifier: BSD-2-Clause
/* The targets that a command looks at. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "cli/command.h"
#include "target/procfs.h"
#include "target/target.h"

static int open_named(struct target_list *list, pid_t pid)
{
	const char *why = "it has no executable";
	struct target *target;
	int err = procfs_check_process(pid);

	if (!err)
		err = target_open(pid, &target, &why);
	if (!err)
		err = target_list_add(list, target);
	if (err == -EACCES || err == -EPERM) {
		pr_err("process %d may not be looked at; run it with sudo, or with CAP_SYS_PTRACE", pid);
		return EXIT_NO_PRIVILEGE;
	}
	if (err == -ENOEXEC || err == -ENOENT)
		pr_err("process %d is no BEAM: %s; `erlbpf doctor` lists the BEAMs that run", pid, why);
	else if (err)
		pr_err("there is no process %d; `erlbpf doctor` lists the BEAMs that run", pid);
	return err ? EXIT_NO_TARGET : EXIT_OK;
}

int command_targets(const struct options *options, struct target_list *list)
{
	int code = EXIT_OK;

	if (!options->pid_count && target_list_scan(list)) {
		pr_err("cannot list processes; is /proc mounted?");
		return EXIT_FAILED;
	}
	for (size_t i = 0; code == EXIT_OK && i < options->pid_count; i++)
		code = open_named(list, options->pids[i]);
	if (options->node)
		target_list_keep_named(list, options->node);
	return code;
}
