import {
  areAfter,
  joined,
  numbered,
  packNumbered,
  type StateImage,
  upTo,
  type WorldPast,
} from '../shard/protocol.ts';
import type { Entry, Grant, Key, Store, Write } from '../store/contract.ts';
import {
  type ContactRecord,
  INCIDENT_END_TICKS,
  recordOf,
  type StoredRecord,
  settledChain,
} from '../twin/contact-records.ts';
import type { Explanation } from '../twin/explanation.ts';
import { partitionOf } from '../twin/ids.ts';
import { type IncidentContacts, incidentId } from '../twin/incidents.ts';
import { type NumberedChange, unpackChanges } from '../twin/journal.ts';
import type { WorldStart } from '../twin/lockstep.ts';
import { type StoredImage, whole } from './stored-image.ts';
import { orUnavailable, RefusedWrite, UncertainWrite } from './write-errors.ts';

/**
 * The records of a world in the store, all in the world's partition:
 *
 *   world     identity, and the declared masks as of some number of the journal
 *   lived     the changes that the world was created with, packed
 *   journal   every later change, one key per change; the numbers continue those of `lived`
 *   image     the newest state image
 *   rung      some earlier ones, by tick, deflated
 *   incident  the facts of each contact, and of crash pulses
 *   explained the explanation of an incident, by tick and order of its first contact
 *   due       the idle index: worlds by the slot of time in which they are due for deletion
 *   touched   the world's slot in the idle index, once it differs from the one in its record
 */
export interface WorldRecord {
  seed: number;
  city: string;
  createdAtMs: number;
  /** Identity of the kernel that steps it. */
  kernel: string;
  /** False if the journal that it was created with is from another kernel. */
  exact: boolean;
  /** Its slot in the idle index until it is moved for the first time. */
  due: number;
  /** How many changes it was created with. */
  livedCount: number;
  /** Declared masks, and number and tick of the last change that they include. */
  masks: readonly number[];
  maskSeq: number;
  maskTick: number;
  /** `JournalHash` up to a change. It counts only if that is the one of the masks: an earlier version keeps it. */
  hashed?: { seq: number; hash: string };
  from: WorldStart;
}

/** The explanation of one incident. */
export interface Explained {
  /** Of the first contact. */
  tick: number;
  order: number;
  explanation: Explanation;
}

export interface StoredIncident {
  chain: IncidentContacts;
  explanation: Explanation | undefined;
}

const PAGE = 1000;
/** Several worlds may be removed at the same time. */
const REMOVED_AT_ONCE = 256;

type StoredChange = [tick: number, car: number, touched: number, values: number];

function changeOf({ key, value }: Entry<StoredChange>): NumberedChange {
  const [tick, car, touched, values] = value;
  return { seq: Number(key.at(-1)), tick, car, touched, values };
}

function keyOf(world: number, kind: string, ...rest: readonly (number | string)[]): Key {
  return ['p', partitionOf(world), kind, world, ...rest];
}

/**
 * Seed of a world, of any partition, and its slot in the idle index; undefined if there is no such
 * world. Throws TwinError `store_unavailable`.
 */
export async function storedLife(
  store: Store,
  world: number,
): Promise<{ seed: number; due: number } | undefined> {
  const [record, moved] = await orUnavailable(
    Promise.all([
      store.get<WorldRecord>(keyOf(world, 'world')),
      store.get<number>(keyOf(world, 'touched')),
    ]),
  );
  if (record === undefined) return undefined;
  const { seed, due } = record.value;
  return { seed, due: moved?.value ?? due };
}

/**
 * The records of the worlds of a partition, under one grant: a node that has lost the partition without
 * noticing cannot write. Methods throw TwinError `store_unavailable`.
 */
export class Records {
  readonly grant: Grant;
  readonly #store: Store;

  constructor(store: Store, grant: Grant) {
    this.#store = store;
    this.grant = grant;
  }

  key(world: number, kind: string, ...rest: (number | string)[]): Key {
    return keyOf(world, kind, ...rest);
  }

