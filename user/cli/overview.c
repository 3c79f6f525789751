// SPDX-License-Identifier: BSD-2-Clause
/* `erlbpf` without arguments: lists the running nodes and suggests commands. */
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/process/privileges.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "target/target.h"

#define MOST_NODES 20 /* that are listed */

static const char next_steps[] =
	"\n"
	"  sudo erlbpf why             what is wrong with a node, the worst first\n"
	"  sudo erlbpf doctor          which tools work here, and what to do about the others\n"
	"  sudo erlbpf sched-latency   how long messages wait before their receiver runs\n"
	"  erlbpf help                 all commands\n"
	"  erlbpf help COMMAND         the options of a command, with examples\n";

static void print_node(const struct target *target)
{
	_cleanup_free_ char *safe = text_for_terminal(target->node);
	const char *name = !safe || !*safe ? "(no name)" : safe;

	if (target->vm->otp)
		printf("  %-30s  process %-8d  OTP %d\n", name, (int)target->pid, target->vm->otp);
	else
		printf("  %-30s  process %d\n", name, (int)target->pid);
}

static void print_nodes(const struct target_list *list)
{
	bool sees_all = privileges_held() & PRIVILEGE(CAP_SYS_PTRACE);

	if (!list->count)
		puts("No running node is seen. Start one, or use sudo to see nodes of other users.");
	else
		printf("%zu running node%s%s:\n", list->count, list->count == 1 ? "" : "s",
		       sees_all ? "" : " that you may look at (sudo shows those of other users)");
	for (size_t i = 0; i < list->count && i < MOST_NODES; i++)
		print_node(list->targets[i]);
	if (list->count > MOST_NODES)
		printf("  and %zu more; `erlbpf doctor` lists them all\n", list->count - MOST_NODES);
}

int command_overview(void)
{
	struct target_list list = {};
	int err = target_list_scan(&list);

	if (err) {
		pr_err("cannot look for running nodes: %s", strerror(-err));
	} else {
		puts("erlbpf: DTrace for the Erlang VM on Linux.\n");
		print_nodes(&list);
		fputs(next_steps, stdout);
	}
	target_list_free(&list);
	return err ? EXIT_FAILED : EXIT_OK;
}
