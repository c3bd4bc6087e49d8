import type { ClusterStatus } from '../../cluster-operator.ts';

/** Colours of the style sheet. */
const HUES = 8;

/** What the names end with after the longest beginning that all of them share. */
export function shortNames(names: readonly string[]): string[] {
  const [first = '', ...others] = names;
  if (others.length === 0) return [...names];
  let length = 0;
  while (length < first.length && others.every((name) => name[length] === first[length])) length++;
  return names.map((name) => name.slice(length) || name);
}

/** How nodes are called and coloured in this page. A node keeps its colour while the page is open. */
export class NodeNames {
  readonly #hues = new Map<string, number>();
  #names = new Map<string, string>();
  #shortNames = new Map<string, string>();

  show({ nodes }: Pick<ClusterStatus, 'nodes'>): void {
    const short = shortNames(nodes.map(({ name }) => name));
    this.#names = new Map(nodes.map(({ process, name }) => [process, name]));
    this.#shortNames = new Map(nodes.map(({ process }, i) => [process, short[i] ?? process]));
    for (const { process } of nodes) {
      if (!this.#hues.has(process)) this.#hues.set(process, this.#hues.size % HUES);
    }
  }

  /** Also of a node that is gone: its process begins with its name. */
  of(process: string | null): string {
    if (process === null) return '–';
    return this.#names.get(process) ?? process.replace(/:[^:]*$/, '');
  }

  short(process: string | null): string {
    return process === null ? '–' : (this.#shortNames.get(process) ?? this.of(process));
  }

  /** Empty for nobody, and for a node that the page has never seen alive. */
  hueOf(process: string | null): string {
    return String(this.#hues.get(process ?? '') ?? '');
  }
}
