// SPDX-License-Identifier: BSD-2-Clause
#include "load/load.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/hash.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/process/yield.h"
#include "load/kernel/release.h"
#include "load/relocate.h"

#define PROBE_SECTION "usdt/"
#define SAVE_SECTION "uprobe/erl-save"

/* A program by its name. */
struct named {
	char *name;
	struct erl_config config;
	int fd;
	struct named *next;
};

/* A program specialised for one class of sites. */
struct variant {
	struct {
		size_t program;
		struct erl_config config;
	} key;
	int fd;
	size_t users;
	UT_hash_handle hh;
};

struct loader {
	enum kernel_attach attach;
	bool keeps_stack, is_confined;
	struct bpf_object *object;
	struct bpf_program **programs; /* wired to probes */
	size_t program_count;
	struct relocated **relocated; /* all, when the maps are made */
	size_t relocated_count;
	struct variant *variants;
	struct named *named;
	const char **shaped; /* names of the maps that were given a shape; libbpf's */
	size_t shaped_count;
};

__attribute__((format(printf, 2, 0))) static int print_libbpf(enum libbpf_print_level level, const char *format,
							      va_list args)
{
	enum log_level needed = level == LIBBPF_DEBUG ? LOG_DEBUG : LOG_VERBOSE;

	return log_shows(needed) ? vfprintf(stderr, format, args) : 0;
}

static bool is_wired(const struct bpf_program *program)
{
	return !strncmp(bpf_program__section_name(program), PROBE_SECTION, strlen(PROBE_SECTION));
}

static int list_programs(struct loader *loader)
{
	struct bpf_program *program;
	size_t count = 1; /* of no elements calloc() may give NULL */

	bpf_object__for_each_program(program, loader->object)
		count++;
	loader->programs = calloc(count, sizeof(*loader->programs));
	loader->relocated = calloc(count, sizeof(struct relocated *));
	if (!loader->programs || !loader->relocated)
		return -ENOMEM;
	bpf_object__for_each_program(program, loader->object) {
		if (is_wired(program))
			loader->programs[loader->program_count++] = program;
	}
	return 0;
}

int loader_open(const void *elf, size_t size, const struct kernel *kernel, struct loader **loader)
{
	struct loader *opened = calloc(1, sizeof(*opened));
	int err;

	if (!opened)
		return -ENOMEM;
	libbpf_set_print(print_libbpf);
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	relocate_begin();
	opened->attach = kernel->attach;
	opened->keeps_stack = kernel_is_at_least(kernel, 6, 13);
	opened->object = bpf_object__open_mem(elf, size, NULL);
	err = opened->object ? list_programs(opened) : -errno;
	if (err) {
		pr_err("cannot open the BPF object: %s", strerror(-err));
		loader_free(opened);
		return err;
	}
	*loader = opened;
	return 0;
}

static void drop_variant(struct loader *loader, struct variant *variant)
{
	HASH_DEL(loader->variants, variant);
	release_program(variant->fd);
	free(variant);
}

void loader_free(struct loader *loader)
{
	struct variant *variant, *next;

	if (!loader)
		return;
	HASH_ITER(hh, loader->variants, variant, next)
		drop_variant(loader, variant);
	while (loader->named) {
		struct named *named = loader->named;

		loader->named = named->next;
		release_program(named->fd);
		free(named->name);
		free(named);
	}
	free(loader->shaped);
	for (size_t i = 0; i < loader->relocated_count; i++)
		relocated_free(loader->relocated[i]);
	free(loader->relocated);
	free(loader->programs);
	bpf_object__close(loader->object);
	free(loader);
}

void loader_confine(struct loader *loader)
{
	loader->is_confined = true;
}

static struct bpf_map *find_section(struct bpf_object *object, const char *section)
{
	struct bpf_map *map;

	/* libbpf puts the object's name before ".rodata" alone; btf_section is what it really is. */
	bpf_object__for_each_map(map, object) {
		const char *name = bpf_map__name(map);
		size_t n = strlen(name), m = strlen(section);

		if (bpf_map__is_internal(map) && n >= m && !strcmp(name + n - m, section))
			return map;
	}
	return NULL;
}

