/* A program with probes of its own. */
#include "shop.h"

int main(void)
{
	static char what[] = "apples";

	for (int i = 1; i <= 3; i++) {
		SHOP_ORDER_START(i, what);
		SHOP_ORDER_DONE(i);
	}
	return 0;
}
