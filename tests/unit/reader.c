// SPDX-License-Identifier: BSD-2-Clause
/* Memory and files, read through another process. */
#include "target/reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "elf_builder.h"
#include "target/reader/procfs.h"
#include "target/reader/quarantine.h"
#include "target/reader/reader_protocol.h"

Test(reader, memory_is_read)
{
	char text[] = "what is there", copy[sizeof(text)] = "";

	cr_expect(eq(int, procfs_memory(getpid(), (uint64_t)(uintptr_t)text, copy, sizeof(copy)), 0));
	expect_text(copy, text);
	cr_expect(eq(int, procfs_memory(getpid(), 16, copy, sizeof(copy)), -EFAULT));
	cr_expect(eq(int, procfs_memory(0x3ffffff, 4096, copy, sizeof(copy)), -EFAULT));
}

Test(reader, what_cannot_be_read_spoils_nothing_else)
{
	uint64_t words[2000], copies[2000] = {};
	struct procfs_piece pieces[2000];

	for (size_t i = 0; i < COUNT(words); i++) {
		words[i] = i + 1;
		pieces[i] = (struct procfs_piece){
			.address = i % 7 ? (uint64_t)(uintptr_t)&words[i] : 0xdead0000,
			.to = &copies[i],
			.size = sizeof(copies[i]),
		};
	}
	procfs_pieces(getpid(), pieces, COUNT(pieces));
	for (size_t i = 0; i < COUNT(words); i++) {
		cr_assert(eq(int, pieces[i].is_read, i % 7 != 0), "%zu", i);
		cr_assert(eq(u64, copies[i], i % 7 ? i + 1 : 0), "%zu", i);
	}
}

/* They are read as one range. */
Test(reader, places_without_an_address_are_not_what_a_process_is_to_blame_for)
{
	uint64_t word = 1, copies[1000];
	struct procfs_piece pieces[1000];

	for (size_t i = 0; i < COUNT(pieces); i++)
		pieces[i] = (struct procfs_piece){
			.address = i % 2 ? (uint64_t)(uintptr_t)&word : 0,
			.to = &copies[i],
			.size = sizeof(copies[i]),
		};
	reader_hurry();
	for (int times = 0; times < 100; times++)
		procfs_pieces(getpid(), pieces, COUNT(pieces));
	for (size_t i = 0; i < COUNT(pieces); i++)
		cr_assert(eq(int, pieces[i].is_read, i % 2), "%zu", i);
	cr_expect(not(quarantine_holds(getpid())));
}

Test(reader, pieces_that_are_close_to_each_other_are_read_each_for_itself)
{
	enum { PAGES = 9, SIZE = 700, STRIDE = 800 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), count = PAGES * page / STRIDE;
	unsigned char *from = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static unsigned char to[64][SIZE];
	struct procfs_piece pieces[64];

	cr_assert(count <= COUNT(pieces) && from != MAP_FAILED);
	for (size_t i = 0; i < PAGES * page; i++)
		from[i] = (unsigned char)(i * 31 >> 3);
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ (uintptr_t)from + i * STRIDE, to[i], SIZE, false };
	munmap(from + 4 * page, page);
	procfs_pieces(getpid(), pieces, count);
	for (size_t i = 0; i < count; i++) {
		bool is_there = i * STRIDE + SIZE <= 4 * page || i * STRIDE >= 5 * page;

		cr_expect(eq(int, pieces[i].is_read, is_there), "%zu", i);
		if (is_there)
			cr_expect(eq(int, memcmp(to[i], from + i * STRIDE, SIZE), 0), "%zu", i);
	}
	munmap(from, PAGES * page);
}

Test(reader, a_piece_may_be_larger_than_what_is_shared)
{
	size_t size = 5 << 20;
	unsigned char *from = malloc(size), *to = calloc(1, size);

	for (size_t i = 0; i < size; i++)
		from[i] = (unsigned char)(i * 31);
	cr_expect(eq(int, procfs_memory(getpid(), (uint64_t)(uintptr_t)from, to, size), 0));
	cr_expect(eq(int, memcmp(from, to, size), 0));
	free(from);
	free(to);
}

