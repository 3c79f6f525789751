// SPDX-License-Identifier: BSD-2-Clause
#include "run/load.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/cleanup.h"
#include "base/log.h"

#define PROBE_SECTION "usdt/"
#define SAVE_SECTION "uprobe/erl-save"
#define MAX_SETTINGS 64

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

struct setting {
	const char *variable;
	void *value;
	size_t size;
};

struct loader {
	const void *elf;
	size_t size;
	enum kernel_attach attach;
	struct bpf_object *maps;	/* the first copy: its maps, none of its programs */
	struct setting settings[MAX_SETTINGS];
	size_t setting_count;
	struct bpf_program **programs;	/* of the first copy, wired to probes */
	size_t program_count;
	struct variant *variants;
	struct named *named;
	const char **shaped;		/* names of the maps that were given a shape; libbpf's */
	size_t shaped_count;
};

__attribute__((format(printf, 2, 0)))
static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	enum log_level needed = level == LIBBPF_DEBUG ? LOG_DEBUG : LOG_VERBOSE;

	return log_shows(needed) ? vfprintf(stderr, format, args) : 0;
}

static struct bpf_object *open_copy(const struct loader *loader)
{
	struct bpf_object *object = bpf_object__open_mem(loader->elf, loader->size, NULL);
	struct bpf_program *program;

	if (!object)
		return NULL;
	bpf_object__for_each_program(program, object)
		bpf_program__set_autoload(program, false);
	return object;
}

static bool is_wired(const struct bpf_program *program)
{
	return !strncmp(bpf_program__section_name(program), PROBE_SECTION, strlen(PROBE_SECTION));
}

static int list_programs(struct loader *loader)
{
	struct bpf_program *program;
	size_t count = 0;

	bpf_object__for_each_program(program, loader->maps)
		count++;
	loader->programs = calloc(count, sizeof(*loader->programs));
	if (!loader->programs)
		return -ENOMEM;
	bpf_object__for_each_program(program, loader->maps) {
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
	opened->elf = elf;
	opened->size = size;
	opened->attach = kernel->attach;
	opened->maps = open_copy(opened);
	err = opened->maps ? list_programs(opened) : -errno;
	if (err) {
		pr_err("cannot open the BPF object: %s", strerror(-err));
		loader_free(opened);
		return err;
	}
	*loader = opened;
	return 0;
}

void loader_free(struct loader *loader)
{
	struct variant *variant, *next;

	if (!loader)
		return;
	HASH_ITER(hh, loader->variants, variant, next) {
		HASH_DEL(loader->variants, variant);
		close(variant->fd);
		free(variant);
	}
	while (loader->named) {
		struct named *named = loader->named;

		loader->named = named->next;
		close(named->fd);
		free(named->name);
		free(named);
	}
	free(loader->shaped);
	for (size_t i = 0; i < loader->setting_count; i++)
		free(loader->settings[i].value);
	free(loader->programs);
	bpf_object__close(loader->maps);
	free(loader);
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

static int set_in_section(struct bpf_object *object, const char *section, uint32_t offset,
			  const void *value, size_t size)
{
	struct bpf_map *map = find_section(object, section);
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

/* Where a variable lies is in the BTF of its section. */
static int set_variable(struct bpf_object *object, const char *variable, const void *value, size_t size)
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

			if (!strcmp(btf__name_by_offset(btf, var->name_off), variable))
				return set_in_section(object,
						      btf__name_by_offset(btf, section->name_off),
						      info[i].offset, value, size);
		}
	}
	return -ENOENT;
}

int loader_set(struct loader *loader, const char *variable, const void *value, size_t size)
{
	struct setting *setting = &loader->settings[loader->setting_count];
	int err = set_variable(loader->maps, variable, value, size);

	if (err)
		return err;
	if (loader->setting_count == MAX_SETTINGS)
		return -ENOSPC;
	setting->value = malloc(size);
	if (!setting->value)
		return -ENOMEM;
	memcpy(setting->value, value, size);
	setting->variable = variable;
	setting->size = size;
	loader->setting_count++;
	return 0;
}

int loader_resize(struct loader *loader, const char *name, unsigned int entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(loader->maps, name);

	return map ? bpf_map__set_max_entries(map, entries) : -ENOENT;
}

