// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/search.h"

#include "node/memory/fields.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int resolve_field(void *data, const char *name, int64_t *value)
{
	return field_offset(data, name, value);
}

static void set_heap_layout(const struct vm *vm, struct erl_heap_layout *layout)
{
	const struct {
		const char *name;
		__u64 *offset;
	} wanted[] = {
		{ "process.heap", &layout->heap },	     { "process.htop", &layout->htop },
		{ "process.heap_sz", &layout->size },	     { "process.abandoned_heap", &layout->abandoned },
		{ "process.flags", &layout->flags },	     { "process.old_heap", &layout->old_heap },
		{ "process.old_htop", &layout->old_htop },   { "process.mbuf_sz", &layout->fragments },
		{ "process.scheduler", &layout->scheduler }, { "scheduler.reclaimed", &layout->reclaimed },
	};

	for (size_t i = 0; i < COUNT(wanted); i++) {
		int64_t offset;

		if (field_offset(vm, wanted[i].name, &offset)) {
			*layout = (struct erl_heap_layout){};
			return;
		}
		*wanted[i].offset = (__u64)offset;
	}
}

void source_set_layouts(const struct site_request *request, const struct vm *vm, struct erl_config *config)
{
	if (request->names)
		config->names = *request->names;
	if (!request->pids)
		return;
	config->pids = *request->pids;
	config->otp = (__u64)vm->like;
	set_heap_layout(vm, &config->heap);
}

struct operand_context source_operands(const struct vm *vm)
{
	return (struct operand_context){
		.arch = image_arch(vm->image),
		.is_translator = true,
		.resolve = resolve_field,
		.data = (void *)vm,
	};
}