Test(reader, files_of_a_process_are_read_and_identified)
{
	struct reader_identity exe, again;
	struct stat st;
	char text[64];
	int fd;

	cr_expect(gt(long, (long)reader_file(getpid(), "comm", 0, text, sizeof(text)), 0));
	cr_expect(eq(long, (long)reader_file(getpid(), "nothing", 0, text, sizeof(text)), -ENOENT));
	cr_assert(eq(int, stat("/proc/self/exe", &st), 0));
	cr_assert(eq(int, reader_identify(getpid(), "exe", &exe), 0));
	cr_expect(eq(u64, exe.inode, st.st_ino));
	fd = reader_open(getpid(), "exe", &again);
	cr_assert(ge(int, fd, 0));
	cr_expect(reader_is_same(&exe, &again));
	cr_assert(eq(int, fstat(fd, &st), 0));
	cr_expect(eq(u64, exe.inode, st.st_ino));
	cr_expect(eq(int, fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY));
	close(fd);
}

Test(reader, an_image_is_made_of_an_executable)
{
	static const char *const has[] = { "reader_make_image", NULL }, *const lacks[] = { "enif_send_not", NULL };
	struct reader_identity exe;
	struct reader_image made;
	uint64_t offset;

	cr_assert(eq(int, reader_identify(getpid(), "exe", &exe), 0));
	cr_expect(eq(u32, exe.user, geteuid()));
	cr_expect(eq(int, reader_make_image(getpid(), "exe", &exe, lacks, &made), -ENOEXEC));
	expect_text(made.why, "it lacks the required symbols");
	cr_assert(eq(int, reader_make_image(getpid(), "exe", &exe, has, &made), 0), "%s", made.why);
	cr_expect(eq(int, image_code_offset(made.image, image_symbol(made.image, has[0])->address, &offset), 0));
	image_free(made.image);
	close(made.fd);
}

Test(reader, an_image_of_an_open_file_reads_what_it_needs)
{
	static const struct elf_symbol functions[] = { { .name = "apple", .address = ELF_CODE } };
	static const struct elf_spec spec = { .dynamic = functions, .dynamic_count = 1 };
	struct image_section section;
	struct reader_image made;
	struct elf_made file;
	unsigned char byte;
	int fd;

	elf_build(&spec, &file);
	fd = elf_write(file.bytes, file.size);
	cr_assert(eq(int, reader_make_image_of(getpid(), fd, &made), 0));
	cr_expect(eq(int, image_read(made.image, ELF_NOP, &byte, 1), 0));
	cr_expect(eq(int, byte, 0x90));
	cr_expect(eq(int, image_section(made.image, ".text", 4096, &section), 0));
	cr_expect(eq(int, memcmp(section.data, file.bytes + ELF_CODE_OFFSET, ELF_CODE_SIZE), 0));
	image_free(made.image);
	close(fd);
	elf_free(&file);
}

Test(reader, a_name_that_is_too_long_is_not_cut)
{
	const char *there = "/proc/self/comm";
	char name[READER_PATH + 32], byte;

	memset(name, '/', sizeof(name));
	memcpy(name, "root", 4);
	memcpy(name + READER_PATH - 1 - strlen(there), there, strlen(there));
	strcpy(name + READER_PATH - 1, "-and-more");
	cr_expect(eq(long, (long)reader_file(getpid(), name, 0, &byte, 1), -ENAMETOOLONG));
	cr_expect(eq(int, reader_open(getpid(), name, &(struct reader_identity){}), -ENAMETOOLONG));
}

