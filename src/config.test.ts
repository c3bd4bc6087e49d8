import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type Config, ConfigError, readConfig } from './config.ts';
import { systemRandom } from './random.ts';

const read = (env: Record<string, string | undefined>): Config => readConfig(env, systemRandom);

describe('settings', () => {
  it('[O3] serve both services on this machine alone unless told otherwise', () => {
    const config = read({});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      twinPort: 8080,
      dealerPort: 8000,
      opsHost: '127.0.0.1',
      opsPort: 9090,
      dataDir: './data',
      redisUrl: undefined,
      leaseMs: 6000,
      drainMs: 5000,
      worldIdleMs: 1_800_000,
      corsOrigins: '*',
      publicTwinUrl: undefined,
      publicDealerUrl: undefined,
      tls: undefined,
      logLevel: 'info',
    });
    expect(config.shards).toBe(availableParallelism());
    expect(config.rateLimits).toMatchObject({
      worlds: { burst: 60, perS: 1 },
      featureWrites: { burst: 50, perS: 50 },
      misses: { burst: 20, perS: 20 },
      socketsPerAddress: 2000,
      livingWorldsPerAddress: 4000,
    });
  });

  it('take what is given', () => {
    const config = read({
      TWIN_PORT: '0',
      WORLD_IDLE_SECONDS: '2.5',
      PUBLIC_TWIN_URL: 'https://twin.example.org/',
      PUBLIC_DEALER_URL: 'https://dealers.example.org/',
      CORS_ORIGINS: 'https://a.example, https://b.example',
      TLS_CERT: 'cert.pem',
      TLS_KEY: 'key.pem',
      RATE_LIMITS: 'off',
    });
    expect(config).toMatchObject({
      twinPort: 0,
      worldIdleMs: 2500,
      publicTwinUrl: 'https://twin.example.org',
      publicDealerUrl: 'https://dealers.example.org',
      corsOrigins: ['https://a.example', 'https://b.example'],
      tls: { certFile: 'cert.pem', keyFile: 'key.pem' },
      rateLimits: 'off',
    });
  });

  it('name the proxies that are trusted', () => {
    const shown = { DEMO_PUBLIC: 'on', ADMIN_PASSWORD: 'long enough' };
    const from = (proxies?: string) =>
      read({ TRUSTED_PROXIES: proxies, ...shown }).proxies?.clientOf('10.1.1.1', {
        forwardedFor: '192.0.2.7',
        forwarded: '',
      });
    expect(from()).toBeUndefined();
    expect(from('10.0.0.0/8, ::1')).toBe('192.0.2.7');
    expect(() => from('10.0.0.0/8,proxy')).toThrow(/^TRUSTED_PROXIES: "proxy" is neither/);
  });

  it('need a password of the first admin where there is no demo data', () => {
    expect(read({}).demo).toEqual({ demo: true });
    expect(read({ DEMO: 'off', ADMIN_PASSWORD: 'long enough' }).demo).toEqual({
      demo: false,
      adminPassword: 'long enough',
    });
    for (const mode of [{ DEMO: 'off' }, { DEMO_PUBLIC: 'on' }]) {
      for (const ADMIN_PASSWORD of [undefined, '', 'short', 'admin-demo', 'dealer-demo']) {
        const readIt = () => read({ ...mode, ADMIN_PASSWORD });
        expect(readIt).toThrow(ConfigError);
        expect(readIt).toThrow('ADMIN_PASSWORD');
      }
    }
  });

  it('[D28] show the demo data to others only where that is wanted', () => {
    for (const HOST of ['0.0.0.0', '::', '192.0.2.7', 'example.org', '127.evil.example']) {
      expect(() => read({ HOST })).toThrow(/^DEMO: .* DEMO_PUBLIC=on/);
      const own = { adminPassword: 'long enough' };
      expect(read({ HOST, DEMO: 'off', ADMIN_PASSWORD: 'long enough' }).demo).toMatchObject(own);
      const shown = read({ HOST, DEMO_PUBLIC: 'on', ADMIN_PASSWORD: 'long enough' });
      expect(shown.demo).toEqual({ demo: true, ...own });
    }
    expect(() => read({ TRUSTED_PROXIES: '::1' })).toThrow(/^DEMO: .* by TRUSTED_PROXIES: /);
    for (const HOST of ['localhost', '::1', '127.0.0.9', '']) {
      expect(read({ HOST }).demo).toEqual({ demo: true });
    }
  });

  it('take a key for profiles that has 32 bytes', () => {
    const key = Buffer.alloc(32, 7);
    expect(read({ FIELD_KEY: key.toString('base64') }).fieldKey).toEqual(key);
    expect(read({}).fieldKey).toBeUndefined();
    for (const FIELD_KEY of ['x', key.toString('hex'), key.subarray(1).toString('base64')]) {
      expect(() => read({ FIELD_KEY })).toThrow('FIELD_KEY');
    }
  });

  it.each([
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'redis://a:1,b:2'],
    ['REDIS_URL', 'http://localhost'],
    ['REDIS_URL', 'redis+sentinel://localhost:26379'],
    ['REDIS_URL', 'redis://:pa#ss@localhost:6379'],
    ['REDIS_URL', 'redis://:a%b@localhost:6379'],
    ['REDIS_URL', 'redis://localhost:99999'],
    ['LEASE_SECONDS', '0.5'],
    ['DRAIN_SECONDS', '61'],
    ['TWIN_PORT', '65536'],
    ['TWIN_PORT', 'http'],
    ['DEALER_PORT', '-1'],
    ['OPS_PORT', '80.5'],
    ['SHARDS', '0'],
    ['SHARD_WORLDS', '1'],
    ['FLEET_CARS_MAX', '0'],
    ['WORLD_IDLE_SECONDS', '0'],
    ['RATE_LIMITS', 'maybe'],
    ['LIMIT_WORLDS_PER_S', '-1'],
    ['LOG_LEVEL', 'loud'],
    ['CORS_ORIGINS', 'example.org'],
    ['PUBLIC_TWIN_URL', 'ftp://example.org'],
    ['PUBLIC_DEALER_URL', 'example.org'],
    ['TLS_CERT', 'cert.pem'],
  ])('[O1] refuse %s=%s and name it', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(ConfigError);
    expect(() => read({ [name]: value })).toThrow(name);
  });

  it('treat an empty value as none', () => {
    expect(read({ TWIN_PORT: '', OPS_PORT: ' ', LOG_LEVEL: '' })).toMatchObject({
      twinPort: 8080,
      opsPort: 9090,
      logLevel: 'info',
    });
  });

  it('take a password of Redis with a colon, or with special characters that are encoded', () => {
    for (const REDIS_URL of ['redis://:pa:ss@localhost', 'rediss://twin:a%23b%25@localhost:1/2']) {
      expect(read({ REDIS_URL }).redisUrl).toBe(REDIS_URL);
    }
  });

  it('refuse a link without TLS beside a certificate, which the link has then', () => {
    const tls = { TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' };
    expect(() => read({ ...tls, LINK_URL: 'ws://a:1' })).toThrow(/^LINK_URL: use wss/);
    expect(read({ ...tls, LINK_URL: 'wss://a:1' }).link.url).toBe('wss://a:1');
  });
});