  /** Commits writes, if all keys of `absent` are absent. Throws RefusedWrite if one is not. */
  async write(writes: readonly Write[], absent: readonly Key[] = []): Promise<void> {
    const checks = absent.map((key) => ({ key, version: null }));
    if (await orUnavailable(this.#store.commit(checks, writes, this.grant))) return;
    throw new RefusedWrite();
  }

  /** Writes a new world with packed changes. Throws RefusedWrite if its number is taken. */
  create(world: number, record: WorldRecord, changes: Int32Array): Promise<void> {
    const key = this.key(world, 'world');
    const writes: Write[] = [
      { key, value: record },
      { key: this.dueKey(world, record.due), value: 0 },
    ];
    if (changes.length > 0) {
      const { buffer, byteOffset, byteLength } = changes;
      const value = new Uint8Array(buffer, byteOffset, byteLength);
      writes.push({ key: this.key(world, 'lived'), value });
    }
    return this.write(writes, [key]);
  }

  record(world: number): Promise<WorldRecord | undefined> {
    return this.read<WorldRecord>(this.key(world, 'world'));
  }

  replace(world: number, record: WorldRecord): Promise<void> {
    return this.write([{ key: this.key(world, 'world'), value: record }]);
  }

  /**
   * Appends changes to the journal, and writes the world's record if it is given. Throws
   * UncertainWrite if the outcome is unknown: `hasChange` reads it back.
   */
  async append(
    world: number,
    changes: readonly NumberedChange[],
    record?: WorldRecord,
  ): Promise<void> {
    const entries = changes.map(({ seq, tick, car, touched, values }) => ({
      key: this.key(world, 'journal', seq),
      value: [tick, car, touched, values],
    }));
    const writes: Write[] = [...entries];
    if (record !== undefined) writes.push({ key: this.key(world, 'world'), value: record });
    const [first] = entries;
    if (first === undefined) return;
    try {
      await this.write(writes, [first.key]);
    } catch (error) {
      if (error instanceof UncertainWrite) throw error;
      // An earlier attempt of this commit may have succeeded: the journal shows it.
      if (!(await this.hasChange(world, changes[0]))) throw error;
    }
  }

  /** Whether the journal has this change. */
  async hasChange(world: number, change: NumberedChange | undefined): Promise<boolean> {
    if (change === undefined) return true;
    const { seq, tick, car, touched, values } = change;
    const found = await this.read<number[]>(this.key(world, 'journal', seq));
    return found?.join() === [tick, car, touched, values].join();
  }

  /** Changes with numbers above `afterSeq`, in order, including those that it was created with. */
  async changes(world: number, record: WorldRecord, afterSeq: number): Promise<NumberedChange[]> {
    const { livedCount } = record;
    const lived = afterSeq < livedCount ? await this.firstChanges(world) : new Int32Array(0);
    const first = unpackChanges(lived, afterSeq);
    const numbered = first.map((change, i) => ({ seq: afterSeq + i + 1, ...change }));
    return numbered.concat(await this.laterChanges(world, Math.max(afterSeq, livedCount)));
  }

  /** The changes that the world was created with, packed. */
  async firstChanges(world: number): Promise<Int32Array> {
    const packed = await this.read<Uint8Array>(this.key(world, 'lived'));
    // Copied, because the bytes may begin at an offset that is not aligned.
    return packed === undefined ? new Int32Array(0) : new Int32Array(packed.slice().buffer);
  }

  /** Changes after those that the world was created with, with numbers above `afterSeq` to `toSeq`. */
  async laterChanges(world: number, afterSeq: number, toSeq?: number): Promise<NumberedChange[]> {
    const changes: NumberedChange[] = [];
    for await (const page of this.#laterPages(world, afterSeq, toSeq)) {
      changes.push(...page.map(changeOf));
    }
    return changes;
  }

  #laterPages(world: number, afterSeq: number, toSeq = Number.MAX_SAFE_INTEGER - 1) {
    const prefix = this.key(world, 'journal');
    return this.#pages<StoredChange>(prefix, [...prefix, afterSeq], [...prefix, toSeq + 1]);
  }

  saveImage(world: number, image: StoredImage, more: readonly Write[] = []): Promise<void> {
    return this.write([{ key: this.key(world, 'image'), value: image }, ...more]);
  }

  /**
   * The state from which a world is stepped: its newest image if it is valid and trusted, else its
   * beginning; and all changes after that state.
   */
  async past(world: number, record: WorldRecord, trustImage: boolean): Promise<WorldPast> {
    const image = trustImage ? await this.image(world, record) : undefined;
    return this.pastFrom(world, record, image);
  }

  /** From a state of the world, or from its beginning. */
  async pastFrom(world: number, record: WorldRecord, image?: StateImage): Promise<WorldPast> {
    const { seed, from } = record;
    if (image !== undefined) {
      const { tick, bytes } = image;
      // An earlier version counted from 0 again in a world that had started over.
      const seq = Math.max(image.seq, from.seq);
      const changes = await this.packedChanges(world, record, seq);
      if (areAfter(changes, tick)) return { seed, from, image: { tick, seq, bytes }, changes };
    }
    const changes = await this.packedChanges(world, record, from.seq);
    return { seed, from, image: undefined, changes };
  }

  /** As `changes`, up to a tick, packed page by page: there may be tens of thousands. */
  async packedChanges(
    world: number,
    { livedCount }: WorldRecord,
    afterSeq: number,
    toTick = Number.POSITIVE_INFINITY,
  ): Promise<Int32Array> {
    const parts: Int32Array[] = [];
    if (afterSeq < livedCount) parts.push(numbered(await this.firstChanges(world), afterSeq));
    const later = this.#laterPages(world, Math.max(afterSeq, livedCount));
    for await (const page of later) {
      parts.push(packNumbered(page.map(changeOf)));
      if ((page.at(-1)?.value[0] ?? 0) > toTick) break;
    }
    return upTo(joined(parts), toTick);
  }

  /** The newest stored image, if it is whole and of the kernel that steps the world. */
  async image(world: number, record: WorldRecord): Promise<StoredImage | undefined> {
    return whole(await this.read<StoredImage>(this.key(world, 'image')), record);
  }

  saveIncidents(world: number, facts: readonly ContactRecord[]): Promise<void> {
    const writes = facts.map((fact) => ({
      key: this.key(world, 'incident', fact.tick, fact.order),
      value: fact,
    }));
    return this.write(writes);
  }

  /** At most `limit` records after a record, or from a tick on, in order of tick. */
  async contacts(
    world: number,
    after: readonly [tick: number, order?: number],
    limit: number,
  ): Promise<ContactRecord[]> {
    const prefix = this.key(world, 'incident');
    const parts = after.filter((part) => part !== undefined);
    const page = { limit, after: [...prefix, ...parts] };
    const entries = await orUnavailable(this.#store.list<StoredRecord>(prefix, page));
    return entries.map(({ value }) => recordOf(value));
  }

  /** The chain that begins with a contact; undefined if no chain begins with it. */
  async incidentChain(
    world: number,
    tick: number,
    order: number,
  ): Promise<IncidentContacts | undefined> {
    const prefix = this.key(world, 'incident');
    const key = [...prefix, tick, order];
    const stored = await this.read<StoredRecord>(key);
    const first = stored && recordOf(stored);
    if (first?.chainTick !== tick || first.chainOrder !== order) return undefined;
    const chain: ContactRecord[] = [first];
    for (let after: Key | undefined = key, lastTick = tick; after !== undefined; ) {
      const page = { limit: PAGE, after, before: [...prefix, lastTick + INCIDENT_END_TICKS] };
      const entries: Entry<StoredRecord>[] = await orUnavailable(this.#store.list(prefix, page));
      const records = entries.map(({ value }) => recordOf(value));
      const links = records.filter((each) => each.chainTick === tick && each.chainOrder === order);
      chain.push(...links);
      lastTick = links.at(-1)?.tick ?? lastTick;
      after = entries.at(-1)?.key;
    }
    const [begin, ...links] = settledChain(chain);
    return begin && [begin, ...links];
  }

  /** The incident that begins with a contact; undefined if none begins with it. */
  async incident(world: number, tick: number, order: number): Promise<StoredIncident | undefined> {
    const chain = await this.incidentChain(world, tick, order);
    const explanation = await this.read<Explanation>(this.key(world, 'explained', tick, order));
    return chain && { chain, explanation };
  }

  saveExplanations(world: number, explained: readonly Explained[]): Promise<void> {
    const writes = explained.map(({ tick, order, explanation }) => ({
      key: this.key(world, 'explained', tick, order),
      value: explanation,
    }));
    return this.write(writes);
  }

  /** Explanations of the incidents that began from one tick to another, by the incidents' ids. */
  async explanations(
    world: number,
    fromTick = 0,
    toTick = Number.MAX_SAFE_INTEGER - 1,
  ): Promise<Map<string, Explanation>> {
    const prefix = this.key(world, 'explained');
    const range = [
      [...prefix, fromTick],
      [...prefix, toTick + 1],
    ] as const;
    const found = new Map<string, Explanation>();
    for await (const page of this.#pages<Explanation>(prefix, ...range)) {
      for (const { key, value } of page) {
        found.set(incidentId(Number(key.at(-2)), Number(key.at(-1))), value);
      }
    }
    return found;
  }

  /** At most so many entries below `prefix`. */
  first(prefix: Key, limit: number): Promise<Entry[]> {
    return orUnavailable(this.#store.list(prefix, { limit }));
  }

  async read<T>(key: Key): Promise<T | undefined> {
    return (await orUnavailable(this.#store.get<T>(key)))?.value;
  }

  /** The entries below `prefix`, after the key `first` and before the key `before`. */
  async *#pages<T>(prefix: Key, first: Key, before: Key): AsyncGenerator<Entry<T>[]> {
    for (let after = first; ; ) {
      const page = await orUnavailable(this.#store.list<T>(prefix, { limit: PAGE, after, before }));
      yield page;
      if (page.length < PAGE) return;
      after = page.at(-1)?.key ?? after;
    }
  }

  // ── idle worlds ─────────────────────────────────────────────────────────────────────────────

  dueKey(world: number, due: number): Key {
    return ['p', partitionOf(world), 'due', due, world];
  }

  /**
   * The slot of the idle index in which a world is; undefined if there is no such world.
   * @param known its record, if the caller has it
   */
  async due(world: number, known?: WorldRecord): Promise<number | undefined> {
    const moved = await this.read<number>(this.key(world, 'touched'));
    return moved ?? (known ?? (await this.record(world)))?.due;
  }

  /** Moves a world from one slot of the idle index to another. */
  moveDue(world: number, from: number, to: number): Promise<void> {
    return this.write([
      { key: this.dueKey(world, from), remove: true },
      { key: this.dueKey(world, to), value: 0 },
      { key: this.key(world, 'touched'), value: to },
    ]);
  }

  /** Removes a leftover entry of the idle index. */
  removeDue(key: Key): Promise<void> {
    return this.#remove([key]);
  }

  /**
   * Removes all records of a world: first the one without which nobody can load it, its entry in the idle
   * index last. If the removal is interrupted, the next sweep finds the entry and repeats the removal.
   */
  async remove(world: number): Promise<void> {
    const due = await this.due(world);
    const first: Write[] = [{ key: this.key(world, 'world'), remove: true }];
    // The record told its slot, if the world was never moved.
    if (due !== undefined) first.push({ key: this.key(world, 'touched'), value: due });
    await this.write(first);
    for (const kind of ['journal', 'incident', 'explained', 'rung']) {
      for (;;) {
        const limit = REMOVED_AT_ONCE;
        const page = await orUnavailable(this.#store.list(this.key(world, kind), { limit }));
        if (page.length > 0) await this.#remove(page.map(({ key }) => key));
        if (page.length < limit) break;
      }
    }
    const last = ['image', 'lived', 'touched'].map((kind) => this.key(world, kind));
    if (due !== undefined) last.push(this.dueKey(world, due));
    await this.#remove(last);
  }

  #remove(keys: readonly Key[]): Promise<void> {
    return this.write(keys.map((key) => ({ key, remove: true })));
  }
}
