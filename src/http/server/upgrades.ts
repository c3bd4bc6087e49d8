/** A response or a stream: what is sent in the task is sent at once. */
interface Corkable {
  cork(task: () => void): unknown;
}

/**
 * What the socket of a stream carries. The library copies its properties to the socket: a session itself
 * would be another object once the stream is open.
 */
export interface UserData<Session> {
  session: Session;
}

/**
 * Upgrades responses. After an await, a response that corks itself may end the stream that it has
 * become, right after its hello: a flaw of the library, see pull request 1929 of uWebSockets. It corks
 * itself only if no other socket is corked, so another stream is. Where there is none, nothing is
 * corked, and the library prints a warning.
 */
export class Upgrades<S extends Corkable> {
  readonly #streams = new Set<S>();

  /** Returns the stream. */
  opened(stream: S): S {
    this.#streams.add(stream);
    return stream;
  }

  closed(stream: S): void {
    this.#streams.delete(stream);
  }

  /** @param isCorked by the library: nothing was awaited */
  make(response: Corkable, isCorked: boolean, upgrade: () => void): void {
    const [other] = this.#streams;
    if (isCorked || other === undefined) upgrade();
    else other.cork(() => response.cork(upgrade));
  }
}
