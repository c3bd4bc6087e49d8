/** A body that is JSON already. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** The JSON of values that do not change, made once for each. */
export class JsonCache<T extends object> {
  readonly #texts = new WeakMap<T, JsonText>();

  of(value: T, bodyOf: (value: T) => unknown): JsonText {
    const text = this.#texts.get(value) ?? new JsonText(JSON.stringify(bodyOf(value)));
    this.#texts.set(value, text);
    return text;
  }
}