static int note_shaped(struct loader *loader, const char *name)
{
	const char **grown = realloc(loader->shaped, (loader->shaped_count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	loader->shaped = grown;
	grown[loader->shaped_count++] = name;
	return 0;
}

int loader_shape(struct loader *loader, const char *name, unsigned int key_size, unsigned int value_size,
		 unsigned int entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(loader->maps, name);
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

	bpf_object__for_each_map(map, loader->maps) {
		const char *name = bpf_map__name(map);

		if (!strncmp(name, prefix, strlen(prefix)) && !is_shaped(loader, name))
			bpf_map__set_autocreate(map, false);
	}
}

int loader_make_maps(struct loader *loader)
{
	int err = bpf_object__load(loader->maps);

	if (err)
		pr_err("cannot make the BPF maps: %s", strerror(-err));
	return err;
}

int loader_map(const struct loader *loader, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(loader->maps, name);

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

/* Everything but the class is shared: the maps are, and the read-only settings are repeated. */
static int share_maps(const struct loader *loader, struct bpf_object *copy, const char *but)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, copy) {
		int err, fd;

		if (bpf_map__is_internal(map) || (but && !strcmp(bpf_map__name(map), but)))
			continue;
		fd = loader_map(loader, bpf_map__name(map));
		err = fd < 0 ? bpf_map__set_autocreate(map, false) : bpf_map__reuse_fd(map, fd);
		if (err)
			return err;
	}
	for (size_t i = 0; i < loader->setting_count; i++)
		set_variable(copy, loader->settings[i].variable, loader->settings[i].value,
			     loader->settings[i].size);
	return 0;
}

static const struct erl_operand *operand_of_slot(const struct erl_config *config, int slot)
{
	if (slot < ERL_MAX_ARGS)
		return &config->args[slot].operand;
	slot -= ERL_MAX_ARGS;
	return slot % 2 ? &config->guards[slot / 2].right : &config->guards[slot / 2].left;
}

/* Offset of the register that a load of the program stands for: see ERL_PATCH_BASE in erl.h. */
static short register_offset(const struct erl_config *config, int offset)
{
	const struct erl_operand *op = operand_of_slot(config, (offset - ERL_PATCH_BASE) / 16);
	bool is_index = (offset - ERL_PATCH_BASE) % 16 != 0;

	/* Where there is no register, the load is dead; any valid one will do. */
	if (op->base != ERL_BASE_REG || (is_index && !op->has_index))
		return 0;
	return (short)((is_index ? op->index_reg : op->reg) * 8);
}

static int patch_registers(struct bpf_program *program, const struct erl_config *config)
{
	size_t count = bpf_program__insn_cnt(program);
	_cleanup_free_ struct bpf_insn *code = calloc(count, sizeof(*code));

	if (!code)
		return -ENOMEM;
	memcpy(code, bpf_program__insns(program), count * sizeof(*code));
	for (size_t i = 0; i < count; i++) {
		if (code[i].code == (BPF_LDX | BPF_MEM | BPF_DW) && code[i].off >= ERL_PATCH_BASE &&
		    code[i].off < ERL_PATCH_END)
			code[i].off = register_offset(config, code[i].off);
	}
	return bpf_program__set_insns(program, code, count);
}

/* What every program of a copy needs that is to be loaded from it. */
static int prepare_copy(const struct loader *loader, struct bpf_object *copy, struct bpf_program *program,
			const char *own_map)
{
	bpf_program__set_autoload(program, true);
	/* BPF_LOG_STATS: what verifying took. */
	if (log_shows(LOG_DEBUG))
		bpf_program__set_log_level(program, 4);
	return share_maps(loader, copy, own_map);
}

/* The program alone stays when its copy of the object is closed. */
static int finish_copy(struct bpf_object *copy, const struct bpf_program *program)
{
	int err = bpf_object__load(copy);

	return err ? err : fcntl(bpf_program__fd(program), F_DUPFD_CLOEXEC, 3);
}

static int load_copy(const struct loader *loader, struct bpf_object *copy, const char *name,
		     const struct erl_config *config)
{
	struct bpf_program *program = bpf_object__find_program_by_name(copy, name);
	int err;

	if (!program)
		return -ENOENT;
	if (loader->attach != KERNEL_ATTACH_PERF)
		bpf_program__set_expected_attach_type(program, KERNEL_UPROBE_MULTI);
	err = prepare_copy(loader, copy, program, NULL);
	if (!err)
		err = set_variable(copy, "erl_config", config, sizeof(*config));
	if (!err)
		err = patch_registers(program, config);
	return err ? err : finish_copy(copy, program);
}

static int load_variant(const struct loader *loader, size_t program, const struct erl_config *config)
{
	struct bpf_object *copy = open_copy(loader);
	int fd;

	if (!copy)
		return -errno;
	fd = load_copy(loader, copy, loader_program_name(loader, program), config);
	bpf_object__close(copy);
	if (fd < 0)
		pr_err("cannot load the BPF program %s: %s (-vv shows what the kernel says)",
		       loader_program_name(loader, program), strerror(-fd));
	return fd;
}

static struct variant *make_variant(struct loader *loader, const struct variant *wanted)
{
	struct variant *made = malloc(sizeof(*made));

	if (!made)
		return NULL;
	*made = *wanted;
	made->users = 0;
	made->fd = load_variant(loader, wanted->key.program, &wanted->key.config);
	if (made->fd < 0) {
		errno = -made->fd;
		free(made);
		return NULL;
	}
	HASH_ADD(hh, loader->variants, key, sizeof(made->key), made);
	return made;
}

int loader_program(struct loader *loader, size_t program, const struct erl_config *config)
{
	struct variant wanted, *variant;

	memset(&wanted, 0, sizeof(wanted));
	wanted.key.program = program;
	wanted.key.config = *config;
	HASH_FIND(hh, loader->variants, &wanted.key, sizeof(wanted.key), variant);
	if (!variant)
		variant = make_variant(loader, &wanted);
	if (!variant)
		return -errno;
	variant->users++;
	return variant->fd;
}

void loader_release(struct loader *loader, int fd)
{
	struct variant *next;

	for (struct variant *variant = loader->variants; variant; variant = next) {
		next = variant->hh.next;
		if (variant->fd != fd || --variant->users)
			continue;
		HASH_DEL(loader->variants, variant);
		close(variant->fd);
		free(variant);
	}
}

static void set_hook(const struct loader *loader, struct bpf_program *program, enum loader_hook hook)
{
	static const enum bpf_prog_type types[] = {
		[LOADER_RAW_TRACEPOINT] = BPF_PROG_TYPE_RAW_TRACEPOINT,
		[LOADER_PERF_EVENT] = BPF_PROG_TYPE_PERF_EVENT,
		[LOADER_UPROBE] = BPF_PROG_TYPE_KPROBE,
	};
	bool is_multi = hook == LOADER_UPROBE && loader->attach != KERNEL_ATTACH_PERF;

	bpf_program__set_type(program, types[hook]);
	bpf_program__set_expected_attach_type(program, is_multi ? (enum bpf_attach_type)KERNEL_UPROBE_MULTI : 0);
}

/* The map that is the copy's alone outlives it. */
static int keep_own_map(const struct bpf_object *copy, struct loader_own *own)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(copy, own->map);

	own->map_fd = map ? fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 3) : -1;
	return own->map_fd < 0 ? -errno : 0;
}

static int load_own(const struct loader *loader, struct bpf_object *copy, const char *name, enum loader_hook hook,
		    struct loader_own *own)
{
	struct bpf_program *program = bpf_object__find_program_by_name(copy, name);
	int err, fd;

	if (!program)
		return -ENOENT;
	set_hook(loader, program, hook);
	err = prepare_copy(loader, copy, program, own->map);
	if (!err && own->variable)
		err = set_variable(copy, own->variable, &own->value, sizeof(own->value));
	if (!err && own->config)
		err = set_variable(copy, "erl_config", own->config, sizeof(*own->config));
	if (err)
		return err;
	fd = finish_copy(copy, program);
	err = fd >= 0 && own->map ? keep_own_map(copy, own) : 0;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int loader_program_own(struct loader *loader, const char *name, enum loader_hook hook, struct loader_own *own)
{
	struct bpf_object *copy = open_copy(loader);
	int fd;

	if (!copy)
		return -errno;
	fd = load_own(loader, copy, name, hook, own);
	bpf_object__close(copy);
	if (fd < 0)
		pr_err("cannot load the BPF program %s: %s (-vv shows what the kernel says)", name,
		       strerror(-fd));
	return fd;
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
