// SPDX-License-Identifier: BSD-2-Clause
#include "run/selection.h"

#include <string.h>

#include "base/log.h"
#include "node/names/declared.h"
#include "probe/catalogue.h"
#include "trace/nodes.h"

/* Are all probes that there are? */
static bool is_for_all(const char *wired)
{
	return !strcmp(wired, "erlang:*");
}

/* Is the probe one of those that a program of the tool is for, whatever the user names? */
static bool is_of_tool(const void *data, uint32_t probe)
{
	const struct run *run = data;

	for (size_t i = 0; i < loader_program_count(run->loader); i++) {
		const char *wired = loader_program_probe(run->loader, i);

		if (is_for_all(wired) || probe_matches(probe, wired))
			return true;
	}
	return false;
}

static bool is_program_chosen(const struct run *run, const char *wired)
{
	char glob[ATTACH_GLOB_SIZE];

	if (run->chosen)
		return probe_is_chosen(wired, run->chosen);
	for (uint32_t probe = 0; probe < probe_count(); probe++) {
		if (probe_matches(probe, attach_glob(wired, run->options->glob, glob)))
			return true;
	}
	return false;
}

static void refuse(const struct run *run)
{
	const char *glob = run->options->glob, *tool = run->tool->name;
	const char *before = "did you mean \"", *behind = "\"? ";
	char meant[PROBE_GLOB_SIZE];

	if (!*probe_nearest(glob, is_of_tool, run, meant))
		before = behind = "";
	if (is_for_all(loader_program_probe(run->loader, 0)))
		pr_err("no probe matches \"%s\"; %s%s%s`erlbpf list` shows all probes", glob, before, meant, behind);
	else
		pr_err("no probe of %s matches \"%s\"; %s%s%s`erlbpf help %s` names its probes", tool, glob, before,
		       meant, behind, tool);
}

/* Names of an application are compared in the kernel: one, or the beginning of some. */
static bool is_name(const char *glob)
{
	const char *special = strpbrk(glob, "*?[");

	return !special || !strcmp(special, "*");
}

bool selection_has_probes(const struct run *run)
{
	bool is_any = !(run->tool->takes & TAKES_GLOB) || !run->options->chose_glob;

	/* Of tools whose probes are named by the glob itself, it is one of probes. */
	if (!is_any && run->chosen && strcmp(run->chosen, run->options->glob) != 0 && !is_name(run->options->glob)) {
		pr_err("\"%s\": expected a name, or its beginning and \"*\"", run->options->glob);
		return false;
	}
	for (size_t i = 0; !is_any && i < loader_program_count(run->loader); i++)
		is_any = is_program_chosen(run, loader_program_probe(run->loader, i));
	if (!is_any)
		refuse(run);
	return is_any;
}

static bool has_name(const struct target *target, const char *name)
{
	struct declared declared;
	bool is_there = declared_read(target, &declared) != 0 || declared.left_out;

	for (size_t i = 0; !is_there && i < declared.count; i++)
		is_there = !strcmp(declared.names[i], name);
	declared_free(&declared);
	return is_there;
}

static int look_for_name(const struct options *options, bool *is_there)
{
	struct target_list list = {};
	int code = nodes_find(options, &list);

	/* What is not there yet may have it. */
	*is_there = !list.count;
	for (size_t i = 0; !*is_there && i < list.count; i++)
		*is_there = has_name(list.targets[i], options->glob);
	target_list_free(&list);
	return code;
}

int selection_name_check(const struct tool *tool, const struct options *options)
{
	const char *name = tool->of_names && options->chose_glob ? probe_app_name(options->glob) : NULL;
	char meant[PROBE_GLOB_SIZE];
	bool is_there;
	int code;

	/* Who writes "app:" means it. */
	if (!name || name != options->glob || options->command || !*probe_nearest(name, NULL, NULL, meant))
		return EXIT_OK;
	code = look_for_name(options, &is_there);
	if (code != EXIT_OK || is_there)
		return code;
	pr_err("no probe matches \"%s\"; did you mean \"%s\"? `erlbpf list` shows all probes, and app:%s is one that "
	       "an application's code fires",
	       name, meant, name);
	return EXIT_NO_TARGET;
}

const struct tool *selection_tool(const struct tool *tool, struct options *options)
{
	const char *name = tool->of_names && options->chose_glob ? probe_app_name(options->glob) : NULL;

	if (!name)
		return tool;
	options->glob = name;
	options->by = tool->event ? 0 : TAKES_BY_KIND;
	return tool->of_names;
}
