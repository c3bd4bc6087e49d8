import { expect, test } from 'vitest';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { PieceWriter } from './piece-writer.ts';

/** A connection that takes some bytes each time it is writable, and keeps the rest in memory. */
class SlowConnection {
  takenPerEvent = 0;
  kept = 0;
  keptMax = 0;
  sent = 0;
  isClosed = false;
  #resume: () => boolean = () => true;

  write(chunk: Uint8Array): boolean {
    this.kept += chunk.length;
    this.sent += chunk.length;
    this.keptMax = Math.max(this.kept, this.keptMax);
    return this.kept === 0;
  }

  onWritable(resume: () => boolean): void {
    this.#resume = resume;
  }

  writable(): void {
    this.kept = Math.max(0, this.kept - this.takenPerEvent);
    this.#resume();
  }

  end(): void {}

  cork(write: () => void): void {
    write();
  }

  close(): void {
    this.isClosed = true;
  }
}

const PIECE = new Uint8Array(65_536);

test('[H25] a client that reads slowly holds one piece, however many follow', async () => {
  const connection = new SlowConnection();
  connection.takenPerEvent = 6000;
  const writer = new PieceWriter(connection, TestTime.standing());
  for (let piece = 0; piece < 20; piece++) {
    let isTaken = false;
    void writer.write(PIECE).then(() => {
      isTaken = true;
    });
    for (let event = 0; event < 100 && !isTaken; event++) {
      connection.writable();
      await Promise.resolve();
    }
    expect(isTaken).toBe(true);
  }
  expect(connection.sent).toBe(20 * PIECE.length);
  expect(connection.keptMax).toBeLessThanOrEqual(PIECE.length);
});

test('[H25] a client that takes nothing for 30 s is disconnected', async () => {
  const time = TestTime.standing();
  const connection = new SlowConnection();
  const writer = new PieceWriter(connection, time);
  void writer.write(PIECE);
  await time.advance(20_000);
  connection.writable();
  await time.advance(29_000);
  expect(connection.isClosed).toBe(false);
  await time.advance(2_000);
  expect(connection.isClosed).toBe(true);
});
