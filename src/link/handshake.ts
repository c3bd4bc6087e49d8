import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Random } from '../random.ts';
import { endOfValue, MalformedMessage } from './msgpack-scan.ts';
import { pack, unpack } from './wire.ts';

/** Raised with each change of the protocol: nodes with different ones have no link. */
const PROTOCOL = 1;
export const KEY_BYTES = 32;
const NONCE_BYTES = 32;
const MAC_BYTES = 32;
export const PROCESS_LENGTH_MAX = 300;
/** No message of a handshake is longer. */
export const HANDSHAKE_BYTES_MAX = 1024;

/** What both ends prove to know the key with. */
interface Names {
  from: string;
  to: string;
  dialled: Uint8Array;
  serving: Uint8Array;
}

/** Names the side that proves itself, so that one's proof is none of the other. */
function proof(key: Uint8Array, side: 'dialler' | 'server', names: Names): Buffer {
  const { from, to } = names;
  const nonces = [names.dialled, names.serving].map((nonce) => Buffer.from(nonce).toString('hex'));
  const text = JSON.stringify([PROTOCOL, side, from, to, ...nonces]);
  return createHmac('sha256', key).update(text).digest();
}

function isProof(given: unknown, expected: Buffer): boolean {
  return (
    given instanceof Uint8Array && given.length === MAC_BYTES && timingSafeEqual(given, expected)
  );
}

const isNonce = (field: unknown): field is Uint8Array =>
  field instanceof Uint8Array && field.length === NONCE_BYTES;

const isProcess = (field: unknown): field is string =>
  typeof field === 'string' && field.length > 0 && field.length <= PROCESS_LENGTH_MAX;

/** The fields of a message with this name. Throws MalformedMessage for anything else. */
function fieldsOf(bytes: Uint8Array, name: string, count: number): unknown[] {
  if (bytes.length > HANDSHAKE_BYTES_MAX) throw new MalformedMessage('a handshake too long');
  const end = endOfValue(bytes, 0);
  const message = unpack(bytes, 0, end);
  const isWhole = Array.isArray(message) && message.length === count + 1 && end === bytes.length;
  if (!isWhole || message[0] !== name) throw new MalformedMessage(`no ${name}`);
  return message.slice(1);
}

/** The side of a node that dials. It proves itself first, to a node of exactly one name. */
export class DiallerHandshake {
  readonly #key: Uint8Array;
  readonly #names: Names;
  #isAsked = false;

  constructor(key: Uint8Array, from: string, to: string, random: Random) {
    this.#key = key;
    const dialled = random.bytes(NONCE_BYTES);
    this.#names = { from, to, dialled, serving: new Uint8Array() };
  }

  hello(): Uint8Array {
    const { from, to, dialled } = this.#names;
    return pack(['hello', PROTOCOL, from, to, dialled]);
  }

  /**
   * Returns the next message, or undefined once the other side has proved itself. Throws
   * MalformedMessage if it has not.
   */
  receive(bytes: Uint8Array): Uint8Array | undefined {
    if (!this.#isAsked) {
      this.#isAsked = true;
      const [serving] = fieldsOf(bytes, 'challenge', 1);
      if (!isNonce(serving)) throw new MalformedMessage('no nonce');
      this.#names.serving = serving;
      return pack(['proof', proof(this.#key, 'dialler', this.#names)]);
    }
    const [given] = fieldsOf(bytes, 'welcome', 1);
    if (!isProof(given, proof(this.#key, 'server', this.#names))) {
      throw new MalformedMessage('a wrong key');
    }
    return undefined;
  }
}

/** The side of a node that is dialled. It proves nothing before the other side has. */
export class ServerHandshake {
  readonly #key: Uint8Array;
  readonly #process: string;
  readonly #serving: Uint8Array;
  #names: Names | undefined;

  constructor(key: Uint8Array, process: string, random: Random) {
    this.#key = key;
    this.#process = process;
    this.#serving = random.bytes(NONCE_BYTES);
  }

  /**
   * Returns the answer, and with the last one who has dialled. Throws MalformedMessage for whoever does
   * not know the key, or means another process.
   */
  receive(bytes: Uint8Array): { answer: Uint8Array; from?: string } {
    if (this.#names === undefined) {
      const [protocol, from, to, dialled] = fieldsOf(bytes, 'hello', 4);
      if (protocol !== PROTOCOL) throw new MalformedMessage('another protocol');
      if (to !== this.#process) throw new MalformedMessage('another process is meant');
      if (!isProcess(from) || !isNonce(dialled)) throw new MalformedMessage('no name or nonce');
      this.#names = { from, to, dialled, serving: this.#serving };
      return { answer: pack(['challenge', this.#serving]) };
    }
    const [given] = fieldsOf(bytes, 'proof', 1);
    if (!isProof(given, proof(this.#key, 'dialler', this.#names))) {
      throw new MalformedMessage('a wrong key');
    }
    const answer = pack(['welcome', proof(this.#key, 'server', this.#names)]);
    return { answer, from: this.#names.from };
  }
}
