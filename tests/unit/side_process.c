// SPDX-License-Identifier: BSD-2-Clause
/* Processes beside ours. */
#include "base/process/side_process.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Sends back what it gets, and writes it to the descriptor that came with it. */
static void echo(int fd)
{
	char text[8];
	int file;

	while (!side_receive(fd, text, sizeof(text), &file, 1)) {
		if (file >= 0) {
			(void)!write(file, text, sizeof(text));
			close(file);
		}
		side_send(fd, text, sizeof(text), NULL, 0);
	}
}

static struct side_process start(void (*run)(int fd))
{
	struct side_process side;

	cr_assert_eq(side_process_start(&side, "side", run), 0);
	return side;
}

Test(side_process, gets_bytes_and_descriptors)
{
	struct side_process side = start(echo);
	int file = memfd_create("test", MFD_CLOEXEC);
	char answer[8] = {};

	cr_assert_eq(side_send(side.fd, "12345678", 8, &file, 1), 0);
	cr_assert_eq(side_receive(side.fd, answer, 8, NULL, 0), 0);
	cr_expect_arr_eq(answer, "12345678", 8);
	cr_assert_eq(pread(file, answer, 8, 0), 8);
	cr_expect_arr_eq(answer, "12345678", 8);
	close(file);
	side_process_end(&side);
}

Test(side_process, gets_more_than_a_socket_holds)
{
	struct side_process side = start(echo);
	size_t size = 1 << 16;
	char *sent = malloc(size), *got = malloc(size);

	memset(sent, 'x', size);
	cr_assert_eq(side_send(side.fd, sent, size, NULL, 0), 0);
	cr_assert_eq(side_receive(side.fd, got, size, NULL, 0), 0);
	cr_expect_arr_eq(sent, got, size);
	free(sent);
	free(got);
	side_process_end(&side);
}

Test(side_process, is_told_by_its_socket_that_we_are_gone)
{
	struct side_process side = start(echo);

	side_process_end(&side); /* returns */
	cr_expect_eq(side.fd, -1);
}

static void report_self(int fd)
{
	char text[256] = {};
	FILE *file = fopen("/proc/self/cmdline", "r");

	(void)!fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	snprintf(text + 128, 64, "%d %d", getsid(0) == getpid(), access("/proc/self/fd/4", F_OK));
	side_send(fd, text, sizeof(text), NULL, 0);
}

Test(side_process, has_a_name_a_session_and_no_descriptors_of_ours)
{
	int other = dup(2);
	struct side_process side = start(report_self);
	char text[256];

	cr_assert_eq(side_receive(side.fd, text, sizeof(text), NULL, 0), 0);
	cr_expect_str_eq(text, "side");
	cr_expect_str_eq(text + 128, "1 -1");
	close(other);
	side_process_end(&side);
}

Test(side_process, ignores_signals)
{
	struct side_process side = start(echo);
	char answer[8];

	kill(side.pid, SIGTERM);
	kill(side.pid, SIGINT);
	kill(side.pid, SIGHUP);
	cr_assert_eq(side_send(side.fd, "12345678", 8, NULL, 0), 0);
	cr_expect_eq(side_receive(side.fd, answer, 8, NULL, 0), 0);
	side_process_end(&side);
}

Test(side_process, that_was_killed_is_an_error_and_no_signal)
{
	struct side_process side = start(echo);
	char answer[8];

	kill(side.pid, SIGKILL);
	cr_expect_eq(side_receive(side.fd, answer, 8, NULL, 0), -EPIPE);
	cr_expect_eq(side_send(side.fd, "12345678", 8, NULL, 0), -EPIPE);
	side_process_end(&side);
}

Test(side_process, says_that_there_was_no_room_for_a_descriptor)
{
	int pair[2], next = dup(0), file = -1;
	struct rlimit usual, few;
	char text[8] = {};

	close(next);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	cr_assert_eq(side_send(pair[0], "12345678", 8, &pair[0], 1), 0);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
	few = (struct rlimit){ (rlim_t)next + 2, usual.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	cr_expect_eq(side_receive(pair[1], text, 8, &file, 1), -EMFILE);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &usual), 0);
	cr_expect_arr_eq(text, "12345678", 8);
	cr_expect_eq(file, -1);
	close(pair[0]);
	close(pair[1]);
}
