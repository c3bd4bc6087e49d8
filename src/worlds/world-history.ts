import { nearestRoad } from '../city/place.ts';
import { TwinError } from '../errors.ts';
import { WORK_MS_MAX } from '../limits.ts';
import type { ReplayTask } from '../shard/protocol.ts';
import { EVENTS_SHOWN, eventOf } from '../twin/events.ts';
import { type Explanation, failuresOf, startTickOf } from '../twin/explanation.ts';
import { type IncidentContacts, incidentOf, parseIncidentId } from '../twin/incidents.ts';
import type { Change } from '../twin/journal.ts';
import type { EventRecord, Incident } from '../twin/wire.ts';
import type {
  Asker,
  ChangeRange,
  IncidentRange,
  LongList,
  Replay,
  ReplayOrder,
  Steps,
} from '../twin-service.ts';
import { changeList } from './change-list.ts';
import { Explanations } from './explanations.ts';
import { IncidentIndex } from './incident-index.ts';
import { IncidentList } from './incident-list.ts';
import type { WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';
import { planRewind, runRewind } from './world-rewinds.ts';

/** Ticks that a replay takes, in addition to those of a rewind. */
const REPLAY_TICKS = 1500;

/** Random bytes in the name of a history. */
const NAME_BYTES = 9;

/** The history of a world: events, incidents with their explanations, replays. */
export class WorldHistory {
  readonly explanations: Explanations;
  readonly #parts: WorldParts;
  /** Made at first use: random bytes take long, and most histories are never listed. */
  #madeName: string | undefined;
  readonly #list: IncidentList;
  readonly #loader: WorldLoader;

  constructor(parts: WorldParts, loader: WorldLoader) {
    this.#parts = parts;
    this.#loader = loader;
    const index = new IncidentIndex(parts.world.number, parts.shared.records);
    this.explanations = new Explanations(parts, index);
    this.#list = new IncidentList(index, {
      reports: parts.reports,
      name: () => this.#name,
      incidentOf: (chain, explanation) => this.#incident(chain, explanation),
      ask: (places, asker) => this.explanations.ask(places, asker),
      isOpen: (incident) => this.explanations.isOpen(incident),
    });
  }

  /** Unique among all histories of all processes. */
  get #name(): string {
    const { world, shared } = this.#parts;
    this.#madeName ??= `${world.id}-${Buffer.from(shared.random.bytes(NAME_BYTES)).toString('base64url')}`;
    return this.#madeName;
  }

  async events(asker?: Asker): Promise<EventRecord[]> {
    const { world, reports, shared, journal } = this.#parts;
    await journal.untilInEffect();
    const { events = [] } = await this.#loader.query('events', { asker });
    await reports.stored();
    const context = { fleet: world.fleet, hazards: shared.city.hazards };
    return events.slice(-EVENTS_SHOWN).map((raw) => eventOf(raw, context));
  }

  // ── incidents ───────────────────────────────────────────────────────────────────────────────

  /** Starts the explanation of the unexplained incidents that are read. */
  async incidents(range: IncidentRange, asker?: Asker): Promise<LongList<Incident>> {
    const { record, reports } = this.#parts;
    // What began before its start is all stored, and does not change.
    const isBefore = (range.untilTick ?? Number.POSITIVE_INFINITY) <= record.from.tick;
    await (isBefore ? reports.stored() : this.#untilNow(asker));
    return this.#list.list(range, asker);
  }

  async *incidentIds(car: number): Steps<string[]> {
    await this.#untilNow();
    return yield* this.#list.ids(car);
  }

  /** Resolves to the current tick, when all contacts before it are stored. */
  async #untilNow(asker?: Asker): Promise<number> {
    const { tick } = await this.#loader.query('tick', { asker });
    await this.#parts.reports.stored();
    return tick;
  }

  journal(range: ChangeRange): LongList<Change> {
    const { world, record, journal, shared } = this.#parts;
    const dependencies = { world: world.number, record, records: shared.records, name: this.#name };
    return changeList(dependencies, journal.seq, range);
  }

  async incident(id: string, asker?: Asker): Promise<Incident | undefined> {
    const found = await this.#find(id, asker);
    if (found === undefined) return undefined;
    if (found.explanation === undefined) this.explanations.ask([found.chain[0]], asker);
    return this.#incident(found.chain, found.explanation);
  }

  async recordedIncident(id: string): Promise<Incident | undefined> {
    const found = await this.#recorded(id);
    return found && this.#incident(found.chain, found.explanation);
  }

  async #find(id: string, asker: Asker | undefined) {
    if (parseIncidentId(id) === undefined) return undefined;
    const untilTick = await this.#untilNow(asker);
    const found = await this.#recorded(id);
    return found && { ...found, untilTick };
  }

  /** As it is stored, with the tick of its contact, which the world has passed in any case. */
  async #recorded(id: string) {
    const place = parseIncidentId(id);
    if (place === undefined) return undefined;
    const { world, shared, reports } = this.#parts;
    await reports.stored();
    const found = await shared.records.incident(world.number, place.tick, place.order);
    return found && { ...found, untilTick: found.chain[0].tick };
  }

  #incident(chain: IncidentContacts, explanation: Explanation | undefined): Incident {
    const { world, shared } = this.#parts;
    const { fleet, id: worldId } = world;
    const { hazards } = shared.city;
    const failures = explanation && failuresOf(explanation, chain, { fleet, hazards });
    const [{ x, y }] = chain;
    const { id: road, name: street } = nearestRoad(shared.city, x, y);
    const context = { worldId, fleet, hazards, place: { road, street } };
    return incidentOf(chain, context, failures);
  }

  // ── replays ─────────────────────────────────────────────────────────────────────────────────

  async replay(id: string, order: ReplayOrder): Promise<Replay | undefined> {
    const { client, spend } = order;
    const payer = { client, affords: () => true, spares: () => true, spend };
    const found = await (order.untilContact ? this.#recorded(id) : this.#find(id, payer));
    if (found === undefined) return undefined;
    const { world, record, shared } = this.#parts;
    const { chain, explanation, untilTick } = found;
    if (!this.#loader.hasStartedOver || chain[0].tick <= record.from.tick) {
      throw new TwinError(
        'unknown_incident',
        'An earlier version of the kernel recorded this collision. It cannot be replayed.',
      );
    }
    const { on, encoding } = order;
    const { cityIndex, shard } = shared;
    const startTick = startTickOf(explanation, on);
    const where = { client, world: world.number, cityIndex, chain };
    const task = { ...where, on, startTick, untilTick, encoding };
    order.spend(REPLAY_TICKS);
    const answer = await shard.replay(task).catch((error: unknown) => {
      if (error instanceof TwinError) throw error;
      return { outcome: 'missing' } as const;
    });
    return answer.outcome === 'played' ? answer : this.#rewound(task, order, true);
  }

  /** Rewinds the world to the collision, then replays it. */
  async #rewound(task: ReplayTask, order: ReplayOrder, trustImage: boolean): Promise<Replay> {
    const { world, ticks, shared } = this.#parts;
    const { log, shard } = shared;
    // What is accepted from now on takes effect later, and the world is held before what is not durable yet.
    const completeTick = Math.max(task.untilTick, ticks.due());
    const rewind = await planRewind(this.#parts, [task.chain], trustImage);
    order.spend(rewind.ticks);
    const waitMs = shard.waitMs(rewind.ticks);
    if (waitMs > WORK_MS_MAX) {
      throw new TwinError('overloaded', undefined, Math.ceil(waitMs / 1000));
    }
    try {
      const { client } = task;
      await runRewind(this.#parts, rewind, { client, completeTick, background: false });
      const answer = await shard.replay(task);
      if (answer.outcome === 'played') return answer;
      throw new Error('the state before the collision was evicted from the cache');
    } catch (err) {
      if (err instanceof TwinError) throw err;
      log.warn({ world: world.id, err }, 'could not replay an incident');
      if (rewind.past.image !== undefined) return this.#rewound(task, order, false);
      throw new TwinError('world_unavailable', 'This collision cannot be replayed.', 60);
    }
  }
}
