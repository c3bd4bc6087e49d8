import { type LifeListener, LocalLife } from './local-life.ts';

/** Has a world live in a worker of this page. Undefined where the browser cannot do that. */
export function openLife(world: string, listener: LifeListener): LocalLife | undefined {
  if (typeof Worker !== 'function' || typeof WebAssembly !== 'object') return undefined;
  const worker = new Worker(new URL('./worker/life-worker.ts', import.meta.url), {
    type: 'module',
  });
  const life = new LocalLife(worker, listener);
  // Any node has the stream of any world, and few messages come by it.
  const streamUrl = `${location.origin.replace(/^http/, 'ws')}/ws/worlds/${world}`;
  life.open(world, streamUrl);
  return life;
}
