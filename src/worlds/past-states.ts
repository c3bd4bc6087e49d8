import { FRAME_TICKS } from '../../assembly/layout.ts';
import type { Encoding } from '../codec/encoding.ts';
import { BetweenNodes, TwinError } from '../errors.ts';
import {
  KEPT_STATE_TICKS,
  PAST_PORTION_TICKS,
  PAST_WAIT_MS,
  READ_CHANGE_TICKS,
} from '../limits.ts';
import { countNumbered, lastOf, type PastStateAnswer, type StateImage } from '../shard/protocol.ts';
import { hashDigits } from '../twin/hash-digits.ts';
import type { Asker, PastState, PastStateOrder } from '../twin-service.ts';
import { pay, reloading, type WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';

const TOO_MUCH =
  'You have caused too much work. What was lived for this tick is kept: ask again to go on.';

/** Where a portion begins: at a state, or at the beginning of the world. */
type Begin = Pick<StateImage, 'tick' | 'seq'> & { bytes: Uint8Array | undefined };

/** A world that is lived again from one tick to another. */
interface Portion {
  begin: Begin;
  tick: number;
  /** Of the snapshot; undefined: the portion ends on the way. */
  encoding: Encoding | undefined;
}

/** What a portion has come to. */
interface Lived extends Pick<PastStateAnswer, 'snapshot' | 'hash'> {
  state: StateImage;
}

/**
 * The states of a world at ticks that it has passed. The world is lived again from the nearest state that
 * is known, in a slab of its own; it is neither stepped nor loaded for that. This is done in portions: each
 * is paid, and what it comes to is kept, so that a request that is refused has not been for nothing.
 */
export class PastStates {
  readonly #parts: WorldParts;
  readonly #loader: WorldLoader;
  /** Portions under way; requests for the same ticks share them. */
  readonly #underWay = new Map<string, Promise<Lived>>();
  /** The world could not be lived from a stored state. */
  #distrustsStored = false;

  constructor(parts: WorldParts, loader: WorldLoader) {
    this.#parts = parts;
    this.#loader = loader;
  }

  /** The state at the last frame up to a tick; without one, at the current frame. See World.pastState. */
  async at({ tick, encoding, asker }: PastStateOrder): Promise<PastState> {
    const { guard, journal, shared, ticks, world } = this.#parts;
    guard.refuseInQuarantine(shared.clock.now());
    const endMs = shared.time.now() + PAST_WAIT_MS;
    await this.#loader.startedOver();
    const wanted = this.#frameOf(tick ?? world.tick());
    await this.#beforeEnd(journal.settledUpTo(wanted), endMs);
    for (let begin = await this.#nearest(wanted); ; ) {
      const end = Math.min(wanted, begin.tick + PAST_PORTION_TICKS);
      const portion = { begin, tick: end, encoding: end === wanted ? encoding : undefined };
      const { snapshot, hash, state } = await this.#beforeEnd(this.#lived(portion, asker), endMs);
      this.#refuseUnlessShown();
      if (snapshot !== undefined) {
        ticks.answer(wanted);
        return { snapshot, hash: hashDigits(hash) };
      }
      begin = state;
    }
  }

  /** Frames are what watchers have seen, or would have; a world may begin between two of them. */
  #frameOf(tick: number): number {
    const { record, ticks } = this.#parts;
    const now = ticks.now();
    if (tick > now) {
      throw new TwinError('invalid_value', `Use tick=<integer up to ${now}, the current tick>.`);
    }
    const first = record.from.tick;
    if (tick < first) {
      throw new TwinError('unknown_tick', `This world can be looked at from tick ${first} on.`);
    }
    return Math.max(first, Math.floor(tick / FRAME_TICKS) * FRAME_TICKS);
  }

  #refuseUnlessShown(): void {
    const { residency, shared } = this.#parts;
    if (!shared.isShown()) throw new BetweenNodes();
    if (residency.isRetired) throw reloading();
  }

  /** What comes later than the request waits is for the next one. */
  async #beforeEnd<T>(work: Promise<T>, endMs: number): Promise<T> {
    const { time } = this.#parts.shared;
    const late = Promise.withResolvers<never>();
    const stopTimer = time.after(Math.max(0, endMs - time.now()), () => {
      const hint = 'The world is being lived up to this tick; ask again to go on.';
      late.reject(new TwinError('overloaded', hint));
    });
    try {
      return await Promise.race([work, late.promise]);
    } finally {
      stopTimer();
    }
  }

  // ── where to begin ──────────────────────────────────────────────────────────────────────────

  async #nearest(tick: number): Promise<Begin> {
    const { ladder, record, shared } = this.#parts;
    const { from } = record;
    const beginning = { tick: from.tick, seq: from.seq, bytes: undefined };
    const kept = shared.keptStates.nearest(this, tick, from.tick) ?? beginning;
    if (tick - kept.tick < KEPT_STATE_TICKS || this.#distrustsStored) return kept;
    const stored = await ladder.nearest(tick, kept.tick);
    if (stored === undefined) return kept;
    shared.keptStates.keep(this, stored);
    return stored;
  }

  // ── living ──────────────────────────────────────────────────────────────────────────────────

  #lived(portion: Portion, asker: Asker): Promise<Lived> {
    const { begin, tick, encoding } = portion;
    const name = `${begin.tick} ${tick} ${encoding}`;
    const other = this.#underWay.get(name);
    // Whoever asked first may be refused for reasons of its own.
    if (other !== undefined) return other.catch(() => this.#lived(portion, asker));
    const lived = this.#admitted(portion, asker).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, lived);
    // Whoever asked for it may wait no longer.
    lived.catch(() => {});
    return lived;
  }

  /** Pays for a portion, if it is let in; it counts until it is lived, however long its request waits. */
  async #admitted(portion: Portion, asker: Asker): Promise<Lived> {
    const { pastReads } = this.#parts.shared.shard;
    pastReads.enter(asker.client);
    try {
      pay(asker, portion.tick - portion.begin.tick, TOO_MUCH);
      return await this.#live(portion, asker);
    } finally {
      pastReads.leave(asker.client);
    }
  }

  async #live({ begin, tick, encoding }: Portion, asker: Asker): Promise<Lived> {
    const { world, record, journal, shared } = this.#parts;
    const { records, shard, cityIndex, keptStates } = shared;
    const changes =
      begin.seq === journal.seq
        ? new Int32Array()
        : await records.packedChanges(world.number, record, begin.seq, tick);
    asker.spend(countNumbered(changes) * READ_CHANGE_TICKS);
    const { seed, from } = record;
    const image = begin.bytes && { tick: begin.tick, seq: begin.seq, bytes: begin.bytes };
    const past = { seed, from, image, changes };
    const order = { client: asker.client, world: world.number, cityIndex };
    const answer = await shard
      .pastState({ ...order, past, tick, encoding })
      .catch((error: unknown) => this.#failed(error, begin));
    const state = { tick, seq: lastOf(changes)?.seq ?? begin.seq, bytes: answer.image };
    if (tick - begin.tick >= KEPT_STATE_TICKS) keptStates.keep(this, state);
    return { ...answer, state };
  }

  #failed(err: unknown, begin: Begin): never {
    const { world, shared } = this.#parts;
    if (err instanceof TwinError) throw err;
    shared.log.warn({ world: world.id, err }, 'a past state could not be lived');
    if (begin.bytes === undefined) {
      throw new TwinError('world_unavailable', 'This tick cannot be lived again.', 60);
    }
    // The next request begins at the beginning.
    shared.keptStates.forget(this);
    this.#distrustsStored = true;
    throw reloading();
  }
}
