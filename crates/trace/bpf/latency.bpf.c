// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Latencies of system calls and of block requests, counted in the kernel: no event is ever handed to user space, so
// that what is traced is disturbed as little as possible. Raw tracepoints only: they need no tracefs and, of
// capabilities, CAP_BPF and CAP_PERFMON.
//
// Built once by build.sh; the object lies beside this file. Offsets of the kernel's structures are filled in when it is
// loaded (CO-RE), so that one object serves all kernels and processors of the same byte order.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name

// Numbers of enum bpf_map_type.
#define HASH 1
#define ARRAY 2
#define PER_CPU_ARRAY 6

static void *(*bpf_map_lookup_elem)(void *, const void *) = (void *)1;
static long (*bpf_map_update_elem)(void *, const void *, const void *, u64) = (void *)2;
static long (*bpf_map_delete_elem)(void *, const void *) = (void *)3;
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
static u64 (*bpf_get_current_task)(void) = (void *)35;
static long (*bpf_probe_read_user)(void *, u32, const void *) = (void *)112;
static long (*bpf_probe_read_kernel)(void *, u32, const void *) = (void *)113;

// The parts of the kernel's structures that are read; where they are is found out when the object is loaded.
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct super_block {
	unsigned long s_magic;
};
struct inode {
	u16 i_mode;
	struct super_block *i_sb;
};
struct file {
	struct inode *f_inode;
};
struct fdtable {
	u32 max_fds;
	struct file **fd;
};
struct files_struct {
	struct fdtable *fdt;
};
struct task_struct {
	int tgid;
	struct task_struct *real_parent;
	struct files_struct *files;
};
struct gendisk {
	int major;
	int first_minor;
};
struct request_queue {
	struct gendisk *disk;
};
struct request {
	struct request_queue *q;
	u32 cmd_flags;
	u32 __data_len;
	u64 start_time_ns;
};
struct io_cqe {
	int res;
};
struct io_kiocb {
	struct file *file;
	u8 opcode;
	struct io_cqe cqe;
};
#pragma clang attribute pop

#define READ(to, from) bpf_probe_read_kernel(&to, sizeof(to), __builtin_preserve_access_index(&from))

// Words that src/layout.rs says as well.
#define SUB_BITS 5	 /* 32 linear buckets per power of two: a bucket is at most 1/32 as wide as its values are large */
#define NS_BITS 47	 /* what takes longer than 2^47 ns (39 hours) counts as that */
#define SLOTS ((NS_BITS - SUB_BITS + 1) << SUB_BITS)
#define CALL_NUMBERS 512
#define CALL_KINDS 24	 /* histograms of system calls, and of I/O that is handed over and not waited for in the call */
#define AIO_KIND 16	 /* the first of three (read, write, sync) of I/O by io_submit */
#define URING_KIND 20	 /* the first of three of I/O by io_uring */
#define BLOCK_KINDS 8	 /* histograms of requests: four operations from the queue, four from the driver */
#define OPERATIONS 4	 /* READ, WRITE, FLUSH, DISCARD: the numbers 0 to 3 of enum req_op, the same since Linux 4.10 */
#define ONLY_FILES 0x100 /* this call counts only where its descriptor is a file or a block device */
#define SUBMITS 0x200	 /* this call hands I/O over: io_submit */
#define REAPS 0x400	 /* this call brings back what was handed over: io_getevents */
#define REAPING CALL_KINDS /* in the place of a kind: a call that brings back */
#define BATCH_MAX 128	 /* I/Os of one such call that are looked at; what is beyond is lost */

struct histogram {
	u64 count;
	u64 sum_ns;
	u64 bytes;
	u64 least_ns; /* 0 until there is one */
	u64 most_ns;
	u64 slots[SLOTS];
};

