import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalWorld } from './local-world.ts';
import type { Incident } from './types.ts';

/** Bytes that are written at a time. */
const PART_BYTES = 1 << 16;
/** An event that happens again within a minute changes, and so does an incident while it goes on. */
const FINAL_TICKS = 3500;
const NEWLINE = '\n'.charCodeAt(0);

/** What a command writes of a life, one file each. */
const KINDS = ['snapshots', 'events', 'contacts', 'incidents'] as const;
type Kind = (typeof KINDS)[number];

/** A file with one JSON value a line. */
class LineFile {
  count = 0;
  readonly #file: number;
  readonly #part = new Uint8Array(PART_BYTES);
  #filled = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  write(json: Uint8Array): void {
    if (this.#filled + json.length >= PART_BYTES) this.#flush();
    if (json.length >= PART_BYTES) {
      writeSync(this.#file, json);
    } else {
      this.#part.set(json, this.#filled);
      this.#filled += json.length;
    }
    this.#part[this.#filled++] = NEWLINE;
    this.count++;
  }

  #flush(): void {
    writeSync(this.#file, this.#part, 0, this.#filled);
    this.#filled = 0;
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }
}

/** Writes what happens in a local world to files with one JSON value a line. */
export class LifeWriter {
  readonly #world: LocalWorld;
  readonly #files: Record<Kind, LineFile>;
  readonly #isExplained: boolean;
  #writtenTick = -1;

  /** `folder` is made; files in it are replaced. `isExplained`: reports have explanations. */
  constructor(world: LocalWorld, folder: string, isExplained: boolean) {
    this.#world = world;
    this.#isExplained = isExplained;
    mkdirSync(folder, { recursive: true });
    const files = KINDS.map((kind) => [kind, new LineFile(join(folder, `${kind}.ndjson`))]);
    this.#files = Object.fromEntries(files) as Record<Kind, LineFile>;
  }

  snapshot(): void {
    this.#files.snapshots.write(this.#world.frame('json'));
  }

  /** Writes what is final of what has happened. Call it every minute of the world or so. */
  async happened(): Promise<void> {
    await this.#writeUntil(this.#world.tick - FINAL_TICKS);
  }

  /** Writes the rest. Returns how many lines each file has. */
  async close(): Promise<Record<Kind, number>> {
    await this.#writeUntil(this.#world.tick);
    for (const file of Object.values(this.#files)) file.close();
    const counts = KINDS.map((kind) => [kind, this.#files[kind].count]);
    return Object.fromEntries(counts) as Record<Kind, number>;
  }

  async #writeUntil(tick: number): Promise<void> {
    if (tick <= this.#writtenTick) return;
    const { events, contacts, incidents } = this.#world.happened(this.#writtenTick, tick);
    this.#writtenTick = tick;
    this.#write('events', events);
    this.#write('contacts', contacts);
    for (const incident of incidents) this.#write('incidents', [await this.#explained(incident)]);
  }

  #write(kind: Kind, values: readonly unknown[]): void {
    const encoder = new TextEncoder();
    for (const value of values) this.#files[kind].write(encoder.encode(JSON.stringify(value)));
  }

  /** As it is where it cannot be explained: it is not over. */
  #explained(incident: Incident): Promise<Incident> {
    if (!this.#isExplained) return Promise.resolve(incident);
    return this.#world.explain(incident.id).catch((error: unknown) => {
      if (error instanceof RangeError) return incident;
      throw error;
    });
  }
}
