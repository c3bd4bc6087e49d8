import { beforeEach, describe, expect, test } from 'vitest';
import type { ForwardedCall, Place } from '../cluster-service.ts';
import { TwinError } from '../errors.ts';
import { type LinkAnswer, LinkBroken } from '../link/contract.ts';
import { answerWithFault, answerWithReply, NOT_HERE } from './call-messages.ts';
import { Forwarder } from './forwarder.ts';

const PEER = { process: 'b:1', twinUrl: undefined };
const WORLD = 7;
const call: ForwardedCall = {
  ...{ method: 'GET', path: '/x', query: '', encoding: 'json', addressKey: 'a', requestId: 'r' },
  ...{ traceparent: '', body: new Uint8Array(0), publicTwinUrl: 'http://twin' },
  head: {
    ...{ accept: '', acceptEncoding: '', authorization: '', vin: '', ifNoneMatch: '' },
    contentType: '',
  },
};
const done = answerWithReply({ status: 200, type: '', headers: [], body: '{}' });

/** What the other node answers, call by call. */
let answers: (LinkAnswer | LinkBroken)[];
let place: Place;
let forwarder: Forwarder;

beforeEach(() => {
  answers = [];
  place = { at: 'there', peer: PEER };
  forwarder = new Forwarder({
    link: {
      async call() {
        const next = answers.shift() ?? new LinkBroken('the link is down', { isSent: false });
        if (next instanceof LinkBroken) throw next;
        return next;
      },
    },
    places: { of: () => place, settled: async () => place, moved() {}, waitEndMs: () => 0 },
  });
});

const change = { ...call, method: 'PATCH' };
const forwardChange = () =>
  forwarder.forward(change, WORLD, () => Promise.reject(new Error('not here')));
const forward = () => forwarder.forward(call, WORLD, () => Promise.reject(new Error('not here')));

describe('requests that are passed on are counted', () => {
  test('where another node has answered, also with an error of the twin', async () => {
    answers = [done, answerWithFault({ code: 'unknown_world', hint: '', retryAfterS: 0 })];
    expect((await forward()).status).toBe(200);
    await expect(forward()).rejects.toMatchObject({ code: 'unknown_world' });
    expect(forwarder.counts).toEqual({ answered: 2, moved: 0, broken: 0, refused: 0 });
  });

  test('each time that they find their world gone or a link broken, and the answer', async () => {
    answers = [NOT_HERE, new LinkBroken('the link is broken', { isSent: true }), done];
    expect((await forward()).status).toBe(200);
    expect(forwarder.counts).toEqual({ answered: 1, moved: 1, broken: 1, refused: 0 });
  });

  test('where no node answers', async () => {
    await expect(forward()).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(forwarder.counts).toEqual({ answered: 0, moved: 0, broken: 3, refused: 1 });
  });

  test('where no node serves the world', async () => {
    place = { at: 'nowhere', retryMs: 1000 };
    await expect(forward()).rejects.toBeInstanceOf(TwinError);
    expect(forwarder.counts).toEqual({ answered: 0, moved: 0, broken: 0, refused: 1 });
  });
});

test('a change whose answer a busy node gave up may have been made', async () => {
  const refusedAnswer = new LinkBroken('too many', { isSent: true, isOverloaded: true });
  const refusedCall = new LinkBroken('too many', { isSent: false, isOverloaded: true });
  answers = [refusedAnswer, refusedCall];
  await expect(forwardChange()).rejects.toMatchObject({
    code: 'store_unavailable',
    hint: expect.stringContaining('may have been made'),
  });
  await expect(forwardChange()).rejects.toMatchObject({ code: 'overloaded' });
  answers = [refusedAnswer];
  await expect(forward()).rejects.toMatchObject({ code: 'overloaded' });
});
