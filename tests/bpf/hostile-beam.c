// SPDX-License-Identifier: BSD-2-Clause
/*
 * A fake BEAM (fake-beam.c) whose memory is made to harm the one who reads it:
 *
 *   memory  the name of its node is on a page that never comes (userfaultfd)
 *   atoms   a table of ten million atoms, none of which can be read
 *   cycle   a table of ten million atoms that are all one
 *
 * It says "ready PID" and waits for the end of its input.
 */
#define main fake_main
#include "fake-beam.c"
#undef main

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define ATOMS 10000000
#define PAGE_ATOMS 1024
#define PAGE 4096UL

/* IndexTable and Atom of OTP 25 (user/node/atoms/atoms.c). */
struct index_table {
	char unused[116];
	int entries;
	void *pages;
} erts_atom_table __attribute__((used));

struct atom {
	char unused[24];
	short length;
	char *bytes;
};

const char *erts_this_node_sysname __attribute__((used)) = "hostile@nohost";

/* A table of processes with one place, so that names are looked for (user/node/atoms/pids.c). */
static unsigned long processes[1 << 18];

/* Pages that were there are dropped, and never come again. */
static int hold_back(void *start, unsigned long size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (unsigned long)start, size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range) ||
	    madvise(start, size, MADV_DONTNEED)) {
		printf("cannot %s\n", strerror(errno));
		return -1;
	}
	return 0;
}

static int hold_back_name(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	strcpy(page, "hostile@nohost");
	erts_this_node_sysname = page;
	return hold_back(page, PAGE);
}

static int make_atoms(int is_cycle)
{
	static struct atom atom = { .length = 1020 };
	static char bytes[1020];
	unsigned long *page = calloc(PAGE_ATOMS, 8), **pages = calloc(ATOMS / PAGE_ATOMS + 1, 8);

	memset(bytes, 'a', sizeof(bytes));
	atom.bytes = bytes;
	for (int i = 0; i < PAGE_ATOMS; i++)
		page[i] = is_cycle ? (unsigned long)&atom : 0xdead0000UL + i * 64;
	for (int i = 0; i <= ATOMS / PAGE_ATOMS; i++)
		pages[i] = page;
	erts_atom_table.entries = ATOMS;
	erts_atom_table.pages = pages;
	return 0;
}

static int prepare(const char *how)
{
	return !strcmp(how, "memory") ? hold_back_name() : make_atoms(!strcmp(how, "cycle"));
}

int main(int argc, char **argv)
{
	unsigned long *table = (void *)&erts_proc[192 / 4];

	*table = (unsigned long)processes;
	erts_proc[208 / 4] = sizeof(processes) / sizeof(*processes);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (prepare(argc > 1 ? argv[1] : ""))
		return 1;
	printf("ready %d\n", getpid());
	while (getchar() != EOF)
		;
	return 0;
}
