// SPDX-License-Identifier: BSD-2-Clause
/*
 * Structs of proc(4), as in the DTrace guide, translated from the kernel's. A translator is checked only where it is
 * used, and only then are the kernel's types read. Struct members without a translator are not available. struct
 * task_struct and the structs that it refers to are those of Linux 5.15 and later. Kernel threads have no memory, so
 * lookups there are faults.
 */
#include "d/syntax/prelude.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

#define CHIPS_MOST 16
#define CHIP_RANGES_MOST 16

static const char text[] =
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

	/* The translator gives strings; a struct with strings would fix their size. */
	"typedef struct fileinfo {\n"
	"	char fi_name[256], fi_dirname[256], fi_pathname[256]; uint64_t fi_offset;\n"
	"	char fi_fs[256], fi_mount[256]; int fi_oflags;\n"
	"} fileinfo_t;\n"

	"typedef struct bufinfo {\n"
	"	int b_flags; size_t b_bcount; uintptr_t b_addr; uint64_t b_lblkno, b_blkno; size_t b_resid, "
	"b_bufsize;\n"
	"	uintptr_t b_iodone; int b_error; dev_t b_edev;\n"
	"} bufinfo_t;\n"

	"typedef struct devinfo {\n"
	"	int dev_major, dev_minor, dev_instance; char dev_name[32], dev_statname[32], dev_pathname[64];\n"
	"} devinfo_t;\n"

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

	/* A kernel thread has no memory. */
	"inline int __argc[struct task_struct *T] = T->mm == NULL ? 0 :\n"
	"	*(int *)copyin(T->mm->start_stack, sizeof (int));\n"

	/* Pids are in the initial pid namespace: numbers[0]. */
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
	"	pr_psargs = T->mm != NULL && T->mm != curthread->mm ? \"<unknown>\" : __psargs(T);\n"
	"	pr_wstat = T->exit_code;\n"
	"	pr_argc = __argc[T];\n"
	"	pr_argv = T->mm == NULL ? 0 : T->mm->start_stack + 8;\n"
	"	pr_envp = T->mm == NULL ? 0 : T->mm->start_stack + 8 * (__argc[T] + 2);\n"
	"	pr_dmodel = PR_MODEL_LP64;\n"
	"	pr_taskid = 0;\n"
	"	pr_projid = 0;\n"
	"	pr_nzomb = 0;\n"
	"	pr_poolid = 0;\n"
	"	pr_zoneid = 0;\n"
	"	pr_contract = 0;\n"
	"	pr_lwp = xlate <lwpsinfo_t> (T);\n"
	"};\n"

	"translator cpuinfo_t < processorid_t C > { cpu_id = C; cpu_pset = 0; cpu_chip = __chip[C]; cpu_lgrp = 0; };\n"

	/* Pipes and sockets have no path. */
	"inline int __has_path[struct file *F] = F->f_path.dentry->d_parent != F->f_path.dentry ||\n"
	"	F->f_path.mnt->mnt_root == F->f_path.dentry;\n"
	"inline string __path[struct file *F] = F == NULL ? \"<none>\" :\n"
	"	__has_path[F] ? d_path(&F->f_path) : \"<unknown>\";\n"
	"translator fileinfo_t < struct file *F > {\n"
	"	fi_name = F == NULL ? \"<none>\" : __has_path[F] ? stringof(F->f_path.dentry->d_name.name) :\n"
	"		\"<unknown>\";\n"
	"	fi_dirname = F != NULL && __has_path[F] ? dirname(__path[F]) : __path[F];\n"
	"	fi_pathname = __path[F];\n"
	"	fi_offset = F == NULL ? 0 : F->f_pos;\n"
	"	fi_fs = F == NULL ? \"<none>\" : stringof(F->f_inode->i_sb->s_type->name);\n"
	"	fi_mount = F == NULL ? \"<none>\" : \"<unknown>\";\n"
	"	fi_oflags = F == NULL ? 0 : F->f_flags;\n"
	"};\n"
	"inline struct file *__file[int FD] = FD >= 0 && FD < curthread->files->fdt->max_fds ?\n"
	"	curthread->files->fdt->fd[FD] : (struct file *)NULL;\n"
	"inline fileinfo_t fds[int FD] = xlate <fileinfo_t> (__file[FD]);\n"

	/* A device request does not refer to files; internal requests have no disk. */
	"inline struct gendisk *__disk[struct request *R] = R->q->disk;\n"
	"inline string __disk_name[struct request *R] = __disk[R] == NULL ? \"<none>\" :\n"
	"	stringof(__disk[R]->disk_name);\n"
	"translator bufinfo_t < struct request *R > {\n"
	"	b_flags = (R->cmd_flags & 0xff) == 1 ? B_WRITE : B_READ;\n"
	"	b_bcount = R->__data_len;\n"
	"	b_bufsize = R->__data_len;\n"
	"	b_addr = (uintptr_t)R;\n"
	"	b_lblkno = R->__sector;\n"
	"	b_blkno = R->__sector;\n"
	"	b_resid = 0;\n"
	"	b_error = 0;\n"
	"	b_edev = __disk[R] == NULL ? 0 : __disk[R]->major << 20 | __disk[R]->first_minor;\n"
	"};\n"
	"translator devinfo_t < struct request *R > {\n"
	"	dev_major = __disk[R] == NULL ? 0 : __disk[R]->major;\n"
	"	dev_minor = __disk[R] == NULL ? 0 : __disk[R]->first_minor;\n"
	"	dev_instance = 0;\n"
	"	dev_name = __disk_name[R];\n"
	"	dev_statname = __disk_name[R];\n"
	"	dev_pathname = strjoin(\"/dev/\", __disk_name[R]);\n"
	"};\n"
	"translator fileinfo_t < struct request *R > {\n"
	"	fi_name = \"<unknown>\";\n"
	"	fi_dirname = \"<unknown>\";\n"
	"	fi_pathname = \"<unknown>\";\n"
	"	fi_offset = 0;\n"
	"	fi_fs = \"<unknown>\";\n"
	"	fi_mount = \"<unknown>\";\n"
	"	fi_oflags = 0;\n"
	"};\n"

	"inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);\n"
	"inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);\n"
	/* Members need no memory access; check/expression.c chooses between the two. */
	"inline cpuinfo_t *__curcpu = xlate <cpuinfo_t *> (cpu);\n"
	"inline cpuinfo_t *curcpu = (cpuinfo_t *)__cpuinfo(cpu, __chip[cpu]);\n"
	"inline string execargs = __psargs(curthread);\n"
