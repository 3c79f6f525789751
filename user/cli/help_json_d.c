// SPDX-License-Identifier: BSD-2-Clause
/* The language D as JSON: functions with examples, built-in variables, options. */
#include "cli/help_json.h"

#include "d/compile.h"
#include "d/lang/builtins.h"
#include "dtrace/options/options.h"
#include "out/json_line.h"

static struct json_object *json_functions(void)
{
	static const char *const kinds[] = {
		[FUNCTION_SUBROUTINE] = "subroutine",
		[FUNCTION_ACTION] = "action",
		[FUNCTION_AGGREGATING] = "aggregating",
	};
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < d_functions.count; i++) {
		const struct d_function *function = &d_functions.rows[i];
		struct json_object *object;

		if (!function->doc)
			continue;
		object = json_new();
		json_add_text(object, "name", function->name);
		json_add_text(object, "kind", kinds[function->kind]);
		json_add_text(object, "prototype", function->prototype);
		json_add_text(object, "doc", function->doc);
		json_add_text(object, "example", function->example);
		json_add_text(object, "prints", function->prints);
		json_add(object, "is_destructive", json_truth(function->is_destructive));
		json_push(list, object);
	}
	return list;
}

static struct json_object *json_variables(void)
{
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < d_builtin_count; i++) {
		struct json_object *object = json_new();

		json_add_text(object, "name", d_builtins[i].name);
		json_add_text(object, "type", d_builtins[i].type);
		json_add_text(object, "doc", d_builtins[i].doc);
		json_push(list, object);
	}
	return list;
}

static struct json_object *json_options(void)
{
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < d_option_count(); i++) {
		struct d_option_help option = d_option_help(i);
		struct json_object *object = json_new();

		json_add_text(object, "name", option.name);
		json_add_text(object, "value", option.value);
		json_add_text(object, "help", option.help);
		json_add(object, "has_effect", json_truth(option.has_effect));
		json_add(object, "can_change", json_truth(option.can_change));
		json_push(list, object);
	}
	return list;
}

struct json_object *help_json_d(void)
{
	struct json_object *d = json_new();

	json_add(d, "functions", json_functions());
	json_add(d, "variables", json_variables());
	json_add(d, "options", json_options());
	return d;
}
