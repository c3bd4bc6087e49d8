/**
 * The most bytes that the main thread has handled in one go: parsed as one body, encoded as one value,
 * or given to one or more answers in pieces in a turn of the event loop. One for the process, as it is
 * a figure of its main thread, and what parses and encodes are functions.
 */
class LargestPiece {
  bytes = 0;

  count(bytes: number): void {
    if (bytes > this.bytes) this.bytes = bytes;
  }
}

export const largestPiece = new LargestPiece();
