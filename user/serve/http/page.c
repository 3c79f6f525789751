// SPDX-License-Identifier: BSD-2-Clause
#include "serve/http/page.h"

#include "base/embed.h"

EMBED("page", "user/serve/http/page.html");
EMBED("page_charts", "user/serve/http/dygraph.min.js");