#ifdef __x86_64__
	"inline uint64_t __ureg_ds = curthread->thread.ds;\n"
	"inline uint64_t __ureg_es = curthread->thread.es;\n"
	"inline uint64_t __ureg_fs = curthread->thread.fsbase;\n"
	"inline uint64_t __ureg_gs = curthread->thread.gsbase;\n"
	"inline uint64_t __ureg_trapno = curthread->thread.trap_nr;\n"
#endif
	/* args[N] of provider:::name is __provider_name_N, from arg0... as in enum d_shape of bpf/d.h. */
	"inline lwpsinfo_t *__lwp_0 = xlate <lwpsinfo_t *> ((struct task_struct *)arg0);\n"
	"inline psinfo_t *__process_1 = xlate <psinfo_t *> ((struct task_struct *)arg1);\n"
	"inline bufinfo_t *__io_start_0 = xlate <bufinfo_t *> ((struct request *)arg0);\n"
	"inline devinfo_t *__io_start_1 = xlate <devinfo_t *> ((struct request *)arg1);\n"
	"inline fileinfo_t *__io_start_2 = xlate <fileinfo_t *> ((struct request *)arg2);\n"
	"inline bufinfo_t *__io_done_0 = xlate <bufinfo_t *> ((struct request *)arg0);\n"
	"inline devinfo_t *__io_done_1 = xlate <devinfo_t *> ((struct request *)arg1);\n"
	"inline fileinfo_t *__io_done_2 = xlate <fileinfo_t *> ((struct request *)arg2);\n"
	"inline psinfo_t *__proc_create_0 = xlate <psinfo_t *> ((struct task_struct *)arg0);\n"
	"inline string __proc_exec_0 = copyinstr(arg0);\n"
	"inline int __proc_exec_failure_0 = (int)arg0;\n"
	"inline int __proc_exit_0 = (int)arg0;\n"
	"inline lwpsinfo_t *__proc_lwp_create_0 = __lwp_0;\n"
	"inline psinfo_t *__proc_lwp_create_1 = __process_1;\n"
	"inline int __proc_signal_clear_0 = (int)arg0;\n"
	"inline lwpsinfo_t *__proc_signal_discard_0 = __lwp_0;\n"
	"inline psinfo_t *__proc_signal_discard_1 = __process_1;\n"
	"inline int __proc_signal_discard_2 = (int)arg2;\n"
	"inline int __proc_signal_handle_0 = (int)arg0;\n"
	"inline struct kernel_siginfo *__proc_signal_handle_1 = (struct kernel_siginfo *)arg1;\n"
	"inline void *__proc_signal_handle_2 = (void *)arg2;\n"
	"inline lwpsinfo_t *__proc_signal_send_0 = __lwp_0;\n"
	"inline psinfo_t *__proc_signal_send_1 = __process_1;\n"
	"inline int __proc_signal_send_2 = (int)arg2;\n"
	"inline lwpsinfo_t *__sched_dequeue_0 = __lwp_0;\n"
	"inline psinfo_t *__sched_dequeue_1 = __process_1;\n"
	"inline cpuinfo_t *__sched_dequeue_2 = xlate <cpuinfo_t *> ((processorid_t)arg2);\n"
	"inline lwpsinfo_t *__sched_enqueue_0 = __lwp_0;\n"
	"inline psinfo_t *__sched_enqueue_1 = __process_1;\n"
	"inline cpuinfo_t *__sched_enqueue_2 = xlate <cpuinfo_t *> ((processorid_t)arg2);\n"
	"inline int __sched_enqueue_3 = 0;\n"
	"inline lwpsinfo_t *__sched_off_cpu_0 = __lwp_0;\n"
	"inline psinfo_t *__sched_off_cpu_1 = __process_1;\n"
	"inline lwpsinfo_t *__sched_surrender_0 = __lwp_0;\n"
	"inline psinfo_t *__sched_surrender_1 = __process_1;\n"
	"inline lwpsinfo_t *__sched_wakeup_0 = __lwp_0;\n"
	"inline psinfo_t *__sched_wakeup_1 = __process_1;\n"

	"inline chipid_t chip = __chip[cpu];\n"
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

