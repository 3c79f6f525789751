// SPDX-License-Identifier: BSD-2-Clause
#include "base/process/library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"

/* dlsym() returns a function as an object pointer: valid in POSIX, not in C, hence the copy. */
static bool find(void *library, const struct library_symbol *wanted)
{
	void *symbol = dlsym(library, wanted->name);

	memcpy(wanted->function, &symbol, sizeof(symbol));
	return symbol;
}

void *library_load(const char *file, const char *package, const char *purpose, const struct library_symbol *symbols,
		   size_t count)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		pr_err("%s needs %s; install it: apt install %s", purpose, file, package);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		if (find(library, &symbols[i]))
			continue;
		pr_err("%s is not the expected library: %s", file, dlerror());
		dlclose(library);
		return NULL;
	}
	return library;
}
