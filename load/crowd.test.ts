import { expect, test } from 'vitest';
import { gather } from './crowd.ts';
import { startEmptyServer } from './server.ts';

test('who is refused is told of by the answer, and the others watch', async () => {
  const server = await startEmptyServer();
  try {
    const paths = ['/ws/900', '/not-modified', '/ws/900'];
    await expect(gather(server.url, paths, 5)).rejects.toThrow('the upgrade was refused');
    const refused: string[] = [];
    const crowd = await gather(server.url, paths, 5, ({ statusLine }) => refused.push(statusLine));
    expect(refused).toEqual(['HTTP/1.1 304 Not Modified']);
    expect(crowd.watchers).toHaveLength(2);
    crowd.record();
    await expect
      .poll(() => crowd.watchers.every(({ frames }) => frames > 0), { timeout: 10_000 })
      .toBe(true);
    crowd.close();
  } finally {
    await server.stop();
  }
});
