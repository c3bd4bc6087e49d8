import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A line of MONITOR: time, database and who called, then the command. */
const CALL = /^\+[\d.]+ \[\d+ (\S+)\] "(\w+)"/;
/** What a script does is no call of a client. */
const OF_SCRIPT = 'lua';

/** The command that clients have sent with a line of MONITOR, in lower case; undefined for any other line. */
export function calledBy(line: string): string | undefined {
  const [, client, command] = CALL.exec(line) ?? [];
  return client === undefined || client === OF_SCRIPT ? undefined : command?.toLowerCase();
}

/** Counts what clients send to Redis, until it is stopped. */
export class RedisCalls {
  readonly #socket: Socket;
  readonly #counts: Record<string, number> = {};

  constructor(port: number) {
    this.#socket = createConnection(port, '127.0.0.1', () => this.#socket.write('MONITOR\r\n'));
    createInterface(this.#socket).on('line', (line) => {
      const command = calledBy(line);
      if (command !== undefined) this.#counts[command] = (this.#counts[command] ?? 0) + 1;
    });
  }

  stop(): Readonly<Record<string, number>> {
    this.#socket.destroy();
    return this.#counts;
  }
}
