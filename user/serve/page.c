// SPDX-License-Identifier: BSD-2-Clause
#include "serve/page.h"

#include "base/embed.h"

EMBED("page", "user/serve/page.html");
EMBED("page_charts", "user/serve/dygraph.min.js");
