import type { Kernel, Slab } from '../../src/kernel/kernel.ts';

/** Worlds in one instance of the kernel: its memory has a fixed size. */
export const SLABS_OF_KERNEL = 16;

/** The place of one world in the memory of a kernel. */
export class LeasedSlab {
  readonly kernel: Kernel;
  #slab: Slab | undefined;

  constructor(kernel: Kernel, slab: Slab) {
    this.kernel = kernel;
    this.#slab = slab;
  }

  /** Throws once it is released: another world may be there. */
  get slab(): Slab {
    if (this.#slab === undefined) throw new Error('this world is closed');
    return this.#slab;
  }

  get isReleased(): boolean {
    return this.#slab === undefined;
  }

  /** Makes it free for another world. */
  release(): void {
    if (this.#slab !== undefined) this.kernel.release(this.#slab);
    this.#slab = undefined;
  }
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
      if (slab !== undefined) return new LeasedSlab(kernel, slab);
    }
    const kernel = this.#makeKernel();
    this.#kernels.push(kernel);
    const slab = kernel.acquire();
    if (slab === undefined) throw new RangeError('a new kernel has no free slab');
    return new LeasedSlab(kernel, slab);
  }
}
