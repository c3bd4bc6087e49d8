import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { namesOf } from '../twin/catalogue.ts';
import { parseWorldId, worldIdOf } from '../twin/ids.ts';
import { vinOf } from '../twin/vin.ts';
import { Caller, type CallerParts } from './caller.ts';
import type { NodeSlot } from './node-slot.ts';
import { FAULTS_MS } from './settings.ts';
import type { Answer, Request, SimulatedFront } from './simulated-front.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { shownInFrame } from './toy-kernel.ts';

export const CHANGES = 200;
export const READS = 200;
const STREAMS = 3;
/** Clients begin to call after this time. */
const BEGIN_MS = 1000;
/** A client watches for a moment, or for so long that it sees a partition move. */
const WATCHED_MS_MAX = [1000, 2000, 2000, 10_000];
const RETRY_MS_MAX = 300;
/** A multiplier that reaches every mask of features once. */
const MASK_STEP = 1237;
const FEATURES_PATH = '/api/v1/vehicle/features';
/** Of the reads; the others show the state. */
const FEATURES_SHARE = 0.4;
const GONE = 404;
const UNKNOWN_CAR = 401;

export interface ClientsParts extends CallerParts {
  slots: readonly NodeSlot[];
}

/** An open stream of a client. */
interface Stream {
  process: SimulatedNode;
  close: () => void;
  forget: () => void;
}

/** The clients of a run. They ask nodes at random, and ask another one where one refuses. */
export class Clients {
  readonly #parts: ClientsParts;
  readonly #caller: Caller;
  readonly worlds: number[] = [];
  /** How many changes were asked for of a world. */
  readonly #asked = new Map<number, number>();
  #requestCount = 0;
  readonly #over = Promise.withResolvers<void>();
  #isOver = false;

  constructor(parts: ClientsParts) {
    this.#parts = parts;
    this.#caller = new Caller(parts);
  }

  start(): void {
    const { settings, chance } = this.#parts;
    for (let i = 0; i < settings.worldCount; i++)
      this.#caller.later(BEGIN_MS / 2, () => this.#create());
    const anyTime = () => chance.between(BEGIN_MS, FAULTS_MS);
    for (let i = 0; i < CHANGES; i++) this.#caller.later(anyTime(), () => this.#change());
    for (let i = 0; i < READS; i++) this.#caller.later(anyTime(), () => this.#read());
    for (let i = 0; i < STREAMS; i++) this.#caller.later(anyTime() / 4, () => this.#watch(`s${i}`));
  }

