import { LEAD_TICKS_MAX } from '../../src/limits.ts';
import { CounterfactualRunner } from '../../src/shard/counterfactual/counterfactual-runner.ts';
import { forecast } from '../../src/shard/counterfactual/forecast.ts';
import { playFrames } from '../../src/shard/counterfactual/replay.ts';
import { Rewind, type RewindStart, type Slices } from '../../src/shard/counterfactual/rewind.ts';
import type { StateImage } from '../../src/shard/protocol.ts';
import { type FeatureName, knownBit, namesOf } from '../../src/twin/catalogue.ts';
import { COMPARED_END_TICKS } from '../../src/twin/contact-records.ts';
import { startTickOf } from '../../src/twin/explanation.ts';
import {
  type ContactFacts,
  type IncidentContacts,
  parseIncidentId,
} from '../../src/twin/incidents.ts';
import type { NumberedChange } from '../../src/twin/journal.ts';
import { outlookEntries } from '../../src/twin/outlook.ts';
import { needsOf } from '../../src/twin/spot-features.ts';
import type { Incident, Snapshot, WorldOutlook } from '../../src/twin/wire.ts';
import { type ContactLog, endOf, type IncidentPlace } from './contact-log.ts';
import { inSlices } from './platform.ts';
import type { Replay } from './types.ts';
import type { WorldParts } from './world-parts.ts';

/** An incident: its id, or a contact of it. */
export type IncidentOf = string | Pick<ContactFacts, 'chainTick' | 'chainOrder'>;

/** What is needed of the world that is run again. */
export interface RunAgain {
  parts(): WorldParts;
  readonly contacts: ContactLog;
  tick(): number;
  /** The state at a tick. Throws RangeError if it is not known. */
  imageAt(tick: number): StateImage;
  snapshotOf(packed: Int32Array): Snapshot;
}

/** Runs the seconds around collisions again, as a node does, in slabs of their own. */
export class ReRuns {
  readonly #world: RunAgain;

  constructor(world: RunAgain) {
    this.#world = world;
  }

  /** See `LocalWorld.explain`. */
  async explain(incident: IncidentOf): Promise<Incident> {
    const place = placeOf(incident);
    const { contacts } = this.#world;
    for (;;) {
      const chain = this.#chainAt(place);
      const parts = this.#world.parts();
      if (contacts.isExplained(place)) return contacts.report(chain, parts);
      const endTick = endOf(chain);
      if (this.#world.tick() < endTick) {
        throw new RangeError(`it is not over before tick ${endTick}`);
      }
      const { version } = contacts;
      const start = this.#startOf(chain);
      const explanation = await this.#run((rewind) =>
        new CounterfactualRunner(rewind, start, chain, parts.model.table).explain(),
      );
      // A change that came late meanwhile may have changed it.
      if (contacts.version === version) contacts.explained(chain, explanation);
    }
  }

  /** See `LocalWorld.replay`. */
  async replay(incident: IncidentOf, features: readonly FeatureName[]): Promise<Replay> {
    const place = placeOf(incident);
    const { contacts, tick, snapshotOf } = this.#world;
    const parts = this.#world.parts();
    const chain = this.#chainAt(place);
    const on = features.reduce((mask, name) => mask | knownBit(name), 0);
    const startTick = startTickOf(contacts.explanationOf(place), on);
    const start = this.#startOf(chain);
    const order = { chain, on, startTick, untilTick: tick() };
    const frames: Snapshot[] = [];
    const contactTick = await this.#run((rewind) =>
      playFrames(rewind, start, order, parts.model.table, (packed) =>
        frames.push(snapshotOf(packed)),
      ),
    );
    const { id } = contacts.report(chain, parts);
    return { incident: id, with: namesOf(on), frames, contact_tick: contactTick };
  }

  /** See `LocalWorld.outlook`. */
  async outlook(car?: number): Promise<WorldOutlook> {
    const { model, fleet, id: world } = this.#world.parts();
    const { hazards, table } = model;
    const tick = this.#world.tick();
    const { bytes } = this.#world.imageAt(tick);
    const needs = hazards.map(({ kind }) => needsOf(kind));
    const outlook = await this.#run((rewind) => forecast(rewind, bytes, table, needs));
    return { world, tick, outlook: outlookEntries(outlook, tick, { fleet, hazards }, car) };
  }

  #chainAt(place: IncidentPlace): IncidentContacts {
    const chain = this.#world.contacts.chainAt(place);
    if (chain === undefined) throw new RangeError('no such incident is known');
    return chain;
  }

  /** The state from which the re-runs of a collision start, and the changes after it, as a node takes them. */
  #startOf([{ tick }]: IncidentContacts): RewindStart {
    const { from, journal } = this.#world.parts();
    const image = this.#world.imageAt(Math.max(from.tick, tick - LEAD_TICKS_MAX));
    const isNeeded = (change: NumberedChange) =>
      change.tick > image.tick && change.tick <= tick + COMPARED_END_TICKS;
    return { image: image.bytes, changes: journal.changes.filter(isNeeded) };
  }

  /** Other tasks run meanwhile. */
  async #run<T>(work: (rewind: Rewind) => Slices<T>): Promise<T> {
    const { model, platform } = this.#world.parts();
    const leased = model.slabs.lease();
    try {
      return await inSlices(work(new Rewind(leased.kernel, leased.slab)), platform);
    } finally {
      leased.release();
    }
  }
}

function placeOf(incident: IncidentOf): IncidentPlace {
  if (typeof incident !== 'string') {
    return { tick: incident.chainTick, order: incident.chainOrder };
  }
  const place = parseIncidentId(incident);
  if (place === undefined) throw new RangeError('that is no id of an incident');
  return place;
}
