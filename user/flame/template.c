// SPDX-License-Identifier: BSD-2-Clause
#include "flame/template.h"

#include "base/embed.h"

EMBED("flame_html", "user/flame/flame.html");
EMBED("flame_svg_script", "user/flame/flame_svg.js");
