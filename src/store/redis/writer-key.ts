import type { Random } from '../../random.ts';
import type { StopTimer, Time } from '../../time.ts';
import { RELIED_ON } from '../contract.ts';
import type { MakeClient } from './redis-client.ts';
import { RedisLink } from './redis-link.ts';
import { LAST_WRITES_LOST, nodeOf, processOf, RENEWALS, tokenOf } from './slot-lease.ts';
import { COMMON_SLOT, EARLIER_LEASE, NODES_KEY, type Slot, writerKeyOf } from './slots.ts';

/** An answer may take the lifetime divided by this, but at least COMMAND_MS_MIN. */
const COMMAND_SHARE = 12;
const COMMAND_MS_MIN = 200;
/** Pause between two attempts to enter. */
const POLL_MS = 100;
/** A renewal is recent for this share of the time between two. */
const RECENT = 0.9;
const PROCESS_BYTES = 8;
/** A message for the operator. */
export const EMPTIED =
  'the store has lost all its data: restore it from a backup, or restart the node to begin anew';
const KEY_IS_GONE = 'its writer key has run out';

export interface WriterListener {
  /** The process may write, or may write again. */
  entered(): void;
  /** The writer key was not renewed in time. */
  expired(): void;
  /** The process has to enter again: others may have written, or writes were lost. */
  lost(reason: string): void;
}

export interface WriterDependencies {
  time: Time;
  random: Random;
  makeClient: MakeClient | undefined;
  listener: WriterListener;
  /** The highest version that this process has seen in a slot. */
  seen: Map<Slot, number>;
}

export interface LeaseSettings {
  url: string;
  nodeName: string;
  /** Lifetime of a lease and of a writer key. After a crash, its partitions wait for this time. */
  leaseMs: number;
}

/** What Redis says of a writer key. */
export interface KeyState {
  isThere: boolean;
  /** The highest version given in the slot. */
  version: number;
}

interface Entered extends KeyState {
  session: number;
  /** The token of a node of an earlier release that has the right alone, or ''. */
  holder: string;
}

/**
 * The right of this process to read and write common entries, beside that of others. It is a key in
 * Redis that expires unless the process renews it. The process measures the remaining time by its
 * own clock, and stops relying on the key before it can expire in Redis. A key that is gone never
 * comes back: the process enters under a new name. It uses a connection of its own, which the leases
 * of the partitions and the heartbeats share.
 */
export class WriterKey {
  readonly link: RedisLink;
  /** Names this process for as long as it lives: no other one ever has this name. */
  readonly process: string;
  readonly #settings: LeaseSettings;
  readonly #dependencies: WriterDependencies;
  readonly #time: Time;
  /** How often the process has tried to enter. */
  #attemptCount = 0;
  /** The name under which it entered last, and the connection over which that may write. */
  #name: string;
  #enteredSession = 0;
  /** The connection over which it wants to write. */
  #session = 0;
  /** As far as this process knows, its key exists. */
  #isEntered = false;
  #sentMs = Number.NEGATIVE_INFINITY;
  #untilMs = Number.NEGATIVE_INFINITY;
  /** Whether the last event for the listener was `entered`. */
  #isTold = false;
  /** Holds the lease of earlier releases. */
  #earlierHolder = '';
  /** The store held data while this process used it. */
  #wasFilled = false;
  #isEmptied = false;
  #renewing: Promise<void> | undefined;
  #stopRenewal: StopTimer = () => {};
  #stopExpiry: StopTimer = () => {};
  #hasLeft = false;
  #lossCount = 0;

  constructor(settings: LeaseSettings, dependencies: WriterDependencies) {
    const { nodeName, leaseMs, url } = settings;
    const { time, random, makeClient } = dependencies;
    this.#settings = settings;
    this.#dependencies = dependencies;
    this.#time = time;
    this.process = `${nodeName}:${Buffer.from(random.bytes(PROCESS_BYTES)).toString('hex')}`;
    this.#name = `${this.process}.0`;
    this.link = new RedisLink(url, {
      name: `${nodeName}-lease`,
      commandTimeoutMs: Math.max(COMMAND_MS_MIN, leaseMs / COMMAND_SHARE),
      ...{ time, random, makeClient },
      up: () => void this.renew(),
    });
  }

  /** The store has lost all its data; this process waits until it has data again. */
  get isEmptied(): boolean {
    return this.#isEmptied;
  }

