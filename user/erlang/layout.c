// SPDX-License-Identifier: BSD-2-Clause
#include "erlang/layout.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "target/mapped.h"
#include "node/memory/fields.h"
#include "node/atoms/pids.h"
#include "node/names/scheduler_name.h"
#include "node/processes/schedulers.h"
#include "erlang/emulator.h"
#include "target/reader/procfs.h"

#define MOST_RANGES 4096

/* Code. */

static int by_start(const void *a, const void *b)
{
	const struct sample_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Between a range and the one before it; 0: they meet. */
static uint64_t gap_before(const struct sample_range *range)
{
	return range[0].start > range[-1].end ? range[0].start - range[-1].end : 0;
}

/* The number of the range before which the smallest gap is. */
static size_t smallest_gap(const struct sample_range *ranges, size_t count)
{
	size_t found = 1;

	for (size_t i = 2; i < count; i++) {
		if (gap_before(&ranges[i]) < gap_before(&ranges[found]))
			found = i;
	}
	return found;
}

size_t layout_merge(struct sample_range *ranges, size_t count, size_t room)
{
	if (count)
		qsort(ranges, count, sizeof(*ranges), by_start);
	while (count > 1) {
		size_t i = smallest_gap(ranges, count);

		if (count <= room && gap_before(&ranges[i]))
			break;
		if (ranges[i].end > ranges[i - 1].end)
			ranges[i - 1].end = ranges[i].end;
		memmove(ranges + i, ranges + i + 1, (count - i - 1) * sizeof(*ranges));
		count--;
	}
	return count;
}

struct code {
	struct sample_range *made, *files;
	size_t made_count, file_count;
};

/* The JIT's memory is a file of its own, or of none. The kernel's [vdso] is as good as a file: C code calls it. */
static int add_code(void *data, const struct mapped_code *mapped)
{
	struct code *code = data;
	struct sample_range range = { mapped->start, mapped->end };
	bool is_made = !mapped->is_vdso && (!mapped->path || !strncmp(mapped->path, "/memfd:", strlen("/memfd:")));

	if (code->made_count + code->file_count >= MOST_RANGES)
		return -E2BIG;
	if (is_made ? !array_has_room(code->made, code->made_count) : !array_has_room(code->files, code->file_count))
		return -ENOMEM;
	if (is_made)
		code->made[code->made_count++] = range;
	else
		code->files[code->file_count++] = range;
	return 0;
}

static int read_code(const struct target *target, struct sample_node *node)
{
	struct code code = {};
	int err = mapped_each(target->pid, add_code, &code);

	if (!err) {
		code.made_count = layout_merge(code.made, code.made_count, SAMPLE_MADE);
		code.file_count = layout_merge(code.files, code.file_count, SAMPLE_FILES);
		memcpy(node->made, code.made, code.made_count * sizeof(*code.made));
		memcpy(node->files, code.files, code.file_count * sizeof(*code.files));
	}
	free(code.made);
	free(code.files);
	return err;
}

/* Processes. */

/* mov STOP(%r13), %rsp: see emit_leave_runtime() of beam_asm.hpp. The distance is one byte in all releases. */
static uint32_t restoring(uint64_t stop)
{
	return 0x658b49 | (uint32_t)stop << 24;
}

/* Offsets stay 0, and no stack is walked, where it cannot be told which words of it are addresses of code. */
static void read_fields(const struct target *target, struct sample_node *node)
{
	int64_t heap, stop, state, code, high_water, off_heap, reds;

	if (target->vm->flavor != FLAVOR_JIT && emulator_read(target, node))
		return;
	if (field_offset(target->vm, "process.heap", &heap) || field_offset(target->vm, "process.stop", &stop) ||
	    field_offset(target->vm, "process.state", &state) || field_offset(target->vm, "process.i", &code))
		return;
	node->heap = (uint64_t)heap;
	node->stop = (uint64_t)stop;
	node->state = (uint64_t)state;
	node->code = (uint64_t)code;
	if (!field_offset(target->vm, "process.high_water", &high_water) &&
	    !field_offset(target->vm, "process.off_heap", &off_heap)) {
		node->high_water = (uint64_t)high_water;
		node->off_heap = (uint64_t)off_heap;
	}
	if (!field_offset(target->vm, "process.reds", &reds))
		node->reds = (uint64_t)reds;
	if (target->vm->flavor == FLAVOR_JIT)
		node->restores_stop = restoring(node->stop);
}

/* Threads. */

/* The kind and the number in the name of a scheduler's thread. False: it is none's. */
static bool parse_scheduler(const char *comm, struct scheduler_words *words)
{
	static const char *const kinds[] = { "", "dirty-cpu-", "dirty-io-" };
	char name[64];

	scheduler_name(comm, name, sizeof(name));
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
		size_t length = strlen(kinds[kind]);

		if (strncmp(name, kinds[kind], length) || !isdigit((unsigned char)name[length]))
			continue;
		words->kind = (enum scheduler_kind)kind;
		words->number = (unsigned int)strtoul(name + length, NULL, 10);
		return true;
	}
	return false;
}

