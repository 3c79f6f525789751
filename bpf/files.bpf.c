// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What do file operations cost, and how long do they wait before they can begin? Files are NIFs
 * (prim_file) that dirty I/O schedulers run: the process waits in their run queue, then the NIF calls one
 * or more of the functions that are probed here. Those are not told which process it is; it is the last
 * one that the thread began to run a NIF for.
 */
#include "files.h"
#include "operation.bpf.h"

struct process_key {
	u64 id;
	u64 os_id;
};

struct file_key {
	u64 handle;
	u64 os_id;
};

/* When did the process begin to wait for a dirty I/O scheduler? */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILES_WAITING);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct process_key);
	__type(value, u64);
} waiting SEC(".maps");

/* The process that a dirty scheduler runs a NIF for, by thread. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEASURE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u64);
} served SEC(".maps");

/* The names of the files that are open. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILES_OPEN);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct file_key);
	__type(value, u64);
} file_names SEC(".maps");

/* The longest that the dirty I/O run queue was seen. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} longest_queue SEC(".maps");

static __always_inline u64 served_process(const struct erl_hit *hit)
{
	u32 thread = erl_thread(hit);
	u64 *id = bpf_map_lookup_elem(&served, &thread);

	return id ? *id : 0;
}

static __always_inline u64 name_of_file(const struct erl_hit *hit, u64 handle, u32 fd)
{
	struct file_key key = { .handle = handle, .os_id = hit->os_id };
	u64 *name = bpf_map_lookup_elem(&file_names, &key);

	return name ? *name : erl_id_of(ERL_ID_FD, fd);
}

SEC("usdt/vm:file-call")
int file_call(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 path, handle;

	if (!erl_enter(ctx, &hit))
		return 0;
	c = measure_case(&hit, served_process(&hit));
	if (!measure_wants(c.id))
		return 0;
	erl_count(&hit);
	path = erl_arg(ctx, &hit, 0);
	handle = erl_arg(ctx, &hit, 1);
	if (path)
		c.what = name_of_user_text(path);
	else if (handle)
		c.what = name_of_file(&hit, handle, erl_arg(ctx, &hit, 2));
	measure_amount(ctx, &hit, &c, OPERATION_BYTES, 3);
	operation_done(&c);
	return 0;
}

/* Whoever opens and closes it, the name is kept: it may be used by a process that is wanted. */
SEC("usdt/vm:file-open")
int file_open(void *ctx)
{
	struct measure_event c;
	struct file_key key;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	c = measure_case(&hit, served_process(&hit));
	c.what = name_of_user_text(erl_arg(ctx, &hit, 0));
	key = (struct file_key){ .handle = erl_arg(ctx, &hit, 1), .os_id = hit.os_id };
	/* One that does not fit is shown by its descriptor. */
	if (!erl_arg(ctx, &hit, 2))
		bpf_map_update_elem(&file_names, &key, &c.what, BPF_ANY);
	if (!measure_wants(c.id))
		return 0;
	erl_count(&hit);
	operation_done(&c);
	return 0;
}

SEC("usdt/vm:file-close")
int file_close(void *ctx)
{
	struct measure_event c;
	struct file_key key;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	key = (struct file_key){ .handle = erl_arg(ctx, &hit, 0), .os_id = hit.os_id };
	c = measure_case(&hit, served_process(&hit));
	c.what = name_of_file(&hit, key.handle, erl_arg(ctx, &hit, 1));
	bpf_map_delete_elem(&file_names, &key);
	if (!measure_wants(c.id))
		return 0;
	erl_count(&hit);
	operation_done(&c);
	return 0;
}

static __always_inline void raise_longest_queue(u64 length)
{
	u32 zero = 0;
	u64 *longest = bpf_map_lookup_elem(&longest_queue, &zero);

	if (longest)
		hist_raise(longest, length);
}

static __always_inline u64 name_of_wait(void)
{
	struct name_text text = { "wait for a dirty I/O scheduler" };

	return name_of_text(&text);
}

/* A wait is no file operation: it is in the histogram only where it has a key of its own. */
static __always_inline void wait_done(struct measure_event *c)
{
	u64 name = name_of_wait(), id;

	if (!measure_counts(c))
		return;
	c->kind = FILES_WAIT;
	c->what = name;
	id = operation_key(c, name);
	if (operation_by != OPERATION_KEY_COMMON)
		hist_add(id, c->os_id, c->end_ns - c->start_ns, 1);
	operation_tell(c, name, id);
}

SEC("usdt/vm:dirty_nif-start")
int dirty_nif_start(void *ctx)
{
	struct process_key key;
	struct measure_event c;
	struct erl_hit hit;
	u64 *began;
	u32 thread;

	if (!erl_enter(ctx, &hit))
		return 0;
	key = (struct process_key){ .id = erl_arg_id(ctx, &hit, 0), .os_id = hit.os_id };
	thread = erl_thread(&hit);
	bpf_map_update_elem(&served, &thread, &key.id, BPF_ANY);
	if (!measure_wants(key.id))
		return 0;
	erl_count(&hit);
	began = bpf_map_lookup_elem(&waiting, &key);
	/* One of the dirty CPU schedulers, or it began to wait before we came. */
	if (!began)
		return 0;
	c = measure_case(&hit, key.id);
	c.start_ns = *began;
	bpf_map_delete_elem(&waiting, &key);
	measure_amount(ctx, &hit, &c, FILES_QUEUE, 1);
	/* And the one that has just left the queue. */
	c.amounts[FILES_QUEUE]++;
	raise_longest_queue(c.amounts[FILES_QUEUE]);
	account_add(FILES_JOBS, 1);
	wait_done(&c);
	return 0;
}

SEC("usdt/vm:dirty_io-queued")
int dirty_io_queued(void *ctx)
{
	u64 now = bpf_ktime_get_ns();
	struct process_key key;
	struct erl_hit hit;

	key.id = measure_enter(ctx, &hit);
	if (!key.id)
		return 0;
	key.os_id = hit.os_id;
	if (bpf_map_update_elem(&waiting, &key, &now, BPF_ANY))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}
