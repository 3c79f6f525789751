// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs a command and makes one of its system calls fail, or ends a process at that moment:
 *
 *   inject [OPTIONS] CALL[,CALL...] COMMAND [ARGUMENT...]
 *
 *   -n N       the N-th of these calls, of all threads and children together, is the one; without it they are counted
 *   -e ERRNO   it fails with this number
 *   -a         and so do all after it
 *   -c COMMAND only those count whose first argument is this number, as a command of bpf(2)
 *   -k PID     instead, this process gets SIGKILL, and the call goes on; 0: the command itself
 *   -d USEC    so long after the call has begun
 *   -s FD      where is printed what was seen, one "NAME TIMES" a line, when the last process of the command has ended
 *
 * The kernel asks a second process about each of these calls (seccomp's user notification), so the others run at full
 * speed and nothing is traced with ptrace. The command is this process itself, so its pid and its signals are the
 * command's. Calls of the dynamic linker are not counted: they are not the command's own. Nor are those that cannot
 * fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_MAX 64
#define LISTENER 3
#define REPORT 4

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

struct call {
	const char *name;
	int number;
	unsigned long times;
};

static struct {
	struct call calls[CALLS_MAX];
	size_t call_count;
	unsigned long nth, seen;
	int error, report, command;
	bool all_after, kills;
	pid_t victim;
	useconds_t delay;
} plan = { .report = STDERR_FILENO, .command = -1 };

/* What the command and the process beside it share until the command is executed. */
static volatile struct {
	int listener;
	bool is_ready;
} * shared;

static void fail(const char *what)
{
	perror(what);
	exit(125);
}

static void read_calls(char *text)
{
	for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
		int number = seccomp_syscall_resolve_name(name);

		if (number < 0 || plan.call_count == CALLS_MAX) {
			fprintf(stderr, "inject: no system call %s\n", name);
			exit(125);
		}
		plan.calls[plan.call_count++] = (struct call){ .name = name, .number = number };
	}
}

static void read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+n:e:ac:k:d:s:")) != -1) {
		switch (option) {
		case 'n': plan.nth = strtoul(optarg, NULL, 10); break;
		case 'e': plan.error = atoi(optarg); break;
		case 'a': plan.all_after = true; break;
		case 'c': plan.command = atoi(optarg); break;
		case 'k':
			plan.kills = true;
			plan.victim = atoi(optarg);
			break;
		case 'd': plan.delay = (useconds_t)atoi(optarg); break;
		case 's': plan.report = atoi(optarg); break;
		default: exit(125);
		}
	}
	if (argc - optind < 2) {
		fprintf(stderr, "usage: inject [OPTIONS] CALL[,CALL...] COMMAND [ARGUMENT...]\n");
		exit(125);
	}
	read_calls(argv[optind]);
}

/* The descriptor that the kernel asks on. */
static int install_filter(void)
{
	struct sock_filter code[CALLS_MAX + 3] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .len = (unsigned short)(plan.call_count + 3), .filter = code };
	size_t n = plan.call_count;
	long fd;

	for (size_t i = 0; i < n; i++)
		code[1 + i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)plan.calls[i].number, (unsigned char)(n - i), 0);
	code[1 + n] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[2 + n] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
	if (fd < 0)
		fail("inject: seccomp");
	return (int)fd;
}

/* Where the dynamic linker is in the process: known with its first call, which is the linker's. */
static bool is_of_linker(pid_t pid, unsigned long long address)
{
	static unsigned long long from, to;
	static bool is_known;
	char path[64], line[512];
	unsigned long long start, end;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = is_known ? NULL : fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/ld-linux") || sscanf(line, "%llx-%llx", &start, &end) != 2)
			continue;
		from = from ? from : start;
		to = end;
		is_known = true;
	}
	if (maps)
		fclose(maps);
	return address >= from && address < to;
}

/* What is written into an eventfd needs no room, so that does not fail. */
static bool cannot_fail(const struct seccomp_notif *asked)
{
	char path[64], to[64] = "";

	if (asked->data.nr != SYS_write)
		return false;
	snprintf(path, sizeof(path), "/proc/%u/fd/%llu", asked->pid, (unsigned long long)asked->data.args[0]);
	return readlink(path, to, sizeof(to) - 1) > 0 && strstr(to, "[eventfd]");
}

