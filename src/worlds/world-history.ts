import { TICK_MS } from '../../assembly/layout.ts';
import { nearestRoad } from '../city/place.ts';
import type { City } from '../city/types.ts';
import { TwinError } from '../errors.ts';
import { WORK_MS_MAX } from '../limits.ts';
import type { Look, LookAnswer, PlayedAnswer, ReplayTask } from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';
import { EVENTS_SHOWN, eventOf } from '../twin/events.ts';
import { type Explanation, failuresOf } from '../twin/explanation.ts';
import {
  type Chain,
  chainsOf,
  incidentId,
  incidentOf,
  parseIncidentId,
} from '../twin/incidents.ts';
import type { Replay, ReplayOrder } from '../twin/service.ts';
import type { EventRecord, FleetEntry, Incident } from '../twin/wire.ts';
import { type ExplanationHooks, Explanations } from './explanations.ts';
import { packedPast } from './world-past.ts';

/** Ticks that a replay takes beside those up to where it begins. */
const REPLAY_TICKS = 1500;

export interface HistoryHooks extends Omit<ExplanationHooks, 'explain'> {
  readonly id: string;
  readonly city: City;
  readonly shard: Shard;
  readonly fleet: () => readonly FleetEntry[];
  /** Tick of the last accepted change. */
  lastChangeTick(): number;
  /** Brings the world to now and reads it there. */
  look(want: Look): Promise<LookAnswer & { outcome: 'seen' }>;
}

/** What happened in a world: events, collisions, why these happened, and how they could have gone. */
export class WorldHistory {
  readonly explanations: Explanations;
  readonly #hooks: HistoryHooks;
  #actors: readonly (string | null)[] | undefined;

  constructor(hooks: HistoryHooks) {
    this.#hooks = hooks;
    this.explanations = new Explanations({
      ...hooks,
      explain: (task) => hooks.shard.explain(task),
    });
  }

  async events(): Promise<EventRecord[]> {
    await this.#untilChanged();
    const { events = [] } = await this.#hooks.look('events');
    await this.#hooks.reports.stored();
    const context = { fleet: this.#hooks.fleet(), hazards: this.#hooks.city.hazards };
    return events.slice(-EVENTS_SHOWN).map((raw) => eventOf(raw, context));
  }

  /** Whoever changed something finds it among the events: waits out the ticks until it applies. */
  async #untilChanged(): Promise<void> {
    const ahead = () => this.#hooks.lastChangeTick() - this.#hooks.clockTick();
    // More than once, since a timer may fire a little early.
    while (ahead() > 0) await this.#hooks.time.sleep(ahead() * TICK_MS);
  }

  // ── incidents ───────────────────────────────────────────────────────────────────────────────

  /** In order of tick. Has those explained that are not. */
  async incidents(): Promise<Incident[]> {
    await this.#hooks.look('tick');
    await this.#hooks.reports.stored();
    const { records, number } = this.#hooks;
    const chains = chainsOf(await records.incidents(number));
    if (chains.length === 0) return [];
    const known = await records.explanations(number);
    const incidents = chains.map((chain) =>
      this.#incident(chain, known.get(incidentId(chain[0].tick, chain[0].order))),
    );
    if (incidents.some(({ explained }) => !explained)) this.explanations.wake();
    return incidents;
  }

  async incident(id: string): Promise<Incident | undefined> {
    const found = await this.#find(id);
    if (found === undefined) return undefined;
    if (found.explanation === undefined) this.explanations.wake();
    return this.#incident(found.chain, found.explanation);
  }

  async #find(id: string) {
    const place = parseIncidentId(id);
    if (place === undefined) return undefined;
    const { tick: livedTick } = await this.#hooks.look('tick');
    await this.#hooks.reports.stored();
    const { records, number } = this.#hooks;
    const chain = await records.chain(number, place.tick, place.order);
    if (chain === undefined) return undefined;
    const explanation = await records.explanation(number, place.tick, place.order);
    return { chain, explanation, livedTick };
  }

  #incident(chain: Chain, explanation: Explanation | undefined): Incident {
    const { city, id: worldId } = this.#hooks;
    const fleet = this.#hooks.fleet();
    this.#actors ??= city.hazards.map(({ site }) => site.actor?.name ?? null);
    const context = { fleet, actors: this.#actors };
    const failures = explanation && failuresOf(explanation, chain, context);
    const [{ x, y }] = chain;
    const { id: road, name: street } = nearestRoad(city, x, y);
    return incidentOf(
      chain,
      { worldId, fleet, hazards: city.hazards, place: { road, street } },
      failures,
    );
  }

  // ── replays ─────────────────────────────────────────────────────────────────────────────────

  async replay(id: string, order: ReplayOrder): Promise<Replay | undefined> {
    const found = await this.#find(id);
    if (found === undefined) return undefined;
    const { chain, explanation, livedTick } = found;
    if (chain[0].tick <= this.#hooks.record.from.tick) {
      throw new TwinError(
        'unknown_incident',
        'It was lived by an earlier kernel and is not shown.',
      );
    }
    const { on, encoding } = order;
    const { number: world, cityIndex, record, shard } = this.#hooks;
    const task = {
      ...{ world, seed: record.seed, cityIndex, chain },
      on,
      startTick: startOf(explanation, on),
      untilTick: livedTick,
      encoding,
    };
    order.spend(REPLAY_TICKS);
    const kept = await shard.replay({ ...task, past: undefined }).catch((error: unknown) => {
      if (error instanceof TwinError) throw error;
      return { outcome: 'missing' } as const;
    });
    const played = kept.outcome === 'played' ? kept : await this.#playFar(task, order, true);
    const { frames, count, contactTick } = played;
    return { frames, count, contactTick };
  }

  /** Lives the world again up to the collision first. */
  async #playFar(
    task: Omit<ReplayTask, 'past'>,
    order: ReplayOrder,
    trustImage: boolean,
  ): Promise<PlayedAnswer> {
    const { records, number, record, cityIndex, shard } = this.#hooks;
    const [{ tick: newest }] = task.chain;
    const past = await packedPast(records, number, record, { cityIndex, trustImage, newest });
    const ticks = newest - (past.image ?? past.from).tick;
    order.spend(ticks);
    const waitMs = shard.waitMs(ticks);
    if (waitMs > WORK_MS_MAX) {
      throw new TwinError('overloaded', undefined, Math.ceil(waitMs / 1000));
    }
    try {
      const answer = await shard.replay({ ...task, past });
      if (answer.outcome === 'played') return answer;
      throw new Error('what a replay begins with was not lived');
    } catch (error) {
      if (error instanceof TwinError) throw error;
      this.#hooks.warn('an incident could not be replayed', error);
      if (past.image !== undefined) return this.#playFar(task, order, false);
      throw new TwinError('world_unavailable', 'This collision could not be lived again.', 60);
    }
  }
}

/** Where the features are those that an explanation is about: from where its figures are. */
function startOf(explanation: Explanation | undefined, on: number): number | undefined {
  const { failures = [] } = explanation ?? {};
  const sets = Map.groupBy(failures, ({ set }) => set);
  for (const members of sets.values()) {
    const mask = members.reduce((sum, { feature }) => sum | feature, 0);
    if (mask === on) return members[0]?.startTick;
  }
  return undefined;
}
