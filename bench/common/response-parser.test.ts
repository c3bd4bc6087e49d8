import { expect, test } from 'vitest';
import { type Answer, ResponseParser } from './response-parser.ts';

const ANSWERS = Buffer.from(
  'HTTP/1.1 201 Created\r\ncontent-length: 5\r\nLocation: /a\r\n\r\nhello' +
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nin pi\r\nA\r\neces, long\r\n0\r\n\r\n' +
    'HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\nETag: "x"\r\n\r\n',
);

function parse(chunks: Buffer[]): Answer[] {
  const answers: Answer[] = [];
  const parser = new ResponseParser((answer) => answers.push(answer));
  for (const chunk of chunks) parser.push(chunk);
  return answers;
}

test('answers are the same wherever the network cuts them', () => {
  for (let cut = 0; cut <= ANSWERS.length; cut += 1) {
    const answers = parse([ANSWERS.subarray(0, cut), ANSWERS.subarray(cut)]);
    expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual([
      [201, 'hello'],
      [200, 'in pieces, long'],
      [304, ''],
    ]);
  }
});

test('an answer has its status line and headers', () => {
  const [created] = parse([ANSWERS]);
  expect(created?.head).toContain('\r\nLocation: /a');
});

test('an answer of unknown length is refused', () => {
  expect(() => parse([Buffer.from('HTTP/1.1 200 OK\r\n\r\n')])).toThrow('unknown length');
});

test('bytes that are not HTTP are refused', () => {
  expect(() => parse([Buffer.from('SSH-2.0-OpenSSH\r\n\r\n')])).toThrow('not an HTTP/1.1 answer');
  expect(() => parse([Buffer.alloc(20_000, 0x61)])).toThrow('without end of head');
});
