// SPDX-License-Identifier: BSD-2-Clause
/* A file of another tree, whatever its links say. */
#include "base/io/open_in_root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"

static char outside[32], root[48];

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	cr_assert(eq(sz, (size_t)write(fd, text, strlen(text)), strlen(text)));
	close(fd);
}

static void make_tree(void)
{
	static const struct {
		const char *to, *name;
	} links[] = {
		{ "/run", "var/run" },
		{ "../run/deep", "run/up" },
		{ "../../../../run/deep", "run/far-up" },
		{ "/secret", "run/out" },
		{ "../../secret", "run/up-out" },
		{ "loop", "run/loop" },
		{ "/proc/self/fd/0", "run/magic" },
		{ "deep/..", "run/here" },
	};

	snprintf(outside, sizeof(outside), "/tmp/within-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(outside), NULL));
	snprintf(root, sizeof(root), "%s/root", outside);
	cr_assert(eq(int, mkdir(root, 0700), 0));
	cr_assert(eq(int, chdir(root), 0));
	write_text("../secret", "secret");
	mkdir("var", 0700);
	mkdir("run", 0700);
	mkdir("run/deep", 0700);
	write_text("run/deep/name", "shop");
	mkfifo("run/fifo", 0600);
	for (size_t i = 0; i < COUNT(links); i++)
		cr_assert(eq(int, symlink(links[i].to, links[i].name), 0));
}

static void remove_tree(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", outside);
	cr_assert(eq(int, system(command), 0));
}

TestSuite(within, .init = make_tree, .fini = remove_tree);

Test(within, links_are_followed_as_in_the_tree)
{
	static const char *const paths[] = {
		"run/deep/name",    "/run/deep/name",	"var/run/deep/name",  "run/up/name",	      "run/far-up/name",
		"../run/deep/name", "run//./deep/name", "run/here/deep/name", "var/../run/deep/name",
	};

	for (size_t i = 0; i < COUNT(paths); i++) {
		int fd = open_in_root(root, paths[i]);
		char text[8] = {};

		cr_assert(ge(int, fd, 0), "%s: %s", paths[i], strerror(errno));
		cr_expect(eq(sz, (size_t)read(fd, text, sizeof(text)), 4));
		expect_text(text, "shop");
		close(fd);
	}
}

Test(within, nothing_leads_out_of_it)
{
	static const struct {
		const char *path;
		int error;
	} paths[] = {
		{ "run/out", ENOENT }, { "run/up-out", ENOENT }, { "run/magic", ENOENT },
		{ "run/loop", ELOOP }, { "../secret", ENOENT },	 { "run/deep", ENOENT },
		{ "", ENOENT },	       { "run/none", ENOENT },	 { "run/deep/name/x", ENOENT },
	};

	for (size_t i = 0; i < COUNT(paths); i++) {
		errno = 0;
		cr_expect(eq(int, open_in_root(root, paths[i].path), -1), "%s", paths[i].path);
		cr_expect(eq(int, errno, paths[i].error), "%s: %s", paths[i].path, strerror(errno));
	}
}

Test(within, only_a_file_is_opened)
{
	static const char *const paths[] = { "run/fifo", "run/socket", "run/device" };
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "run/socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert(eq(int, bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0));
	close(fd);
	if (mknod("run/device", S_IFCHR | 0600, makedev(1, 3)))
		cr_skip_test("devices can be made by root only");
	for (size_t i = 0; i < COUNT(paths); i++) {
		errno = 0;
		cr_expect(eq(int, open_in_root(root, paths[i]), -1), "%s", paths[i]);
		cr_expect(eq(int, errno, EINVAL), "%s: %s", paths[i], strerror(errno));
	}
}

Test(within, a_path_that_is_too_long_is_not_cut)
{
	char path[PATH_MAX + 32];

	memset(path, '/', sizeof(path));
	memcpy(path + PATH_MAX - 1 - strlen("run/deep/name"), "run/deep/name-and-more",
	       sizeof("run/deep/name-and-more"));
	cr_expect(eq(int, open_in_root(root, path), -1));
	cr_expect(eq(int, errno, ENAMETOOLONG), "%s", strerror(errno));
}
