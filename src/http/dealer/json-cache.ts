/** A body that is already encoded as JSON. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Caches the JSON of values that do not change. */
export class JsonCache<T extends object> {
  readonly #texts = new WeakMap<T, JsonText>();

  of(value: T, bodyOf: (value: T) => unknown): JsonText {
    const text = this.#texts.get(value) ?? new JsonText(JSON.stringify(bodyOf(value)));
    this.#texts.set(value, text);
    return text;
  }
}