Test(reader, what_cannot_be_read_is_no_fault_of_the_process)
{
	char byte = 1, copy = 0;

	cr_expect(eq(long, (long)reader_file(getpid(), "mem", 4096, &copy, 1), -EIO));
	cr_expect(not(quarantine_holds(getpid())));
	cr_expect(eq(int, procfs_memory(getpid(), (uint64_t)(uintptr_t)&byte, &copy, 1), 0));
}

static void expect_one(void *count, const struct quarantined *process)
{
	expect_text(process->why, "for a test");
	++*(size_t *)count;
}

Test(reader, who_is_in_quarantine_is_not_read)
{
	char byte = 1, copy = 0;
	pid_t pid = getpid();
	size_t count = 0;

	cr_expect(not(quarantine_holds(pid)));
	quarantine_add(pid, "for a test");
	cr_expect(quarantine_holds(pid));
	cr_expect(eq(int, procfs_memory(pid, (uint64_t)(uintptr_t)&byte, &copy, 1), -ETIMEDOUT));
	quarantine_each(expect_one, &count);
	cr_expect(eq(sz, count, 1));
	cr_expect(eq(u64, quarantine_total(), 1));
}

Test(reader, what_a_process_holds_up_within_a_second_is_limited)
{
	quarantine_charge(getpid(), 400000000, 19999);
	cr_expect(not(quarantine_holds(getpid())));
	quarantine_charge(getppid(), 600000000, 0);
	cr_expect(quarantine_holds(getppid()));
	quarantine_charge(1, 1000, 20001);
	cr_expect(quarantine_holds(1));
}

/* A process whose root is a folder of the test, as that of a container is. */
struct contained {
	pid_t pid;
	char root[64];
};

static void in_root(const struct contained *c, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", c->root, name);
}

static struct contained contain(void)
{
	struct contained c = { .root = "/tmp/erlbpf-reader.XXXXXX" };
	char path[128], large[4096];
	int ready[2], fd;

	cr_assert(ne(ptr, mkdtemp(c.root), NULL));
	in_root(&c, "name", path);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	memset(large, 'a', sizeof(large));
	cr_assert(eq(long, (long)write(fd, large, sizeof(large)), (long)sizeof(large)));
	close(fd);
	in_root(&c, "out", path);
	cr_assert(eq(int, symlink("../../../../../../etc/hostname", path), 0));
	in_root(&c, "fifo", path);
	cr_assert(eq(int, mkfifo(path, 0644), 0));
	in_root(&c, "zero", path);
	cr_assert(eq(int, mknod(path, S_IFCHR | 0644, makedev(1, 5)), 0));
	cr_assert(eq(int, pipe(ready), 0));
	c.pid = fork();
	if (!c.pid) {
		if (!chroot(c.root) && !chdir("/"))
			(void)!write(ready[1], "", 1);
		pause();
		_exit(0);
	}
	cr_assert(eq(long, (long)read(ready[0], path, 1), 1));
	return c;
}

static void release(const struct contained *c)
{
	static const char *const names[] = { "name", "out", "fifo", "zero" };
	char path[128];

	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	for (size_t i = 0; i < COUNT(names); i++) {
		in_root(c, names[i], path);
		unlink(path);
	}
	rmdir(c->root);
}

Test(reader, files_in_the_root_of_a_process_are_regular_and_lead_nowhere_else)
{
	char text[64];
	struct contained c;

	if (geteuid() != 0)
		cr_skip_test("needs root");
	c = contain();
	cr_expect(eq(long, (long)reader_file(c.pid, "root/name", 0, text, sizeof(text)), (long)sizeof(text)));
	cr_expect(eq(int, text[0], 'a'));
	cr_expect(eq(long, (long)reader_file(c.pid, "root/out", 0, text, sizeof(text)), -ENOENT));
	cr_expect(eq(long, (long)reader_file(c.pid, "root/fifo", 0, text, sizeof(text)), -EINVAL));
	cr_expect(eq(long, (long)reader_file(c.pid, "root/zero", 0, text, sizeof(text)), -EINVAL));
	release(&c);
}
