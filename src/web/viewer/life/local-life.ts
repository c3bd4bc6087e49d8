import { batch, computed, signal } from '@preact/signals';
import type { FleetEntry, Incident, Snapshot, WorldEvent } from '../api/types.ts';
import type { Branch, Extent, Life, Mark, Switching } from './life.ts';
import { type Ask, LocalBranch } from './local-branch.ts';
import { marksOf } from './marks.ts';
import type { Answer, Given, LifeState, Question, Report, Request } from './messages.ts';

/** The part of a worker that is used here. */
export interface WorkerPort {
  postMessage(request: Request): void;
  addEventListener(type: 'message', listener: (event: { data: Report }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  terminate(): void;
}

/** What happens to a life. */
export interface LifeListener {
  /** `dueMs`: when its tick was due, by `performance.now`; NaN if that is not known. */
  frame(frame: Snapshot, dueMs: number): void;
  corrected(frames: readonly Snapshot[], lateTicks: number): void;
  fleet(fleet: readonly FleetEntry[]): void;
  /** The node has told of the world: see `load`. `isNew`: it was made a moment ago. */
  met(isNew: boolean): void;
  state(state: LifeState): void;
  /** Streams of the world that are open, by all clients. */
  watchers(count: number): void;
  /** There is no worker, or it has ended with an error. */
  failed(): void;
}

/** As the service lists them, oldest first: the last events and incidents. */
export interface Happened {
  events: readonly WorldEvent[];
  incidents: readonly Incident[];
}

/** As many as the service lists. */
const EVENTS_SHOWN = 60;
/** How often the end of what is known is published, ticks. */
const PUBLISH_TICKS = 10;

/** More are of no use to a visitor, and a reckless city has 20,000 collisions a day. */
const MARKS_MAX = 10_000;
const INCIDENTS_MAX = 1000;
/** The world lives in the worker. */
const LIVING: ReadonlySet<LifeState> = new Set(['living', 'unverified', 'alone']);
const ENDED = 'the worker has ended';

type Settle = ReturnType<typeof Promise.withResolvers<unknown>>;

/** The page's side of a world that lives in a worker. */
export class LocalLife implements Life {
  readonly state = signal<LifeState>('connecting');
  readonly marks = signal<readonly Mark[]>([]);
  readonly happened = signal<Happened>({ events: [], incidents: [] });
  readonly edition = signal(0);
  readonly #known = signal<Extent | undefined>(undefined);
  readonly #isWhole = signal(false);
  /** The tick at which the world began under its kernel; undefined: not known yet. */
  readonly begin = computed(() => (this.#isWhole.value ? this.#known.value?.[0] : undefined));
  readonly extent = computed(() => {
    return LIVING.has(this.state.value) ? this.#known.value : undefined;
  });
  readonly #worker: WorkerPort;
  readonly #listener: LifeListener;
  readonly #asked = new Map<number, Settle>();
  #count = 0;
  #hasEnded = false;

  constructor(worker: WorkerPort, listener: LifeListener) {
    this.#worker = worker;
    this.#listener = listener;
    worker.addEventListener('message', ({ data }) => this.#take(data));
    worker.addEventListener('error', () => this.#end());
  }

  /** It has failed: nothing that it says can be trusted. */
  #end(): void {
    this.#worker.terminate();
    this.#hasEnded = true;
    for (const { reject } of this.#asked.values()) reject(new Error(ENDED));
    this.#asked.clear();
    this.#listener.failed();
  }

  open(world: string, streamUrl: string): void {
    this.#worker.postMessage({ type: 'open', world, streamUrl });
  }

  /** Lets the worker load what the world is lived with: much, which could be in the way of other things. */
  load(): void {
    this.#worker.postMessage({ type: 'load' });
  }

  /** Connects again at once. */
  reconnect(): void {
    this.#worker.postMessage({ type: 'reconnect' });
  }

  /** Rejects if the worker cannot answer. */
  ask<Name extends Question>(question: Name, ...given: Given<Name>): Promise<Answer<Name>> {
    if (this.#hasEnded) return Promise.reject(new Error(ENDED));
    const number = this.#count++;
    const settle = Promise.withResolvers<unknown>();
    this.#asked.set(number, settle);
    this.#worker.postMessage({ type: 'ask', number, question, given });
    // The worker answers each question as it is typed.
    return settle.promise as Promise<Answer<Name>>;
  }

  frames(extent: Extent, everyTicks: number): Promise<readonly Snapshot[]> {
    return this.ask('frames', extent, everyTicks);
  }

  events(tick: number): Promise<readonly WorldEvent[]> {
    return this.ask('events', tick);
  }

  incidentCount(extent: Extent): Promise<number> {
    return this.ask('incidentCount', extent);
  }

  async branch(tick: number, switchings: readonly Switching[]): Promise<Branch> {
    const number = await this.ask('openBranch', tick, switchings);
    const ask: Ask = (question, ...given) => this.ask(question, ...given);
    return new LocalBranch(number, tick, switchings, ask);
  }

  #take(report: Report): void {
    if (report.type === 'frame') this.#takeFrame(report);
    else if (report.type === 'corrected') {
      this.#listener.corrected(report.frames, report.lateTicks);
    } else if (report.type === 'fleet') this.#listener.fleet(report.fleet);
    else if (report.type === 'met') this.#listener.met(report.isNew);
    else if (report.type === 'state') {
      this.state.value = report.state;
      this.#listener.state(report.state);
    } else if (report.type === 'watchers') this.#listener.watchers(report.watchers);
    else if (report.type === 'past') this.#takePast(report);
    else if (report.type === 'news') this.#takeNews(report);
    else if (report.type === 'answer') this.#settled(report.number)?.resolve(report.answer);
    else this.#settled(report.number)?.reject(new Error(report.why));
  }

  #settled(number: number): Settle | undefined {
    const settle = this.#asked.get(number);
    this.#asked.delete(number);
    return settle;
  }

  #takeFrame({ frame, dueMs }: Extract<Report, { type: 'frame' }>): void {
    this.#listener.frame(frame, dueMs - performance.timeOrigin);
    const known = this.#known.peek();
    if (known && frame.tick >= known[1] + PUBLISH_TICKS) this.#known.value = [known[0], frame.tick];
  }

  #takePast(past: Extract<Report, { type: 'past' }>): void {
    const { extent, isWhole, marks, events, incidents } = past;
    batch(() => {
      this.#known.value = extent;
      this.#isWhole.value = isWhole;
      this.marks.value = marks;
      this.happened.value = { events, incidents: incidents.slice(-INCIDENTS_MAX) };
      this.edition.value++;
    });
  }

  #takeNews({ events, incidents }: Extract<Report, { type: 'news' }>): void {
    const known = this.happened.peek();
    batch(() => {
      if (events.length > 0) {
        this.marks.value = [...this.marks.peek(), ...marksOf(events)].slice(-MARKS_MAX);
      }
      this.happened.value = {
        events: [...known.events, ...events].slice(-EVENTS_SHOWN),
        incidents: withReports(known.incidents, incidents),
      };
    });
  }
}

/** A report takes the place of an earlier one of the same incident. */
function withReports(
  known: readonly Incident[],
  reports: readonly Incident[],
): readonly Incident[] {
  if (reports.length === 0) return known;
  const byId = new Map(known.map((incident) => [incident.id, incident]));
  for (const report of reports) byId.set(report.id, report);
  return [...byId.values()].slice(-INCIDENTS_MAX);
}
