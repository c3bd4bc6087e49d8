import type { NumberedChange } from '../../src/twin/journal.ts';
import { JournalHash } from '../../src/twin/journal-hash.ts';
import type {
  KnownJournal,
  LockstepChange,
  LockstepHello,
  StateHash,
} from '../../src/twin/lockstep.ts';
import type { CityModel } from './city-model.ts';
import { JournalGap, LivedJournal } from './lived-journal.ts';
import { LocalWorld } from './local-world.ts';
import { imageOf } from './messages.ts';
import type { Platform } from './platform.ts';

/** What a node says of a world differs from what is lived here. */
export class Difference extends Error {
  override readonly name = 'Difference';
  /** The changes that follow are of use only after a whole hello. */
  readonly needsHello: boolean;
  /** The tick of which something was told; by default that at which it was noticed. */
  readonly tick: number | undefined;

  constructor(message: string, needsHello: boolean, tick?: number) {
    super(message);
    this.needsHello = needsHello;
    this.tick = tick;
  }
}

/** A local world whose journal is that of a world of a node, and is compared with it. */
export class FollowedWorld {
  readonly world: LocalWorld;
  #hash: JournalHash;
  /** What the node has lived, not compared yet. */
  #told: StateHash | undefined;

  private constructor(world: LocalWorld, hash: JournalHash) {
    this.world = world;
    this.#hash = hash;
  }

  /** The world of a whole hello, at the first tick that it tells. */
  static async of(
    hello: LockstepHello,
    model: CityModel,
    platform: Platform,
  ): Promise<FollowedWorld> {
    const { world: id, seed, fleet, start: from, changes } = hello;
    const image = await imageOf(hello);
    const journal = gapless(() => new LivedJournal((image ?? from).seq, changes));
    const parts = { model, id, seed, fleet, from, image, journal, platform };
    const world = LocalWorld.ofParts({ ...parts, isFollower: true });
    return new FollowedWorld(world, hashOf(hello, image === undefined ? changes : undefined));
  }

  /** What a stream that goes on is asked to begin after. */
  get known(): KnownJournal {
    return { seq: this.world.seq, journal: String(this.#hash) };
  }

  /**
   * Takes the changes of a hello that goes on where this one is. Returns how many ticks were lived again.
   * Throws Difference.
   */
  resume(hello: LockstepHello): number {
    const changes = hello.changes.filter(({ seq }) => seq > this.world.seq);
    const hash = this.#hash.copy();
    for (const change of changes) hash.add(change);
    if (String(hash) !== hello.journal) throw new Difference('the journal went on otherwise', true);
    this.#hash = hash;
    return gapless(() => this.world.change(...changes));
  }

  /** Takes a change; one that is known is passed over. Returns and throws as `resume`. */
  change(message: LockstepChange): number {
    if (message.seq <= this.world.seq) return 0;
    const { seq, tick, car, touched, values, journal } = message;
    const change = { seq, tick, car, touched, values };
    const hash = this.#hash.copy();
    hash.add(change);
    const lived = gapless(() => this.world.change(change));
    this.#hash = hash;
    if (journal !== '' && journal !== String(hash)) {
      throw new Difference(`the journal differs at change ${seq}`, false);
    }
    return lived;
  }

  /** Whether a message tells of this journal; undefined: of changes that have not come yet. */
  agrees({ seq, journal }: KnownJournal): boolean | undefined {
    if (seq > this.world.seq || journal === '') return undefined;
    return seq === this.world.seq && journal === String(this.#hash);
  }

  /** Takes what the node has lived by the changes that are known here: `audit` compares it. */
  expect(state: StateHash): void {
    if (state.tick >= this.world.firstTick) this.#told = state;
  }

  /**
   * Compares what the node has lived with what is lived here; a few milliseconds of work, since the node tells of
   * the last minutes. A difference is returned once.
   */
  audit(): Difference | undefined {
    const told = this.#told;
    const { world } = this;
    if (told === undefined || told.tick > world.tick) return undefined;
    const here = world.at(told.tick).hash;
    this.#told = undefined;
    if (here === told.hash) return undefined;
    const defect = `a defect: its state has the hash ${here} here and ${told.hash} at the node`;
    return new Difference(defect, false, told.tick);
  }
}

/** A change that does not follow the ones before it makes another journal. */
function gapless<T>(take: () => T): T {
  try {
    return take();
  } catch (error) {
    if (error instanceof JournalGap) throw new Difference(error.message, true);
    throw error;
  }
}

/** The hash of a hello's journal: computed if the hello has all of it, else as it says. */
function hashOf(
  { seed, start, journal }: LockstepHello,
  changes: readonly NumberedChange[] | undefined,
) {
  const hash = changes === undefined ? JournalHash.parse(journal) : undefined;
  if (hash !== undefined) return hash;
  const computed = JournalHash.ofStart(seed, start);
  for (const change of changes ?? []) computed.add(change);
  return computed;
}
