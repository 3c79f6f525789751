// SPDX-License-Identifier: BSD-2-Clause
/*
 * The provider erlangPID: the probes of the catalogue, one provider instance for each VM. probe/sites/source.c decides
 * where they are (notes, or functions that replace them); here they get names. The module is the VM's file; the
 * function contains the site, if the VM has symbols.
 */
#include "dtrace/provider/erlang.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io/shortage.h"
#include "base/log.h"
#include "base/process/privileges.h"
#include "d/lang/beam_spec.h"
#include "dtrace/provider/matching.h"
#include "dtrace/provider/provider.h"
#include "dtrace/symbols/objects.h"
#include "erlang/breakpoints.h"
#include "node/code/natives.h"
#include "node/names/declared.h"
#include "probe/catalogue.h"
#include "probe/functions.h"
#include "probe/sites/source.h"
#include "target/selector.h"
#include "target/target.h"
#include "trace/child.h"

/* The functions of a VM, by address. */
struct vm_functions {
	const struct vm *vm;
	struct mapped_object *object;
};

/* Data about the traced VMs. */
struct vms {
	struct target_list targets;
	bool is_scanned; /* for all BEAMs */
	bool has_warned; /* about a site that is never reached */
	struct vm_functions *codes;
	size_t code_count;
};

static void end(void *data)
{
	struct vms *vms = data;

	for (size_t i = 0; i < vms->code_count; i++)
		object_free(vms->codes[i].object);
	free(vms->codes);
	target_list_free(&vms->targets);
	free(vms);
}

static struct vms *vms_of(struct probes *probes)
{
	struct vms *vms = probes_kept(probes, PROVIDER_ERLANG);

	if (!vms) {
		vms = calloc(1, sizeof(*vms));
		probes_keep(probes, PROVIDER_ERLANG, vms, end);
	}
	return vms;
}

/* Targets. */

static int add_target(struct vms *vms, const struct target_selector *select, pid_t pid)
{
	struct target *target;
	const char *why;
	int err;

	if (target_list_find(&vms->targets, pid))
		return 0;
	err = target_open(pid, &target, &why);
	if (err)
		return is_shortage(err) ? err : 0;
	if (!select || target_selected(select, target) == SELECTED)
		return target_list_add(&vms->targets, target);
	target_free(target);
	return 0;
}

/* All BEAMs besides the known ones. */
static int scan(struct vms *vms, const struct target_selector *select)
{
	struct target_list found = {};
	int err = target_list_scan(&found);

	if (select)
		target_list_select(&found, select);
	for (size_t i = 0; i < found.count; i++) {
		if (err || target_list_find(&vms->targets, found.targets[i]->pid))
			target_free(found.targets[i]);
		else
			err = target_list_add(&vms->targets, found.targets[i]);
	}
	free(found.targets);
	return err;
}

/* Source: Documentation/admin-guide/LSM/Yama.rst of the kernel. Without this file the rule does not apply. */
static bool are_own_processes_closed(void)
{
	_cleanup_file_ FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope;

	return file && fscanf(file, "%d", &scope) == 1 && scope > 0;
}

static const char *why_nobody(const struct probes *probes)
{
	if (!probes_get_options(probes)->only_nodes)
		return privileges_held() & PRIVILEGE(CAP_SYS_PTRACE)
			       ? "no running BEAM found that can be read"
			       : "no running BEAM found that can be read without the capability SYS_PTRACE; run erlbpf "
				 "with sudo";
	return are_own_processes_closed() ? "this user can trace no node, because kernel.yama.ptrace_scope is not 0"
					  : "this user can trace no node";
}

/* With a selection, an unmatched name is wrong; otherwise, no node runs. */
static void explain_nobody(struct probes *probes)
{
	const struct target_selector *select = probes_get_options(probes)->select;
	char text[SELECTOR_TEXT];

	if (select && target_selector_is_set(select) && privileges_held() & PRIVILEGE(CAP_SYS_PTRACE))
		probes_explain(probes, "no node%s runs on this machine; `erlbpf doctor` lists the running nodes",
			       target_selector_text(select, text));
	else
		probes_explain(probes, "%s", why_nobody(probes));
}