/* "0-15,32-47" as a condition on C; false: invalid, or too long to be evaluated at each firing. */
static bool add_cpus(struct arena *arena, const char **condition, const char *list)
{
	unsigned int first, last, ranges = 0;
	int size;

	while (sscanf(list, "%u%n", &first, &size) == 1 && ranges++ < CHIP_RANGES_MOST) {
		last = first;
		list += size;
		if (sscanf(list, "-%u%n", &last, &size) == 1)
			list += size;
		*condition = arena_printf(arena, "%s%sC >= %u && C <= %u", *condition, **condition ? " || " : "", first,
					  last);
		if (*list != ',')
			return *list == '\n';
		list++;
	}
	return false;
}

/* The CPUs of the chip (package, socket) of a CPU; false: unknown. */
static bool read_package(char *list, int size, unsigned int cpu)
{
	char path[80];
	FILE *file;
	bool is_read;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/package_cpus_list", cpu);
	file = fopen(path, "re");
	if (!file)
		return false;
	is_read = fgets(list, size, file);
	fclose(file);
	return is_read;
}

/* The first CPU after the chips so far, in the order of their first CPUs. */
static unsigned int behind(const char *list)
{
	unsigned int first = 0, last;

	if (sscanf(list, "%u-%u", &first, &last) == 2)
		return last + 1;
	return first + 1;
}

/*
 * Chips are numbered by their first CPUs, as in the kernel. If chips interleave, 0 and 2 on one and 1 and 3 on the
 * other, the list of the second begins after the first range of the first.
 */
struct parse_input prelude_chips(struct arena *arena)
{
	const char *value = "";
	char list[256];
	unsigned int chip = 0, cpu = 0;

	while (chip < CHIPS_MOST && read_package(list, sizeof(list), cpu)) {
		const char *condition = "";

		if (!add_cpus(arena, &condition, list))
			break;
		value = arena_printf(arena, "%s(%s) ? %u : ", value, condition, chip++);
		cpu = behind(list);
	}
	value = arena_printf(arena, "typedef int chipid_t; inline chipid_t __chip[processorid_t C] = %s0;\n", value);
	return (struct parse_input){ .text = value, .size = strlen(value), .empty_ok = true };
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
