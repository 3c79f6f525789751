/* What the programs of this folder trace: a process that does a little of everything; with a word, it also spins. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline, noclone))

struct point {
	int x, y;
};

volatile long sink;

PLAIN long leaf(long n)
{
	return sink = n * 2;
}

PLAIN long work(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += leaf(i) + 1;
	return sum;
}

PLAIN int fails(int n)
{
	if (n > 10)
		return 0;
	sink = n;
	return -5;
}

PLAIN void greet(const char *text)
{
	sink = text[0];
}

PLAIN void move(struct point *p)
{
	p->x++;
}

PLAIN void spin(void)
{
	for (long i = 0; i < 200000000; i++)
		sink += i;
}

static void *thread(void *data)
{
	return data;
}

int main(int argc, char **argv)
{
	struct timespec pause = { .tv_nsec = 2000000 };
	static char greeting[] = "good morning";
	static struct point p = { 3, 4 };
	pthread_t other;

	/* A probe can only read what is in memory. */
	sink = greeting[0] + p.y;
	work(3);
	fails(2);
	greet(greeting);
	move(&p);
	sink = p.x;
	for (int i = 0; i < 4; i++) {
		void *volatile memory = malloc(8192);

		free(memory);
		nanosleep(&pause, NULL);
	}
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	if (!fork())
		_exit(0);
	wait(NULL);
	if (argc > 1)
		spin();
	return argv[0] ? 0 : 1;
}
