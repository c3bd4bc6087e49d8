import { TICK_MS } from '../../assembly/layout.ts';
import { LOCKSTEP_PULSE_MS } from '../limits.ts';
import { joined, lastOf, packNumbered, unpackNumbered } from '../shard/protocol.ts';
import type { StopTimer } from '../time.ts';
import type { NumberedChange } from '../twin/journal.ts';
import { JournalHash } from '../twin/journal-hash.ts';
import {
  type KnownJournal,
  type LockstepMessage,
  readingOf,
  type StateHash,
  type WorldPulse,
} from '../twin/lockstep.ts';
import type { LockstepPast } from '../twin-service.ts';
import type { WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';

/** An image saves a client some living; below so many ticks its bytes take longer than that. */
const IMAGE_TICKS_MIN = 3000;

/** A prime number: it spreads the phases of worlds whose numbers are close. */
const PHASE = 7919;

/** What was read of the store: changes after a number, packed. */
interface Read extends Pick<LockstepPast, 'image' | 'changes'> {
  afterSeq: number;
}

/** What clients need that live a world themselves. None of it steps the world here. */
export class WorldLockstep {
  readonly #parts: WorldParts;
  readonly #loader: Pick<WorldLoader, 'startedOver'>;
  #stopPulses: StopTimer | undefined;

  constructor(parts: WorldParts, loader: Pick<WorldLoader, 'startedOver'>) {
    this.#parts = parts;
    this.#loader = loader;
  }

  join(): void {
    this.#parts.demand.joinLockstep();
    if (this.#parts.demand.lockstepCount === 1) this.#startPulses();
  }

  leave(): void {
    this.#parts.demand.leaveLockstep();
    if (this.#parts.demand.lockstepCount === 0) this.stop();
  }

  #startPulses(): void {
    const { time } = this.#parts.shared;
    const send = () => this.#send({ type: 'pulse', ...this.pulse() });
    // Each world has its own phase, so that those of a node that has restarted do not come together.
    const firstMs = (this.#parts.world.number * PHASE) % LOCKSTEP_PULSE_MS;
    this.#stopPulses = time.after(firstMs, () => {
      send();
      this.#stopPulses = time.every(LOCKSTEP_PULSE_MS, send);
    });
  }

  /** Sends no more pulses. */
  stop(): void {
    this.#stopPulses?.();
    this.#stopPulses = undefined;
  }

  #send(message: LockstepMessage): void {
    const { world, shared } = this.#parts;
    shared.owner.tell(world, message);
  }

  /** What the clock and the journal show now. */
  pulse(): WorldPulse {
    const { world, ticks, journal, shared, record } = this.#parts;
    const clock = Math.max(ticks.floor, (shared.clock.now() - record.createdAtMs) / TICK_MS);
    const { seq, hash } = journal;
    return { ...readingOf(clock), seq, journal: String(hash ?? ''), watchers: world.watcherCount };
  }

  /** Tells those who live it what it has come to here: they compare. */
  audited(hash: StateHash): void {
    this.#send({ type: 'pulse', ...this.pulse(), hash });
  }

  /** Tells those who live it of a change that is durable: the last one of the journal. */
  changed({ seq, tick, car, touched, values }: NumberedChange): void {
    const { demand, journal } = this.#parts;
    if (demand.lockstepCount === 0) return;
    const change = { type: 'change', seq, tick, car, touched, values } as const;
    this.#send({ ...change, journal: String(journal.hash ?? '') });
  }

  /** Incidents, or their explanations, are stored. */
  stored(incidents: Iterable<string>, isExplained: boolean): void {
    if (this.#parts.demand.lockstepCount === 0) return;
    for (const id of incidents) this.#send({ type: 'incident', id, explained: isExplained });
  }

  /**
   * What a client lives the world from. Where the client knows the beginning of this very journal, only
   * what came after that. Throws TwinError `store_unavailable` or `world_unavailable`.
   */
  async past(known?: KnownJournal): Promise<LockstepPast> {
    const { journal, record, guard, shared } = this.#parts;
    guard.refuseInQuarantine(shared.clock.now());
    await this.#loader.startedOver();
    const since = journal.collect();
    try {
      await this.#learnHash();
      const later = known && (await this.#changesAfter(known, since.changes));
      const past = later ?? (await this.#wholePast());
      const { seed, city, from: start } = record;
      const resumed = later !== undefined;
      const { image, afterSeq } = past;
      // In one go with the pulse: another change may have become durable since they were read.
      const changes = this.#upToNow(past.changes, afterSeq, since.changes);
      return { seed, city, start, resumed, image, changes, ...this.pulse() };
    } finally {
      since.end();
    }
  }

  /** Reads the whole journal once if an earlier version wrote a part of it. */
  async #learnHash(): Promise<void> {
    const { journal, record, world, shared } = this.#parts;
    while (journal.hash === undefined) {
      const { seq } = journal;
      const hash = JournalHash.ofStart(record.seed, record.from);
      const changes = await shared.records.changes(world.number, record, record.from.seq);
      for (const change of changes) if (change.seq <= seq) hash.add(change);
      journal.learnHash(hash, seq);
    }
  }

  /** Undefined if what the client has is no beginning of this journal. */
  async #changesAfter(
    { seq, journal: text }: KnownJournal,
    since: readonly NumberedChange[],
  ): Promise<Read | undefined> {
    const { journal, record, world, shared } = this.#parts;
    const hash = JournalHash.parse(text);
    if (hash === undefined || seq < record.from.seq || seq > journal.seq) return undefined;
    // As for most clients after a restart, which all come at once.
    const read = { image: undefined, afterSeq: seq };
    if (seq === journal.seq && String(hash) === String(journal.hash)) {
      return { ...read, changes: new Int32Array() };
    }
    const packed = await shared.records.packedChanges(world.number, record, seq);
    const changes = this.#upToNow(packed, seq, since);
    hash.addPacked(changes);
    return String(hash) === String(journal.hash) ? { ...read, changes } : undefined;
  }

  async #wholePast(): Promise<Read> {
    const { record, world, guard, shared } = this.#parts;
    const { records, clock } = shared;
    const { number } = world;
    let past = await records.past(number, record, !guard.distrustsImage(clock.now()));
    const isEarly =
      past.image !== undefined && past.image.tick - record.from.tick < IMAGE_TICKS_MIN;
    if (isEarly) past = await records.past(number, record, false);
    return { ...past, afterSeq: past.image?.seq ?? record.from.seq };
  }

  /**
   * What was read of the store may end before the last durable change, which became durable meanwhile, or
   * after it: clients hear of such a change when its outcome is known here.
   */
  #upToNow(read: Int32Array, afterSeq: number, since: readonly NumberedChange[]): Int32Array {
    const { seq } = this.#parts.journal;
    const lastSeq = lastOf(read)?.seq ?? afterSeq;
    if (lastSeq > seq) return packNumbered(unpackNumbered(read).filter((each) => each.seq <= seq));
    const missing = since.filter((each) => each.seq > lastSeq);
    return missing.length === 0 ? read : joined([read, packNumbered(missing)]);
  }
}
