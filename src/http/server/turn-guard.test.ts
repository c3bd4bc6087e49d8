import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { TestServer } from '../../testing/doubles/test-server.ts';
import { nextTurn, TestTime } from '../../testing/doubles/test-time.ts';
import { TurnGuard } from './turn-guard.ts';

test('an address overdoes it with hundreds of requests in one turn', async () => {
  const guard = new TurnGuard(TestTime.standing());
  const overdone = (address: string, count: number) =>
    Array.from({ length: count }, () => guard.isOverdone({ addressKey: () => address })).filter(
      Boolean,
    ).length;
  expect(overdone('a', 512)).toBe(0);
  expect(overdone('a', 160)).toBe(2);
  expect(overdone('b', 256)).toBe(0);
  await nextTurn();
  expect(overdone('a', 512)).toBe(0);
});

test('few requests a turn do not add up', async () => {
  const guard = new TurnGuard(TestTime.standing());
  const verdicts = new Set<boolean>();
  for (let i = 0; i < 5000; i += 1) {
    verdicts.add(guard.isOverdone({ addressKey: () => 'a' }));
    if (i % 100 === 0) await nextTurn();
  }
  expect(verdicts).toEqual(new Set([false]));
});

test('[H23] thousands of requests in one packet end the connection, others are answered', async () => {
  const site = new TestServer();
  const socket = connect(site.port, '127.0.0.1').resume();
  const closed = once(
    socket.on('error', () => {}),
    'close',
  );
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000));
  const [response] = await once(
    request({ port: site.port, localAddress: '127.0.0.2' }).end(),
    'response',
  );
  expect(response.statusCode).toBe(200);
  await closed;
  expect(site.calls.length).toBeLessThan(4000);
  site.server.end();
});