static int find_targets(struct probes *probes, struct vms *vms, const char *provider)
{
	const struct probes_options *options = probes_get_options(probes);
	pid_t pid = provider_pid_of(provider, "erlang");
	int err = 0;

	if (provider_is_nobody(provider, "erlang"))
		probes_explain(probes, "there is no process 0; $target is the process of -p or -c");
	if (!pid)
		pid = provider_pid_of(provider, "vm");
	if (!pid)
		pid = provider_pid_of(provider, APP_PROVIDER);
	if (!pid)
		pid = provider_pid_of(provider, BEAM_PROVIDER);
	if (pid)
		return add_target(vms, options->select, pid);
	for (size_t i = 0; !err && i < options->pid_count; i++)
		err = add_target(vms, options->select, options->pids[i]);
	if (err || options->pid_count || vms->is_scanned)
		return err;
	vms->is_scanned = true;
	return scan(vms, options->select);
}

/* False if no provider with that prefix can match: then VMs need not be searched. */
static bool may_mean(const char *glob, const char *prefix)
{
	size_t literal = strcspn(glob, "*?["), n = strlen(prefix);

	return !strncmp(glob, prefix, literal < n ? literal : n) && (literal >= n || glob[literal]);
}

/* The provider vm must be named explicitly. */
static bool is_meant(const char *glob, const char *provider)
{
	if (!strcmp(glob, provider))
		return true;
	if (!strcmp(provider, "vm"))
		return *glob == 'v' && may_mean(glob, "vm");
	return !*glob || may_mean(glob, provider);
}

/* A row of the catalogue can have a thousand probes, too many to search for each description. */
static bool may_be_in_row(const struct probe_spec *spec, const struct probe_def *def)
{
	return glob_is_open(spec->name) || app_spec_is(spec) || spec->beam ||
	       !strncmp(spec->name, def->name, strlen(def->name)) || old_name_why(spec->name);
}

static bool has_name(const struct probe_spec *spec, uint32_t probe)
{
	char buf[PROBE_NAME_SIZE];
	const char *name;

	if (!may_be_in_row(spec, probe_def(probe)))
		return false;
	name = probe_name(probe, buf);
	if (app_spec_is(spec) && !strcmp(probe_def(probe)->provider, "vm") && app_spec_fires(name))
		return true;
	if (spec->beam)
		return !strcmp(probe_def(probe)->provider, "vm") && beam_spec_fires(spec, name);
	return (is_meant(spec->provider, probe_def(probe)->provider) && glob_matches(spec->name, name)) ||
	       (is_meant(spec->provider, "erlang") && old_name_means(spec->name, name));
}

/* `most`: the maximum number of their arguments. */
static size_t look_up(const struct probe_spec *spec, int *most)
{
	size_t meant = 0;

	if (spec->is_id)
		return 0;
	for (size_t row = 0; row < probe_def_count; row++) {
		uint32_t end = row + 1 < probe_def_count ? probe_defs[row + 1].id : probe_count();

		if (!may_be_in_row(spec, &probe_defs[row]))
			continue;
		for (uint32_t probe = probe_defs[row].id; probe < end; probe++) {
			if (!has_name(spec, probe))
				continue;
			meant++;
			*most = probe_defs[row].argc > *most ? probe_defs[row].argc : *most;
		}
	}
	return meant;
}

static size_t names_meant(const struct probe_spec *spec)
{
	int most = 0;

	return look_up(spec, &most);
}

/* "erlang1234": the command of -c becomes a BEAM when it runs; other processes are BEAMs already or never. */
size_t erlang_may_come(const struct probes *probes, const struct probe_spec *spec)
{
	struct probe_spec meant = *spec;
	struct child *child = probes_child(probes);
	pid_t pid = provider_pid_of(spec->provider, "erlang"), vm = provider_pid_of(spec->provider, "vm");
	pid_t app = provider_pid_of(spec->provider, APP_PROVIDER);

	/* Breakpoints are set when the trace begins. */
	if (spec->beam)
		return 0;
	if (app) {
		meant.provider = APP_PROVIDER;
		return child && child_pid(child) == app ? names_meant(&meant) : 0;
	}
	if (!pid && !vm)
		return names_meant(spec);
	meant.provider = pid ? "erlang" : "vm";
	return child && child_pid(child) == (pid ? pid : vm) ? names_meant(&meant) : 0;
}

bool erlang_is_known(const struct probe_spec *spec)
{
	return names_meant(spec) > 0;
}

int erlang_arguments(const struct probe_spec *spec)
{
	int most = 0;

	return look_up(spec, &most) ? most : -1;
}

/* Sites. */

/* NULL: out of memory. */
static struct mapped_object *code_of(struct vms *vms, const struct vm *vm)
{
	struct mapped_object *object;

	for (size_t i = 0; i < vms->code_count; i++) {
		if (vms->codes[i].vm == vm)
			return vms->codes[i].object;
	}
	if (!array_has_room(vms->codes, vms->code_count))
		return NULL;
	object = object_borrow(vm->image);
	if (object)
		vms->codes[vms->code_count++] = (struct vm_functions){ vm, object };
	return object;
}