struct settings {
	u32 on;		  /* nothing is counted while this is 0 */
	u32 device;	  /* major << 20 | minor of the whole disk; 0 for none */
	u32 argument_at[4]; /* where the first arguments of a system call lie in its registers, bytes */
};

struct call {
	u64 at_ns;
	u64 list; /* of a call that brings back: where it is to write what (struct io_event[]) */
	u32 kind;
	u32 unused;
};

// I/O that was handed over: the address that its process gave it (struct iocb) with the process, or the kernel's own
// (struct io_kiocb) with 0.
struct handle {
	u64 address;
	u64 process;
};

struct handed {
	u64 at_ns;
	u32 kind;
	u32 unused;
};

// What io_submit takes and io_getevents gives (linux/aio_abi.h), the parts that are read.
struct iocb {
	u64 data;
	u32 key_and_flags[2];
	u16 opcode;
	u16 priority;
	u32 descriptor;
};
struct io_event {
	u64 data;
	u64 iocb;
	s64 answer;
	s64 more;
};

struct { __uint(type, ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct settings); } settings SEC(".maps");
// The processes that are traced, with all that they started: their process ids.
struct { __uint(type, HASH); __uint(max_entries, 1024); __type(key, u32); __type(value, u32); } roots SEC(".maps");
// By number of the system call: 0, or 1 + the place of its histogram, and ONLY_FILES.
struct { __uint(type, ARRAY); __uint(max_entries, CALL_NUMBERS); __type(key, u32); __type(value, u32); } wanted SEC(".maps");
// Calls that have begun, by thread; requests that were issued, by the address of the request.
struct { __uint(type, HASH); __uint(max_entries, 32768); __type(key, u32); __type(value, struct call); } begun SEC(".maps");
struct { __uint(type, HASH); __uint(max_entries, 16384); __type(key, u64); __type(value, u64); } issued SEC(".maps");
// I/O that was handed over and has not come back.
struct { __uint(type, HASH); __uint(max_entries, 32768); __type(key, struct handle); __type(value, struct handed); } handed SEC(".maps");
struct { __uint(type, PER_CPU_ARRAY); __uint(max_entries, CALL_KINDS); __type(key, u32); __type(value, struct histogram); } calls SEC(".maps");
struct { __uint(type, PER_CPU_ARRAY); __uint(max_entries, BLOCK_KINDS); __type(key, u32); __type(value, struct histogram); } requests SEC(".maps");
// Events that found no room above.
struct { __uint(type, PER_CPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, u64); } lost SEC(".maps");

struct context {
	u64 args[3];
};

INLINE struct settings *all_settings(void)
{
	u32 first = 0;
	return bpf_map_lookup_elem(&settings, &first);
}

INLINE struct settings *settings_if_on(void)
{
	struct settings *set = all_settings();
	return set && set->on ? set : 0;
}

// Argument `which` of the system call whose registers `context` brings.
INLINE u64 argument(u64 registers, struct settings *set, u32 which)
{
	u64 value = 0;
	bpf_probe_read_kernel(&value, sizeof(value), (void *)(registers + set->argument_at[which]));
	return value;
}

INLINE void count_lost(void)
{
	u32 first = 0;
	u64 *count = bpf_map_lookup_elem(&lost, &first);
	if (count)
		__sync_fetch_and_add(count, 1);
}

// The place of the highest bit that is set; 0 for 0.
INLINE u32 highest_bit(u64 value)
{
	u32 bit = 0;
	if (value >> 32) { value >>= 32; bit += 32; }
	if (value >> 16) { value >>= 16; bit += 16; }
	if (value >> 8) { value >>= 8; bit += 8; }
	if (value >> 4) { value >>= 4; bit += 4; }
	if (value >> 2) { value >>= 2; bit += 2; }
	if (value >> 1) { bit += 1; }
	return bit;
}

