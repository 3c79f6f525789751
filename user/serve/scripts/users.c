// SPDX-License-Identifier: BSD-2-Clause
#include "serve/scripts/users.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/privileges.h"
#include "base/process/side_process.h"
#include "etf/port.h"
#include "etf/program.h"
#include "load/guardian/guardian.h"
#include "load/kernel/capabilities.h"
#include "load/kernel/kernel.h"
#include "serve/http/peer.h"
#include "serve/http/privileges.h"
#include "target/reader/reader.h"
#include "target/selector.h"

#define NAME "bpf-users"
#define BACKLOG 16
#define MOST_SESSIONS 8
#define MOST_OF_PERSON 2
#define RESERVED 4     /* for those who have none */
#define MOST_REFUSED 4 /* refusals at a time; more connections are just closed */
#define MOST_PROCESSES (MOST_SESSIONS + MOST_REFUSED)
#define LOOK_MS 500 /* interval of checking for ended sessions */
#define PATIENCE_S 30
#define MOST_MEMORY (192UL << 20)

struct users {
	struct side_process side;
};

/* A connection that is served. */
struct served {
	pid_t pid; /* 0: none */
	uint64_t person;
	bool is_refused;
};

/* The process that forks them. */
struct door {
	int agent, listening;
	int life[2]; /* a pipe whose writing end is the door's alone: its end is that of all sessions */
	struct served served[MOST_PROCESSES];
};

/* What the child processes inherit. */
static bool without_filter;
static char *path; /* of the socket: a copy, as those of the command line are gone in a side process */

/* --- In the process of one user ----------------------------------------------------------------------------- */

static void limit(void)
{
	struct rlimit none = { 0, 0 };

	side_process_limit(MOST_MEMORY);
	setrlimit(RLIMIT_CORE, &none);
}

/*
 * The guardian is forked before: it keeps the agent's user, so that the user cannot kill the process that removes
 * probes. The reader is forked after: it reads only what the user may.
 */
static const char *give_up(const struct peer *peer, const struct kernel *kernel)
{
	int err = guardian_start();

	if (!err)
		err = privileges_become(peer->uid, peer->gid);
	if (!err)
		err = privileges_keep(privileges_of_users(kernel));
	if (err)
		return "the agent cannot act as this user";
	reader_forget();
	reader_start();
	limit();
	return privileges_drop(kernel, without_filter ? FILTER_NONE : FILTER_PROFILE)
		       ? "the agent cannot give up its rights"
		       : NULL;
}

/* A user of a container sees only nodes of the container: the same number is another user outside. */
static struct target_selector nodes_of(const struct peer *peer)
{
	uint64_t theirs = peer->pid_namespace;
	bool is_ours = theirs == selector_pid_namespace(getpid());

	return (struct target_selector){ .pid_namespace = is_ours ? 0 : theirs ? theirs : 1 };
}

static _Noreturn void be_user(struct door *door, int fd, const struct peer *peer, const char *refusal)
{
	struct target_selector select = nodes_of(peer);
	struct kernel kernel;
	const struct etf_confinement confined = { .select = &select, .kernel = &kernel };
	struct etf_port port = {
		.in = fd, .out = fd, .confined = &confined, .refusal = refusal, .life = door->life[0]
	};
	sigset_t none;
	const char *lacks;

	close(door->agent);
	close(door->listening);
	close(door->life[1]);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	kernel_detect(&kernel);
	lacks = give_up(peer, &kernel);
	if (lacks)
		port.refusal = lacks;
	exit(etf_serve(&port));
}

/* --- In the process that forks them -------------------------------------------------------------------------- */

static void reap(struct door *door)
{
	for (size_t i = 0; i < MOST_PROCESSES; i++) {
		pid_t pid = door->served[i].pid;

		if (pid && waitpid(pid, NULL, WNOHANG) == pid)
			door->served[i].pid = 0;
	}
}

static size_t count(const struct door *door, const uint64_t *person, bool are_refused)
{
	size_t n = 0;

	for (size_t i = 0; i < MOST_PROCESSES; i++) {
		const struct served *served = &door->served[i];

		n += served->pid && served->is_refused == are_refused && (!person || served->person == *person);
	}
	return n;
}

/* NULL: accepted. */
static const char *refuse(const struct door *door, const struct peer *peer)
{
	size_t own = count(door, &peer->person, false), all = count(door, NULL, false);

	if (!peer->is_seen)
		return "the process that has connected has ended, or is not to be seen by the agent";
	if (peer->uid == 0)
		return "root does not need the agent: run erlbpf itself";
	if (own >= MOST_OF_PERSON)
		return "this user has two D programs at the agent already";
	if (all >= MOST_SESSIONS)
		return "eight D programs of users run at the agent already";
	if (own && all >= MOST_SESSIONS - RESERVED)
		return "this user has a D program at the agent already, and what is left is for users who have none";
	return NULL;
}