static int set_in_section(struct bpf_map *map, uint32_t offset, const void *value, size_t size)
{
	_cleanup_free_ char *changed = NULL;
	const void *data;
	size_t have;

	data = map ? bpf_map__initial_value(map, &have) : NULL;
	if (!data || offset > have || size > have - offset)
		return -ENOENT;
	changed = malloc(have);
	if (!changed)
		return -ENOMEM;
	memcpy(changed, data, have);
	memcpy(changed + offset, value, size);
	return bpf_map__set_initial_value(map, changed, have);
}

/* Where a variable lies is in the BTF of its section: the section's map and the offset in it. NULL: there is none. */
static struct bpf_map *find_variable(struct bpf_object *object, const char *variable, uint32_t *offset)
{
	const struct btf *btf = bpf_object__btf(object);
	uint32_t types = btf ? btf__type_cnt(btf) : 0;

	for (uint32_t id = 1; id < types; id++) {
		const struct btf_type *section = btf__type_by_id(btf, id);
		const struct btf_var_secinfo *info = btf_var_secinfos(section);

		if (!btf_is_datasec(section))
			continue;
		for (uint32_t i = 0; i < btf_vlen(section); i++) {
			const struct btf_type *var = btf__type_by_id(btf, info[i].type);

			if (strcmp(btf__name_by_offset(btf, var->name_off), variable))
				continue;
			*offset = info[i].offset;
			return find_section(object, btf__name_by_offset(btf, section->name_off));
		}
	}
	return NULL;
}

int loader_set(struct loader *loader, const char *variable, const void *value, size_t size)
{
	uint32_t offset = 0;
	struct bpf_map *map = find_variable(loader->object, variable, &offset);

	return set_in_section(map, offset, value, size);
}

int loader_resize(struct loader *loader, const char *name, unsigned int entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(loader->object, name);

	return map ? bpf_map__set_max_entries(map, entries) : -ENOENT;
}

static int note_shaped(struct loader *loader, const char *name)
{
	if (!array_has_room(loader->shaped, loader->shaped_count))
		return -ENOMEM;
	loader->shaped[loader->shaped_count++] = name;
	return 0;
}

int loader_shape(struct loader *loader, const char *name, unsigned int key_size, unsigned int value_size,
		 unsigned int entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(loader->object, name);
	int err = map ? note_shaped(loader, bpf_map__name(map)) : -ENOENT;

	if (!err && key_size)
		err = bpf_map__set_key_size(map, key_size);
	if (!err && value_size)
		err = bpf_map__set_value_size(map, value_size);
	if (!err && entries)
		err = bpf_map__set_max_entries(map, entries);
	return err;
}

static bool is_shaped(const struct loader *loader, const char *name)
{
	for (size_t i = 0; i < loader->shaped_count; i++) {
		if (!strcmp(loader->shaped[i], name))
			return true;
	}
	return false;
}

void loader_without(struct loader *loader, const char *prefix)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, loader->object) {
		const char *name = bpf_map__name(map);

		if (!strncmp(name, prefix, strlen(prefix)) && !is_shaped(loader, name))
			bpf_map__set_autocreate(map, false);
	}
}

int loader_make_maps(struct loader *loader)
{
	int err = relocate_object(loader->object, loader->relocated, &loader->relocated_count);

	if (err)
		pr_err("cannot create the BPF maps: %s", strerror(-err));
	return err;
}

int loader_map(const struct loader *loader, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(loader->object, name);

	return map && bpf_map__autocreate(map) ? bpf_map__fd(map) : -ENOENT;
}

size_t loader_program_count(const struct loader *loader)
{
	return loader->program_count;
}

const char *loader_program_probe(const struct loader *loader, size_t program)
{
	return bpf_program__section_name(loader->programs[program]) + strlen(PROBE_SECTION);
}

const char *loader_program_name(const struct loader *loader, size_t program)
{
	return program == LOADER_SAVE_PROGRAM ? "erl_save" : bpf_program__name(loader->programs[program]);
}

