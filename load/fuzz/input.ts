export const SERVICES = ['twin', 'dealer'] as const;
export type Service = (typeof SERVICES)[number];

/** What one connection sends. */
export interface Input {
  service: Service;
  /** Written one after the other, each as latin1; the node reads one before the next is sent. */
  parts: readonly string[];
  /** Whether the client goes at once instead of waiting for an answer. */
  leaves: boolean;
  /** What its only request must get, if it is a complete one: any answer, or what the documents say. */
  expects?: 'answer' | 'acceptance' | 'refusal';
  /** Of its only request. */
  operation?: string;
}

/** Names that stand for what differs from run to run, as long as what replaces them. */
export const WORLD_ID = '0worldid00';
export const VIN = 'WVFUZZER000000001';
/** By role. */
export const TOKENS = { admin: '@admin@', dealer: '@dealer@', customer: '@customer@' } as const;
export type Caller = keyof typeof TOKENS;

/** In one word, for `--replay`. */
export function wordOf({ service, parts, leaves }: Input): string {
  const hex = parts.map((part) => Buffer.from(part, 'latin1').toString('hex'));
  return `${service}${leaves ? '!' : ':'}${hex.join('.')}`;
}

/** Undefined where the word is no input. */
export function inputOf(word: string): Input | undefined {
  const [, service, mark, hex = ''] = /^(twin|dealer)([:!])([0-9a-f.]*)$/.exec(word) ?? [];
  if (service === undefined) return undefined;
  const parts = hex.split('.').map((part) => Buffer.from(part, 'hex').toString('latin1'));
  return { service: service as Service, parts, leaves: mark === '!' };
}