static bool is_the_one(const struct seccomp_notif *asked)
{
	if (plan.command >= 0 && (int)asked->data.args[0] != plan.command)
		return false;
	if (is_of_linker((pid_t)asked->pid, asked->data.instruction_pointer) || cannot_fail(asked))
		return false;
	for (size_t i = 0; i < plan.call_count; i++) {
		if (plan.calls[i].number == asked->data.nr)
			plan.calls[i].times++;
	}
	plan.seen++;
	return plan.nth && (plan.seen == plan.nth || (plan.all_after && plan.seen > plan.nth));
}

/*
 * A close(2) that fails has closed all the same. It cannot be made to do both, so its descriptor gets something else
 * that nobody waits for.
 */
static void close_too(int listener, const struct seccomp_notif *asked)
{
	struct seccomp_notif_addfd other = {
		.id = asked->id,
		.flags = SECCOMP_ADDFD_FLAG_SETFD,
		.srcfd = (unsigned int)open("/dev/null", O_RDWR | O_CLOEXEC),
		.newfd = (unsigned int)asked->data.args[0],
		.newfd_flags = O_CLOEXEC,
	};

	ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &other);
	close((int)other.srcfd);
}

static void answer(int listener, pid_t command)
{
	struct seccomp_notif asked = {};
	struct seccomp_notif_resp said = {};
	bool is_hit;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
		return;
	is_hit = is_the_one(&asked);
	said.id = asked.id;
	if (is_hit && !plan.kills && asked.data.nr == SYS_close)
		close_too(listener, &asked);
	if (is_hit && !plan.kills)
		said.error = -plan.error;
	else
		said.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (is_hit && plan.kills && !plan.delay)
		kill(plan.victim ? plan.victim : command, SIGKILL);
	/* It may have ended. */
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &said);
	if (is_hit && plan.kills && plan.delay) {
		usleep(plan.delay);
		kill(plan.victim ? plan.victim : command, SIGKILL);
	}
}

static void take_descriptors(pid_t command)
{
	int pidfd = (int)syscall(SYS_pidfd_open, command, 0), listener;

	while (!shared->listener)
		usleep(100);
	listener = (int)syscall(SYS_pidfd_getfd, pidfd, shared->listener, 0);
	if (listener < 0)
		fail("inject: pidfd_getfd");
	/* The report may be at the listener's place. */
	plan.report = fcntl(plan.report, F_DUPFD, 64);
	listener = fcntl(listener, F_DUPFD, 64);
	dup2(listener, LISTENER);
	dup2(plan.report, REPORT);
	/* Who reads the command's output must see its end. */
	close_range(REPORT + 1, ~0U, 0);
	close_range(0, LISTENER - 1, 0);
}

/* Ends with the last process that has the filter. */
static void supervise(pid_t command)
{
	struct pollfd listener = { .fd = LISTENER, .events = POLLIN };

	setsid();
	take_descriptors(command);
	shared->is_ready = true;
	for (;;) {
		if (poll(&listener, 1, -1) < 0)
			continue;
		if (listener.revents & POLLIN)
			answer(LISTENER, command);
		else if (listener.revents & (POLLHUP | POLLERR))
			break;
	}
	for (size_t i = 0; i < plan.call_count; i++)
		dprintf(REPORT, "%s %lu\n", plan.calls[i].name, plan.calls[i].times);
}

/* A grandchild, so that the command has no child that it does not know. */
static void start_supervisor(pid_t command)
{
	pid_t child = fork();

	if (child < 0)
		fail("inject: fork");
	if (!child) {
		child = fork();
		if (!child)
			supervise(command);
		_exit(child < 0 ? 125 : 0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	read_options(argc, argv);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("inject: mmap");
	start_supervisor(getpid());
	if (plan.report != STDERR_FILENO)
		fcntl(plan.report, F_SETFD, FD_CLOEXEC);
	shared->listener = install_filter();
	/* No call that is asked about, from here to the command. */
	while (!shared->is_ready)
		sched_yield();
	execvp(argv[optind + 1], argv + optind + 1);
	fail(argv[optind + 1]);
}