void loader_each_program(const struct loader *loader, void (*visit)(void *data, int program), void *data)
{
	for (const struct variant *variant = loader->variants; variant; variant = variant->hh.next)
		visit(data, variant->fd);
	for (const struct named *named = loader->named; named; named = named->next)
		visit(data, named->fd);
}

/* Loading. Everything but the class is shared. */

static const struct relocated *find_program(const struct loader *loader, const char *name)
{
	for (size_t i = 0; i < loader->relocated_count; i++) {
		if (!strcmp(relocated_name(loader->relocated[i]), name))
			return loader->relocated[i];
	}
	return NULL;
}

/* A copy of the read-only data that the variable is among, with this value. The verifier takes it for constants. */
static int make_constants(struct bpf_map *map, uint32_t offset, const void *value, size_t size)
{
	const struct bpf_map_create_opts options = { .sz = sizeof(options), .map_flags = BPF_F_RDONLY_PROG };
	_cleanup_free_ char *data = NULL;
	uint32_t zero = 0;
	size_t have;
	const void *initial = bpf_map__initial_value(map, &have);
	int fd, err;

	data = malloc(have);
	if (!data)
		return -ENOMEM;
	memcpy(data, initial, have);
	memcpy(data + offset, value, size);
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, ".rodata", sizeof(zero), (__u32)have, 1, &options);
	if (fd < 0)
		return fd;
	err = bpf_map_update_elem(fd, &zero, data, BPF_ANY);
	if (!err)
		err = bpf_map_freeze(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int set_own(struct relocated_request *request, const struct bpf_map *shared, int own)
{
	if (own < 0)
		return own;
	request->maps[request->map_count].shared = bpf_map__fd(shared);
	request->maps[request->map_count++].own = own;
	return 0;
}

/* `variable` has this value in the program alone. What is there already costs no map. */
static int set_own_variable(const struct loader *loader, struct relocated_request *request, const char *variable,
			    const void *value, size_t size)
{
	uint32_t offset = 0;
	struct bpf_map *map = find_variable(loader->object, variable, &offset);
	size_t have = 0;
	const char *initial = map ? bpf_map__initial_value(map, &have) : NULL;

	if (!initial || offset > have || size > have - offset)
		return -ENOENT;
	if (!memcmp(initial + offset, value, size))
		return 0;
	return set_own(request, map, make_constants(map, offset, value, size));
}

static int make_own_map(const struct bpf_map *map)
{
	const struct bpf_map_create_opts options = { .sz = sizeof(options), .map_flags = bpf_map__map_flags(map) };

	return bpf_map_create(bpf_map__type(map), bpf_map__name(map), bpf_map__key_size(map), bpf_map__value_size(map),
			      bpf_map__max_entries(map), &options);
}

/* The program keeps the maps that it uses. */
static void close_own_maps(const struct relocated_request *request)
{
	for (size_t i = 0; i < request->map_count; i++)
		close(request->maps[i].own);
}

static int tell_failure(const char *name, int fd)
{
	if (fd == -EDQUOT)
		pr_err("cannot load the BPF program %s: erlbpf has %d programs already, and may not have more. Use "
		       "fewer probes, clauses or scripts",
		       name, RELEASE_MOST_PROGRAMS);
	else if (fd < 0)
		pr_err("cannot load the BPF program %s: %s (-vv shows the messages of the kernel)", name,
		       strerror(-fd));
	return fd;
}

/* A program that release_program() lets go. */
static int load(const struct relocated *program, const struct relocated_request *request)
{
	int err = release_reserve(), fd = err ? err : relocated_load(program, request);

	if (!err && fd < 0)
		release_cancel();
	return fd;
}

static int load_class(const struct loader *loader, const char *name, const struct erl_config *config)
{
	const struct relocated *program = find_program(loader, name);
	struct relocated_request request = {
		.type = BPF_PROG_TYPE_KPROBE,
		.registers = config,
		.reads = loader->is_confined ? CODE_READS_PROCESS : CODE_READS_ALL,
		.keeps_stack = loader->keeps_stack,
		.attach_type = loader->attach != KERNEL_ATTACH_PERF ? KERNEL_UPROBE_MULTI : 0,
	};
	int fd = program ? set_own_variable(loader, &request, "erl_config", config, sizeof(*config)) : -ENOENT;

	if (!fd)
		fd = load(program, &request);
	close_own_maps(&request);
	return fd;
}

/* Programs that are being loaded: by several threads, since the kernel verifies each on its own. */
struct loading {
	const struct loader *loader;
	struct variant **variants;
	size_t count, next;
	int ended; /* eventfd: how many threads have nothing left to load; -1: nobody waits for them */
};

static void *load_variants(void *data)
{
	struct loading *loading = data;
	size_t i;

	while ((i = __atomic_fetch_add(&loading->next, 1, __ATOMIC_RELAXED)) < loading->count) {
		struct variant *v = loading->variants[i];

		v->fd = load_class(loading->loader, loader_program_name(loading->loader, v->key.program),
				   &v->key.config);
		yield_now();
	}
	return NULL;
}

static void *load_for_another(void *data)
{
	struct loading *loading = data;

	load_variants(loading);
	if (loading->ended >= 0)
		eventfd_write(loading->ended, 1);
	return NULL;
}

#define MOST_THREADS 4

/* What each has to say with -vv would be mixed. */
static size_t threads_for(size_t programs)
{
	long cpus = log_shows(LOG_DEBUG) ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
	size_t most = cpus < 1 ? 1 : cpus > MOST_THREADS ? MOST_THREADS : (size_t)cpus;

	return programs < most ? programs : most;
}

/* False: they cannot be waited for in this way. */
static bool wait_for(const struct loading *loading, size_t threads)
{
	eventfd_t some;

	for (size_t ended = 0; ended < threads; ended += (size_t)some) {
		if (!yield_wait(loading->ended, -1) || eventfd_read(loading->ended, &some))
			return false;
	}
	return true;
}

/*
 * The kernel needs up to 20 ms to verify a program, and on a busy machine it holds up whoever asks for ten times as
 * long. So a thread that answers others only waits for those that load.
 */
static void load_together(struct loading *loading)
{
	_cleanup_close_ int ended = yield_is_set() ? eventfd(0, EFD_CLOEXEC) : -1;
	size_t wanted = threads_for(loading->count), started = 0;
	pthread_t helpers[MOST_THREADS];

	loading->ended = ended;
	/* Who need not answer is one of them. */
	wanted -= wanted > 0 && ended < 0;
	while (started < wanted && !pthread_create(&helpers[started], NULL, load_for_another, loading))
		started++;
	if (ended < 0 || !started || !wait_for(loading, started))
		load_variants(loading);
	while (started)
		pthread_join(helpers[--started], NULL);
}

static struct variant *find_variant(struct loader *loader, const struct loader_class *class)
{
	struct variant wanted, *found;

	memset(&wanted, 0, sizeof(wanted));
	wanted.key.program = class->program;
	wanted.key.config = class->config;
	HASH_FIND(hh, loader->variants, &wanted.key, sizeof(wanted.key), found);
	return found;
}

/* NULL if memory is short. */
static struct variant *add_variant(struct loader *loader, const struct loader_class *class)
{
	struct variant *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->key.program = class->program;
	made->key.config = class->config;
	made->fd = -1;
	HASH_ADD(hh, loader->variants, key, sizeof(made->key), made);
	return made;
}

/* Those that there are not yet, once each. */
static int list_missing(struct loader *loader, const struct loader_class *classes, size_t count,
			struct loading *loading)
{
	for (size_t i = 0; i < count; i++) {
		if (find_variant(loader, &classes[i]))
			continue;
		loading->variants[loading->count] = add_variant(loader, &classes[i]);
		if (!loading->variants[loading->count++])
			return -ENOMEM;
	}
	return 0;
}

static void drop_failed(struct loader *loader, const struct loading *loading)
{
	for (size_t i = 0; i < loading->count; i++) {
		struct variant *v = loading->variants[i];

		if (v && v->fd < 0) {
			tell_failure(loader_program_name(loader, v->key.program), v->fd);
			drop_variant(loader, v);
		}
	}
}

int loader_programs(struct loader *loader, struct loader_class *classes, size_t count)
{
	_cleanup_free_ struct variant **missing = calloc(count + 1, sizeof(*missing));
	struct loading loading = { .loader = loader, .variants = missing };
	int err = missing ? list_missing(loader, classes, count, &loading) : -ENOMEM;

	for (size_t i = 0; i < count; i++)
		classes[i].fd = err;
	if (!err)
		load_together(&loading);
	for (size_t i = 0; !err && i < count; i++) {
		struct variant *v = find_variant(loader, &classes[i]);

		classes[i].fd = v->fd;
		v->users += v->fd >= 0;
	}
	for (size_t i = 0; !err && i < count; i++)
		err = classes[i].fd < 0 ? classes[i].fd : 0;
	drop_failed(loader, &loading);
	return err;
}

void loader_release(struct loader *loader, int fd)
{
	struct variant *next;

	for (struct variant *variant = loader->variants; variant; variant = next) {
		next = variant->hh.next;
		if (variant->fd == fd && !--variant->users)
			drop_variant(loader, variant);
	}
}

static void set_hook(const struct loader *loader, struct relocated_request *request, enum loader_hook hook)
{
	static const enum bpf_prog_type types[] = {
		[LOADER_RAW_TRACEPOINT] = BPF_PROG_TYPE_RAW_TRACEPOINT,
		[LOADER_PERF_EVENT] = BPF_PROG_TYPE_PERF_EVENT,
		[LOADER_UPROBE] = BPF_PROG_TYPE_KPROBE,
	};

	request->type = types[hook];
	request->keeps_stack = hook == LOADER_UPROBE && loader->keeps_stack;
	if (hook == LOADER_UPROBE && loader->attach != KERNEL_ATTACH_PERF)
		request->attach_type = KERNEL_UPROBE_MULTI;
}

static int set_own_map(const struct loader *loader, struct relocated_request *request, const char *name)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(loader->object, name);

	return map ? set_own(request, map, make_own_map(map)) : -ENOENT;
}

