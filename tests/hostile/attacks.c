// SPDX-License-Identifier: BSD-2-Clause
/*
 * What an intruder does who has taken over a process of ours:
 *
 *   attacks NAME ROLE TARGET
 *
 * ROLE is one of base/process/privileges.h, or "none": without a filter each attack works. TARGET is a pid or a path.
 * Exits with 0 if all of its calls worked.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/process/privileges.h"

/* What a process may have from before. */
static int pidfd = -1;

/* --- Signals: to a pid ------------------------------------------------------------------------------------------ */

/* The kernel sends them when a descriptor is ready. */
static int by_descriptor(const char *target)
{
	int ends[2];

	return pipe2(ends, 0) || fcntl(ends[0], F_SETOWN, atoi(target)) || fcntl(ends[0], F_SETSIG, SIGKILL) ||
	       fcntl(ends[0], F_SETFL, O_ASYNC) || write(ends[1], "", 1) != 1;
}

/* The same, asked for by ioctl(2). */
static int by_request(const char *target)
{
	int pair[2], owner = atoi(target), on = 1;

	return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || ioctl(pair[0], FIOSETOWN, &owner) ||
	       fcntl(pair[0], F_SETSIG, SIGKILL) || ioctl(pair[0], FIOASYNC, &on) || write(pair[1], "", 1) != 1;
}

static int by_pidfd(const char *target)
{
	int fd = (int)syscall(SYS_pidfd_open, atoi(target), 0);

	return (int)syscall(SYS_pidfd_send_signal, fd < 0 ? pidfd : fd, SIGKILL, NULL, 0);
}

static int by_kill(const char *target)
{
	return kill(atoi(target), SIGKILL);
}

static int by_thread(const char *target)
{
	return (int)syscall(SYS_tgkill, atoi(target), atoi(target), SIGKILL);
}

static int by_queue(const char *target)
{
	siginfo_t info = { .si_signo = SIGKILL, .si_code = SI_QUEUE };

	return (int)syscall(SYS_rt_sigqueueinfo, atoi(target), SIGKILL, &info);
}

static int by_thread_queue(const char *target)
{
	siginfo_t info = { .si_signo = SIGKILL, .si_code = SI_QUEUE };

	return (int)syscall(SYS_rt_tgsigqueueinfo, atoi(target), atoi(target), SIGKILL, &info);
}

/* --- Descriptors: to a path ------------------------------------------------------------------------------------- */

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	return address;
}

/* With our standard input. */
static void fill(struct msghdr *message, struct sockaddr_un *to, union control *control)
{
	static char byte;
	static struct iovec part = { &byte, 1 };
	int fd = STDIN_FILENO;

	control->header = (struct cmsghdr){ CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(&control->header), &fd, sizeof(fd));
	*message = (struct msghdr){ to, sizeof(*to), &part, 1, control, sizeof(*control), 0 };
}

static int by_pair(const char *target)
{
	struct sockaddr_un to = address_of(target);
	union control control = {};
	struct msghdr message;
	int pair[2];

	fill(&message, &to, &control);
	return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) || sendmsg(pair[0], &message, 0) < 0;
}

static int by_many(const char *target)
{
	struct sockaddr_un to = address_of(target);
	union control control = {};
	struct mmsghdr messages[1] = {};

	fill(&messages[0].msg_hdr, &to, &control);
	return sendmmsg(socket(AF_UNIX, SOCK_DGRAM, 0), messages, 1, 0) != 1;
}

/* To who does for root what he is told. */
static int by_call(const char *target)
{
	struct sockaddr_un to = address_of(target);

	return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof(to));
}

/* --- Others ----------------------------------------------------------------------------------------------------- */

static int by_memory(const char *target)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", atoi(target));
	return open(path, O_RDWR) < 0;
}

static int by_theft(const char *target)
{
	int fd = (int)syscall(SYS_pidfd_open, atoi(target), 0);

	return syscall(SYS_pidfd_getfd, fd < 0 ? pidfd : fd, 0, 0) < 0;
}

static int by_limit(const char *target)
{
	static const struct rlimit none;

	return prlimit(atoi(target), RLIMIT_FSIZE, &none, NULL);
}

static int by_priority(const char *target)
{
	return setpriority(PRIO_PROCESS, (id_t)atoi(target), 19);
}

/* What a user seems to have typed. The terminal is our own here. */
static int by_typing(const char *target)
{
	int fd = open("/dev/ptmx", O_RDONLY | O_NOCTTY);

	(void)target;
	return ioctl(fd, TIOCSTI, "x");
}

static int by_namespace(const char *target)
{
	(void)target;
	return unshare(CLONE_NEWNS);
}

#ifdef __x86_64__
static const unsigned char code[] = { 0xc3 }; /* ret */
#else
static const unsigned char code[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#endif

static int run(void *at)
{
	void (*function)(void);

	if (at == MAP_FAILED)
		return 1;
	memcpy(&function, &at, sizeof(at));
	__builtin___clear_cache(at, (char *)at + sizeof(code));
	function();
	return 0;
}

static int by_code(const char *target)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)target;
	if (at != MAP_FAILED)
		memcpy(at, code, sizeof(code));
	return run(at);
}

static int by_changed_code(const char *target)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)target;
	memcpy(at, code, sizeof(code));
	return mprotect(at, 4096, PROT_READ | PROT_EXEC) ? 1 : run(at);
}

static int by_code_in_file(const char *target)
{
	int fd = memfd_create("code", 0);

	(void)target;
	if (write(fd, code, sizeof(code)) != sizeof(code))
		return 1;
	return run(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0));
}

static const struct {
	const char *name;
	int (*make)(const char *target);
} attacks[] = {
	{ "signal-by-descriptor", by_descriptor },
	{ "signal-by-request", by_request },
	{ "signal-by-pidfd", by_pidfd },
	{ "signal-by-kill", by_kill },
	{ "signal-by-thread", by_thread },
	{ "signal-by-queue", by_queue },
	{ "signal-by-thread-queue", by_thread_queue },
	{ "descriptor-by-pair", by_pair },
	{ "descriptor-by-many", by_many },
	{ "call", by_call },
	{ "memory", by_memory },
	{ "theft", by_theft },
	{ "limit", by_limit },
	{ "priority", by_priority },
	{ "typing", by_typing },
	{ "namespace", by_namespace },
	{ "code", by_code },
	{ "changed-code", by_changed_code },
	{ "code-in-file", by_code_in_file },
};

static int take_role(const char *name)
{
	for (int role = 0; role < ROLES; role++) {
		if (!strcmp(privileges_role_name((enum privileges_role)role), name))
			return privileges_filter((enum privileges_role)role);
	}
	return strcmp(name, "none") != 0;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	pidfd = (int)syscall(SYS_pidfd_open, atoi(argv[3]), 0);
	if (take_role(argv[2]))
		return 2;
	for (size_t i = 0; i < sizeof(attacks) / sizeof(*attacks); i++) {
		if (!strcmp(attacks[i].name, argv[1]))
			return attacks[i].make(argv[3]) ? 1 : 0;
	}
	return 2;
}
