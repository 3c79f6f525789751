// SPDX-License-Identifier: BSD-2-Clause
#include "target/target.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "target/pod.h"
#include "target/reader/proc_stat.h"
#include "target/reader/procfs.h"

/* ERTS n belongs to OTP n + 12 (ERTS 5 to R17). */
#define OTP_OF_ERTS(major) ((major) + 12)
#define SETTLE_NS (100 * NS_PER_MS)

const char *flavor_name(enum flavor flavor)
{
	static const char *const names[] = {
		[FLAVOR_UNKNOWN] = "unknown",
		[FLAVOR_JIT] = "jit",
		[FLAVOR_EMU] = "emu",
	};

	return names[flavor];
}

/* The load bias of the process's executable. */
static int read_moved(const struct target *target, uint64_t *moved)
{
	uint64_t at;
	int err = procfs_auxv(target->pid, AT_ENTRY, &at);

	if (!err) {
		*moved = at - image_entry(target->vm->image);
		return 0;
	}
	err = procfs_mapped_at(target->pid, target->exe, &at);
	if (!err)
		*moved = at - image_start(target->vm->image);
	return err;
}

int target_address(const struct target *target, uint64_t file_address, uint64_t *address)
{
	uint64_t moved = target->moved;
	int err = target->has_moved ? 0 : read_moved(target, &moved);

	if (!err)
		*address = moved + file_address;
	return err;
}

int target_symbol(const struct target *target, const char *name, uint64_t *address)
{
	const struct image_symbol *symbol = image_symbol(target->vm->image, name);

	return symbol ? target_address(target, symbol->address, address) : -ENOENT;
}

/* The last data symbol at or below the address; NULL if there is none, or the address is after the data. */
static const struct image_symbol *data_before(const struct image *image, uint64_t address)
{
	size_t count;
	const struct image_symbol *symbols = image_symbols(image, &count), *last = NULL;
	bool is_within = false;

	for (size_t i = 0; i < count; i++) {
		is_within |= symbols[i].address + symbols[i].size > address;
		if (!symbols[i].is_function && symbols[i].address <= address &&
		    (!last || symbols[i].address > last->address))
			last = &symbols[i];
	}
	return is_within ? last : NULL;
}

int target_symbol_at(const struct target *target, uint64_t address, char *text, size_t size)
{
	const struct image_symbol *symbol;
	uint64_t base, offset;

	if (target_address(target, 0, &base))
		return -ENOENT;
	symbol = data_before(target->vm->image, address - base);
	if (!symbol)
		return -ENOENT;
	offset = address - base - symbol->address;
	snprintf(text, size, offset ? "%s%s+0x%" PRIx64 : "%s%s", offset < symbol->size ? "" : "~", symbol->name,
		 offset);
	return 0;
}

/* erts_this_node_sysname points to the name as %T prints it: with quotes if an atom needs them. */
static void node_from_memory(const struct target *target, char node[256])
{
	const struct image_symbol *symbol = image_symbol(target->vm->image, "erts_this_node_sysname");
	uint64_t address, text;
	char quoted[256] = {};
	size_t n;

	if (!symbol || target_address(target, symbol->address, &address) ||
	    procfs_memory(target->pid, address, &text, sizeof(text)) ||
	    procfs_memory(target->pid, text, quoted, sizeof(quoted) - 1))
		return;
	n = strnlen(quoted, sizeof(quoted) - 1);
	/* Until the VM sets the name, the text has blanks in it. */
	if (!memchr(quoted, '@', n) || memchr(quoted, ' ', n))
		return;
	if (n >= 2 && quoted[0] == '\'' && quoted[n - 1] == '\'')
		snprintf(node, 256, "%.*s", (int)(n - 2), quoted + 1);
	else
		snprintf(node, 256, "%s", quoted);
	if (!strcmp(node, "nonode@nohost"))
		node[0] = '\0';
}

/* The next of the NUL-separated strings in a text of `size` bytes. Start with NULL; NULL at the end. */
static const char *next_word(const char *text, size_t size, const char *word)
{
	const char *next = word ? word + strlen(word) + 1 : text;

	return next < text + size ? next : NULL;
}

/* The last `-name X` or `-sname X` before -extra, as the VM takes it. */
static void node_from_arguments(pid_t pid, char node[256])
{
	size_t size = 0;
	_cleanup_free_ char *text = procfs_read(pid, "cmdline", &size);
	const char *word = NULL, *found = NULL;

	while (text && (word = next_word(text, size, word))) {
		if (!strcmp(word, "-extra"))
			break;
		if (strcmp(word, "-name") && strcmp(word, "-sname"))
			continue;
		word = next_word(text, size, word);
		if (!word)
			break;
		found = word;
	}
	if (found)
		snprintf(node, 256, "%s", found);
}

/*
 * Releases pass the name of their node in these variables. But a command that only talks to the node has them too, and
 * is a node with another name, or none.
 */
