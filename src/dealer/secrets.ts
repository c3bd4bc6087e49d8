import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../random.ts';
import type { Store } from '../store/contract.ts';
import { keys, type SecretField } from './records.ts';
import { storedOnce } from './stored-once.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PROOF = 'the key fits';

/** Encrypts single fields of accounts: nonce, ciphertext, tag. */
export class Secrets {
  readonly #key: Uint8Array;
  readonly #random: Random;

  private constructor(key: Uint8Array, random: Random) {
    this.#key = key;
    this.#random = random;
  }

  /**
   * Uses the given key, or else the key in the store. Throws if the stored fields were encrypted
   * with another key.
   */
  static async open(store: Store, random: Random, given: Uint8Array | undefined): Promise<Secrets> {
    const key = given ?? (await storedOnce(store, keys.fieldKey, () => random.bytes(KEY_BYTES)));
    const secrets = new Secrets(key, random);
    const proof = await storedOnce<Uint8Array>(store, keys.fieldKeyProof, () =>
      secrets.#seal(PROOF, PROOF),
    );
    try {
      secrets.#open(proof, PROOF);
    } catch {
      throw new Error('FIELD_KEY is not the key that encrypted the stored profiles');
    }
    return secrets;
  }

  encrypt(account: string, field: SecretField, text: string): Uint8Array {
    return this.#seal(text, `${account} ${field}`);
  }

  decrypt(account: string, field: SecretField, sealed: Uint8Array): string {
    return this.#open(sealed, `${account} ${field}`);
  }

  /** @param place is authenticated, so a ciphertext cannot be moved to another field or account */
  #seal(text: string, place: string): Uint8Array {
    const nonce = this.#random.bytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(place));
    const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed);
  }

  #open(sealed: Uint8Array, place: string): string {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(place));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  }
}