  /** Ends the streams, and opens none any more. Resolves once all that clients wanted was asked. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#over.resolve();
    while (!this.#isDone) await this.#caller.sleep(RETRY_MS_MAX);
  }

  get #isDone(): boolean {
    const { changes, reads } = this.#parts.observer.counts;
    return this.#isOver && changes >= CHANGES && reads >= READS;
  }

  // ── requests ────────────────────────────────────────────────────────────────────────────────

  /** Asks the nodes in turn, from any of them on, until one does not refuse. */
  async #ask(
    request: Omit<Request, 'id'>,
    asks: (id: string) => void = () => {},
  ): Promise<Answer | undefined> {
    const { slots, chance } = this.#parts;
    const first = chance.below(slots.length);
    let answer: Answer | undefined;
    for (let i = 0; i < slots.length; i++) {
      const id = `r${++this.#requestCount}`;
      asks(id);
      const slot = slots[(first + i) % slots.length] as NodeSlot;
      answer = await this.#caller.request(slot, { ...request, id });
      if (answer !== undefined && answer.status < 500) return answer;
    }
    return answer;
  }

  async #create(): Promise<void> {
    const { chance } = this.#parts;
    while (!this.#isDone) {
      const answer = await this.#ask({ method: 'POST', path: '/api/v1/worlds' });
      if (answer?.status === 201) {
        const { id } = JSON.parse(Buffer.from(answer.body).toString()) as { id: string };
        this.worlds.push(parseWorldId(id) ?? 0);
        return;
      }
      await this.#caller.sleep(chance.between(50, RETRY_MS_MAX));
    }
  }

  /** Waits until there is one. */
  async #pickWorld(): Promise<number> {
    while (this.worlds.length === 0) await this.#caller.sleep(RETRY_MS_MAX);
    return this.#parts.chance.pick(this.worlds);
  }

  async #read(): Promise<void> {
    const { chance, observer } = this.#parts;
    const world = await this.#pickWorld();
    observer.counts.reads++;
    if (chance.happens(FEATURES_SHARE)) await this.#readFeatures(world, chance.below(CAR_COUNT));
    else await this.#readState(world);
  }

  async #readFeatures(world: number, car: number): Promise<void> {
    const { observer } = this.#parts;
    const request = { method: 'GET' as const, path: FEATURES_PATH, vin: vinOf(world, car) };
    const answer = await this.#ask(request, (id) => observer.asks(id, world, { car }));
    if (answer?.status === 200) observer.counts.shown++;
    if (answer?.status === UNKNOWN_CAR) this.#forget(world);
  }

  async #readState(world: number): Promise<void> {
    const path = `/api/v1/worlds/${worldIdOf(world)}/state`;
    const { observer } = this.#parts;
    const answer = await this.#ask({ method: 'GET', path }, (id) => observer.asks(id, world));
    if (answer?.status === 200) observer.counts.shown++;
    if (answer?.status === GONE) this.#forget(world);
  }

  async #change(): Promise<void> {
    const { chance, observer } = this.#parts;
    const world = await this.#pickWorld();
    observer.counts.changes++;
    const count = (this.#asked.get(world) ?? 0) + 1;
    this.#asked.set(world, count);
    // No two changes of a world have the same mask, so each is found in the journal.
    const touched = ((count * MASK_STEP) % F_ALL) + 1;
    const change = { car: chance.below(CAR_COUNT), touched, values: chance.below(F_ALL) & touched };
    const on = new Set(namesOf(change.values));
    const body = JSON.stringify(
      Object.fromEntries(namesOf(touched).map((name) => [name, on.has(name)])),
    );
    const request = {
      ...{ method: 'PATCH' as const, path: FEATURES_PATH, body },
      vin: vinOf(world, change.car),
    };
    const answer = await this.#ask(request, (id) => observer.asks(id, world, change));
    if (answer?.status === UNKNOWN_CAR) this.#forget(world);
  }

  /** A deleted world; another one takes its place. */
  #forget(world: number): void {
    const i = this.worlds.indexOf(world);
    if (i < 0) return;
    this.worlds.splice(i, 1);
    this.#caller.later(0, () => this.#create());
  }

  /** What a node says of a world: its state, and the changes in its journal; undefined: nothing. */
  async journalOf(slot: NodeSlot, world: number): Promise<readonly unknown[] | undefined> {
    const path = `/api/v1/worlds/${worldIdOf(world)}`;
    const request = { method: 'GET' as const, id: `r${++this.#requestCount}` };
    this.#parts.observer.asks(request.id, world);
    const state = await this.#caller.request(slot, { ...request, path: `${path}/state` });
    const journal = await this.#caller.request(slot, { ...request, path: `${path}/journal` });
    if (state?.status !== 200 || journal?.status !== 200) return undefined;
    return (JSON.parse(Buffer.from(journal.body).toString()) as { changes: unknown[] }).changes;
  }

  // ── streams ─────────────────────────────────────────────────────────────────────────────────

  /** One client that watches one world after the other. */
  async #watch(name: string): Promise<void> {
    const { chance, slots } = this.#parts;
    while (!this.#isOver) {
      const world = await this.#pickWorld();
      const ended = Promise.withResolvers<void>();
      const stream = await this.#caller.call(
        chance.pick(slots),
        (front, process) => this.#open(front, process, { name, world, ended: ended.resolve }),
        (unwanted) => this.#end(unwanted),
      );
      if (stream) {
        await Promise.race([
          ended.promise,
          this.#over.promise,
          this.#caller.sleep(chance.between(200, chance.pick(WATCHED_MS_MAX))),
        ]);
        this.#end(stream);
      }
      await this.#caller.sleep(chance.between(20, chance.happens(0.5) ? 200 : 4000));
    }
  }

  #end({ process, close, forget }: Stream): void {
    forget();
    process.main.add(this.#caller.wayMs(), close);
  }

  async #open(
    front: SimulatedFront,
    process: SimulatedNode,
    { name, world, ended }: { name: string; world: number; ended: () => void },
  ): Promise<Stream> {
    const endedLater = () => this.#caller.later(this.#caller.wayMs(), ended);
    const stream = this.#parts.observer.stream(process.name, world);
    const close = await front.watch(worldIdOf(world), {
      name,
      framed: (frame) => stream.framed(shownInFrame(frame)),
      ended: endedLater,
    });
    return { process, close, forget: process.onGone(endedLater) };
  }
}
