/**
 * How many watched worlds one shard carries: a real shard on the real clock, whose frames are dropped.
 * On a busy machine raise its priority: `nice -n -10 npm run bench -- shard`.
 */
import { readFileSync } from 'node:fs';
import { TICK_MS } from '../assembly/layout.ts';
import { NodeClock } from '../src/clock.ts';
import type { Encoding } from '../src/codec/encoding.ts';
import { FRAME_MS } from '../src/limits.ts';
import { loadCities } from '../src/load-cities.ts';
import { createLog } from '../src/log.ts';
import type { Report } from '../src/shard/protocol.ts';
import { Shard } from '../src/shard/shard.ts';
import { type StopTimer, systemTime } from '../src/time.ts';
import { agedWorlds, loadKernel, newWorld, SHIPPED } from './aged-worlds.ts';
import { AGE_TICKS } from './car-ticks.ts';
import { type Figure, figure } from './common/figures.ts';
import { threadTimesNs } from './common/processor-time.ts';

/** The worlds of the shard start as copies of these. */
const AGED = 300;
const FIRST_COUNT = 1000;
const COUNT_MAX = 8000;
const COUNT_MIN = 2500;
/** Of the thread, for which the worlds are counted. */
const SHARE = 0.6;
const SETTLE_MS = 3000;
const MEASURE_MS = 8000;
const PUBLISH_MS = 4;
const FRAMES_PER_S = 1000 / FRAME_MS;
/** With fewer frames the shard did not get enough time, and its usage means nothing. */
const FRAMES_SHARE_MIN = 0.95;

export async function run(): Promise<Figure[]> {
  const crowd = new HotCrowd();
  await crowd.start();
  try {
    return [...(await figuresOf(crowd, 'json')), ...(await figuresOf(crowd, 'msgpack'))];
  } finally {
    await crowd.stop();
  }
}

/** Measures some worlds, then about as many as fit, and scales the result. */
async function figuresOf(crowd: HotCrowd, encoding: Encoding): Promise<Figure[]> {
  await crowd.watch(FIRST_COUNT, encoding);
  const first = await crowd.measure();
  const guess = Math.round((FIRST_COUNT * SHARE) / first.share);
  const count = Math.min(COUNT_MAX, guess);
  await crowd.watch(count, encoding);
  const { share, framesPerS, hotPerMille } = await crowd.measure();
  const made = framesPerS / (count * FRAMES_PER_S);
  if (made < FRAMES_SHARE_MIN)
    throw new Error(
      `the machine is too busy: the shard made ${Math.round(made * 100)} % of the frames`,
    );
  const usPerFrame = (share * FRAME_MS * 1000) / count;
  const worlds = (count * SHARE) / share;
  const atLeast = { atLeast: COUNT_MIN };
  const as = encoding === 'json' ? 'JSON' : 'MessagePack';
  return [
    figure(`hot at ${SHARE * 100} % of a shard, ${as}`, worlds, 'worlds', atLeast),
    figure(`  of its thread, ${FIRST_COUNT} worlds`, first.share * 100, '%'),
    figure('  of its thread, that many worlds', share * 100, '%'),
    figure('  as the shard estimates', hotPerMille / 10, '%'),
    figure('  of a frame', usPerFrame, 'µs'),
    figure('  frames made, of those due', made * 100, '%', { better: 'larger' }),
  ];
}

/** A shard with watched worlds. */
class HotCrowd {
  readonly #clock = new NodeClock(systemTime, systemTime.wallMs());
  readonly #shard: Shard;
  readonly #images: Uint8Array[];
  readonly #cityCount: number;
  #stopPublishing: StopTimer = () => {};
  #opened = 0;
  #watched = 0;
  #frames = 0;

  constructor() {
    const { kernel, cities } = loadKernel(AGED);
    this.#cityCount = cities.tables.length;
    const slabs = agedWorlds(kernel, AGED, AGE_TICKS, this.#cityCount);
    this.#images = slabs.map((slab) => kernel.image(slab));
    const settings = {
      wasm: new Uint8Array(readFileSync(SHIPPED)),
      cities: loadCities(),
      slabCount: COUNT_MAX,
      admittedPerMille: 1000,
      clock: this.#clock,
      time: systemTime,
      log: createLog('warn'),
      faults: false,
    };
    this.#shard = new Shard(0, settings);
  }

  async start(): Promise<void> {
    await this.#shard.start({
      report: (_, report) => this.#take(report),
      died: () => {
        throw new Error('the shard died');
      },
    });
    this.#stopPublishing = systemTime.every(PUBLISH_MS, () => this.#clock.now());
  }

  async stop(): Promise<void> {
    this.#stopPublishing();
    await this.#shard.stop();
  }

  #take(report: Report): void {
    if (report.kind === 'trapped') throw new Error(`a world trapped: ${report.message}`);
    if (report.kind !== 'frames') return;
    this.#frames += report.worlds;
    this.#shard.acknowledge(report.number);
  }

  /** Watches the first `count` worlds, in one encoding, and no others. */
  async watch(count: number, encoding: Encoding): Promise<void> {
    while (this.#opened < count) await this.#open(this.#opened++, count);
    for (let i = 0; i < Math.max(count, this.#watched); i += 1) {
      const json = i < count && encoding === 'json';
      const msgpack = i < count && encoding === 'msgpack';
      const watched = { kind: 'watch', residency: 1, packed: false } as const;
      this.#shard.command({ ...watched, world: i + 1, json, msgpack });
    }
    this.#watched = count;
    await systemTime.sleep(SETTLE_MS);
  }

  /** Frames of the worlds are due at times spread over the frame period. */
  async #open(i: number, count: number): Promise<void> {
    const bytes = this.#images[i % this.#images.length];
    if (!bytes) throw new Error('no world was aged');
    const phaseMs = Math.floor((i * FRAME_MS) / count) % FRAME_MS;
    const { cityIndex, seed } = newWorld(i % this.#images.length, this.#cityCount);
    await this.#shard.open({
      world: i + 1,
      residency: 1,
      cityIndex,
      createdAtMs: this.#clock.now() - AGE_TICKS * TICK_MS - phaseMs,
      past: {
        seed,
        from: { tick: 0, seq: 0, masks: [] },
        image: { tick: AGE_TICKS, seq: 0, bytes },
        changes: new Int32Array(0),
      },
    });
  }

  async measure() {
    const before = threadTimesNs('self');
    const [startMs, frames] = [systemTime.now(), this.#frames];
    await systemTime.sleep(MEASURE_MS);
    const elapsedMs = systemTime.now() - startMs;
    const after = threadTimesNs('self');
    // Apart from the main thread, only the shard's thread works.
    after.delete(String(process.pid));
    const busiest = Math.max(...[...after].map(([id, ns]) => ns - (before.get(id) ?? 0)));
    return {
      /** Processor time of the shard's thread. */
      share: busiest / 1e6 / elapsedMs,
      framesPerS: ((this.#frames - frames) * 1000) / elapsedMs,
      hotPerMille: this.#shard.hotPerMille,
    };
  }
}
