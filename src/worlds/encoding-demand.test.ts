import { describe, expect, it } from 'vitest';
import { EncodingDemand } from './encoding-demand.ts';

describe('the demand of a world', () => {
  it('wants an encoding from its first watcher to its last', () => {
    const demand = new EncodingDemand();
    expect(demand.join('json')).toBe(true);
    expect(demand.join('json')).toBe(false);
    expect(demand.wants('msgpack')).toBe(false);
    expect(demand.leave('json')).toBe(false);
    expect(demand.leave('json')).toBe(true);
    expect(demand.watcherCount).toBe(0);
  });

  it('wants what readers ask for only while anybody watches', () => {
    const demand = new EncodingDemand();
    expect(demand.read('json')).toBe(false);
    demand.join('msgpack');
    expect(demand.read('json')).toBe(true);
    expect(demand.read('json')).toBe(false);
    expect(demand.wants('json')).toBe(true);
    demand.leave('msgpack');
    expect(demand.wants('json')).toBe(false);
    demand.join('msgpack');
    expect(demand.wants('json')).toBe(false);
  });

  it('forgets readers, and says whether that changed anything', () => {
    const demand = new EncodingDemand();
    demand.join('msgpack');
    expect(demand.forgetReaders()).toBe(false);
    demand.read('json');
    expect(demand.forgetReaders()).toBe(true);
    expect(demand.wants('json')).toBe(false);
  });
});
