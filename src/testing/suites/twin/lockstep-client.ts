import { expect } from 'vitest';
import type { LockstepHello, LockstepMessage } from '../../../twin/lockstep.ts';
import { checkMessage } from '../../rigs/published.ts';
import { Stream } from './stream-client.ts';
import type { World } from './wire.ts';

/** A stream of a client that lives the world. */
export class LockstepClient {
  readonly stream: Stream;

  private constructor(stream: Stream) {
    this.stream = stream;
  }

  static async open({ stream_url }: World, query = ''): Promise<LockstepClient> {
    return new LockstepClient(await Stream.open(`${stream_url}?encoding=lockstep${query}`));
  }

  async next(): Promise<LockstepMessage> {
    const { isBinary, content } = await this.stream.next();
    expect(isBinary).toBe(true);
    await checkMessage(this.stream.socket.url, content);
    return content as LockstepMessage;
  }

  async hello(): Promise<LockstepHello> {
    const message = await this.next();
    if (message.type !== 'hello') throw new Error(`a ${message.type}, not a hello`);
    return message;
  }

  /** The next of a type; what comes before it goes to `other`. */
  async nextOf<Type extends LockstepMessage['type']>(
    type: Type,
    other: (message: LockstepMessage) => void = () => {},
  ): Promise<LockstepMessage & { type: Type }> {
    for (;;) {
      const message = await this.next();
      if (message.type === type) return message as LockstepMessage & { type: Type };
      other(message);
    }
  }

  close() {
    return this.stream.close();
  }
}
