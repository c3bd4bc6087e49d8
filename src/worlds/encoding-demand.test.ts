import { describe, expect, it } from 'vitest';
import { EncodingDemand } from './encoding-demand.ts';

describe('the demand of a world', () => {
  it('wants an encoding from its first watcher to its last', () => {
    const demand = new EncodingDemand();
    expect(demand.join('json', 'a')).toBe(true);
    expect(demand.join('json', 'a')).toBe(false);
    expect(demand.wants('msgpack')).toBe(false);
    expect(demand.leave('json', 'a')).toBe(false);
    expect(demand.leave('json', 'a')).toBe(true);
    expect(demand.watcherCount).toBe(0);
  });

  it('wants what readers ask for only while anybody watches', () => {
    const demand = new EncodingDemand();
    expect(demand.read('json')).toBe(false);
    demand.join('msgpack', 'a');
    expect(demand.read('json')).toBe(true);
    expect(demand.read('json')).toBe(false);
    expect(demand.wants('json')).toBe(true);
    demand.leave('msgpack', 'a');
    expect(demand.wants('json')).toBe(false);
    demand.join('msgpack', 'a');
    expect(demand.wants('json')).toBe(false);
  });

  it('tells what readers ask for apart from what watchers get', () => {
    const demand = new EncodingDemand();
    demand.join('json', 'a');
    expect(demand.readers.json).toBe(false);
    expect(demand.read('json')).toBe(false);
    expect(demand.readers).toEqual({ json: true, msgpack: false, packed: false });
    expect(demand.forgetReaders()).toBe(false);
    expect([demand.readers.json, demand.wants('json')]).toEqual([false, true]);
  });

  it('forgets readers, and says whether that changed anything', () => {
    const demand = new EncodingDemand();
    demand.join('msgpack', 'a');
    expect(demand.forgetReaders()).toBe(false);
    demand.read('json');
    expect(demand.forgetReaders()).toBe(true);
    expect(demand.wants('json')).toBe(false);
  });

  it('wants the numbers of frames while anybody watches and has asked for them', () => {
    const demand = new EncodingDemand();
    expect(demand.read('packed')).toBe(false);
    demand.join('json', 'a');
    expect(demand.wantsPacked).toBe(false);
    expect(demand.read('packed')).toBe(true);
    expect(demand.read('packed')).toBe(false);
    expect([demand.wantsPacked, demand.wants('msgpack')]).toEqual([true, false]);
    expect(demand.encodings).toEqual(['json']);
    expect(demand.forgetReaders()).toBe(true);
    demand.read('packed');
    demand.leave('json', 'a');
    demand.join('json', 'a');
    expect(demand.wantsPacked).toBe(false);
  });

  it('knows which of the clients that watch came first', () => {
    const demand = new EncodingDemand();
    expect(demand.firstClient).toBeUndefined();
    for (const client of ['a', 'b', 'a']) demand.join('json', client);
    expect(demand.firstClient).toBe('a');
    demand.leave('json', 'a');
    expect(demand.firstClient).toBe('a');
    demand.leave('json', 'a');
    expect(demand.firstClient).toBe('b');
    demand.leave('json', 'b');
    expect(demand.firstClient).toBeUndefined();
  });
});