INLINE u32 slot_of(u64 ns)
{
	u64 highest = ((u64)1 << NS_BITS) - 1;
	if (ns > highest)
		ns = highest;
	if (ns < (1 << SUB_BITS))
		return ns;
	u32 shift = highest_bit(ns) - SUB_BITS;
	return ((shift + 1) << SUB_BITS) | ((ns >> shift) & ((1 << SUB_BITS) - 1));
}

// Counts one event. A histogram belongs to one processor; the additions are atomic all the same, because an interrupt
// may come between.
INLINE void count(void *map, u32 kind, u64 ns, u64 bytes)
{
	struct histogram *of = bpf_map_lookup_elem(map, &kind);
	if (!of)
		return;
	if (!ns)
		ns = 1;
	u32 slot = slot_of(ns);
	if (slot >= SLOTS)
		return;
	__sync_fetch_and_add(&of->count, 1);
	__sync_fetch_and_add(&of->sum_ns, ns);
	__sync_fetch_and_add(&of->bytes, bytes);
	__sync_fetch_and_add(&of->slots[slot], 1);
	if (!of->least_ns || ns < of->least_ns)
		of->least_ns = ns;
	if (ns > of->most_ns)
		of->most_ns = ns;
}

// Whether the thread belongs to a process that is traced, or to one that such a process started (three generations: a
// server, its sessions, what those start).
INLINE int is_traced(struct task_struct *task)
{
#pragma unroll
	for (int generation = 0; generation <= 3; generation++) {
		u32 process = 0;
		READ(process, task->tgid);
		if (bpf_map_lookup_elem(&roots, &process))
			return 1;
		struct task_struct *parent = 0;
		READ(parent, task->real_parent);
		if (!parent)
			return 0;
		task = parent;
	}
	return 0;
}

// Whether it is a file or a block device: not a socket, a pipe, a terminal, nor a file that the kernel makes up while it
// is read.
INLINE int is_stored(struct file *file)
{
	struct inode *inode = 0;
	struct super_block *system = 0;
	u16 mode = 0;
	unsigned long magic = 0;

	READ(inode, file->f_inode);
	READ(mode, inode->i_mode);
	mode &= 0170000;
	if (mode == 0060000)
		return 1;
	if (mode != 0100000)
		return 0;
	READ(system, inode->i_sb);
	READ(magic, system->s_magic);
	switch (magic) {
	case 0x9fa0:	 /* proc */
	case 0x62656572: /* sysfs */
	case 0x0027e0eb: /* cgroup */
	case 0x63677270: /* cgroup2 */
	case 0x64626720: /* debugfs */
	case 0x74726163: /* tracefs */
		return 0;
	}
	return 1;
}

// Whether a descriptor is such a file.
INLINE int is_file(struct task_struct *task, u32 descriptor)
{
	struct files_struct *files = 0;
	struct fdtable *table = 0;
	struct file **list = 0, *file = 0;
	u32 length = 0;

	READ(files, task->files);
	READ(table, files->fdt);
	READ(length, table->max_fds);
	if (descriptor >= length)
		return 0;
	READ(list, table->fd);
	bpf_probe_read_kernel(&file, sizeof(file), list + descriptor);
	return is_stored(file);
}

// Notes I/O that is handed over with io_submit: it has begun when the call has.
INLINE void note_submitted(u64 registers, struct settings *set, struct task_struct *task)
{
	u64 length = argument(registers, set, 1), list = argument(registers, set, 2);
	u64 now = bpf_ktime_get_ns();
	u64 process = bpf_get_current_pid_tgid() >> 32;

#pragma clang loop unroll(disable)
	for (u32 index = 0; index < BATCH_MAX; index++) {
		if (index >= length)
			return;
		struct handle handle = { .process = process };
		struct iocb block = {};
		bpf_probe_read_user(&handle.address, sizeof(handle.address), (void *)(list + index * 8));
		bpf_probe_read_user(&block, sizeof(block), (void *)handle.address);
		u32 kind = AIO_KIND;
		switch (block.opcode) {
		case 0: /* PREAD */
		case 7: /* PREADV */
			break;
		case 1: /* PWRITE */
		case 8: /* PWRITEV */
			kind = AIO_KIND + 1;
			break;
		case 2: /* FSYNC */
		case 3: /* FDSYNC */
			kind = AIO_KIND + 2;
			break;
		default:
			continue;
		}
		if (!is_file(task, block.descriptor))
			continue;
		struct handed one = { .at_ns = now, .kind = kind };
		if (bpf_map_update_elem(&handed, &handle, &one, 0))
			count_lost();
	}
	if (length > BATCH_MAX)
		count_lost();
}

