/* For usdt-requests.d: `erlbpf -h -s shop.d` makes the header of shop.c. */
provider shop {
	probe order__start(int, char *);
	probe order__done(int);
};