  /**
   * How often the key was lost, or the process connected. Versions alone do not show that writes were lost: a server
   * that is met late may have given them again.
   */
  get lossCount(): number {
    return this.#lossCount + this.#session;
  }

  /** Whether the process may rely on its key. */
  get isHeld(): boolean {
    return this.#time.now() < this.#untilMs;
  }

  /** Whether Redis accepts writes over the current connection. */
  get isCurrent(): boolean {
    return this.#isEntered && this.#enteredSession === this.#session;
  }

  /** Why the process could not enter; undefined if Redis does not refuse it. */
  get refusal(): string | undefined {
    if (this.#isEmptied) return EMPTIED;
    if (this.#earlierHolder === '') return undefined;
    const node = nodeOf(processOf(this.#earlierHolder));
    return `it is in use: ${node} of an earlier release holds it alone`;
  }

  /** What fences a commit of common entries: a key, and what it must contain. */
  get fence(): { key: string; token: string } | undefined {
    if (!this.isHeld || !this.isCurrent) return undefined;
    return { key: writerKeyOf(this.#name), token: tokenOf(this.#name, this.#session) };
  }

  /**
   * Enters. Waits for a node of an earlier release to end. Rejects if it goes on, or if Redis does
   * not answer within `limitMs`.
   */
  async open(limitMs: number): Promise<void> {
    this.link.open();
    try {
      await this.link.waitFor(() => this.#tryToEnter(), limitMs);
    } catch (error) {
      throw this.refusal === undefined ? error : new Error(this.refusal, { cause: error });
    }
    const everyMs = this.#settings.leaseMs / RENEWALS;
    this.#stopRenewal = this.#time.every(everyMs, () => {
      // Heartbeats renew the key as well.
      const sinceMs = this.#time.now() - this.#sentMs;
      const isRenewed = this.#isEntered && sinceMs < everyMs * RECENT;
      if (!isRenewed) void this.renew();
    });
  }

  async #tryToEnter(): Promise<boolean> {
    await this.renew();
    if (this.isHeld) return true;
    if (this.#earlierHolder !== '') await this.#time.sleep(POLL_MS);
    return false;
  }

  /** Renews the key, or enters again. Never rejects. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renewNow()
      .catch(() => {
        // Redis does not answer. The next renewal tries again; meanwhile the key may expire.
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#hasLeft || !this.link.isUp) return;
    // It does not enter: what would be written to an empty store could pass for its data.
    if (this.#isEmptied && !(await this.#isFilled())) return;
    if (this.#isEntered) await this.#ask((name) => this.#refresh(name));
    if (!this.#isEntered && !this.#isEmptied && !this.#hasLeft) await this.#enterAnew();
  }

  /** Whether a store that was empty has data again. */
  async #isFilled(): Promise<boolean> {
    const { version } = await this.#enter(this.#name, 'same', 0);
    this.#isEmptied = version === 0;
    return !this.#isEmptied;
  }

  async #enterAnew(): Promise<void> {
    const name = `${this.process}.${++this.#attemptCount}`;
    const sentMs = this.#time.now();
    this.#sentMs = sentMs;
    const how = this.#wasFilled ? 'again' : 'new';
    const entered = await this.#enter(name, how, this.#session);
    this.#earlierHolder = entered.isThere ? '' : entered.holder;
    if (!entered.isThere) {
      this.#isEmptied = this.#wasFilled && entered.version === 0;
      return;
    }
    if (this.#hasLeft) return;
    this.#name = name;
    this.#isEntered = true;
    this.#enteredSession = entered.session;
    // The connection was made again meanwhile: what the last one still carries must be shut out.
    let state = entered;
    while (!this.isCurrent && state.isThere) state = await this.#refresh(name);
    this.#judge({ sentMs, seen: 0 }, state);
  }

  /** Rejects with LinkError. */
  async #enter(
    name: string,
    how: 'new' | 'again' | 'same',
    session: number,
    run: RedisLink['run'] = this.link.run.bind(this.link),
  ): Promise<Entered> {
    const keys = [writerKeyOf(name), writerKeyOf(this.#name), EARLIER_LEASE, COMMON_SLOT.version];
    const answer = await run('enter', keys, [name, session, this.#settings.leaseMs, how]);
    const [isThere, entered, version, holder] = answer as [number, number, Buffer, Buffer];
    return {
      ...{ isThere: isThere === 1, session: entered },
      ...{ version: Number(version), holder: String(holder) },
    };
  }

  /**
   * Moves the right to the connection with the number `session`: from now on Redis refuses commands
   * that earlier connections still deliver. Those under earlier names are refused as well, once the
   * process has entered under a new one. Rejects with LinkError.
   */
  async move(link: RedisLink, session: number): Promise<void> {
    this.#session = session;
    if (this.#isEntered) await this.#ask((name) => this.#refresh(name, link.runEarly.bind(link)));
    if (!this.#isEntered) void this.renew();
  }

  /** Renews the key, for the connection over which the process wants to write. */
  async #refresh(name: string, run?: RedisLink['run']): Promise<Entered> {
    const entered = await this.#enter(name, 'same', this.#session, run);
    // Answers over two connections overtake each other, but the session of a key never falls.
    if (name === this.#name && entered.isThere) {
      this.#enteredSession = Math.max(entered.session, this.#enteredSession);
    }
    return entered;
  }

  /**
   * Runs a script that prolongs the key, given the name of the writer. Enters where the key is gone,
   * and runs the script once more. Rejects with Error.
   */
  async prolong<State extends KeyState>(run: (name: string) => Promise<State>): Promise<State> {
    if (!this.#isEntered) await this.renew();
    const state = this.#isEntered ? await this.#ask(run) : undefined;
    if (state?.isThere && this.#isEntered) return state;
    await this.renew();
    if (!this.#isEntered) throw new Error(this.refusal ?? 'the node is not in the store');
    const again = await this.#ask(run);
    if (again.isThere && this.#isEntered) return again;
    throw new Error(KEY_IS_GONE);
  }

  async #ask<State extends KeyState>(run: (name: string) => Promise<State>): Promise<State> {
    const sentMs = this.#time.now();
    const [name, seen] = [this.#name, this.#dependencies.seen.get(COMMON_SLOT) ?? 0];
    this.#sentMs = sentMs;
    const state = await run(name);
    // An answer about an earlier name says nothing.
    if (name === this.#name && this.#isEntered) this.#judge({ sentMs, seen }, state);
    return state;
  }

  /** @param seen the highest version that the process had seen when it asked */
  #judge({ sentMs, seen }: { sentMs: number; seen: number }, state: KeyState): void {
    if (this.#hasLeft) return;
    const isFilled = state.version > 0;
    this.#wasFilled ||= isFilled || seen > 0;
    this.#isEmptied = this.#wasFilled && !isFilled;
    if (this.#isEmptied) this.#lose(EMPTIED);
    else if (state.version < seen) this.#lose(LAST_WRITES_LOST);
    else if (!state.isThere) this.#lose(KEY_IS_GONE);
    else {
      const all = this.#dependencies.seen;
      all.set(COMMON_SLOT, Math.max(state.version, all.get(COMMON_SLOT) ?? 0));
      this.#hold(sentMs + this.#settings.leaseMs * RELIED_ON);
    }
  }

  #hold(untilMs: number): void {
    const wasHeld = this.#isTold;
    this.#untilMs = Math.max(untilMs, this.#untilMs);
    this.#isTold = this.isHeld;
    this.#expire();
    if (!wasHeld && this.#isTold) this.#dependencies.listener.entered();
  }

  /** Reports that the key has expired, or sets a timer for that time. */
  #expire(): void {
    this.#stopExpiry();
    const leftMs = this.#untilMs - this.#time.now();
    if (leftMs > 0) {
      this.#stopExpiry = this.#time.after(Math.ceil(leftMs), () => this.#expire());
    } else if (this.#isTold) {
      this.#isTold = false;
      this.#dependencies.listener.expired();
    }
  }

  #lose(reason: string): void {
    this.#lossCount++;
    this.#end();
    this.#dependencies.seen.delete(COMMON_SLOT);
    this.#dependencies.listener.lost(reason);
  }

  #end(): void {
    this.#stopExpiry();
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#isTold = false;
    this.#isEntered = false;
  }

  /** Gives the right up for good. Partitions can still be released. Never rejects. */
  async leave(): Promise<void> {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#stopRenewal();
    await this.#renewing;
    const keys = [writerKeyOf(this.#name), NODES_KEY];
    this.#end();
    // A key that stays expires by itself.
    if (this.link.isUp) await this.link.run('leave', keys, [this.process]).catch(() => {});
  }

  async close(): Promise<void> {
    await this.leave();
    await this.link.close();
  }
}
