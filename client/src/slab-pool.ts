import type { Kernel, Slab } from '../../src/kernel/kernel.ts';

/** Worlds in one instance of the kernel: its memory has a fixed size. */
export const SLABS_OF_KERNEL = 16;

/** The place of one world in the memory of a kernel. */
export interface LeasedSlab {
  readonly kernel: Kernel;
  readonly slab: Slab;
  /** Makes it free for another world. */
  release(): void;
}

/** Slabs for any number of worlds of one city: kernels are made as they are needed. */
export class SlabPool {
  readonly #makeKernel: () => Kernel;
  readonly #kernels: Kernel[] = [];

  /** @param makeKernel a kernel with SLABS_OF_KERNEL free slabs */
  constructor(makeKernel: () => Kernel) {
    this.#makeKernel = makeKernel;
  }

  lease(): LeasedSlab {
    for (const kernel of this.#kernels) {
      const slab = kernel.acquire();
      if (slab !== undefined) return leased(kernel, slab);
    }
    const kernel = this.#makeKernel();
    this.#kernels.push(kernel);
    const slab = kernel.acquire();
    if (slab === undefined) throw new RangeError('a new kernel has no free slab');
    return leased(kernel, slab);
  }
}

function leased(kernel: Kernel, slab: Slab): LeasedSlab {
  let isLeased = true;
  return {
    kernel,
    slab,
    release() {
      if (isLeased) kernel.release(slab);
      isLeased = false;
    },
  };
}