static bool has_name_in_environment(pid_t pid)
{
	static const char *const variables[] = { "RELEASE_NODE=", "RABBITMQ_NODENAME=", "NODE_NAME=" };
	size_t size = 0;
	_cleanup_free_ char *text = procfs_read(pid, "environ", &size);
	const char *word = NULL;

	while (text && (word = next_word(text, size, word))) {
		for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
			if (!strncmp(word, variables[i], strlen(variables[i])))
				return true;
		}
	}
	return false;
}

bool target_may_be_named_soon(const struct target *target)
{
	if (target->node[0])
		return !strchr(target->node, '@');
	return has_name_in_environment(target->pid);
}

void target_refresh_node(struct target *target)
{
	node_from_memory(target, target->node);
	/* Not distributed yet, or its memory is not readable. */
	if (!target->node[0])
		node_from_arguments(target->pid, target->node);
}

void target_settle_node(struct target *target)
{
	uint64_t now;

	if (strchr(target->node, '@'))
		return;
	now = duration_now();
	if (target->settled_ns && now - target->settled_ns < SETTLE_NS)
		return;
	target->settled_ns = now;
	target_refresh_node(target);
}

/* OTP 29 does not export its release; the argument `-bindir .../erts-17.0/bin` has it. */
static void guess_release(const struct target *target)
{
	size_t size = 0;
	_cleanup_free_ char *text = procfs_read(target->pid, "cmdline", &size);
	struct vm *vm = target->vm;
	const char *word = NULL, *at;

	while (!vm->erts[0] && text && (word = next_word(text, size, word))) {
		at = strstr(word, "/erts-");
		if (at)
			snprintf(vm->erts, sizeof(vm->erts), "%.*s", (int)strspn(at + 6, "0123456789."), at + 6);
	}
	if (!vm->otp && atoi(vm->erts) >= 5)
		vm_set_release(vm, OTP_OF_ERTS(atoi(vm->erts)));
}

static void read_exe_name(struct target *target)
{
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", target->pid);
	n = readlink(path, target->exe, sizeof(target->exe) - 1);
	target->exe[n > 0 ? n : 0] = '\0';
}

static void read_container(struct target *target)
{
	_cleanup_free_ char *cgroup = procfs_read(target->pid, "cgroup", NULL);

	if (cgroup)
		container_id(cgroup, target->container);
}

int target_open(pid_t pid, struct target **target, const char **why)
{
	struct target *opened = calloc(1, sizeof(*opened));
	int err;

	if (!opened)
		return -ENOMEM;
	opened->pid = pid;
	opened->os_id = (uint32_t)pid;
	opened->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	err = opened->pidfd < 0 ? -errno : proc_stat_start_of_file(pid, &opened->start_time);
	if (!err)
		err = vm_get(pid, &opened->vm, why);
	if (err) {
		target_free(opened);
		return err;
	}
	read_exe_name(opened);
	opened->has_moved = !read_moved(opened, &opened->moved);
	read_container(opened);
	guess_release(opened);
	target_refresh_node(opened);
	*target = opened;
	return 0;
}

void target_end(struct target *target)
{
	if (target->pidfd >= 0)
		close(target->pidfd);
	target->pidfd = -1;
}

void target_free(struct target *target)
{
	if (!target)
		return;
	vm_put(target->vm);
	target_end(target);
	free(target);
}

double target_age_s(const struct target *target)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9 -
	       (double)target->start_time / (double)sysconf(_SC_CLK_TCK);
}

bool target_is_alive(const struct target *target)
{
	uint64_t start_time;
	int err = proc_stat_start(target->pid, &start_time);

	/* A failure other than -ESRCH does not mean that it ended. */
	return err ? err != -ESRCH : start_time == target->start_time;
}

int target_list_add(struct target_list *list, struct target *target)
{
	if (!array_has_room(list->targets, list->count))
		return -ENOMEM;
	list->targets[list->count++] = target;
	return 0;
}

struct target *target_list_find(const struct target_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->targets[i]->pid == pid)
			return list->targets[i];
	}
	return NULL;
}

struct scan {
	struct target_list *list;
	int err; /* of the last process that could not be read, whatever it is */
};

static void consider(void *data, pid_t pid)
{
	struct scan *scan = data;
	struct target *target;
	const char *why;
	int err;

	if (target_list_find(scan->list, pid))
		return;
	err = target_open(pid, &target, &why);
	scan->list->awaited += err == -EAGAIN;
	/* Not -ENOMEM: the process's data may exceed our own limit. */
	if (err == -EMFILE || err == -ENFILE)
		scan->err = err;
	if (err || !target_list_add(scan->list, target))
		return;
	target_free(target);
	scan->err = -ENOMEM;
}

int target_list_scan(struct target_list *list)
{
	struct scan scan = { .list = list };
	int err;

	list->awaited = 0;
	err = procfs_each(consider, &scan);
	return err ? err : scan.err;
}

void target_list_free(struct target_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		target_free(list->targets[i]);
	free(list->targets);
	*list = (struct target_list){};
}
