import type { ForwardedCall, ForwardedReply, Peer } from '../cluster-service.ts';
import { BetweenNodes, TwinError } from '../errors.ts';
import { WAIT_MS_MAX } from '../limits.ts';
import { type Link, type LinkAnswer, LinkBroken } from '../link/contract.ts';
import {
  answerWithFault,
  answerWithReply,
  type CallValue,
  callOfMessage,
  messageOfCall,
  NOT_HERE,
  readAnswer,
} from './call-messages.ts';
import type { Places } from './places.ts';
import { errorOf, faultOf } from './twin-fault.ts';

/** How often the owner of a world is looked for: it may move while it is asked. */
const ATTEMPTS_MAX = 3;
const RETRY_AFTER_S = 1;
const UNKNOWN_HINT =
  'The node of this world did not answer. The change may have been made: read it back.';

export const CALL = 'call';
export const CREATE = 'create';

export interface ForwarderDependencies {
  link: Pick<Link, 'call'>;
  places: Pick<Places, 'of' | 'moved' | 'settled' | 'waitEndMs'>;
}

/** Sends requests to the nodes that serve their worlds. */
export class Forwarder {
  /**
   * Requests that were passed on, by what became of them: another node has answered, be it with an error;
   * it no longer served the world; its link broke; no node has answered.
   */
  readonly counts = { answered: 0, moved: 0, broken: 0, refused: 0 };
  readonly #dependencies: ForwarderDependencies;

  constructor(dependencies: ForwarderDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @param answerHere answers it, if the world has come to this node meanwhile; rejects with BetweenNodes
   * if it has left again
   */
  async forward(
    call: ForwardedCall,
    world: number,
    answerHere: (call: ForwardedCall) => Promise<ForwardedReply>,
  ): Promise<ForwardedReply> {
    const { places } = this.#dependencies;
    const endMs = places.waitEndMs();
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      let place = places.of(world);
      if (place.at === 'nowhere') place = await places.settled(world, endMs);
      if (place.at === 'nowhere') {
        this.counts.refused++;
        throw unavailable(place.retryMs);
      }
      if (place.at === 'here') {
        const own = await unlessBetweenNodes(answerHere(call));
        if (own !== undefined) return own;
        continue;
      }
      const reply = await this.#ask(place.peer, CALL, call, world);
      if (reply !== undefined) return reply;
      places.moved(world, place.peer);
    }
    this.counts.refused++;
    throw unavailable();
  }

  async create(call: ForwardedCall, peer: Peer): Promise<ForwardedReply> {
    const reply = await this.#ask(peer, CREATE, call);
    if (reply !== undefined) return reply;
    this.counts.refused++;
    throw unavailable();
  }

  /** Undefined: nothing was done, and another node may do it. */
  async #ask(
    { process }: Peer,
    kind: typeof CALL | typeof CREATE,
    call: ForwardedCall,
    world?: number,
  ): Promise<ForwardedReply | undefined> {
    const message = messageOfCall(call);
    const value: CallValue = world === undefined ? [message] : [message, world];
    let answer: LinkAnswer;
    try {
      answer = await this.#dependencies.link.call(process, kind, value, WAIT_MS_MAX);
    } catch (error) {
      if (!(error instanceof LinkBroken)) throw error;
      this.counts.broken++;
      const { isOverloaded, isSent } = error;
      // What is overloaded with answers has done what it was asked for.
      if (isOverloaded && (!isSent || isRepeatable(call))) {
        throw new TwinError('overloaded', undefined, RETRY_AFTER_S);
      }
      if (!isSent || (kind === CALL && isRepeatable(call))) return undefined;
      throw new TwinError('store_unavailable', UNKNOWN_HINT, RETRY_AFTER_S);
    }
    const told = readAnswer(answer);
    if (told === undefined) {
      this.counts.moved++;
      return undefined;
    }
    this.counts.answered++;
    if ('fault' in told) throw errorOf(told.fault);
    return told.reply;
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

/** Undefined: nothing was done, because the world was on its way to another node. */
async function unlessBetweenNodes(
  reply: Promise<ForwardedReply>,
): Promise<ForwardedReply | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof BetweenNodes) return undefined;
    throw error;
  }
}

/** Answers a call of another node. `isPlacedHere`: whether this node answers for its world now. */
export async function answerCall(
  value: unknown,
  isPlacedHere: (world: number | undefined) => boolean | Promise<boolean>,
  answer: (call: ForwardedCall) => Promise<ForwardedReply>,
): Promise<LinkAnswer> {
  const [message, world] = value as CallValue;
  const isHere = isPlacedHere(world);
  if (isHere !== true && !(await isHere)) return NOT_HERE;
  try {
    const reply = await unlessBetweenNodes(answer(callOfMessage(message)));
    return reply === undefined ? NOT_HERE : answerWithReply(reply);
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    return answerWithFault(fault);
  }
}
