import { TICK_MS } from '../../assembly/layout.ts';

/** Clocks drift apart: what was measured longer ago does not count. */
const WINDOW_MS = 600_000;

interface Reading {
  atMs: number;
  /** Time here less time there: what differs, and the delay of the message. */
  offsetMs: number;
}

/**
 * The clock of a server, in ticks of a world, from messages that tell it. Each message is late by its way;
 * the least late one of some minutes counts.
 */
export class ServerClock {
  /** In order of time; none is followed by one that is less late. */
  #readings: Reading[] = [];

  /** A message that came at a time of this computer says which tick it was. */
  read(tick: number, atMs: number): void {
    const offsetMs = atMs - tick * TICK_MS;
    this.#readings = this.#readings.filter(
      (each) => each.offsetMs < offsetMs && each.atMs > atMs - WINDOW_MS,
    );
    this.#readings.push({ atMs, offsetMs });
  }

  /** Another server, or the same one after a pause. */
  reset(): void {
    this.#readings = [];
  }

  /** With its fraction; undefined as long as nothing was read. */
  tickAt(nowMs: number): number | undefined {
    const [least] = this.#readings;
    return least && (nowMs - least.offsetMs) / TICK_MS;
  }
}
