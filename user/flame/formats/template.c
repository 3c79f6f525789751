// SPDX-License-Identifier: BSD-2-Clause
#include "flame/formats/template.h"

#include "base/embed.h"

EMBED("flame_html", "user/flame/formats/flame.html");
EMBED("flame_svg_script", "user/flame/formats/flame_svg.js");