static const char *file_name(const struct target *target)
{
	const char *slash = strrchr(target->exe, '/');

	return slash ? slash + 1 : target->exe;
}

/* At a note, the enclosing function is shown instead of a replacement. */
static int set_function(struct vms *vms, const struct target *target, struct site *site)
{
	const struct object_function *f;
	struct mapped_object *code;

	if (site->function)
		return 0;
	code = code_of(vms, target->vm);
	if (!code)
		return -ENOMEM;
	f = object_function_at(code, site->offset);
	if (!f)
		return 0;
	/* If all numbers are used, it has no function. */
	site->function = function_number(f->symbol->name);
	return site->function || errno != ENOMEM ? 0 : -ENOMEM;
}

const struct d_probe *erlang_probe_of_site(struct probes *probes, const struct target *target, struct site *site)
{
	char provider[PROBE_NAME_SIZE], name[PROBE_NAME_SIZE];
	struct vms *vms = vms_of(probes);
	struct d_probe probe = {
		.names = {
			0, provider, file_name(target), "", probe_name(site->probe, name),
		},
		.hook = HOOK_ERLANG, .number = site->probe, .pid = target->pid,
	};

	if (!vms || set_function(vms, target, site))
		return NULL;
	probe_numbered(probe_def(site->probe)->provider, (unsigned int)target->pid, provider);
	probe.names.function = function_name(site->function);
	probe.function = site->function;
	return probes_add(probes, &probe);
}

struct search {
	struct probes *probes;
	const struct probe_spec *spec;
};

static bool is_wanted(void *data, uint32_t probe)
{
	const struct search *s = data;

	return has_name(s->spec, probe);
}

/* Why the VM lacks a named probe, and the alternatives. */
static void explain_missing(const struct search *s, const struct target *target, const char *why)
{
	const char *hint = target->vm->flavor == FLAVOR_JIT ? old_name_hint(s->spec->name) : NULL;

	probes_explain(s->probes, "%s%s%s", why, hint ? "; " : "", hint ? hint : "");
}

/* The site exists, but is never reached. */
static void warn_of_dead_site(const struct search *s, const struct target *target, uint32_t probe)
{
	struct vms *vms = vms_of(s->probes);
	char name[PROBE_NAME_SIZE];

	if (!vms || vms->has_warned || target->vm->flavor != FLAVOR_JIT || glob_is_open(s->spec->name) ||
	    strcmp(probe_name(probe, name), "local-function-entry") != 0)
		return;
	vms->has_warned = true;
	pr_warn("under the JIT, %s never fires; %s", s->spec->name, old_name_hint(s->spec->name));
}

static int discover_in(struct search *s, const struct target *target)
{
	struct native_list natives;
	struct site_request request = {
		.glob = "*",
		.wants = is_wanted,
		.wants_data = s,
		.target = target,
		.natives = &natives,
		.allow_denied = probes_get_options(s->probes)->allow_denied,
	};
	struct site_list list;
	int err;

	native_list_of(target, &natives);
	err = site_list_make(target->vm, &request, &list);
	native_list_free(&natives);
	if (err)
		return err;
	for (size_t i = 0; !err && i < list.count; i++) {
		warn_of_dead_site(s, target, list.sites[i].probe);
		if (!erlang_probe_of_site(s->probes, target, &list.sites[i]))
			err = -ENOMEM;
	}
	for (size_t i = 0; i < list.missing_count; i++) {
		if (list.missing[i].whole && !glob_is_open(s->spec->name))
			explain_missing(s, target, list.missing[i].why);
	}
	site_list_free(&list);
	return err;
}

/* True for the provider of this process: erlang1234, or vm1234. */
static bool is_meant_process(const struct probe_spec *spec, pid_t pid)
{
	static const char *const prefixes[] = { "erlang", "vm", APP_PROVIDER, BEAM_PROVIDER };
	char provider[PROBE_NAME_SIZE];

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		probe_numbered(prefixes[i], (unsigned int)pid, provider);
		if (glob_matches(spec->provider, provider) || !strcmp(spec->provider, prefixes[i]))
			return true;
	}
	return false;
}

/* Erlang functions. */

/* Breakpoints need nodes that the user selects. */
static bool names_nodes(const struct probes_options *options, const struct probe_spec *spec)
{
	return options->pid_count || (options->select && target_selector_is_set(options->select)) ||
	       provider_pid_of(spec->provider, beam_spec_provider(spec));
}

