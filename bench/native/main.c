/*
 * Steps worlds in the kernel as `wasm2c` translates it, controlled by bench/native.ts:
 *
 *   main <worlds file>      reads what bench/native.ts wrote, creates the worlds and ages them
 *   <n> on standard input   n visits of every world, in turn
 *
 * and answers each, the ageing first, with a line: processor nanoseconds, state hash of all.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel.h"

#define PAGE_BYTES 65536
#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* Little-endian i32, as bench/native.ts writes them. */
typedef struct {
  int32_t low_bytes; /* memory below the slabs: constants and tables */
  int32_t slab_bytes;
  int32_t types_at; /* where `create` reads types and declared masks */
  int32_t masks_at;
  int32_t city_at; /* in a slab: the index of its city */
  int32_t cars;
  int32_t visit_ticks;
  int32_t age_ticks;
  int32_t worlds;
} Header;

/* Of each world; types and masks of its cars follow it. */
typedef struct {
  int32_t city;
  uint32_t seed;
} World;

/* Target of a trap. */
extern jmp_buf wasm_rt_jmp_buf;

static Z_kernel_instance_t kernel;
static Header header;

static void give_up(const char* why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static void read_exactly(void* into, size_t bytes, FILE* file) {
  if (fread(into, 1, bytes, file) != bytes) give_up("the worlds file is too short");
}

static uint32_t slab_of(int32_t world) {
  return (uint32_t)header.low_bytes + (uint32_t)world * (uint32_t)header.slab_bytes;
}

static void create(int32_t index, FILE* file) {
  uint8_t* memory = Z_kernelZ_memory(&kernel)->data;
  size_t bytes = sizeof(int32_t) * (size_t)header.cars;
  World world;
  read_exactly(&world, sizeof world, file);
  read_exactly(memory + header.types_at, bytes, file);
  read_exactly(memory + header.masks_at, bytes, file);
  Z_kernelZ_create(&kernel, slab_of(index), (uint32_t)world.city, world.seed, 0);
}

static void load(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) give_up("the worlds file cannot be opened");
  read_exactly(&header, sizeof header, file);
  wasm_rt_memory_t* memory = Z_kernelZ_memory(&kernel);
  uint64_t pages = ((uint64_t)slab_of(header.worlds) + PAGE_BYTES - 1) / PAGE_BYTES;
  if (pages > memory->pages) wasm_rt_grow_memory(memory, (uint32_t)(pages - memory->pages));
  if (memory->pages < pages) give_up("no memory");
  read_exactly(memory->data, (size_t)header.low_bytes, file);
  for (int32_t i = 0; i < header.worlds; i++) create(i, file);
  fclose(file);
}

/* A step ends with the first tick that had a contact: go on until all are done. */
static void visit_all(void) {
  for (int32_t i = 0; i < header.worlds; i++) {
    uint32_t slab = slab_of(i);
    for (uint32_t left = (uint32_t)header.visit_ticks; left > 0;) left -= Z_kernelZ_step(&kernel, slab, left);
  }
}

/* Without the index of its city, as the host hashes it. */
static uint64_t hash_of(uint32_t slab) {
  uint8_t* city_at = Z_kernelZ_memory(&kernel)->data + slab + header.city_at;
  uint32_t city;
  memcpy(&city, city_at, sizeof city);
  memset(city_at, 0, sizeof city);
  uint64_t hash = Z_kernelZ_hash(&kernel, slab);
  memcpy(city_at, &city, sizeof city);
  return hash;
}

static uint64_t hash_all(void) {
  uint64_t value = FNV_OFFSET;
  for (int32_t i = 0; i < header.worlds; i++) value = (value ^ hash_of(slab_of(i))) * FNV_PRIME;
  return value;
}

static uint64_t processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void answer(long visits) {
  uint64_t start = processor_ns();
  for (long visit = 0; visit < visits; visit++) visit_all();
  printf("%" PRIu64 " %" PRIu64 "\n", processor_ns() - start, hash_all());
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc != 2) give_up("usage: main <worlds file>");
  wasm_rt_init();
  Z_kernel_init_module();
  Z_kernel_instantiate(&kernel);
  if (WASM_RT_SETJMP(wasm_rt_jmp_buf) != 0) give_up("the kernel trapped");
  load(argv[1]);
  answer(header.age_ticks / header.visit_ticks);
  long visits;
  while (scanf("%ld", &visits) == 1) answer(visits);
  Z_kernel_free(&kernel);
  wasm_rt_free();
  return 0;
}
