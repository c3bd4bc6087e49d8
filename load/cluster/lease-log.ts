import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { SCRIPTS } from '../../src/store/redis/redis-scripts.ts';

/** A line of MONITOR: when, database and client, then the command, whose words are quoted. */
const LINE = /^\+?[\d.]+ \[\d+ (\S+)\] (.*)$/;
const WORD = /"((?:[^"\\]|\\.)*)"/g;
/** Words of a line that are looked at: values may be long. */
const WORDS_MAX = 8;
const LEASE_KEY = /^(dt:\{p\d+\}):lease$/;
const VERSION_KEY = /^(dt:\{p\d+\}):version$/;

interface Partition {
  /** The holder, as the last grant or renewal wrote it. */
  lease: string;
  /** Names of the grants under which something was written, in order. */
  writers: string[];
}

/**
 * What Redis executes, as its command MONITOR tells: which holder each partition had, and under which
 * grants something was written.
 */
export class LeaseLog {
  /** Commits that were made, and those that Redis refused because of their lease or a check. */
  commitCount = 0;
  refusedCount = 0;
  /** Commits that were made under a lease that was not the partition's. */
  foreignCount = 0;
  /** Leases that went from one process to another. */
  takeoverCount = 0;
  readonly #socket: Socket;
  readonly #partitions = new Map<string, Partition>();
  /** A commit whose writes may follow. */
  #asked: { partition: string; token: string } | undefined;

  static async open(port: number): Promise<LeaseLog> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new LeaseLog(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    // Redis may end before this does.
    socket.on('error', () => {});
    createInterface(socket.setEncoding('latin1')).on('line', (line) => this.#read(line));
    socket.write('MONITOR\r\n');
  }

  #read(line: string): void {
    const [, client, command = ''] = LINE.exec(line) ?? [];
    if (client === undefined) return;
    const words = wordsOf(command);
    if (client === 'lua') this.#wrote(words);
    else this.#asks(words);
  }

  #asks([command, sha1, , key = '', , , , token = '']: readonly string[]): void {
    if (this.#asked !== undefined) this.refusedCount++;
    const [, partition] = LEASE_KEY.exec(key) ?? [];
    const isCommit = command === 'EVALSHA' && sha1 === SCRIPTS.commit.sha1;
    this.#asked = isCommit && partition !== undefined ? { partition, token } : undefined;
  }

  #wrote([command, key = '', value = '']: readonly string[]): void {
    if (command !== 'SET') return;
    const [, leased] = LEASE_KEY.exec(key) ?? [];
    if (leased !== undefined) this.#leased(this.#partition(leased), value);
    const [, written] = VERSION_KEY.exec(key) ?? [];
    if (written !== undefined && this.#asked?.partition === written) this.#made(this.#asked.token);
  }

  #leased(partition: Partition, lease: string): void {
    const isSame = nodeOf(partition.lease) === nodeOf(lease);
    if (partition.lease !== '' && !isSame) this.takeoverCount++;
    partition.lease = lease;
  }

  #made(token: string): void {
    if (this.#asked === undefined) return;
    const partition = this.#partition(this.#asked.partition);
    this.#asked = undefined;
    this.commitCount++;
    // What was held before this log began is not known.
    if (partition.lease !== '' && partition.lease !== token) this.foreignCount++;
    const [name = ''] = token.split('#');
    if (partition.writers.at(-1) !== name) partition.writers.push(name);
  }

  #partition(key: string): Partition {
    const known = this.#partitions.get(key) ?? { lease: '', writers: [] };
    this.#partitions.set(key, known);
    return known;
  }

  /** Partitions in which a grant wrote again after a later one had written. */
  get interleavedCount(): number {
    return [...this.#partitions.values()].filter(
      ({ writers }) => new Set(writers).size < writers.length,
    ).length;
  }

  /** How often a partition was written by another grant than before. */
  get handoverCount(): number {
    return [...this.#partitions.values()].reduce(
      (sum, { writers }) => sum + Math.max(0, writers.length - 1),
      0,
    );
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The process in a holder, which is process-number#session. */
function nodeOf(lease: string): string {
  return lease.replace(/-\d+#\d+$/, '');
}

function wordsOf(command: string): string[] {
  const words: string[] = [];
  for (const [, word = ''] of command.matchAll(WORD)) {
    words.push(word);
    if (words.length === WORDS_MAX) break;
  }
  return words;
}
