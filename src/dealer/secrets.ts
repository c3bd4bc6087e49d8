import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../random.ts';
import type { Store } from '../store/contract.ts';
import { storedKey } from './keys.ts';
import { keys, type SecretField } from './records.ts';

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
   * With the key that is given, or else that of the store, which is made where there is none.
   * Throws where the fields that the store holds were encrypted with another one.
   */
  static async open(store: Store, random: Random, given: Uint8Array | undefined): Promise<Secrets> {
    const key = given ?? (await storedKey(store, random, keys.fieldKey, KEY_BYTES));
    const secrets = new Secrets(key, random);
    const place = keys.fieldKeyProof;
    for (;;) {
      const proof = await store.get<Uint8Array>(place);
      if (proof !== undefined) {
        secrets.#expectProof(proof.value);
        return secrets;
      }
      const value = secrets.#seal(PROOF, PROOF);
      await store.commit([{ key: place, version: null }], [{ key: place, value }]);
    }
  }

  #expectProof(proof: Uint8Array): void {
    try {
      this.#open(proof, PROOF);
    } catch {
      throw new Error('FIELD_KEY is not the key that the stored profiles were encrypted with');
    }
  }

  encrypt(account: string, field: SecretField, text: string): Uint8Array {
    return this.#seal(text, `${account} ${field}`);
  }

  decrypt(account: string, field: SecretField, sealed: Uint8Array): string {
    return this.#open(sealed, `${account} ${field}`);
  }

  /** @param place goes into the tag, so that what was moved elsewhere cannot be opened there */
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
