// SPDX-License-Identifier: BSD-2-Clause
/* Loading: opens the object, sizes its maps by the options, and creates them. */
#include "dtrace/session/session_parts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "dtrace/session/drops.h"
#include "dtrace/session/feed.h"
#include "dtrace/attach/ticks.h"
#include "load/load.h"

#define RING_SIZE (8u << 20) /* buffers some hundredths of a second of the busiest probe */
#define RING_MOST (1u << 30)
#define ENTRY_OVERHEAD 80 /* per hash entry: struct htab_elem, and rounding by the allocator */

/* The kernel demands a power of two, in pages. */
static unsigned int ring_size(size_t wanted)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < wanted && size < RING_MOST)
		size *= 2;
	return (unsigned int)size;
}

/* The reader is woken when a quarter is full. */
static int resize_ring(const struct session *s)
{
	unsigned int size = ring_size(s->options->ring_size ? s->options->ring_size : RING_SIZE);
	uint64_t wakeup = size / 4;
	int err = loader_resize(s->loader, "erl_ring", size);

	return err ? err : loader_set(s->loader, "ring_wakeup", &wakeup, sizeof(wakeup));
}

static int set_wall_clock(const struct session *s)
{
	struct timespec wall;
	uint64_t offset;

	clock_gettime(CLOCK_REALTIME, &wall);
	offset = (uint64_t)wall.tv_sec * NS_PER_S + (uint64_t)wall.tv_nsec - duration_now();
	return loader_set(s->loader, "d_wall_offset", &offset, sizeof(offset));
}

/* Used for long loops, where the kernel has it. */
static int set_loop(const struct session *s)
{
	uint64_t has_loop = libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_loop, NULL) == 1;

	return loader_set(s->loader, "d_has_loop", &has_loop, sizeof(has_loop));
}

static bool is_agg(const struct unit_map *map)
{
	return !strncmp(map->name, "d_agg_", strlen("d_agg_"));
}

/* Grows with its contents. */
static bool is_store(const struct unit_map *map)
{
	return is_agg(map) || !strncmp(map->name, "d_array_", strlen("d_array_"));
}

/* Each gets an equal part of the memory. */
static unsigned int entries_of(const struct session *s, const struct unit_map *wanted)
{
	size_t size = wanted->key_size + ENTRY_OVERHEAD + wanted->value_size;
	size_t stores = 0, most;

	for (const struct unit_map *map = s->object.maps; map; map = map->next)
		stores += is_store(map);
	if (!s->options->map_bytes || !is_store(wanted))
		return wanted->entries;
	/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the one that is asked for is a store */
	most = s->options->map_bytes / stores / size;
	return most < wanted->entries ? most ? (unsigned int)most : 1 : wanted->entries;
}

static int shape_maps(const struct session *s)
{
	int err = 0;

	for (const struct unit_map *map = s->object.maps; !err && map; map = map->next)
		err = loader_shape(s->loader, map->name, map->key_size, map->value_size, entries_of(s, map));
	for (const struct unit_setting *set = s->object.settings; !err && set; set = set->next)
		err = loader_set(s->loader, set->name, &set->value, sizeof(set->value));
	if (!err)
		err = set_wall_clock(s);
	if (!err)
		err = set_loop(s);
	if (!err)
		err = loader_resize(s->loader, "d_ticks", ticks_entries(s->probes));
	if (!err && functions_wanted(s))
		err = functions_shape(s);
	if (!err)
		err = stacks_shape(s);
	if (!err)
		err = resize_ring(s);
	loader_without(s->loader, "d_array_");
	loader_without(s->loader, "d_agg_");
	if (err)
		pr_err("cannot set the sizes of the BPF maps: %s", strerror(-err));
	return err;
}

static size_t strings_of(const struct unit_clause *clause)
{
	size_t strings = 0;

	for (const struct action *action = clause->actions; action; action = action->next) {
		for (const struct field *field = action->fields; field; field = field->next)
			strings += field->kind == FIELD_STRING;
	}
	return strings;
}

/*
 * The longest record as DTrace counts it: its header, its fields, and strings at full size. In Oracle's DTrace, each
 * program can have a record of ERROR with five arguments.
 */
static size_t longest_record(const struct session *s)
{
	const size_t header = 24; /* a perf_event_header, and the probe, clause and speculation */
	size_t longest = s->unit->options.compat == COMPAT_ORACLE ? header + 5 * sizeof(uint64_t) : header;

	for (const struct unit_clause *clause = s->unit->clauses; clause; clause = clause->next) {
		size_t size = header + clause->record_size - sizeof(struct d_record) +
			      strings_of(clause) * (s->unit->options.strsize + 1);

		longest = size > longest ? size : longest;
	}
	return longest;
}

/* True if the requested size has room for at least one entry. */
static bool fits(const struct session *s, const struct unit_map *map)
{
	const struct unit_options *options = &s->unit->options;
	size_t room = is_agg(map) ? options->agg_bytes : options->array_bytes;

	if (!is_store(map) || !room || room >= map->counted)
		return true;
	pr_err("could not enable tracing: -x %s is too small for an entry of %u bytes",
	       is_agg(map) ? "aggsize" : "dynvarsize", map->counted);
	return false;
}

/* Checks that sizes set by options are sufficient and available. */
static bool has_room(const struct session *s)
{
	if (s->options->ring_size && s->options->ring_size < longest_record(s)) {
		pr_err("could not enable tracing: the buffer is too small for one record; set -x bufsize");
		return false;
	}
	if (s->options->ring_size > RING_MOST) {
		pr_err("could not enable tracing: memory allocation failure: -x bufsize can be %u bytes at most",
		       RING_MOST);
		return false;
	}
	for (const struct unit_map *map = s->object.maps; map; map = map->next) {
		if (!fits(s, map))
			return false;
	}
	return true;
}

/* Checks that actions are allowed, and that the kernel has the optional features that they need. */
static bool is_possible(const struct session *s)
{
	if (s->unit->destructive && !s->unit->options.is_destructive) {
		pr_err("could not enable tracing: destructive actions need -w");
		return false;
	}
	if (!has_room(s))
		return false;
	if (!s->unit->writes_user || kernel_may_write_user())
		return true;
	pr_err("copyout() and copyoutstr() cannot be used: this kernel does not allow BPF programs to write to the "
	       "memory "
	       "of a process");
	return false;
}

int session_load(struct session *s)
{
	uint32_t zero = 0;
	int err;

	if (!is_possible(s))
		return -EPERM;
	err = loader_open(s->object.elf, s->object.size, &s->kernel, &s->loader);

	if (!err && s->options->is_confined)
		loader_confine(s->loader);
	if (!err)
		err = shape_maps(s);
	if (!err)
		err = loader_make_maps(s->loader);
	if (err)
		return err;
	s->state = loader_map(s->loader, "d_state");
	s->names = s->unit->uses_probe_names ? loader_map(s->loader, "d_probe_names") : -1;
	if (s->object.globals_size &&
	    bpf_map_update_elem(loader_map(s->loader, "d_globals"), &zero, s->object.globals, BPF_ANY))
		err = -errno;
	s->feed = err ? NULL : feed_new(loader_map(s->loader, "erl_ring"), loader_map(s->loader, "d_frames"));
	s->drops = s->feed ? drops_new(loader_map(s->loader, "d_drops")) : NULL;
	if (!err && !s->drops)
		err = -errno;
	if (err)
		pr_err("cannot prepare the BPF maps: %s", strerror(-err));
	return err;
}
