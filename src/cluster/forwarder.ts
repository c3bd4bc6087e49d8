import type { ForwardedCall, ForwardedReply, Peer } from '../cluster-service.ts';
import { TwinError } from '../errors.ts';
import { WAIT_MS_MAX } from '../limits.ts';
import { type Link, type LinkAnswer, LinkBroken } from '../link/contract.ts';
import type { Places } from './places.ts';
import { errorOf, faultOf, type TwinFault } from './twin-fault.ts';

/** How often the owner of a world is looked for: it may move while it is asked. */
const ATTEMPTS_MAX = 3;
const RETRY_AFTER_S = 1;
const UNKNOWN_HINT =
  'The node of this world did not answer. The change may have been made: read it back.';

export const CALL = 'call';
export const CREATE = 'create';

/** What the owner answers to a call. */
type Answer =
  | { kind: 'reply'; reply: Omit<ForwardedReply, 'body'> & { body: string | Uint8Array | null } }
  /** Nothing was done: another node serves the world. */
  | { kind: 'moved' }
  | ({ kind: 'fault' } & TwinFault);

export interface ForwarderDependencies {
  link: Pick<Link, 'call'>;
  places: Pick<Places, 'moved' | 'settled' | 'waitEndMs'>;
}

/** Sends requests to the nodes that serve their worlds. */
export class Forwarder {
  /** Requests that were passed on, by what became of them. */
  readonly counts = { answered: 0, moved: 0, broken: 0, refused: 0 };
  readonly #dependencies: ForwarderDependencies;

  constructor(dependencies: ForwarderDependencies) {
    this.#dependencies = dependencies;
  }

  /** @param answerHere answers it, if the world has come to this node meanwhile */
  async forward(
    call: ForwardedCall,
    world: number,
    answerHere: (call: ForwardedCall) => Promise<ForwardedReply>,
  ): Promise<ForwardedReply> {
    const { places } = this.#dependencies;
    const endMs = places.waitEndMs();
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const place = await places.settled(world, endMs);
      if (place.at === 'here') return answerHere(call);
      if (place.at === 'nowhere') throw unavailable(place.retryMs);
      const reply = await this.#ask(place.peer, CALL, { world, call });
      if (reply !== undefined) return reply;
      places.moved(world, place.peer);
    }
    this.counts.refused++;
    throw unavailable();
  }

  async create(call: ForwardedCall, peer: Peer): Promise<ForwardedReply> {
    const reply = await this.#ask(peer, CREATE, { call });
    if (reply !== undefined) return reply;
    this.counts.refused++;
    throw unavailable();
  }

  /** Undefined: nothing was done, and another node may do it. */
  async #ask(
    { process }: Peer,
    kind: string,
    value: { call: ForwardedCall; world?: number },
  ): Promise<ForwardedReply | undefined> {
    let answer: LinkAnswer;
    try {
      answer = await this.#dependencies.link.call(process, kind, value, WAIT_MS_MAX);
    } catch (error) {
      if (!(error instanceof LinkBroken)) throw error;
      this.counts.broken++;
      if (error.isOverloaded) throw new TwinError('overloaded', undefined, RETRY_AFTER_S);
      if (!error.isSent || (kind === CALL && isRepeatable(value.call))) return undefined;
      throw new TwinError('store_unavailable', UNKNOWN_HINT, RETRY_AFTER_S);
    }
    const told = answer.value as Answer;
    if (told.kind === 'fault') throw errorOf(told);
    if (told.kind === 'moved') {
      this.counts.moved++;
      return undefined;
    }
    this.counts.answered++;
    const { reply } = told;
    return { ...reply, body: reply.body ?? answer.pieces ?? '' };
  }
}

/** Whether it only reads. */
function isRepeatable({ method }: ForwardedCall): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function unavailable(retryMs = 1000): TwinError {
  const hint = 'The node that serves this world changes; nothing was changed. Try again.';
  return new TwinError('store_unavailable', hint, Math.max(1, Math.ceil(retryMs / 1000)));
}

/** Answers a call of another node. `placed`: whether this node serves the world now. */
export async function answerCall(
  call: ForwardedCall,
  isPlacedHere: () => Promise<boolean>,
  answer: (call: ForwardedCall) => Promise<ForwardedReply>,
): Promise<LinkAnswer> {
  if (!(await isPlacedHere())) return { value: { kind: 'moved' } satisfies Answer };
  try {
    const { body, ...head } = await answer(call);
    if (typeof body === 'string' || body instanceof Uint8Array) {
      return { value: { kind: 'reply', reply: { ...head, body } } satisfies Answer };
    }
    const reply = { ...head, body: null };
    return { value: { kind: 'reply', reply } satisfies Answer, pieces: bytesOf(body) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    return { value: { kind: 'fault', ...fault } satisfies Answer };
  }
}

async function* bytesOf(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
