import { signal } from '@preact/signals';
import type { FleetEntry, Snapshot } from '../api/types.ts';
import type { LifeListener, LocalLife } from '../life/local-life.ts';
import type { LifeState } from '../life/messages.ts';
import type { Connection, Link, Listener } from '../live/connection.ts';

/** The node is asked for all if the world does not live here after so long. */
const FIRST_MS = 1000;
/** The same for a new world: its frames are shown meanwhile, and not much has happened there. */
const NEW_MS = 6000;
/** After a pause, a page's timers fire before it reads the messages that have arrived. */
const GRACE_MS = 200;
/** The same when the life has lost the node: it goes on alone meanwhile. */
const ALONE_MS = 6000;
/** A visitor is told of that only then: where a world moves, or a tab was hidden, the next stream is there soon. */
const LOST_MS = 1500;

export interface SourceParts {
  /** Undefined where the browser cannot let a world live. */
  openLife(listener: LifeListener): LocalLife | undefined;
  /** Ends when what the world is lived with may be loaded. `isNew`: it was made a moment ago. */
  mayLoad(isNew: boolean): Promise<void>;
  openConnection(listener: Listener): Pick<Connection, 'retryNow' | 'stop'>;
  /** The visitor looks at an earlier moment of what lives here, or at a copy of it. */
  isPastShown(): boolean;
  /** Calls once after `ms`; the result cancels that. */
  after(ms: number, call: () => void): () => void;
  /** `dueMs`: when its tick was due, by `performance.now`; NaN if that is not known. */
  frame(frame: Snapshot, dueMs: number): void;
  corrected(frames: readonly Snapshot[], lateTicks: number): void;
  fleet(fleet: readonly FleetEntry[]): void;
}

/** Where the states of the world come from: it lives in this page; where it does not, the node sends them. */
export class WorldSource {
  readonly from = signal<'nowhere' | 'life' | 'node'>('nowhere');
  readonly link = signal<Link>('connecting');
  /** What lives here agrees with the node, as far as is known; or the node sends what is shown. */
  readonly isVerified = signal(true);
  /** Clients that watch the world, as far as the life knows. */
  readonly watchers = signal(1);
  /** Whether the world lives here, or the node is to be asked. */
  readonly decided: Promise<void>;
  life: LocalLife | undefined;
  readonly #settle: () => void;
  #isDecided = false;
  readonly #parts: SourceParts;
  #connection: Pick<Connection, 'retryNow' | 'stop'> | undefined;
  #cancelConnect = () => {};
  #cancelLost = () => {};
  #hasFleet = false;
  /** What the worker shows is shown: the world that lives there, or what it gets from the node. */
  #takesWorker = false;

  constructor(parts: SourceParts) {
    this.#parts = parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.decided, this.#settle] = [promise, resolve];
    this.life = parts.openLife({
      frame: (frame, dueMs) => {
        if (this.#takesWorker) parts.frame(frame, dueMs);
      },
      corrected: (frames, lateTicks) => {
        if (this.#takesWorker) parts.corrected(frames, lateTicks);
      },
      fleet: (fleet) => this.#takeFleet(fleet),
      met: (isNew) => this.#meet(isNew),
      state: (state) => this.#takeState(state),
      watchers: (count) => {
        // This page may have two streams.
        this.watchers.value = Math.max(1, this.#connection === undefined ? count : count - 1);
      },
      failed: () => this.#lose(),
    });
    if (this.life === undefined) this.#askNode();
    else this.#connectAfter(FIRST_MS);
  }

  /** Asks for the world again at once. */
  retryNow(): void {
    if (this.link.peek() === 'gone') return;
    this.life?.reconnect();
    this.#connection?.retryNow();
  }

  /** The node lives a new world in no time: its cars are here before all that this page needs to live it. */
  #meet(isNew: boolean): void {
    if (isNew) {
      this.#connect();
      this.#connectAfter(NEW_MS);
    }
    void this.#parts.mayLoad(isNew).then(() => this.life?.load());
  }

  #decide(): void {
    this.#isDecided = true;
    this.#settle();
  }

  #takeFleet(fleet: readonly FleetEntry[]): void {
    this.#hasFleet = true;
    this.#parts.fleet(fleet);
  }

  #takeState(state: LifeState): void {
    if (this.link.peek() === 'gone' || state === 'connecting') return;
    this.#cancelLost();
    if (state === 'gone') this.#end();
    else if (state === 'alone') {
      this.#cancelLost = this.#after(LOST_MS, () => {
        if (this.#takesWorker) this.link.value = 'reconnecting';
      });
      this.#connectAfter(ALONE_MS);
    } else if (this.#hasFleet) {
      this.#cancelConnect();
      this.#connection?.stop();
      this.#connection = undefined;
      this.#takesWorker = true;
      this.from.value = state === 'shown' ? 'node' : 'life';
      this.isVerified.value = state !== 'unverified';
      this.link.value = 'streaming';
      this.#decide();
    }
  }

  /** The worker has ended. */
  #lose(): void {
    this.life = undefined;
    if (this.#takesWorker) this.from.value = 'nowhere';
    this.#takesWorker = false;
    this.#cancelConnect();
    this.#askNode();
  }

  #connectAfter(ms: number): void {
    this.#cancelConnect();
    this.#cancelConnect = this.#after(ms, () => this.#askNode());
  }

  /** Calls once after `ms`, when what has arrived by then is read; the result cancels that. */
  #after(ms: number, call: () => void): () => void {
    const { after } = this.#parts;
    let cancel = after(ms, () => {
      cancel = after(GRACE_MS, call);
    });
    return () => cancel();
  }

  /** The node's states are shown, and it is asked for the rest, until the world lives here. */
  #askNode(): void {
    this.#decide();
    this.#connect();
  }

  #connect(): void {
    if (this.#connection !== undefined || this.link.peek() === 'gone') return;
    this.#connection = this.#parts.openConnection({
      hello: ({ fleet }) => this.#takeFleet(fleet),
      snapshot: (frame) => {
        // The node has no such past: its states can wait.
        if (this.#takesWorker && this.#parts.isPastShown()) return;
        this.#takesWorker = false;
        this.isVerified.value = true;
        this.from.value = this.#isDecided ? 'node' : 'nowhere';
        this.#parts.frame(frame, Number.NaN);
      },
      link: (link) => this.#takeLink(link),
    });
  }

  #takeLink(link: Link): void {
    if (link === 'gone') this.#end();
    // What lives here goes on until the node's frames come.
    else if (!this.#takesWorker || link === 'streaming' || link === 'polling') {
      this.link.value = link;
    }
  }

  #end(): void {
    this.#cancelConnect();
    this.#cancelLost();
    this.#connection?.stop();
    this.#decide();
    this.link.value = 'gone';
  }
}
