/* NOPs per second through io_uring in the smallest loop there is: no addresses, no times, no counts. For ring-ceiling.sh.
 *
 *   ring_ceiling BATCH      BATCH operations for each system call */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES 128

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **words) {
  unsigned batch = count > 1 ? (unsigned)atoi(words[1]) : 32;
  struct io_uring_params params;
  memset(&params, 0, sizeof params);
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  int ring = (int)syscall(__NR_io_uring_setup, ENTRIES, &params);
  if (ring < 0 || batch < 1 || batch > ENTRIES) {
    fprintf(stderr, "error: no ring of Linux 6.1, or a batch that is not 1 to %d\n", ENTRIES);
    return 1;
  }
  int access = PROT_READ | PROT_WRITE, sharing = MAP_SHARED | MAP_POPULATE;
  size_t sq_bytes = params.sq_off.array + params.sq_entries * sizeof(unsigned);
  size_t cq_bytes = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
  char *sq = mmap(0, sq_bytes, access, sharing, ring, IORING_OFF_SQ_RING);
  char *cq = mmap(0, cq_bytes, access, sharing, ring, IORING_OFF_CQ_RING);
  struct io_uring_sqe *entries = mmap(0, params.sq_entries * sizeof *entries, access, sharing, ring, IORING_OFF_SQES);
  unsigned *tail = (void *)(sq + params.sq_off.tail), sq_mask = *(unsigned *)(sq + params.sq_off.ring_mask);
  unsigned *index = (void *)(sq + params.sq_off.array);
  unsigned *head = (void *)(cq + params.cq_off.head), *end = (void *)(cq + params.cq_off.tail);
  for (unsigned slot = 0; slot < params.sq_entries; slot++) index[slot] = slot;
  double best = 0;
  for (int series = 0; series < 10; series++) {
    long done = 0;
    double start = now(), passed;
    do {
      for (int round = 0; round < 100; round++) {
        for (unsigned slot = 0; slot < batch; slot++) {
          struct io_uring_sqe *entry = &entries[(*tail + slot) & sq_mask];
          memset(entry, 0, sizeof *entry);
          entry->opcode = IORING_OP_NOP;
        }
        __atomic_store_n(tail, *tail + batch, __ATOMIC_RELEASE);
        syscall(__NR_io_uring_enter, ring, batch, batch, IORING_ENTER_GETEVENTS, 0, 0);
        unsigned found = __atomic_load_n(end, __ATOMIC_ACQUIRE);
        done += found - *head;
        __atomic_store_n(head, found, __ATOMIC_RELEASE);
      }
    } while ((passed = now() - start) < 0.05);
    if (done / passed > best) best = done / passed;
  }
  printf("%.0f\n", best);
  return 0;
}