// Counts the I/O that a call brought back.
INLINE void count_reaped(u64 list, s64 length, u64 now)
{
	u64 process = bpf_get_current_pid_tgid() >> 32;

#pragma clang loop unroll(disable)
	for (u32 index = 0; index < BATCH_MAX; index++) {
		if (index >= length)
			return;
		struct io_event event = {};
		bpf_probe_read_user(&event, sizeof(event), (void *)(list + index * sizeof(event)));
		struct handle handle = { .address = event.iocb, .process = process };
		struct handed *found = bpf_map_lookup_elem(&handed, &handle);
		if (!found)
			continue;
		struct handed one = *found;
		bpf_map_delete_elem(&handed, &handle);
		if (event.answer >= 0)
			count(&calls, one.kind, now - one.at_ns, event.answer);
	}
	if (length > BATCH_MAX)
		count_lost();
}

SEC("raw_tp/sys_enter")
int call_begins(struct context *ctx)
{
	u64 number = ctx->args[1];
	if (number >= CALL_NUMBERS)
		return 0;
	u32 key = number;
	u32 *found = bpf_map_lookup_elem(&wanted, &key);
	if (!found || !*found)
		return 0;
	struct settings *set = all_settings();
	/* A call that brings I/O back may have begun long before that was handed over. */
	if (!set || !(set->on || *found & REAPS))
		return 0;
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	if (!is_traced(task))
		return 0;
	if (*found & SUBMITS) {
		note_submitted(ctx->args[0], set, task);
		return 0;
	}
	if (*found & ONLY_FILES && !is_file(task, argument(ctx->args[0], set, 0)))
		return 0;
	u32 thread = bpf_get_current_pid_tgid();
	struct call call = { .kind = (*found & 0xff) - 1, .at_ns = bpf_ktime_get_ns() };
	if (*found & REAPS) {
		call.kind = REAPING;
		call.list = argument(ctx->args[0], set, 3);
	}
	if (bpf_map_update_elem(&begun, &thread, &call, 0))
		count_lost();
	return 0;
}

SEC("raw_tp/sys_exit")
int call_ends(struct context *ctx)
{
	u32 thread = bpf_get_current_pid_tgid();
	struct call *found = bpf_map_lookup_elem(&begun, &thread);
	if (!found)
		return 0;
	/* Not before: most calls are not counted, and reading the clock is most of what this program would cost them. */
	u64 now = bpf_ktime_get_ns();
	struct call call = *found;
	bpf_map_delete_elem(&begun, &thread);
	s64 answer = ctx->args[1];
	/* What failed has not done what it is counted for. */
	if (answer < 0 || !settings_if_on())
		return 0;
	if (call.kind == REAPING)
		count_reaped(call.list, answer, now);
	else
		count(&calls, call.kind, now - call.at_ns, answer);
	return 0;
}