static int prepare_own(const struct loader *loader, struct relocated_request *request, const struct loader_own *own)
{
	int err = own->map ? set_own_map(loader, request, own->map) : 0;

	if (!err && own->variable)
		err = set_own_variable(loader, request, own->variable, own->value, own->value_size);
	if (!err && own->config)
		err = set_own_variable(loader, request, "erl_config", own->config, sizeof(*own->config));
	return err;
}

int loader_program_own(struct loader *loader, const char *name, enum loader_hook hook, struct loader_own *own)
{
	const struct relocated *program = find_program(loader, name);
	struct relocated_request request = {
		.registers = own->config,
		.reads = loader->is_confined ? CODE_READS_NOTHING : CODE_READS_ALL,
	};
	int fd;

	set_hook(loader, &request, hook);
	fd = program ? prepare_own(loader, &request, own) : -ENOENT;
	if (!fd)
		fd = load(program, &request);
	/* The map that is the program's alone is of use to the caller; it is the first. */
	if (fd >= 0 && own->map) {
		own->map_fd = request.maps[0].own;
		request.maps[0].own = -1;
	}
	close_own_maps(&request);
	return tell_failure(name, fd);
}

int loader_program_named(struct loader *loader, const char *name, enum loader_hook hook,
			 const struct erl_config *config)
{
	static const struct erl_config nothing;
	struct named *named = loader->named;
	struct loader_own own = { .config = config };

	if (!config)
		config = &nothing;
	while (named && (strcmp(named->name, name) || memcmp(&named->config, config, sizeof(*config))))
		named = named->next;
	if (named)
		return named->fd;
	named = calloc(1, sizeof(*named));
	if (named)
		named->name = strdup(name);
	if (!named || !named->name) {
		free(named);
		return -ENOMEM;
	}
	memcpy(&named->config, config, sizeof(*config));
	named->fd = loader_program_own(loader, name, hook, &own);
	if (named->fd < 0) {
		int err = named->fd;

		free(named->name);
		free(named);
		return err;
	}
	named->next = loader->named;
	loader->named = named;
	return named->fd;
}
