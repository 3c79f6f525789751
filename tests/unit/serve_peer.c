// SPDX-License-Identifier: BSD-2-Clause
/* Who has connected, as long as it is there. */
#include "serve/http/peer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "target/selector.h"

/* A connection that a child has made, which waits to be ended. Returns our end. */
static int connected_by_child(pid_t *child)
{
	struct sockaddr_un none = { .sun_family = AF_UNIX }, address;
	socklen_t size = sizeof(address);
	int listening = socket(AF_UNIX, SOCK_STREAM, 0), theirs = socket(AF_UNIX, SOCK_STREAM, 0), ours;

	/* A name that the kernel chooses. */
	cr_assert(eq(int, bind(listening, (struct sockaddr *)&none, sizeof(none.sun_family)), 0));
	cr_assert(eq(int, listen(listening, 1), 0));
	getsockname(listening, (struct sockaddr *)&address, &size);
	*child = fork();
	if (!*child) {
		connect(theirs, (struct sockaddr *)&address, size);
		pause();
	}
	ours = accept(listening, NULL, NULL);
	close(listening);
	return ours;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

Test(serve_peer, who_has_connected_is_seen_as_long_as_it_is_there)
{
	struct peer peer;
	pid_t child;
	int fd = connected_by_child(&child);

	cr_assert(eq(int, peer_read(fd, &peer), 0));
	cr_expect(eq(u32, peer.uid, getuid()));
	cr_expect(eq(u32, peer.gid, getgid()));
	cr_expect(peer.is_seen);
	cr_expect(eq(u64, peer.pid_namespace, selector_pid_namespace(getpid())));
	end(child);
	cr_assert(eq(int, peer_read(fd, &peer), 0));
	cr_expect(not(peer.is_seen));
	cr_expect(eq(u32, peer.uid, getuid()));
	close(fd);
}

static const struct {
	uid_t uid, owner;
} users[] = {
	{ 99999, 99999 },   { 100000, 0 },	{ 165535, 0 },	    { 165536, 1234 },	  { 165545, 1234 },
	{ 165546, 165546 }, { 200000, 200000 }, { 200009, 200000 }, { 4294967294, 4321 }, { 0, 0 },
};

Test(serve_peer, subordinate_users_are_who_has_them)
{
	char path[] = "/tmp/erlbpf-subuid-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");

	fputs("root:100000:65536\n1234:165536:10\nno range\n:::\nno such user:200000:10\n4321:4294967290:100\n", file);
	fclose(file);
	for (size_t i = 0; i < sizeof(users) / sizeof(*users); i++)
		cr_expect(eq(u32, peer_owner_of(users[i].uid, path), users[i].owner), "%u", users[i].uid);
	unlink(path);
	cr_expect(eq(u32, peer_owner_of(100000, path), 100000));
}

Test(serve_peer, by_its_pid_it_must_be_of_the_same_user)
{
	int fd = peer_open_by_pid(getpid(), getuid());

	cr_expect(ge(int, fd, 0));
	close(fd);
	cr_expect(eq(int, peer_open_by_pid(getpid(), getuid() + 1), -ESRCH));
	cr_expect(lt(int, peer_open_by_pid(0x7fffffff, getuid()), 0));
}