// I/O that is handed over through a ring: a read, a write or a sync, from here to its completion.
SEC("raw_tp/io_uring_submit_req")
int ring_submits(struct context *ctx)
{
	if (!settings_if_on() || !is_traced((struct task_struct *)bpf_get_current_task()))
		return 0;
	struct io_kiocb *request = (struct io_kiocb *)ctx->args[0];
	struct handle handle = { .address = ctx->args[0] };
	u8 opcode = 0;
	READ(opcode, request->opcode);
	u32 kind = URING_KIND;
	switch (opcode) {
	case 1:	 /* READV */
	case 4:	 /* READ_FIXED */
	case 22: /* READ */
	case 60: /* READV_FIXED */
		break;
	case 2:	 /* WRITEV */
	case 5:	 /* WRITE_FIXED */
	case 23: /* WRITE */
	case 61: /* WRITEV_FIXED */
		kind = URING_KIND + 1;
		break;
	case 3: /* FSYNC */
		kind = URING_KIND + 2;
		break;
	default:
		bpf_map_delete_elem(&handed, &handle);
		return 0;
	}
	struct handed one = { .at_ns = bpf_ktime_get_ns(), .kind = kind };
	if (bpf_map_update_elem(&handed, &handle, &one, 0))
		count_lost();
	return 0;
}

// Its file is known only now: a descriptor is looked up when the request is carried out.
SEC("raw_tp/io_uring_complete")
int ring_completes(struct context *ctx)
{
	struct handle handle = { .address = ctx->args[1] };
	struct handed *found = bpf_map_lookup_elem(&handed, &handle);
	if (!found)
		return 0;
	u64 now = bpf_ktime_get_ns();
	struct handed one = *found;
	bpf_map_delete_elem(&handed, &handle);
	struct io_kiocb *request = (struct io_kiocb *)ctx->args[1];
	struct file *file = 0;
	int answer = 0;
	READ(answer, request->cqe.res);
	READ(file, request->file);
	if (answer < 0 || !settings_if_on() || !is_stored(file))
		return 0;
	count(&calls, one.kind, now - one.at_ns, answer);
	return 0;
}

SEC("raw_tp/block_rq_issue")
int request_issued(struct context *ctx)
{
	struct settings *set = settings_if_on();
	if (!set || !set->device)
		return 0;
	u64 key = ctx->args[0];
	struct request *request = (struct request *)key;
	struct request_queue *queue = 0;
	struct gendisk *disk = 0;
	u32 major = 0, minor = 0;
	READ(queue, request->q);
	READ(disk, queue->disk);
	READ(major, disk->major);
	READ(minor, disk->first_minor);
	if ((major << 20 | minor) != set->device)
		return 0;
	u64 now = bpf_ktime_get_ns();
	/* A request that the driver gave back is issued again: the last time counts. */
	if (bpf_map_update_elem(&issued, &key, &now, 0))
		count_lost();
	return 0;
}

// By the address of the request and not by its sector: that of a flush is another one when it completes. One without
// data that was never issued completes, too, and is none of the device's.
SEC("raw_tp/block_rq_complete")
int request_completed(struct context *ctx)
{
	u64 key = ctx->args[0];
	u64 *found = bpf_map_lookup_elem(&issued, &key);
	if (!found)
		return 0;
	u64 now = bpf_ktime_get_ns();
	u64 issued_ns = *found, queued_ns = 0;
	u32 bytes = ctx->args[2], left = 0, flags = 0;
	struct request *request = (struct request *)key;
	READ(left, request->__data_len);
	if (bytes && left > bytes)
		return 0; /* a part of it */
	bpf_map_delete_elem(&issued, &key);
	READ(flags, request->cmd_flags);
	READ(queued_ns, request->start_time_ns);
	u32 operation = flags & 0xff;
	/* The stamp is that of a request that lay at the same address before. */
	if (operation >= OPERATIONS || (queued_ns && issued_ns < queued_ns) || !settings_if_on())
		return 0;
	if (queued_ns)
		count(&requests, operation, now - queued_ns, bytes);
	count(&requests, OPERATIONS + operation, now - issued_ns, bytes);
	return 0;
}

// The kernel gives its memory only to programs whose licence it knows to be compatible with its own.
char LICENSE[] SEC("license") = "Dual MIT/GPL";
