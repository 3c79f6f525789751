// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any texts as what /proc says of a process: the input, at bytes 0xff cut into files, of which the last is the rest.
 * From them come the name of the node, its release, its container and where it is mapped. The executable is a VM that
 * says nothing of itself.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "fuzz.h"
#include "target/reader/proc_stat.h"
#include "target/reader/procfs.h"
#include "target/reader/reader.h"
#include "target/target.h"

static const char *const files[] = { "cmdline", "environ", "cgroup", "maps", "stat", "status", "auxv" };

#define FILES (sizeof(files) / sizeof(*files))

static struct {
	const uint8_t *at;
	size_t size;
} contents[FILES];

static struct vm vm;

int __wrap_open(const char *path, int flags, ...);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__real_fopen(const char *path, const char *mode);

/* The file's number, FILES if it is none of these. */
static size_t file_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t i = 0;

	while (i < FILES && (strcmp(name, files[i]) || !contents[i].at))
		i++;
	return i;
}

/* In place of those of the C library. */
int __wrap_open(const char *path, int flags, ...)
{
	size_t i = file_of(path);
	int fd;

	(void)flags;
	errno = ENOENT;
	if (i == FILES)
		return -1;
	fd = memfd_create("file", MFD_CLOEXEC);
	if (fd < 0 || write(fd, contents[i].at, contents[i].size) != (ssize_t)contents[i].size ||
	    lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	bool is_ours = strncmp(path, "/proc/", 6) != 0; /* the fuzzer's */
	int fd = is_ours ? -1 : __wrap_open(path, O_RDONLY);

	if (is_ours)
		return __real_fopen(path, mode);
	return fd < 0 ? NULL : fdopen(fd, mode);
}

/* In place of reader.c. */
ssize_t reader_file(pid_t pid, const char *name, uint64_t offset, void *buf, size_t room)
{
	size_t i = file_of(name), left;

	(void)pid;
	if (i == FILES)
		return -ENOENT;
	left = offset < contents[i].size ? contents[i].size - offset : 0;
	left = left < room ? left : room;
	memcpy(buf, contents[i].at + (offset < contents[i].size ? offset : 0), left);
	return (ssize_t)left;
}

int reader_memory(pid_t pid, struct procfs_piece *pieces, size_t count)
{
	(void)pid;
	for (size_t i = 0; i < count; i++)
		pieces[i].is_read = false;
	return -EFAULT;
}

/* In place of vm.c. */
int vm_get(pid_t pid, struct vm **found, const char **why)
{
	(void)pid;
	(void)why;
	vm = (struct vm){};
	*found = &vm;
	return 0;
}

void vm_put(struct vm *given)
{
	(void)given;
}

/* In place of image.c. */
const struct image_symbol *image_symbol(const struct image *image, const char *name)
{
	(void)image;
	(void)name;
	return NULL;
}

const struct image_symbol *image_symbols(const struct image *image, size_t *count)
{
	(void)image;
	*count = 0;
	return NULL;
}

uint64_t image_entry(const struct image *image)
{
	(void)image;
	return 0x1000;
}

uint64_t image_start(const struct image *image)
{
	(void)image;
	return 0;
}

static void cut(const uint8_t *data, size_t size)
{
	memset(contents, 0, sizeof(contents));
	for (size_t i = 0; i < FILES && data; i++) {
		const uint8_t *end = size && i + 1 < FILES ? memchr(data, 0xff, size) : NULL;

		contents[i].at = data;
		contents[i].size = end ? (size_t)(end - data) : size;
		size -= contents[i].size + (end ? 1 : 0);
		data = end ? end + 1 : NULL;
	}
}

static void check_container(const char *id)
{
	must(!*id || strlen(id) == 64, "a container's id is of 64 digits, or not there");
	must(strspn(id, "0123456789abcdef") == strlen(id), "a container's id is of digits");
}

static void check_target(void)
{
	struct target *target;
	const char *why;
	uint64_t address;

	if (target_open(getpid(), &target, &why))
		return;
	must(memchr(target->node, '\0', sizeof(target->node)), "the name of a node ends");
	must(memchr(target->exe, '\0', sizeof(target->exe)), "the name of a file ends");
	must(memchr(vm.erts, '\0', sizeof(vm.erts)), "the version ends");
	must(strspn(vm.erts, "0123456789.") == strlen(vm.erts), "a version is of numbers");
	check_container(target->container);
	must(target_is_alive(target), "a process lives as long as its time of start is the same");
	target_refresh_node(target);
	target_settle_node(target);
	target_address(target, 0x1234, &address);
	target_age_s(target);
	target_free(target);
}

static void fuzz(const uint8_t *data, size_t size)
{
	uint64_t value;
	pid_t parent;

	cut(data, size);
	check_target();
	proc_stat_start(1, &value);
	procfs_cpu_ticks(1, &value);
	parent = procfs_parent(1);
	(void)parent;
	procfs_check_process(1);
	procfs_auxv(1, AT_ENTRY, &value);
	procfs_mapped_at(1, "/usr/lib/erlang/erts-13.1.5/bin/beam.smp", &value);
}