static bool may_set_breakpoints(struct probes *probes, const struct probe_spec *spec)
{
	const struct probes_options *options = probes_get_options(probes);
	const char *why = NULL;

	if (!options->allow_breakpoints)
		why = "Erlang functions need breakpoints of the VM, which change the node; -x via=vm allows them";
	else if (!names_nodes(options, spec))
		why = "breakpoints change nodes, so select nodes with -p, --node or another option, or as beamPID";
	else if (probes_child(probes))
		why = "only nodes that run when the trace begins get breakpoints, and not the command of -c";
	if (why)
		probes_explain(probes, "%s", why);
	return !why;
}

/* Checks whether the node has any of the functions. 0 or -errno. */
static int look_for_functions(struct probes *probes, const struct probe_spec *spec, const struct target *target,
			      bool *is_found)
{
	_cleanup_free_ char *glob = beam_spec_glob(spec);
	char why[BREAKPOINTS_WHY];
	int err = glob ? breakpoints_find(target, glob, why) : -ENOMEM;

	*is_found |= !err;
	if (err == -ENOMEM)
		return err;
	if (err)
		probes_explain(probes, "%s", why);
	return 0;
}

static void explain_no_jit(const struct search *s)
{
	if (beam_spec_is_old(s->spec))
		probes_explain(s->probes,
			       "the VM has no JIT: if it has notes, erlang*:::%s fires for all its functions, and a "
			       "predicate such as /copyinstr(arg1) == \"shop:order/2\"/ chooses one",
			       s->spec->name);
	else
		probes_explain(s->probes, "the VM has no JIT, and so no breakpoints for probes");
}

/* The probe of the VM exists, whichever functions it has. */
static int discover_functions(struct search *s, const struct vms *vms)
{
	bool is_found = false;
	int err = 0;

	for (size_t i = 0; !err && i < vms->targets.count; i++) {
		const struct target *target = vms->targets.targets[i];

		if (!is_meant_process(s->spec, target->pid))
			continue;
		err = discover_in(s, target);
		if (!err && target->vm->flavor == FLAVOR_JIT)
			err = look_for_functions(s->probes, s->spec, target, &is_found);
		else if (!err)
			explain_no_jit(s);
	}
	return err ? err : is_found ? 0 : -ENOENT;
}

static int discover_in_all(struct search *s, const struct vms *vms)
{
	int err = 0;

	for (size_t i = 0; !err && i < vms->targets.count; i++) {
		if (is_meant_process(s->spec, vms->targets.targets[i]->pid))
			err = discover_in(s, vms->targets.targets[i]);
	}
	return err;
}

static int visit_declared(const struct target *target, const struct probe_spec *spec,
			  void (*visit)(void *data, const struct probe_names *names), void *data)
{
	char provider[PROBE_NAME_SIZE];
	struct declared declared;
	int err = declared_read(target, &declared);

	probe_numbered(APP_PROVIDER, (unsigned int)target->pid, provider);
	for (size_t i = 0; !err && i < declared.count; i++) {
		const struct probe_names names = { 0, provider, "", "", declared.names[i] };

		if (glob_matches(spec->name, declared.names[i]))
			visit(data, &names);
	}
	declared_free(&declared);
	return err;
}

int erlang_declared(struct probes *probes, const struct probe_spec *spec,
		    void (*visit)(void *data, const struct probe_names *names), void *data)
{
	struct vms *vms = vms_of(probes);
	int err = vms ? find_targets(probes, vms, spec->provider) : -ENOMEM;

	for (size_t i = 0; !err && i < vms->targets.count; i++) {
		if (is_meant_process(spec, vms->targets.targets[i]->pid))
			err = visit_declared(vms->targets.targets[i], spec, visit, data);
	}
	return err;
}

static int discover(struct probes *probes, const struct probe_spec *spec)
{
	struct search s = { .probes = probes, .spec = spec };
	struct vms *vms;
	int err;

	if (!names_meant(spec))
		return 0;
	if (spec->beam && !may_set_breakpoints(probes, spec))
		return -ENOENT;
	vms = vms_of(probes);
	err = vms ? find_targets(probes, vms, spec->provider) : -ENOMEM;
	if (!err && vms->targets.count)
		err = spec->beam ? discover_functions(&s, vms) : discover_in_all(&s, vms);
	if (!err && !vms->targets.count)
		explain_nobody(probes);
	return err;
}

static int list(struct probes *probes)
{
	const struct probe_spec all = {
		.text = "erlang*:::",
		.provider = "erlang*",
		.module = "",
		.function = "",
		.name = "",
	};

	return discover(probes, &all);
}

const struct provider provider_erlang = { .discover = discover, .list = list };
