import { describe, expect, it } from 'vitest';
import { EncodingDemand } from './encoding-demand.ts';

describe('the audience of a world', () => {
  it('wants an encoding from its first watcher to its last', () => {
    const audience = new EncodingDemand();
    expect(audience.join('json')).toBe(true);
    expect(audience.join('json')).toBe(false);
    expect(audience.wants('msgpack')).toBe(false);
    expect(audience.leave('json')).toBe(false);
    expect(audience.leave('json')).toBe(true);
    expect(audience.watcherCount).toBe(0);
  });

  it('wants what readers ask for only while anybody watches', () => {
    const audience = new EncodingDemand();
    expect(audience.read('json')).toBe(false);
    audience.join('msgpack');
    expect(audience.read('json')).toBe(true);
    expect(audience.read('json')).toBe(false);
    expect(audience.wants('json')).toBe(true);
    audience.leave('msgpack');
    expect(audience.wants('json')).toBe(false);
    audience.join('msgpack');
    expect(audience.wants('json')).toBe(false);
  });

  it('forgets readers, and says whether that changed anything', () => {
    const audience = new EncodingDemand();
    audience.join('msgpack');
    expect(audience.forgetReaders()).toBe(false);
    audience.read('json');
    expect(audience.forgetReaders()).toBe(true);
    expect(audience.wants('json')).toBe(false);
  });
});
