// SPDX-License-Identifier: BSD-2-Clause
/*
 * The structs are proc(4)'s, as DTrace's guide has them, made of the kernel's by translators. A translator is only
 * looked at where it is used, and the kernel's types are only read then. Members of the structs that no translator
 * defines are not to be had here.
 *
 * struct task_struct and what it leads to are those of Linux 5.15 and later. A process of the kernel's own has no
 * memory, which makes a fault of what is looked up there.
 */
#include "d/syntax/prelude.h"

#include <string.h>

static const char text[] =
	"typedef int chipid_t;\n"
	"typedef struct timestruc { time_t tv_sec; long tv_nsec; } timestruc_t;\n"
	"translator timestruc_t < uint64_t ns > { tv_sec = ns / 1000000000; tv_nsec = ns % 1000000000; };\n"

	"typedef struct lwpsinfo {\n"
	"	int pr_flag; id_t pr_lwpid; uintptr_t pr_addr, pr_wchan; char pr_stype, pr_state, pr_sname, pr_nice;\n"
	"	short pr_syscall; int pr_pri; timestruc_t pr_start, pr_time; char pr_clname[8]; char pr_name[16];\n"
	"	processorid_t pr_onpro, pr_bindpro; psetid_t pr_bindpset; int pr_lgrp;\n"
	"} lwpsinfo_t;\n"

	"typedef struct psinfo {\n"
	"	int pr_flag; int pr_nlwp; pid_t pr_pid, pr_ppid, pr_pgid, pr_sid; uid_t pr_uid, pr_euid;\n"
	"	gid_t pr_gid, pr_egid; uintptr_t pr_addr; size_t pr_size, pr_rssize; dev_t pr_ttydev;\n"
	"	timestruc_t pr_start, pr_time, pr_ctime; char pr_fname[16]; char pr_psargs[80]; int pr_wstat, "
	"pr_argc;\n"
	"	uintptr_t pr_argv, pr_envp; char pr_dmodel; taskid_t pr_taskid; projid_t pr_projid; int pr_nzomb;\n"
	"	poolid_t pr_poolid; zoneid_t pr_zoneid; id_t pr_contract; lwpsinfo_t pr_lwp;\n"
	"} psinfo_t;\n"

	"typedef struct cpuinfo {\n"
	"	processorid_t cpu_id; psetid_t cpu_pset; chipid_t cpu_chip; lgrp_id_t cpu_lgrp;\n"
	"} cpuinfo_t;\n"

	/* Bits of __state, as TASK_INTERRUPTIBLE, and of exit_state. */
	"inline int __is_stopped[struct task_struct *T] = (T->__state & 0xc) != 0;\n"
	"inline int __is_asleep[struct task_struct *T] = (T->__state & 0x3) != 0;\n"
	"inline int __is_ended[struct task_struct *T] = (T->exit_state & 0x30) != 0;\n"
	"inline processorid_t __on_cpu[struct task_struct *T] = T == curthread ? cpu : T->wake_cpu;\n"

	"translator lwpsinfo_t < struct task_struct *T > {\n"
	"	pr_flag = __is_stopped[T] ? PR_STOPPED : 0;\n"
	"	pr_lwpid = T->pid;\n"
	"	pr_addr = (uintptr_t)T;\n"
	"	pr_wchan = 0;\n"
	"	pr_stype = 0;\n"
	"	pr_state = __is_ended[T] ? SZOMB : __is_stopped[T] ? SSTOP : __is_asleep[T] ? SSLEEP :\n"
	"		T->on_cpu ? SONPROC : SRUN;\n"
	"	pr_sname = __is_ended[T] ? 'Z' : __is_stopped[T] ? 'T' : __is_asleep[T] ? 'S' : T->on_cpu ? 'O' : "
	"'R';\n"
	"	pr_nice = T->static_prio - 120;\n"
	"	pr_pri = T->prio;\n"
	"	pr_start = xlate <timestruc_t> (walltimestamp - timestamp + T->start_time);\n"
	"	pr_time = xlate <timestruc_t> (T->se.sum_exec_runtime);\n"
	"	pr_clname = T->policy == 1 || T->policy == 2 ? \"RT\" : \"TS\";\n"
	"	pr_name = T->comm;\n"
	"	pr_onpro = __on_cpu[T];\n"
	"	pr_bindpro = T->nr_cpus_allowed == 1 ? __on_cpu[T] : -1;\n"
	"	pr_bindpset = -1;\n"
	"	pr_lgrp = 0;\n"
	"};\n"

	/* Pids are those of the machine's own name space: numbers[0]. */
	"translator psinfo_t < struct task_struct *T > {\n"
	"	pr_nlwp = T->signal->nr_threads;\n"
	"	pr_pid = T->tgid;\n"
	"	pr_ppid = T->real_parent->tgid;\n"
	"	pr_pgid = ((struct upid *)T->signal->pids[2]->numbers)->nr;\n"
	"	pr_sid = ((struct upid *)T->signal->pids[3]->numbers)->nr;\n"
	"	pr_uid = T->cred->uid.val;\n"
	"	pr_euid = T->cred->euid.val;\n"
	"	pr_gid = T->cred->gid.val;\n"
	"	pr_egid = T->cred->egid.val;\n"
	"	pr_addr = (uintptr_t)T;\n"
	"	pr_ttydev = T->signal->tty ? T->signal->tty->driver->major << 20 |\n"
	"		T->signal->tty->driver->minor_start + T->signal->tty->index : (dev_t)-1;\n"
	"	pr_start = xlate <timestruc_t> (walltimestamp - timestamp + T->group_leader->start_time);\n"
	"	pr_fname = T->group_leader->comm;\n"
	"	pr_psargs = __psargs(T);\n"
	"	pr_wstat = T->exit_code;\n"
	"	pr_argc = *(int *)copyin(T->mm->start_stack, sizeof (int));\n"
	"	pr_argv = T->mm->start_stack + 8;\n"
	"	pr_envp = T->mm->start_stack + 8 * (*(int *)copyin(T->mm->start_stack, sizeof (int)) + 2);\n"
	"	pr_dmodel = PR_MODEL_LP64;\n"
	"	pr_taskid = 0;\n"
	"	pr_projid = 0;\n"
	"	pr_nzomb = 0;\n"
	"	pr_poolid = 0;\n"
	"	pr_zoneid = 0;\n"
	"	pr_contract = 0;\n"
	"	pr_lwp = xlate <lwpsinfo_t> (T);\n"
	"};\n"

	"translator cpuinfo_t < processorid_t C > { cpu_id = C; cpu_pset = 0; cpu_lgrp = 0; };\n"

	"inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);\n"
	"inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);\n"
	"inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);\n"
	"inline psetid_t pset = 0;\n"
	"inline lgrp_id_t lgrp = 0;\n";

static void mark(struct node *node)
{
	for (; node; node = node->next) {
		node->is_prelude = true;
		mark(node->a);
		mark(node->b);
		mark(node->c);
		mark(node->args);
	}
}

static void mark_translator(struct d_translator *translator)
{
	translator->is_prelude = true;
	for (struct translator_member *member = translator->members; member; member = member->next)
		mark(member->value);
}

struct parse_input prelude_input(void)
{
	return (struct parse_input){ .text = text, .size = strlen(text), .empty_ok = true };
}

void prelude_mark(struct program *program)
{
	for (struct declaration *declaration = program->declarations; declaration; declaration = declaration->next) {
		declaration->is_prelude = true;
		mark(declaration->value);
	}
	for (struct d_translator *translator = program->translators; translator; translator = translator->next)
		mark_translator(translator);
}