static struct served *find_room(struct door *door)
{
	for (size_t i = 0; i < MOST_PROCESSES; i++) {
		if (!door->served[i].pid)
			return &door->served[i];
	}
	return NULL;
}

static void serve(struct door *door, int fd, const struct peer *peer)
{
	const char *refusal = refuse(door, peer);
	struct served *served = refusal && count(door, NULL, true) >= MOST_REFUSED ? NULL : find_room(door);
	pid_t pid = served ? fork() : -1;

	if (!pid)
		be_user(door, fd, peer, refusal);
	if (pid > 0)
		*served = (struct served){ .pid = pid, .person = peer->person, .is_refused = refusal };
}

static void take(struct door *door)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	struct peer peer;
	int fd = accept4(door->listening, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	/* A client that does not read ends its session. */
	if (!peer_read(fd, &peer) && !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)))
		serve(door, fd, &peer);
	close(fd);
}

static void keep_door(struct door *door)
{
	struct pollfd ends[] = { { .fd = door->agent, .events = POLLIN }, { .fd = door->listening, .events = POLLIN } };

	for (;;) {
		int n = poll(ends, 2, count(door, NULL, false) || count(door, NULL, true) ? LOOK_MS : -1);

		reap(door);
		/* The agent sends nothing: readable means that it has ended. */
		if (n > 0 && ends[0].revents)
			return;
		if (n > 0 && ends[1].revents)
			take(door);
	}
}

/* Its directory belongs to root. */
static void remove_socket(void)
{
	(void)!setresuid(-1, 0, -1);
	unlink(path);
}

static void run(int fd)
{
	struct door door = { .agent = fd, .listening = -1 };
	bool is_open;
	char word;
	struct kernel kernel;

	reader_forget();
	kernel_detect(&kernel);
	privileges_leave_root();
	if (privileges_keep(capabilities_to_attach(&kernel) | PRIVILEGE(CAP_SETUID) | PRIVILEGE(CAP_SETGID)))
		return;
	is_open = !pipe2(door.life, O_CLOEXEC) && !side_receive(fd, &word, sizeof(word), &door.listening, 1);
	if (is_open && door.listening >= 0)
		keep_door(&door);
	remove_socket();
}

/* --- In the agent ---------------------------------------------------------------------------------------------- */

/* True if it is a socket without a listener. */
static bool is_left_over(int fd, const struct sockaddr_un *address)
{
	struct stat file;

	return !lstat(address->sun_path, &file) && S_ISSOCK(file.st_mode) &&
	       connect(fd, (const struct sockaddr *)address, sizeof(*address)) && errno == ECONNREFUSED;
}

/* Every local user may connect; access depends on the user. */
static int listen_at(int fd, const struct sockaddr_un *address)
{
	if (is_left_over(fd, address))
		unlink(address->sun_path);
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) || chmod(address->sun_path, 0666) ||
	    listen(fd, BACKLOG))
		return -errno;
	return 0;
}

/* A descriptor or -errno. */
static int open_door(void)
{
	struct sockaddr_un address;
	int err = relay_address(path, &address), fd;

	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	err = fd < 0 ? -errno : listen_at(fd, &address);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

static bool may_become_others(void)
{
	uint64_t both = PRIVILEGE(CAP_SETUID) | PRIVILEGE(CAP_SETGID);

	return (privileges_held() & both) == both;
}

static int start(struct users *users)
{
	int listening = open_door(), err;

	if (listening < 0)
		return listening;
	err = side_process_start(&users->side, NAME, run);
	if (!err) {
		err = side_send(users->side.fd, "l", 1, &listening, 1);
		if (err)
			side_process_end(&users->side);
	}
	close(listening);
	if (err)
		unlink(path);
	return err;
}

struct users *users_new(const char *at, bool no_filter)
{
	struct users *users;
	int err;

	if (!may_become_others()) {
		pr_err("--d-socket needs the capabilities SETUID and SETGID: sessions run as those who connect");
		return NULL;
	}
	users = calloc(1, sizeof(*users));
	path = strdup(at);
	without_filter = no_filter;
	err = users && path ? start(users) : -ENOMEM;
	if (!err)
		return users;
	pr_err("cannot listen at %s: %s", at, strerror(-err));
	free(path);
	free(users);
	return NULL;
}

void users_free(struct users *users)
{
	if (!users)
		return;
	side_process_end(&users->side);
	free(path);
	free(users);
}
