/** Where a text stops being JSON, as an offset in code points, and why. */
export interface JsonFault {
  offset: number;
  reason: string;
}

const BLANKS = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
/** Everything above control characters, except quotes and backslashes. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The first fault of a text that is not JSON. It does not recurse, so nesting is unlimited. */
export function jsonFault(text: string): JsonFault {
  const { at, reason } = new Scanner(text).run();
  const ended = at >= text.length;
  return {
    offset: [...text.slice(0, at)].length,
    reason: ended ? 'Unexpected end of input' : reason,
  };
}

interface Stop {
  at: number;
  reason: string;
}

class Scanner {
  readonly #text: string;
  #at = 0;
  /** Open brackets, innermost last. */
  readonly #open: ('{' | '[')[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): Stop {
    let fault = this.#value();
    while (fault === undefined) {
      if (this.#open.length === 0) {
        this.#skip(BLANKS);
        return this.#stop('Extra data');
      }
      fault = this.#next();
    }
    return fault;
  }

  #stop(reason: string): Stop {
    return { at: this.#at, reason };
  }

  /** Advances past a match; returns whether there was one. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const isThere = pattern.test(this.#text);
    if (isThere) this.#at = pattern.lastIndex;
    return isThere;
  }

  #take(mark: string): boolean {
    this.#skip(BLANKS);
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  /** Reads a value; of an object or a list everything up to its first value. */
  #value(): Stop | undefined {
    for (;;) {
      if (this.#take('{')) {
        if (this.#take('}')) return undefined;
        this.#open.push('{');
        const fault = this.#key();
        if (fault) return fault;
      } else if (this.#take('[')) {
        if (this.#take(']')) return undefined;
        this.#open.push('[');
      } else if (this.#take('"')) {
        return this.#string();
      } else {
        return this.#skip(NUMBER) || this.#skip(LITERAL)
          ? undefined
          : this.#stop('Expecting value');
      }
    }
  }

  /** Reads what follows a value: a closing bracket, or a comma and the next value. */
  #next(): Stop | undefined {
    const inObject = this.#open.at(-1) === '{';
    if (this.#take(inObject ? '}' : ']')) {
      this.#open.pop();
      return undefined;
    }
    if (!this.#take(',')) return this.#stop("Expecting ',' delimiter");
    return (inObject ? this.#key() : undefined) ?? this.#value();
  }

  #key(): Stop | undefined {
    if (!this.#take('"')) {
      return this.#stop('Expecting property name enclosed in double quotes');
    }
    const fault = this.#string();
    if (fault) return fault;
    return this.#take(':') ? undefined : this.#stop("Expecting ':' delimiter");
  }

  /** Reads the rest of a string after its first quote. */
  #string(): Stop | undefined {
    for (;;) {
      this.#skip(PLAIN);
      if (this.#text[this.#at] === '"') {
        this.#at++;
        return undefined;
      }
      if (this.#text[this.#at] !== '\\') return this.#stop('Invalid control character');
      if (!this.#skip(ESCAPE)) return this.#stop('Invalid escape');
    }
  }
}