static int add_thread(const struct target *target, const struct schedulers *schedulers, const char *tid,
		      struct layout *layout)
{
	static const uint32_t kinds[] = { SAMPLE_NORMAL, SAMPLE_DIRTY_CPU, SAMPLE_DIRTY_IO };
	struct scheduler_words wanted, words;
	size_t i;
	_cleanup_free_ char *comm = NULL;
	char file[64];

	snprintf(file, sizeof(file), "task/%.20s/comm", tid);
	comm = procfs_read(target->pid, file, NULL);
	/* The thread may be gone again. */
	if (!comm)
		return 0;
	comm[strcspn(comm, "\n")] = '\0';
	if (!parse_scheduler(comm, &wanted) || !schedulers_find(schedulers, wanted.kind, wanted.number, &i))
		return 0;
	schedulers_words(schedulers, i, &words);
	if (!array_has_room(layout->threads, layout->thread_count))
		return -ENOMEM;
	layout->threads[layout->thread_count++] = (struct layout_thread){
		.tid = (uint32_t)strtoul(tid, NULL, 10),
		.thread = { words.process, words.port, words.sleep_flags, kinds[words.kind], words.number },
	};
	return 0;
}

static int read_threads(const struct target *target, const struct schedulers *schedulers, struct layout *layout)
{
	char path[64];
	const struct dirent *entry;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!err && layout->thread_count < SCHEDULERS_MAX && (entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			err = add_thread(target, schedulers, entry->d_name, layout);
	}
	closedir(dir);
	return err;
}

int layout_read(const struct target *target, uint16_t number, struct layout *layout)
{
	struct erl_pid_layout pids;
	struct schedulers *schedulers;
	int err;

	*layout = (struct layout){ .node.number = number };
	err = read_code(target, &layout->node);
	if (err)
		return err;
	read_fields(target, &layout->node);
	pid_layout_read(target, &pids);
	schedulers = schedulers_new(target, &pids);
	/* Of a release that nobody knows, only the code of C is told. */
	if (schedulers)
		err = read_threads(target, schedulers, layout);
	schedulers_free(schedulers);
	return err;
}

int layout_only(const struct target *target, uint64_t process, struct layout *layout)
{
	struct sample_node *node = &layout->node;
	struct erl_pid_layout pids;
	uint64_t address, term;

	if (pid_layout_read(target, &pids) ||
	    procfs_memory(target->pid, pids.table + pid_place(&pids, process) * 8, &address, sizeof(address)) ||
	    !address || procfs_memory(target->pid, address, &term, sizeof(term)) || pid_of_term(&pids, term) != process)
		return -ESRCH;
	node->process = address;
	node->term = term;
	return 0;
}

int layout_publish(const struct layout *layout, const struct target *target, const struct loader *loader)
{
	uint32_t pid = (uint32_t)target->pid;

	return bpf_map_update_elem(loader_map(loader, "profile_nodes"), &pid, &layout->node, BPF_ANY) ? -errno : 0;
}

int layout_publish_threads(const struct layout *layout, const struct loader *loader)
{
	int threads = loader_map(loader, "profile_threads");

	for (size_t i = 0; threads >= 0 && i < layout->thread_count; i++) {
		if (bpf_map_update_elem(threads, &layout->threads[i].tid, &layout->threads[i].thread, BPF_ANY))
			return -errno;
	}
	return 0;
}

void layout_forget(const struct layout *layout, pid_t pid, const struct loader *loader)
{
	int threads = loader_map(loader, "profile_threads");
	uint32_t number = (uint32_t)pid;

	bpf_map_delete_elem(loader_map(loader, "profile_nodes"), &number);
	for (size_t i = 0; threads >= 0 && i < layout->thread_count; i++)
		bpf_map_delete_elem(threads, &layout->threads[i].tid);
}

void layout_free(struct layout *layout)
{
	free(layout->threads);
	*layout = (struct layout){};
}
